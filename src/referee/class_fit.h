// SPDX-License-Identifier: Apache-2.0
// Classes that change with the distance alone, and the numbers of a convention that are read off them.
#pragma once

#include <posenc/referee/identify.h>

namespace posenc::referee {

/// The class of each diagonal of [L, S] classes: that of number m is of key m - (L - 1) less query, both by index.
struct Diagonals {
  std::int64_t queries, keys;
  std::vector<std::int64_t> classes;

  /// The distance of the first key less the first query is `apart`.
  std::int64_t distance(std::size_t m, std::int64_t apart) const {
    return static_cast<std::int64_t>(m) - (queries - 1) + apart;
  }
};

/// A row of presets with other numbers, which have yet to be held against every entry.
struct ClassFit {
  Convention convention;
  std::vector<Fitted> fitted;
};
/// What may be read off where the first key is `apart` ahead of the first query.
std::vector<ClassFit> class_fits(const Diagonals& diagonals, std::int64_t apart, const Convention& preset);

}  // namespace posenc::referee
