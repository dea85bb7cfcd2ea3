// SPDX-License-Identifier: Apache-2.0
// How far a rotated pair lies from the real numbers x cos a - y sin a and x sin a + y cos a, where they cancel too.
#include <gtest/gtest.h>
#include <posenc/rotary_cache.h>

#include <cmath>

#include "tests/encodings/rotations.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

constexpr std::int64_t far_positions = 1 << 20, error_head = 128, error_rows = 1024;

struct ErrorTally {
  std::int64_t checked = 0, other_roundings = 0, not_nearest = 0;
  double largest = 0;  // in units of the last place of the larger product
};

// f32 pairs of random heads at random positions, turned by rope-half.
class TurnedPairs {
 public:
  explicit TurnedPairs(std::uint64_t seed) : random_(seed) {
    oracle::Number w(300);
    for (unsigned long k = 0; k < error_head / 2; ++k) {
      oracle::set_frequency(w, 10000, k, error_head / 2);
      waves_.emplace_back(w, 10);
    }
  }

  // `close`: y is so that x cos a - y sin a cancels but for the rounding of y and some last places.
  enum class Cancellation { none, close };
  void check(Cancellation cancels, ErrorTally& tally) {
    draw(cancels);
    const View out = view(turned_.data(), {error_rows, error_head});
    rotary(test::half_pairs, Positions::list(view(positions_.data(), {error_rows})),
           Rotated{view(std::as_const(rows_).data(), {error_rows, error_head}), out, TokenAxis::before_columns});
    stated_.write("sin_cos", Positions::list(view(positions_.data(), {error_rows})),
                  view(table_.data(), {error_rows, error_head}));
    for (std::int64_t row = 0; row < error_rows; ++row) {
      for (std::int64_t k = 0; k < pairs; ++k) compare(row, k, tally);
    }
  }

 private:
  static constexpr std::int64_t pairs = error_head / 2;
  static std::size_t at(std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>(row * error_head + column);
  }
  oracle::Sum sine(std::int64_t row, std::int64_t k) const { return wave(k).sine(place(row)); }
  oracle::Sum cosine(std::int64_t row, std::int64_t k) const { return wave(k).cosine(place(row)); }
  const oracle::Waves& wave(std::int64_t k) const { return waves_[static_cast<std::size_t>(k)]; }
  std::uint64_t place(std::int64_t row) const {
    return static_cast<std::uint64_t>(positions_[static_cast<std::size_t>(row)]);
  }

  // Of any sign, and of sizes 2^-20 to 2^20.
  float drawn() {
    const double size =
        std::ldexp(static_cast<double>(random_() >> 11) * 0x1p-53 + 1, static_cast<int>(random_() % 40));
    return static_cast<float>((random_() % 2 == 0 ? size : -size) * 0x1p-20);
  }

  void draw(Cancellation cancels) {
    for (std::int64_t& p : positions_) p = 1 + static_cast<std::int64_t>(random_() % (far_positions - 1));
    for (float& x : rows_) x = drawn();
    if (cancels == Cancellation::none) return;
    for (std::int64_t row = 0; row < error_rows; ++row) {
      for (std::int64_t k = 0; k < pairs; ++k) {
        float y = static_cast<float>(rows_[at(row, k)] * (cosine(row, k).high / sine(row, k).high));
        for (std::uint64_t i = random_() % 4; i > 0; --i) y = std::nextafter(y, random_() % 2 == 0 ? 0.0f : HUGE_VALF);
        rows_[at(row, k + pairs)] = y;
      }
    }
  }

  void compare(std::int64_t row, std::int64_t k, ErrorTally& tally) const {
    const float x = rows_[at(row, k)], y = rows_[at(row, k + pairs)];
    const double c = cosine(row, k).high, s = sine(row, k).high;
    const float fs = table_[at(row, k)], fc = table_[at(row, k + pairs)];  // proven elsewhere (exact_test.cc)
    const float xc = x * fc, ys = y * fs, xs = x * fs, yc = y * fc;
    // Products and sums of doubles: off by 2^-29 last places of an f32.
    compare(turned_[at(row, k)], xc - ys, x * c, -(y * s), tally);
    compare(turned_[at(row, k + pairs)], xs + yc, x * s, y * c, tally);
  }

  static void compare(float got, float stated, double first, double second, ErrorTally& tally) {
    const double larger = std::max(std::abs(first), std::abs(second));
    const double unit = std::ldexp(1.0, std::ilogb(larger) - 23);
    const double y = first + second;
    ++tally.checked;
    tally.other_roundings += got != stated ? 1 : 0;
    tally.not_nearest += got != static_cast<float>(y) ? 1 : 0;
    tally.largest = std::max(tally.largest, std::abs(static_cast<double>(got) - y) / unit);
  }

  std::mt19937_64 random_;
  std::vector<oracle::Waves> waves_;
  std::vector<std::int64_t> positions_ = std::vector<std::int64_t>(error_rows);
  std::vector<float> rows_ = std::vector<float>(error_rows * error_head), turned_ = rows_, table_ = rows_;
  RotaryCache stated_{with_field(test::half_pairs, "stored", "sine_cosine"), error_head};
};

// In places of the larger product: a rounded cosine moves its product by 1 at most, the product's own rounding by 1/2,
// and the sum, of twice the size at most, is rounded by 1. So 2 (1 + 1/2) + 1 = 4 is the bound.
void expect_small_errors(TurnedPairs& pairs, TurnedPairs::Cancellation cancels, int calls) {
  ErrorTally tally;
  for (int i = 0; i < calls; ++i) pairs.check(cancels, tally);
  EXPECT_EQ(tally.other_roundings, 0);
  EXPECT_LE(tally.largest, 4);
  std::printf(
      "%lld rotated elements checked: %lld of other roundings than stated, largest error %.3f places of the "
      "larger product, %.1f %% not the nearest number\n",
      static_cast<long long>(tally.checked), static_cast<long long>(tally.other_roundings), tally.largest,
      100 * static_cast<double>(tally.not_nearest) / static_cast<double>(tally.checked));
}

TEST(RotationErrors, AreSmallWhereProductsCancelToo) {
  TurnedPairs pairs(1);
  expect_small_errors(pairs, TurnedPairs::Cancellation::none, 4);
  expect_small_errors(pairs, TurnedPairs::Cancellation::close, 1);
}
TEST(ExhaustiveRotationErrors, OfAHundredMillionElementsAreSmall) {
  TurnedPairs pairs(2);
  expect_small_errors(pairs, TurnedPairs::Cancellation::none, 770);
  expect_small_errors(pairs, TurnedPairs::Cancellation::close, 2);
}

}  // namespace
}  // namespace posenc
