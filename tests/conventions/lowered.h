// SPDX-License-Identifier: Apache-2.0
// What the tests of lowering share: frequencies as doubles beside the oracle's, and what is said instead.
#pragma once

#include <gtest/gtest.h>

#include "src/conventions/lower.h"
#include "src/numerics/evaluate.h"
#include "tests/encodings/said.h"
#include "tests/oracle/value.h"

namespace posenc::test {

/// Interleaved sines and cosines of one axis; an odd width ends in a sine. No short form.
inline Waves one_axis(const Ladder& ladder) {
  Waves waves = Sinusoid{ladder, Layout::interleaved, OddWidth::lone_sine};
  waves.axes = {"coordinate"};
  return waves;
}

inline std::string refusal(const Convention& convention, const LoweredFor& given) {
  return said(check_lower(convention, given));
}
inline std::string refusal(const Ladder& ladder, std::int64_t width) {
  return refusal(one_axis(ladder), {.width = width});
}

/// RN of a number in closed form.
inline double rounded(const numerics::Real& x) {
  return numerics::rounded<double>(x).value_or(std::numeric_limits<double>::quiet_NaN());
}
inline std::vector<double> rounded(const plan::Ladder& ladder) {
  std::vector<double> w;
  for (std::size_t k = 0; k < ladder.size(); ++k) w.push_back(rounded(ladder[k]));
  return w;
}

inline std::vector<double> frequencies(const Waves& waves, std::int64_t width, std::int64_t length = 0) {
  const LoweredFor given = {.width = width, .context = {.length = length}};
  EXPECT_EQ(refusal(waves, given), "nothing");
  return rounded(lower_rows(waves, given).ladders[0]);
}
inline std::vector<double> frequencies(const Ladder& ladder, std::int64_t width, std::int64_t length = 0) {
  return frequencies(one_axis(ladder), width, length);
}

/// There are n of them, and each is RN of formula(k).
template <class Formula>
void expect_frequencies(const std::vector<double>& w, std::int64_t n, Formula formula) {
  ASSERT_EQ(std::ssize(w), n);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(w[static_cast<std::size_t>(k)], oracle::rounded(formula(oracle::whole(k)), oracle::f64)) << "k = " << k;
  }
}

}  // namespace posenc::test
