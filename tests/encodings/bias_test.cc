// SPDX-License-Identifier: Apache-2.0
// Biases: ALiBi's slopes, MPFR at random octaves, heads and positions, every kind of list, what is refused.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <random>

#include "tests/encodings/field.h"
#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"
#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using test::alibi;
using test::Field;
using test::said;
using test::same_bits;
using test::thrown;

template <class T>
std::vector<T> bias_table(const Bias& convention, std::int64_t heads, const Positions& queries, const Positions& keys) {
  std::vector<T> out(static_cast<std::size_t>(heads * queries.count_ * keys.count_));
  bias(convention, queries, keys, view(out.data(), {heads, queries.count_, keys.count_}));
  return out;
}

// ---- slopes -------------------------------------------------------------------------------------

TEST(BiasSlopes, OfEightHeadsAreTheHalvesOfThePaper) {
  EXPECT_EQ(bias_slopes(alibi, 8),
            (std::vector<float>{0.5f, 0.25f, 0.125f, 0x1p-4f, 0x1p-5f, 0x1p-6f, 0x1p-7f, 0x1p-8f}));
}

TEST(BiasSlopes, OfThreeHeadsAreThoseOfTwoAndTheFirstBetween) {
  EXPECT_EQ(bias_slopes(alibi, 1), (std::vector<float>{0x1p-8f}));
  EXPECT_EQ(bias_slopes(alibi, 2), (std::vector<float>{0x1p-4f, 0x1p-8f}));
  EXPECT_EQ(bias_slopes(alibi, 3), (std::vector<float>{0x1p-4f, 0x1p-8f, 0x1p-2f}));
}

TEST(BiasSlopes, BeyondAPowerOfTwoAreEverySecondOfTwiceAsManyHeads) {
  for (std::int64_t heads = 1; heads <= 130; ++heads) {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    const std::vector<float> whole = bias_slopes(alibi, power), twice = bias_slopes(alibi, 2 * power);
    const std::vector<float> slopes = bias_slopes(alibi, heads);
    ASSERT_EQ(std::ssize(slopes), heads);
    for (std::int64_t h = 0; h < heads; ++h) {
      const auto at = static_cast<std::size_t>(h);
      EXPECT_EQ(slopes[at], h < power ? whole[at] : twice[static_cast<std::size_t>(2 * (h - power))]) << heads;
    }
  }
}

// The exponent e of head h as the header states it, exactly; the slope is 2^-e.
void set_exponent(oracle::Number& e, double octaves, std::int64_t h, std::int64_t heads) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  mpfr_set_d(e.get(), octaves, MPFR_RNDN);
  mpfr_mul_si(e.get(), e.get(), h < power ? h + 1 : 2 * (h - power) + 1, MPFR_RNDN);
  mpfr_div_si(e.get(), e.get(), h < power ? power : 2 * power, MPFR_RNDN);
}

// RN(-slope distance). e and the distance are exact, and the product of the rounded power, which decides no tie.
double expected(double octaves, std::int64_t h, std::int64_t heads, const oracle::Number& distance,
                oracle::Format format) {
  oracle::Number e(400), power(400), value(2600);
  set_exponent(e, octaves, h, heads);
  mpfr_neg(e.get(), e.get(), MPFR_RNDN);
  mpfr_exp2(power.get(), e.get(), MPFR_RNDN);
  mpfr_mul(value.get(), power.get(), distance.get(), MPFR_RNDN);
  mpfr_neg(value.get(), value.get(), MPFR_RNDN);
  return oracle::rounded(value, format);
}

TEST(BiasSlopes, AreRoundedOnceForEveryNumberOfHeadsUpTo130) {
  oracle::Number one(64);
  mpfr_set_si(one.get(), 1, MPFR_RNDN);
  for (const double octaves : {8.0, 1.0, 7.3, 0.001, 150.0, 1024.0}) {
    for (std::int64_t heads = 1; heads <= 130; heads += octaves == 8 ? 1 : 43) {
      const std::vector<float> slopes = bias_slopes(Bias{octaves}, heads);
      for (std::int64_t h = 0; h < heads; ++h) {
        ASSERT_EQ(slopes[static_cast<std::size_t>(h)], -expected(octaves, h, heads, one, oracle::f32))
            << octaves << " " << h << " of " << heads;
      }
    }
  }
}

