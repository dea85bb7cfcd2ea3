// SPDX-License-Identifier: Apache-2.0
// What the tests of conventions without a short form share.
#pragma once

#include <posenc/convention.h>

#include "tests/oracle/value.h"

namespace posenc::test {

inline Listed listed(std::vector<double> list, AngleUnit unit) {
  Listed ladder = std::move(list);
  ladder.unit = unit;
  return ladder;
}

/// Of quarter 0 the sine, of 1 the cosine.
inline oracle::Value wave(std::size_t quarter, const oracle::Value& angle) {
  return quarter == 0 ? sin(angle) : cos(angle);
}

}  // namespace posenc::test
