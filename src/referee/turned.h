// SPDX-License-Identifier: Apache-2.0
// What a rotation did to a tensor, seen from outside: which columns it left, and by which frequencies pairs turned.
#pragma once

#include <posenc/referee/identify.h>
#include <posenc/rotary.h>

#include "src/plan/pair_plan.h"
#include "src/referee/ladder_fit.h"

namespace posenc::referee {

/// The places of a tensor's rows on one axis.
struct TurnPlaces {
  std::vector<std::int64_t> whole;  ///< all of them, where all are integers
  std::vector<double> real;         ///< all of them

  std::int64_t count() const { return std::ssize(real); }
  /// Those from .. from + count - 1; the memory is this one's.
  Positions part(std::int64_t from, std::int64_t count) const;
  TurnPlaces picked(std::span<const std::int64_t> indices) const;
  TurnPlaces moved(std::int64_t by) const;
};
TurnPlaces turn_places(const Positions& positions);

/// Rows [heads, places, width] of f64, before and after: all of a small tensor, or some of a large one.
struct TurnedRows {
  std::int64_t heads = 0, width = 0;
  TurnPlaces places;
  std::vector<double> before, after;
  double noise = 0;  ///< how far an entry of a pair of length 1 may be off for the rounding of its type

  double at(const std::vector<double>& rows, std::int64_t head, std::int64_t place, std::int64_t column) const {
    return rows[static_cast<std::size_t>((head * places.count() + place) * width + column)];
  }
  /// Those of the places first, first + step, .., `count` of them.
  TurnedRows part(std::int64_t first, std::int64_t count, std::int64_t step) const;
};
/// Of tensors [.., L, d]: at most 4 of the heads, and the first 16 places and some ever further from them.
TurnedRows sampled_rows(const ConstView& before, const ConstView& after, const TurnPlaces& places, double noise);

/// The one factor by which every pair of a plan changes its length, where the columns of a head that the pairs leave
/// are as they were: what a rotation by any angles does; else nothing. `first`: the column of the head where that of
/// the plan begins.
std::optional<double> factor_of_lengths(const TurnedRows& rows, const plan::PairPlan& pairs, std::int64_t first);

/// The frequency of every pair of such a plan; the same pairs turned backward have negative ones.
std::vector<Frequency> frequencies(const TurnedRows& rows, const plan::PairPlan& pairs, std::int64_t first);

/// By how many places, a whole number, the rows were turned further on than where they are said to stand: what the
/// angles of all pairs show, from the slowest to the fastest; nothing where they agree on none, or on 0.
std::optional<std::int64_t> further_on(const TurnedRows& rows, const plan::PairPlan& pairs, std::int64_t first);

}  // namespace posenc::referee
