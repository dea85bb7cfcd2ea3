// SPDX-License-Identifier: Apache-2.0
// Convolutions over time as products: a window of rows, laid end to end, by all weights at once.
#include <posenc/features.h>

#include "src/base/blocks.h"
#include "src/transformer/kernels/activations.h"
#include "src/transformer/matrices.h"
#include "src/transformer/rows.h"

namespace posenc {
namespace {

constexpr std::string_view operation = "features";
// Rows at a time: their windows, of 1152 floats for Whisper's second convolution, stay in the second-level cache.
constexpr std::int64_t rows_at_once = 96;

Problem problem(std::string rule, std::string value) {
  return {std::string(operation), std::move(rule), std::move(value)};
}

std::int64_t outputs(const Convolution& c) { return c.weight.size(0); }
std::int64_t channels(const Convolution& c) { return c.weight.size(1); }
std::int64_t taps(const Convolution& c) { return c.weight.size(2); }

std::int64_t rows_after(const Convolution& c, std::int64_t rows) {
  const std::int64_t room = rows + 2 * c.padding - taps(c);
  return room < 0 ? 0 : room / c.stride + 1;
}

// [outputs, taps, channels] from [outputs, channels, taps], so that a window of rows meets its weights in one product.
Floats by_taps(const Convolution& c) {
  const std::int64_t many = channels(c), n = taps(c);
  Floats to = floats(outputs(c) * n * many);
  for (std::int64_t o = 0; o < outputs(c); ++o) {
    const float* from = static_cast<const float*>(c.weight.data) + o * c.weight.stride(0);
    for (std::int64_t i = 0; i < many; ++i) {
      for (std::int64_t tap = 0; tap < n; ++tap)
        to.data()[(o * n + tap) * many + i] = from[i * c.weight.stride(1) + tap];
    }
  }
  return to;
}

// One convolution of `in`, rows of channels, to rows of outputs. `stride` is between rows of out.
void convolve(const Convolution& c, const float* weights, const float* in, std::int64_t rows, float* out,
              std::int64_t stride, const Executor& executor) {
  const std::int64_t many = channels(c), window = taps(c) * many;
  for_blocks(executor, rows_after(c, rows), rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    const Floats windows = floats((end - begin) * window);
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t first = t * c.stride - c.padding;
      for (std::int64_t tap = 0; tap < taps(c); ++tap) {
        float* to = windows.data() + (t - begin) * window + tap * many;
        const std::int64_t row = first + tap;
        if (row < 0 || row >= rows) {
          std::fill_n(to, many, 0.0f);
        } else {
          std::copy_n(in + row * many, many, to);
        }
      }
    }
    float* to = out + begin * stride;
    kernels::product({windows.data(), end - begin, window, window}, {weights, outputs(c), window, window},
                     kernels::Right::transposed, 1, 0, to, stride);
    kernels::finish_rows(kernels::Curve::gelu, static_cast<const float*>(c.bias.data), end - begin, outputs(c), to,
                         stride);
  });
}

// Features [channels, T] as rows [T, channels].
Floats rows_of_columns(const ConstView& in) {
  const std::int64_t many = in.size(0), columns = in.size(1);
  Floats to = floats(many * columns);
  for (std::int64_t i = 0; i < many; ++i) {
    const float* from = static_cast<const float*>(in.data) + i * in.stride(0);
    for (std::int64_t t = 0; t < columns; ++t) to.data()[t * many + i] = from[t * in.stride(1)];
  }
  return to;
}

void add_table(const FeatureInput& input, const View& out, const Executor& executor) {
  if (const auto* signal = std::get_if<SinusoidRows>(&input.table)) {
    // Attention is bounded, not exact (core.h): an undecided entry is within its bound.
    static_cast<void>(signal->add_checked(Positions::range(0, out.size(0)), out, out, executor));
    return;
  }
  const ConstView& table = std::get<ConstView>(input.table);
  for (std::int64_t t = 0; t < out.size(0); ++t) {
    const float* from = static_cast<const float*>(table.data) + t * table.stride(0);
    float* to = static_cast<float*>(out.data) + t * out.stride(0);
    for (std::int64_t c = 0; c < out.size(1); ++c) to[c] += from[c];
  }
}

View without_batch(View view) {
  View one = view;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    one.shape[axis] = view.shape[axis + 1];
    one.strides[axis] = view.strides[axis + 1];
  }
  one.rank = 2;
  return one;
}

