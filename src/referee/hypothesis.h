// SPDX-License-Identifier: Apache-2.0
// Hypotheses: a signal at the coordinates of a reading's places, and how its entries compare with those of the tensor.
#pragma once

#include "src/referee/reading.h"
#include "src/referee/signal.h"

namespace posenc::referee {

/// The coordinates of the places along one extent: first, first + step, .., or a list.
struct Coordinates {
  double first = 0, step = 1;
  std::vector<double> list = {};

  double at(std::int64_t i) const {
    return list.empty() ? first + static_cast<double>(i) * step : list[static_cast<std::size_t>(i)];
  }
};

/// As a candidate says them. A list that its caller rounded to f32 is still one of equal steps.
AxisPlaces places_along(std::string axis, const Coordinates& along);

struct Hypothesis {
  Signal signal;
  std::vector<std::size_t> extent_of;    ///< of each axis: which extent of the reading it runs along
  std::vector<Coordinates> coordinates;  ///< of each axis
};

/// Which entries are compared.
struct Sampling {
  std::int64_t most = -1;  ///< entries, as whole rows that are spread evenly; -1: all
};

/// How the tensor compares with the hypothesis under a recipe, both rounded to `storage`; nothing where the recipe has
/// no arithmetic for it, or an entry was not settled.
std::optional<Agreement> match(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe,
                               DType storage, const Sampling& sampling, const Executor& executor);

/// The rows of a few places as the hypothesis has them, exact, in f64: [places, width].
std::vector<double> known_rows(const Reading& reading, const Hypothesis& hypothesis,
                               std::span<const std::int64_t> places);

/// The first place at which two hypotheses of a reading differ once rounded to `storage`, its column, and the
/// difference there; nothing where all entries are equal.
struct Parting {
  std::int64_t place, column;
  double difference;
};
std::optional<Parting> parting(const Reading& reading, const Hypothesis& a, const Hypothesis& b, DType storage,
                               const Executor& executor);

}  // namespace posenc::referee
