// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of angles in closed form, against MPFR: units of pi, octaves, blends, sums over axes, phases,
// scales.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "src/numerics/sine_cosine.h"
#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

using oracle::Value;

struct FrequencyCase {
  const char* name;
  Real w;
  Value truth;
};

std::vector<FrequencyCase> frequencies() {
  const auto truth = [](double base, double n, double d) { return pow(Value(base), Value(n) / Value(d)); };
  const Value pi = oracle::pi(), w = truth(10000, -11, 32);
  const Real ours = power(10000, fraction(-11, 32));
  const Value band = w * w / pi * Value(1024) - w / Value(7);
  const Value scale = Value(1) + log(Value(40)) / Value(10);
  return {
      {"in pi", Real(fraction(3, 7)) * pi_to_the(1), Value(3) / Value(7) * pi},
      {"in turns, a third", Real(fraction(2, 3)) * pi_to_the(1), Value(2) / Value(3) * pi},
      {"octave", power(2, 10) * pi_to_the(1), Value(1024) * pi},
      {"rising", power(10000, fraction(11, 32)), truth(10000, 11, 32)},
      {"rising in pi", power(1.3, fraction(11, 3)) * pi_to_the(1), truth(1.3, 11, 3) * pi},
      {"blend", ours * Real(0.3) + power(3, fraction(1, 2)), w * Value(0.3) + sqrt(Value(3))},
      {"band", ours * ours * pi_to_the(-1) * Real(1024) - ours * Real(fraction(1, 7)), band},
      {"listed", Real(0.1), Value(0.1)},
      {"with a logarithm", ours * (Real(1) + Real(fraction(1, 10)) * logarithm(Rational(40))), w * scale},
      {"with a formula", ours * square_root(Real(2) + pi_to_the(1)), w * sqrt(Value(2) + pi)},
      {"huge", power(10000, fraction(700, 11)), truth(10000, 700, 11)},
      {"tiny", power(10000, fraction(-700, 11)), truth(10000, -700, 11)},
  };
}

template <class T>
void expect_waves_rounded_once() {
  std::mt19937_64 random(30);
  for (const FrequencyCase& c : frequencies()) {
    const std::optional<int> side = sign(c.w);
    ASSERT_EQ(side, 1) << c.name;
    const Turn w = *turn(c.w);
    for (int i = 0; i < 12; ++i) {
      const Dyadic p = i % 3 == 0 ? dyadic(std::ldexp(1 + static_cast<double>(random() % 1000) / 999, i - 9))
                                  : dyadic(static_cast<std::int64_t>(random()) >> random() % 63);
      if (p.zero()) continue;
      const Value x = value(Rational(p)) * c.truth;
      const std::optional<Pair<T>> pair = exact_sine_cosine<T>(c.w, w, p);
      ASSERT_TRUE(pair) << c.name;
      if (!quarter_turns_of(c.w).whole(p)) {
        EXPECT_EQ(widened(pair->sine), oracle::rounded(sin(x), format<T>)) << c.name;
        EXPECT_EQ(widened(pair->cosine), oracle::rounded(cos(x), format<T>)) << c.name;
      }
      if (i > 3) continue;  // the certain path alone
      const Real angle = c.w * Real(Rational(p));
      EXPECT_EQ(exact_wave<T>(Wave::sine, angle, 1), pair->sine) << c.name;
      EXPECT_EQ(exact_wave<T>(Wave::cosine, angle, 1), pair->cosine) << c.name;
    }
  }
}

TEST(WideAngles, F64IsRoundedOnce) { expect_waves_rounded_once<double>(); }
TEST(WideAngles, F32IsRoundedOnce) { expect_waves_rounded_once<float>(); }
TEST(WideAngles, F16IsRoundedOnce) { expect_waves_rounded_once<half>(); }
TEST(WideAngles, Bf16IsRoundedOnce) { expect_waves_rounded_once<bfloat16>(); }

// Sums over three axes and a phase, with scales; half of them cancel but for little.
TEST(WideAngles, SumsWithPhasesAndScalesAreRoundedOnce) {
  std::mt19937_64 random(31);
  const Value pi = oracle::pi(), a = pow(Value(10000), Value(-1) / Value(3)), b = sqrt(Value(2)) * pi;
  const Real our_a = power(10000, fraction(-1, 3)), our_b = square_root(Real(2)) * pi_to_the(1);
  const Real our_phase = Real(-0.37) * pi_to_the(1);
  const Turn turns[] = {*turn(our_a), *turn(our_b), *turn(our_a), *turn(our_phase)};
  const std::pair<Real, Value> scales[] = {{1, 1},
                                           {-0.3, -0.3},
                                           {square_root(Real(fraction(2, 7))), sqrt(Value(2) / Value(7))},
                                           {Real(1) + logarithm(Rational(2)), Value(1) + log(Value(2))}};
  for (int i = 0; i < 120; ++i) {
    const std::int64_t p = static_cast<std::int64_t>(random()) >> random() % 50, q = i % 2 == 0 ? 0 : 5 - i;
    const std::int64_t r = i % 3 == 0 ? -p : i;
    TurnSum sum;
    sum.add(turns[0], dyadic(p));
    sum.add(turns[1], dyadic(q));
    sum.add(turns[2], dyadic(r));
    sum.add(turns[3], {1, 0, true});
    const auto angle = [&] { return our_a * Real(p) + our_b * Real(q) + our_a * Real(r) + our_phase; };
    const Value x = a * oracle::whole(p) + b * oracle::whole(q) + a * oracle::whole(r) - Value(0.37) * pi;
    const auto& [ours, truth] = scales[i % 4];
    const auto pair = [&]<class T>(T) {
      const auto certain = [&](Wave wave) { return exact_wave<T>(wave, angle(), ours); };
      return *exact_pair<T>(sum, scale(ours).leading, certain);
    };
    const Pair<double> f64 = pair(0.0);
    const Pair<half> f16 = pair(half(0.0f));
    for (const Wave wave : {Wave::sine, Wave::cosine}) {
      const bool sine = wave == Wave::sine;
      const Value y = (sine ? sin(x) : cos(x)) * truth;
      EXPECT_EQ(sine ? f64.sine : f64.cosine, oracle::rounded(y, oracle::f64)) << i;
      EXPECT_EQ(widened(sine ? f16.sine : f16.cosine), oracle::rounded(y, oracle::f16)) << i;
      if (i % 10 != 0) continue;
      EXPECT_EQ(exact_wave<double>(wave, angle(), ours), oracle::rounded(y, oracle::f64)) << i;
    }
  }
}

