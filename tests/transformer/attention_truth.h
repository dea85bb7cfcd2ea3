// SPDX-License-Identifier: Apache-2.0
// What attention is checked against: plain loops in f64, and the bound of attention.h beside every number.
#pragma once

#include <gtest/gtest.h>
#include <posenc/transformer/attention.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace posenc::plain {

inline constexpr double half_ulp = 0x1p-24;  // of f32 below 2
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr float hides = -std::numeric_limits<float>::infinity();  // in a mask
inline constexpr AttentionOptions seeing_all = {.score = Score::scaled_dot, .sight = Sight::all};

/// `count` numbers in [-1, 1) by an integer recurrence that the golden script computes too.
inline std::vector<float> recurrence(std::int64_t count, std::uint32_t seed) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (float& x : made) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<std::int32_t>(seed) >> 8) * 0x1p-23f;
  }
  return made;
}

inline double element(const ConstView& view, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t c) {
  const std::int64_t at = b * view.stride(0) + h * view.stride(1) + i * view.stride(2) + c * view.stride(3);
  return static_cast<double>(static_cast<const float*>(view.data)[at]);
}

/// Whose roundings a bound is of.
struct Arithmetic {
  double exp_error;       // relative, of one exponential
  std::int64_t tile = 0;  // keys summed before the running softmax goes on; 0: all at once
};
inline constexpr Arithmetic ours = {3 * half_ulp, 512};
inline constexpr Arithmetic ours_at_once = {3 * half_ulp};
/// PyTorch 2.13 on CPUs: exp_u20 of its vectors is good to 20 last places, and keys come 512 at a time.
inline constexpr Arithmetic pytorch = {20 * 2 * half_ulp, 512};

/// A score in f64, and how far the computed one may be.
struct Scored {
  double value = -infinity, error = 0;
};

inline Scored score_of(const ConstView& queries, const ConstView& keys, const AttentionOptions& options, std::int64_t b,
                       std::int64_t h, std::int64_t i, std::int64_t j) {
  const std::int64_t width = queries.size(3), group = h * keys.size(1) / queries.size(1);
  const std::int64_t position = options.first + i;
  if (options.sight == Sight::past && j > position) return {};
  if (options.lengths) {
    const ConstView& lengths = *options.lengths;
    const std::int64_t at = b * lengths.stride(0);
    if (j >= (lengths.dtype == DType::i32 ? static_cast<const std::int32_t*>(lengths.data)[at]
                                          : static_cast<const std::int64_t*>(lengths.data)[at])) {
      return {};
    }
  }
  double sum = 0, size = 0;
  for (std::int64_t c = 0; c < width; ++c) {
    const double term = element(queries, b, h, i, c) * element(keys, b, group, j, c);
    sum += term;
    size += std::abs(term);
  }
  if (options.score == Score::scaled_dot && width > 0) {
    sum /= std::sqrt(static_cast<double>(width));
    size /= std::sqrt(static_cast<double>(width));
  }
  if (!options.slopes.empty()) {
    const double away = static_cast<double>(position > j ? position - j : j - position);
    const double bias = static_cast<double>(options.slopes[static_cast<std::size_t>(h)]) * away;
    sum -= bias;
    size += std::abs(bias);
  }
  if (options.mask) {
    const double added = element(*options.mask, b, h, i, j);
    sum += added;
    size += std::isfinite(added) ? std::abs(added) : 0;
  }
  return {sum, static_cast<double>(width + 5) * half_ulp * size};
}

/// A row of attention in f64, and how far the computed one may be (attention.h).
struct Attended {
  std::vector<double> weights, weight_bounds, out, out_bounds;
};

inline Attended row_of(const std::vector<Scored>& scores, std::int64_t width,
                       const std::function<double(std::int64_t, std::int64_t)>& value, const Arithmetic& arithmetic) {
  const std::size_t keys = scores.size(), columns = static_cast<std::size_t>(width);
  Attended row = {std::vector<double>(keys), std::vector<double>(keys), std::vector<double>(columns),
                  std::vector<double>(columns)};
  double most = -infinity, sum = 0, mean_error = 0;
  for (const Scored& score : scores) most = std::max(most, score.value);
  if (most == -infinity) return row;
  for (const Scored& score : scores) sum += std::exp(score.value - most);
  const auto count = static_cast<double>(keys);
  const double tile = arithmetic.tile == 0 ? count : std::min(count, static_cast<double>(arithmetic.tile));
  const double tiles = std::ceil(count / tile), sums = (tile + 2 * tiles) * half_ulp;
  std::vector<double> relative(keys);
  for (std::size_t j = 0; j < keys; ++j) {
    if (scores[j].value == -infinity) continue;
    row.weights[j] = std::exp(scores[j].value - most) / sum;
    relative[j] = scores[j].error + 2.25 * half_ulp * (most - scores[j].value) + tiles * arithmetic.exp_error;
    mean_error += row.weights[j] * relative[j];
  }
  constexpr double second_order = 1.01, smallest = 0x1p-125;  // weights below are 0
  for (std::size_t j = 0; j < keys; ++j) {
    row.weight_bounds[j] = second_order * row.weights[j] * (relative[j] + mean_error + sums + half_ulp);
    if (row.weights[j] > 0) row.weight_bounds[j] += smallest;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const auto at = [&](std::size_t j) { return value(static_cast<std::int64_t>(j), static_cast<std::int64_t>(c)); };
    double size = 0, spread = 0, largest = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (row.weights[j] == 0) continue;
      row.out[c] += row.weights[j] * at(j);
      size += row.weights[j] * std::abs(at(j));
      largest = std::max(largest, std::abs(at(j)));
    }
    for (std::size_t j = 0; j < keys; ++j) {
      if (row.weights[j] != 0) spread += row.weights[j] * relative[j] * (std::abs(at(j)) + std::abs(row.out[c]));
    }
    row.out_bounds[c] = second_order * ((2 * sums + half_ulp) * size + spread) + smallest * count * largest;
  }
  return row;
}