// Bits of any number of heads, some of them at the ends of what is made together.
TEST(BiasSlopes, AreRoundedOnceForManyHeads) {
  oracle::Number one(64);
  mpfr_set_si(one.get(), 1, MPFR_RNDN);
  for (const double octaves : {8.0, 7.3, 149.5, 1024.0, 0x1p-60}) {
    for (const std::int64_t heads : {4097, 12289, 1 << 14}) {
      const std::vector<float> slopes = bias_slopes(Bias{octaves}, heads);
      ASSERT_EQ(std::ssize(slopes), heads);
      for (std::int64_t h = 0; h < heads; h += h % 4096 < 2 || h % 4096 > 4093 ? 1 : 97) {
        ASSERT_EQ(slopes[static_cast<std::size_t>(h)], -expected(octaves, h, heads, one, oracle::f32))
            << octaves << " " << h << " of " << heads;
      }
    }
  }
}

TEST(BiasSlopes, RoundedToBf16AreTimesTheirScale) {
  Slopes falcon = Bias{8};
  falcon.slope_rounding = SlopeRounding::bf16;
  oracle::Number one(64);
  mpfr_set_si(one.get(), 1, MPFR_RNDN);
  for (const double scale : {1.0, -0.1, 0x1p-130}) {
    falcon.scale = scale;
    const std::vector<float> slopes = bias_slopes(falcon, 5000);
    for (std::int64_t h = 0; h < 5000; h += 7) {
      const double rounded = -expected(8, h, 5000, one, oracle::bf16);
      oracle::Number product(200);
      mpfr_set_d(product.get(), rounded, MPFR_RNDN);
      mpfr_mul_d(product.get(), product.get(), scale, MPFR_RNDN);
      ASSERT_EQ(slopes[static_cast<std::size_t>(h)], oracle::rounded(product, oracle::f32)) << scale << " " << h;
    }
  }
}

// ---- tables -------------------------------------------------------------------------------------

TEST(Bias, OfOneHeadIsTheNegativeDistanceTimesTheSlope) {
  EXPECT_EQ(bias_table<float>(Bias{1}, 1, Positions::range(0, 2), Positions::range(0, 4)),
            (std::vector<float>{0, -0.5f, -1, -1.5f, -0.5f, 0, -0.5f, -1}));
}

TEST(Bias, OfDistanceZeroIsPlusZero) {
  for (const float value : bias_table<float>(alibi, 12, Positions::at(7), Positions::at(7))) {
    EXPECT_FALSE(std::signbit(value));
    EXPECT_EQ(value, 0);
  }
}

// Whole, fractional, huge and subnormal ones.
double random_position(std::mt19937_64& random) {
  const double whole = std::trunc(std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 53)));
  switch (random() % 6) {
    case 0: return std::ldexp(static_cast<double>(random() >> 11), -1074 + static_cast<int>(random() % 1000));
    case 1: return -whole;
    case 2: return whole / 64;
    case 3: return static_cast<double>(random() % 1000) + 1.0 / 3;
    default: return whole;
  }
}

// Of three queries and any keys.
template <class T>
void expect_exact_biases(oracle::Format format, double octaves, std::int64_t heads, const std::vector<double>& queries,
                         const std::vector<double>& keys) {
  oracle::Number distance(2200), other(64);
  const std::size_t n = keys.size();
  const std::vector<T> got = bias_table<T>(Bias{octaves}, heads, Positions::list(view(queries.data(), {3})),
                                           Positions::list(view(keys.data(), {static_cast<std::int64_t>(n)})));
  for (std::size_t at = 0; at < got.size(); ++at) {
    mpfr_set_d(distance.get(), queries[at / n % 3], MPFR_RNDN);
    mpfr_set_d(other.get(), keys[at % n], MPFR_RNDN);
    mpfr_sub(distance.get(), distance.get(), other.get(), MPFR_RNDN);
    mpfr_abs(distance.get(), distance.get(), MPFR_RNDN);
    ASSERT_EQ(numerics::widened(got[at]),
              expected(octaves, static_cast<std::int64_t>(at / (3 * n)), heads, distance, format))
        << "octaves " << octaves << ", entry " << at << " of " << heads << " heads";
  }
}

