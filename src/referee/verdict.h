// SPDX-License-Identifier: Apache-2.0
// Whether a tensor is what a hypothesis says: every entry against the exact one, within a bound of its own.
#pragma once

#include "src/referee/near_rows.h"

namespace posenc::referee {

/// Entries that lie further from those of a hypothesis than roundings explain.
struct Beyond {
  std::int64_t entries = 0;  ///< that were held
  std::int64_t wrong = 0;
  std::int64_t unsure = 0;          ///< of angles so large that f32 arithmetic may move them by 1/8: they tell nothing
  std::vector<std::int64_t> first;  ///< place and column of the first wrong one
  std::vector<std::int64_t> rows;   ///< places with a wrong entry, the first 4096
  std::int64_t wrong_rows = 0;      ///< all of them
  std::vector<std::int64_t> of_columns;  ///< wrong entries of each column
  double share() const {
    return entries == 0 ? 1 : static_cast<double>(entries - wrong) / static_cast<double>(entries);
  }
};

/// Right: every entry lies within half a unit of its type, 2^-21 of the scale, and what f32 arithmetic makes of its
/// angle (bound.h), or else no entry lies further from those of one recipe than the first two of these. Fractions are
/// made beside the greatest coordinate, as linspace does, and are off by as much as that is. Recipes that lose more, as
/// by differences of logarithms, are held by themselves.
struct Verdict {
  bool right = false;
  DType storage = {};  ///< the type that the entries went through
  std::string recipe;  ///< whose entries they are, where those of the exact table do not tell; else "exact"
  Beyond beyond;       ///< of the exact table
};
Verdict verdict(const Reading& reading, const Hypothesis& hypothesis, std::span<const DType> storages,
                const Executor& executor);

/// Of a few places the share of entries that are right.
double sampled_share(const Reading& reading, const Hypothesis& hypothesis, DType storage, const Executor& executor);

/// Of the same places how alike the entries are but for a factor: the cosine of the angle between the two.
double sampled_likeness(const Reading& reading, const Hypothesis& hypothesis);

/// How far an entry of each column of one place may lie off for all of these reasons, its own rounding left out.
class EntryBounds {
 public:
  EntryBounds(const Reading& reading, const Hypothesis& hypothesis);
  /// Of all columns at the coordinates of a place.
  void at(std::span<const double> coordinates, std::vector<double>& off) const;
  /// The most of them, or somewhat more.
  double most(std::span<const double> coordinates) const;
  double fixed() const { return fixed_; }
  /// Of a coordinate that stands in a row.
  double raw() const { return raw_; }

 private:
  double far(std::size_t axis, double coordinate) const;

  std::vector<std::vector<double>> drift_;  // of each axis and column, per coordinate
  std::vector<double> phase_;               // of each column
  std::vector<double> most_drift_;          // of each axis
  double most_phase_ = 0;
  struct Affine {
    CoordinateOf of;
    double least;  // of a coordinate's size: originals round fractions beside the greatest of them
  };
  std::vector<Affine> axes_;
  double fixed_, raw_ = 0;
};

}  // namespace posenc::referee
