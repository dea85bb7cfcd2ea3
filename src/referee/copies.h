// SPDX-License-Identifier: Apache-2.0
// Copies: a tensor that holds the same rows again along axes of batches or of heads.
#pragma once

#include <posenc/referee/identify.h>

namespace posenc::referee {

/// A tensor as it stands once, and how often it stands there.
struct Copies {
  ConstView once;
  std::int64_t count = 1;
};

/// One slice of each axis but the last along which all slices are equal to the bit. An axis of as many elements as the
/// caller states positions stays, since positions may be equal.
Copies without_copies(const ConstView& tensor, const IdentifyOptions& options);

/// The first element in which a tensor of 3 axes or more is no copy along an axis along which it nearly is one.
struct Unequal {
  std::size_t axis;
  ConstView once;                   ///< the first slice, an axis of 1
  std::vector<std::int64_t> index;  ///< of the element
  std::int64_t count;               ///< of elements that differ from those of the first slice
};
std::optional<Unequal> nearly_copies(const ConstView& tensor);
std::string words_of(const ConstView& tensor, const Unequal& unequal);

}  // namespace posenc::referee
