// SPDX-License-Identifier: Apache-2.0
// The row of presets that comes nearest to a tensor that none fits.
#pragma once

#include "src/referee/hold.h"

namespace posenc::referee {

/// A hypothesis that a tensor does not have, but is like. `likeness`: of entries less the mean of their column, at a
/// few rows, the cosine of the angle between the tensor's and those of the hypothesis; 3/4 where they are the same but
/// in another order.
struct Alike {
  Reading reading;
  Held held;
  std::vector<std::string> presets;
  double likeness;
};

/// The hypothesis that is most alike, at least `least_likeness`, and 2^(1/2) of it where rows have fewer than 16
/// columns. Rows begin at 0, 1 or 2, as the preset says, or where most of them fit. Candidates are rotations if `like`
/// is one, other presets if it is none, all presets if it is null.
inline constexpr double least_likeness = 0.5;
std::optional<Alike> most_alike(const ConstView& tensor, const std::vector<Coordinates>& known, DType storage,
                                const Convention* like = nullptr);

}  // namespace posenc::referee
