// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores by distance: ALiBi.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>

namespace posenc {

/// The slopes of `heads` heads, head 0 first, for attention that adds -slope |p - q| itself.
///
/// Formula: with P the largest power of two that is at most `heads`, slope h is 2^(-octaves (h + 1) / P) for h < P and
/// 2^(-octaves (2 (h - P) + 1) / (2P)) for the others.
/// Accuracy: the real number rounded once to f32, to nearest, ties to even; more than 149 octaves end in zeros.
/// Errors: the convention has no slopes, or they multiply something else; heads outside 1 to 2^30. Source: Press et al.
/// 2022, and its released code. Thread safety: yes.
inline std::vector<float> bias_slopes(const Convention& convention, std::int64_t heads);
/// The problem that bias_slopes would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_bias_slopes(const Convention& convention, std::int64_t heads);

/// Writes what is added to the scores: out[h, i, j] = -slope_h |q_i - k_j|.
///
/// Shapes: queries [L], keys [S], out [H, L, S]; the number of heads is that of `out`. Types: positions as they are
/// everywhere; out is f32, f64, bf16 or f16, any strides.
/// Accuracy: the real number rounded once, to nearest, ties to even; distance 0 gives +0. In f16 what is beyond -65504
/// rounds to -infinity.
/// Errors: the convention is no bias; positions, shape or type break their rules. Cost: a call makes the slopes of all
/// heads; attention that adds the bias itself takes bias_slopes, made once. Thread safety: yes, on distinct outputs.
/// A bias over present keys (Bloom) reads them from the context: an absent key gets +0 whatever its position, a present
/// key has the position that the caller gives it, as positions_of_mask counts them (numbering.h).
inline void bias(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
                 const Options& options = {});
/// The problem that bias would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_bias(const Convention& convention, const Positions& queries,
                                                              const Positions& keys, const View& out,
                                                              const Options& options = {});

namespace detail {
[[nodiscard]] POSENC_EXPORT std::optional<Problem> bias_slopes(const Convention& convention, std::int64_t heads,
                                                               std::vector<float>& slopes);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> bias(const Convention& convention, const Positions& queries,
                                                        const Positions& keys, const View& out, const Options& options);
}  // namespace detail

inline std::vector<float> bias_slopes(const Convention& convention, std::int64_t heads) {
  require(check_bias_slopes(convention, heads));
  std::vector<float> slopes;
  require(detail::bias_slopes(convention, heads, slopes));
  return slopes;
}

inline void bias(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
                 const Options& options) {
  require(check_bias(convention, queries, keys, out, options));
  require(detail::bias(convention, queries, keys, out, options));
}

}  // namespace posenc
