// SPDX-License-Identifier: Apache-2.0
// A linear map of rows: the projections of attention, of feed-forward layers and of the output.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Weights that somebody else keeps alive. Rows of `weight` are outputs, as PyTorch's nn.Linear stores them; several
/// maps may be parts of one tensor.
struct Linear {
  ConstView weight;                    ///< f32 [m, n], columns next to each other
  std::optional<ConstView> bias = {};  ///< f32 [m], next to each other
};

/// out[..., :] = weight in[..., :] + bias.
///
/// Shapes: in [..., n], out [..., m], the axes before them equal. Types: f32, columns next to each other, other strides
/// as they come. Accuracy: |error| <= (n + 2) 2^-24 (|weight| |in| + |bias|), whatever the order of summation.
/// Errors: types, shapes, strides. Thread safety: yes, on distinct outputs.
inline void linear(const Linear& weights, const ConstView& in, const View& out, const Executor& executor = serial);
/// The problem that linear would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_linear(const Linear& weights, const ConstView& in,
                                                                const View& out);
/// The weights alone: f32, [m, n] and [m], columns next to each other; `name` is how messages call them.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_weights(std::string_view operation, std::string_view name,
                                                                 const Linear& weights, std::int64_t outputs,
                                                                 std::int64_t inputs);

namespace detail {
POSENC_EXPORT void linear(const Linear& weights, const ConstView& in, const View& out, const Executor& executor);
}  // namespace detail

inline void linear(const Linear& weights, const ConstView& in, const View& out, const Executor& executor) {
  require(check_linear(weights, in, out));
  detail::linear(weights, in, out, executor);
}

}  // namespace posenc
