// SPDX-License-Identifier: Apache-2.0
// Strips against single exact values: every instruction set, type, spacing of rows, tail and kind of store.
#include "src/engine/tables/table_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "src/base/scratch.h"
#include "tests/engine/every_target.h"
#include "tests/engine/ladders.h"
#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc::engine {
namespace {

struct TableCase {
  double base;
  Rungs rungs;
  Columns columns;
};

// Interleaved, as in the paper, or with the signs turned: sin, -cos, -sin, cos.
enum class Signs : std::uint8_t { plain, turned };
TableCase paper_table(std::size_t width, double base = 10000, Signs signs = Signs::plain) {
  TableCase made{base, test::geometric(base, width / 2), {}};
  for (std::size_t k = 0; k < width / 2; ++k) {
    const unsigned turned = signs == Signs::turned ? 2 : 0, even = k % 2 == 0 ? 0 : turned;
    made.columns.push_back(made.rungs, k, even);
    made.columns.push_back(made.rungs, k, 1 + turned - even);
  }
  return made;
}

template <class T>
T single(const TableCase& of, std::int64_t p, std::size_t column) {
  const auto pair = *certain_pair<T>(of.rungs, of.columns.frequency[column], numerics::dyadic(p));
  const T sine = p < 0 ? negated(pair.sine) : pair.sine;
  switch (of.columns.quarters(column)) {
    case 0: return sine;
    case 1: return pair.cosine;
    case 2: return p == 0 ? T(0.0f) : negated(sine);
    default: return negated(pair.cosine);
  }
}

// Where rows go: elements from the start of a line to the first one, and elements between two rows.
struct Target {
  std::size_t offset;
  std::int64_t gap;
  Stores stores;
};

template <class T>
void expect_single_values(const TableCase& of, const Strip& strip, const Target& target) {
  const std::int64_t stride = static_cast<std::int64_t>(strip.columns) + target.gap;
  const std::size_t size = static_cast<std::size_t>(strip.rows * stride) + target.offset + 64;
  const Scratch<T> out(size);
  std::fill(out.data(), out.data() + size, T(9.0f));
  ASSERT_TRUE(write_strip(of.rungs, of.columns, strip, out.data() + target.offset, stride, target.stores));
  std::size_t untouched = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(target.offset);
    const std::int64_t row = at / stride, column = at % stride;
    if (at < 0 || row >= strip.rows || column >= static_cast<std::int64_t>(strip.columns)) {
      untouched += out.data()[i] == T(9.0f);
      continue;
    }
    const std::int64_t p = strip.start + row * strip.step;
    const T expected = single<T>(of, p, strip.first + static_cast<std::size_t>(column));
    ASSERT_EQ(std::memcmp(&out.data()[i], &expected, sizeof(T)), 0) << "position " << p << " column " << column;
  }
  EXPECT_EQ(untouched, size - static_cast<std::size_t>(strip.rows) * strip.columns) << "nothing else is written";
}

template <class T>
void expect_single_values_of_many() {
  const TableCase cases[] = {paper_table(214), paper_table(214, 10000, Signs::turned)};
  std::mt19937_64 random(5);
  const std::int64_t starts[] = {0, 1, -40, -1000000, 4294967290, INT64_MIN, std::int64_t{1} << 62};
  const std::int64_t steps[] = {1, -1, 3, 1000003, 0, -4294967301};
  const std::int64_t rows[] = {17, 18, 24, 33, 34, 35, 170, 171, 187, 289, 290, 300, 600};
  const auto line = static_cast<std::int64_t>(64 / sizeof(T));
  for (int i = 0; i < 80; ++i) {
    const TableCase& of = cases[i % 5 == 4];
    const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
    Strip strip{pick(starts), pick(steps), 0, pick(rows), random() % 80, 1 + random() % tile_columns<T>, {}};
    if (!strip_pays(strip.start, strip.step, std::max<std::int64_t>(24, strip.rows))) continue;
    std::vector<PanelSteps> own;
    if (i % 3 == 0) strip.steps = own = panel_steps(of.columns, strip.first, strip.columns, strip.step);
    if (i % 2 == 0) {
      expect_single_values<T>(of, strip, {random() % 64, 5, i % 4 ? Stores::cached : Stores::streamed});
      continue;
    }
    // Whole lines, which may be streamed.
    strip.columns = (strip.columns + 31) / 32 * 32;
    if (i % 3 == 0) strip.steps = own = panel_steps(of.columns, strip.first, strip.columns, strip.step);
    expect_single_values<T>(of, strip, {0, line * static_cast<std::int64_t>(random() % 3), Stores::streamed});
  }
}

