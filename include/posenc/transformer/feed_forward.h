// SPDX-License-Identifier: Apache-2.0
// The feed-forward part of a Transformer's layer: out of a row, wider, through an activation, and back.
#pragma once

#include <posenc/transformer/linear.h>

namespace posenc {

/// relu: max(x, 0). gelu: x Phi(x), Phi the normal distribution, by the error function, as PyTorch's default.
/// gelu_tanh: x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, GPT-2's. Errors beside that of x: relu none; gelu at
/// most 2^-23 max(1, |x|) and 2^-21 |x|; gelu_tanh at most 2^-22 max(1, |x|) and 2^-21 |x|.
enum class Activation : std::uint8_t { relu = 1, gelu, gelu_tanh };

/// "relu", "gelu", "gelu_tanh"; "no activation" for a value that is none.
POSENC_EXPORT std::string_view to_string(Activation activation);

/// Weights that somebody else keeps alive.
struct FeedForward {
  Linear wide;    ///< [f, d]
  Linear narrow;  ///< [d, f]
};

/// out = narrow(activation(wide(in))).
///
/// Shapes: in and out [..., d]. Types: f32, columns next to each other, other strides as they come.
/// Memory: f columns for each row of a block. Accuracy: the bounds of linear, and of
/// Activation. NaN stays NaN, +inf stays; -inf gives NaN under both gelus, as in PyTorch. Errors: types, shapes,
/// strides, an activation that is not stated. Thread safety: yes, on distinct outputs.
inline void feed_forward(const FeedForward& weights, Activation activation, const ConstView& in, const View& out,
                         const Executor& executor = serial);
/// The problem that feed_forward would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_feed_forward(const FeedForward& weights, Activation activation,
                                                                      const ConstView& in, const View& out);
/// The weights alone: [f, d] and [d, f]; `name` is how messages call them.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_weights(std::string_view operation, std::string_view name,
                                                                 const FeedForward& weights, std::int64_t width);

namespace detail {
POSENC_EXPORT void feed_forward(const FeedForward& weights, Activation activation, const ConstView& in, const View& out,
                                const Executor& executor);
}  // namespace detail

inline void feed_forward(const FeedForward& weights, Activation activation, const ConstView& in, const View& out,
                         const Executor& executor) {
  require(check_feed_forward(weights, activation, in, out));
  detail::feed_forward(weights, activation, in, out, executor);
}

}  // namespace posenc
