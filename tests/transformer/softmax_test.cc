// SPDX-License-Identifier: Apache-2.0
// The running softmax against plain loops in f64, on every instruction set.
#include "src/transformer/kernels/softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "src/base/blocks.h"
#include "tests/engine/every_target.h"

namespace posenc::kernels {
namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

// ---- exp ------------------------------------------------------------------------------------------

// Relative error of exp(x), x <= 0 given by its bits, beside what the rounded argument adds, in units of 2^-24: the
// first key of a row has score 0, and so the others are compared with 0.
double worst_error(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  constexpr std::int64_t columns = 4096;
  std::vector<float> scores(columns), x(columns);
  double worst = 0;
  for (std::uint64_t bits = first; bits <= last;) {
    scores[0] = x[0] = 0;
    std::int64_t count = 1;
    for (; count < columns && bits <= last; ++count, bits += step) {
      scores[static_cast<std::size_t>(count)] = x[static_cast<std::size_t>(count)] =
          std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    float maximum = none, sum = 0, factor = 0;
    softmax_step({scores.data(), columns, 1, count, count, 0, nullptr, 0, 0, 0, 0}, &maximum, &sum, &factor);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double exact = std::exp(static_cast<double>(x[i])), got = static_cast<double>(scores[i]);
      if (exact < 0x1p-126 && got == 0) continue;
      worst = std::max(worst, std::abs(got - exact) / exact * 0x1p24 - 1.25 * std::abs(static_cast<double>(x[i])));
    }
  }
  return worst;
}

constexpr std::uint32_t minus_zero = 0x80000000u, minus_88 = 0xC2B00000u;

TEST(Softmax, ExponentialsAreWithinThreeHalfPlacesOnEveryTarget) {
  engine::on_every_target([] {
    const double worst = worst_error(minus_zero, minus_88, 4001);
    std::printf("%.3f x 2^-24\n", worst);
    EXPECT_LE(worst, 3);
  });
}

TEST(Softmax, ExhaustiveExponentialsAreWithinThreeHalfPlaces) {
  const double worst = worst_error(minus_zero, minus_88, 1);
  std::printf("%.3f x 2^-24\n", worst);
  EXPECT_LE(worst, 3);
}

// ---- steps ----------------------------------------------------------------------------------------

// Scores of rows that come in tiles, and what they are with the softmax taken at once.
struct Rows {
  std::int64_t rows, columns, tile;
  std::int64_t seen, more;
  bool masked, repeated;
  float slope;
};

float number(std::uint32_t& seed) {
  seed = seed * 1664525u + 1013904223u;
  return static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-29f;
}

void expect_softmax(const Rows& of) {
  SCOPED_TRACE(testing::Message() << of.rows << " x " << of.columns << " in tiles of " << of.tile << ", seen "
                                  << of.seen << " + " << of.more << " i");
  const auto rows = static_cast<std::size_t>(of.rows), columns = static_cast<std::size_t>(of.columns);
  const std::int64_t stride = (of.tile + widest_lanes - 1) / widest_lanes * widest_lanes;
  std::uint32_t seed = 7;
  std::vector<float> scores(rows * columns), mask(rows * columns, 0.0f);
  for (float& x : scores) x = number(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < columns && of.masked; ++c) {
      mask[i * columns + c] = of.repeated ? static_cast<float>(i) : (seed % 5 == 0 ? none : number(seed));
    }
  }
  const std::int64_t distance = 11;
  std::vector<float> maximum(rows, none), sum(rows, 0.0f), factor(rows), weights(rows * columns);
  for (std::int64_t first = 0; first < of.columns; first += of.tile) {
    const std::int64_t count = std::min(of.tile, of.columns - first);
    std::vector<float> tile(rows * static_cast<std::size_t>(stride), NAN);  // what stands beyond is not read
    for (std::int64_t i = 0; i < of.rows; ++i) {
      std::copy_n(scores.begin() + i * of.columns + first, count, tile.begin() + i * stride);
    }
    const float* added = of.masked ? mask.data() + first : nullptr;
    const std::int64_t mask_column = of.repeated ? 0 : 1;
    softmax_step({tile.data(), stride, of.rows, count, of.seen - first, of.more, added, of.columns, mask_column,
                  of.slope, distance - first},
                 maximum.data(), sum.data(), factor.data());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::int64_t c = 0; c < first; ++c) weights[i * columns + static_cast<std::size_t>(c)] *= factor[i];
      std::copy_n(tile.begin() + static_cast<std::ptrdiff_t>(i) * stride, count,
                  weights.begin() + static_cast<std::ptrdiff_t>(i) * of.columns + first);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    double most = -std::numeric_limits<double>::infinity(), total = 0;
    std::vector<double> x(columns, most);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto row = static_cast<std::int64_t>(i), column = static_cast<std::int64_t>(c);
      if (column >= of.seen + row * of.more) continue;
      const double away = std::abs(static_cast<double>(distance + row - column));
      x[c] = static_cast<double>(scores[i * columns + c]) - static_cast<double>(of.slope) * away +
             static_cast<double>(mask[i * columns + c]);
      most = std::max(most, x[c]);
    }
    if (most == none) {
      ASSERT_EQ(maximum[i], none);
    } else {
      ASSERT_NEAR(maximum[i], most, 0x1p-16);
    }
    const double base = most == none ? 0 : static_cast<double>(maximum[i]);
    for (std::size_t c = 0; c < columns; ++c) {
      const double exact = std::exp(x[c] - base);
      total += exact;
      ASSERT_NEAR(weights[i * columns + c], exact, exact * 0x1p-15) << "row " << i << " column " << c;
    }
    ASSERT_NEAR(sum[i], total, total * 0x1p-15);
  }
}

