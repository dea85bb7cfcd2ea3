// SPDX-License-Identifier: Apache-2.0
// Rotations seen from outside are named, with their direction, base and width; what is none is not.
#include <posenc/referee/identify.h>
#include <posenc/rotary.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace posenc {
namespace {

bool names_turn(const Identification& found, std::string_view preset) {
  return std::ranges::any_of(found.candidates, [&](const Candidate& each) {
    return std::ranges::find(each.presets, preset) != each.presets.end();
  });
}

template <class T>
struct Heads {
  std::int64_t heads, length, width;
  std::vector<T> numbers;

  ConstView view() const { return posenc::view(numbers.data(), {heads, length, width}); }
  View out() { return posenc::view(numbers.data(), {heads, length, width}); }
};

template <class T>
Heads<T> random_heads(std::int64_t heads, std::int64_t length, std::int64_t width) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Heads<T> all = {heads, length, width, {}};
  for (std::int64_t i = 0; i < heads * length * width; ++i) all.numbers.push_back(T(normal(random)));
  return all;
}

template <class T>
Heads<T> turned(const Convention& convention, const Heads<T>& before, const Positions& positions,
                Direction direction = Direction::forward, std::int64_t rotated = 0, const Context& context = {},
                const Recipe& recipe = exact()) {
  Heads<T> after = before;
  const RotaryRows ready(convention, rotated > 0 ? rotated : before.width, {.recipe = recipe, .context = context});
  const std::vector<Positions> coordinates(ready.axes().size(), positions);
  const Rotated one[] = {{after.out(), TokenAxis::before_columns}};
  ready.rotate(coordinates, one, direction);
  return after;
}

// Rotations of one kind a row: those that need no centre, at the first width that they admit.
std::int64_t width_of(const Preset& preset, const Context& context) {
  if (check_use("test", ConventionUse::rotations, preset.convention)) return 0;
  for (const std::int64_t width : {64, 128, 192, 96, 256, 48, 8}) {
    if (!RotaryRows::check(preset.convention, width, {.context = context})) return width;
  }
  return 0;
}

TEST(IdentifyRotation, EveryRowIsFound) {
  int count = 0;
  for (const Preset& preset : presets()) {
    const Context context = {.length = 112};
    const std::int64_t width = width_of(preset, context);
    if (width == 0) continue;
    const Heads<float> before = random_heads<float>(2, 12, width);
    const Positions positions = Positions::range(100, 12);
    const Heads<float> after = turned(preset.convention, before, positions, Direction::forward, 0, context);
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    EXPECT_TRUE(names_turn(found, preset.name)) << preset.name << " " << width << " " << found.kind;
    for (const Candidate& each : found.candidates) {
      EXPECT_EQ(each.exact.equal, each.exact.entries) << preset.name << " as " << each.presets[0];
      const bool itself = std::ranges::find(each.presets, preset.name) != each.presets.end();
      EXPECT_TRUE(!itself || each.form == "rotation") << preset.name;
    }
    ++count;
  }
  EXPECT_GT(count, 60);
}

TEST(IdentifyRotation, HalfPrecisionAndLists) {
  const std::vector<double> list = {0, 1, 2.5, 17, 4095, 3, 131071};
  const Positions positions = Positions::list(view(list.data(), {7}));
  const Heads<bfloat16> before = random_heads<bfloat16>(4, 7, 128);
  for (const std::string_view name : {"rope-half", "rope-pair"}) {
    const Heads<bfloat16> after = turned(preset(name).convention, before, positions);
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    EXPECT_TRUE(names_turn(found, name)) << found.kind;
    EXPECT_FALSE(names_turn(found, name == "rope-half" ? "rope-pair" : "rope-half"));
  }
}