template <class T>
void expect_exact_biases(oracle::Format format) {
  std::mt19937_64 random(format.precision);
  for (int draw = 0; draw < 60; ++draw) {
    const double octaves = draw % 3 == 0 ? 8
                                         : std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                                                      static_cast<int>(random() % 20) - 10);
    const auto heads = static_cast<std::int64_t>(1 + random() % 40);
    std::vector<double> queries(3), keys(4);
    for (double& p : queries) p = random_position(random);
    for (double& p : keys) p = random_position(random);
    expect_exact_biases<T>(format, octaves, heads, queries, keys);
  }
}

TEST(Bias, IsRoundedOnceToF32) { expect_exact_biases<float>(oracle::f32); }
TEST(Bias, IsRoundedOnceToF64) { expect_exact_biases<double>(oracle::f64); }
TEST(Bias, IsRoundedOnceToHalfTypes) {
  expect_exact_biases<half>(oracle::f16);
  expect_exact_biases<bfloat16>(oracle::bf16);
}

template <class T>
void expect_exact_lines(oracle::Format format) {
  std::mt19937_64 random(format.precision);
  for (const double octaves : {8.0, 7.3}) {
    std::vector<double> queries(3), keys(67);
    for (double& p : queries) p = random_position(random);
    for (double& p : keys) p = random_position(random);
    keys[9] = keys[66] = queries[1];
    expect_exact_biases<T>(format, octaves, 5, queries, keys);
  }
}

TEST(Bias, IsRoundedOnceInLongLines) {
  expect_exact_lines<float>(oracle::f32);
  expect_exact_lines<double>(oracle::f64);
  expect_exact_lines<half>(oracle::f16);
  expect_exact_lines<bfloat16>(oracle::bf16);
}

// Steps of `unit` from 0 to beyond what T holds exactly, shuffled.
template <class T>
void expect_ties_to_even(oracle::Format format, double unit) {
  std::vector<double> keys(320);
  const double first = std::ldexp(unit, format.precision) - 160 * unit;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = first + static_cast<double>(i * 77 % keys.size()) * unit;
  expect_exact_biases<T>(format, 8, 8, {0, 3 * unit, -unit}, keys);
}

TEST(Bias, OfHalfWayDistancesTimesPowersOfTwoGoesToTheEvenNumber) {
  for (const double unit : {1.0, 0.5, 0x1p-20}) {
    expect_ties_to_even<float>(oracle::f32, unit);
    expect_ties_to_even<half>(oracle::f16, unit);
    expect_ties_to_even<bfloat16>(oracle::bf16, unit);
  }
  expect_ties_to_even<double>(oracle::f64, 0.5);
}

TEST(Bias, OfALineOfAnyLengthHasTheEntriesOfItsPairs) {
  std::vector<float> keys(4200);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i * i % 4099) / 8 - 100;
  const std::vector<std::int64_t> queries = {7, -3};
  for (const std::size_t count : {1, 2, 3, 15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 4200}) {
    const std::vector<double> got =
        bias_table<double>(Bias{7.3}, 1, Positions::list(view(queries.data(), {2})),
                           Positions::list(view(keys.data(), {static_cast<std::int64_t>(count)})));
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < count; j += 1 + j / 16) {
        const std::vector<double> one =
            bias_table<double>(Bias{7.3}, 1, Positions::at(queries[i]), Positions::at(keys[j]));
        ASSERT_EQ(got[i * count + j], one[0]) << i << ", " << j << " of " << count;
      }
    }
  }
}

TEST(Bias, OfListsMultipliesWhatTheConventionSays) {
  const std::vector<double> queries = {4, 0.5, -2}, keys = {1, 7, 0, 3.25};
  Slopes slopes = Bias{1};  // slope 1/2 of one head
  const auto table = [&] {
    std::vector<float> out(12);
    bias(slopes, Positions::list(view(queries.data(), {3})), Positions::list(view(keys.data(), {4})),
         view(out.data(), {1, 3, 4}));
    return out;
  };
  slopes.value = BiasValue::causal;
  EXPECT_EQ(table(),
            (std::vector<float>{-1.5f, 1.5f, -2, -0.375f, 0.25f, 3.25f, -0.25f, 1.375f, 1.5f, 4.5f, 1, 2.625f}));
  slopes.value = BiasValue::key;
  EXPECT_EQ(table(), (std::vector<float>{0.5f, 3.5f, 0, 1.625f, 0.5f, 3.5f, 0, 1.625f, 0.5f, 3.5f, 0, 1.625f}));
  slopes.value = BiasValue::key_from_last;
  EXPECT_EQ(table(), (std::vector<float>{-1.125f, 1.875f, -1.625f, 0, -1.125f, 1.875f, -1.625f, 0, -1.125f, 1.875f,
                                         -1.625f, 0}));
}

