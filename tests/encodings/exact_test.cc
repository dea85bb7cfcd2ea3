// SPDX-License-Identifier: Apache-2.0
// Proof against MPFR: every entry of a table is the real number rounded once.
#include <gtest/gtest.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "src/base/scratch.h"
#include "tests/encodings/judged.h"

namespace posenc {
namespace {

using test::Count;

Sinusoid halves(double base, Spacing spacing) {
  return {Geometric{base, 1, spacing}, Layout::sine_first, OddWidth::refused};
}

constexpr std::int64_t block = 1024;  // positions: several far centres, and a last block inside the one before

// One ladder: all columns of every position below 2^(2 half_bits), or of each `apart`-th block of them, in each of the
// types.
class ProvenLadder {
 public:
  ProvenLadder(std::int64_t dim, Spacing spacing, int half_bits, std::int64_t apart)
      : dim_(dim),
        blocks_((std::int64_t{1} << 2 * half_bits) / block),
        apart_(apart),
        rows_(halves(10000, spacing), dim) {
    const auto n = static_cast<unsigned long>(dim / 2);
    for (unsigned long k = 0; k < n; ++k) {
      oracle::Number w(240);
      if (spacing == Spacing::over_width) {
        oracle::set_frequency(w, 10000, 2 * k, static_cast<unsigned long>(dim));
      } else {
        oracle::set_frequency(w, 10000, k, n - 1);
      }
      waves_.emplace_back(w, half_bits);
    }
  }

  // Columns of T, of every second of the blocks; position 0 is exact and stands for itself.
  template <class T>
  Count check(std::int64_t first) const {
    const auto n = static_cast<std::size_t>(dim_ / 2);
    const Scratch<T> table(static_cast<std::size_t>(block * dim_));
    Count count;
    for (std::int64_t at = first * apart_; at < blocks_; at += 2 * apart_) {
      const std::int64_t start = at * block;
      const Reading reading = at % 2 == 0 ? Reading::soon : Reading::later;
      rows_.write(Positions::range(start, block), view(table.data(), {block, dim_}), serial, reading);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::int64_t p = std::max<std::int64_t>(start, 1); p < start + block; ++p) {
          const T* row = table.data() + (p - start) * dim_;
          count.add(waves_[k].sine(static_cast<std::uint64_t>(p)), row[k]);
          count.add(waves_[k].cosine(static_cast<std::uint64_t>(p)), row[n + k]);
        }
      }
    }
    return count;
  }

  template <class T>
  void expect_exact() const {
    Count even, odd;
    std::thread other([&] { odd = check<T>(1); });
    even = check<T>(0);
    other.join();
    const Count count = even += odd;
    EXPECT_EQ(count.checked, (((blocks_ + apart_ - 1) / apart_) * block - 1) * dim_);
    EXPECT_EQ(count.wrong, 0);
    EXPECT_EQ(count.undecided, 0);
    testing::Test::RecordProperty("checked", std::to_string(count.checked));
    std::printf("%lld outputs checked, %lld misrounded\n", static_cast<long long>(count.checked),
                static_cast<long long>(count.wrong));
  }

 private:
  std::int64_t dim_, blocks_, apart_;
  Rows rows_;
  std::vector<oracle::Waves> waves_;
};

using WidthAndSpacing = std::tuple<std::int64_t, Spacing>;

std::string case_name(const testing::TestParamInfo<WidthAndSpacing>& test) {
  return "d" + std::to_string(std::get<0>(test.param)) + "_" + std::string(to_string(std::get<1>(test.param)));
}
const auto both_spacings = testing::Values(Spacing::over_width, Spacing::over_gaps);

void expect_exact_below_65536(const WidthAndSpacing& of, std::int64_t apart) {
  const ProvenLadder ladder(std::get<0>(of), std::get<1>(of), 8, apart);
  ladder.expect_exact<float>();
  ladder.expect_exact<bfloat16>();
  ladder.expect_exact<half>();
}

