// SPDX-License-Identifier: Apache-2.0
// Rounding of leading bits to the four formats, against MPFR, the conversions of half and bfloat16, and what is in
// doubt.
#include "src/numerics/rounding_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/oracle/sines.h"

namespace posenc::numerics {
namespace {

double decoded(float value) { return static_cast<double>(value); }
double decoded(double value) { return value; }
double decoded(bfloat16 value) { return static_cast<double>(std::bit_cast<float>(std::uint32_t{value.bits} << 16)); }
double decoded(half value) {
  const int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
  return (value.bits & 0x8000) != 0 ? -size : size;
}

// +- (significand + more / 4 + above - below) 2^(exponent - 128), rounded by MPFR.
double rounded_by_mpfr(bool negative, const Leading& x, const uint128& above, const uint128& below,
                       oracle::Format format) {
  oracle::Number y(200), part(200);
  const auto set = [](oracle::Number& to, const uint128& value) {
    mpfr_set_ui(to.get(), static_cast<std::uint64_t>(value >> 64), MPFR_RNDN);
    mpfr_mul_2ui(to.get(), to.get(), 64, MPFR_RNDN);
    mpfr_add_ui(to.get(), to.get(), static_cast<std::uint64_t>(value), MPFR_RNDN);
  };
  set(y, x.significand);
  if (x.more) mpfr_add_d(y.get(), y.get(), 0.25, MPFR_RNDN);
  set(part, above);
  mpfr_add(y.get(), y.get(), part.get(), MPFR_RNDN);
  set(part, below);
  mpfr_sub(y.get(), y.get(), part.get(), MPFR_RNDN);
  mpfr_mul_2si(y.get(), y.get(), static_cast<long>(x.exponent - 128), MPFR_RNDN);
  if (negative) mpfr_neg(y.get(), y.get(), MPFR_RNDN);
  return oracle::rounded(y, format);
}

// Exponents over and beyond the whole range, significands near ties.
template <class T>
void expect_as_mpfr(oracle::Format format) {
  std::mt19937_64 random(2);
  const int range = 2 * (2 - format.minimum) + 200;
  for (int i = 0; i < 100000; ++i) {
    const int keep = 1 + static_cast<int>(random() % 60);
    const uint128 wide = uint128{random()} << 64 | random();
    Leading x = {uint128{1} << 127 | (wide >> (128 - keep) << (128 - keep)),
                 static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range)) - range / 2,
                 random() % 2 == 0};
    if (random() % 4 == 0) x.significand |= 1;
    const bool negative = random() % 2 == 0;

    const double expected = rounded_by_mpfr(negative, x, 0, 0, format), got = decoded(round<T>(negative, x));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected)) << got << " for " << expected;
  }
}

TEST(Rounding, F64IsMpfrs) { expect_as_mpfr<double>(oracle::f64); }
TEST(Rounding, F32IsMpfrs) { expect_as_mpfr<float>(oracle::f32); }
TEST(Rounding, Bf16IsMpfrs) { expect_as_mpfr<bfloat16>(oracle::bf16); }
TEST(Rounding, F16IsMpfrs) { expect_as_mpfr<half>(oracle::f16); }

TEST(Rounding, EveryHalfSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const half h = half::from_bits(static_cast<std::uint16_t>(bits));
    const float f = static_cast<float>(h);
    if (std::isnan(decoded(h))) {
      EXPECT_TRUE(std::isnan(f));
      EXPECT_TRUE(std::isnan(static_cast<float>(half(f))));
    } else {
      ASSERT_EQ(static_cast<double>(f), decoded(h));
      ASSERT_EQ(half(f), h);
    }
  }
}

TEST(Rounding, EveryBfloat16SurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bfloat16 b = bfloat16::from_bits(static_cast<std::uint16_t>(bits));
    const float f = static_cast<float>(b);
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(f))));
    } else {
      ASSERT_EQ(bfloat16(f), b);
    }
  }
}

// The conversions from float against the rounding of the real number, over all exponents and near ties.
template <class T>
void expect_conversion_rounds_once() {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000000; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 2 == 0) bits = (bits & 0xFFFF0000u) | (bits & 3u ? 0x8000u : 0x1000u) | (bits >> 14 & 1u);
    const float f = std::bit_cast<float>(bits);
    if (!std::isfinite(f) || f == 0) continue;
    ASSERT_EQ(T(f), round<T>(dyadic(static_cast<double>(f)))) << f;
  }
}

TEST(Rounding, HalfFromFloatRoundsOnce) { expect_conversion_rounds_once<half>(); }
TEST(Rounding, Bfloat16FromFloatRoundsOnce) { expect_conversion_rounds_once<bfloat16>(); }

