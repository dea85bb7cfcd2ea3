// SPDX-License-Identifier: Apache-2.0
// Classes, slopes, biases, factors and log coordinates are named, with all that has the same entries and nothing else.
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>
#include <posenc/referee/diagnose.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace posenc {
namespace {

bool names(const Identification& found, std::string_view preset) {
  return std::ranges::any_of(found.candidates, [&](const Candidate& each) {
    return std::ranges::find(each.presets, preset) != each.presets.end();
  });
}

bool gives(ConventionUse use, const Preset& preset) { return !check_use("test", use, preset.convention); }

std::string list_of(const Identification& found) {
  std::string text;
  for (const Candidate& each : found.candidates) text += each.presets[0] + " " + each.form + "; ";
  return text;
}

// ---- classes -----------------------------------------------------------------------------------------

struct Pairs {
  std::int64_t queries, keys, query, key;
};

std::vector<std::int64_t> classes_of(const Convention& convention, const Pairs& pairs) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(pairs.queries * pairs.keys));
  buckets(convention, Positions::range(pairs.query, pairs.queries), Positions::range(pairs.key, pairs.keys),
          view(all.data(), {pairs.queries, pairs.keys}));
  return all;
}

bool few(std::vector<std::int64_t> classes) {
  std::ranges::sort(classes);
  return std::unique(classes.begin(), classes.end()) - classes.begin() < 3;
}

// Of every row, with the rows that have its entries; how many were asked for.
int expect_found(std::initializer_list<Pairs> all) {
  int count = 0;
  for (const Preset& preset : presets()) {
    if (!gives(ConventionUse::classes, preset)) continue;
    for (const Pairs& pairs : all) {
      const std::vector<std::int64_t> classes = classes_of(preset.convention, pairs);
      const Identification found = identify(view(classes.data(), {1, pairs.queries, pairs.keys}));
      if (few(classes)) continue;
      ++count;
      EXPECT_TRUE(names(found, preset.name)) << preset.name << " " << pairs.queries << " " << list_of(found);
      for (const Candidate& each : found.candidates) {
        EXPECT_EQ(each.form, "classes");
        const Pairs there = {pairs.queries, pairs.keys, static_cast<std::int64_t>(each.places[0].first),
                             static_cast<std::int64_t>(each.places[1].first)};
        EXPECT_EQ(classes_of(each.convention, there), classes) << preset.name << " as " << each.presets[0];
        EXPECT_EQ(each.exact.equal, pairs.queries * pairs.keys);
      }
    }
  }
  return count;
}

TEST(IdentifyClasses, EveryRowIsFoundWithThoseThatHaveItsEntries) {
  EXPECT_GT(expect_found({{7, 9, 2, 0}, {40, 40, 0, 0}, {1, 300, 299, 0}}), 30);
}
TEST(IdentifyClasses, ExhaustiveEveryRowIsFound) {
  EXPECT_GT(expect_found({{7, 9, 0, 0}, {64, 150, 86, 0}, {31, 600, 0, 0}, {100, 100, 0, 0}}), 45);
}

TEST(IdentifyClasses, WindowsOfEveryShape) {
  for (const Preset& preset : presets()) {
    if (!gives(ConventionUse::windows, preset)) continue;
    for (const GridSize& window : {GridSize{1, 3}, {7, 7}, {4, 6}, {2, 12}, {14, 14}}) {
      const std::int64_t n = window_places(preset.convention, window);
      std::vector<std::int32_t> classes(static_cast<std::size_t>(n * n));
      window_buckets(preset.convention, window, view(classes.data(), {n, n}));
      const Identification found = identify(view(std::as_const(classes).data(), {n, n}));
      ASSERT_TRUE(names(found, preset.name)) << preset.name;
      EXPECT_EQ(found.candidates[0].form, "windows");
      EXPECT_EQ(found.candidates[0].extents, (std::vector{window.height, window.width}));
    }
  }
}

