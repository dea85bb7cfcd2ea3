// SPDX-License-Identifier: Apache-2.0
// Identify: tables of posenc and of other packages are named, in every orientation; what is none is not.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/referee/diagnose.h>
#include <posenc/referee/identify.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace posenc {
namespace {

std::vector<float> rows_of(const Convention& convention, std::int64_t first, std::int64_t count, std::int64_t width) {
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  sinusoid(convention, Positions::range(first, count), view(rows.data(), {count, width}));
  return rows;
}

bool is_named(const Identification& found, std::string_view preset) {
  return std::ranges::any_of(found.candidates, [&](const Candidate& candidate) {
    return std::ranges::find(candidate.presets, preset) != candidate.presets.end();
  });
}

const Candidate& table_of(const Identification& found) {
  static const Candidate none;
  for (const Candidate& candidate : found.candidates) {
    if (candidate.form == "table") return candidate;
  }
  return none;
}

double fitted(const Candidate& candidate, std::string_view name) {
  const auto number = std::ranges::find(candidate.fitted, name, &Fitted::name);
  return number == candidate.fitted.end() ? std::nan("") : number->value;
}

TEST(Identify, RowsFromAnyFirstPosition) {
  for (const std::int64_t first : {0, 1, 2, 100, 5000}) {
    const std::vector<float> rows = rows_of(preset("transformer").convention, first, 40, 64);
    const Identification found = identify(view(rows.data(), {40, 64}));
    EXPECT_TRUE(is_named(found, "transformer")) << first;
    EXPECT_FALSE(is_named(found, "whisper")) << first;
    const Candidate& table = table_of(found);
    EXPECT_EQ(table.exact.equal, 40 * 64);
    ASSERT_EQ(table.places.size(), 1u);
    EXPECT_EQ(table.places[0].first, static_cast<double>(first));
    EXPECT_EQ(table.places[0].step, 1);
  }
}

// In bf16 the sines of slow pairs are as near to 0 as those that do not turn; zeros are told from them.
TEST(Identify, PairsThatStandStillAreTold) {
  constexpr std::int64_t count = 33, width = 96;
  const Convention convention =
      with_fields(preset("rope-proportional").convention, {{"ladder.base", 1e6}, {"ladder.scaling.part", 0.75}});
  const RotaryCache cache(with_field(convention, "stored", "halves_twice"), width);
  std::vector<bfloat16> all(static_cast<std::size_t>(count * 2 * width));
  const Positions positions[] = {Positions::range(7, count)};
  for (const auto& [name, column] : {std::pair("cos", std::int64_t{0}), {"sin", width}}) {
    View half = view(all.data() + column, {count, width});
    half.strides[0] = 2 * width;
    cache.write(name, positions, half);
  }
  const Identification found = identify(view(std::as_const(all).data(), {count, 2 * width}));
  EXPECT_TRUE(is_named(found, "rope-proportional"));
  EXPECT_FALSE(is_named(found, "qwen2"));
}

// Of text the pairs of several axes turn as those of one do; those that stand still among them are zeros.
TEST(Identify, PairsOfSeveralAxesThatStandStillAreTold) {
  constexpr std::int64_t count = 100, width = 128;
  const Preset& imrope = preset("ggml-imrope");
  const RotaryCache cache(with_field(imrope.convention, "stored", "sine_cosine"), width, {.recipe = imrope.original});
  std::vector<half> rows(static_cast<std::size_t>(count * width));
  const std::vector<Positions> text(3, Positions::range(0, count));
  cache.write("sin_cos", text, view(rows.data(), {count, width}));  // not all are exact
  const Identification found = identify(view(std::as_const(rows).data(), {count, width}));
  EXPECT_TRUE(is_named(found, "ggml-imrope")) << to_string(found);
  EXPECT_FALSE(is_named(found, "mrope-interleaved"));
}

// bf16 hides what f16 made of the frequencies, but for entries near 0.
TEST(Identify, RoundedFrequenciesAreToldInHalfPrecision) {
  constexpr std::int64_t count = 50, pairs = 12;
  std::vector<bfloat16> cosines;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < 2 * pairs; ++c) {
      const double w = std::pow(10000.0, -static_cast<double>(c % pairs) / static_cast<double>(pairs));
      const auto rounded = static_cast<float>(half(static_cast<float>(w)));
      cosines.push_back(bfloat16(static_cast<float>(std::cos(static_cast<double>(i) * static_cast<double>(rounded)))));
    }
  }
  const Identification found = identify(view(std::as_const(cosines).data(), {count, 2 * pairs}));
  EXPECT_TRUE(found.candidates.empty());
  EXPECT_NE(found.kind.find("rounded to f16"), std::string::npos) << found.kind;
}

