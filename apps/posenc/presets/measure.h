// SPDX-License-Identifier: Apache-2.0
// Conventions measured against each other: the numbers that each makes of the same places.
#pragma once

#include "apps/posenc/table/tensor.h"

namespace posenc::tool {

/// What presets asks of a convention where the call does not say: width 512, heads of 128 columns, positions 0 to 511,
/// or the largest cube of at most 512 cells; 8 heads, windows of 7 x 7 cells; length 512, centre 0, learned scale 1.
Arguments completed(const Arguments& arguments, const Convention& convention);

/// The numbers of a convention, real ones in f64; for a rotation the angles in radians and the scores of seeded unit
/// Gaussians.
std::vector<Tensor> measured(const Arguments& arguments, const Choice& choice, const Executor& executor);

/// Where two tensors of one name differ.
struct Difference {
  std::string what;                ///< "entries"
  double largest;                  ///< 0 where they are equal; infinite where one of them is not finite
  std::string at, first;           ///< "position 3, column 5": of the largest, and where they begin to differ
  std::optional<std::string> cut;  ///< why not all were compared
};
/// By name; a problem of either convention is thrown.
std::vector<Difference> compared(const Arguments& arguments, const Choice& a, const Choice& b,
                                 const Executor& executor);

}  // namespace posenc::tool
