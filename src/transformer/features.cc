// SPDX-License-Identifier: Apache-2.0
// Convolutions over time as products: a window of rows, laid end to end, by all weights at once.
#include <posenc/transformer/features.h>

#include "src/base/blocks.h"
#include "src/base/match.h"
#include "src/transformer/kernels/activations.h"
#include "src/transformer/matrices.h"

namespace posenc {
namespace {

// Rows at a time: their windows, of 1152 floats for Whisper's second convolution, stay in the second-level cache.
constexpr std::int64_t rows_at_once = 96;

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
  if (const auto* signal = std::get_if<Rows>(&input.table)) {
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

void state_convolution(Match& m, const Convolution& c) {
  m.rows("weight", c.weight, "[outputs, channels, taps]");
  m.must(m["outputs"] > 0 && m["channels"] > 0 && m["taps"] > 0, {"weight must not be empty"}, {sizes(c.weight)});
  m.rows("bias", c.bias, "[outputs]");
  m.must(c.stride >= 1, {"stride must be at least 1"}, {c.stride});
  m.below("padding", c.padding, m["taps"]);
}

}  // namespace

std::int64_t rows_of_features(const FeatureInput& input, std::int64_t columns) {
  for (const Convolution& c : input.convolutions) columns = rows_after(c, columns);
  return columns;
}

std::optional<Problem> check_feature_input(const FeatureInput& input) {
  Match m("features");
  m.must(!input.convolutions.empty(), {"there must be a convolution"}, {"none"});
  std::int64_t width = 0;  // of the rows so far
  m.each("convolution", input.convolutions, [&](Match& of, const Convolution& c) {
    state_convolution(of, c);
    of.must(width == 0 || channels(c) == width, {"must read the ", width, " channels that the one before it gives"},
            {channels(c)});
    width = outputs(c);
  });
  m.bind("d", width);
  if (const auto* signal = std::get_if<Rows>(&input.table)) {
    m.must(signal->axes().size() == 1, {"the signal must have one axis"}, {std::ssize(signal->axes())});
    m.must(signal->width() == width, {"the convention must give rows of ", width, " columns"}, {signal->width()});
  } else {
    m.rows("table", std::get<ConstView>(input.table), "[n, d]");
  }
  return m.problem();
}

std::optional<Problem> check_features(const FeatureInput& input, const ConstView& in, const View& out) {
  Match m("features");
  m.also([&] { return check_feature_input(input); });
  if (!m.ok()) return m.problem();
  m.bind("C", channels(input.convolutions.front()));
  m.tensor("in", in, Types::f32, "[C, T] or [B, C, T]");
  m.must(m["T"] <= std::int64_t{1} << 40, {"in must have at most 2^40 columns"}, {m["T"]});
  if (!m.ok()) return m.problem();
  m.bind("n", rows_of_features(input, m["T"]));
  if (const auto* table = std::get_if<ConstView>(&input.table)) {
    m.must(m["n"] <= table->size(0), {"in must give no more rows than the table has, ", table->size(0)},
           {m["n"], " of ", m["T"], " columns"});
  }
  m.bind("d", outputs(input.convolutions.back()));
  m.rows("out", out, "[n, d] or [B, n, d]");
  return m.problem();
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