// A tone is a wave of some frequency, as every column of a table is.
TEST(Identify, OneWaveAloneIsNoTable) {
  for (const double w : {0.1727876, 0.3, 0.2617994}) {
    std::vector<float> sine, both;
    for (int i = 0; i < 256; ++i) {
      const double angle = w * i;
      sine.push_back(static_cast<float>(std::cos(angle)));
      both.insert(both.end(), {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))});
    }
    EXPECT_TRUE(identify(view(std::as_const(sine).data(), {256, 1})).candidates.empty()) << w;
    EXPECT_TRUE(identify(view(std::as_const(both).data(), {256, 2})).candidates.empty()) << w;
  }
}

// Llama 3.2 in bf16: half of its pairs turn by less than bf16 shows, and factors from 8 on leave those that are shown
// alike.
TEST(Identify, RampsOfOtherFactorsInHalfPrecision) {
  constexpr std::int64_t count = 512, pairs = 64;
  std::vector<double> frequencies;
  for (std::int64_t k = 0; k < pairs; ++k) {
    const double w = std::pow(500000.0, -static_cast<double>(k) / pairs), turns = 8192 * w / 6.283185307179586;
    const double kept = std::clamp((turns - 1) / 3, 0.0, 1.0);
    frequencies.push_back(w * (kept + (1 - kept) / 32));
  }
  std::vector<bfloat16> cosines;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < 2 * pairs; ++c) {
      cosines.push_back(bfloat16(
          static_cast<float>(std::cos(static_cast<double>(i) * frequencies[static_cast<std::size_t>(c % pairs)]))));
    }
  }
  const Identification found = identify(view(std::as_const(cosines).data(), {count, 2 * pairs}));
  const auto is_it = [](const Candidate& each) { return fitted(each, "factor") == 32; };
  ASSERT_TRUE(std::ranges::any_of(found.candidates, is_it)) << to_string(found);
  EXPECT_TRUE(is_named(found, "rope-llama3"));
}

// 2^20 entries are held against recipes, all where the caller asks for it.
TEST(Identify, LargeTablesSaySoWhereRecipesWereSampled) {
  constexpr std::int64_t count = 5000, width = 256;
  std::vector<float> rows(count * width);
  sinusoid(preset("transformer").convention, Positions::range(0, count), view(rows.data(), {count, width}),
           {.recipe = recipe("f32-exp")});
  const ConstView table = view(std::as_const(rows).data(), {count, width});
  const Identification some = identify(table), all = identify(table, {.depth = SearchDepth::full});
  ASSERT_TRUE(is_named(some, "transformer") && is_named(all, "transformer"));
  EXPECT_TRUE(some.sampled);
  EXPECT_LT(some.candidates[0].by_recipe.entries, count * width);
  EXPECT_FALSE(all.sampled);
  EXPECT_EQ(all.candidates[0].by_recipe.entries, count * width);
  EXPECT_EQ(all.candidates[0].recipe, "f32-exp");
}

// Every bit is its own in f32; a table that has all but one is no table of the phase, and bf16 tells none.
TEST(Identify, ATableOfThePhaseIsToldByAllOfItsBits) {
  constexpr std::int64_t count = 300, width = 64;
  const Convention& convention = preset("transformer").convention;
  std::vector<float> rows(count * width);
  sinusoid(convention, Positions::range(0, count), view(rows.data(), {count, width}), {.recipe = phase()});
  const Identification found = identify(view(rows.data(), {count, width}));
  const Candidate& table = table_of(found);
  EXPECT_EQ(table.recipe, "phase");
  EXPECT_EQ(table.by_recipe.equal, count * width);
  EXPECT_EQ(table.known_share, 1);
  EXPECT_LT(table.exact.equal, count * width);
  float& one = rows[100 * width + 7];
  one = std::nextafter(one, 2.0f);
  const Identification other = identify(view(rows.data(), {count, width}));
  EXPECT_NE(table_of(other).recipe, "phase");
  std::vector<bfloat16> narrow(rows.size());
  sinusoid(convention, Positions::range(0, count), view(narrow.data(), {count, width}), {.recipe = phase()});
  const Identification in_bf16 = identify(view(narrow.data(), {count, width}));
  EXPECT_EQ(table_of(in_bf16).recipe, "exact");
}

