// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Weights that somebody else keeps alive.
struct Norm {
  ConstView weight;                    ///< f32 [d], next to each other
  std::optional<ConstView> bias = {};  ///< f32 [d]
  double epsilon;                      ///< added to the variance; finite, > 0
};

/// out = (in - mean) / sqrt(variance + epsilon) x weight + bias, row by row; the variance is that of the population.
///
/// Shapes: in and out [..., d]; `in` may be `out`. Types: f32, columns next to each other, other strides as they come.
/// Accuracy: all in f64, rounded once to f32: |error| <= 2^-24 |out| + 2^-40 (|weight| sqrt d + |bias|).
/// Errors: types, shapes, strides, epsilon. Source: Ba et al. 2016; PyTorch's nn.LayerNorm.
/// Thread safety: yes, on distinct outputs.
inline void normalize(const Norm& norm, const ConstView& in, const View& out, const Executor& executor = serial);
/// The problem that normalize would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_normalize(const Norm& norm, const ConstView& in,
                                                                   const View& out);
/// The weights alone.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_weights(std::string_view operation, std::string_view name,
                                                                 const Norm& norm, std::int64_t width);

namespace detail {
POSENC_EXPORT void normalize(const Norm& norm, const ConstView& in, const View& out, const Executor& executor);
}  // namespace detail

inline void normalize(const Norm& norm, const ConstView& in, const View& out, const Executor& executor) {
  require(check_normalize(norm, in, out));
  detail::normalize(norm, in, out, executor);
}

}  // namespace posenc