TEST(IdentifyRotation, Backward) {
  const Heads<float> before = random_heads<float>(1, 9, 64);
  const Positions positions = Positions::range(0, 9);
  const Heads<float> after = turned(preset("rope-half").convention, before, positions, Direction::inverse);
  const Identification found = identify_rotation(before.view(), after.view(), positions);
  ASSERT_TRUE(names_turn(found, "rope-half"));
  for (const Candidate& each : found.candidates) {
    const bool of_rope_half = std::ranges::find(each.presets, "rope-half") != each.presets.end();
    EXPECT_TRUE(!of_rope_half || each.form == "rotation backward");
    EXPECT_EQ(each.exact.share(), 1) << each.presets[0];
  }
}

// Rows that were turned at other places than those that are stated.
TEST(IdentifyRotation, PlacesThatAreOffByAWholeNumber) {
  const Heads<float> before = random_heads<float>(2, 40, 64);
  for (const std::string_view name : {"rope-half", "rope-pair", "rope-llama3"}) {
    for (const std::int64_t by : {1, -1, 5, 1000}) {
      const Heads<float> after = turned(preset(name).convention, before, Positions::range(7 + by, 40));
      const Identification found = identify_rotation(before.view(), after.view(), Positions::range(7, 40));
      ASSERT_TRUE(names_turn(found, name)) << by << " " << to_string(found);
      for (const Candidate& each : found.candidates) {
        EXPECT_EQ(each.places[0].first, static_cast<double>(7 + by)) << name;
        ASSERT_FALSE(each.fitted.empty());
        EXPECT_EQ(each.fitted.back().name, "offset");
        EXPECT_EQ(each.fitted.back().value, static_cast<double>(by));
      }
    }
  }
  const Heads<float> quarter = turned(preset("rope-half").convention, before, Positions::range(7.25, 40));
  EXPECT_TRUE(identify_rotation(before.view(), quarter.view(), Positions::range(7, 40)).candidates.empty());
}

TEST(IdentifyRotation, PartsOfAHead) {
  const Heads<float> before = random_heads<float>(2, 9, 80);
  const Positions positions = Positions::range(3, 9);
  for (const std::int64_t rotated : {32, 20, 64}) {
    const Heads<float> after = turned(preset("rope-pair").convention, before, positions, Direction::forward, rotated);
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    ASSERT_TRUE(names_turn(found, "rope-pair")) << rotated;
    EXPECT_EQ(found.candidates[0].width, rotated);
  }
}

TEST(IdentifyRotation, OtherBasesAreFitted) {
  const Heads<float> before = random_heads<float>(2, 16, 64);
  for (const double base : {2000000.0, 777.0, 32768.0}) {
    for (const std::int64_t first : {0, 100}) {
      const Convention convention = with_field(preset("rope-half").convention, "ladder.base", base);
      const Positions positions = Positions::range(first, 16);
      const Heads<float> after = turned(convention, before, positions);
      const Identification found = identify_rotation(before.view(), after.view(), positions);
      ASSERT_TRUE(names_turn(found, "rope-half")) << base << " " << found.kind;
      EXPECT_EQ(found.candidates[0].convention, convention) << base;
      EXPECT_EQ(found.candidates[0].fitted[0].name, "base");
    }
  }
}

TEST(IdentifyRotation, OtherBasesAreFittedAtAnyLength) {
  for (const std::int64_t length : {2, 17, 48, 64, 128, 4096}) {
    for (const double base : {777.0, 500000.0, 12345.0}) {
      const Heads<float> before = random_heads<float>(1, length, 64);
      const Positions positions = Positions::range(0, length);
      const Convention convention = with_field(preset("rope-half").convention, "ladder.base", base);
      const Heads<float> after = turned(convention, before, positions);
      const Identification found = identify_rotation(before.view(), after.view(), positions);
      EXPECT_TRUE(names_turn(found, "rope-half") || base == 500000) << length << " " << base << " " << found.kind;
      ASSERT_FALSE(found.candidates.empty()) << length << " " << base;
      EXPECT_EQ(found.candidates[0].exact.share(), 1);
    }
  }
}