// Each entry is held to its own angle, not to the greatest of the table.
TEST(Identify, OneDamagedEntryIsEnoughForNoAnswer) {
  struct Case {
    std::int64_t rows, row, column;
    float by;
  };
  for (const Case& each : {Case{256, 200, 1, 1e-3F}, {256, 3, 62, 1e-3F}, {2048, 3, 1, 0.01F}, {16384, 3, 1, 0.03F}}) {
    std::vector<float> rows = rows_of(preset("transformer").convention, 0, each.rows, 64);
    rows[static_cast<std::size_t>(each.row * 64 + each.column)] += each.by;
    const Identification found = identify(view(rows.data(), {each.rows, 64}));
    EXPECT_TRUE(found.candidates.empty()) << to_string(found);
    EXPECT_EQ(found.kind, "row " + std::to_string(each.row) + " is damaged");
  }
}

TEST(Identify, RowsOfOthersInFrontBelongToNoPlace) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const std::int64_t front : {1, 2, 3, 5, 16}) {
    std::vector<float> rows(static_cast<std::size_t>(front * 64));
    for (float& x : rows) x = normal(random);
    const std::vector<float> table = rows_of(preset("transformer").convention, 0, 128, 64);
    rows.insert(rows.end(), table.begin(), table.end());
    const Identification found = identify(view(rows.data(), {128 + front, 64}));
    ASSERT_TRUE(is_named(found, "transformer")) << to_string(found);
    EXPECT_EQ(table_of(found).extra, front);
    EXPECT_EQ(table_of(found).places[0].first, 0);
  }
}

// A class token and registers, before a grid of patches.
TEST(Identify, RowsOfOthersInFrontOfAGrid) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const std::int64_t front : {1, 5}) {
    std::vector<float> rows(static_cast<std::size_t>((front + 14 * 14) * 64));
    for (std::int64_t i = 0; i < front * 64; ++i) rows[static_cast<std::size_t>(i)] = normal(random);
    grid(preset("mae-2d").convention, view(rows.data() + front * 64, {14, 14, 64}));
    const Identification found = identify(view(std::as_const(rows).data(), {front + 14 * 14, 64}));
    ASSERT_TRUE(is_named(found, "mae-2d")) << to_string(found);
    EXPECT_EQ(found.candidates[0].extra, front);
    EXPECT_EQ(found.candidates[0].extents, (std::vector<std::int64_t>{14, 14}));
  }
}

// Roundings of one entry leave a tenth of such a step open; those of thousands hardly any of it.
TEST(Identify, StepsOfPositionsThroughHalfPrecision) {
  struct Step {
    double value;
    std::string_view simple;
  };
  for (const auto& [step, simple] :
       {Step{0.001953125, "2^-9"}, {std::acos(-1.0) / 180, "pi / 180"}, {0.1, "0.1"}, {1 / 3.0, "1 / 3"}}) {
    std::vector<float> exact(256 * 64);
    sinusoid(preset("transformer").convention, Positions::range(0.0, 256, step), view(exact.data(), {256, 64}));
    const std::vector<bfloat16> rows(exact.begin(), exact.end());
    const Identification found = identify(view(rows.data(), {256, 64}));
    ASSERT_TRUE(is_named(found, "transformer")) << to_string(found);
    const Candidate& table = table_of(found);
    ASSERT_FALSE(table.fitted.empty());
    EXPECT_EQ(table.fitted[0].simple, simple);
    EXPECT_LE(table.fitted[0].low, step);
    EXPECT_GE(table.fitted[0].high, step);
    EXPECT_EQ(table.exact.share(), 1) << simple;
  }
}

