// SPDX-License-Identifier: Apache-2.0
// The presets of waves at coordinates that no grid numbers, of listed frequencies and of learned scales: one row of
// data each. Notes state a numbering by its fields: x_i = ((i + first) / divisor) gain + shift, eps added to the
// divisor.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

// An example: a checkpoint states its own.
constexpr double example_frequencies[] = {0.5, -1.25, 0.8125, 2};

}  // namespace

std::vector<PresetRow> coordinate_rows() {
  return {
  };
}

}  // namespace posenc