TEST(Strips, OfF32AreTheSingleValuesOnEveryTarget) { on_every_target(expect_single_values_of_many<float>); }
TEST(Strips, OfF16AreTheSingleValuesOnEveryTarget) { on_every_target(expect_single_values_of_many<half>); }
TEST(Strips, OfBf16AreTheSingleValuesOnEveryTarget) { on_every_target(expect_single_values_of_many<bfloat16>); }

// ---- exact zeros ----------------------------------------------------------------------------------

TableCase in_half_turns(const std::vector<double>& w) {
  TableCase made{0, test::listed(w, numerics::pi_to_the(1)), {}};
  for (std::size_t k = 0; k < w.size(); ++k) {
    for (unsigned quarters = 0; quarters < 4; ++quarters) made.columns.push_back(made.rungs, k, quarters);
  }
  return made;
}

// The zeros of sin(pi w p + quarters pi / 2), by whole numbers alone: w = n / 64, p = m 2^exponent.
template <class T>
void expect_zeros(const TableCase& of, const std::vector<double>& w, const Strip& strip) {
  const std::size_t width = of.columns.size();
  const std::int64_t half_turn = std::int64_t{64} << -strip.exponent;
  const Columns columns = strip.exponent == 0 ? of.columns : scaled(of.columns, of.rungs, strip.exponent);
  const Scratch<T> out(static_cast<std::size_t>(strip.rows) * width);
  ASSERT_TRUE(write_strip(of.rungs, columns, strip, out.data(), static_cast<std::int64_t>(width), Stores::cached));
  for (std::int64_t row = 0; row < strip.rows; ++row) {
    const std::int64_t m = strip.start + row * strip.step;
    for (std::size_t c = 0; c < width; ++c) {
      const double n = w[c / 4] * 64;
      const std::int64_t turned = static_cast<std::int64_t>(n) * m % half_turn;
      const bool sine = c % 2 == 0, zero = sine ? turned == 0 : std::abs(turned) == half_turn / 2;
      const float entry = static_cast<float>(out.data()[static_cast<std::size_t>(row) * width + c]);
      ASSERT_EQ(entry == 0, zero) << "position " << m << " column " << c;
      const bool below = sine && (n < 0) != (m < 0), turns_sign = c % 4 >= 2;
      const bool minus = (!sine || m != 0) && below != turns_sign;
      if (zero) {
        ASSERT_EQ(std::signbit(entry), minus) << "position " << m << " column " << c;
      }
    }
  }
}

template <class T>
void expect_zeros_of_half_turns() {
  const std::vector<double> w = {1, 2, 0, 0.5, 3, -1, -0.5, 0.25, 1.5, 0.75, -1.25, 1.0 / 64, 5.0 / 64, 1024, 7, 0.125};
  const TableCase of = in_half_turns(w);
  static_assert(tile_columns<T> >= 64);
  for (const std::int64_t step : {1, -1, 3, -4, 16, 0, 1 << 20}) {
    for (const std::int64_t start : {-20, 0, 7, 1 << 24, -4096}) {
      for (const int exponent : {0, -3}) {
        expect_zeros<T>(of, w, {start, step, exponent, 43, 0, of.columns.size(), {}});
      }
    }
  }
}

TEST(Strips, OfF32HaveZerosOfTheStatedSign) { on_every_target(expect_zeros_of_half_turns<float>); }
TEST(Strips, OfF16HaveZerosOfTheStatedSign) { on_every_target(expect_zeros_of_half_turns<half>); }
TEST(Strips, OfBf16HaveZerosOfTheStatedSign) { on_every_target(expect_zeros_of_half_turns<bfloat16>); }

