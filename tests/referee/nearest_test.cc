// SPDX-License-Identifier: Apache-2.0
// What is said of a tensor that fits nothing: the row of presets that is nearest, and what was done to it, each planted
// into an exact table, as it is and through bf16; and what is nothing is near to nothing.
#include <gtest/gtest.h>
#include <posenc/referee/identify.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>

#include "src/referee/not_identified.h"

namespace posenc {
namespace {

struct Table {
  std::int64_t rows, width;
  std::vector<float> entries;
  ConstView view() const { return posenc::view(entries.data(), {rows, width}); }
  float& at(std::int64_t row, std::int64_t column) { return entries[static_cast<std::size_t>(row * width + column)]; }
};
Table table_of(std::string_view name, std::int64_t rows, std::int64_t width, std::int64_t first = 0) {
  Table table = {rows, width, std::vector<float>(static_cast<std::size_t>(rows * width))};
  sinusoid(preset(name).convention, Positions::range(first, rows), view(table.entries.data(), {rows, width}));
  return table;
}
Table through_bf16(Table table) {
  for (float& x : table.entries) x = static_cast<float>(bfloat16(x));
  return table;
}

bool is_nearest(const Identification& told, std::string_view name) {
  return told.nearest && std::ranges::find(told.nearest->presets, name) != told.nearest->presets.end();
}

// What is said of a tensor that identify does not name, as Identify.WhatIsNoneIsNotNamed shows; naming takes longer.
Identification told_of(const ConstView& tensor) { return referee::not_identified(tensor, {}); }

// The row is nearest, and the kind says these words.
void expect_kind(const Table& table, std::string_view name, std::string_view words) {
  for (const Table& each : {table, through_bf16(table)}) {
    const Identification told = told_of(each.view());
    EXPECT_TRUE(is_nearest(told, name)) << name << "\n" << to_string(told);
    EXPECT_NE(told.kind.find(words), std::string::npos) << words << "\n" << to_string(told);
  }
}

float normal(std::mt19937& random) { return std::normal_distribution<float>()(random); }

// ---- what was done to a table --------------------------------------------------------------------------

TEST(Nearest, ARowIsDamaged) {
  for (const std::int64_t first : {0, 100}) {
    std::mt19937 random(5);
    Table table = table_of("transformer", 64, 32, first);
    for (std::int64_t c = 0; c < 32; ++c) table.at(17, c) = normal(random);
    expect_kind(table, "transformer", "row 17 is damaged");
    const Identification told = told_of(table.view());
    ASSERT_TRUE(told.nearest);
    EXPECT_EQ(told.nearest->places[0].first, static_cast<double>(first));
    EXPECT_EQ(told.nearest->exact.entries - told.nearest->exact.equal, 32);
  }
}

TEST(Nearest, OneEntryIsDamaged) {
  Table table = table_of("mae-1d", 100, 16);
  table.at(40, 3) = 0.125f;
  expect_kind(table, "mae-1d", "row 40 is damaged");
  const Identification told = identify(table.view());
  EXPECT_TRUE(told.candidates.empty());
  ASSERT_TRUE(told.nearest);
  EXPECT_EQ(told.nearest->exact.equal, 100 * 16 - 1);
  EXPECT_EQ(told.nearest->exact.first, (std::vector<std::int64_t>{40, 3}));
}

TEST(Nearest, ColumnsAreDamagedZeroOrOfTheOtherSign) {
  std::mt19937 random(6);
  Table table = table_of("whisper", 64, 32);
  for (std::int64_t p = 0; p < 64; ++p) table.at(p, 5) = normal(random);
  expect_kind(table, "whisper", "column 5 is damaged");
  table = table_of("whisper", 64, 32);
  for (std::int64_t p = 0; p < 64; ++p) table.at(p, 3) = 0, table.at(p, 20) *= -1;
  expect_kind(table, "whisper", "column 3 is zero; column 20 is of the other sign");
}

TEST(Nearest, ColumnsArePermuted) {
  std::mt19937 random(7);
  for (const std::int64_t width : {16, 64}) {
    std::vector<std::int64_t> from(static_cast<std::size_t>(width));
    std::iota(from.begin(), from.end(), 0);
    std::ranges::shuffle(from, random);
    Table exact = table_of("mae-1d", 100, width), table = exact;
    for (std::int64_t p = 0; p < 100; ++p) {
      for (std::int64_t c = 0; c < width; ++c) table.at(p, c) = exact.at(p, from[static_cast<std::size_t>(c)]);
    }
    const Identification told = told_of(table.view());
    ASSERT_TRUE(told.nearest) << to_string(told);
    // Layouts are orders of the same columns, so that any of them is as near: what is said holds of the one named.
    std::int64_t to = 0, of = 0;
    ASSERT_EQ(
        std::sscanf(told.kind.c_str(), "columns are permuted: column %" SCNd64 " holds column %" SCNd64, &to, &of), 2)
        << to_string(told);
    Table named = table_of(told.nearest->presets[0], 100, width);
    for (std::int64_t p = 0; p < 100; ++p) EXPECT_NEAR(table.at(p, to), named.at(p, of), 1e-5) << p;
  }
}

TEST(Nearest, RowsArePermuted) {
  std::mt19937 random(8);
  Table exact = table_of("tf-tutorial", 64, 32), table = exact;
  std::vector<std::int64_t> from(64);
  std::iota(from.begin(), from.end(), 0);
  std::ranges::shuffle(from, random);
  for (std::int64_t p = 0; p < 64; ++p) {
    for (std::int64_t c = 0; c < 32; ++c) table.at(p, c) = exact.at(from[static_cast<std::size_t>(p)], c);
  }
  std::int64_t moved = 0;
  while (from[static_cast<std::size_t>(moved)] == moved) ++moved;
  expect_kind(table, "tf-tutorial",
              "rows are permuted: row " + std::to_string(moved) + " holds position " +
                  std::to_string(from[static_cast<std::size_t>(moved)]));
}

// Each where it was measured, as times of notes or of frames are.
TEST(Nearest, RowsAreAtPositionsOfTheirOwn) {
  std::mt19937 random(9);
  for (const bool whole : {true, false}) {
    std::vector<double> positions(100);
    for (double& each : positions) each = std::uniform_real_distribution<double>(0, 1000)(random);
    if (whole) std::ranges::transform(positions, positions.begin(), [](double x) { return std::rint(x); });
    std::ranges::sort(positions);
    Table table = {100, 32, std::vector<float>(3200)};
    sinusoid(preset("transformer").convention, Positions::list(posenc::view(positions.data(), {100})),
             posenc::view(table.entries.data(), {100, 32}));
    const Identification told = told_of(table.view());
    EXPECT_TRUE(is_nearest(told, "transformer")) << to_string(told);
    const std::string_view before = "rows are at other positions: row 0 holds position ";
    ASSERT_TRUE(told.kind.starts_with(before)) << to_string(told);
    EXPECT_NEAR(std::strtod(told.kind.c_str() + before.size(), nullptr), positions[0], 1e-6) << to_string(told);
  }
}

TEST(Nearest, NoiseHasASize) {
  for (const float size : {1e-2f, 0.3f}) {
    std::mt19937 random(9);
    Table table = table_of("transformer", 64, 32);
    for (float& x : table.entries) x += size * normal(random);
    expect_kind(table, "transformer", "noise of size ");
    const std::string kind = told_of(table.view()).kind;
    EXPECT_NEAR(std::stod(kind.substr(14)), static_cast<double>(size), 0.1 * static_cast<double>(size)) << kind;
  }
}

// Of consecutive rows nearly the same, as training leaves it.
std::vector<float> smooth(std::int64_t rows, std::mt19937& random) {
  std::vector<float> noise(static_cast<std::size_t>(rows + 10)), all;
  for (float& x : noise) x = normal(random);
  for (std::int64_t p = 0; p < rows; ++p) {
    float sum = 0;
    for (std::size_t i = 0; i <= 10; ++i) sum += noise[static_cast<std::size_t>(p) + i];
    all.push_back(sum / std::sqrt(11.f));
  }
  return all;
}

TEST(Nearest, LearnedFromASinusoid) {
  std::mt19937 random(10);
  Table table = table_of("mae-1d", 100, 32);
  for (std::int64_t c = 0; c < 32; ++c) {
    const std::vector<float> moved = smooth(100, random);
    const float size = c < 8 ? 0 : 0.01f * static_cast<float>(c - 7);
    for (std::int64_t p = 0; p < 100; ++p) table.at(p, c) += size * moved[static_cast<std::size_t>(p)];
  }
  expect_kind(table, "mae-1d", "learned from a sinusoid: distance grows in columns ");
  expect_kind(table, "mae-1d", " to 31, to 0.2");
}

TEST(Nearest, AnotherHalf) {
  Table table = table_of("tf-tutorial", 64, 32);
  const Table other = table_of("mae-1d", 64, 32);
  std::copy(other.entries.begin() + 32 * 32, other.entries.end(), table.entries.begin() + 32 * 32);
  expect_kind(table, "tf-tutorial", "rows 32 to 63 hold something else");
}

TEST(Nearest, RoundedAngles) {
  const Convention convention = preset("transformer").convention;
  Table table = table_of("transformer", 200, 32);
  for (std::int64_t p = 0; p < 200; ++p) {
    for (std::int64_t k = 0; k < 16; ++k) {
      const float w = std::pow(10000.f, -static_cast<float>(k) / 16);
      const auto angle = static_cast<float>(bfloat16(static_cast<float>(p) * w));
      table.at(p, 2 * k) = std::sin(angle), table.at(p, 2 * k + 1) = std::cos(angle);
    }
  }
  expect_kind(table, "transformer", "angles were rounded to bf16");
}

TEST(Nearest, OfACacheOfARotation) {
  const RotaryCache cache(with_field(preset("rope-half").convention, "stored", "halves_twice"), 64);
  Table table = {100, 64, std::vector<float>(6400)};
  cache.write("cos", Positions::range(0, 100), view(table.entries.data(), {100, 64}));
  std::mt19937 random(11);
  for (float& x : table.entries) x += 0.01f * normal(random);
  expect_kind(table, "rope-half", "noise of size 0.0");
}

TEST(Nearest, OfOtherOrientationsAndScales) {
  std::mt19937 random(12);
  Table table = table_of("transformer", 50, 64);
  for (float& x : table.entries) x = 8 * x + 0.05f * normal(random);
  for (const ConstView& tensor : {table.view(), table.view().transposed(0, 1)}) {
    const Identification told = told_of(tensor);
    EXPECT_TRUE(is_nearest(told, "transformer")) << to_string(told);
    ASSERT_TRUE(told.nearest);
    ASSERT_FALSE(told.nearest->fitted.empty());
    EXPECT_NEAR(told.nearest->fitted[0].value, 8, 0.05);
    EXPECT_TRUE(told.kind.starts_with("noise of size 0.0")) << told.kind;
  }
}

// ---- what is near to nothing -----------------------------------------------------------------------------

std::string kind_of(const Table& table) {
  const Identification told = told_of(table.view());
  EXPECT_FALSE(told.nearest) << to_string(told);
  return told.kind;
}
template <class Value>
Table made(std::int64_t rows, std::int64_t width, const Value& value) {
  Table table = {rows, width, {}};
  for (std::int64_t p = 0; p < rows; ++p) {
    for (std::int64_t c = 0; c < width; ++c) table.entries.push_back(static_cast<float>(value(p, c)));
  }
  return table;
}

TEST(Nearest, ValuesThatSayItThemselves) {
  const auto bits = [](std::int64_t p, std::int64_t c) {
    return __builtin_popcountll(static_cast<unsigned long long>(p & c));
  };
  EXPECT_EQ(kind_of(made(40, 16, [](auto, auto) { return 0; })), "zeros");
  const Table halves = made(40, 16, [](auto, auto) { return 0.5; });
  EXPECT_EQ(kind_of(halves), "constant: 0.5");
  EXPECT_TRUE(identify(halves.view()).candidates.empty()) << "every wave is constant at steps of 0";
  EXPECT_EQ(kind_of(made(48, 48, [](auto p, auto c) { return p == c; })), "values are few: 0 and 1 (one hot)");
  EXPECT_EQ(kind_of(made(16, 16, [&](auto p, auto c) { return bits(p, c) % 2 == 0 ? 0.25 : -0.25; })),
            "values are few: -0.25 and 0.25 (Hadamard)");
  EXPECT_EQ(kind_of(made(40, 16, [](auto, auto c) { return 0.1 * static_cast<double>(c * c); })), "rows are equal");
  std::mt19937 random(13);
  std::vector<float> distances(64);
  for (float& x : distances) x = normal(random);
  EXPECT_EQ(kind_of(made(20, 20, [&](auto p, auto c) { return distances[static_cast<std::size_t>(c - p + 20)]; })),
            "entries depend on key - query alone: biases of distances");
}

TEST(Nearest, EntriesThatAreNotFiniteAreCounted) {
  Table table = table_of("transformer", 64, 32);
  table.at(5, 2) = std::numeric_limits<float>::quiet_NaN();
  expect_kind(table, "transformer", "1 entry is not finite: [5, 2]");
  table.at(9, 0) = std::numeric_limits<float>::infinity();
  expect_kind(table, "transformer", "2 entries are not finite, the first is [5, 2]");
}

TEST(Nearest, ValuesAreMultiples) {
  Table table = table_of("mae-1d", 100, 16);
  for (float& x : table.entries) x = std::rint(x * 7) / 7;
  expect_kind(table, "mae-1d", "values are few: multiples of 1/7, 15 of them");
}

TEST(Nearest, WavesInNoKnownLadder) {
  std::mt19937 random(14);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> w(16);
  for (double& each : w) each = 3 * uniform(random);
  const auto wave = [&](std::int64_t p, std::int64_t c) {
    const double angle = static_cast<double>(p) * w[static_cast<std::size_t>(c % 16)] + static_cast<double>(c);
    return std::sin(angle);
  };
  EXPECT_EQ(kind_of(made(100, 32, wave)), "columns are waves of one frequency each, in no known ladder");
}

TEST(Nearest, RandomNumbersHaveNoNearest) {
  std::mt19937 random(15);
  for (const std::int64_t rows : {1, 2, 3, 8, 17, 100}) {
    for (const std::int64_t width : {2, 3, 7, 16, 61}) {
      Table table = made(rows, width, [&](auto, auto) { return normal(random); });
      const Identification told = told_of(table.view());
      EXPECT_FALSE(told.nearest) << rows << " " << width << "\n" << to_string(told);
      if (rows < 8 || width < 7) continue;  // a few numbers are many things
      EXPECT_TRUE(told.kind.starts_with("no line spectrum")) << rows << " " << width << " " << to_string(told);
      for (float& x : table.entries) x *= 0.02f;
      EXPECT_EQ(kind_of(table), told.kind);
    }
  }
}

TEST(Nearest, SmoothNumbersHaveNoNearest) {
  std::mt19937 random(16);
  for (const std::int64_t width : {8, 16, 64}) {
    Table table = {200, width, std::vector<float>(static_cast<std::size_t>(200 * width))};
    for (std::int64_t c = 0; c < width; ++c) {
      const std::vector<float> column = smooth(200, random);
      for (std::int64_t p = 0; p < 200; ++p) table.at(p, c) = column[static_cast<std::size_t>(p)];
    }
    EXPECT_TRUE(kind_of(table).starts_with("learned, or smooth otherwise: no line spectrum")) << width;
  }
}

// ---- lists -----------------------------------------------------------------------------------------------

TEST(Nearest, OfListsOfFrequencies) {
  std::vector<float> list;
  for (int k = 0; k < 32; ++k) list.push_back(static_cast<float>(std::pow(10000.0, -k / 32.0)));
  list[7] = 0.5f;
  Identification told = told_of(view(std::as_const(list).data(), {32}));
  EXPECT_TRUE(is_nearest(told, "rope-half")) << to_string(told);
  EXPECT_EQ(told.kind, "entry 7 is damaged");
  list[7] = list[9], list[9] = static_cast<float>(std::pow(10000.0, -7 / 32.0));
  told = told_of(view(std::as_const(list).data(), {32}));
  EXPECT_TRUE(is_nearest(told, "rope-half")) << to_string(told);
  EXPECT_EQ(told.kind, "entries are permuted: entry 7 holds entry 9, entry 9 holds entry 7");
  for (std::size_t k = 0; k < 32; ++k) list[k] = 1 / static_cast<float>(k + 1);
  told = told_of(view(std::as_const(list).data(), {32}));
  EXPECT_FALSE(told.nearest) << to_string(told);
  EXPECT_EQ(told.kind, "entries fall in no known ladder");
}

// Positions are divided by timescales in the code of some: of a base that no row has.
TEST(Nearest, OfListsOfPeriods) {
  for (const auto& [times, form] : {std::pair{1.0, "divisors"}, std::pair{2 * std::acos(-1.0), "periods"}}) {
    std::vector<float> list;
    for (int k = 0; k < 32; ++k) list.push_back(static_cast<float>(times * std::pow(123456.0, k / 32.0)));
    const Identification told = told_of(view(std::as_const(list).data(), {32}));
    ASSERT_TRUE(told.nearest) << to_string(told);
    EXPECT_EQ(told.nearest->form, form);
    EXPECT_NE(told.kind.find(form == std::string_view("periods") ? "2 pi / frequency" : "1 / frequency"),
              told.kind.npos);
    ASSERT_FALSE(told.nearest->fitted.empty()) << to_string(told);
    EXPECT_EQ(told.nearest->fitted[0].simple, "123456");
  }
}

// Many ports take the formula of powers of two for every number of heads: a geometric list, but of no rotation.
TEST(Nearest, SlopesByTheFormulaOfPowersOfTwo) {
  for (const int heads : {3, 12, 40}) {
    std::vector<float> slopes;
    for (int h = 1; h <= heads; ++h) slopes.push_back(static_cast<float>(std::exp2(-8.0 * h / heads)));
    const Identification told = told_of(view(std::as_const(slopes).data(), {heads}));
    EXPECT_TRUE(is_nearest(told, "alibi")) << to_string(told);
    EXPECT_EQ(told.kind.find("slopes are 2^(-8 h / " + std::to_string(heads) + "), the formula of powers"), 0U)
        << told.kind;
  }
}

TEST(Nearest, SlopesOfHeadsInAnotherOrder) {
  std::vector<float> slopes;
  for (int h = 8; h > 0; --h) slopes.push_back(std::ldexp(1.0f, -h));
  Identification told = told_of(view(std::as_const(slopes).data(), {8}));
  EXPECT_TRUE(is_nearest(told, "alibi")) << to_string(told);
  EXPECT_EQ(told.kind, "heads are in reverse order");
  std::ranges::reverse(slopes);
  std::swap(slopes[1], slopes[6]);
  told = told_of(view(std::as_const(slopes).data(), {8}));
  EXPECT_EQ(told.kind, "heads are permuted: entry 1 holds head 6, entry 6 holds head 1");
}

// ---- rows and columns of others ---------------------------------------------------------------------------

TEST(Nearest, ColumnsOfZerosBehind) {
  for (const std::int64_t width : {6, 7, 64}) {
    for (const std::int64_t zeros : {1, 2}) {
      const Table paper = table_of("xlm", 40, width);
      Table wider = {40, width + zeros, std::vector<float>(static_cast<std::size_t>(40 * (width + zeros)))};
      for (std::int64_t i = 0; i < 40; ++i) {
        for (std::int64_t c = 0; c < width; ++c) {
          wider.at(i, c) = paper.entries[static_cast<std::size_t>(i * width + c)];
        }
      }
      const Identification told = told_of(wider.view());
      EXPECT_TRUE(is_nearest(told, "xlm")) << width << " " << zeros << "\n" << to_string(told);
      EXPECT_EQ(told.kind.starts_with("column"), true) << told.kind;
      EXPECT_TRUE(told.kind.ends_with("zero: padding")) << told.kind;
      ASSERT_TRUE(told.nearest);
      EXPECT_EQ(told.nearest->width, width);
    }
  }
}

TEST(Nearest, OtherPositionsThanThoseStated) {
  const Table table = table_of("transformer", 100, 64);
  for (const Positions& stated :
       {Positions::range(1, 100), Positions::range(5, 100), Positions::range(0.0, 100, 2.0)}) {
    const Identification told = identify(table.view(), {.positions = {stated}});
    EXPECT_TRUE(told.candidates.empty());
    EXPECT_EQ(told.kind, "the rows are at other positions than those stated");
    ASSERT_TRUE(is_nearest(told, "transformer"));
    EXPECT_EQ(told.nearest->places[0].first, 0);
    EXPECT_EQ(told.nearest->places[0].step, 1);
  }
}

// ---- time ------------------------------------------------------------------------------------------------

TEST(Nearest, IsToldInTime) {
  std::mt19937 random(17);
  for (const auto& [rows, width] : {std::pair<std::int64_t, std::int64_t>{1024, 1024}, {16384, 64}}) {
    const Table table = made(rows, width, [&](auto, auto) { return normal(random); });
    const std::clock_t begin = std::clock();  // of the process, whatever else the machine does
    EXPECT_FALSE(told_of(table.view()).kind.empty());
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("[%lld, %lld]: %.2f s\n", static_cast<long long>(rows), static_cast<long long>(width), seconds);
    EXPECT_LT(seconds, 20);  // 7 s and 3 s on a quiet CPU, asserts on
  }
}

}  // namespace
}  // namespace posenc