TEST(IdentifyClasses, OtherNumbersAreReadOff) {
  struct Case {
    std::string_view preset;
    std::vector<FieldChange> changes;
    Pairs pairs;
  };
  const Case cases[] = {
      {"shaw", {{"classes.left", 8}, {"classes.right", 8}}, {30, 30, 0, 0}},
      {"shaw", {{"classes.left", 5}, {"classes.right", 2}}, {30, 30, 0, 0}},
      {"shaw", {{"classes.left", 40}, {"classes.right", 8}}, {31, 61, 0, 0}},  // class 0 is beyond the queries
      {"deberta-v1", {{"classes.left", 31}, {"classes.right", 31}}, {80, 80, 0, 0}},
      {"deberta-bucket", {{"classes.count", 32}, {"classes.reach", 128}}, {64, 64, 0, 0}},
      {"t5-bucket", {{"classes.count", 16}, {"classes.reach", 40}}, {50, 60, 0, 0}},
      {"t5-bucket-decoder", {{"classes.count", 64}, {"classes.reach", 300}}, {1, 400, 399, 0}},
  };
  for (const Case& each : cases) {
    const Convention convention = with_fields(preset(each.preset).convention, each.changes);
    const std::vector<std::int64_t> classes = classes_of(convention, each.pairs);
    const Identification found = identify(view(classes.data(), {each.pairs.queries, each.pairs.keys}));
    ASSERT_TRUE(names(found, each.preset)) << each.preset;
    // Of one row of pairs one side is seen: half as many classes of two sides are equal.
    const auto same = std::ranges::find(found.candidates, convention, &Candidate::convention);
    ASSERT_NE(same, found.candidates.end()) << to_string(found);
    EXPECT_FALSE(same->differences.empty());
  }
}

TEST(IdentifyClasses, OneOtherClassIsNoConvention) {
  for (const Preset& preset : presets()) {
    if (!gives(ConventionUse::classes, preset)) continue;
    std::vector<std::int64_t> classes = classes_of(preset.convention, {40, 40, 0, 0});
    classes[40 * 20 + 3] += 1;
    EXPECT_EQ(list_of(identify(view(std::as_const(classes).data(), {40, 40}))), "") << preset.name;
  }
}

// Distances of the other sign are what a transposed matrix has.
TEST(IdentifyClasses, OfTheOtherSign) {
  for (const char* name : {"t5-bucket", "t5-bucket-decoder"}) {
    const std::vector<std::int64_t> classes = classes_of(preset(name).convention, {40, 40, 0, 0});
    ConstView transposed = view(classes.data(), {40, 40});
    std::swap(transposed.strides[0], transposed.strides[1]);
    const Identification found = identify(transposed);
    ASSERT_TRUE(names(found, name)) << to_string(found);
    ASSERT_EQ(found.candidates[0].differences.size(), 1u);
    EXPECT_EQ(found.candidates[0].differences[0], "classes.sign: query_minus_key, not key_minus_query");
  }
}

TEST(IdentifyClasses, StoredAsRealNumbers) {
  const std::vector<std::int64_t> classes = classes_of(preset("t5-bucket").convention, {40, 40, 0, 0});
  std::vector<float> real(classes.begin(), classes.end());
  const ConstView tensor = view(std::as_const(real).data(), {1, 1, 40, 40});
  const Identification found = identify(tensor);
  ASSERT_TRUE(names(found, "t5-bucket")) << to_string(found);
  EXPECT_EQ(found.candidates[0].form, "classes");
  EXPECT_EQ(found.candidates[0].storage, DType::f32);
  real[41] += 0.5f;
  EXPECT_TRUE(identify(tensor).candidates.empty());
}

TEST(IdentifyClasses, OtherIntegersAreNotNamed) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> numbers(16 * 20);
    for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(random() % 40);
    EXPECT_EQ(list_of(identify(view(std::as_const(numbers).data(), {16, 20}))), "");
  }
  std::vector<std::int64_t> ids(512);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(list_of(identify(view(std::as_const(ids).data(), {1, 512}))), "");
  const std::vector<std::int64_t> zeros(512);
  EXPECT_EQ(list_of(identify(view(zeros.data(), {1, 512}))), "");
}

// ---- slopes and biases ---------------------------------------------------------------------------------

// 2^(-octaves (h + 1) / P), then those between, by the paper's formula in double.
std::vector<double> paper_slopes(int heads, double octaves) {
  int power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> all;
  for (int h = 0; h < heads; ++h) {
    all.push_back(h < power ? std::exp2(-octaves * (h + 1) / power)
                            : std::exp2(-octaves * (2 * (h - power) + 1) / (2.0 * power)));
  }
  return all;
}

