// SPDX-License-Identifier: Apache-2.0
// The simplest first. Positions that were rounded are others as well, and rows at others are not damaged.
#include "src/referee/known_faults.h"

#include "src/referee/mapped_entries.h"
#include "src/referee/row_order.h"

namespace posenc::referee {

std::optional<Fault> fault_of_rows(const Reading& reading, const Hypothesis& asked, DType storage,
                                   const Beyond& beyond) {
  if (auto found = rounding_fault(reading, asked, storage)) return found;
  if (auto found = mapping_fault(reading, asked, storage)) return found;
  if (auto found = moved_rows(reading, asked, storage)) return found;
  return damaged_rows(reading, asked, beyond);
}

}  // namespace posenc::referee
