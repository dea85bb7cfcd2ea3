// SPDX-License-Identifier: Apache-2.0
// Query scales: known values, MPFR at steps and positions of every kind, shapes, what is refused.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/query_scale.h>

#include <cmath>
#include <random>

#include "tests/encodings/field.h"
#include "tests/encodings/named.h"
#include "tests/encodings/said.h"
#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using test::Field;
using test::said;

template <class T>
std::vector<T> factors_of(const Convention& convention, const Positions& positions) {
  std::vector<T> out(static_cast<std::size_t>(positions.count_));
  query_scale(convention, positions, view(out.data(), {positions.count_}));
  return out;
}

TEST(QueryScale, OfTheFirstStepIsOneAndGrowsByALogarithm) {
  EXPECT_EQ(factors_of<double>(test::named("llama4-temperature"), Positions::at(8190))[0], 1);
  EXPECT_NEAR(factors_of<double>(test::named("llama4-temperature"), Positions::at(8191))[0], 1 + 0.1 * std::log(2.0),
              1e-15);
  EXPECT_EQ(factors_of<double>(test::named("ministral3-temperature"), Positions::at(16383))[0], 1);
  EXPECT_NEAR(factors_of<double>(test::named("ministral3-temperature"), Positions::at(16384))[0],
              1 + 0.1 * std::log(2.0), 1e-15);
}

TEST(QueryScale, OfARatioIsOneUpToItsLength) {
  const Convention& qwen = test::named("qwen-logn");
  EXPECT_EQ(factors_of<double>(qwen, Positions::at(-5))[0], 1);
  EXPECT_EQ(factors_of<double>(qwen, Positions::at(8191))[0], 1);
  EXPECT_NEAR(factors_of<double>(qwen, Positions::at(8192))[0], std::log(8193.0) / std::log(8192.0), 1e-15);
  EXPECT_EQ(factors_of<double>(qwen, Positions::at((std::int64_t{1} << 26) - 1))[0], 2);  // ln 2^26 over ln 2^13: exact
}

double expected_factor(const LogSteps& by, double p, oracle::Format format) {
  oracle::Number value(400), gain(400);
  mpfr_set_d(value.get(), p, MPFR_RNDN);
  mpfr_add_d(value.get(), value.get(), by.origin, MPFR_RNDN);
  mpfr_div_d(value.get(), value.get(), by.every, MPFR_RNDN);  // exact quotients are whole: no other is within 2^-300
  mpfr_floor(value.get(), value.get());
  mpfr_add_ui(value.get(), value.get(), 1, MPFR_RNDN);
  mpfr_log(value.get(), value.get(), MPFR_RNDN);
  mpfr_mul_d(value.get(), value.get(), by.gain, MPFR_RNDN);
  mpfr_add_ui(value.get(), value.get(), 1, MPFR_RNDN);
  return oracle::rounded(value, format);
}

double expected_factor(const LogRatio& by, double p, oracle::Format format) {
  oracle::Number value(400), over(400);
  mpfr_set_d(value.get(), p, MPFR_RNDN);
  mpfr_add_d(value.get(), value.get(), by.origin, MPFR_RNDN);
  if (mpfr_cmp_d(value.get(), by.every) <= 0) return 1;
  mpfr_log(value.get(), value.get(), MPFR_RNDN);
  mpfr_set_d(over.get(), by.every, MPFR_RNDN);
  mpfr_log(over.get(), over.get(), MPFR_RNDN);
  mpfr_div(value.get(), value.get(), over.get(), MPFR_RNDN);
  return oracle::rounded(value, format);
}

double expected_factor(const LogClamp& by, double p, oracle::Format format) {
  oracle::Number value(400);
  mpfr_set_d(value.get(), p, MPFR_RNDN);
  mpfr_add_d(value.get(), value.get(), by.origin, MPFR_RNDN);
  if (mpfr_cmp_d(value.get(), by.every) <= 0) return 1;
  mpfr_div_d(value.get(), value.get(), by.every, MPFR_RNDN);
  mpfr_log(value.get(), value.get(), MPFR_RNDN);
  mpfr_mul_d(value.get(), value.get(), by.gain, MPFR_RNDN);
  mpfr_add_ui(value.get(), value.get(), 1, MPFR_RNDN);
  return oracle::rounded(value, format);
}

