// SPDX-License-Identifier: Apache-2.0
// The entries that a hypothesis has at a few places of a reading, and which of the tensor's lie near them.
#pragma once

#include <cmath>

#include "src/referee/hypothesis.h"

namespace posenc::referee {

/// The exact rows of a few places and how far an entry of each may be off.
struct Known {
  std::vector<std::int64_t> places;
  std::vector<double> rows, off;
  double relative;  ///< of an entry's own size
  std::int64_t width;
  std::size_t index(std::int64_t i, std::int64_t c) const { return static_cast<std::size_t>(i * width + c); }
  std::int64_t count() const { return std::ssize(places); }
  std::int64_t place(std::int64_t i) const { return places[static_cast<std::size_t>(i)]; }
  double at(std::int64_t i, std::int64_t c) const { return rows[index(i, c)]; }
  bool near(std::int64_t i, std::int64_t c, double got, double right) const {
    return std::abs(got - right) <= off[index(i, c)] + relative * std::abs(right);
  }
};
/// Of the first places, and of others that are spread evenly behind them: 2^17 entries.
Known known_of(const Reading& reading, const Hypothesis& asked, DType storage);

struct Counts {
  std::vector<std::int64_t> rows, columns;  ///< entries of each that are wrong
  double squares = 0;                       ///< of all differences
};
Counts counts_of(const Reading& reading, const Known& known);

}  // namespace posenc::referee
