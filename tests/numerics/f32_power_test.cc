// SPDX-License-Identifier: Apache-2.0
// Powers of numbers of f32 against MPFR, and what has none.
#include "src/numerics/f32_power.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>

namespace posenc::numerics {
namespace {

// RN of z^x by MPFR, to f32 in one step.
float true_power(float z, float x) {
  mpfr_t base, exponent, power;
  mpfr_init2(base, 24), mpfr_init2(exponent, 24), mpfr_init2(power, 400);
  mpfr_set_flt(base, z, MPFR_RNDN), mpfr_set_flt(exponent, x, MPFR_RNDN);
  mpfr_pow(power, base, exponent, MPFR_RNDN);
  const float rounded = mpfr_get_flt(power, MPFR_RNDN);
  mpfr_clears(base, exponent, power, nullptr);
  return rounded;
}

TEST(F32Power, IsRoundedOnce) {
  std::mt19937_64 random(20261126);
  std::uniform_real_distribution<float> near_one(0.2f, 2.0f), exponent(-50, 50);
  for (int i = 0; i < 20000; ++i) {
    const float z =
        i % 8 == 0 ? std::ldexp(near_one(random), static_cast<int>(random() % 200) - 100) : near_one(random);
    const float x = i % 5 == 0 ? std::ldexp(exponent(random), -static_cast<int>(random() % 40)) : exponent(random);
    const std::optional<float> ours = F32Power(z)(x);
    ASSERT_TRUE(ours.has_value());
    ASSERT_EQ(*ours, true_power(z, x)) << z << "^" << x;
  }
}

TEST(F32Power, IsRoundedOnceWhereItIsKnownExactlyAndBeyondTheReachOfTheNearPath) {
  for (const auto& [z, x] : std::initializer_list<std::pair<float, float>>{{1, 33},
                                                                           {0.7f, 0},
                                                                           {4, 0.5f},
                                                                           {0.25f, -1.5f},
                                                                           {2, 127},
                                                                           {2, 128},
                                                                           {2, -149},
                                                                           {2, -151},
                                                                           {1e-30f, 2},
                                                                           {3, 90}}) {
    EXPECT_EQ(F32Power(z)(x), true_power(z, x)) << z << "^" << x;
  }
}

TEST(F32Power, IsNaNWhereThereIsNone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float z : {0.0f, -1.0f, infinity, -infinity, std::nanf("")}) EXPECT_TRUE(std::isnan(*F32Power(z)(1))) << z;
  for (const float x : {infinity, -infinity, std::nanf("")}) EXPECT_TRUE(std::isnan(*F32Power(0.5f)(x))) << x;
}

}  // namespace
}  // namespace posenc::numerics
