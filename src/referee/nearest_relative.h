// SPDX-License-Identifier: Apache-2.0
// Which row of presets most entries of slopes, biases, classes or factors are, and which entries are others.
#pragma once

#include <posenc/identify.h>

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

/// "heads are in reverse order", "heads are permuted: ..": of slopes that are all there, at other heads; nothing of
/// others, and of fewer than 4.
std::optional<std::string> order_of_heads(const Entries& got, const Expected& expected);

}  // namespace posenc::referee
