// SPDX-License-Identifier: Apache-2.0
// Rules that several calls share.
#pragma once

#include <posenc/feed_forward.h>
#include <posenc/multi_head.h>

#include "src/base/match.h"
#include "src/input/ids.h"
#include "src/transformer/rows.h"

#include <limits>

namespace posenc {

/// Tokens of each sequence before the padding: [B], each in [0, longest].
inline void state_lengths(Match& m, const std::optional<ConstView>& lengths, std::int64_t longest) {
  m.tensor("lengths", lengths, Types::integer, "[B]");
  for (std::int64_t b = 0, batch = m["B"]; lengths && m.ok() && b < batch; ++b) {
    m.within("lengths", id_at(*lengths, b * lengths->stride(0)), 0, longest, {b});
  }
}

inline void state_score(Match& m, Score score) { m.stated("score", score, {Score::dot, Score::scaled_dot}); }

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

/// What the options say of heads H, queries [B, L] and keys [B, S].
void state_options(Match& m, const AttentionOptions& options);

/// Columns of a head.
inline std::int64_t head_width(const MultiHead& weights) {
  return rows_of(weights.query.weight) / std::max<std::int64_t>(1, weights.heads);
}
inline void state_rotary(Match& m, const RotaryRows* rotary, std::int64_t width) {
  if (rotary == nullptr) return;
  m.must(rotary->width() <= width, {"rotary must turn at most the columns of a head, ", width}, {rotary->width()});
}

}  // namespace posenc
