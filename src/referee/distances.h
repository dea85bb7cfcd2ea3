// SPDX-License-Identifier: Apache-2.0
// Distances between the entries of a tensor and known ones, in units in the last place, and the Agreement that sums
// them up.
#pragma once

#include <posenc/referee/identify.h>

#include <array>
#include <span>

namespace posenc::referee {

/// The unit in the last place of a number of that size, of a real type.
double unit_at(double size, DType type);

/// Counts in classes: 0, 1, .., 15 units, then powers of 2.
class Distances {
 public:
  void add(double units);
  /// Those of other entries too.
  void add(const Distances& others);
  /// Of `entries`, of which `equal` have distance 0.
  double median(std::int64_t equal, std::int64_t entries) const;
  double largest() const { return largest_; }

 private:
  std::array<std::int64_t, 80> counts_ = {};
  double largest_ = 0;
};

/// A Agreement that grows entry by entry. Units next to 0 are those of 2^-8 times `scale`, in the type `storage`.
class Tally {
 public:
  Tally(double scale, DType storage);
  void add(std::initializer_list<std::int64_t> place, double got, double known) {
    ++match_.entries;
    if (got == known) {
      ++match_.equal;
    } else {
      add_other({place.begin(), place.size()}, got, known);
    }
  }
  /// Entries that are equal.
  void add_equal(std::int64_t count) { match_.entries += count, match_.equal += count; }
  /// Entries that come after all of these.
  void add(const Tally& next);
  Agreement result() const;

 private:
  void add_other(std::span<const std::int64_t> place, double got, double known);

  DType storage_;
  double least_;
  Agreement match_;
  Distances distances_;
};

}  // namespace posenc::referee