void one_sequence(const FeatureInput& input, std::span<const Floats> weights, const ConstView& in, const View& out,
                  const Executor& executor) {
  Floats rows = rows_of_columns(in);
  std::int64_t count = in.size(1);
  for (std::size_t i = 0; i < input.convolutions.size(); ++i) {
    const Convolution& c = input.convolutions[i];
    const std::int64_t next = rows_after(c, count);
    if (i + 1 == input.convolutions.size()) {
      convolve(c, weights[i].data(), rows.data(), count, static_cast<float*>(out.data), out.stride(0), executor);
    } else {
      Floats made = floats(next * outputs(c));
      convolve(c, weights[i].data(), rows.data(), count, made.data(), outputs(c), executor);
      rows = std::move(made);
    }
    count = next;
  }
  add_table(input, out, executor);
}

std::optional<Problem> check_convolution(const Convolution& c, const std::string& name) {
  if (auto found = check_rows(operation, name + " weight", c.weight)) return found;
  if (c.weight.rank != 3 || c.weight.count() == 0) {
    return problem(name + " weight must have shape [outputs, channels, taps], none of them 0", shape_text(c.weight));
  }
  if (auto found = check_weight(operation, name + " bias", c.bias, {outputs(c)})) return found;
  if (c.stride < 1) return problem(name + " stride must be at least 1", std::to_string(c.stride));
  if (c.padding < 0 || c.padding >= taps(c)) {
    return problem(name + " padding must be in [0, " + std::to_string(taps(c)) + ")", std::to_string(c.padding));
  }
  return std::nullopt;
}

std::optional<Problem> check_table(const FeatureInput& input, std::int64_t width) {
  if (const auto* signal = std::get_if<SinusoidRows>(&input.table)) {
    if (signal->width() == width) return std::nullopt;
    return problem("the convention must give rows of " + std::to_string(width) + " columns",
                   std::to_string(signal->width()));
  }
  const ConstView& table = std::get<ConstView>(input.table);
  if (auto found = check_rows(operation, "table", table)) return found;
  if (table.rank == 2 && table.size(1) == width) return std::nullopt;
  return problem("table must have shape [n, " + std::to_string(width) + "]", shape_text(table));
}

}  // namespace

std::int64_t rows_of_features(const FeatureInput& input, std::int64_t columns) {
  for (const Convolution& c : input.convolutions) columns = rows_after(c, columns);
  return columns;
}

std::optional<Problem> check_feature_input(const FeatureInput& input) {
  if (input.convolutions.empty()) return problem("there must be a convolution", "none");
  for (std::size_t i = 0; i < input.convolutions.size(); ++i) {
    const Convolution& c = input.convolutions[i];
    const std::string name = "convolution " + std::to_string(i);
    if (auto found = check_convolution(c, name)) return found;
    if (i > 0 && channels(c) != outputs(input.convolutions[i - 1])) {
      return problem(name + " must read the " + std::to_string(outputs(input.convolutions[i - 1])) +
                         " channels that the one before it gives",
                     std::to_string(channels(c)));
    }
  }
  return check_table(input, outputs(input.convolutions.back()));
}

std::optional<Problem> check_features(const FeatureInput& input, const ConstView& in, const View& out) {
  if (auto found = check_feature_input(input)) return found;
  if (auto found = check_view(operation, "in", in)) return found;
  if (in.dtype != DType::f32) return problem("in must be f32", std::string(to_string(in.dtype)));
  const std::int64_t many = channels(input.convolutions.front());
  if ((in.rank != 2 && in.rank != 3) || in.size(-2) != many) {
    const std::string shape = std::to_string(many) + ", T]";
    return problem("in must have shape [" + shape + " or [B, " + shape, shape_text(in));
  }
  if (in.size(-1) > std::int64_t{1} << 40) {
    return problem("in must have at most 2^40 columns", std::to_string(in.size(-1)));
  }
  const std::int64_t rows = rows_of_features(input, in.size(-1));
  if (const auto* table = std::get_if<ConstView>(&input.table); table != nullptr && table->size(0) < rows) {
    return problem("in must give no more rows than the table has, " + std::to_string(table->size(0)),
                   std::to_string(rows) + " of " + std::to_string(in.size(-1)) + " columns");
  }
  ConstView wanted = in;
  wanted.shape[static_cast<std::size_t>(in.rank - 2)] = rows;
  return check_rows_out(operation, wanted, out, outputs(input.convolutions.back()));
}

void detail::features(const FeatureInput& input, const ConstView& in, const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  std::vector<Floats> weights;
  weights.reserve(input.convolutions.size());
  for (const Convolution& c : input.convolutions) weights.push_back(by_taps(c));
  if (in.rank == 2) return one_sequence(input, weights, in, out, executor);
  for (std::int64_t b = 0; b < in.size(0); ++b) {
    const auto at = [&](const View& view) {
      View one = without_batch(view);
      one.data = static_cast<float*>(view.data) + b * view.stride(0);
      return one;
    };
    const View from = {const_cast<void*>(in.data), in.dtype, in.rank, in.shape, in.strides};
    one_sequence(input, weights, at(from), at(out), executor);
  }
}

}  // namespace posenc