template <class T, class By>
void expect_exact_factors(const By& by, oracle::Format format) {
  std::mt19937_64 random(format.precision);
  std::vector<double> positions = {
      0, 0.5, by.every - by.origin, by.every * 3 - by.origin, std::nextafter(by.every - by.origin, 0), 1e15};
  for (int i = 0; i < 100; ++i) {
    positions.push_back(std::ldexp(static_cast<double>(random() >> 12), -static_cast<int>(random() % 52)));
  }
  const std::vector<T> made = factors_of<T>(QueryScale{by}, Positions::list(view(positions.data(), {106})));
  for (std::size_t i = 0; i < made.size(); ++i) {
    ASSERT_EQ(numerics::widened(made[i]), expected_factor(by, positions[i], format)) << positions[i];
  }
}

template <class By>
void expect_exact_factors(const By& by) {
  expect_exact_factors<float>(by, oracle::f32);
  expect_exact_factors<double>(by, oracle::f64);
  expect_exact_factors<half>(by, oracle::f16);
  expect_exact_factors<bfloat16>(by, oracle::bf16);
}

TEST(QueryScale, OfStepsIsRoundedOnce) {
  for (const LogSteps& by :
       {LogSteps{0.1, 8192, 1}, LogSteps{0.1, 16384, 0}, LogSteps{-3, 0.75, 0.25}, LogSteps{1e-9, 7, 3}}) {
    expect_exact_factors(by);
  }
}

TEST(QueryScale, OfARatioIsRoundedOnce) {
  for (const LogRatio& by : {LogRatio{8192, 1}, LogRatio{2048, 1}, LogRatio{1.5, 0.5}, LogRatio{10, 0}}) {
    expect_exact_factors(by);
  }
}

TEST(QueryScale, OfAClampIsRoundedOnce) {
  for (const LogClamp& by :
       {LogClamp{0.1, 128000, 1}, LogClamp{0.1, 8192, 0}, LogClamp{-3, 0.75, 0.25}, LogClamp{1e-9, 7, 3}}) {
    expect_exact_factors(by);
  }
}

TEST(QueryScale, OfAClampIsOneUpToItsLengthAndAtAnyPositionBefore) {
  const Convention& inkling = test::named("inkling-temperature");
  EXPECT_EQ(factors_of<double>(inkling, Positions::at(-5))[0], 1);
  EXPECT_EQ(factors_of<double>(inkling, Positions::at(127'999))[0], 1);  // p + 1 = every
  EXPECT_NEAR(factors_of<double>(inkling, Positions::at(128'000))[0], 1 + 0.1 * std::log1p(1 / 128000.0), 1e-15);
  EXPECT_NEAR(factors_of<double>(inkling, Positions::at(1'279'999))[0], 1 + 0.1 * std::log(10.0), 1e-15);
}

TEST(QueryScale, IsThatOfEachPositionInRangesAndBatches) {
  const Convention& llama4 = test::named("llama4-temperature");
  const std::vector<float> range = factors_of<float>(llama4, Positions::range(8000, 20'000));
  for (std::int64_t i = 0; i < 20'000; i += 97) {
    ASSERT_EQ(range[static_cast<std::size_t>(i)], factors_of<float>(llama4, Positions::at(8000 + i))[0]);
  }
  const std::vector<std::int64_t> batch = {0, 8191, 20'000, 99'999, 5, 16'383};
  for (const test::Memory memory : test::memories) {
    Field<float> out({2, 3}, memory);
    query_scale(llama4, Positions::list(view(batch.data(), {2, 3})), out.view());
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(out.values()[i], factors_of<float>(llama4, Positions::at(batch[i]))[0]);
    }
    EXPECT_TRUE(out.rest_is_untouched());
  }
}

TEST(QueryScale, IsRefusedByWhatIsWrong) {
  float out[4] = {};
  const View four = view(out, {4});
  const Convention& llama4 = test::named("llama4-temperature");
  EXPECT_EQ(said(check_query_scale(test::named("t5-bucket"), Positions::range(0, 4), four)),
            "[query_scale] the convention must be a query scale, got buckets");
  EXPECT_EQ(said(check_query_scale(llama4, Positions::range(0, 3), four)),
            "[query_scale] out must have the shape of the positions, a number each, got [4]");
  EXPECT_EQ(said(check_query_scale(llama4, Positions::range(-4, 4), four)),
            "[query_scale] positions must be from -origin on, and below 2^62 steps, got another at [0]");
  EXPECT_EQ(said(check_query_scale(llama4, Positions::range(-1, 4), four)), "nothing");
  EXPECT_EQ(said(check_query_scale(with_field(llama4, "factor.every", 1e-10), Positions::range(0, 4, 1LL << 40), four)),
            "[query_scale] positions must be from -origin on, and below 2^62 steps, got another at [1]");
  EXPECT_EQ(test::thrown([&] { query_scale(llama4, Positions::range(0, 3), four); }),
            said(check_query_scale(llama4, Positions::range(0, 3), four)));
}

}  // namespace
}  // namespace posenc
