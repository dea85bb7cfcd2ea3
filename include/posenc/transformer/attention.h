// SPDX-License-Identifier: Apache-2.0
// Attention by dot products: each query reads a weighted mean of the values, weighted by how well the keys answer it.
//
// Needs posenc::transformer, which brings a library of matrix products. Results are bounded, not bit-identical from
// machine to machine: such a library sums in an order of its own.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// How a query q and a key k make a score. The third form, additive, has weights of its own (additive.h).
enum class Score : std::uint8_t {
  dot = 1,     ///< q . k
  scaled_dot,  ///< q . k / sqrt d
};

/// Which keys a query may see, before lengths and masks. Query i stands at `first` + i among the keys.
enum class Sight : std::uint8_t {
  all = 1,  ///< all of them
  past,     ///< keys 0 to first + i: causal
};

struct AttentionOptions {
  Score score;
  Sight sight;
  std::int64_t first = 0;                 ///< where among the keys query 0 stands; a cache holds those before it
  std::optional<ConstView> lengths = {};  ///< [B], i32 or i64: keys from lengths[b] on are padding, never read
  std::optional<ConstView> mask = {};     ///< f32 [B, H, L, S], added to scores; -inf hides. Axes of stride 0 repeat
  std::span<const float> slopes = {};     ///< [H]: head h adds -slopes[h] |first + i - j|; bias.h makes ALiBi's
  Executor executor = serial;
};

/// out[b, h, i] = sum_j w_ij values[b, g, j], where w_i is the softmax over the keys j that query i sees of
/// score(queries[b, h, i], keys[b, g, j]) - slopes[h] |first + i - j| + mask[b, h, i, j].
///
/// Shapes: queries [B, H, L, d]; keys [B, G, S, d]; values [B, G, S, e]; out [B, H, L, e]. H is a multiple of G and
/// head h reads g = floor(h G / H): G = H is usual, G = 1 is multi-query, between them grouped queries. A tensor
/// [B, L, H, d] is passed as its transposed(1, 2). Self attention takes all three from one source; cross attention
/// takes keys and values from another.
/// Types: f32, columns next to each other (of the mask also repeated), other strides as they come.
/// Memory: beside the output 256 KiB and 128 e floats a thread at most, whatever L and S: tiles with a running maximum
/// and sum. Inputs whose rows repeat, run backwards or lie in one another are copied a tile at a time.
/// Accuracy: let u = 2^-24; of a row let w, s and out be exact, m the largest score, n = min(S, 512) keys a tile and
/// N = ceil(S / n) tiles. With T_j = c sum |q| |k_j| + |slope| |first + i - j| + |mask_j|, c the scale of the score,
///   |score_j - s_j| <= (d + 5) u T_j,   weight_j: relative r_j = (d + 5) u T_j + 2.25 u (m - s_j) + 3 N u,
///   |out - exact| <= u (2 n + 4 N + 1) sum w_j |v_j| + sum w_j r_j (|v_j| + |out|),
/// times 1.01, and S 2^-125 max |v| for weights below 2^-126, which are 0. docs/transformer.md says why. Scores beyond
/// 2^128 overflow. A query that sees no key gives zeros, never NaN. A NaN or +inf among the scores and mask of what a
/// query sees makes its row NaN, and no other.
/// Errors: types, shapes, strides; lengths outside [0, S]; first below 0 or first + L beyond 63 bits; slopes that are
/// not finite, or not H of them; a score or sight that is not stated. Nothing of out is written then.
/// Source: Vaswani et al. 2017, section 3.2.1; the running sum: Milakov and Gimelshein 2018.
/// Thread safety: yes, on distinct outputs.
inline void attention(const ConstView& queries, const ConstView& keys, const ConstView& values, const View& out,
                      const AttentionOptions& options);
/// The problem that attention would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_attention(const ConstView& queries, const ConstView& keys,
                                                                   const ConstView& values, const View& out,
                                                                   const AttentionOptions& options);

/// The weights w themselves, out [B, H, L, S], for pictures: their size is what attention avoids. What a query does not
/// see has weight 0. Rules and errors are those of attention, and at most 2^24 keys with slopes. Accuracy, in its
/// letters: w_j (r_j + sum_k w_k r_k + (S + 3) u). Memory: beside the output 256 KiB a thread, or a row of it where
/// that is more.
inline void attention_weights(const ConstView& queries, const ConstView& keys, const View& out,
                              const AttentionOptions& options);
/// The problem that attention_weights would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_attention_weights(const ConstView& queries,
                                                                           const ConstView& keys, const View& out,
                                                                           const AttentionOptions& options);

namespace detail {
POSENC_EXPORT void attention(const ConstView& queries, const ConstView& keys, const ConstView& values, const View& out,
                             const AttentionOptions& options);
POSENC_EXPORT void attention_weights(const ConstView& queries, const ConstView& keys, const View& out,
                                     const AttentionOptions& options);
}  // namespace detail

inline void attention(const ConstView& queries, const ConstView& keys, const ConstView& values, const View& out,
                      const AttentionOptions& options) {
  require(check_attention(queries, keys, values, out, options));
  detail::attention(queries, keys, values, out, options);
}

inline void attention_weights(const ConstView& queries, const ConstView& keys, const View& out,
                              const AttentionOptions& options) {
  require(check_attention_weights(queries, keys, out, options));
  detail::attention_weights(queries, keys, out, options);
}

}  // namespace posenc