template <class T>
std::vector<T> rounded_to(const std::vector<double>& numbers, double scale = 1) {
  std::vector<T> all;
  for (const double number : numbers) all.push_back(static_cast<T>(static_cast<float>(number * scale)));
  return all;
}

template <class T>
Identification identified(const std::vector<T>& numbers) {
  return identify(view(numbers.data(), {static_cast<std::int64_t>(numbers.size())}));
}

TEST(IdentifySlopes, OfEveryNumberOfHeadsTypeAndSign) {
  for (const int heads : {2, 3, 8, 12, 32, 71, 112}) {
    const std::vector<double> slopes = paper_slopes(heads, 8);
    for (const Identification& found :
         {identified(rounded_to<float>(slopes)), identified(rounded_to<half>(slopes)),
          identified(rounded_to<bfloat16>(slopes, -1)), identified(rounded_to<float>(slopes, -1))}) {
      ASSERT_TRUE(names(found, "alibi")) << heads;
      EXPECT_TRUE(names(found, "mpt-alibi") && names(found, "bloom-alibi") && names(found, "ggml-alibi"));
      EXPECT_EQ(found.candidates[0].form, "slopes");
    }
  }
}

// As they are multiplied with [H, L, S].
TEST(IdentifySlopes, WithAxesOfOne) {
  const std::vector<float> slopes = rounded_to<float>(paper_slopes(8, 8));
  const std::vector<std::int64_t> shapes[] = {{8}, {8, 1, 1}, {1, 8, 1, 1}, {1, 8}};
  for (const auto& shape : shapes) {
    const Identification found = identify(view(slopes.data(), shape));
    ASSERT_TRUE(names(found, "alibi")) << to_string(found);
    EXPECT_EQ(found.candidates[0].form, "slopes");
    EXPECT_EQ(found.candidates[0].reading, "[H]");
  }
}

TEST(IdentifySlopes, RoundedToHalfPrecisionFirst) {
  const std::vector<bfloat16> rounded = rounded_to<bfloat16>(paper_slopes(12, 8));
  std::vector<float> widened;
  for (const bfloat16 slope : rounded) widened.push_back(static_cast<float>(slope));
  const Identification found = identified(widened);
  EXPECT_TRUE(names(found, "falcon-alibi"));
  EXPECT_TRUE(names(found, "alibi"));  // through bf16
}

TEST(IdentifySlopes, OtherOctavesAreFitted) {
  for (const double octaves : {4.0, 16.0, 5.5}) {
    const Identification found = identified(rounded_to<float>(paper_slopes(12, octaves)));
    ASSERT_TRUE(names(found, "alibi")) << octaves;
    EXPECT_EQ(found.candidates[0].convention, with_field(preset("alibi").convention, "octaves", octaves));
    EXPECT_EQ(found.candidates[0].fitted[0].value, octaves);
  }
}

TEST(IdentifySlopes, ListsOfFrequenciesAreNone) {
  for (const double scale : {1.0, 0.125}) {
    std::vector<double> frequencies;
    for (int k = 0; k < 64; ++k) frequencies.push_back(scale * std::pow(10000.0, -k / 64.0));
    for (const Identification& found :
         {identified(rounded_to<float>(frequencies)), identified(rounded_to<bfloat16>(frequencies))}) {
      EXPECT_FALSE(names(found, "falcon-alibi") || names(found, "alibi")) << scale;
    }
  }
}

struct Sizes {
  std::int64_t heads, queries, keys, query;
};