// MPT adds slope (j - (S - 1)) to key number j of S: of keys that follow one another, wherever they begin.
TEST(Bias, FromTheLastKeyCountsFromTheEndOfTheList) {
  Slopes slopes = Bias{8};
  slopes.value = BiasValue::key_from_last;
  constexpr std::int64_t heads = 4;
  const auto table = [&](const Positions& queries, const std::vector<std::int64_t>& keys) {
    std::vector<double> out(static_cast<std::size_t>(heads * queries.count_ * std::ssize(keys)));
    bias(slopes, queries, Positions::list(view(keys.data(), {std::ssize(keys)})),
         view(out.data(), {heads, queries.count_, std::ssize(keys)}));
    return out;
  };
  const auto slope = [](std::int64_t h) { return std::exp2(-2.0 * static_cast<double>(h + 1)); };
  for (const std::int64_t begin : {0, 24, -7}) {  // from the first token, of a cache that dropped some, before it
    std::vector<std::int64_t> keys(9);
    for (std::int64_t j = 0; j < 9; ++j) keys[static_cast<std::size_t>(j)] = begin + j;
    const std::vector<double> all = table(Positions::range(begin, 9), keys),
                              step = table(Positions::at(begin + 8), keys);
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t j = 0; j < 9; ++j) {
        const double wanted = slope(h) * static_cast<double>(j - 8);
        for (std::int64_t i = 0; i < 9; ++i)
          EXPECT_EQ(all[static_cast<std::size_t>((h * 9 + i) * 9 + j)], wanted) << begin;
        EXPECT_EQ(step[static_cast<std::size_t>(h * 9 + j)], wanted) << begin;  // a step of decoding
      }
    }
  }
  const std::vector<double> apart =
      table(Positions::at(std::int64_t{0}), {5, 1, -3, 0});  // whose last is not the greatest
  for (std::int64_t h = 0; h < heads; ++h) {
    const double* const row = apart.data() + h * 4;
    EXPECT_EQ((std::vector<double>{row[0], row[1], row[2], row[3]}),
              (std::vector<double>{5 * slope(h), slope(h), -3 * slope(h), 0}));
  }
}

TEST(Bias, OverPresentKeysTakesAnyNumberButZeroForOne) {
  Slopes slopes = Bias{8};
  slopes.value = BiasValue::key;
  slopes.over = KeysCounted::present;
  const auto table = [&](const ConstView& present) {
    std::vector<float> out(2 * 6);
    bias(slopes, Positions::at(std::int64_t{0}), Positions::range(1, 6), view(out.data(), {2, 1, 6}),
         {.context = {.present = present}});
    return out;
  };
  const std::int32_t small[] = {2, 0, -1, INT32_MIN, 0, 1 << 16}, narrow[] = {1, 0, 1, 1, 0, 1};
  const std::int64_t large[] = {INT64_MIN, 0, -1, std::int64_t{1} << 32, 0, 7};  // the low half of two of them is 0
  const std::vector<float> expected = {0x1p-4f, 0, 3 * 0x1p-4f, 4 * 0x1p-4f, 0, 6 * 0x1p-4f,
                                       0x1p-8f, 0, 3 * 0x1p-8f, 4 * 0x1p-8f, 0, 6 * 0x1p-8f};
  EXPECT_EQ(table(view(narrow, {6})), expected);
  EXPECT_EQ(table(view(small, {6})), expected);
  EXPECT_EQ(table(view(large, {6})), expected);
}

TEST(Bias, IsRoundedOnceBesideTheEndsOfEachTypeAndOfWhatF64Tells) {
  for (const int exponent :
       {-300, -257, -256, -255, -150, -130, -126, -30, -24, -15, -14, -13, 14, 15, 16, 17, 18, 40, 50}) {
    SCOPED_TRACE(exponent);
    const double unit = std::ldexp(1, exponent);
    const std::vector<double> queries = {0, unit, -3 * unit};
    const std::vector<double> keys = {unit, std::nextafter(unit, 0), std::nextafter(2 * unit, 0), 1.5 * unit};
    for (const double octaves : {8.0, 3.3, 0x1p-40}) {
      expect_exact_biases<float>(oracle::f32, octaves, 3, queries, keys);
      expect_exact_biases<half>(oracle::f16, octaves, 3, queries, keys);
      expect_exact_biases<bfloat16>(oracle::bf16, octaves, 3, queries, keys);
    }
  }
}

