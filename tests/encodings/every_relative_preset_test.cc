// SPDX-License-Identifier: Apache-2.0
// Every preset of biases, classes, log coordinates and query scales, and every variant of slopes, at random positions,
// heads and windows, against what its fields say by MPFR: classes are equal, numbers are rounded once in every type.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/preset.h>
#include <posenc/query_scale.h>

#include <random>

#include "tests/encodings/true_relatives.h"
#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using test::Value;
using Seeded = std::mt19937_64;

struct Checked {
  std::int64_t presets = 0, entries = 0, wrong = 0;
};

/// An output of T as `write` makes it, against the real numbers. What is beyond f16 is left to the tests of its ends.
template <class T, class Write>
void compare_numbers(const Write& write, const std::vector<Value>& wanted, Checked& count) {
  std::vector<T> made(wanted.size());
  write(made.data());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double expected = oracle::rounded(wanted[i], numerics::format<T>);
    if (std::abs(expected) > 65504) continue;
    ++count.entries;
    if (numerics::widened(made[i]) == expected) continue;
    ++count.wrong;
    ADD_FAILURE() << "entry " << i << ": " << numerics::widened(made[i]) << ", not " << expected;
    return;
  }
}
template <class Write>
void compare_every_type(const Write& write, const std::vector<Value>& wanted, Checked& count) {
  compare_numbers<float>(write, wanted, count);
  compare_numbers<double>(write, wanted, count);
  compare_numbers<half>(write, wanted, count);
  compare_numbers<bfloat16>(write, wanted, count);
}

/// Integers of every size up to 2^bits, either sign.
std::int64_t seeded_integer(Seeded& random, int bits) {
  const auto size = static_cast<int>(random() % static_cast<std::uint64_t>(bits + 1));
  const auto number = static_cast<std::int64_t>(random() >> (63 - size) >> 1);
  return random() % 3 == 0 ? -number : number;
}
/// The same, and fractions.
double seeded_real(Seeded& random, int bits) {
  return static_cast<double>(seeded_integer(random, bits)) * (random() % 2 == 0 ? 1 : 0x1p-20);
}

// ---- biases -------------------------------------------------------------------------------------

void check_biases(const Slopes& slopes, Seeded& random, int rounds, Checked& count) {
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t heads = slopes.heads_beyond == HeadsBeyond::none ? std::int64_t{1} << random() % 6
                                                                        : static_cast<std::int64_t>(1 + random() % 40);
    const std::int64_t head = static_cast<std::int64_t>(1 + random() % 200);
    const std::size_t queries = 3, keys = 5;
    std::vector<double> q(queries), k(keys);
    for (double& each : q) each = seeded_real(random, 53);
    for (double& each : k) each = seeded_real(random, 53);
    std::vector<std::int64_t> present(keys);
    for (std::int64_t& each : present) each = random() % 3 == 0 ? 0 : 1;
    Context context = {.head = head, .present = {}};
    const bool masked = slopes.over == KeysCounted::present;
    if (masked) context.present = view(std::as_const(present).data(), {std::ssize(k)});

    std::vector<Value> wanted;
    for (std::int64_t h = 0; h < heads; ++h) {
      const Value slope = test::true_slope(slopes, h, heads);
      for (const double query : q) {
        for (std::size_t j = 0; j < keys; ++j) {
          const bool absent = masked && present[j] == 0;
          const Value bias = slope * test::true_distance(slopes.value, query, k[j], k.back());
          wanted.push_back(absent ? Value(0) : test::true_scaled(bias, slopes.scale, head));
        }
      }
    }
    const Positions of_queries = Positions::list(view(std::as_const(q).data(), {std::ssize(q)})),
                    of_keys = Positions::list(view(std::as_const(k).data(), {std::ssize(k)}));
    const auto write = [&](auto* out) {
      bias(slopes, of_queries, of_keys, view(out, {heads, std::ssize(q), std::ssize(k)}), {.context = context});
    };
    SCOPED_TRACE(std::to_string(heads) + " heads of " + std::to_string(head) + " columns");
    compare_every_type(write, wanted, count);
  }
}

// ---- classes ------------------------------------------------------------------------------------

void check_windows(const Buckets& by, Seeded& random, int rounds, Checked& count) {
  const auto& classes = std::get<WindowBuckets>(by.classes);
  for (int round = 0; round < rounds; ++round) {
    const GridSize window = {static_cast<std::int64_t>(1 + random() % 9), static_cast<std::int64_t>(1 + random() % 9)};
    const std::int64_t places = window_places(by, window);
    ASSERT_EQ(places, window.height * window.width + (classes.extra == 0 ? 0 : 1));
    std::vector<std::int64_t> made(static_cast<std::size_t>(places * places));
    window_buckets(by, window, view(made.data(), {places, places}));
    for (std::int64_t i = 0; i < places * places; ++i, ++count.entries) {
      const std::int64_t wanted = test::true_window_class(classes, window.height, window.width, i / places, i % places);
      ASSERT_EQ(made[static_cast<std::size_t>(i)], wanted) << i << " of " << window.height << " x " << window.width;
    }
  }
}