TEST(IdentifyRotation, AnotherBaseIsThatOfOneAxisAsWellAsOfThree) {
  const Heads<float> before = random_heads<float>(1, 10, 128);
  const Positions positions = Positions::range(4095, 10);
  const Convention convention = with_field(preset("rope-half").convention, "ladder.base", 360000.0);
  for (const std::string_view arithmetic : {"exact", "f32-power"}) {
    const Heads<float> after = turned(convention, before, positions, Direction::forward, 0, {}, recipe(arithmetic));
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    EXPECT_TRUE(names_turn(found, "rope-half") && names_turn(found, "mrope-chunk")) << arithmetic;
  }
}

TEST(IdentifyRotation, ListsOfDivisorsAreFitted) {
  constexpr std::int64_t pairs = 48;
  std::vector<double> divisors;
  for (std::int64_t k = 0; k < pairs; ++k) divisors.push_back(std::rint(1e5 + 45.3 * double(k * k)) / 1e5);
  const Convention convention =
      with_fields(preset("rope-longrope").convention, {{"ladder.base", 1e6},
                                                       {"ladder.scaling.short_factors", divisors},
                                                       {"ladder.scaling.long_factors", divisors},
                                                       {"magnitude.factor", 16.0},
                                                       {"magnitude.length", 4096}});
  const Heads<float> before = random_heads<float>(3, 12, 2 * pairs);
  for (const std::int64_t first : {0, 33}) {
    const Positions positions = Positions::range(first, 12);
    const Context context = {.length = first + 12};
    const Heads<float> after =
        turned(convention, before, positions, Direction::forward, 0, context, recipe("f32-reciprocal"));
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    ASSERT_TRUE(names_turn(found, "rope-longrope")) << first << " " << found.kind;
    EXPECT_LT(to_string(found).size(), 4000u) << "a list is told in a few lines";
  }
}

TEST(IdentifyRotation, FactorsOfScalingAreFitted) {
  const Heads<float> before = random_heads<float>(1, 12, 64);
  const Positions positions = Positions::range(0, 12);
  for (const auto& [name, factor] : {std::pair{"rope-llama3", 32.0}, {"rope-linear", 2.5}}) {
    const Convention convention = with_field(preset(name).convention, "ladder.scaling.factor", factor);
    const Heads<float> after = turned(convention, before, positions);
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    ASSERT_TRUE(names_turn(found, name)) << name;
    EXPECT_EQ(found.candidates[0].convention, convention);
  }
}

TEST(IdentifyRotation, DecaysOfQueriesAndKeys) {
  int count = 0;
  for (const Preset& preset : presets()) {
    const Context context = {.length = 50, .centre = 25};
    if (width_of(preset, {.length = 50}) > 0 || width_of(preset, context) == 0) continue;
    ++count;
    const Positions positions = Positions::range(0, 50);
    const Heads<float> before = random_heads<float>(2, 50, width_of(preset, context));
    for (const RotatedSide side : {RotatedSide::query, RotatedSide::key}) {
      Heads<float> after = before;
      const Rotated one[] = {{after.out(), side, TokenAxis::before_columns}};
      RotaryRows(preset.convention, before.width, {.context = context}).rotate(positions, one);
      const Identification found = identify_rotation(before.view(), after.view(), positions);
      ASSERT_TRUE(names_turn(found, preset.name)) << preset.name << found.kind;
      EXPECT_EQ(found.candidates[0].form, side == RotatedSide::query ? "rotation of queries" : "rotation of keys");
      EXPECT_EQ(found.candidates[0].context.centre, 25);
    }
  }
  EXPECT_GT(count, 0);
}

TEST(IdentifyRotation, FaultsAreNotNamed) {
  const Heads<float> before = random_heads<float>(2, 12, 64);
  const Positions positions = Positions::range(0, 12);
  const Heads<float> after = turned(preset("rope-half").convention, before, positions);
  Heads<float> swapped = after;
  for (std::size_t row = 0; row < 24; ++row) std::swap(swapped.numbers[row * 64 + 2], swapped.numbers[row * 64 + 5]);
  EXPECT_TRUE(identify_rotation(before.view(), swapped.view(), positions).candidates.empty());
  const Identification shifted = identify_rotation(before.view(), after.view(), Positions::range(0.25, 12));
  EXPECT_TRUE(shifted.candidates.empty()) << "by no whole number of places";
  EXPECT_EQ(shifted.kind, "pairs turn by other angles");
  Heads<float> unrelated = before;
  std::ranges::reverse(unrelated.numbers);
  const Identification none = identify_rotation(before.view(), unrelated.view(), positions);
  EXPECT_TRUE(none.candidates.empty());
  EXPECT_EQ(none.kind, "no pairing keeps lengths");
}

