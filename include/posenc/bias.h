// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores by distance: ALiBi.
#pragma once

#include <posenc/convention.h>
#include <posenc/positions.h>

namespace posenc {

/// What a bias depends on besides positions, where its convention says so.
struct BiasContext {
  std::int64_t head = 0;   ///< columns of a head, of a scale by their number (Falcon); 0: not stated
  ConstView present = {};  ///< [S], i32 or i64: 0 where a key is absent, of biases over present keys (Bloom)
};

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
inline void bias(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
                 const Executor& executor = serial);
/// The same of a convention that depends on more than positions: absent keys get +0, whatever their positions are, and
/// present ones have the positions that the caller gives them, as positions_of_mask counts them (numbering.h).
inline void bias(const Convention& convention, const Positions& queries, const Positions& keys,
                 const BiasContext& context, const View& out, const Executor& executor = serial);
/// The problem that bias would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_bias(const Convention& convention, const Positions& queries,
                                                              const Positions& keys, const View& out);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_bias(const Convention& convention, const Positions& queries,
                                                              const Positions& keys, const BiasContext& context,
                                                              const View& out);

namespace detail {
[[nodiscard]] POSENC_EXPORT std::optional<Problem> bias_slopes(const Convention& convention, std::int64_t heads,
                                                               std::vector<float>& slopes);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> bias(const Convention& convention, const Positions& queries,
                                                        const Positions& keys, const BiasContext& context,
                                                        const View& out, const Executor& executor);
}  // namespace detail

inline std::vector<float> bias_slopes(const Convention& convention, std::int64_t heads) {
  require(check_bias_slopes(convention, heads));
  std::vector<float> slopes;
  require(detail::bias_slopes(convention, heads, slopes));
  return slopes;
}

inline void bias(const Convention& convention, const Positions& queries, const Positions& keys,
                 const BiasContext& context, const View& out, const Executor& executor) {
  require(check_bias(convention, queries, keys, context, out));
  require(detail::bias(convention, queries, keys, context, out, executor));
}

inline void bias(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
                 const Executor& executor) {
  bias(convention, queries, keys, BiasContext{}, out, executor);
}

}  // namespace posenc
