// SPDX-License-Identifier: Apache-2.0
// What the fits of scaled ladders share: the frequencies, and the changes that were found.
#pragma once

#include <span>
#include <vector>

#include "src/referee/ladder_line.h"
#include "src/referee/shared_fits.h"

namespace posenc::referee {

struct Scalings {
  const Signal& like;
  std::span<const Frequency> all;
  const Logarithms& logarithms;
  double exponent;  ///< of w_1: -2 / r, of r rotated columns
  SharedFits& shared;
  std::vector<LadderFit> found;

  double relative_off(std::size_t k) const;
  bool known(std::size_t k) const;
  void add(std::span<const FieldChange> changes, std::vector<Fitted> fitted, std::optional<std::int64_t> length = {});
  /// Those that carry the factor of the scaling into the magnitude as well.
  void add_with_magnitude(std::span<const FieldChange> changes, double factor, const std::vector<Fitted>& fitted);
};

/// Nobody writes a factor that is as near to 1.
inline constexpr double near_one = 0x1p-12;

/// The bases that the most frequencies in front have, as if nothing had been done to those: a few, all simple numbers.
std::vector<Fitted> bases_at_start(const Scalings& scalings);

/// The first frequencies as they were, the last ones divided by a factor, a ramp between: YaRN, Llama 3.
void add_ramps(Scalings& scalings);

/// Each divided by a number of its own: LongRoPE.
void add_longrope(Scalings& scalings);

}  // namespace posenc::referee
