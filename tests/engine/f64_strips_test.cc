// SPDX-License-Identifier: Apache-2.0
// Strips of f64 against single certain values: every spacing of rows, tail, factor, zero and kind of store.
#include <algorithm>
#include <bit>
#include <random>

#include "src/base/scratch.h"
#include "src/engine/tables/f64_kernel.h"
#include "tests/engine/every_target.h"
#include "tests/engine/ladders.h"

namespace posenc::engine {
namespace {

using numerics::Dyadic;

struct StripCase {
  Rungs rungs;
  Columns columns;
  explicit StripCase(Rungs of) : rungs(std::move(of)) {
    for (std::size_t k = 0; k < rungs.size(); ++k) {
      for (unsigned quarters = 0; quarters < 4; ++quarters) columns.push_back(rungs, k, quarters);
    }
  }
};

double certain_entry(const StripCase& of, Dyadic p, std::size_t column) {
  const unsigned quarters = of.columns.quarters(column);
  if (p.zero()) return at_zero<double>(of.rungs, quarters);
  const std::size_t k = of.columns.frequency[column];
  return entry_of(*certain_pair<double>(of.rungs, k, p), quarters, p.negative && !of.rungs.turns[k].zero());
}

void expect_certain_strip(const StripCase& of, const Strip& strip, std::int64_t stride, Stores stores) {
  const auto write = f64_kernels().write_strip;
  if (write == nullptr) return;
  const Columns counted = strip.exponent == 0 ? of.columns : scaled(of.columns, of.rungs, strip.exponent);
  const Scratch<double> out(static_cast<std::size_t>(strip.rows * stride));
  std::fill_n(out.data(), strip.rows * stride, 9.0);
  ASSERT_TRUE(write(of.rungs, counted, strip, out.data(), stride, stores));
  const std::int64_t every = strip.rows < 60 ? 1 : 13;
  for (std::int64_t row = 0; row < strip.rows; row += row < strip.rows - 20 ? every : 1) {
    for (std::int64_t j = 0; j < stride; ++j) {
      const double got = out.data()[row * stride + j];
      if (j >= static_cast<std::int64_t>(strip.columns)) {
        ASSERT_EQ(got, 9) << "nothing else is written";
        continue;
      }
      Dyadic p = numerics::dyadic(strip.start + row * strip.step);
      p.exponent = strip.exponent;
      const double expected = certain_entry(of, p, strip.first + static_cast<std::size_t>(j));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
          << "start " << strip.start << " step " << strip.step << " row " << row << " column " << j << ": " << got
          << ", not " << expected;
    }
  }
}

TEST(F64Strips, AreTheCertainValuesOnEveryTarget) {
  const StripCase of(test::geometric(10000, 30));
  on_every_target([&] {
    std::mt19937_64 random(5);
    const std::int64_t starts[] = {0, 1, -40, -1000000, 4294967290, std::int64_t{1} << 53, INT64_MIN, INT64_MAX / 2};
    const std::int64_t steps[] = {1, -1, 3, 1000003, 0, -4294967301};
    const std::int64_t rows[] = {17, 18, 33, 34, 35, 171, 187, 289, 290, 600};
    for (int i = 0; i < 40; ++i) {
      const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
      Strip strip{pick(starts), pick(steps), i % 5 == 1 ? -3 : 0, pick(rows), random() % 80, 1 + random() % 32, {}};
      if (!strip_pays(strip.start, strip.step, std::max<std::int64_t>(24, strip.rows))) continue;
      if (i % 2 == 0) strip.columns = (strip.columns + 7) / 8 * 8;
      const std::int64_t stride = static_cast<std::int64_t>(strip.columns) + (i % 2 == 0 ? 8 : 5);
      expect_certain_strip(of, strip, stride, i % 4 < 2 ? Stores::streamed : Stores::cached);
    }
  });
}

TEST(F64Strips, TimesAFactorAreTheCertainValues) {
  for (const double c : {1.2079441541679836, -0.7, 4.0, 0x1p-8}) {
    const StripCase of(*rungs_of({plan::Values{{1, 0.5, 0.1, 0.003, 1e-5, -0.7, 2.5, 0.25}, 1}}, c));
    on_every_target([&] {
      for (const std::int64_t start : {-20, 123456}) {
        expect_certain_strip(of, {start, 3, 0, 190, 0, 32, {}}, 32, Stores::cached);
      }
    });
  }
}

TEST(F64Strips, HaveTheCertainZerosOfHalfTurnsAndOfFrequencyZero) {
  const StripCase of(test::listed({1, 0, 0.5, -1, -0.5, 0.75, 1.0 / 64, 1024}, numerics::pi_to_the(1)));
  on_every_target([&] {
    for (const int exponent : {0, -3}) {
      for (const std::int64_t step : {1, -4, 1 << 20}) {
        expect_certain_strip(of, {-20, step, exponent, 43, 0, 32, {}}, 32, Stores::cached);
      }
    }
  });
}

}  // namespace
}  // namespace posenc::engine
