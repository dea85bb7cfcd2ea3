// SPDX-License-Identifier: Apache-2.0
// Two texts with and without positions: which rows they have in common, and how far those are apart.
#pragma once

#include <posenc/core.h>

namespace posenc::tool {

/// Rows of one text: [tokens, width], finite.
struct TextRows {
  std::vector<float> values;
  std::int64_t width;

  std::span<const float> row(std::int64_t t) const {
    return std::span(values).subspan(static_cast<std::size_t>(t * width), static_cast<std::size_t>(width));
  }
};

/// The ids of both texts, and their rows without and with positions.
struct TwoTexts {
  std::vector<std::int32_t> ids[2];
  TextRows without[2], with[2];
};

/// A token that both texts have.
struct SharedToken {
  std::int32_t id;
  std::vector<std::int64_t> places[2];  ///< of it in each text
  double without, with;                 ///< largest difference of an element, see compare
};

struct Comparison {
  bool permuted;                      ///< each text is the other's tokens in another order
  std::vector<SharedToken> shared;    ///< in the order of the first text
  std::vector<std::int32_t> only[2];  ///< ids that the other text has less often, once each
  double without = 0, with = 0;       ///< the largest of all shared tokens
  double size = 0;                    ///< of the largest element of the rows without positions
};

/// For each token that both texts have: how far a row of it in one text is from the nearest row of it in the other, the
/// largest over its rows in both. Rows are as far apart as their elements at most are. So 0 says that the rows of the
/// token are the same set in both texts.
Comparison compare(const TwoTexts& texts);

/// The tokens of the second text in the order that they have in the first.
struct AlignedText {
  std::vector<std::int64_t> places;    ///< of each token in the second text
  std::vector<std::int64_t> partners;  ///< its place in the first, for as many tokens as the texts share
};

/// Shared tokens come first, by their places in the first text: the k-th of a token there is that of its k-th in the
/// second. The second text's other tokens follow as they stand.
AlignedText align(std::span<const std::int32_t> first, std::span<const std::int32_t> second);

}  // namespace posenc::tool
