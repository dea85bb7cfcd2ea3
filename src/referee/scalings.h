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

/// Bases of published models.
inline constexpr double usual_bases[] = {10000, 500000, 1e6, 1e7, 5e6, 8e6, 2e6, 1.5e5, 160000, 1.2e7, 100000};

/// Factors of their scalings, the usual ones first.
inline constexpr double usual_factors[] = {8, 32, 4, 16, 2, 64, 40};

/// The bases that the most frequencies in front have, as if nothing had been done to those: a few, all simple numbers.
std::vector<Fitted> bases_at_start(const Scalings& scalings);

/// The first frequencies as they were, the last ones divided by a factor, a ramp between: YaRN, Llama 3.
void add_ramps(Scalings& scalings);

/// Each divided by a number of its own: LongRoPE.
void add_longrope(Scalings& scalings);

}  // namespace posenc::referee
