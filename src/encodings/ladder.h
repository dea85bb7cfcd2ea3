// SPDX-License-Identifier: Apache-2.0
// Ladders of a given width: how many frequencies, and the exponents of each.
#pragma once

#include <posenc/convention.h>

#include "src/engine/rungs.h"

namespace posenc {

/// The number of frequencies of a row of width dim.
std::int64_t frequency_count(const Sinusoid& row, std::int64_t dim);

/// e_k = k numerator / denominator of a geometric ladder.
struct Exponents {
  std::uint64_t numerator, denominator;
};
Exponents exponents(Spacing spacing, std::int64_t dim, std::int64_t count);

/// The row of one axis of a grid.
Sinusoid axis_row(const Grid& grid);

/// The ladder of a row that admits the width.
engine::Rungs rungs(const Sinusoid& row, std::int64_t dim);

}  // namespace posenc
