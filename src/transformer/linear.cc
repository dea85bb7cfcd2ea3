// SPDX-License-Identifier: Apache-2.0
// Linear maps: products of blocks of rows and of outputs, the bias while a block is in the cache.
#include <posenc/transformer/linear.h>

#include "src/base/blocks.h"
#include "src/base/match.h"
#include "src/transformer/into.h"
#include "src/transformer/kernels/activations.h"
#include "src/transformer/kernels/product.h"
#include "src/transformer/rows.h"

namespace posenc {
namespace {

// A block of weights, 576 KiB, stays in the second-level cache while 192 rows pass by it: [1500, 384] by [384, 1536]
// takes a tenth less time than in blocks of rows alone.
constexpr std::int64_t most_rows = 192, most_weights = 147456;

// Few rows take more outputs each, so that a job is worth it.
struct LinearPlan {
  std::int64_t row_blocks, rows, column_blocks, columns;

  LinearPlan(std::int64_t all_rows, std::int64_t outputs, std::int64_t inputs) {
    row_blocks = blocks(all_rows, most_rows);
    rows = blocks(all_rows, row_blocks);
    const std::int64_t cached = most_weights / std::max<std::int64_t>(1, inputs),
                       worth = least_product_work / std::max<std::int64_t>(1, rows * inputs);
    columns = (std::max({worth, all_rows >= 128 ? cached : 0, std::int64_t{64}}) + 63) / 64 * 64;
    column_blocks = blocks(outputs, columns);
    columns = std::min(columns, outputs);
  }
};

}  // namespace

void linear_into(Into into, const Linear& weights, const ConstView& in, const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  const RowGroups groups(in, out);
  const std::int64_t outputs = weights.weight.size(0), inputs = weights.weight.size(1);
  const LinearPlan plan(groups.rows, outputs, inputs);
  const std::int64_t a_group = plan.row_blocks * plan.column_blocks;
  const std::int64_t together = least_product_work / std::max<std::int64_t>(1, plan.rows * plan.columns * inputs);
  const float* bias = weights.bias ? static_cast<const float*>(weights.bias->data) : nullptr;
  const auto work = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const RowGroups::Offsets start = groups.start(i / a_group);
      const std::int64_t row = i % a_group / plan.column_blocks * plan.rows,
                         column = i % plan.column_blocks * plan.columns;
      const std::int64_t rows = std::min(plan.rows, groups.rows - row),
                         columns = std::min(plan.columns, outputs - column);
      float* to = static_cast<float*>(out.data) + start.out + row * groups.out_step + column;
      kernels::product(
          {static_cast<const float*>(in.data) + start.in + row * groups.in_step, rows, inputs, groups.in_step},
          {static_cast<const float*>(weights.weight.data) + column * weights.weight.stride(0), columns, inputs,
           weights.weight.stride(0)},
          kernels::Right::transposed, 1, into == Into::sum ? 1 : 0, to, groups.out_step);
      kernels::finish_rows(kernels::Curve::none, bias == nullptr ? nullptr : bias + column, rows, columns, to,
                           groups.out_step);
    }
  };
  for_blocks(executor, groups.groups * a_group, std::max<std::int64_t>(1, together), work);
}

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Linear& weights,
                                     std::int64_t outputs, std::int64_t inputs) {
  Match m(operation, name);
  m.bind("m", outputs);
  m.bind("n", inputs);
  m.rows("weight", weights.weight, "[m, n]");
  m.must(outputs <= 1 || weights.weight.stride(0) >= inputs,
         {"weight must have rows that do not overlap, stride >= ", inputs}, {weights.weight.stride(0)});
  m.rows("bias", weights.bias, "[m]");
  return m.problem();
}

std::optional<Problem> check_linear(const Linear& weights, const ConstView& in, const View& out) {
  Match m("linear");
  m.bind("m", rows_of(weights.weight));
  m.rows("in", in, "[..., n]");
  m.part("", weights, m["m"], m["n"]);
  m.lies_apart("weight", weights.weight);
  if (weights.bias) m.lies_apart("bias", *weights.bias);
  m.rows("out", out, "[..., m]");
  return m.problem();
}

void detail::linear(const Linear& weights, const ConstView& in, const View& out, const Executor& executor) {
  linear_into(Into::place, weights, in, out, executor);
}

}  // namespace posenc