TEST(Softmax, InTilesIsThatOfAllScoresOnEveryTarget) {
  engine::on_every_target([] {
    const DefaultEnvironment environment;
    for (const std::int64_t columns : {1, 2, 15, 16, 17, 33, 100}) {
      for (const std::int64_t tile : {1, 7, 16, 40, 128}) {
        expect_softmax({3, columns, tile, columns, 0, false, false, 0});
        expect_softmax({5, columns, tile, columns, 0, true, false, 0});
        expect_softmax({5, columns, tile, columns, 0, true, true, 0.25f});
        expect_softmax({4, columns, tile, -1, 1, false, false, 0});
        expect_softmax({9, columns, tile, columns / 2, 1, true, false, 0.5f});
        expect_softmax({2, columns, tile, columns - 3, 0, false, false, -0.125f});
      }
    }
  });
}

TEST(Softmax, KeepsARowThatHasSeenNothingOnEveryTarget) {
  engine::on_every_target([] {
    std::vector<float> scores(32, 1.0f);
    const std::vector<float> mask(32, none);
    float maximum = none, sum = 0, factor = 7;
    softmax_step({scores.data(), 32, 1, 19, 19, 0, mask.data(), 32, 1, 0, 0}, &maximum, &sum, &factor);
    EXPECT_EQ(maximum, none);
    EXPECT_EQ(sum, 0);
    EXPECT_EQ(factor, 0);
    EXPECT_TRUE(std::all_of(scores.begin(), scores.begin() + 19, [](float x) { return x == 0; }));
  });
}

TEST(Softmax, TakesNaNAndInfinityIntoTheSumOnEveryTarget) {
  engine::on_every_target([] {
    for (const float bad : {NAN, -NAN, std::numeric_limits<float>::infinity()}) {
      for (std::size_t at = 0; at < 40; ++at) {
        for (const float others : {none, 0.5f}) {
          std::vector<float> scores(48, others);
          scores[at] = bad;
          float maximum = none, sum = 0, factor = 0;
          softmax_step({scores.data(), 48, 1, 40, 40, 0, nullptr, 0, 0, 0, 0}, &maximum, &sum, &factor);
          ASSERT_TRUE(std::isnan(sum)) << bad << " at " << at;
          std::fill(scores.begin(), scores.end(), 0.25f);
          softmax_step({scores.data(), 48, 1, 40, 40, 0, nullptr, 0, 0, 0, 0}, &maximum, &sum, &factor);
          ASSERT_TRUE(std::isnan(sum)) << "it stays";
        }
      }
    }
  });
}

TEST(Softmax, MultipliesAndDividesRowsOnEveryTarget) {
  engine::on_every_target([] {
    for (std::int64_t columns = 0; columns < 40; ++columns) {
      std::vector<float> out(static_cast<std::size_t>(3 * columns + 1), 3.0f), row(out.size(), 7.0f);
      const float factor[] = {0.5f, 1.0f, 0.25f};
      multiply_rows(factor, 3, columns, out.data());
      divide_row(out.data(), 3.0f, columns, row.data());
      for (std::size_t i = 0; i < static_cast<std::size_t>(3 * columns); ++i) {
        ASSERT_EQ(out[i], 3 * factor[i / static_cast<std::size_t>(columns)]);
      }
      for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) ASSERT_EQ(row[c], 0.5f);
      ASSERT_EQ(row[static_cast<std::size_t>(columns)], 7);
      ASSERT_EQ(out.back(), 3);
      divide_row(out.data(), 0, columns, row.data());
      for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) ASSERT_EQ(row[c], 0);
    }
  });
}

}  // namespace
}  // namespace posenc::kernels