template <class T>
void expect_single_values_in_half_turns() {
  std::mt19937_64 random(6);
  std::vector<double> w;
  for (int k = 0; k < 40; ++k)
    w.push_back(std::ldexp(1 + static_cast<double>(random() % 9), -static_cast<int>(k % 20)));
  w[3] = 0.1;
  const TableCase of = in_half_turns(w);
  for (int i = 0; i < 24; ++i) {
    const std::int64_t starts[] = {0, -40, -1000000, INT64_MIN, std::int64_t{1} << 62, INT64_MAX - 200000};
    const std::int64_t steps[] = {1, -1, 6, 512, 0, std::int64_t{1} << 40};
    const std::int64_t rows[] = {17, 18, 33, 35, 170, 300};
    const Strip strip{starts[random() % 6],
                      steps[i % 6],
                      0,
                      rows[random() % 6],
                      random() % 80,
                      1 + random() % std::min<std::size_t>(tile_columns<T>, 80),
                      {}};
    if (!strip_pays(strip.start, strip.step, std::max<std::int64_t>(24, strip.rows))) continue;
    const auto line = static_cast<std::int64_t>(64 / sizeof(T));
    Strip lines = strip;
    lines.columns = 64;
    expect_single_values<T>(of, lines, {0, line, Stores::streamed});
    expect_single_values<T>(of, strip, {random() % 64, 5, Stores::cached});
  }
}

TEST(Strips, OfF32InHalfTurnsAreTheSingleValues) { on_every_target(expect_single_values_in_half_turns<float>); }
TEST(Strips, OfF16InHalfTurnsAreTheSingleValues) { on_every_target(expect_single_values_in_half_turns<half>); }
TEST(Strips, OfBf16InHalfTurnsAreTheSingleValues) { on_every_target(expect_single_values_in_half_turns<bfloat16>); }

// ---- factors --------------------------------------------------------------------------------------

// c sin(p w + quarters pi / 2) by MPFR.
double scaled_wave(double c, double w, bool in_half_turns, std::int64_t p, unsigned quarters, oracle::Format format) {
  oracle::Number x(300), pi(300);
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_set_d(x.get(), w, MPFR_RNDN);
  mpfr_mul_si(x.get(), x.get(), p, MPFR_RNDN);
  if (in_half_turns) mpfr_mul(x.get(), x.get(), pi.get(), MPFR_RNDN);
  (quarters % 2 == 0 ? mpfr_sin : mpfr_cos)(x.get(), x.get(), MPFR_RNDN);
  mpfr_mul_d(x.get(), x.get(), quarters >= 2 ? -c : c, MPFR_RNDN);
  return oracle::rounded(x, format);
}

template <class T>
void expect_scaled_once() {
  const std::vector<double> radians = {1, 0.5, 0.1, 0.003, 1e-5, -0.7, 2.5, 0.25};
  for (const double c : {1.2079441541679836, -0.7, 0.0441941738241592, 4.0, 0x1p-8, 2.0, -1.0}) {
    TableCase of{0, *rungs_of({plan::Values{radians, 1}}, c), {}};
    for (std::size_t k = 0; k < radians.size(); ++k) {
      for (unsigned quarters = 0; quarters < 4; ++quarters) of.columns.push_back(of.rungs, k, quarters);
    }
    const std::size_t width = of.columns.size();
    for (const std::int64_t start : {-20, 0, 123456}) {
      const Strip strip = {start, 3, 0, 190, 0, width, {}};
      const Scratch<T> out(190 * width);
      ASSERT_TRUE(
          write_strip(of.rungs, of.columns, strip, out.data(), static_cast<std::int64_t>(width), Stores::cached));
      for (std::int64_t i = 0; i < 190; ++i) {
        for (std::size_t column = 0; column < width; ++column) {
          const std::int64_t p = start + 3 * i;
          const double expected =
              scaled_wave(c, radians[column / 4], false, p, static_cast<unsigned>(column % 4), numerics::format<T>);
          ASSERT_EQ(numerics::widened(out.data()[static_cast<std::size_t>(i) * width + column]), expected)
              << c << " position " << p << " column " << column;
        }
      }
    }
  }
}