TEST(WideAngles, TheQuickSumStaysWithinItsBound) {
  std::mt19937_64 random(32);
  const Value pi = oracle::pi(), a = pow(Value(10000), Value(-1) / Value(3));
  const Turn turns[] = {*turn(power(10000, fraction(-1, 3))), *turn(pi_to_the(1))};
  const Approximation by = *approximation(logarithm(Rational(3)));
  int declined = 0;
  for (int i = 0; i < 300; ++i) {
    const std::int64_t p = static_cast<std::int64_t>(random()) >> random() % 63;
    const double q = std::ldexp(static_cast<double>(random() % 1000) - 500, static_cast<int>(random() % 40) - 30);
    TurnSum sum;
    sum.add(turns[0], dyadic(p));
    sum.add(turns[1], dyadic(q));
    sum.add(Turn{}, dyadic(7.0));
    const std::optional<SineCosine> quick = sum.waves();
    if (!quick) {
      ++declined;
      continue;
    }
    const Value x = a * oracle::whole(p) + pi * Value(q);
    const auto expect = [&](const Approximation& got, const Value& truth) {
      const Bignum significand = (Bignum(static_cast<std::uint64_t>(got.significand >> 64)) << 64) +
                                 Bignum(static_cast<std::uint64_t>(got.significand));
      const auto bits = static_cast<std::int64_t>(128 - countl_zero(got.error));
      EXPECT_TRUE(holds({got.negative, significand, got.exponent - 128, bits}, truth));
      EXPECT_EQ(static_cast<int>(got.significand >> 127), 1);
      EXPECT_LT(bits, 80);
    };
    expect(quick->sine, sin(x));
    expect(quick->cosine, cos(x));
    expect(multiply(quick->cosine, by), cos(x) * log(Value(3)));
  }
  EXPECT_LT(declined, 10);
}

TEST(WideAngles, ProductsOfApproximationsHoldTheirErrors) {
  std::mt19937_64 random(33);
  const auto to_value = [](uint128 x) {
    return value((Bignum(static_cast<std::uint64_t>(x >> 64)) << 64) + Bignum(static_cast<std::uint64_t>(x)), 0);
  };
  for (int i = 0; i < 300; ++i) {
    const auto draw = [&] {
      const uint128 significand = (uint128{random() | std::uint64_t{1} << 63} << 64) + random();
      return Approximation{false, significand, 0, uint128{random()} << random() % 50 >> random() % 64};
    };
    const Approximation a = draw(), b = draw(), product = multiply(a, b);
    const Value unit = value(Bignum(1), product.exponent - 128), error = to_value(product.error);
    for (const bool up : {false, true}) {
      const Value x = up ? to_value(a.significand) + to_value(a.error) : to_value(a.significand) - to_value(a.error);
      const Value y = up ? to_value(b.significand) + to_value(b.error) : to_value(b.significand) - to_value(b.error);
      const Value off = x * y * value(Bignum(1), -256) / unit - to_value(product.significand);
      EXPECT_FALSE(error < off);
      EXPECT_FALSE(off < Value(0) - error);
    }
  }
}

TEST(WideAngles, AnglesBeyondAllBitsAreUndecidedAtOnce) {
  const Real far = power(3, fraction(100001, 2)) * pi_to_the(-1);  // 79,000 bits of whole turns
  EXPECT_FALSE(exact_wave<float>(Wave::sine, far, 1));
  EXPECT_FALSE(exact_sine_cosine<float>(far, *turn(far), dyadic(1.0)));
}

TEST(WideAngles, AFormulaThatNeverNarrowsIsUndecided) {
  const auto about_two = [](std::span<const Real>, std::int64_t) {
    return Enclosure{false, Bignum(1) << 200, -199, 190};
  };
  Real w;
  w.terms.push_back({.factor = 1, .formulas = {{"2 +- 2^-9", about_two, {}}}});
  EXPECT_FALSE(turn(w));
  EXPECT_FALSE(exact_wave<double>(Wave::sine, w, 1));
  EXPECT_FALSE(exact_wave<double>(Wave::cosine, 1, w));
}

}  // namespace
}  // namespace posenc::numerics
