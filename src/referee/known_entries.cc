// SPDX-License-Identifier: Apache-2.0
// Exact rows of a few places with the bounds of their entries.
#include "src/referee/known_entries.h"

#include <algorithm>

#include "src/referee/hold.h"
#include "src/referee/verdict.h"

namespace posenc::referee {
namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 17;

// The first places, and others that are spread evenly behind them.
std::vector<std::int64_t> places_looked_at(const Reading& reading) {
  const std::int64_t places = reading.places(), most = std::max<std::int64_t>(most_entries / reading.width, 2);
  std::vector<std::int64_t> some;
  const std::int64_t front = places <= most ? places : most / 2, behind = std::min(places, most) - front;
  for (std::int64_t i = 0; i < front; ++i) some.push_back(i);
  for (std::int64_t i = 1; i <= behind; ++i) some.push_back(front - 1 + i * (places - front) / behind);
  return some;
}

}  // namespace

Known known_of(const Reading& reading, const Hypothesis& asked, DType storage) {
  const EntryBounds bounds(reading, asked);
  const std::vector<std::int64_t> places = places_looked_at(reading);
  Known known = {places, known_rows(reading, asked, places), {}, 2 * tolerance_of(storage).noise, reading.width};
  std::vector<double> coordinates(asked.signal.axes()), off;
  for (const std::int64_t place : places) {
    const std::vector<std::int64_t> index = reading.index(place);
    for (std::size_t a = 0; a < coordinates.size(); ++a) {
      coordinates[a] = asked.coordinates[a].at(index[asked.extent_of[a]]);
    }
    bounds.at(coordinates, off);
    for (double& each : off) each *= 2;  // what a fault leaves is rounded once more
    known.off.insert(known.off.end(), off.begin(), off.end());
  }
  return known;
}

Counts counts_of(const Reading& reading, const Known& known) {
  const std::int64_t places = known.count();
  Counts counts = {std::vector<std::int64_t>(static_cast<std::size_t>(places)),
                   std::vector<std::int64_t>(static_cast<std::size_t>(reading.width))};
  for (std::int64_t i = 0; i < places; ++i) {
    for (std::int64_t c = 0; c < reading.width; ++c) {
      const double got = reading.at(known.place(i), c), right = known.at(i, c);
      counts.squares += (got - right) * (got - right);
      if (known.near(i, c, got, right)) continue;
      ++counts.rows[static_cast<std::size_t>(i)], ++counts.columns[static_cast<std::size_t>(c)];
    }
  }
  return counts;
}

}  // namespace posenc::referee