void check_classes(const Buckets& by, Seeded& random, int rounds, Checked& count) {
  if (std::holds_alternative<WindowBuckets>(by.classes)) return check_windows(by, random, rounds, count);
  std::vector<std::int64_t> distances;
  for (std::int64_t d = -700; d <= 700; d += 1 + static_cast<std::int64_t>(random() % 2)) distances.push_back(d);
  for (int i = 0; i < 20 * rounds; ++i) distances.push_back(seeded_integer(random, 51));
  const std::int64_t q = seeded_integer(random, 51);
  std::vector<std::int64_t> keys, made(distances.size());
  for (const std::int64_t d : distances) keys.push_back(q + d);
  buckets(by, Positions::at(q), Positions::list(view(std::as_const(keys).data(), {std::ssize(keys)})),
          view(made.data(), {1, std::ssize(keys)}));
  for (std::size_t i = 0; i < made.size(); ++i, ++count.entries) {
    ASSERT_EQ(made[i], std::visit(test::TrueClass{q, keys[i]}, by.classes)) << "distance " << distances[i];
  }
}

// ---- coordinates, factors -----------------------------------------------------------------------

void check_log_coordinates(const LogCoordinates& by, Seeded& random, int rounds, Checked& count) {
  for (int round = 0; round < rounds; ++round) {
    const auto height = static_cast<std::int64_t>(1 + random() % 12),
               width = static_cast<std::int64_t>(1 + random() % 12);
    SCOPED_TRACE(std::to_string(height) + " x " + std::to_string(width));
    std::vector<Value> wanted;
    for (std::int64_t y = 1 - height; y < height; ++y) {
      for (std::int64_t x = 1 - width; x < width; ++x) {
        wanted.push_back(std::visit(test::TrueLogCoordinate{y, height, 0}, by.coordinates));
        wanted.push_back(std::visit(test::TrueLogCoordinate{x, width, 1}, by.coordinates));
      }
    }
    const auto write = [&](auto* out) { log_coordinates(by, view(out, {2 * height - 1, 2 * width - 1, 2})); };
    compare_every_type(write, wanted, count);
  }
}

void check_query_factors(const QueryScale& by, Seeded& random, int rounds, Checked& count) {
  std::vector<double> positions;
  for (int i = 0; i < 30 * rounds; ++i) positions.push_back(std::abs(seeded_real(random, 53)));
  for (int step = 1; step < 20; ++step) positions.push_back(8192.0 * step - 1), positions.push_back(16384.0 * step);
  std::vector<Value> wanted;
  for (const double p : positions) wanted.push_back(std::visit(test::TrueQueryFactor{p}, by.factor));
  const Positions all = Positions::list(view(std::as_const(positions).data(), {std::ssize(positions)}));
  const auto write = [&](auto* out) { query_scale(by, all, view(out, {std::ssize(positions)})); };
  compare_every_type(write, wanted, count);
}

// ---- all ----------------------------------------------------------------------------------------

void expect_relative_presets_exact(int rounds, std::uint64_t seed) {
  Checked count;
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    Seeded random(seed++);
    const Convention& of = preset.convention;
    if (const auto* slopes = std::get_if<Slopes>(&of)) check_biases(*slopes, random, rounds, count), ++count.presets;
    if (const auto* by = std::get_if<Buckets>(&of)) check_classes(*by, random, rounds, count), ++count.presets;
    if (const auto* by = std::get_if<LogCoordinates>(&of)) {
      check_log_coordinates(*by, random, rounds, count), ++count.presets;
    }
    if (const auto* by = std::get_if<QueryScale>(&of)) check_query_factors(*by, random, rounds, count), ++count.presets;
  }
  EXPECT_GE(count.presets, 25);
  std::printf("%lld entries of %lld presets checked, %lld wrong\n", static_cast<long long>(count.entries),
              static_cast<long long>(count.presets), static_cast<long long>(count.wrong));
}

void expect_slopes_exact(int rounds, std::uint64_t seed) {
  Checked count;
  Seeded random(seed);
  const BiasScale scales[] = {1.0, 0.3, HeadScale::one_over_sqrt_head, HeadScale::sqrt_head};
  for (int each = 0; each < 4 * 2 * 2 * 4 * 2; ++each) {
    Slopes slopes = {};
    slopes.octaves =
        random() % 2 == 0 ? 8 : std::ldexp(static_cast<double>(random() >> 11), -50 - static_cast<int>(random() % 8));
    slopes.value = static_cast<BiasValue>(1 + each % 4);
    slopes.over = each / 4 % 2 == 0 ? KeysCounted::all : KeysCounted::present;
    slopes.slope_rounding = each / 8 % 2 == 0 ? SlopeRounding::none : SlopeRounding::bf16;
    slopes.scale = scales[each / 16 % 4];
    slopes.heads_beyond = each / 64 == 0 ? HeadsBeyond::odd_steps : HeadsBeyond::none;
    SCOPED_TRACE("variant " + std::to_string(each) + ", octaves " + std::to_string(slopes.octaves));
    check_biases(slopes, random, rounds, count);
  }
  EXPECT_EQ(count.wrong, 0);
}

TEST(EveryRelativePreset, IsWhatItsFieldsSay) { expect_relative_presets_exact(2, 30); }
TEST(EveryVariantOfSlopes, IsRoundedOnce) { expect_slopes_exact(1, 31); }
TEST(ExhaustiveEveryRelativePreset, IsWhatItsFieldsSay) { expect_relative_presets_exact(60, 32); }
TEST(ExhaustiveEveryVariantOfSlopes, IsRoundedOnce) { expect_slopes_exact(40, 33); }

}  // namespace
}  // namespace posenc
