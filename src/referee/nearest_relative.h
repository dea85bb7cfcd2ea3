// SPDX-License-Identifier: Apache-2.0
// Which row of presets most entries of slopes, biases, classes or factors are, and which entries are others.
#pragma once

#include <posenc/referee/identify.h>

#include "src/referee/expected.h"

namespace posenc::referee {

struct LikeRelative {
  std::string kind;
  Candidate nearest;
};
/// Nothing where fewer than three entries in four are those of a row, or these are fewer than three
/// numbers; of more than 2^24 entries.
std::optional<LikeRelative> like_relative(const ConstView& tensor, const IdentifyOptions& options);

/// "1 of 40000 entries is another: [5, 6] is 0, not 17".
std::string words_of_others(const Entries& got, const std::vector<double>& expected, const Tallied& tally);

/// 2^(-8 h / heads) for h = 1, 2, .., the slopes of ALiBi of a power of two of heads.
std::vector<double> even_slopes(std::int64_t heads);
/// "slopes are 2^(-8 h / 12), the formula of powers of two, which 12 is none of: ..": of slopes by it of another
/// number.
std::optional<std::string> by_formula_of_powers(const Entries& got, const Expected& expected);

/// "heads are in reverse order", "heads are permuted: ..": of slopes that are all there, at other heads; nothing of
/// others, and of fewer than 4.
std::optional<std::string> order_of_heads(const Entries& got, const Expected& expected);

}  // namespace posenc::referee