TEST(IdentifyBiases, EveryRowIsFound) {
  for (const Preset& preset : presets()) {
    if (!gives(ConventionUse::slopes, preset)) continue;
    for (const Sizes& n : {Sizes{2, 7, 9, 0}, {12, 7, 9, 2}, {8, 1, 20, 19}, {3, 12, 12, 0}}) {
      std::vector<float> scores(static_cast<std::size_t>(n.heads * n.queries * n.keys));
      const std::vector<std::int32_t> present(static_cast<std::size_t>(n.keys), 1);
      const View out = view(scores.data(), {n.heads, n.queries, n.keys});
      const Positions queries = Positions::range(n.query, n.queries), keys = Positions::range(0, n.keys);
      // What a convention depends on is stated, and nothing else: its check says what that is.
      Context context;
      if (check_bias(preset.convention, queries, keys, out, {.context = context}))
        context.present = view(present.data(), {n.keys});
      if (check_bias(preset.convention, queries, keys, out, {.context = context})) context.head = 64;
      bias(preset.convention, queries, keys, out, {.context = context});
      const Identification found = identify(view(std::as_const(scores).data(), {1, n.heads, n.queries, n.keys}));
      ASSERT_TRUE(names(found, preset.name)) << preset.name << " " << n.heads << ": " << list_of(found);
      for (const Candidate& each : found.candidates) EXPECT_EQ(each.exact.share(), 1) << each.presets[0];
    }
  }
}

TEST(IdentifyBiases, HiddenKeysAreLeftOut) {
  constexpr std::int64_t heads = 4, length = 16;
  std::vector<float> scores(heads * length * length);
  bias(preset("alibi").convention, Positions::range(0, length), Positions::range(0, length),
       view(scores.data(), {heads, length, length}));
  for (std::int64_t i = 0; i < heads * length; ++i) {
    for (std::int64_t j = i % length + 1; j < length; ++j) {
      scores[static_cast<std::size_t>(i * length + j)] = -std::numeric_limits<float>::infinity();
    }
  }
  const Identification found = identify(view(std::as_const(scores).data(), {heads, length, length}));
  EXPECT_TRUE(names(found, "alibi") && names(found, "ggml-alibi")) << list_of(found);
  EXPECT_NE(found.candidates[0].reading.find("left out"), std::string::npos);
  scores[5 * length] *= 1.01F;
  EXPECT_FALSE(names(identify(view(std::as_const(scores).data(), {heads, length, length})), "alibi"));
}

// ---- factors of queries ------------------------------------------------------------------------------------

std::vector<float> factors_of(const Convention& convention, std::int64_t first, std::int64_t count) {
  std::vector<float> factors(static_cast<std::size_t>(count));
  query_scale(convention, Positions::range(first, count), view(factors.data(), {count}));
  return factors;
}

TEST(IdentifyQueryScales, EveryRowIsFoundWithItsFirstPosition) {
  for (const Preset& preset : presets()) {
    if (!gives(ConventionUse::query_scales, preset)) continue;
    for (const std::int64_t first : {8000, 16200, 32700, 0}) {
      const std::int64_t count = first == 0 ? 20000 : 400;
      const std::vector<float> factors = factors_of(preset.convention, first, count);
      const Identification found = identified(factors);
      if (factors.front() == factors.back()) {
        EXPECT_EQ(list_of(found), "");  // it tells nothing: as many weights are ones
        continue;
      }
      ASSERT_TRUE(names(found, preset.name)) << preset.name << " " << first;
      // One step to one factor stands elsewhere under other lengths of steps.
      const bool at_first = std::ranges::any_of(found.candidates, [&](const Candidate& each) {
        return each.presets[0] == preset.name && each.places[0].first == static_cast<double>(first);
      });
      EXPECT_TRUE(at_first) << preset.name << " " << first;
      for (const Candidate& each : found.candidates) EXPECT_EQ(each.exact.share(), 1) << each.presets[0];
    }
  }
}

TEST(IdentifyQueryScales, OtherStepsAndGainsAreFitted) {
  const Convention steps =
      with_fields(preset("ministral3-temperature").convention, {{"factor.gain", 0.25}, {"factor.every", 64}});
  const Identification found = identified(factors_of(steps, 0, 400));
  ASSERT_TRUE(names(found, "ministral3-temperature"));
  EXPECT_EQ(found.candidates[0].convention, steps);
  const Convention ratio = with_field(preset("qwen-logn").convention, "factor.every", 2048);
  const Identification of_ratio = identified(factors_of(ratio, 0, 4096));
  ASSERT_TRUE(names(of_ratio, "qwen-logn"));
  EXPECT_EQ(of_ratio.candidates[0].convention, ratio);
}