// Around ties and powers of two, of all sizes, with errors of every size.
template <class T>
void expect_settled_where_ends_agree(oracle::Format format) {
  std::mt19937_64 random(3);
  const uint128 half_unit = uint128{1} << (127 - Format<T>::precision);
  int settled = 0;
  for (int i = 0; i < 100000; ++i) {
    const uint128 error = (uint128{random()} << 64 | random()) >> (8 + random() % 120);
    const uint128 off = (uint128{random()} << 64 | random()) >> (9 + random() % 119);
    const uint128 unit = 2 * half_unit,
                  whole = (uint128{1} << 127) / unit + random() % (i % 2 == 0 ? 3 : ~std::uint64_t{0});
    uint128 significand = whole * unit + (random() % 2 == 0 ? half_unit : 0) + (random() % 2 == 0 ? off : 0 - off);
    if (significand >> 127 == 0) significand = ~significand;
    const int range = 2 * (2 - format.minimum) + 200;
    const Approximation x = {random() % 2 == 0, significand,
                             static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range)) - range / 2,
                             error};
    const Leading value = {x.significand, x.exponent, false};
    const double high = rounded_by_mpfr(x.negative, value, error, 0, format),
                 low = rounded_by_mpfr(x.negative, value, 0, error, format);
    const std::optional<T> got = settle<T>(x);
    ASSERT_EQ(got.has_value(), high == low) << i;
    if (got) {
      ASSERT_EQ(decoded(*got), high) << i;
    }
    settled += got.has_value() ? 1 : 0;
  }
  EXPECT_GT(settled, 20000);
  EXPECT_LT(settled, 99000);
}

TEST(Rounding, AnApproximationIsSettledWhereMpfrRoundsBothEndsAlike) {
  expect_settled_where_ends_agree<double>(oracle::f64);
  expect_settled_where_ends_agree<float>(oracle::f32);
  expect_settled_where_ends_agree<bfloat16>(oracle::bf16);
  expect_settled_where_ends_agree<half>(oracle::f16);
}

TEST(Rounding, AnApproximationIsSettledOnlyWhenBothEndsAgree) {
  // 1 + 2^-24 is half-way between two floats.
  const uint128 tie = uint128{1} << 127 | uint128{1} << 103;
  EXPECT_EQ(settle<float>({false, tie + 1000, 1, 999}), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(settle<float>({false, tie + 1000, 1, 1001}), std::nullopt);
  EXPECT_EQ(settle<float>({false, tie - 1000, 1, 999}), 1.0f);
  EXPECT_EQ(settle<float>({true, tie - 1000, 1, 999}), -1.0f);
  EXPECT_EQ(settle<float>({false, ~uint128{0}, 0, 50}), 1.0f) << "the upper end passes a power of two";
  EXPECT_EQ(settle<float>({false, uint128{1} << 127, 1, 50}), 1.0f) << "the lower end passes a power of two";
  EXPECT_EQ(settle<float>({false, uint128{1} << 127, 1, uint128{1} << 120}), std::nullopt);
}

// At 2^exponent and the tie above it; `units` from the tie on a value is decided.
template <class T>
void expect_doubt_around_ties(ErrorBound bound, int exponent, std::uint64_t units) {
  const auto least = static_cast<std::uint64_t>(exponent + 1023) << 52, tie = least + tie_bits<T>;
  for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << 63}) {
    for (const std::uint64_t off : {std::uint64_t{0}, std::uint64_t{1}, units / 2, units - 1}) {
      EXPECT_TRUE(in_doubt<T>(sign | (tie + off), bound));
      EXPECT_TRUE(in_doubt<T>(sign | (tie - off), bound));
    }
    EXPECT_TRUE(in_doubt<T>(sign | (tie - units), bound));
    for (const std::uint64_t bits : {tie + units, tie - units - 1, least, least - 1}) {
      EXPECT_FALSE(in_doubt<T>(sign | bits, bound));
      const double value = std::bit_cast<double>(sign | bits);
      EXPECT_EQ(rounded_bits<T>(sign | bits), round<T>(dyadic(value))) << value;
    }
    const auto smallest = static_cast<std::uint64_t>(std::max(bound.smallest, Format<T>::minimum) + 1023) << 52;
    EXPECT_FALSE(in_doubt<T>(sign | smallest, bound));
    EXPECT_TRUE(in_doubt<T>(sign | (smallest - 1), bound));
    EXPECT_TRUE(in_doubt<T>(sign, bound)) << "0";
  }
}

TEST(Rounding, ValuesWithinTheirBoundOfATieAreInDoubt) {
  constexpr ErrorBound of_themselves = relative_error(-46, -12), at_most = {-60, -21};
  for (const int exponent : {-11, -1, 0, 5}) {
    expect_doubt_around_ties<float>(of_themselves, exponent, 128);
    expect_doubt_around_ties<half>(of_themselves, exponent, 128);
    expect_doubt_around_ties<bfloat16>(of_themselves, exponent, 128);
  }
  expect_doubt_around_ties<float>(at_most, -20, 1 << 13);
  expect_doubt_around_ties<half>(at_most, -13, 1 << 13);
  expect_doubt_around_ties<bfloat16>(at_most, -20, 1 << 13);
}

TEST(Dyadic, HoldsEveryIntegerAndDouble) {
  EXPECT_EQ(dyadic(INT64_MIN).mantissa, std::uint64_t{1} << 63);
  EXPECT_TRUE(dyadic(INT64_MIN).negative);
  EXPECT_EQ(dyadic(INT64_MAX).mantissa, static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_TRUE(dyadic(-0.0).zero());
  EXPECT_FALSE(dyadic(-0.0).negative);
  for (const double value : {1.0, -0.75, 0x1p-1074, 0x1.8p-1022, 0x1.fffffffffffffp+1023}) {
    const Dyadic d = dyadic(value);
    EXPECT_EQ(std::ldexp(static_cast<double>(d.mantissa), d.exponent) * (d.negative ? -1 : 1), value);
  }
}

}  // namespace
}  // namespace posenc::numerics
