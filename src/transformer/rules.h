// SPDX-License-Identifier: Apache-2.0
// Rules that several calls share.
#pragma once

#include <posenc/transformer/feed_forward.h>
#include <posenc/transformer/multi_head.h>

#include "src/base/match.h"
#include "src/input/ids.h"
#include "src/transformer/rows.h"

#include <cmath>
#include <limits>

namespace posenc {

/// Tokens of sequence b before the padding, of `all`.
inline std::int64_t length_of(const std::optional<ConstView>& lengths, std::int64_t b, std::int64_t all) {
  return lengths ? id_at(*lengths, b * lengths->stride(0)) : all;
}
/// [B], each in [0, longest].
inline void state_lengths(Match& m, const std::optional<ConstView>& lengths, std::int64_t longest) {
  m.tensor("lengths", lengths, Types::integer, "[B]");
  for (std::int64_t b = 0, batch = m["B"]; lengths && m.ok() && b < batch; ++b) {
    m.within("lengths", length_of(lengths, b, longest), 0, longest, {b});
  }
}

inline void state_score(Match& m, Score score) { m.stated("score", score, {Score::dot, Score::scaled_dot}); }

/// What a score multiplies the product of two rows of `width` by.
inline float scale_of(Score score, std::int64_t width) {
  const auto columns = static_cast<double>(std::max<std::int64_t>(1, width));
  return score == Score::scaled_dot ? static_cast<float>(1 / std::sqrt(columns)) : 1.0f;
}

inline void state_activation(Match& m, Activation activation) {
  m.stated("activation", activation, {Activation::relu, Activation::gelu, Activation::gelu_tanh});
}

/// Which of the keys [B, S] the queries [B, L] see: sight, first and lengths.
template <class Options>
void state_sight(Match& m, const Options& options) {
  m.stated("sight", options.sight, {Sight::all, Sight::past});
  const std::int64_t rows = m["L"];
  m.must(options.first >= 0 && options.first <= std::numeric_limits<std::int64_t>::max() - rows,
         {"first must be in [0, 2^63 - 1 - ", rows, "]"}, {options.first});
  state_lengths(m, options.lengths, m["S"]);
}

/// Of `length` keys, those that query i sees before the mask.
template <class Options>
std::int64_t seen_of(const Options& options, std::int64_t length, std::int64_t i) {
  return options.sight == Sight::all ? length : std::min(length, options.first + i + 1);
}

/// What the options say of heads H, queries [B, L] and keys [B, S].
void state_options(Match& m, const AttentionOptions& options);

/// Rows [batch, length, width] that come later, in memory of their own, for the rules of their shape. They begin in the
/// upper half of all addresses, of which no program's memory is: no tensor overlaps them.
inline View rows_to_come(std::int64_t batch, std::int64_t length, std::int64_t width) {
  const std::uintptr_t upper_half = ~(~std::uintptr_t{0} >> 1);
  return {reinterpret_cast<void*>(upper_half), DType::f32, 3, {batch, length, width}, {length * width, width, 1}};
}

/// Columns of a head.
inline std::int64_t head_width(const MultiHead& weights) {
  return rows_of(weights.query.weight) / std::max<std::int64_t>(1, weights.heads);
}
inline void state_rotary(Match& m, const RotaryRows* rotary, std::int64_t width) {
  if (rotary == nullptr) return;
  m.must(rotary->width() <= width, {"rotary must turn at most the columns of a head, ", width}, {rotary->width()});
  // Columns at the end of a head, and pairs that no kernel turns, are those of the heads that it was made for.
  const View heads = view(static_cast<float*>(nullptr), {0, width});
  const Rotated queries[] = {{heads, RotatedSide::query, TokenAxis::before_columns}};
  m.must(rotary->axes().size() == 1, {"rotary must be of one axis"}, {std::ssize(rotary->axes())});
  m.must(!rotary->check_rotate(Positions::range(0, 0), queries),
         {"rotary must be made for heads of at most ", width, " columns"}, {"more"});
}

}  // namespace posenc