// Factors around one step tell the gain, where it is a number that people write, and of the length that steps have the
// least.
TEST(IdentifyQueryScales, OneStepTellsTheGain) {
  for (const auto& [gain, every, first] : {std::tuple(0.2, 4096, 4000), {0.15, 50, 0}, {0.05, 1024, 1900}}) {
    const Convention steps =
        with_fields(preset("ministral3-temperature").convention, {{"factor.gain", gain}, {"factor.every", every}});
    const Identification found = identified(factors_of(steps, first, first == 0 ? 100 : 200));
    ASSERT_TRUE(names(found, "ministral3-temperature")) << gain;
    const std::vector<Fitted>& fitted = found.candidates[0].fitted;
    const auto of = [&](std::string_view name) { return std::ranges::find(fitted, name, &Fitted::name); };
    ASSERT_TRUE(of("gain") != fitted.end() && of("every") != fitted.end());
    EXPECT_EQ(of("gain")->value, gain);
    EXPECT_TRUE(of("every")->low <= every && every <= of("every")->high && of("every")->simple.empty());
  }
}

TEST(IdentifyQueryScales, TwoNumbersOfNoGainAreNotNamed) {
  for (const double second : {1.1, 1.25, 1.5, 2.0, 3.0}) {
    std::vector<float> factors(100, 1.0F);
    std::ranges::fill(factors.begin() + 40, factors.end(), static_cast<float>(second));
    EXPECT_EQ(list_of(identified(factors)), "") << second;
  }
  std::vector<bfloat16> halves(100, bfloat16(1.0F));  // any gain would do
  std::ranges::fill(halves.begin() + 40, halves.end(), bfloat16(1.1386F));
  EXPECT_EQ(list_of(identified(halves)), "");
}

// Biases are held a few queries at a time, whatever remains for the last part.
TEST(IdentifyBiases, LargeOnesAreFound) {
  for (const auto& [heads, queries, keys] : {std::tuple{1, 1025, 1024}, {3, 347, 1021}, {1, 3, 600000}}) {
    std::vector<float> all(static_cast<std::size_t>(heads) * static_cast<std::size_t>(queries * keys));
    const View out = view(all.data(), {heads, queries, keys});
    bias(preset("alibi").convention, Positions::range(0, queries), Positions::range(0, keys), out);
    ASSERT_TRUE(names(identify(out), "alibi")) << queries;
    all[all.size() - 2] *= 1 + 0x1p-16F;
    EXPECT_FALSE(names(identify(out), "alibi")) << queries;
    EXPECT_FALSE(diagnose(out, preset("alibi").convention).right) << queries;
  }
}

// A score between the numbers that masks are and those that a bias has is wrong for both.
TEST(IdentifyBiases, AMaskIsOneForIdentifyAndCheck) {
  for (const float mask : {-65504.0F, -65536.0F, -70000.0F, -1e9F, -std::numeric_limits<float>::infinity()}) {
    std::vector<float> all(8 * 16 * 16);
    const View out = view(all.data(), {8, 16, 16});
    bias(preset("alibi").convention, Positions::range(0, 16), Positions::range(0, 16), out);
    all[5 * 16 + 9] = mask;
    const bool right = diagnose(out, preset("alibi").convention).right;
    EXPECT_EQ(names(identify(out), "alibi"), right) << mask;
    EXPECT_EQ(right, mask != -70000) << mask;
  }
}

// ---- log coordinates -----------------------------------------------------------------------------------------

std::vector<float> coordinates_of(const Convention& convention, const GridSize& window) {
  std::vector<float> all(static_cast<std::size_t>((2 * window.height - 1) * (2 * window.width - 1) * 2));
  log_coordinates(convention, view(all.data(), {2 * window.height - 1, 2 * window.width - 1, 2}));
  return all;
}

TEST(IdentifyLogCoordinates, EveryRowIsFound) {
  for (const Preset& preset : presets()) {
    if (!gives(ConventionUse::log_coordinates, preset)) continue;
    for (const GridSize& window : {GridSize{5, 5}, {1, 12}, {2, 3}, {16, 16}}) {
      const std::vector<float> all = coordinates_of(preset.convention, window);
      const Identification found = identify(view(all.data(), {1, 2 * window.height - 1, 2 * window.width - 1, 2}));
      ASSERT_TRUE(names(found, preset.name)) << preset.name;
      EXPECT_EQ(found.candidates.size(), 1u) << preset.name;
      EXPECT_EQ(found.candidates[0].extents, (std::vector{window.height, window.width}));
    }
  }
}

