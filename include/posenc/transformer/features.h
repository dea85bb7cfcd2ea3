// SPDX-License-Identifier: Apache-2.0
// Features (a log-mel spectrogram, say) to the rows that the first layer reads: convolutions over time, then + signal.
#pragma once

#include <posenc/sinusoid.h>

namespace posenc {

/// One convolution along time, then gelu: out[t, o] = gelu(sum over channels c and taps j of
/// weight[o, c, j] in[c, t stride + j - padding] + bias[o]). What lies outside of `in` counts as 0.
/// Weights that somebody else keeps alive.
struct Convolution {
  ConstView weight;      ///< f32 [outputs, channels, taps], row-major, as PyTorch's nn.Conv1d stores them
  ConstView bias;        ///< f32 [outputs], next to each other
  std::int64_t stride;   ///< >= 1
  std::int64_t padding;  ///< zeros before the first and after the last column; in [0, taps)
};

struct FeatureInput {
  std::vector<Convolution> convolutions;  ///< at least one; each reads what the one before it gives
  /// Added to the rows at positions 0, 1, ...: a table, f32 [n, d], or a convention's rows.
  std::variant<ConstView, Rows> table;
};

/// How many rows T columns become: floor((T + 2 padding - taps) / stride) + 1 (or 0) for each convolution in turn.
POSENC_EXPORT std::int64_t rows_of_features(const FeatureInput& input, std::int64_t columns);

/// out = the last convolution's rows + signal.
///
/// Shapes: in [B, channels, T], or [channels, T]; out [B, rows_of_features, d], or without B. Types: f32; in with any
/// strides, out with columns next to each other. Accuracy: the bounds of linear and of gelu (feed_forward.h), one
/// convolution after the other. Errors: weights that do not go together, shapes, types, a table of fewer rows.
/// Source: Radford et al. 2022, section 2.2. Thread safety: yes, on distinct outputs.
inline void features(const FeatureInput& input, const ConstView& in, const View& out,
                     const Executor& executor = serial);
/// The problem that features would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_features(const FeatureInput& input, const ConstView& in,
                                                                  const View& out);
/// The values alone.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_feature_input(const FeatureInput& input);

namespace detail {
POSENC_EXPORT void features(const FeatureInput& input, const ConstView& in, const View& out, const Executor& executor);
}  // namespace detail

inline void features(const FeatureInput& input, const ConstView& in, const View& out, const Executor& executor) {
  require(check_features(input, in, out));
  detail::features(input, in, out, executor);
}

}  // namespace posenc
