// SPDX-License-Identifier: Apache-2.0
// Tables of any finite frequency: every entry is the real number rounded once, by MPFR.
#include <gtest/gtest.h>
#include <posenc/sinusoid.h>

#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using numerics::widened;
using oracle::Value;

constexpr std::int64_t far_width = 12;

// w_k = first base^(-2k / d)
Value frequency(double first, double base, std::int64_t k) {
  return Value(first) * pow(Value(base), Value(static_cast<double>(-2 * k)) / Value(static_cast<double>(far_width)));
}

template <class T>
void expect_table(double first, double base, const std::vector<double>& positions) {
  const Sinusoid row = {Geometric{base, first, Spacing::over_width}, Layout::sine_first, OddWidth::refused};
  const auto count = static_cast<std::int64_t>(positions.size());
  std::vector<T> out(positions.size() * far_width);
  sinusoid(row, Positions::list(view(positions.data(), {count})), view(out.data(), {count, far_width}));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::int64_t k = 0; k < far_width / 2; ++k) {
      const Value x = Value(positions[i]) * frequency(first, base, k);
      const auto at = [&](std::int64_t column) {
        return widened(out[i * far_width + static_cast<std::size_t>(column)]);
      };
      EXPECT_EQ(at(k), oracle::rounded(sin(x), numerics::format<T>)) << first << " " << positions[i] << " " << k;
      EXPECT_EQ(at(far_width / 2 + k), oracle::rounded(cos(x), numerics::format<T>)) << positions[i] << " " << k;
    }
  }
}

TEST(FarFrequencies, GiveEntriesThatAreRoundedOnce) {
  const std::vector<double> positions = {0, 1, 2, 3, -7, 0.37, 1.0 / 3, -1e-5, 0x1p-1074, 0x1p53, 4095.5};
  for (const double first : {1e300, 1e60, 1e39, 1e30, 0x1.FFFFFFFFFFFFFp1023}) {
    expect_table<double>(first, 10000, positions);
    expect_table<float>(first, 10000, positions);
  }
  expect_table<double>(1e300, 1e300, positions);  // from 1e300 to 1e50
  expect_table<half>(1e300, 10000, positions);
  expect_table<bfloat16>(1e300, 10000, positions);
}

}  // namespace
}  // namespace posenc
