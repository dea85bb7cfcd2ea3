// SPDX-License-Identifier: Apache-2.0
// Every preset that makes waves or rotations, at random places, against what its fields say by MPFR: in every type each
// entry is the real number rounded once.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/encodings/short_forms.h"
#include "tests/encodings/true_rotation.h"

namespace posenc {
namespace {

using test::TrueColumn;
using test::Value;

template <class T>
inline constexpr oracle::Format oracle_format = std::is_same_v<T, double>  ? oracle::f64
                                                : std::is_same_v<T, float> ? oracle::f32
                                                : std::is_same_v<T, half>  ? oracle::f16
                                                                           : oracle::bf16;
template <class T>
double as_double(T x) {
  if constexpr (std::is_same_v<T, double>) return x;
  return static_cast<double>(static_cast<float>(x));
}

/// Integers of every size up to 2^53, and fractions of every size from 2^-20 on; one for each axis.
struct RandomPlaces {
  std::mt19937_64 bits;

  double next() {
    const auto size = static_cast<int>(bits() % 54);
    const auto whole = static_cast<double>(bits() >> (63 - size) >> 1);
    const double number = bits() % 3 == 0 ? whole * 0x1p-20 : whole;
    return bits() % 4 == 0 ? -number : number;
  }
  std::vector<double> place(std::size_t axes) {
    std::vector<double> at;
    while (at.size() < axes) at.push_back(next());
    return at;
  }
};

std::vector<Positions> lists_at(const std::vector<double>& place) {
  std::vector<Positions> lists;
  for (const double x : place) lists.push_back(Positions::at(x));
  return lists;
}

struct Tally {
  std::int64_t presets = 0, checked = 0, wrong = 0;
};

/// A row of T as `write` makes it, against the real numbers. What is beyond f16 is left to the tests of its ends.
template <class T>
void compare_row(const std::function<void(const View&)>& write, const std::vector<Value>& wanted, Tally& count) {
  std::vector<T> row(wanted.size());
  write(view(row.data(), {1, std::ssize(row)}));
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double expected = oracle::rounded(wanted[c], oracle_format<T>);
    if (std::abs(expected) > 65504) continue;
    ++count.checked;
    if (as_double(row[c]) == expected) continue;
    ++count.wrong;
    ADD_FAILURE() << "column " << c << ": " << as_double(row[c]) << ", not " << expected;
    return;
  }
}

void compare_types(const std::function<void(const View&)>& write, const std::vector<Value>& wanted, Tally& count) {
  compare_row<float>(write, wanted, count);
  compare_row<double>(write, wanted, count);
  compare_row<half>(write, wanted, count);
  compare_row<bfloat16>(write, wanted, count);
}

/// The first `most` widths from 8 on that `takes` takes.
std::vector<std::int64_t> widths_taken(std::size_t most, const std::function<bool(std::int64_t)>& takes) {
  std::vector<std::int64_t> found;
  for (std::int64_t d = 8; d <= 300 && found.size() < most; ++d) {
    if (takes(d)) found.push_back(d);
  }
  return found;
}

// ---- waves --------------------------------------------------------------------------------------

/// The numbers that do not depend on the place.
struct TrueWaves {
  const Waves& waves;
  std::vector<TrueColumn> columns;
  std::vector<std::vector<Value>> w = {};  // of each column: of its axis, or of all
  Value scale = 1;

  TrueWaves(const Waves& of, std::int64_t dim, const Context& context)
      : waves(of), columns(test::true_columns(of, dim)) {
    for (const TrueColumn& column : columns) {
      std::vector<Value>& own = w.emplace_back();
      if (column.kind == TrueColumn::Kind::zero || column.kind == TrueColumn::Kind::coordinate) continue;
      for (std::size_t a = 0; a < waves.axes.size(); ++a) {
        if (column.axis && *column.axis != a) continue;
        const Ladder& ladder = waves.ladders[waves.ladders.size() == 1 ? 0 : a];
        own.push_back(Value(waves.angle_factor) *
                      test::frequency_of(ladder, column.d, column.n, column.k, column.place, context.length));
      }
    }
    const Value d = test::of_count(dim);
    if (const auto* number = std::get_if<double>(&waves.scale)) scale = *number;
    if (std::holds_alternative<LearnedScale>(waves.scale)) scale = *context.learned;
    if (const auto* by = std::get_if<WidthScale>(&waves.scale)) {
      scale = *by == WidthScale::sqrt_2_over_d ? sqrt(Value(2) / d) : Value(1) / sqrt(d);
    }
  }

