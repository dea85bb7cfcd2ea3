// SPDX-License-Identifier: Apache-2.0
// Log coordinates: known values, MPFR at every step of large windows, memory, what is refused.
#include <gtest/gtest.h>
#include <posenc/log_coordinates.h>
#include <posenc/preset.h>

#include <cmath>

#include "tests/encodings/field.h"
#include "tests/encodings/named.h"
#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"
#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using test::Field;
using test::said;

template <class T>
std::vector<T> coordinates_of(const Convention& convention, std::int64_t height, std::int64_t width) {
  Field<T> out({2 * height - 1, 2 * width - 1, 2}, test::Memory::dense);
  log_coordinates(convention, out.view());
  return out.values();
}

TEST(LogCoordinates, OfTheEdgeAreTheLogarithmOfGainAndOne) {
  const std::vector<double> made = coordinates_of<double>(test::named("swinv2-cpb"), 8, 8);
  EXPECT_NEAR(made.back(), std::log2(9.0) / 3, 1e-15);
  EXPECT_EQ(made.front(), -made.back());
  EXPECT_EQ(made[15], 0);  // dx = 0 in the first line
  EXPECT_FALSE(std::signbit(made[15]));
}

TEST(LogCoordinates, ThatAreRationalAreExact) {  // 7 steps of gain 8 over 7: u = 1, 3 and 7 are 1/3, 2/3 and 1
  const Convention by_cell = with_field(test::named("swinv2-cpb"), "coordinates.pretrained", "9,9");
  const std::vector<double> made = coordinates_of<double>(by_cell, 1, 8);
  EXPECT_EQ(made[2 * 8 + 1], 1.0 / 3);
  EXPECT_EQ(made[2 * 10 + 1], 2.0 / 3);
  EXPECT_EQ(made[2 * 14 + 1], 1);
  EXPECT_EQ(made[2 * 0 + 1], -1);
}

TEST(LogCoordinates, OfOneCellAreZero) {
  EXPECT_EQ(coordinates_of<float>(test::named("swinv2-cpb"), 1, 1), (std::vector<float>{0, 0}));
}

// ln(1 + i gain / (side - 1)) / ln gain, or ln(1 + i) for side 1.
double expected_coordinate(std::int64_t i, double gain, std::int64_t side, oracle::Format format) {
  oracle::Number value(400), over(400);
  mpfr_set_d(value.get(), side == 1 ? 1 : gain, MPFR_RNDN);
  mpfr_mul_si(value.get(), value.get(), i, MPFR_RNDN);
  if (side > 1) mpfr_div_si(value.get(), value.get(), side - 1, MPFR_RNDN);
  mpfr_add_ui(value.get(), value.get(), 1, MPFR_RNDN);
  mpfr_log(value.get(), value.get(), MPFR_RNDN);
  mpfr_set_d(over.get(), gain, MPFR_RNDN);
  mpfr_log(over.get(), over.get(), MPFR_RNDN);
  if (side > 1) mpfr_div(value.get(), value.get(), over.get(), MPFR_RNDN);
  return oracle::rounded(value, format);
}

template <class T>
void expect_exact_coordinates(const Convention& convention, double gain, bool plain, oracle::Format format) {
  constexpr std::int64_t height = 48, width = 31;
  const std::vector<T> made = coordinates_of<T>(convention, height, width);
  for (std::int64_t y = 1 - height; y < height; ++y) {
    for (std::int64_t x = 1 - width; x < width; ++x) {
      const auto at = static_cast<std::size_t>(2 * ((y + height - 1) * (2 * width - 1) + x + width - 1));
      const double line = expected_coordinate(std::abs(y), gain, plain ? 1 : height, format);
      const double column = expected_coordinate(std::abs(x), gain, plain ? 1 : width, format);
      ASSERT_EQ(numerics::widened(made[at]), y < 0 ? -line : line);
      ASSERT_EQ(numerics::widened(made[at + 1]), x < 0 ? -column : column);
    }
  }
}

TEST(LogCoordinates, AreRoundedOnceInEveryType) {
  for (const double gain : {8.0, 1.5, 0x1.0000001p0, 1e9}) {
    const Convention by = with_field(test::named("swinv2-cpb"), "coordinates.gain", gain);
    expect_exact_coordinates<float>(by, gain, false, oracle::f32);
    expect_exact_coordinates<double>(by, gain, false, oracle::f64);
    expect_exact_coordinates<half>(by, gain, false, oracle::f16);
    expect_exact_coordinates<bfloat16>(by, gain, false, oracle::bf16);
  }
  expect_exact_coordinates<float>(test::named("swin-cr-cpb"), 8, true, oracle::f32);
  expect_exact_coordinates<double>(test::named("swin-cr-cpb"), 8, true, oracle::f64);
}

TEST(LogCoordinates, AreWrittenIntoAnyMemory) {
  const std::vector<float> dense = coordinates_of<float>(test::named("swinv2-cpb"), 3, 4);
  for (const test::Memory memory : test::memories) {
    Field<float> out({5, 7, 2}, memory);
    log_coordinates(test::named("swinv2-cpb"), out.view());
    EXPECT_EQ(out.values(), dense);
    EXPECT_TRUE(out.rest_is_untouched());
  }
}

TEST(LogCoordinates, AreTheSameUnderAnyExecutor) {
  const std::vector<float> expected = coordinates_of<float>(test::named("swinv2-cpb"), 40, 33);
  for (const Executor& executor : {test::reversed, test::two_threads}) {
    Field<float> out({79, 65, 2}, test::Memory::dense);
    log_coordinates(test::named("swinv2-cpb"), out.view(), {.executor = executor});
    EXPECT_EQ(out.values(), expected);
  }
}

TEST(LogCoordinates, AreRefusedByWhatIsWrong) {
  float out[30] = {};
  const Convention& swin = test::named("swinv2-cpb");
  EXPECT_EQ(said(check_log_coordinates(test::named("t5-bucket"), view(out, {3, 5, 2}))),
            "[log_coordinates] the convention must be log coordinates, got buckets");
  EXPECT_EQ(said(check_log_coordinates(swin, view(out, {3, 4, 2}))),
            "[log_coordinates] out must have shape [2 H - 1, 2 W - 1, 2], got [3, 4, 2]");
  EXPECT_EQ(said(check_log_coordinates(swin, view(out, {3, 10}))),
            "[log_coordinates] out must have shape [2 H - 1, 2 W - 1, 2], got [3, 10]");
  std::int32_t whole[30] = {};
  EXPECT_EQ(said(check_log_coordinates(swin, view(whole, {3, 5, 2}))),
            "[log_coordinates] out must be f32, f64, f16 or bf16, got i32");
  EXPECT_EQ(test::thrown([&] { log_coordinates(swin, view(out, {3, 4, 2})); }),
            said(check_log_coordinates(swin, view(out, {3, 4, 2}))));
}

}  // namespace
}  // namespace posenc