TEST(IdentifyLogCoordinates, TheWindowOfTrainingIsFitted) {
  const Convention convention =
      with_field(preset("swinv2-cpb").convention, "coordinates.pretrained", std::vector<double>{12, 8});
  const std::vector<float> all = coordinates_of(convention, {24, 16});
  const Identification found = identify(view(all.data(), {47, 31, 2}));
  ASSERT_TRUE(names(found, "swinv2-cpb"));
  EXPECT_EQ(found.candidates[0].convention, convention);
}

// ---- strangers -----------------------------------------------------------------------------------------------

TEST(IdentifyRelative, RandomNumbersAreNotNamed) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(4 * 5 * 6 * 2);
  for (int round = 0; round < 20; ++round) {
    for (float& number : numbers) number = normal(random);
    EXPECT_EQ(list_of(identify(view(std::as_const(numbers).data(), {16}))), "");
    EXPECT_EQ(list_of(identify(view(std::as_const(numbers).data(), {4, 5, 6}))), "");
    EXPECT_EQ(list_of(identify(view(std::as_const(numbers).data(), {5, 7, 2}))), "");
    std::ranges::sort(numbers);
    EXPECT_EQ(list_of(identify(view(std::as_const(numbers).data() + 120, {120}))), "");
    EXPECT_EQ(list_of(identify(view(std::as_const(numbers).data(), {120}))), "");
  }
}

// ---- damage ------------------------------------------------------------------------------------------

void expect_nearest(const Identification& found, std::string_view preset, std::string_view form,
                    std::string_view kind) {
  EXPECT_TRUE(found.candidates.empty()) << list_of(found);
  EXPECT_EQ(found.kind, kind);
  ASSERT_TRUE(found.nearest.has_value());
  EXPECT_NE(std::ranges::find(found.nearest->presets, preset), found.nearest->presets.end());
  EXPECT_EQ(found.nearest->form, form);
  EXPECT_EQ(found.nearest->exact.entries - found.nearest->exact.equal, 1);
}

TEST(IdentifyRelative, OneDamagedEntryLeavesTheNearestRow) {
  std::vector<float> slopes;
  for (int h = 1; h <= 8; ++h) slopes.push_back(std::ldexp(1.0F, -h));
  std::vector<float> damaged = slopes;
  damaged[3] = 0.25F;
  expect_nearest(identify(view(std::as_const(damaged).data(), {8})), "alibi", "slopes",
                 "1 of 8 entries is another: [3] is 0.25, not 0.0625");

  std::vector<float> biases(8 * 12 * 12);
  bias(preset("alibi").convention, Positions::range(0, 12), Positions::range(0, 12), view(biases.data(), {8, 12, 12}));
  biases[(2 * 12 + 3) * 12 + 7] = 5;
  expect_nearest(identify(view(std::as_const(biases).data(), {8, 12, 12})), "alibi", "bias",
                 "1 of 1152 entries is another: [2, 3, 7] is 5, not -0.5");

  std::vector<std::int64_t> classes = classes_of(preset("t5-bucket").convention, {20, 20, 0, 0});
  const std::int64_t right = classes[5 * 20 + 9];
  classes[5 * 20 + 9] = 31;
  expect_nearest(identify(view(std::as_const(classes).data(), {20, 20})), "t5-bucket", "classes",
                 "1 of 400 entries is another: [5, 9] is 31, not " + std::to_string(right));
}

TEST(IdentifyRelative, FewerThanThreeEntriesInFourAreNoRow) {
  std::vector<float> slopes;
  for (int h = 1; h <= 8; ++h) slopes.push_back(h <= 3 ? 0.7F : std::ldexp(1.0F, -h));
  const Identification found = identify(view(std::as_const(slopes).data(), {8}));
  EXPECT_TRUE(found.candidates.empty());
  EXPECT_TRUE(!found.nearest || found.nearest->form != "slopes");
  EXPECT_EQ(identify(view(std::vector<std::int64_t>{4, 1, 3, 9}.data(), {2, 2})).kind,
            "integers: no known classes of pairs");
}

}  // namespace
}  // namespace posenc
