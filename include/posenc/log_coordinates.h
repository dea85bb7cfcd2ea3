// SPDX-License-Identifier: Apache-2.0
// Log coordinates: how far apart two cells of a window are, under a logarithm; the input of a small network.
#pragma once

#include <posenc/context.h>

namespace posenc {

/// Writes the coordinates of every pair of cells of a window: out[dy + H - 1, dx + W - 1] = [f(dy), f(dx)].
///
/// Formula: PlainLogarithm or NormalisedLogarithm (relative_families.h); along an axis of one cell it is 0. A model's
/// network makes a bias of each, which the classes of window_buckets look up. Shape: out [2 H - 1, 2 W - 1, 2] says the
/// window. Types: f32, f64, bf16 or f16, any strides. Accuracy: the real number rounded once, to nearest, ties to even.
/// Errors: the convention has no log coordinates; shape or type break these rules. Source: Liu et al., Swin Transformer
/// V2, 2022; timm's gen_relative_log_coords. Thread safety: yes, on distinct outputs.
inline void log_coordinates(const Convention& convention, const View& out, const Options& options = {});
/// The problem that log_coordinates would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_log_coordinates(const Convention& convention, const View& out,
                                                                         const Options& options = {});

namespace detail {
[[nodiscard]] POSENC_EXPORT std::optional<Problem> log_coordinates(const Convention& convention, const View& out,
                                                                   const Executor& executor);
}

inline void log_coordinates(const Convention& convention, const View& out, const Options& options) {
  require(check_log_coordinates(convention, out, options));
  require(detail::log_coordinates(convention, out, options.executor));
}

}  // namespace posenc
