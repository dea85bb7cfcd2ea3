// SPDX-License-Identifier: Apache-2.0
// Fitting a ladder to measured frequencies: which base, first frequency and scaling a row of presets would need.
#pragma once

#include <limits>

#include "src/referee/signal.h"

namespace posenc::referee {

/// A frequency in radians per coordinate, and how far off it may be; not a number where nothing tells it.
struct Frequency {
  double value, off;
};
inline constexpr Frequency unknown_frequency = {std::numeric_limits<double>::quiet_NaN(),
                                                std::numeric_limits<double>::quiet_NaN()};

/// By which part of itself a measured frequency may be off beside its tolerance, in turn: angles that begin far from 0
/// are off by more, once rounded, than how they grow tells.
inline constexpr double further_off[] = {0, 0x1p-18, 0x1p-14};

/// Changes of a convention, and the numbers behind them.
struct LadderFit {
  std::vector<FieldChange> changes;
  std::vector<Fitted> fitted;
  bool simple;                              ///< every fitted number has a simple one inside its interval
  std::optional<std::int64_t> length = {};  ///< of the sequence, on which the ladder depends
  std::string_view preset = {};             ///< of whose row they are changes; empty: of any
};

/// Of changes that the convention of `like` admits.
std::optional<LadderFit> changed_fit(const Signal& like, std::span<const FieldChange> changes,
                                     std::vector<Fitted> fitted);

/// The ladders of the kind of the signal's convention that have these frequencies, w_0 first; those with simple numbers
/// before others. Of a convention without a geometric ladder there are none. A rotation may be scaled: linearly, by
/// YaRN with its usual ramp, or as Llama 3 is. `whole_turn`: the frequency that turns once from a place to the next;
/// the fast ones may be off by multiples of it.
std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies,
                                   double whole_turn = std::numeric_limits<double>::infinity());

}  // namespace posenc::referee
