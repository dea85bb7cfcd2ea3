// SPDX-License-Identifier: Apache-2.0
// Caches of rotations: every form holds the cosines, sines and angles of the pairs, in its own order.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include "tests/encodings/element_types.h"
#include "tests/encodings/field.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

Convention stored(std::string_view name, std::string_view form) {
  return with_field(preset(name).convention, "stored", form);
}

const Convention& llama = preset("rope-half").convention;

template <class T>
std::vector<T> cache(const RotaryCache& rows, std::string_view tensor, const Positions& positions) {
  std::vector<T> out(static_cast<std::size_t>(positions.count_ * rows.width()));
  rows.write(tensor, positions, view(out.data(), {positions.count_, rows.width()}));
  return out;
}

// [cos a_0 .. cos a_n-1] and [sin a_0 ..] of one position, from the table of the same ladder.
template <class T>
struct Turned {
  std::vector<T> cosines, sines;
  Turned(const Convention& rotary, std::int64_t turned, std::int64_t position) {
    const Sinusoid table = {std::get<Rotary>(rotary).ladders[0], Layout::cosine_first, OddWidth::refused};
    std::vector<T> row(static_cast<std::size_t>(turned));
    sinusoid(Waves(table), Positions::at(position), view(row.data(), {1, turned}));
    cosines.assign(row.begin(), row.begin() + turned / 2);
    sines.assign(row.begin() + turned / 2, row.end());
  }
};

template <class T>
std::vector<T> joined(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}
template <class T>
std::vector<T> alternating(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> both;
  for (std::size_t k = 0; k < a.size(); ++k) both.push_back(a[k]), both.push_back(b[k]);
  return both;
}

template <class T>
class RotaryCacheOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(RotaryCacheOfEveryType, test::TableTypes);

TYPED_TEST(RotaryCacheOfEveryType, HoldsThePairsInTheOrderOfItsForm) {
  using T = TypeParam;
  for (const std::int64_t head : {2, 6, 64, 258}) {
    for (const std::int64_t p : {0, 1, -7, 131071}) {
      const Positions at = Positions::at(p);
      const Turned<T> row(llama, head, p);
      const auto made = [&](std::string_view form, std::string_view tensor) {
        return cache<T>(RotaryCache(stored("rope-half", form), head), tensor, at);
      };
      EXPECT_EQ(made("halves_twice", "cos"), joined(row.cosines, row.cosines));
      EXPECT_EQ(made("halves_twice", "sin"), joined(row.sines, row.sines));
      EXPECT_EQ(made("pairs_twice", "cos"), alternating(row.cosines, row.cosines));
      EXPECT_EQ(made("pairs_twice", "sin"), alternating(row.sines, row.sines));
      EXPECT_EQ(made("sine_cosine", "sin_cos"), joined(row.sines, row.cosines));
      EXPECT_EQ(made("complex", "cos_sin"), alternating(row.cosines, row.sines));
    }
  }
}

// w_k of 3 and 2^-20: products with small positions are exact in f64.
TYPED_TEST(RotaryCacheOfEveryType, AnglesAreTheProductsRoundedOnce) {
  using T = TypeParam;
  const Convention own = Rotary{Listed{{3, 0x1p-20}}, Pairing::adjacent};
  const RotaryCache rows(with_field(own, "stored", "angles_twice"), 4);
  for (const double p : {0.0, 1.0, 5.25, -2049.0, 1048577.0}) {
    const T slow = T(static_cast<float>(p * 0x1p-20));
    const std::vector<T> row = cache<T>(rows, "angles", Positions::at(p));
    EXPECT_EQ(row[1], row[3]);
    EXPECT_EQ(row[0], row[2]);
    if constexpr (std::is_same_v<T, double>) {
      EXPECT_EQ(row[0], 3 * p);
      EXPECT_EQ(row[1], p * 0x1p-20);
    } else if (std::abs(p) < 2049) {  // halves: a product that f32 holds is rounded once by their constructor
      EXPECT_EQ(row[0], T(static_cast<float>(3 * p)));
      EXPECT_EQ(row[1], slow);
    }
  }
}

TEST(RotaryCache, HasTheMagnitudeAndThePartOfTheConvention) {
  const RotaryCache yarn(stored("gpt-oss", "halves_twice"), 64);
  EXPECT_EQ(cache<double>(yarn, "cos", Positions::at(0))[5], 1.3465735902799727);
  const RotaryCache half(stored("glm", "complex"), 128);
  EXPECT_EQ(half.width(), 64);
}

TEST(RotaryCache, IsWhatARotationMultipliesWith) {
  for (const std::string_view name : {"rope-half", "rope-yarn", "rope-llama3", "gemma-3-full", "gpt-oss"}) {
    const Convention convention = stored(name, "halves_twice");
    for (const Recipe& recipe : {exact(), preset(name).original}) {
      const RotaryCache rows(convention, 64, {.recipe = recipe});
      std::vector<float> head(64, 0.0F);
      std::fill(head.begin(), head.begin() + 32, 1.0F);  // (1, 0) becomes (cos, sin)
      const View both = view(head.data(), {1, 64});
      rotary(convention, Positions::at(77), both, both, Direction::forward, {.recipe = recipe});
      const std::vector<float> cos = cache<float>(rows, "cos", Positions::at(77));
      const std::vector<float> sin = cache<float>(rows, "sin", Positions::at(77));
      for (std::size_t k = 0; k < 32; ++k) {
        EXPECT_EQ(head[k], cos[k]) << name << recipe.name;
        EXPECT_EQ(head[k + 32], sin[k]) << name << recipe.name;
      }
    }
  }
}

