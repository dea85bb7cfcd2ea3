// SPDX-License-Identifier: Apache-2.0
// The encoder of a Transformer: layers of self attention and feed-forward, each with its residual and its norm.
#pragma once

#include <posenc/transformer/feed_forward.h>
#include <posenc/transformer/multi_head.h>
#include <posenc/transformer/norm.h>

namespace posenc {

/// Where a sub-layer's norm stands. after: x = norm(x + f(x)), the paper's; before: x = x + f(norm(x)).
enum class NormPlace : std::uint8_t { before = 1, after };

/// "before", "after"; "no place" for a value that is none.
POSENC_EXPORT std::string_view to_string(NormPlace place);

/// What all layers of a stack share.
struct LayerStyle {
  NormPlace norm;
  Activation activation;
  Score score;
  std::optional<RotaryRows> rotary = {};  ///< turns queries and keys of self attention
  std::vector<float> slopes = {};  ///< [heads], added to the scores of self attention as attention.h says; or none
};

struct EncoderLayer {
  MultiHead attention;
  Norm attention_norm;
  FeedForward feed_forward;
  Norm feed_forward_norm;
};

/// Values that somebody else keeps alive. No layer at all is the identity (and the final norm).
struct Encoder {
  std::vector<EncoderLayer> layers;
  LayerStyle style;
  std::optional<Norm> final_norm = {};
};

/// out = the last layer's rows for the input `in`.
///
/// Shapes: in and out [B, L, d]; `in` may be `out`; lengths [B], i32 or i64: tokens from lengths[b] on are padding,
/// which no query sees (their own rows are computed and have no meaning). Types: f32, columns next to each other, other
/// strides as they come. Positions inside attention are 0 .. L - 1.
/// Errors: weights that do not go together, shapes, types. Source: Vaswani et al. 2017, section 3.1.
/// Thread safety: yes, on distinct outputs.
inline void encode(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                   const View& out, const Executor& executor = serial);
/// The problem that encode would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encode(const Encoder& encoder, const ConstView& in,
                                                                const std::optional<ConstView>& lengths,
                                                                const View& out);

/// The weights of attention in one layer, for pictures: out [B, H, L, L].
inline void encoder_weights(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                            std::int64_t layer, const View& out, const Executor& executor = serial);
/// The problem that encoder_weights would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encoder_weights(const Encoder& encoder, const ConstView& in,
                                                                         const std::optional<ConstView>& lengths,
                                                                         std::int64_t layer, const View& out);

/// The values alone, for rows of `width` columns.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encoder(const Encoder& encoder, std::int64_t width);

namespace detail {
POSENC_EXPORT void encode(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                          const View& out, const Executor& executor);
POSENC_EXPORT void encoder_weights(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                                   std::int64_t layer, const View& out, const Executor& executor);
}  // namespace detail

inline void encode(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                   const View& out, const Executor& executor) {
  require(check_encode(encoder, in, lengths, out));
  detail::encode(encoder, in, lengths, out, executor);
}

inline void encoder_weights(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                            std::int64_t layer, const View& out, const Executor& executor) {
  require(check_encoder_weights(encoder, in, lengths, layer, out));
  detail::encoder_weights(encoder, in, lengths, layer, out, executor);
}

}  // namespace posenc