// [B, L, H, d], as attention of many libraries has it: which axis counts tokens is told by the number of positions.
TEST(IdentifyRotation, TokensBeforeHeads) {
  constexpr std::int64_t heads = 3, length = 20, width = 64;
  const Positions positions = Positions::range(7, length);
  const Heads<float> before = random_heads<float>(2 * heads, length, width);
  const Heads<float> after = turned(preset("rope-pair").convention, before, positions);
  const auto batch = [&](const Heads<float>& of) {
    ConstView view = posenc::view(of.numbers.data(), {2, length, heads, width});
    view.strides = {heads * length * width, width, length * width, 1};
    return view;
  };
  const Identification found = identify_rotation(batch(before), batch(after), positions);
  ASSERT_TRUE(names_turn(found, "rope-pair")) << to_string(found);
  EXPECT_EQ(found.candidates[0].reading, "[.., L, H, d]");
  EXPECT_EQ(found.candidates[0].exact.entries, 2 * heads * length * width);
  const Identification square = identify_rotation(before.view(), after.view(), positions);
  EXPECT_EQ(square.candidates[0].reading, "[.., L, d]");
  const auto problem = check_identify_rotation(batch(before), batch(after), Positions::range(0, 4));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->rule, "positions must be one for each of 3 tokens [.., L, d], or of 20 [.., L, H, d]");
}

// As many heads as tokens: the axis before the columns comes first, and the other one where that is none.
TEST(IdentifyRotation, AsManyHeadsAsTokens) {
  constexpr std::int64_t count = 9, width = 32;
  const Positions positions = Positions::range(0, count);
  const Heads<float> before = random_heads<float>(count, count, width);
  const Heads<float> after = turned(preset("rope-half").convention, before, positions);
  const auto exchanged = [&](const Heads<float>& of) {
    ConstView view = of.view();
    std::swap(view.strides[0], view.strides[1]);
    return view;
  };
  EXPECT_EQ(identify_rotation(before.view(), after.view(), positions).candidates.at(0).reading, "[.., L, d]");
  EXPECT_EQ(identify_rotation(exchanged(before), exchanged(after), positions).candidates.at(0).reading,
            "[.., L, H, d]");
}

// Some rows were turned otherwise, or overwritten: the row of presets that has all others is nearest.
TEST(IdentifyRotation, DamagedRows) {
  constexpr std::int64_t length = 50;
  const Positions positions = Positions::range(0, length);
  const Heads<float> before = random_heads<float>(2, length, 64);
  const Heads<float> right = turned(preset("rope-half").convention, before, positions);
  const std::vector<std::vector<std::int64_t>> damages = {{5}, {17}, {49}, {0, 1}, {3, 20, 40}};
  for (const auto& rows : damages) {
    Heads<float> after = right;
    for (const std::int64_t row : rows) {
      for (std::int64_t c = 0; c < 64; ++c) {
        after.numbers[static_cast<std::size_t>((length + row) * 64 + c)] = static_cast<float>(c);
      }
    }
    const Identification found = identify_rotation(before.view(), after.view(), positions);
    EXPECT_TRUE(found.candidates.empty());
    ASSERT_TRUE(found.nearest) << found.kind;
    EXPECT_EQ(found.nearest->presets[0], "rope-half");
    std::string words = rows.size() == 1 ? "row " : "rows ";
    for (const std::int64_t row : rows) words += (row == rows[0] ? "" : ", ") + std::to_string(row);
    EXPECT_EQ(found.kind, words + (rows.size() == 1 ? " is damaged" : " are damaged"));
    EXPECT_LT(found.nearest->exact.share(), 1);
  }
}

