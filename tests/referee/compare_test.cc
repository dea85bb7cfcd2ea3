// SPDX-License-Identifier: Apache-2.0
// Two conventions beside each other: fields, plans, the first and the largest difference, and what a score makes of it.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/referee/compare.h>

#include <cmath>

namespace posenc {
namespace {

const Convention& named(std::string_view name) { return preset(name).convention; }
Comparison beside(const Convention& a, const Convention& b, std::int64_t dim, const Positions& positions) {
  return compare(a, b, {.dim = dim, .positions = {positions}});
}

// The oracle: cmath, by the formulas of the papers.
double rung(std::int64_t k, std::int64_t pairs, double base, bool to_the_end) {
  return std::pow(base, -static_cast<double>(k) / static_cast<double>(to_the_end ? pairs - 1 : pairs));
}
double sine_first_entry(std::int64_t p, std::int64_t c, std::int64_t width, bool to_the_end) {
  const std::int64_t n = width / 2;
  const double angle = static_cast<double>(p) * rung(c % n, n, 10000, to_the_end);
  return c < n ? std::sin(angle) : std::cos(angle);
}

TEST(Compare, EqualPlansUnderOtherNamesAreSaidToBeEqual) {
  const Comparison same = beside(named("transformer"), named("pytorch"), 64, Positions::range(0, 100));
  EXPECT_TRUE(same.equal);
  EXPECT_TRUE(same.differences.empty());
  EXPECT_FALSE(same.largest || same.first || same.first_f32 || same.first_bf16);
  EXPECT_EQ(same.entries, 6400);
  EXPECT_EQ(same.score->largest, 0);
  // Another base to another power, and the same ladder: 10000^(-2k / 64) is 100^(-2k / 32), of d / 2 as well.
  const Convention other = with_fields(
      named("transformer"), {{"ladder.base", 100}, {"ladder.spacing.over", "stated"}, {"ladder.spacing.width", 32}});
  const Comparison renamed = beside(named("transformer"), other, 64, Positions::range(0, 100));
  EXPECT_TRUE(renamed.equal) << to_string(renamed);
  EXPECT_FALSE(renamed.differences.empty());
  EXPECT_NE(to_string(renamed).find("the same numbers under different names"), std::string::npos);
}

TEST(Compare, BiasesAreScaledByTheWidthOfAHead) {
  for (const auto& [width, root] : {std::pair{0, 8}, {64, 8}, {256, 16}}) {
    const Comparison found = compare(named("bloom-alibi"), named("falcon-alibi"),
                                     {.dim = 4, .head_width = width, .positions = {Positions::range(0, 9)}});
    EXPECT_EQ(found.numbers, "biases");
    EXPECT_EQ(found.dim, 4);
    ASSERT_TRUE(found.largest);
    EXPECT_EQ(found.largest->a, found.largest->b * root);
  }
  EXPECT_TRUE(check_compare(named("alibi"), named("alibi"), {.head_width = -1}));
}

TEST(Compare, PlacesThatAreNumberedDifferentlyAreNotTheSame) {
  const Convention& rows = named("detr-sine");
  CompareOptions options = {.dim = 8};
  options.places_of_b.first = 1.0;
  const Comparison found = compare(rows, rows, options);
  EXPECT_FALSE(found.equal);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_EQ(found.differences[0], "places: " + to_string(whole_places) + ", not " + to_string(options.places_of_b));
  EXPECT_EQ(found.axes, (std::vector<std::string>{"y place", "x place", "column"}));
  ASSERT_TRUE(found.first && found.score);
  EXPECT_EQ(found.first->at, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(found.first->a, 0);
  EXPECT_EQ(found.first->b, std::sin(1.0));
  // A step of 1 throughout: products of rows are those of distances, and the same.
  EXPECT_EQ(found.score->largest, 0);
  options.positions = {Positions::range(0, 5)};
  const Comparison at_coordinates = compare(rows, rows, options);
  EXPECT_FALSE(at_coordinates.equal || at_coordinates.first);
  options.positions = {}, options.places_of_a.divisor = Divisor::one, options.places_of_a.gain = 1e300;
  EXPECT_TRUE(check_compare(rows, rows, options));  // beyond 2^53
}

TEST(Compare, WhisperAndMaeDifferByTheirEndPoint) {
  const Comparison found = beside(named("whisper"), named("mae-1d"), 512, Positions::range(0, 512));
  double most = 0;
  std::vector<double> at;
  for (std::int64_t p = 0; p < 512; ++p) {
    for (std::int64_t c = 0; c < 512; ++c) {
      const double by = std::abs(sine_first_entry(p, c, 512, true) - sine_first_entry(p, c, 512, false));
      if (by > most) most = by, at = {static_cast<double>(p), static_cast<double>(c)};
    }
  }
  ASSERT_TRUE(found.largest);
  EXPECT_EQ(found.largest->at, at);
  EXPECT_NEAR(std::abs(found.largest->a - found.largest->b), most, 1e-12);
  EXPECT_NEAR(most, 0.71, 0.005);
  EXPECT_FALSE(found.equal);
  EXPECT_EQ(found.first->at, (std::vector<double>{1, 1}));  // row 0 and the first frequency, 1, are the same
}

TEST(Compare, TheFirstDifferenceOfATypeIsWhereRoundedEntriesDiffer) {
  const Convention a = named("transformer"), b = with_field(a, "ladder.base", 10001);
  const Comparison found = beside(a, b, 64, Positions::range(0, 3000));
  const auto first = [](auto rounded) -> std::vector<double> {
    for (std::int64_t p = 0; p < 3000; ++p) {
      for (std::int64_t c = 0; c < 64; ++c) {
        const double w = rung(c / 2, 32, 10000, false), v = rung(c / 2, 32, 10001, false);
        const double x = static_cast<double>(p) * w, y = static_cast<double>(p) * v;
        const double one = c % 2 == 0 ? std::sin(x) : std::cos(x), other = c % 2 == 0 ? std::sin(y) : std::cos(y);
        if (rounded(one) != rounded(other)) return {static_cast<double>(p), static_cast<double>(c)};
      }
    }
    return {};
  };
  EXPECT_EQ(found.first_f32->at, first([](double x) { return static_cast<float>(x); }));
  EXPECT_EQ(found.first_bf16->at, first([](double x) { return static_cast<float>(bfloat16(static_cast<float>(x))); }));
  EXPECT_LT(found.first_f32->at[0], found.first_bf16->at[0]);
}

TEST(Compare, AnotherLayoutHasTheSameProducts) {
  const Convention a = with_field(named("transformer"), "layout", "sine_first");
  const Comparison found = beside(a, named("transformer"), 64, Positions::range(0, 64));
  EXPECT_EQ(found.differences, std::vector<std::string>{"layout: sine_first, not interleaved"});
  EXPECT_EQ(found.first->at, (std::vector<double>{0, 1}));
  EXPECT_EQ(found.score->of, ScoreChange::Of::products);
  EXPECT_EQ(found.score->largest, 0);  // but for roundings
  EXPECT_NEAR(found.score->greatest, 32, 1e-12);
}

TEST(Compare, ProductsOfRowsChangeAsTheirSumsDo) {
  const Convention b = with_field(named("transformer"), "ladder.base", 500000);
  const Comparison found = beside(named("transformer"), b, 16, Positions::range(0, 64));
  double most = 0;
  for (std::int64_t distance = 0; distance < 64; ++distance) {  // PE(p).PE(q) is a sum of cos((p - q) w_k)
    double one = 0, other = 0;
    for (std::int64_t k = 0; k < 8; ++k) {
      one += std::cos(static_cast<double>(distance) * rung(k, 8, 10000, false));
      other += std::cos(static_cast<double>(distance) * rung(k, 8, 500000, false));
    }
    most = std::max(most, std::abs(one - other));
  }
  EXPECT_NEAR(found.score->largest, most, 1e-10);
  EXPECT_EQ(found.score->places, 64);
}

TEST(Compare, PairingsHaveTheSameAnglesAndTurnOtherColumns) {
  const Comparison found = beside(named("rope-half"), named("rope-pair"), 64, Positions::range(0, 256));
  EXPECT_FALSE(found.equal);
  EXPECT_EQ(found.numbers, "cosines and sines");
  EXPECT_FALSE(found.first);
  EXPECT_EQ(found.score->of, ScoreChange::Of::single);
  EXPECT_GT(found.score->largest, 1);
}

TEST(Compare, ATurnedProductChangesByTheWorstPair) {
  const Convention b = with_field(named("rope-half"), "ladder.base", 20000);
  const Comparison found = beside(named("rope-half"), b, 32, Positions::range(0, 40));
  double most = 0;
  for (std::int64_t distance = 0; distance < 40; ++distance) {  // |e^ix - e^iy| = 2 |sin((x - y) / 2)|
    for (std::int64_t k = 0; k < 16; ++k) {
      const double by = static_cast<double>(distance) * (rung(k, 16, 10000, false) - rung(k, 16, 20000, false));
      most = std::max(most, 2 * std::abs(std::sin(by / 2)));
    }
  }
  EXPECT_EQ(found.score->of, ScoreChange::Of::norm);
  EXPECT_NEAR(found.score->largest, most, 1e-12);
  EXPECT_EQ(found.score->greatest, 1);
}

TEST(Compare, MagnitudesBackwardTurnsAndDecaysCount) {
  const Convention half = named("rope-half");
  const Comparison louder = beside(half, with_field(half, "magnitude", 2), 32, Positions::range(0, 8));
  EXPECT_NEAR(louder.score->largest, 3, 1e-12);  // 2 x 2 - 1
  const Comparison back = beside(half, with_field(half, "turn", "backward"), 2, Positions::range(0, 3));
  EXPECT_NEAR(back.score->largest, 2 * std::sin(2.0), 1e-12);  // of distances 0, 1, 2; one pair of frequency 1
  EXPECT_EQ(back.first->at, (std::vector<double>{1, 1}));
  const Convention decaying = named("xpos-torchscale");
  const Convention plain = with_field(decaying, "decay", "none");
  const Comparison decay = beside(decaying, plain, 32, Positions::range(0, 100));
  EXPECT_FALSE(decay.equal);
  EXPECT_FALSE(decay.first);  // tables of cosines and sines have no decay
  // Pair 0 has z = floor / (1 + floor), to the power 99 / period between the first place and the last one.
  const auto& fields = std::get<PairDecay>(std::get<Rotary>(decaying).decay);
  EXPECT_NEAR(decay.score->largest, std::pow(fields.floor / (1 + fields.floor), -99 / fields.period) - 1, 1e-9);
}

TEST(Compare, OddWidthsAreComparedUpToTheShorter) {
  const Convention short_row = with_field(named("transformer"), "odd_width", "short_row");
  const Convention zeros = with_field(named("transformer"), "odd_width", "zero_column");
  const Comparison found = beside(short_row, zeros, 7, Positions::range(0, 5));
  EXPECT_EQ(found.not_compared, "rows have 6 columns and 7: the first 6 are compared");
  EXPECT_EQ(found.entries, 30);
  EXPECT_FALSE(found.first);
  EXPECT_FALSE(found.equal);
  const Comparison lone = beside(with_field(zeros, "odd_width", "lone_sine"), zeros, 7, Positions::range(0, 5));
  EXPECT_EQ(lone.first->at, (std::vector<double>{1, 6}));  // the fourth sine, where the other row has a 0
}

TEST(Compare, OnePositionAndFarOnes) {
  const Convention b = with_field(named("transformer"), "ladder.base", 10001);
  const Comparison zero = beside(named("transformer"), b, 64, Positions::at(0));
  EXPECT_FALSE(zero.first);  // at position 0 they all agree
  EXPECT_FALSE(zero.equal);
  EXPECT_EQ(zero.score->places, 1);
  const std::int64_t far = std::int64_t{1} << 53;
  const Comparison last = beside(named("transformer"), b, 64, Positions::range(far - 1, 2));
  EXPECT_EQ(last.first->at, (std::vector<double>{static_cast<double>(far - 1), 2}));
  const Comparison negative = beside(named("transformer"), b, 64, Positions::range(-3.5, 4, 0.25));
  EXPECT_EQ(negative.first->at, (std::vector<double>{-3.5, 2}));
}

TEST(Compare, AxesAreComparedByTheirNames) {
  const Convention& grid = named("mae-2d");
  ASSERT_EQ(axes_of(grid), (std::vector<std::string>{"x", "y"}));
  const Convention turned = with_field(grid, "axes", "y,x");
  const Comparison found = compare(grid, turned, {.dim = 16});
  EXPECT_EQ(found.axes, (std::vector<std::string>{"x", "y", "column"}));
  EXPECT_EQ(found.entries, 22 * 22 * 16);
  EXPECT_EQ(found.first->at, (std::vector<double>{0, 1, 0}));
  EXPECT_NEAR(found.first->b, std::sin(1), 1e-15);  // the first half of the other row is y's
  const Comparison itself =
      compare(grid, grid, {.dim = 16, .positions = {Positions::range(0, 3), Positions::range(0, 5)}});
  EXPECT_EQ(itself.entries, 15 * 16);
  EXPECT_TRUE(itself.equal);
  EXPECT_EQ(compare(grid, named("transformer"), {.dim = 16}).not_compared,
            "axes are x, y and position: numbers are not compared");
}

TEST(Compare, ScaledLaddersAreThoseOfTheLength) {
  const Convention dynamic = named("rope-dynamic"), plain = named("rope-half");
  CompareOptions options = {.dim = 64, .positions = {Positions::range(0, 64)}};
  options.context.length = 64;
  EXPECT_FALSE(compare(dynamic, plain, options).first);
  options.context.length = 100000;
  EXPECT_TRUE(compare(dynamic, plain, options).first);
  options.context.length = 0;  // the last position and 1
  const Comparison short_one = compare(dynamic, plain, options);
  EXPECT_EQ(short_one.context.length, 64);
  EXPECT_TRUE(to_string(short_one).starts_with("the same numbers under different names at this length\n"));
  EXPECT_NE(to_string(short_one).find("width 64, of a sequence of 64\n"), std::string::npos) << to_string(short_one);
  EXPECT_EQ(compare(plain, plain, options).context.length, 0);
}

TEST(Compare, BiasesClassesAndFactors) {
  const Comparison slopes = compare(named("alibi"), with_field(named("alibi"), "octaves", 16), {.dim = 8});
  EXPECT_EQ(slopes.numbers, "biases");
  EXPECT_EQ(slopes.entries, 8 * 512 * 512);
  EXPECT_EQ(slopes.first->at, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(slopes.first->a, -0.5);
  EXPECT_EQ(slopes.first->b, -0.25);
  EXPECT_EQ(slopes.largest->at, (std::vector<double>{0, 0, 511}));
  const Comparison classes = compare(named("t5-bucket"), with_field(named("t5-bucket"), "classes.reach", 64));
  EXPECT_EQ(classes.numbers, "classes");
  EXPECT_FALSE(classes.first_f32);
  EXPECT_NE(classes.first->a, classes.first->b);
  EXPECT_TRUE(compare(named("t5-bucket"), named("t5-bucket")).equal);
  EXPECT_FALSE(compare(named("swin-window"), named("swin-window")).first);
  EXPECT_TRUE(compare(named("swin-window"), named("beit-window")).not_compared.starts_with("there are 49 rows and 50"));
  const Comparison factors =
      compare(named("llama4-temperature"), with_field(named("llama4-temperature"), "factor.gain", 0.2),
              {.positions = {Positions::range(0, 10000, 5)}});
  EXPECT_EQ(factors.numbers, "factors");
  EXPECT_EQ(factors.axes, std::vector<std::string>{"position"});
  EXPECT_TRUE(factors.first);
}

TEST(Compare, EveryPresetIsEqualToItself) {
  for (const Preset& each : presets()) {
    const CompareOptions options = {.positions = {Positions::range(0, 3)}};
    if (check_compare(each.convention, each.convention, options)) continue;
    const Comparison itself = compare(each.convention, each.convention, options);
    EXPECT_TRUE(itself.equal) << each.name;
    EXPECT_FALSE(itself.first || itself.first_f32 || itself.first_bf16 || itself.largest) << each.name;
    EXPECT_TRUE(!itself.score || itself.score->largest == 0) << each.name;
    EXPECT_TRUE(itself.entries > 0 || !itself.not_compared.empty()) << each.name;
  }
}

TEST(Compare, OtherFamiliesHaveTheirFieldsComparedAlone) {
  const Comparison found = compare(named("transformer"), named("rope-half"));
  EXPECT_EQ(found.not_compared, "sinusoid and rotary are not compared by their numbers");
  EXPECT_EQ(found.differences, std::vector<std::string>{"family: sinusoid, not rotary"});
  EXPECT_EQ(found.entries, 0);
  EXPECT_FALSE(found.equal);
  const Comparison learned = compare(named("learned-scaled"), named("learned-scaled"));
  EXPECT_EQ(learned.not_compared, "learned and learned are not compared by their numbers");
  EXPECT_TRUE(learned.equal);  // every field is
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  const Convention& paper = named("transformer");
  const auto rule = [&](const CompareOptions& options) {
    const auto problem = check_compare(paper, paper, options);
    return problem ? problem->rule : "";
  };
  EXPECT_EQ(rule({.dim = -1}), "dim must be 0 or the width asked for");
  EXPECT_EQ(rule({.dim = 7}), "width must be even");
  EXPECT_EQ(rule({.positions = {Positions::range(0, 0)}}), "there must be at least 1 position");
  EXPECT_EQ(rule({.positions = {Positions::range(0, std::int64_t{1} << 30)}}), "there must be at most 2^32 entries");
  EXPECT_EQ(rule({.positions = {Positions::at(0), Positions::at(0)}}),
            "positions must be a list for each of 1 axes, or one for all");
  EXPECT_TRUE(check_compare(paper, Waves{}));
  EXPECT_TRUE(check_compare(named("t5-bucket"), named("t5-bucket"), {.positions = {Positions::range(0.5, 3)}}));
}

}  // namespace
}  // namespace posenc
