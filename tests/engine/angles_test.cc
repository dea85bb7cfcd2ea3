// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of angles that are numbers, on every instruction set, against MPFR.
#include "src/engine/tables/angles.h"

#include <cmath>
#include <random>

#include "tests/engine/every_target.h"
#include "tests/oracle/sines.h"

namespace posenc::engine {
namespace {

// Angles of all sizes, near multiples of a quarter turn too, with both signs.
std::vector<double> angles_of_all_sizes() {
  std::mt19937_64 random(3);
  std::vector<double> angles;
  for (int exponent = -200; exponent < 200; exponent += 3) {
    for (int i = 0; i < 3; ++i) {
      const double size = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
      angles.push_back(i == 1 ? -size : size);
      if (exponent < 127) angles.push_back(static_cast<double>(static_cast<float>(size)));
    }
  }
  for (int quarters = 1; quarters < 300; quarters += 7) angles.push_back(quarters * 0x1.921fb54442d18p+0);
  for (const double x : {0x1p-1074, 0x1p-65, 0x1p-64, 0x1p63, 0x1.fffffffffffffp63, 0x1p64, 0x1.fffffffffffffp+1023}) {
    angles.push_back(x);
    angles.push_back(-x);
  }
  return angles;
}

double rounded_wave(oracle::Wave wave, double x, oracle::Format format) {
  oracle::Number angle(60);
  mpfr_set_d(angle.get(), x, MPFR_RNDN);
  return oracle::rounded_wave(wave, angle, format);
}

double rounded_once_more(double x, oracle::Format format) {
  oracle::Number number(53);
  mpfr_set_d(number.get(), x, MPFR_RNDN);
  return oracle::rounded(number, format);
}

template <class T>
double as_f64(T value) {
  return static_cast<double>(static_cast<float>(value));
}
double as_f64(double value) { return value; }

template <class T>
struct Made {
  std::vector<T> sine, cosine;

  explicit Made(std::size_t count) : sine(count), cosine(count) {}
  Waves<T> waves() { return {sine.data(), cosine.data(), sine.size(), cosine.size(), 1}; }
};

template <class T>
void expect_rounded_once(oracle::Format format) {
  const std::vector<double> angles = angles_of_all_sizes();
  on_every_target([&] {
    Made<T> made(angles.size());
    ASSERT_TRUE(sine_cosine_of(angles.data(), made.waves()));
    for (std::size_t i = 0; i < angles.size(); ++i) {
      ASSERT_EQ(as_f64(made.sine[i]), rounded_wave(oracle::Wave::sine, angles[i], format)) << angles[i];
      ASSERT_EQ(as_f64(made.cosine[i]), rounded_wave(oracle::Wave::cosine, angles[i], format)) << angles[i];
    }
  });
}

TEST(Angles, SinesAreRoundedOnceToF32) { expect_rounded_once<float>(oracle::f32); }
TEST(Angles, SinesAreRoundedOnceToF64) { expect_rounded_once<double>(oracle::f64); }

template <class T>
void expect_rounded_by_f64(oracle::Format format) {
  const std::vector<double> angles = angles_of_all_sizes();
  on_every_target([&] {
    Made<T> made(angles.size());
    ASSERT_TRUE(sine_cosine_by_f64(angles.data(), made.waves()));
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const double sine = rounded_wave(oracle::Wave::sine, angles[i], oracle::f64);
      const double cosine = rounded_wave(oracle::Wave::cosine, angles[i], oracle::f64);
      ASSERT_EQ(as_f64(made.sine[i]), rounded_once_more(sine, format)) << angles[i];
      ASSERT_EQ(as_f64(made.cosine[i]), rounded_once_more(cosine, format)) << angles[i];
    }
  });
}

TEST(Angles, SinesAreRoundedToF64AndThenToF32) { expect_rounded_by_f64<float>(oracle::f32); }
TEST(Angles, SinesAreRoundedToF64AndThenToF16) { expect_rounded_by_f64<half>(oracle::f16); }
TEST(Angles, SinesAreRoundedToF64AndThenToBf16) { expect_rounded_by_f64<bfloat16>(oracle::bf16); }

// sin x of this x is nearer to a tie of f32 than f64 tells: rounded to f64 it is the tie, which goes to even.
TEST(Angles, RoundingTwiceIsNotRoundingOnce) {
  double x = 0;
  for (int i = 1; i < 400 && x == 0; ++i) {
    const double tie = 0.25 + (2 * i + 1) * 0x1p-26;  // half-way between two f32 of [1/4, 1/2)
    const double angle = std::asin(tie);
    for (const double near : {std::nextafter(angle, 0), angle, std::nextafter(angle, 1)}) {
      const double twice = rounded_once_more(rounded_wave(oracle::Wave::sine, near, oracle::f64), oracle::f32);
      if (twice != rounded_wave(oracle::Wave::sine, near, oracle::f32)) x = near;
    }
  }
  ASSERT_NE(x, 0) << "none found";
  Made<float> once(1), twice(1);
  ASSERT_TRUE(sine_cosine_of(&x, once.waves()));
  ASSERT_TRUE(sine_cosine_by_f64(&x, twice.waves()));
  EXPECT_EQ(as_f64(once.sine[0]), rounded_wave(oracle::Wave::sine, x, oracle::f32));
  EXPECT_EQ(as_f64(twice.sine[0]), rounded_once_more(rounded_wave(oracle::Wave::sine, x, oracle::f64), oracle::f32));
  EXPECT_NE(once.sine[0], twice.sine[0]);
}

TEST(Angles, ZeroAndWhatIsNotFinite) {
  const double angles[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
  Made<float> made(5);
  ASSERT_TRUE(sine_cosine_of(angles, made.waves()));
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(made.sine[i]), 0u) << "+0";
    EXPECT_EQ(made.cosine[i], 1);
  }
  for (const std::size_t i : {2u, 3u, 4u}) {
    EXPECT_TRUE(std::isnan(made.sine[i]));
    EXPECT_TRUE(std::isnan(made.cosine[i]));
  }
}

TEST(Angles, StandInEveryOtherPlaceAndWithFewerCosines) {
  const std::vector<double> angles(2 * block + 3, -1.5);
  std::vector<float> row(2 * angles.size() - 1, 7);
  ASSERT_TRUE(sine_cosine_of<float>(angles.data(), {row.data(), row.data() + 1, angles.size(), angles.size() - 1, 2}));
  const auto sine = static_cast<float>(rounded_wave(oracle::Wave::sine, -1.5, oracle::f32));
  const auto cosine = static_cast<float>(rounded_wave(oracle::Wave::cosine, -1.5, oracle::f32));
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(row[i], i % 2 == 0 ? sine : cosine) << i;
}

}  // namespace
}  // namespace posenc::engine