// Tones rise by a quotient from column to column.
TEST(Identify, TonesAreNoLadder) {
  for (const double quotient : {1.5, 2.0, 3.0, 1.0594630943592953}) {
    std::vector<float> tones;
    for (int i = 0; i < 200; ++i) {
      for (int k = 0; k < 6; ++k) tones.push_back(static_cast<float>(std::sin(0.01 * std::pow(quotient, k) * i)));
    }
    const Identification found = identify(view(std::as_const(tones).data(), {200, 6}));
    EXPECT_TRUE(found.candidates.empty()) << quotient << to_string(found);
  }
}

// Cosines, then sines, along an axis of their own.
TEST(Identify, CachesOfBothInOneTensor) {
  const RotaryCache cache(with_field(preset("rope-llama3").convention, "stored", "halves_twice"), 64);
  const Positions positions[] = {Positions::range(0, 40)};
  std::vector<float> both(2 * 40 * 64);
  cache.write("cos", positions, view(both.data(), {40, 64}));
  cache.write("sin", positions, view(both.data() + 40 * 64, {40, 64}));
  const Identification found = identify(view(std::as_const(both).data(), {2, 40, 64}));
  ASSERT_TRUE(is_named(found, "rope-llama3")) << to_string(found);
  EXPECT_EQ(found.candidates[0].reading, "[2, L, d]");
}

// Each angle twice, sines or cosines first, in halves or in pairs: the oracle is libm's.
TEST(Identify, CachesOfBothThatHoldEachAngleTwice) {
  constexpr std::int64_t places = 64, pairs = 16;
  using Column = double (*)(double angle);
  const Column sine = [](double angle) { return std::sin(angle); },
               cosine = [](double angle) { return std::cos(angle); };
  for (const auto& [first, second] : {std::pair{sine, cosine}, {cosine, sine}}) {
    for (const bool halves : {true, false}) {
      for (const bool interleaved : {false, true}) {
        std::vector<float> rows;
        for (std::int64_t p = 0; p < places; ++p) {
          for (std::int64_t c = 0; c < 4 * pairs; ++c) {
            const std::int64_t of_both = interleaved ? c / 2 : c % (2 * pairs);
            const bool is_first = interleaved ? c % 2 == 0 : c < 2 * pairs;
            const std::int64_t k = halves ? of_both % pairs : of_both / 2;
            const double angle = static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(k) / pairs);
            rows.push_back(static_cast<float>((is_first ? first : second)(angle)));
          }
        }
        const ConstView tensor = view(std::as_const(rows).data(), {places, 4 * pairs});
        const Identification found = identify(tensor);
        EXPECT_TRUE(is_named(found, "rope-half")) << halves << interleaved << to_string(found);
        EXPECT_TRUE(diagnose(tensor, preset("rope-half").convention).right) << halves << interleaved;
      }
    }
  }
}

// [[cos, -sin], [sin, cos]] of every pair, as models of images multiply with; the oracle is libm's.
TEST(Identify, CachesOfMatrices) {
  constexpr std::int64_t places = 40, pairs = 16;
  std::vector<float> matrices;
  for (std::int64_t p = 0; p < places; ++p) {
    for (std::int64_t k = 0; k < pairs; ++k) {
      const double angle = static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(k) / pairs);
      const auto c = static_cast<float>(std::cos(angle)), s = static_cast<float>(std::sin(angle));
      matrices.insert(matrices.end(), {c, -s, s, c});
    }
  }
  const std::vector<std::int64_t> shapes[] = {{places, pairs, 2, 2}, {1, 1, places, pairs, 2, 2}};
  for (const auto& shape : shapes) {
    const Identification found = identify(view(std::as_const(matrices).data(), shape));
    ASSERT_TRUE(is_named(found, "rope-pair")) << to_string(found);
    EXPECT_EQ(found.candidates[0].reading, "[L, d / 2, 2, 2]");
    EXPECT_EQ(found.candidates[0].width, 2 * pairs);
  }
  matrices[4 * 77] += 0.01F;
  EXPECT_TRUE(identify(view(std::as_const(matrices).data(), {places, pairs, 2, 2})).candidates.empty())
      << "a diagonal holds two numbers";
}

