// SPDX-License-Identifier: Apache-2.0
// The frequencies that the columns of a reading have, whatever a row of presets says: from a place to the next, then
// over twice as many places each time.
#pragma once

#include "src/referee/hold.h"
#include "src/referee/ladder_fit.h"

namespace posenc::referee {

/// By number in the ladder, in radians per coordinate of the first axis that has it; NaN where no wave shows one.
/// Coordinates are stepped as `like`'s row of presets says, else by 1 from place to place; a wave that has its cosine
/// or sine alone begins at 0. Frequencies are taken for positive, and those of waves for less than half a turn a place.
std::vector<Frequency> spectrum_of(const Reading& reading, const Signal& like, const Tolerance& tolerance);

/// How far a row of presets is from a convention, by the fields in which they differ: another kind of scaling counts
/// for all the fields that it has, another spacing once.
std::size_t apart(const std::vector<std::string>& differences);

/// What a row of presets would be with another ladder, at the places at which it has the entries of the reading.
struct Refit {
  Held held;
  std::vector<std::string> presets;      ///< those that differ in as few fields
  std::vector<std::string> differences;  ///< of the first
  bool simple;
};
/// Of any of these signals, each plan once; those with simple numbers first, at most 16.
std::vector<Refit> refits(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance,
                          const std::vector<Coordinates>& known);
/// Those of them whose ladder is for a length, where `held` has the ladder of another base for a factor, which may be
/// the same.
std::vector<Refit> refits_for_lengths(const Held& held, const Reading& reading, std::span<const Named> signals,
                                      const Tolerance& tolerance, const std::vector<Coordinates>& known);

}  // namespace posenc::referee
