// SPDX-License-Identifier: Apache-2.0
// Additive attention: the score of a query and a key is that of a small network.
//
// Needs posenc::transformer. Results are bounded, as those of attention.h.
#pragma once

#include <posenc/transformer/attention.h>
#include <posenc/transformer/linear.h>

namespace posenc {

/// score(q, k) = direction . tanh(query q + key k); biases, where there are, belong to the two maps. Weights that
/// somebody else keeps alive.
struct Additive {
  Linear query;         ///< [a, d]
  Linear key;           ///< [a, e]
  ConstView direction;  ///< f32 [a], next to each other
};

struct AdditiveOptions {
  Sight sight;
  std::int64_t first = 0;                 ///< where among the keys query 0 stands
  std::optional<ConstView> lengths = {};  ///< [B], i32 or i64: keys from lengths[b] on are padding, never read
  std::optional<ConstView> mask = {};     ///< f32 [B, L, S], added to scores; -inf hides. Axes of stride 0 repeat
  Executor executor = serial;
};

/// out[b, i] = sum_j w_ij values[b, j], where w_i is the softmax over the keys j that query i sees of
/// score(queries[b, i], keys[b, j]) + mask[b, i, j].
///
/// Shapes: queries [B, L, d], keys [B, S, e], values [B, S, w], out [B, L, w]. Self attention takes all three from one
/// source. Types: f32, columns next to each other (of the mask also repeated), other strides as they come.
/// Memory: beside the output B S a floats, keys projected once; 64 KiB and 32 (a + w) floats a thread, whatever L;
/// time grows as L S a. Accuracy: with u = 2^-24, x and y the projected query and key, a score is off by at most
/// e = sum_c |v_c| (p_c + 3 u (|x_c| + |y_c| + |b_c|) + 8 u |tanh|) + (a + 1) u sum_c |v_c tanh|, p what the products
/// are off by (linear.h); what that makes of weights and outputs is the bound of attention.h, e for (d + 5) u T. A
/// query that sees no key gives zeros, never NaN. Errors: types, shapes, strides; lengths outside [0, S]; first below 0
/// or first + L beyond 63 bits; a sight that is not stated. Nothing of out is written then. Source: Bahdanau et al.
/// 2015, section A.1.2. Thread safety: yes, on distinct outputs.
inline void additive_attention(const Additive& weights, const ConstView& queries, const ConstView& keys,
                               const ConstView& values, const View& out, const AdditiveOptions& options);
/// The problem that additive_attention would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_additive_attention(const Additive& weights,
                                                                            const ConstView& queries,
                                                                            const ConstView& keys,
                                                                            const ConstView& values, const View& out,
                                                                            const AdditiveOptions& options);

/// The weights w themselves, out [B, L, S], for pictures. What a query does not see has weight 0. Rules, errors and
/// accuracy are those of additive_attention.
inline void additive_weights(const Additive& weights, const ConstView& queries, const ConstView& keys, const View& out,
                             const AdditiveOptions& options);
/// The problem that additive_weights would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_additive_weights(const Additive& weights,
                                                                          const ConstView& queries,
                                                                          const ConstView& keys, const View& out,
                                                                          const AdditiveOptions& options);

/// The weights alone, for queries of d columns and keys of e; `name` is how messages call them.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_weights(std::string_view operation, std::string_view name,
                                                                 const Additive& weights, std::int64_t queries,
                                                                 std::int64_t keys);

namespace detail {
POSENC_EXPORT void additive_attention(const Additive& weights, const ConstView& queries, const ConstView& keys,
                                      const ConstView& values, const View& out, const AdditiveOptions& options);
POSENC_EXPORT void additive_weights(const Additive& weights, const ConstView& queries, const ConstView& keys,
                                    const View& out, const AdditiveOptions& options);
}  // namespace detail

inline void additive_attention(const Additive& weights, const ConstView& queries, const ConstView& keys,
                               const ConstView& values, const View& out, const AdditiveOptions& options) {
  require(check_additive_attention(weights, queries, keys, values, out, options));
  detail::additive_attention(weights, queries, keys, values, out, options);
}

inline void additive_weights(const Additive& weights, const ConstView& queries, const ConstView& keys, const View& out,
                             const AdditiveOptions& options) {
  require(check_additive_weights(weights, queries, keys, out, options));
  detail::additive_weights(weights, queries, keys, out, options);
}

}  // namespace posenc
