// SPDX-License-Identifier: Apache-2.0
// A recurrent network with self attention: each state is made from the input and a weighted mean of earlier states.
//
// Needs posenc::transformer. Results are bounded, as those of attention.h.
#pragma once

#include <posenc/transformer/additive.h>

#include <variant>

namespace posenc {

/// rnn: h = tanh(z). lstm: with z in four parts i, f, g, o, the memory becomes s(f) memory + s(i) tanh(g) and
/// h = s(o) tanh(memory), s(x) = 1 / (1 + exp(-x)); the memory is carried from step to step as usual and is no context.
enum class Cell : std::uint8_t { rnn = 1, lstm };

/// What a state attends to. states: h_1 .. h_t, the main mode, that of the published forms. contexts: c_1 .. c_{t-1},
/// what came before, taken literally; there every context is c_1 again, a mean of copies of it.
enum class Remembered : std::uint8_t { states = 1, contexts };

/// Weights that somebody else keeps alive. h is the width of states and contexts; g is h, or 4h of an lstm, in the
/// order of PyTorch's RNNCell and LSTMCell.
struct Recurrent {
  Cell cell;
  Linear input;                         ///< [g, x]
  Linear context;                       ///< [g, h]; where a plain network has the state before
  std::variant<Score, Additive> score;  ///< of a state and what it remembers; additive: both maps are [a, h]
};

struct RecurrentOptions {
  Remembered remembered;
  std::optional<ConstView> lengths = {};  ///< [B], i32 or i64: inputs from lengths[b] on are padding, never read
  Executor executor = serial;
};

/// What comes out, of every step.
struct RecurrentSteps {
  View states;                       ///< [B, T, h]
  View contexts;                     ///< [B, T, h]
  std::optional<View> weights = {};  ///< [B, T, T]: row t holds those of what state t attends to
};

/// Runs the network over in [B, T, x].
///
/// Formula, t = 1 .. T, c_0 = 0 (and memory_0 = 0): z = input x_t + context c_{t-1}; h_t = cell(z).
/// states: w = softmax over j = 1 .. t of score(h_t, h_j), c_t = sum_j w_j h_j; so c_1 = h_1.
/// contexts: c_1 = h_1, whose row of weights is 0; for t > 1 w = softmax over j = 1 .. t - 1 of score(h_t, c_j),
/// c_t = sum_j w_j c_j.
/// From lengths[b] on states, contexts and weights are 0; what follows in a batch changes nothing before it.
/// Types: f32, columns next to each other, other strides as they come. Memory: for 4 sequences at a time, one such job
/// a thread, 4 (T h + 32 g) + T floats, and T a more each where scores are additive. Time grows as T^2. Bits: the same
/// for every executor. Accuracy: of a step from what came out of the steps before, with u = 2^-24: z is
/// off by (x + h + 4) u times the sizes of its terms, tanh by 8 u of itself and what z makes of it, s by 4 u and a
/// quarter of that; contexts as attention.h. Over many steps an error grows or shrinks as the network makes it. Errors:
/// types, shapes, strides; lengths outside [0, T]; a cell, score or Remembered that is not stated. Nothing is written
/// then. Source: Cheng et al. 2016 (self attention on an LSTM's past states). Thread safety: yes, on distinct outputs.
inline void recurrent(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out,
                      const RecurrentOptions& options);
/// The problem that recurrent would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_recurrent(const Recurrent& weights, const ConstView& in,
                                                                   const RecurrentSteps& out,
                                                                   const RecurrentOptions& options);

POSENC_EXPORT std::string_view to_string(Cell cell);
POSENC_EXPORT std::string_view to_string(Remembered remembered);

namespace detail {
POSENC_EXPORT void recurrent(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out,
                             const RecurrentOptions& options);
}  // namespace detail

inline void recurrent(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out,
                      const RecurrentOptions& options) {
  require(check_recurrent(weights, in, out, options));
  detail::recurrent(weights, in, out, options);
}

}  // namespace posenc