TEST(Strips, OfF32TimesAFactorAreRoundedOnce) { on_every_target(expect_scaled_once<float>); }
TEST(Strips, OfF16TimesAFactorAreRoundedOnce) { on_every_target(expect_scaled_once<half>); }
TEST(Strips, OfBf16TimesAFactorAreRoundedOnce) { on_every_target(expect_scaled_once<bfloat16>); }

// Zeros and their signs, ones and halves: c 1/2 is a tie of every type for some of these factors.
template <class T>
void expect_known_values_scaled() {
  const std::vector<double> w = {1, 0.5, -0.5, 1.0 / 3, 0.25, 3};
  const double tie = 1 + std::ldexp(1, -numerics::format<T>.precision);
  for (const double c : {1.5, -1.5, tie, -2 * tie, 0.0625}) {
    TableCase of{0, *rungs_of({plan::Values{w, numerics::pi_to_the(1)}}, c), {}};
    for (std::size_t k = 0; k < w.size(); ++k) {
      for (unsigned quarters = 0; quarters < 4; ++quarters) of.columns.push_back(of.rungs, k, quarters);
    }
    const std::size_t width = of.columns.size();
    for (const std::int64_t start : {-30, 0, 5}) {
      const Strip strip = {start, 1, 0, 60, 0, width, {}};
      const Scratch<T> out(60 * width);
      ASSERT_TRUE(
          write_strip(of.rungs, of.columns, strip, out.data(), static_cast<std::int64_t>(width), Stores::cached));
      for (std::int64_t i = 0; i < 60; ++i) {
        for (std::size_t column = 0; column < width; ++column) {
          const std::int64_t p = start + i;
          const auto quarters = static_cast<unsigned>(column % 4);
          const auto got = static_cast<float>(out.data()[static_cast<std::size_t>(i) * width + column]);
          const double halves = 2 * w[column / 4] * static_cast<double>(p) + quarters;  // quarter turns
          const bool zero = (w[column / 4] != 1.0 / 3 || p == 0) && std::fmod(halves, 2) == 0;
          if (!zero) {
            ASSERT_EQ(static_cast<double>(got), scaled_wave(c, w[column / 4], true, p, quarters, numerics::format<T>))
                << c << " position " << p << " column " << column;
            continue;
          }
          ASSERT_EQ(got, 0) << c << " position " << p << " column " << column;
          const bool sine = quarters % 2 == 0, below = sine && (w[column / 4] < 0) != (p < 0);
          const bool minus = !(sine && p == 0) && ((below != (quarters >= 2)) != (c < 0));
          ASSERT_EQ(std::signbit(got), minus) << c << " position " << p << " column " << column;
        }
      }
    }
  }
}

TEST(Strips, OfF32TimesAFactorAreRightWhereValuesAreKnown) { on_every_target(expect_known_values_scaled<float>); }
TEST(Strips, OfF16TimesAFactorAreRightWhereValuesAreKnown) { on_every_target(expect_known_values_scaled<half>); }
TEST(Strips, OfBf16TimesAFactorAreRightWhereValuesAreKnown) { on_every_target(expect_known_values_scaled<bfloat16>); }

TEST(Strips, PayOnlyWhereEveryCentreIsAnInt64) {
  EXPECT_TRUE(strip_pays(0, 1, 24));
  EXPECT_FALSE(strip_pays(0, 1, 23));
  EXPECT_TRUE(strip_pays(INT64_MIN, 1, 1000));
  EXPECT_FALSE(strip_pays(INT64_MIN, -1, 1000));
  EXPECT_TRUE(strip_pays(INT64_MAX, -1, 1000));
  EXPECT_FALSE(strip_pays(INT64_MAX - 1144, 1, 1000));
  EXPECT_TRUE(strip_pays(INT64_MAX - 1145, 1, 1000));
  EXPECT_TRUE(strip_pays(0, std::int64_t{1} << 54, 100));
  EXPECT_FALSE(strip_pays(0, std::int64_t{1} << 56, 100));
  EXPECT_FALSE(strip_pays(-1, INT64_MIN, 24));
}

}  // namespace
}  // namespace posenc::engine
