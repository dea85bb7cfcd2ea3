// SPDX-License-Identifier: Apache-2.0
// Natural numbers of any size, against GMP.
#include "src/numerics/bignum.h"

#include <gmp.h>
#include <gtest/gtest.h>

#include <random>

namespace posenc::numerics {
namespace {

// A GMP integer that frees itself.
struct Integer {
  mpz_t value;
  Integer() { mpz_init(value); }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(value); }
};

void import_limbs(Integer& to, const Bignum& from) {
  std::vector<std::uint64_t> limbs;
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.bit_length() + 63) / 64; ++i) limbs.push_back(from.limb(i));
  mpz_import(to.value, limbs.size(), -1, 8, 0, 0, limbs.data());
}

bool same(const Bignum& ours, const Integer& theirs) {
  Integer value;
  import_limbs(value, ours);
  return mpz_cmp(value.value, theirs.value) == 0;
}

// Numbers of up to 700 bits, with runs of ones and zeros so that carries and borrows travel far.
Bignum draw_bignum(std::mt19937_64& random) {
  Bignum value;
  for (std::uint64_t i = random() % 12; i > 0; --i) {
    const std::uint64_t kinds[] = {0, ~std::uint64_t{0}, random(), 1};
    value = (value << static_cast<std::int64_t>(random() % 65)) + Bignum(kinds[random() % 4]);
  }
  return value;
}

TEST(Bignum, AgreesWithGmpOnEveryOperation) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Bignum a = draw_bignum(random), b = draw_bignum(random);
    const auto small = random() >> random() % 64 | 1;
    const auto bits = static_cast<std::int64_t>(random() % 300);
    Integer x, y, z;
    import_limbs(x, a);
    import_limbs(y, b);
    mpz_add(z.value, x.value, y.value);
    ASSERT_TRUE(same(a + b, z));
    mpz_mul(z.value, x.value, y.value);
    ASSERT_TRUE(same(a * b, z));
    mpz_mul_ui(z.value, x.value, small);
    ASSERT_TRUE(same(a * small, z));
    mpz_fdiv_q_ui(z.value, x.value, small);
    ASSERT_TRUE(same(a / small, z));
    mpz_mul_2exp(z.value, x.value, static_cast<unsigned long>(bits));
    ASSERT_TRUE(same(a << bits, z));
    mpz_fdiv_q_2exp(z.value, x.value, static_cast<unsigned long>(bits));
    ASSERT_TRUE(same(a >> bits, z));
    mpz_fdiv_r_2exp(z.value, x.value, static_cast<unsigned long>(bits));
    ASSERT_TRUE(same(low_bits(a, bits), z));
    ASSERT_EQ(a < b, mpz_cmp(x.value, y.value) < 0);
    ASSERT_EQ(a == b, mpz_cmp(x.value, y.value) == 0);
    ASSERT_EQ(a.bit_length(), a.zero() ? 0 : static_cast<std::int64_t>(mpz_sizeinbase(x.value, 2)));
    if (!(a < b)) {
      mpz_sub(z.value, x.value, y.value);
      ASSERT_TRUE(same(a - b, z));
    }
    if (!b.zero()) {
      mpz_fdiv_q(z.value, x.value, y.value);
      ASSERT_TRUE(same(a / b, z));
    }
  }
}

TEST(Bignum, LeadingGivesTheTopBitsAndWhetherMoreFollow) {
  const Leading one = leading(Bignum(1), 0);
  EXPECT_TRUE(one.significand == uint128{1} << 127);
  EXPECT_EQ(one.exponent, 1);
  EXPECT_FALSE(one.more);
  const Leading more = leading((Bignum(1) << 128) + Bignum(1), -5);
  EXPECT_TRUE(more.significand == uint128{1} << 127);
  EXPECT_EQ(more.exponent, 124);
  EXPECT_TRUE(more.more);
}

}  // namespace
}  // namespace posenc::numerics
