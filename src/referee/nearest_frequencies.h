// SPDX-License-Identifier: Apache-2.0
// Lists of numbers beside the lists of frequencies of rows of presets that they do not fit.
#pragma once

#include <posenc/referee/identify.h>

namespace posenc::referee {

struct LikeFrequencies {
  std::string kind;  ///< "entry 17 is damaged", "entries are permuted: ..", "entries fall in no known ladder"
  std::optional<Candidate> nearest;
};
/// Of a tensor whose entries stand along one axis; nothing of another one. The nearest list is that whose entries lie
/// the nearest by the median of relative distances, where that is at most 1/20.
std::optional<LikeFrequencies> like_frequencies(const ConstView& tensor, DType storage);

}  // namespace posenc::referee