// Angles alone, of ladders that are scaled; the oracle is libm's pow and the published ramp of Llama 3.
TEST(Identify, AnglesOfScaledLadders) {
  constexpr std::int64_t places = 100, pairs = 32;
  constexpr double base = 500000, factor = 32, slow = 1, fast = 4, length = 8192, two_pi = 6.283185307179586;
  for (const bool in_half : {false, true}) {
    std::vector<float> angles;
    for (std::int64_t p = 0; p < places; ++p) {
      for (std::int64_t k = 0; k < pairs; ++k) {
        const double w = std::pow(base, -static_cast<double>(k) / pairs);
        const double kept = std::clamp((length * w / two_pi - slow) / (fast - slow), 0.0, 1.0);
        const auto angle = static_cast<float>(static_cast<double>(p) * ((1 - kept) * w / factor + kept * w));
        angles.push_back(in_half ? static_cast<float>(bfloat16(angle)) : angle);
      }
    }
    const Identification found = identify(view(std::as_const(angles).data(), {places, pairs}));
    ASSERT_TRUE(is_named(found, "rope-llama3")) << to_string(found);
    const std::vector<Fitted>& fitted = found.candidates[0].fitted;
    const auto is_factor = [](const Fitted& each) { return each.name == "factor" && each.value == factor; };
    EXPECT_TRUE(std::ranges::any_of(fitted, is_factor)) << to_string(found);
  }
}

TEST(Identify, FarFromPositionZero) {
  for (const std::int64_t first : {32768, 100000, 1000000}) {
    const std::vector<float> rows = rows_of(preset("transformer").convention, first, 64, 64);
    const Identification found = identify(view(rows.data(), {64, 64}));
    ASSERT_TRUE(is_named(found, "transformer")) << first;
    EXPECT_EQ(table_of(found).places.at(0).first, static_cast<double>(first));
  }
}

TEST(Identify, EveryOrientation) {
  const std::vector<float> rows = rows_of(preset("whisper").convention, 0, 30, 16);
  const ConstView plain = view(rows.data(), {30, 16});
  for (const ConstView& tensor : {plain, plain.transposed(0, 1), ConstView(view(rows.data(), {1, 30, 16})),
                                  ConstView(view(rows.data(), {30, 1, 16}))}) {
    EXPECT_TRUE(is_named(identify(tensor), "whisper"));
  }
}

TEST(Identify, RowsOfZerosInFrontBelongToNoPlace) {
  std::vector<float> rows = rows_of(preset("mae-1d").convention, 0, 33, 32);
  std::fill_n(rows.begin(), 32, 0.f);
  const Identification found = identify(view(rows.data(), {33, 32}));
  EXPECT_TRUE(is_named(found, "mae-1d"));
  EXPECT_EQ(table_of(found).extra, 1);
  EXPECT_EQ(table_of(found).places[0].first, 1);
}

TEST(Identify, ThroughNarrowTypesAndScales) {
  std::vector<float> rows = rows_of(preset("transformer").convention, 3, 50, 64);
  for (float& x : rows) x = static_cast<float>(bfloat16(x));
  const Identification through = identify(view(rows.data(), {50, 64}));
  EXPECT_TRUE(is_named(through, "transformer"));
  EXPECT_EQ(table_of(through).storage, DType::bf16);

  rows = rows_of(preset("transformer").convention, 0, 50, 64);
  for (float& x : rows) x *= 8;
  const Identification scaled = identify(view(rows.data(), {50, 64}));
  EXPECT_TRUE(is_named(scaled, "transformer"));
  EXPECT_EQ(fitted(table_of(scaled), "scale"), 8);
}

TEST(Identify, AnUnusualBaseIsFitted) {
  const Convention convention = with_field(preset("whisper").convention, "ladder.base", 12345.5);
  const std::vector<float> rows = rows_of(convention, 0, 200, 64);
  const Identification found = identify(view(rows.data(), {200, 64}));
  ASSERT_TRUE(is_named(found, "whisper"));
  EXPECT_NEAR(fitted(table_of(found), "base"), 12345.5, 0.1);
  EXPECT_FALSE(table_of(found).differences.empty());
}

