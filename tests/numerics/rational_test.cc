// SPDX-License-Identifier: Apache-2.0
// Rational numbers of any size, against GMP and MPFR.
#include "src/numerics/rational.h"

#include <gmp.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

Bignum draw_natural(std::mt19937_64& random) {
  Bignum value(random() | 1);
  for (std::uint64_t i = random() % 4; i > 0; --i) value = (value << 64) + Bignum(random());
  return value >> static_cast<std::int64_t>(random() % 60);
}

Rational draw_rational(std::mt19937_64& random) {
  return Rational(draw_natural(random), draw_natural(random) + Bignum(1), static_cast<std::int64_t>(random() % 80) - 40,
                  random() % 2 == 0);
}

struct Quotient {
  mpq_t value;
  explicit Quotient(const Rational& x) {
    mpq_init(value);
    for (const auto& [part, to] : {std::pair{&x.numerator, mpq_numref(value)}, {&x.denominator, mpq_denref(value)}}) {
      mpz_set_ui(to, 0);
      for (std::size_t i = 12; i-- > 0;) {
        mpz_mul_2exp(to, to, 64);
        mpz_add_ui(to, to, part->limb(i));
      }
    }
    if (x.exponent >= 0) mpq_mul_2exp(value, value, static_cast<unsigned long>(x.exponent));
    if (x.exponent < 0) mpq_div_2exp(value, value, static_cast<unsigned long>(-x.exponent));
    if (x.negative) mpq_neg(value, value);
  }
  Quotient(const Quotient&) = delete;
  Quotient& operator=(const Quotient&) = delete;
  ~Quotient() { mpq_clear(value); }
};

TEST(Rational, AgreesWithGmpOnEveryOperation) {
  std::mt19937_64 random(20);
  for (int i = 0; i < 500; ++i) {
    const Rational a = draw_rational(random), b = draw_rational(random);
    if (a.zero() || b.zero()) continue;
    Quotient x(a), y(b), z(Rational(0));
    mpq_add(z.value, x.value, y.value);
    ASSERT_TRUE(mpq_equal(z.value, Quotient(a + b).value));
    mpq_sub(z.value, x.value, y.value);
    ASSERT_TRUE(mpq_equal(z.value, Quotient(a - b).value));
    mpq_mul(z.value, x.value, y.value);
    ASSERT_TRUE(mpq_equal(z.value, Quotient(a * b).value));
    mpq_div(z.value, x.value, y.value);
    ASSERT_TRUE(mpq_equal(z.value, Quotient(a / b).value));
    ASSERT_EQ(a < b, mpq_cmp(x.value, y.value) < 0);
    ASSERT_TRUE(a / b * b == a) << "one form, so that equal numbers are equal";
    ASSERT_TRUE((a - a).zero());
    mpz_t below;
    mpz_init(below);
    mpz_fdiv_q(below, mpq_numref(x.value), mpq_denref(x.value));
    if (mpz_fits_slong_p(below)) {
      ASSERT_EQ(floor(a), mpz_get_si(below));
    }
    mpz_clear(below);
  }
  EXPECT_TRUE(power(fraction(-2, 3), -3) == fraction(-27, 8));
  EXPECT_TRUE(power(fraction(6, 5), 2) == fraction(36, 25));
  EXPECT_TRUE(Rational(INT64_MIN) == Rational(-0x1p63));
  EXPECT_TRUE(Rational(~std::uint64_t{0}) + Rational(1) == Rational(0x1p64));
  EXPECT_EQ(floor(fraction(-7, 2)), -4);
  EXPECT_EQ(floor(Rational(-4)), -4);
}

TEST(Rational, PerfectPowersHaveTheirLeastRoot) {
  const auto expect = [](const Rational& x, const Rational& root, std::int64_t multiplicity) {
    const PerfectPower found = perfect_power(x);
    EXPECT_TRUE(found.root == root);
    EXPECT_EQ(found.multiplicity, multiplicity);
  };
  expect(10000, 10, 4);
  expect(500000, 500000, 1);
  expect(1000000, 10, 6);
  expect(fraction(8, 27), fraction(2, 3), 3);
  expect(fraction(1, 1024), fraction(1, 2), 10);
  expect(0x1p1023, 2, 1023);
  expect(power(3, 100), 3, 100);
  expect(power(fraction(7, 6), 59), fraction(7, 6), 59);
  expect(power(Rational(10'000'000'019), 37), 10'000'000'019, 37);
  expect(power(Rational(10'000'000'019), 37) + Rational(2), power(Rational(10'000'000'019), 37) + Rational(2), 1);
  expect(12, 12, 1);
  expect(18446744073709551615u, 18446744073709551615u, 1);
}

template <class T>
void expect_rationals_rounded_once() {
  std::mt19937_64 random(21);
  for (int i = 0; i < 300; ++i) {
    Rational x = draw_rational(random);
    x.exponent += static_cast<std::int64_t>(random() % 60) - 170;
    EXPECT_EQ(widened(rounded<T>(x)), oracle::rounded(value(x), format<T>));
  }
  // Half-way between two numbers: to the even one; and a little beside it.
  const Rational unit = Rational(Dyadic{1, 1 - format<T>.precision, false});
  const Rational tiny = Rational(Bignum(1), power(Bignum(3), 400), 0, false);
  for (std::int64_t k = 0; k < 4; ++k) {
    const Rational below = Rational(1) + unit * Rational(k), tie = below + unit * fraction(1, 2);
    const double low = 1 + static_cast<double>(k) * std::ldexp(1.0, 1 - format<T>.precision);
    const double high = low + std::ldexp(1.0, 1 - format<T>.precision);
    EXPECT_EQ(widened(rounded<T>(tie)), k % 2 == 0 ? low : high);
    EXPECT_EQ(widened(rounded<T>(-tie)), k % 2 == 0 ? -low : -high);
    EXPECT_EQ(widened(rounded<T>(tie - tiny)), low);
    EXPECT_EQ(widened(rounded<T>(tie + tiny)), high);
  }
}

TEST(Rational, F64IsRoundedOnce) { expect_rationals_rounded_once<double>(); }
TEST(Rational, F32IsRoundedOnce) { expect_rationals_rounded_once<float>(); }
TEST(Rational, F16IsRoundedOnce) { expect_rationals_rounded_once<half>(); }
TEST(Rational, Bf16IsRoundedOnce) { expect_rationals_rounded_once<bfloat16>(); }

}  // namespace
}  // namespace posenc::numerics