class Positions65536 : public testing::TestWithParam<WidthAndSpacing> {};
TEST_P(Positions65536, OfEveryNinthBlockAreRoundedOnce) { expect_exact_below_65536(GetParam(), 9); }
INSTANTIATE_TEST_SUITE_P(, Positions65536, testing::Combine(testing::Values(64, 512), both_spacings), case_name);

class Exhaustive65536 : public testing::TestWithParam<WidthAndSpacing> {};
TEST_P(Exhaustive65536, EveryPositionIsRoundedOnce) { expect_exact_below_65536(GetParam(), 1); }
INSTANTIATE_TEST_SUITE_P(, Exhaustive65536, testing::Combine(testing::Values(64, 512), both_spacings), case_name);

class Exhaustive : public testing::TestWithParam<WidthAndSpacing> {};

TEST_P(Exhaustive, EveryPositionBelow1048576IsRoundedOnce) {
  const auto [dim, spacing] = GetParam();
  const ProvenLadder ladder(dim, spacing, 10, 1);
  ladder.expect_exact<float>();
  if (dim != 512) return;
  ladder.expect_exact<bfloat16>();
  ladder.expect_exact<half>();
}

INSTANTIATE_TEST_SUITE_P(, Exhaustive, testing::Combine(testing::Values(64, 128, 256, 512, 1024), both_spacings),
                         case_name);

TEST(Oracle, FindsAMisroundedEntry) {  // the check can fail: the neighbour of a right entry is wrong
  oracle::Number w(240);
  oracle::set_frequency(w, 10000, 2, 8);
  const oracle::Sum y = oracle::Waves(w, 4).sine(77);
  Count count;
  const float right = static_cast<float>(y.high);
  count.add(y, right);
  EXPECT_EQ(count.wrong, 0);
  count.add(y, std::nextafter(right, 2.0f));
  count.add(y, std::nextafter(right, -2.0f));
  EXPECT_EQ(count.wrong, 2);
}

// ---- random positions, widths, columns and bases --------------------------------------------------

struct PositionDraws {
  std::mt19937_64 bits;

  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  // All of int64, every magnitude equally likely in one half of the draws.
  std::int64_t integer() { return static_cast<std::int64_t>(bits()) >> (below(2) == 0 ? 0 : below(63)); }
  // Every exponent of a double up to 2^53 equally likely, subnormals included.
  double real() {
    double value = std::ldexp(1 + static_cast<double>(bits() >> 12) * 0x1p-52, static_cast<int>(below(1127)) - 1074);
    if (value > 0x1p53) value = 0x1p53;
    return below(2) == 0 ? value : -value;
  }
  double base() { return below(2) == 0 ? 10000 : std::exp2(1 + static_cast<double>(below(1 << 20)) * 0x1p-16); }
};

// How 13 integers come: each by itself, or 30 equally spaced ones, enough for a strip, of which every second is looked
// at.
enum class IntegerSpacing { apart, spaced };