TEST(RotaryCache, FollowsTheRecipeAndGivesItsFrequencies) {
  const Recipe& original = preset("rope-half").original;
  const RotaryCache rows(stored("rope-half", "halves_twice"), 128, {.recipe = original});
  const Rows table(Waves(Sinusoid{std::get<Rotary>(llama).ladders[0], Layout::cosine_first, OddWidth::refused}), 128,
                   {.recipe = original});
  EXPECT_EQ(rows.frequencies(), table.frequencies());
  std::vector<float> row(128);
  table.write(Positions::at(4095), view(row.data(), {1, 128}));
  const std::vector<float> cos = cache<float>(rows, "cos", Positions::at(4095));
  EXPECT_TRUE(std::equal(row.begin(), row.begin() + 64, cos.begin()));
}

TEST(RotaryCache, WritesListsOfSequencesIntoAnyStrides) {
  const RotaryCache rows(stored("rope-half", "complex"), 6);
  const std::int64_t listed[] = {4, 9, -1, 0};
  std::vector<float> expected;
  for (const std::int64_t p : listed) {
    for (const float entry : cache<float>(rows, "cos_sin", Positions::at(p))) expected.push_back(entry);
  }
  for (const test::Memory memory : test::memories) {
    test::Field<float> out({2, 2, 6}, memory);
    rows.write("cos_sin", Positions::list(view(listed, {2, 2})), out.view());
    EXPECT_EQ(out.values(), expected);
    EXPECT_TRUE(out.rest_is_untouched());
  }
}

// Every rotation that a cache can hold: the width that is told equals the width of the tensors, at any length.
TEST(RotaryCache, TellsItsWidthWithoutALadder) {
  int caches = 0;
  for (const Preset& row : presets()) {
    if (check_use("rotary_cache", ConventionUse::rotations, row.convention)) continue;
    const Convention convention = with_field(row.convention, "stored", "halves_twice");
    for (const std::int64_t head : {16, 128, 144}) {
      const Context context = {.length = 1 << 16};
      if (RotaryCache::check(convention, head, {.context = context})) continue;
      EXPECT_EQ(RotaryCache::width(row.convention, head), RotaryCache(convention, head, {.context = context}).width())
          << row.name << " " << head;
      ++caches;
    }
  }
  EXPECT_GT(caches, 100);
  EXPECT_EQ(RotaryCache::width(with_field(llama, "part", 24), 64), 24);
  EXPECT_EQ(RotaryCache::width(preset("xpos-lucid").convention, 64), 64);  // which no cache has, but for its decay
  EXPECT_EQ(said(RotaryCache::check_head(llama, 63)), "[convention] width must be even, got 63");
  const Convention& table = preset("transformer").convention;
  EXPECT_EQ(test::thrown([&] { return RotaryCache::width(table, 64); }),
            said(check_use("rotary_cache", ConventionUse::rotations, table)));
}

TEST(RotaryCache, SaysWhatIsWrong) {
  const Convention& table = preset("transformer").convention;
  const Recipe& rounded = preset("rope-half").original;
  const Convention pairs = stored("rope-half", "complex");
  const auto made = [](const Convention& convention, std::int64_t head, const Recipe& recipe = exact()) {
    return said(RotaryCache::check(convention, head, {.recipe = recipe}));
  };
  EXPECT_EQ(made(table, 64), said(check_use("rotary_cache", ConventionUse::rotations, table)));
  EXPECT_EQ(made(pairs, 63), "[convention] width must be even, got 63");
  EXPECT_EQ(made(with_field(pairs, "stored", "none"), 64),
            "[rotary_cache] stored must be halves_twice, pairs_twice, sine_cosine, complex or angles_twice, got none");
  EXPECT_EQ(made(with_field(pairs, "stored", "angles_twice"), 64, rounded),
            "[rotary_cache] the recipe must be exact for angles, got f32-reciprocal");
  EXPECT_EQ(made(with_fields(pairs, {{"pairing", "adjacent"}, {"angles", "by_column"}}), 64),
            "[rotary_cache] a pair must turn by one angle, got angles by column");
  EXPECT_EQ(made(stored("xpos-lucid", "complex"), 64),
            "[rotary_cache] the convention must have no decay: queries and keys differ, got xpos");

  const RotaryCache rows(stored("rope-half", "halves_twice"), 4);
  std::vector<float> out(8);
  const auto wrote = [&](std::string_view tensor, const Positions& positions, const View& to) {
    return said(rows.check_write(tensor, positions, to));
  };
  const View two = view(out.data(), {2, 4});
  EXPECT_EQ(wrote("tan", Positions::range(0, 2), two), "[rotary_cache] tensor must be cos or sin, got 'tan'");
  EXPECT_EQ(wrote("cos", Positions::range(0, 3), two),
            "[rotary_cache] out must have a row for each of 3 positions, got [2, 4]");
  EXPECT_EQ(wrote("cos", Positions::range(0, 4), view(out.data(), {4, 2})),
            "[rotary_cache] out must have 4 columns, got [4, 2]");
  EXPECT_EQ(wrote("sin", Positions::range(0, 2), two), said(std::nullopt));
}

}  // namespace
}  // namespace posenc