TEST(Bias, IsRoundedDownwardsFromAHalfWayDistanceHoweverFlatTheSlope) {
  // 2^24 + 1 and 2^24 + 3 lie half-way between two f32; a slope of 1 - 2^-60 or nearer to 1 decides.
  for (const double octaves : {0x1p-60, 0x1p-200, 5e-324}) {
    EXPECT_EQ(bias_table<float>(Bias{octaves}, 1, Positions::at(0), Positions::range((1 << 24) + 1, 2, 2)),
              (std::vector<float>{-0x1p24f, -(0x1p24f + 2)}));
  }
}

TEST(Bias, IsExactOverAllOfInt64) {
  const std::vector<std::int64_t> ends = {INT64_MIN, INT64_MIN + 1, 0, INT64_MAX};
  const Positions all = Positions::list(view(ends.data(), {4}));
  const std::vector<double> got = bias_table<double>(Bias{1}, 1, all, all);  // slope 1/2
  EXPECT_EQ(got, (std::vector<double>{0, -0.5, -0x1p62, -0x1p63,             //
                                      -0.5, 0, -0x1p62, -0x1p63,             //
                                      -0x1p62, -0x1p62, 0, -0x1p62,          //
                                      -0x1p63, -0x1p63, -0x1p62, 0}));
}

TEST(Bias, OfF16BeyondItsRangeIsMinusInfinity) {
  const std::vector<half> got = bias_table<half>(Bias{1}, 1, Positions::at(0), Positions::range(131007, 34));
  EXPECT_EQ(static_cast<float>(got.front()), -65504);
  EXPECT_EQ(static_cast<float>(got.back()), -INFINITY);
}

TEST(Bias, OfRangesIsThatOfListsInAnyOrder) {
  const std::vector<std::int32_t> queries = {3, 9, 8}, keys = {7, 4, 5, 0};
  const std::vector<float> by_lists =
      bias_table<float>(alibi, 12, Positions::list(view(queries.data(), {3})), Positions::list(view(keys.data(), {4})));
  const std::vector<float> all = bias_table<float>(alibi, 12, Positions::range(0, 10), Positions::range(0, 10));
  for (std::size_t at = 0; at < by_lists.size(); ++at) {
    const auto i = static_cast<std::size_t>(queries[at / 4 % 3]), j = static_cast<std::size_t>(keys[at % 4]);
    EXPECT_EQ(by_lists[at], all[at / 12 * 100 + i * 10 + j]);
  }
}

TEST(Bias, OfRangesOfAnyStepIsThatOfTheirPositionsOneByOne) {
  const Positions forms[] = {Positions::range(5, 7), Positions::range(-3, 7, 2), Positions::range(0.5, 7, 0.25),
                             Positions::range(9, 7, -2), Positions::range(0.1, 7, 0.1)};
  for (const Positions& queries : forms) {
    for (const Positions& keys : forms) {
      const std::vector<float> whole = bias_table<float>(alibi, 3, queries, keys);
      for (std::int64_t i = 0; i < 7; ++i) {
        const Positions one = queries.kind_ == Positions::Kind::reals
                                  ? Positions::at(queries.real_start_ + static_cast<double>(i) * queries.real_step_)
                                  : Positions::at(queries.start_ + i * queries.step_);
        const std::vector<float> row = bias_table<float>(alibi, 3, one, keys);
        for (std::size_t h = 0; h < 3; ++h) {
          for (std::size_t j = 0; j < 7; ++j) {
            EXPECT_EQ(whole[h * 49 + static_cast<std::size_t>(i) * 7 + j], row[h * 7 + j]);
          }
        }
      }
    }
  }
}