  Value entry(std::size_t c, const std::vector<double>& place) const {
    const TrueColumn& column = columns[c];
    if (column.kind == TrueColumn::Kind::zero) return 0;
    if (column.kind == TrueColumn::Kind::coordinate) return scale * place[*column.axis];
    Value angle = 0;
    if (const auto* phases = std::get_if<std::vector<double>>(&waves.phases)) {
      angle = test::unit_of(std::get<Listed>(waves.ladders[0]).unit) * (*phases)[static_cast<std::size_t>(column.k)];
    }
    for (std::size_t i = 0; i < w[c].size(); ++i) angle = angle + w[c][i] * place[column.axis ? *column.axis : i];
    return scale * (column.kind == TrueColumn::Kind::sine ? sin(angle) : cos(angle));
  }
};

void check_waves(const Preset& preset, std::size_t most_widths, int places, std::uint64_t seed, Tally& count) {
  const Context context = {.length = 0, .centre = {}, .learned = 0.75};
  const auto& waves = std::get<Waves>(preset.convention);
  ASSERT_EQ(waves.normalise, Normalise::none);
  const std::vector<std::int64_t> dims = widths_taken(most_widths, [&](std::int64_t d) {
    return !Rows::check(waves, d, {.context = context}) && (d % 2 == 0 || waves.odd_width != OddWidth::zero_row);
  });
  ASSERT_FALSE(dims.empty());
  RandomPlaces random = {std::mt19937_64(seed)};
  for (const std::int64_t dim : dims) {
    SCOPED_TRACE("width " + std::to_string(dim));
    const Rows rows(waves, dim, {.context = context});
    const TrueWaves row(waves, dim, context);
    ASSERT_EQ(std::ssize(row.columns), rows.width());
    for (int i = 0; i < places; ++i) {
      const std::vector<double> place = random.place(waves.axes.size());
      SCOPED_TRACE("at " + testing::PrintToString(place));
      std::vector<Value> wanted;
      for (std::size_t c = 0; c < row.columns.size(); ++c) wanted.push_back(row.entry(c, place));
      compare_types([&](const View& out) { rows.write(lists_at(place), out); }, wanted, count);
    }
  }
  ++count.presets;
}

// ---- rotations ----------------------------------------------------------------------------------

/// Their tables of cosines and sines, or of angles; that a pair of V-JEPA 2 has two angles, and the decay of xPos, are
/// left out: they have tests of their own (axes_goldens_test.cc, rotary_context_test.cc).
Rotary as_table(const Rotary& rotary, StoredAs form) {
  Rotary table = rotary;
  table.stored = form;
  table.angles = AnglesBy::pair;
  table.decay = Nothing{};
  return table;
}

void check_rotation(const Preset& preset, std::size_t most_widths, int places, std::uint64_t seed, Tally& count) {
  const Rotary rotary = as_table(std::get<Rotary>(preset.convention), StoredAs::sine_cosine),
               as_angles = as_table(rotary, StoredAs::angles_twice);
  RandomPlaces random = {std::mt19937_64(seed)};
  for (const std::int64_t length : {1000, 100000}) {
    const Context context = {.length = length, .centre = {}, .learned = {}};
    const std::vector<std::int64_t> heads = widths_taken(
        most_widths, [&](std::int64_t head) { return !RotaryCache::check(rotary, head, {.context = context}); });
    ASSERT_FALSE(heads.empty());
    for (const std::int64_t head : heads) {
      SCOPED_TRACE("head " + std::to_string(head) + ", length " + std::to_string(length));
      const RotaryCache cache(rotary, head, {.context = context}), angles(as_angles, head, {.context = context});
      const std::int64_t r = test::true_rotated(rotary, head);
      const std::vector<test::TruePair> pairs = test::true_turns(rotary, r);
      ASSERT_EQ(2 * std::ssize(pairs), cache.width());
      const Value magnitude = std::visit(test::TrueMagnitude(), rotary.magnitude);
      // Of a pair by axis: 0 but for its own axis, or for every axis of a sum.
      std::vector<std::vector<Value>> w;
      for (const test::TruePair& pair : pairs) {
        w.emplace_back();
        for (std::size_t a = 0; a < rotary.axes.size(); ++a) {
          const Ladder& ladder = rotary.ladders[rotary.ladders.size() == 1 ? 0 : a];
          const bool turns = rotary.rungs == Rungs::summed || pair.axis == a;
          w.back().push_back(turns ? test::frequency_of(ladder, pair.d, pair.n, pair.k, 0, length) : Value(0));
        }
        if (rotary.rungs == Rungs::summed) continue;  // a list of frequencies has one of each pair
        const Value own = pair.axis ? w.back()[*pair.axis] : Value(0);
        EXPECT_EQ(cache.frequencies()[w.size() - 1], oracle::rounded(own, oracle::f64)) << w.size() - 1;
      }
      for (int i = 0; i < places; ++i) {
        const std::vector<double> place = random.place(rotary.axes.size());
        SCOPED_TRACE("at " + testing::PrintToString(place));
        std::vector<Value> cosines, wanted, wanted_angles;
        for (const std::vector<Value>& each : w) {
          Value angle(0);
          for (std::size_t a = 0; a < each.size(); ++a) angle = angle + each[a] * place[a];
          wanted.push_back(magnitude * sin(angle)), cosines.push_back(magnitude * cos(angle));
          wanted_angles.push_back(angle);
        }
        wanted.insert(wanted.end(), cosines.begin(), cosines.end());
        compare_types([&](const View& out) { cache.write("sin_cos", lists_at(place), out); }, wanted, count);
        const std::vector<Value> once = wanted_angles;
        wanted_angles.insert(wanted_angles.end(), once.begin(), once.end());
        compare_types([&](const View& out) { angles.write("angles", lists_at(place), out); }, wanted_angles, count);
      }
    }
    if (!test::depends_on_length(preset.convention)) break;
  }
  ++count.presets;
}

void expect_presets_exact(std::size_t most_widths, int places, std::uint64_t seed) {
  Tally waves, rotations;
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    if (std::holds_alternative<Waves>(preset.convention)) check_waves(preset, most_widths, places, seed, waves);
    if (std::holds_alternative<Rotary>(preset.convention)) check_rotation(preset, most_widths, places, seed, rotations);
  }
  EXPECT_GE(waves.presets, 80);
  EXPECT_GE(rotations.presets, 60);
  const std::int64_t checked = waves.checked + rotations.checked;
  testing::Test::RecordProperty("checked", std::to_string(checked));
  std::printf("%lld entries of %lld presets checked, %lld misrounded\n", static_cast<long long>(checked),
              static_cast<long long>(waves.presets + rotations.presets),
              static_cast<long long>(waves.wrong + rotations.wrong));
}

// 182050 / 100 is half-way between 1820 and 1821 of f16. The product with MPFR's 1 / 100 lies beside it.
TEST(EveryPreset, AnAngleInTheMiddleOfTwoNumbersIsTheEvenOne) {
  const RotaryCache angles(with_field(preset("chatglm-2d").convention, "stored", "angles_twice"), 16);
  std::vector<half> row(16);
  angles.write("angles", lists_at({182050, 0}), view(row.data(), {1, 16}));
  const Value hundredth = pow(Value(10000), Value(-0.5));
  EXPECT_EQ(oracle::rounded(hundredth * 182050, oracle::f16), 1820);
  EXPECT_EQ(std::ranges::count(row, half(1820.0F)), 2);
}

TEST(EveryPreset, IsRoundedOnceAtRandomPlaces) { expect_presets_exact(1, 2, 16); }
TEST(ExhaustiveEveryPreset, IsRoundedOnceAtRandomPlaces) { expect_presets_exact(3, 100, 17); }

}  // namespace
}  // namespace posenc