TEST(IdentifyRotation, OneEntryOfManyIsAFault) {
  const Heads<float> before = random_heads<float>(8, 700, 64);
  const Positions positions = Positions::range(0, 700);
  Heads<float> after = turned(preset("rope-pair").convention, before, positions);
  EXPECT_TRUE(names_turn(identify_rotation(before.view(), after.view(), positions), "rope-pair"));
  float& entry = after.numbers[(3 * 700 + 341) * 64 + 7];
  entry += 0.25F;
  EXPECT_TRUE(identify_rotation(before.view(), after.view(), positions).candidates.empty());
  entry = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(identify_rotation(before.view(), after.view(), positions).candidates.empty());
}

TEST(IdentifyRotation, NotANumberIsAFault) {
  const Heads<float> before = random_heads<float>(1, 12, 64);
  Heads<float> after = turned(preset("rope-pair").convention, before, Positions::range(0, 12));
  after.numbers[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(identify_rotation(before.view(), after.view(), Positions::range(0, 12)).candidates.empty());
  after.numbers[100] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(identify_rotation(before.view(), after.view(), Positions::range(0, 12)).candidates.empty());
}

// The same elements `off` bytes behind an aligned address.
template <class T>
struct Unaligned {
  Unaligned(const Heads<T>& heads, std::size_t off) : bytes(heads.numbers.size() * sizeof(T) + 16), view(heads.view()) {
    std::memcpy(bytes.data() + off, heads.numbers.data(), heads.numbers.size() * sizeof(T));
    view.data = bytes.data() + off;
  }
  std::vector<std::byte> bytes;
  ConstView view;
};

template <class T>
void expect_same_at_any_address(std::initializer_list<std::size_t> offsets) {
  const Heads<T> before = random_heads<T>(2, 40, 64);
  const Positions positions = Positions::range(3, 40);
  const Heads<T> after = turned(preset("rope-half").convention, before, positions);
  const Identification aligned = identify_rotation(before.view(), after.view(), positions);
  ASSERT_TRUE(names_turn(aligned, "rope-half"));
  for (const std::size_t off : offsets) {
    const Unaligned<T> from(before, off), to(after, off);
    EXPECT_EQ(identify_rotation(from.view, after.view(), positions), aligned) << off;
    EXPECT_EQ(identify_rotation(before.view(), to.view, positions), aligned) << off;
    EXPECT_EQ(identify_rotation(from.view, to.view, positions), aligned) << off;
  }
}

TEST(IdentifyRotation, ElementsMayStandAtAnyAddress) {
  expect_same_at_any_address<float>({1, 2, 3, 6});
  expect_same_at_any_address<bfloat16>({1, 7});
  expect_same_at_any_address<double>({1, 4, 5});
}

TEST(IdentifyRotation, PositionZeroAloneTellsNothing) {
  const Heads<float> before = random_heads<float>(2, 1, 64);
  const Identification found = identify_rotation(before.view(), before.view(), Positions::at(0));
  EXPECT_TRUE(found.candidates.empty());
  EXPECT_EQ(found.kind, "no entry turns");
}

TEST(IdentifyRotation, Errors) {
  const Heads<float> a = random_heads<float>(2, 5, 8), b = random_heads<float>(2, 5, 6);
  const Positions five = Positions::range(0, 5);
  EXPECT_TRUE(check_identify_rotation(a.view(), b.view(), five));
  EXPECT_TRUE(check_identify_rotation(a.view(), a.view(), Positions::range(0, 4)));
  const std::vector<std::int32_t> whole(80);
  const ConstView integers = view(whole.data(), {2, 5, 8});
  EXPECT_TRUE(check_identify_rotation(integers, integers, five));
  EXPECT_TRUE(check_identify_rotation(view(a.numbers.data(), {8}), view(a.numbers.data(), {8}), five));
  EXPECT_FALSE(check_identify_rotation(a.view(), a.view(), five));
}

}  // namespace
}  // namespace posenc