TEST(Bias, HasTheSameBitsInEveryMemoryExecutorAndRoundingMode) {
  const std::vector<std::int64_t> listed = {4, 0, 9, 1, 77};
  std::vector<double> many(101);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i * i % 103) / 3;
  const Positions queries = Positions::range(3, 40),
                  lists[] = {Positions::range(0, 150), Positions::list(view(listed.data(), {5})),
                             Positions::list(view(many.data(), {101}))};
  for (const Positions& keys : lists) {
    const std::vector<float> wanted = bias_table<float>(alibi, 6, queries, keys);
    for (const test::Memory memory : test::memories) {
      Field<float> field({6, 40, keys.count_}, memory);
      bias(alibi, queries, keys, field.view(), {.executor = test::two_threads});
      EXPECT_TRUE(same_bits(field.values(), wanted));
      EXPECT_TRUE(field.rest_is_untouched());
    }
    for (const int mode : test::rounding_modes) {
      std::vector<float> out(wanted.size());
      EXPECT_TRUE(test::survives(mode, [&] {
        bias(alibi, queries, keys, view(out.data(), {6, 40, keys.count_}), {.executor = test::reversed});
      }));
      EXPECT_TRUE(same_bits(out, wanted));
    }
  }
}

TEST(Bias, OfNoQueriesOrNoKeysWritesNothing) {
  EXPECT_TRUE(bias_table<float>(alibi, 4, Positions::range(0, 0), Positions::range(0, 3)).empty());
  EXPECT_TRUE(bias_table<float>(alibi, 4, Positions::range(0, 3), Positions::range(0, 0)).empty());
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(CheckBias, RefusesAnotherFamilyOrOctavesThatAreNone) {
  float out[8];
  const View two = view(out, {2, 2, 2});
  const Positions both = Positions::range(0, 2);
  EXPECT_EQ(said(check_bias(preset("whisper").convention, both, both, two)),
            "[bias] the convention must be slopes, as a bias is, got sinusoid");
  EXPECT_EQ(thrown([&] { bias(preset("rope-half").convention, both, both, two); }),
            "[bias] the convention must be slopes, as a bias is, got rotary");
  EXPECT_EQ(thrown([&] { bias_slopes(preset("whisper").convention, 8); }),
            "[bias] the convention must be slopes, as a bias is, got sinusoid");
  for (const auto& [octaves, text] : {std::pair{0.0, "0"}, {-8.0, "-8"}, {1024.5, "1024.5"}, {std::nan(""), "nan"}}) {
    EXPECT_EQ(said(check_bias(Bias{octaves}, both, both, two)),
              std::string("[convention] octaves must be > 0 and at most 1024, got ") + text);
  }
  EXPECT_EQ(said(check_bias_slopes(alibi, 0)), "[convention] the number of heads must be 1 to 2^30, got 0");
}

TEST(CheckBias, RefusesOutputsAndPositionsThatDoNotGoTogether) {
  float out[24];
  std::int32_t integers[8], batches[4] = {};
  const Positions two = Positions::range(0, 2);
  EXPECT_EQ(said(check_bias(alibi, two, two, view(out, {2, 2}))), "[bias] out must have shape [H, L, S], got [2, 2]");
  EXPECT_EQ(said(check_bias(alibi, two, two, view(integers, {2, 2, 2}))),
            "[bias] out must be f32, f64, f16 or bf16, got i32");
  EXPECT_EQ(said(check_bias(alibi, two, Positions::range(0, 3), view(out, {2, 2, 2}))),
            "[bias] out must have 2 rows, one a query, and 3 columns, one a key, for each head, got [2, 2, 2]");
  EXPECT_EQ(said(check_bias(alibi, Positions::list(view(batches, {2, 2})), two, view(out, {2, 2, 2}))),
            "[bias] positions of queries must have one axis, got [2, 2]");
  EXPECT_EQ(said(check_bias(alibi, two, Positions::at(std::nan("")), view(out, {2, 2, 1}))),
            "[bias] real positions must be finite and at most 2^53 in size, got nan");
  EXPECT_EQ(said(check_bias(alibi, two, two, view(out, {0, 2, 2}))),
            "[convention] the number of heads must be 1 to 2^30, got 0");
}

TEST(Bias, IsNoConventionOfTablesGridsOrRotations) {
  float out[16] = {};
  EXPECT_EQ(said(Rows::check(alibi, 4)), "[rows] the convention must be waves, got bias");
  EXPECT_EQ(said(check_grid(alibi, view(out, {2, 2, 4}))),
            "[grid] the convention must be waves of two axes or more, as a grid is, got bias");
  EXPECT_EQ(said(RotaryRows::check(alibi, 4)), "[rotary] the convention must be rotary, got bias");
}

}  // namespace
}  // namespace posenc
