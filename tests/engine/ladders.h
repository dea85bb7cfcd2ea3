// SPDX-License-Identifier: Apache-2.0
// Ladders for tests of the engine.
#pragma once

#include "src/engine/tables/frequencies.h"

namespace posenc::engine::test {

/// base^(-k / count).
inline Rungs geometric(double base, std::size_t count) {
  const numerics::Rational step = numerics::fraction(-1, static_cast<std::int64_t>(std::max<std::size_t>(count, 1)));
  return *rungs_of({plan::Rule{1, {{numerics::Rational(base), step}}, count}});
}
/// Its entry k.
inline numerics::Real geometric_frequency(double base, std::size_t k, std::size_t count) {
  return numerics::power(base, -numerics::Rational(k) / numerics::Rational(count));
}

/// values[k] * unit.
inline Rungs listed(std::vector<double> values, const numerics::Real& unit = 1) {
  return *rungs_of({plan::Values{std::move(values), unit}});
}

}  // namespace posenc::engine::test