// A ladder of any base under one rule of the end point has some base under the other: the simple one is meant.
TEST(Identify, AnEndPointInALayoutThatNoRowHasItIn) {
  for (const std::int64_t width : {16, 30, 64}) {
    for (const bool in_bf16 : {false, width == 64}) {
      const Convention over_pairs = with_field(preset("transformer").convention, "ladder.spacing.over", "pairs");
      std::vector<float> rows = rows_of(with_field(over_pairs, "ladder.spacing.shift", 1), 0, 300, width);
      if (in_bf16) std::ranges::transform(rows, rows.begin(), [](float x) { return static_cast<float>(bfloat16(x)); });
      const Identification found = identify(view(rows.data(), {300, width}));
      ASSERT_TRUE(is_named(found, "transformer")) << to_string(found);
      const Candidate& table = table_of(found);
      EXPECT_TRUE(std::ranges::any_of(table.differences, [](const std::string& each) {
        return each.find("spacing.shift") != each.npos;
      })) << to_string(found);
      EXPECT_TRUE(std::ranges::none_of(table.differences, [](const std::string& each) {
        return each.find("base") != each.npos;
      })) << to_string(found);
    }
  }
}

TEST(Identify, GridsTellWhichAxisComesFirst) {
  for (const auto& [name, other] : {std::pair("mae-2d", "d-fine-2d"), std::pair("d-fine-2d", "mae-2d")}) {
    std::vector<float> cells(5 * 7 * 32);
    grid(preset(name).convention, view(cells.data(), {5, 7, 32}));
    for (const ConstView& tensor :
         {ConstView(view(cells.data(), {5, 7, 32})), ConstView(view(cells.data(), {35, 32}))}) {
      const Identification found = identify(tensor);
      EXPECT_TRUE(is_named(found, name)) << name;
      EXPECT_FALSE(is_named(found, other)) << name;
    }
  }
}

// A few rows far from position 0, made in f32: their angles were rounded there, by more than the few steps between them
// tell.
TEST(Identify, AnotherBaseFarFromPositionZero) {
  const Preset& row = preset("transformer");
  const Convention convention = with_field(row.convention, "ladder.base", 3e6);
  std::vector<float> rows(5 * 128);
  sinusoid(convention, Positions::range(5000, 5), view(rows.data(), {5, 128}), {.recipe = recipe("f32-exp")});
  const Identification found = identify(view(rows.data(), {5, 128}));
  ASSERT_TRUE(is_named(found, "transformer")) << to_string(found);
  EXPECT_EQ(fitted(table_of(found), "base"), 3e6);
}

// The waves of a cell's row show coordinates less whole turns, and linspace leaves the middle of a grid beside 0.
TEST(Identify, GridsWhoseWavesWrap) {
  struct Case {
    std::string_view preset;
    std::int64_t height, width, columns;
  };
  for (const Case& each : {Case{"positional-encodings-2d", 20, 6, 4},
                           {"timm-fourier-octaves", 15, 18, 8},
                           {"timm-fourier", 11, 15, 34},
                           {"perceiver-fourier", 19, 4, 10}}) {
    std::vector<float> cells(static_cast<std::size_t>(each.height * each.width * each.columns));
    const View view_of_cells = view(cells.data(), {each.height, each.width, each.columns});
    const Preset& row = preset(each.preset);
    const PlaceNumbering places = row.places.value_or(whole_places);
    Rows(row.convention, each.columns, {.recipe = row.original}).write_cells(view_of_cells, places);
    const Identification found = identify(view_of_cells);
    EXPECT_TRUE(is_named(found, each.preset)) << each.preset << to_string(found);
  }
}

TEST(Identify, CachesOfRotations) {
  const Convention convention = with_field(preset("rope-llama3").convention, "stored", "halves_twice");
  const RotaryCache cache(convention, 64);
  for (const std::string& tensor : cache.tensors()) {
    std::vector<float> rows(50 * 64);
    cache.write(tensor, Positions::range(0, 50), view(rows.data(), {50, 64}));
    const Identification found = identify(view(rows.data(), {50, 64}));
    EXPECT_TRUE(is_named(found, "rope-llama3")) << tensor;
    EXPECT_FALSE(is_named(found, "rope-half")) << tensor;
  }
}