inline Attended row_of(const ConstView& queries, const ConstView& keys, const ConstView& values,
                       const AttentionOptions& options, std::int64_t b, std::int64_t h, std::int64_t i,
                       const Arithmetic& arithmetic) {
  std::vector<Scored> scores;
  for (std::int64_t j = 0; j < keys.size(2); ++j) scores.push_back(score_of(queries, keys, options, b, h, i, j));
  const std::int64_t group = h * keys.size(1) / queries.size(1);
  const auto value = [&](std::int64_t j, std::int64_t c) { return element(values, b, group, j, c); };
  return row_of(scores, values.size(3), value, arithmetic);
}

/// How much of its bound the worst number took.
struct Worst {
  double share = 0;
  void see(double got, double exact, double bound) {
    const double error = std::abs(got - exact);
    // not (error <= bound) is what a NaN is
    share = error <= bound ? std::max(share, bound > 0 ? error / bound : 0) : infinity;
  }
};

/// The share of the bound that `out`, computed with these arguments by this arithmetic, took.
inline double share_of_bound(const ConstView& queries, const ConstView& keys, const ConstView& values,
                             const ConstView& out, const AttentionOptions& options,
                             const Arithmetic& arithmetic = ours) {
  Worst worst;
  for (std::int64_t b = 0; b < out.size(0); ++b) {
    for (std::int64_t h = 0; h < out.size(1); ++h) {
      for (std::int64_t i = 0; i < out.size(2); ++i) {
        const Attended row = row_of(queries, keys, values, options, b, h, i, arithmetic);
        for (std::int64_t c = 0; c < out.size(3); ++c) {
          const auto column = static_cast<std::size_t>(c);
          worst.see(element(out, b, h, i, c), row.out[column], row.out_bounds[column]);
        }
      }
    }
  }
  return worst.share;
}

/// The same of weights.
inline double share_of_weights_bound(const ConstView& queries, const ConstView& keys, const ConstView& weights,
                                     const AttentionOptions& options) {
  Worst worst;
  ConstView none = keys;
  none.shape[3] = 0;
  for (std::int64_t b = 0; b < weights.size(0); ++b) {
    for (std::int64_t h = 0; h < weights.size(1); ++h) {
      for (std::int64_t i = 0; i < weights.size(2); ++i) {
        const Attended row = row_of(queries, keys, none, options, b, h, i, ours_at_once);
        for (std::int64_t j = 0; j < weights.size(3); ++j) {
          const auto key = static_cast<std::size_t>(j);
          worst.see(element(weights, b, h, i, j), row.weights[key], row.weight_bounds[key]);
        }
      }
    }
  }
  return worst.share;
}

/// Queries [B, H, L, d], keys [B, G, S, d], values [B, G, S, e] of one call, row-major, and room for its output.
struct Heads {
  std::int64_t batch, heads, groups, rows, columns, width, value_width;
  std::vector<float> q = recurrence(batch * heads * rows * width, 1);
  std::vector<float> k = recurrence(batch * groups * columns * width, 2);
  std::vector<float> v = recurrence(batch * groups * columns * value_width, 3);
  std::vector<float> o = std::vector<float>(static_cast<std::size_t>(batch * heads * rows * value_width), 7.0f);

  ConstView queries() const { return view(q.data(), {batch, heads, rows, width}); }
  ConstView keys() const { return view(k.data(), {batch, groups, columns, width}); }
  ConstView values() const { return view(v.data(), {batch, groups, columns, value_width}); }
  View out() { return view(o.data(), {batch, heads, rows, value_width}); }

  void attend(const AttentionOptions& options) { attention(queries(), keys(), values(), out(), options); }
  void expect_plain(const AttentionOptions& options) {
    SCOPED_TRACE(testing::Message() << "B " << batch << " H " << heads << " G " << groups << " L " << rows << " S "
                                    << columns << " d " << width << " e " << value_width << " first " << options.first);
    attend(options);
    EXPECT_LE(share_of_bound(queries(), keys(), values(), out(), options), 1);
    std::vector<float> w(static_cast<std::size_t>(batch * heads * rows * columns), 7.0f);
    const View weights = view(w.data(), {batch, heads, rows, columns});
    attention_weights(queries(), keys(), weights, options);
    EXPECT_LE(share_of_weights_bound(queries(), keys(), weights, options), 1);
  }
};

}  // namespace posenc::plain
