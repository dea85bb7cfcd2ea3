// SPDX-License-Identifier: Apache-2.0
// Feed-forward layers: a block of rows goes through a block of inner columns at a time, which stays in the cache.
#include <posenc/transformer/feed_forward.h>

#include "src/base/blocks.h"
#include "src/base/scratch.h"
#include "src/transformer/into.h"
#include "src/transformer/kernels/activations.h"
#include "src/transformer/kernels/product.h"
#include "src/transformer/rules.h"

namespace posenc {
namespace {

// Inner columns at a time: with 192 rows and d = 384, weights and rows are 1.5 MiB.
constexpr std::int64_t most_block_rows = 192, inner_columns = 384;
// Rows of a block when there are few: fewer leave the product slow.
constexpr std::int64_t least_block_rows = 32;

kernels::Curve curve_of(Activation activation) {
  switch (activation) {
    case Activation::relu: return kernels::Curve::relu;
    case Activation::gelu: return kernels::Curve::gelu;
    case Activation::gelu_tanh: return kernels::Curve::gelu_tanh;
  }
  return kernels::Curve::none;
}

// Rows of a block: an eighth of all of them as far as that is neither too few nor too many, and worth a job.
std::int64_t rows_of_block(std::int64_t rows, std::int64_t weights) {
  const std::int64_t worth = least_product_work / std::max<std::int64_t>(1, 2 * weights);
  const std::int64_t most = std::max(std::clamp(rows / 8, least_block_rows, most_block_rows), worth);
  return blocks(rows, blocks(rows, most));
}

const float* floats_of(const ConstView& view) { return static_cast<const float*>(view.data); }

// out (+)= narrow(activation(wide(in))) of some rows; `scratch` holds rows x inner_columns.
void some_rows(Into into, const FeedForward& weights, kernels::Curve curve, const kernels::Matrix& in, float* out,
               std::int64_t out_step, float* scratch) {
  const ConstView &wide = weights.wide.weight, &narrow = weights.narrow.weight;
  const std::int64_t inner = wide.size(0), width = narrow.size(0);
  const float* bias = weights.wide.bias ? floats_of(*weights.wide.bias) : nullptr;
  for (std::int64_t first = 0; first < std::max<std::int64_t>(1, inner); first += inner_columns) {
    const std::int64_t count = std::min(inner_columns, inner - first);
    kernels::product(in, {floats_of(wide) + first * wide.stride(0), count, wide.size(1), wide.stride(0)},
                     kernels::Right::transposed, 1, 0, scratch, count);
    kernels::finish_rows(curve, bias == nullptr ? nullptr : bias + first, in.rows, count, scratch, count);
    kernels::product({scratch, in.rows, count, count}, {floats_of(narrow) + first, width, count, narrow.stride(0)},
                     kernels::Right::transposed, 1, into == Into::place && first == 0 ? 0 : 1, out, out_step);
  }
  if (weights.narrow.bias) {
    kernels::finish_rows(kernels::Curve::none, floats_of(*weights.narrow.bias), in.rows, width, out, out_step);
  }
}

}  // namespace

std::string_view to_string(Activation activation) {
  switch (activation) {
    case Activation::relu: return "relu";
    case Activation::gelu: return "gelu";
    case Activation::gelu_tanh: return "gelu_tanh";
  }
  return "no activation";
}

void feed_forward_into(Into into, const FeedForward& weights, Activation activation, const ConstView& in,
                       const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  const RowGroups groups(in, out);
  const std::int64_t inner = weights.wide.weight.size(0), width = in.size(-1);
  const std::int64_t rows = rows_of_block(groups.rows, inner * width), a_group = blocks(groups.rows, rows);
  const std::int64_t together = least_product_work / std::max<std::int64_t>(1, 2 * rows * inner * width);
  const kernels::Curve curve = curve_of(activation);
  const auto work = [&](std::int64_t begin, std::int64_t end) {
    const Scratch<float> scratch(static_cast<std::size_t>(rows * std::min(inner, inner_columns)));
    for (std::int64_t i = begin; i < end; ++i) {
      const RowGroups::Offsets start = groups.start(i / a_group);
      const std::int64_t first = i % a_group * rows, count = std::min(rows, groups.rows - first);
      some_rows(into, weights, curve, {floats_of(in) + start.in + first * groups.in_step, count, width, groups.in_step},
                static_cast<float*>(out.data) + start.out + first * groups.out_step, groups.out_step, scratch.data());
    }
  };
  for_blocks(executor, groups.groups * a_group, std::max<std::int64_t>(1, together), work);
}

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const FeedForward& weights,
                                     std::int64_t width) {
  Match m(operation, name);
  const std::int64_t inner = rows_of(weights.wide.weight);
  m.part("wide", weights.wide, inner, width);
  m.part("narrow", weights.narrow, width, inner);
  return m.problem();
}

std::optional<Problem> check_feed_forward(const FeedForward& weights, Activation activation, const ConstView& in,
                                          const View& out) {
  Match m("feed_forward");
  m.rows("in", in, "[..., d]");
  m.part("", weights, m["d"]);
  state_activation(m, activation);
  m.rows("out", out, "[..., d]");
  return m.problem();
}

void detail::feed_forward(const FeedForward& weights, Activation activation, const ConstView& in, const View& out,
                          const Executor& executor) {
  feed_forward_into(Into::place, weights, activation, in, out, executor);
}

}  // namespace posenc
