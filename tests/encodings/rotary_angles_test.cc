// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of rotations against MPFR.
#include <gtest/gtest.h>

#include "tests/encodings/field.h"
#include "tests/encodings/rotations.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using test::adjacent_pairs;
using test::AngleTable;
using test::half_pairs;
using test::plain;
using test::random_elements;
using test::same_bits;

double exact_entry(oracle::Wave wave, double base, unsigned long k, unsigned long n, double position, double low = 0) {
  oracle::Number w(400), x(400);
  oracle::set_frequency(w, base, k, n);
  mpfr_set_d(x.get(), position, MPFR_RNDN);
  mpfr_add_d(x.get(), x.get(), low, MPFR_RNDN);
  mpfr_mul(x.get(), x.get(), w.get(), MPFR_RNDN);
  return oracle::rounded_wave(wave, x, oracle::f32);
}

// (1, 0) becomes (cos, sin), to the bit.
std::vector<float> turned_units(const Convention& convention, std::int64_t rotated, const Positions& positions) {
  std::vector<float> x(static_cast<std::size_t>(positions.count_ * rotated));
  const bool adjacent = std::get<Rotary>(convention).pairing == Pairing::adjacent;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t column = static_cast<std::int64_t>(i) % rotated;
    x[i] = (adjacent ? column % 2 == 0 : column < rotated / 2) ? 1.0f : 0.0f;
  }
  const View out = view(x.data(), {positions.count_, rotated});
  RotaryRows(convention, rotated).rotate(positions, Rotated{out, TokenAxis::before_columns});
  return x;
}

void expect_exact_angles(const std::vector<float>& row, const Convention& convention, double position, double low = 0) {
  const std::size_t n = row.size() / 2;
  const bool adjacent = std::get<Rotary>(convention).pairing == Pairing::adjacent;
  for (std::size_t k = 0; k < n; ++k) {
    const float x = row[adjacent ? 2 * k : k], y = row[adjacent ? 2 * k + 1 : k + n];
    EXPECT_EQ(static_cast<double>(x), exact_entry(oracle::Wave::cosine, 10000, k, n, position, low))
        << position << " " << k;
    EXPECT_EQ(static_cast<double>(y), exact_entry(oracle::Wave::sine, 10000, k, n, position, low))
        << position << " " << k;
  }
}

TEST(RotaryAngles, AreCorrectlyRoundedAtAnySinglePosition) {
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    for (const double p :
         {0.0, 1.0, -1.0, 2.0, 4095.0, 131071.0, -1048575.0, 0.5, -3.25, 1e-3, 1e-30, 1000000.5, 9007199254740992.0}) {
      expect_exact_angles(turned_units(convention, 12, Positions::at(p)), convention, p);
    }
    for (const std::int64_t p : {INT64_MIN, INT64_MAX, (std::int64_t{1} << 53) + 1}) {
      const auto high = static_cast<double>(p & ~std::int64_t{0xFFF}), low = static_cast<double>(p & 0xFFF);
      expect_exact_angles(turned_units(convention, 10, Positions::at(p)), convention, high, low);
    }
  }
}

TEST(RotaryAngles, AreCorrectlyRoundedAlongARange) {
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    for (const auto& [start, step] : {std::pair<std::int64_t, std::int64_t>{0, 1}, {-70, 1}, {100000, -3}}) {
      const std::vector<float> rows = turned_units(convention, 8, Positions::range(start, 150, step));
      for (std::int64_t t = 0; t < 150; ++t) {
        expect_exact_angles({rows.begin() + t * 8, rows.begin() + t * 8 + 8}, convention,
                            static_cast<double>(start + t * step));
      }
    }
  }
}

TEST(RotaryAngles, FollowARecipeWhereOneIsAsked) {
  const Recipe& original = preset("rope-half").original;
  std::vector<float> x = random_elements<float>(16, 1);
  const std::vector<float> before = x;
  const View out = view(x.data(), {1, 16});
  rotary(half_pairs, Positions::at(5000), out, out, Direction::forward, {.recipe = original});
  EXPECT_TRUE(same_bits(x, plain(before, AngleTable(half_pairs, 16, original).at(5000), half_pairs)));
  EXPECT_FALSE(same_bits(x, plain(before, AngleTable(half_pairs, 16).at(5000), half_pairs)));
}

}  // namespace
}  // namespace posenc