// `ladders` ladders, 20 columns each, 25 positions a column: compares bits with MPFR's, rounded once. Where w is
// rational, as 10000^(-1/2) = 1/100 is, p w may lie half-way between two subnormals 2^-1074 apart, and only x^3 / 6
// tells sin x from x: `precision` covers twice the exponents of the format.
template <class T>
void expect_random_exact(int ladders, oracle::Format format, mpfr_prec_t precision, IntegerSpacing integers_are,
                         std::uint64_t seed) {
  PositionDraws draw{std::mt19937_64(seed)};
  std::int64_t checked = 0, wrong = 0;
  for (int i = 0; i < ladders; ++i) {
    const std::int64_t dim = 2 * static_cast<std::int64_t>(1 + draw.below(512));
    const double base = draw.base();
    const Rows rows(halves(base, Spacing::over_width), dim);
    std::int64_t integers[13];
    double reals[12];
    const std::int64_t start = draw.integer() / 2, step = draw.integer() / 512;
    for (int j = 0; j < 13; ++j)
      integers[j] = integers_are == IntegerSpacing::apart ? draw.integer() : start + 2 * j * step;
    for (double& p : reals) p = draw.real();
    std::vector<T> table(static_cast<std::size_t>(25 * dim));
    if (integers_are == IntegerSpacing::apart) {
      rows.write(Positions::list(view(integers, {13})), view(table.data(), {13, dim}));
    } else {
      std::vector<T> spaced(static_cast<std::size_t>(30 * dim));
      rows.write(Positions::range(start, 30, step), view(spaced.data(), {30, dim}));
      for (std::int64_t j = 0; j < 13; ++j) std::copy_n(spaced.data() + 2 * j * dim, dim, table.data() + j * dim);
    }
    rows.write(Positions::list(view(reals, {12})), view(table.data() + 13 * dim, {12, dim}));

    oracle::Number w(precision), x(precision + 64);
    for (int column = 0; column < 20; ++column) {
      const std::uint64_t k = draw.below(static_cast<std::uint64_t>(dim / 2));
      oracle::set_frequency(w, base, 2 * k, static_cast<unsigned long>(dim));
      for (std::size_t j = 0; j < 25; ++j) {
        if (j < 13) {
          mpfr_mul_si(x.get(), w.get(), integers[j], MPFR_RNDN);
        } else {
          mpfr_mul_d(x.get(), w.get(), reals[j - 13], MPFR_RNDN);
        }
        const auto wave = draw.below(2) == 0 ? oracle::Wave::sine : oracle::Wave::cosine;
        const std::size_t at = k + (wave == oracle::Wave::sine ? 0 : static_cast<std::size_t>(dim / 2));
        const auto expected = static_cast<T>(oracle::rounded_wave(wave, x, format));
        const T got = table[j * static_cast<std::size_t>(dim) + at];
        ++checked;
        const bool zero_position = j < 13 && integers[j] == 0;
        if (std::memcmp(&got, &expected, sizeof got) != 0 && !(zero_position && got == expected)) ++wrong;
      }
    }
  }
  EXPECT_EQ(checked, std::int64_t{500} * ladders);
  EXPECT_EQ(wrong, 0);
  std::printf("%lld random outputs checked, %lld misrounded\n", static_cast<long long>(checked),
              static_cast<long long>(wrong));
}

TEST(RandomPositions, AHundredThousandF32EntriesAreRoundedOnce) {
  expect_random_exact<float>(100, oracle::f32, 800, IntegerSpacing::apart, 20170612);
  expect_random_exact<float>(100, oracle::f32, 800, IntegerSpacing::spaced, 20170613);
}
TEST(RandomPositions, TenThousandF64EntriesAreRoundedOnce) {
  expect_random_exact<double>(20, oracle::f64, 2600, IntegerSpacing::apart, 20170612);
}
TEST(ExhaustiveRandom, TenMillionRandomF32EntriesAreRoundedOnce) {
  std::thread other([] { expect_random_exact<float>(10000, oracle::f32, 800, IntegerSpacing::apart, 1); });
  expect_random_exact<float>(10000, oracle::f32, 800, IntegerSpacing::spaced, 2);
  other.join();
}
TEST(ExhaustiveRandom, AHundredThousandRandomF64EntriesAreRoundedOnce) {
  expect_random_exact<double>(200, oracle::f64, 2600, IntegerSpacing::apart, 20170612);
}

TEST(RandomPositions, AHalfWaySubnormalIsDecidedByTheCubeOfTheAngle) {
  // Column 163 of width 652 has w = 1/100 exactly; 5889150 * 2^-1074 / 100 is 58891.5 units, and the sine is just
  // below.
  const Rows rows(halves(10000, Spacing::over_width), 652);
  std::vector<double> row(652);
  rows.write(Positions::at(5889150 * 0x1p-1074), view(row.data(), {1, 652}));
  EXPECT_EQ(row[163], 58891 * 0x1p-1074);
  rows.write(Positions::at(-5889150 * 0x1p-1074), view(row.data(), {1, 652}));
  EXPECT_EQ(row[163], -58891 * 0x1p-1074);
}

}  // namespace
}  // namespace posenc