// A port that forgot the magnitude of its cosines has not the row's own numbers.
TEST(Identify, AnotherMagnitudeIsADifference) {
  const Convention bare = with_fields(preset("gpt-oss").convention, {{"magnitude", 1}, {"stored", "halves_twice"}});
  std::vector<float> cosines(100 * 64);
  RotaryCache(bare, 64).write("cos", Positions::range(0, 100), view(cosines.data(), {100, 64}));
  const Identification found = identify(view(std::as_const(cosines).data(), {100, 64}));
  ASSERT_EQ(found.candidates.size(), 1) << to_string(found);
  ASSERT_EQ(found.candidates[0].differences.size(), 1) << to_string(found);
  EXPECT_EQ(found.candidates[0].differences[0].find("magnitude: 1, not yarn"), 0U);
}

TEST(Identify, WhatIsNoneIsNotNamed) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> rows(60 * 32);
  for (float& x : rows) x = normal(random);
  EXPECT_TRUE(identify(view(rows.data(), {60, 32})).candidates.empty());

  rows = rows_of(preset("transformer").convention, 0, 60, 32);
  std::vector<float> faulty = rows;
  for (float& x : faulty) x += 0.01f * normal(random);
  EXPECT_TRUE(identify(view(faulty.data(), {60, 32})).candidates.empty()) << "noise";
  faulty = rows;
  faulty[17 * 32 + 5] = 0.5f;
  EXPECT_TRUE(identify(view(faulty.data(), {60, 32})).candidates.empty()) << "one entry is damaged";
  faulty = rows;
  for (std::size_t p = 0; p < 60; ++p) std::swap(faulty[p * 32 + 3], faulty[p * 32 + 20]);
  EXPECT_TRUE(identify(view(faulty.data(), {60, 32})).candidates.empty()) << "two columns are exchanged";
  const std::vector<float> zeros(60 * 32);
  EXPECT_TRUE(identify(view(zeros.data(), {60, 32})).candidates.empty()) << "zeros";
}

TEST(Identify, RefusesWhatHasNoEntries) {
  const float x = 0;
  EXPECT_TRUE(check_identify(view(&x, {0, 4})).has_value());
  EXPECT_TRUE(check_identify(view(&x, {})).has_value());
  EXPECT_FALSE(check_identify(view(&x, {1, 1})).has_value());
}

TEST(Identify, RefusesAnotherNumberOfPositionsThanOfRows) {
  const std::vector<float> table(4 * 8, 0.5F);
  for (const std::int64_t count : {0, 1, 3, 5, 32}) {
    const auto problem = check_identify(view(table.data(), {4, 8}), {.positions = {Positions::range(0, count)}});
    ASSERT_TRUE(problem.has_value()) << count;
    EXPECT_EQ(problem->rule, "positions must be as many as the rows");
    EXPECT_EQ(problem->value, std::to_string(count) + " of [4, 8]");
  }
  for (const std::int64_t count : {4, 8}) {  // rows, or columns of a table that lies on its side
    EXPECT_FALSE(check_identify(view(table.data(), {4, 8}), {.positions = {Positions::range(0, count)}})) << count;
  }
  const std::vector<float> zeros(4 * 8);
  EXPECT_FALSE(check_identify(view(zeros.data(), {4, 8}), {.positions = {Positions::range(0, 4)}}));
}

// Rows of every preset of one axis that has rows of this width: the true one is among the candidates, and all
// candidates have these entries.
TEST(Identify, EveryPresetOfOneAxis) {
  std::int64_t count = 0;
  for (const Preset& each : presets()) {
    constexpr std::int64_t width = 32, rows = 40;
    std::vector<float> table(width * rows);
    const View out = view(table.data(), {rows, width});
    const Positions positions = Positions::range(0, rows);
    if (check_sinusoid(each.convention, positions, out) || each.places) continue;
    sinusoid(each.convention, positions, out);
    const Identification found = identify(out);
    EXPECT_TRUE(is_named(found, each.name)) << each.name;
    for (const Candidate& candidate : found.candidates) EXPECT_EQ(candidate.exact.share(), 1) << each.name;
    ++count;
  }
  EXPECT_GT(count, 50);
}

}  // namespace
}  // namespace posenc
