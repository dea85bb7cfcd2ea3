// SPDX-License-Identifier: Apache-2.0
// Changing one field of a convention, and saying in which fields two differ.
#include <gtest/gtest.h>
#include <posenc/preset.h>

#include <limits>

#include "tests/encodings/presets.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::rope;
using test::said;
using test::transformer;

std::string said_of_change(const Convention& convention, std::string_view path, const FieldValue& value) {
  const FieldChange change[] = {{path, value}};
  return said(check_changes(convention, change));
}

TEST(With, ChangesOneFieldInOneExpression) {
  const Convention longer = with_field(rope, "ladder.base", 500000);
  EXPECT_EQ(longer, Convention(Rotary(Geometric{500000, 1, Spacing::over_width}, Pairing::split_half)));
  EXPECT_EQ(with_field(longer, "ladders.0.base", "10000"), rope);
  EXPECT_EQ(with_field(transformer, "layout", "cosine_first"),
            Convention(Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::cosine_first, OddWidth::refused}));
  EXPECT_EQ(with_field(transformer, "ladder.spacing", "over_gaps"),
            Convention(Sinusoid{Geometric{10000, 1, Spacing::over_gaps}, Layout::interleaved, OddWidth::refused}));
}

TEST(With, ChangesSeveralOneAfterTheOther) {
  EXPECT_EQ(with_fields(transformer, {{"ladder", "listed"},
                                      {"ladder.unit", "radians"},
                                      {"ladder.frequencies", std::vector<double>{1, 0.5}}}),
            Convention(Sinusoid{Listed{{1, 0.5}}, Layout::interleaved, OddWidth::refused}));
  const Convention scaled = with_fields(rope, {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 8}});
  EXPECT_EQ(family(scaled), "rotary");
  EXPECT_EQ(short_form<Sinusoid>(scaled), std::nullopt);
  EXPECT_EQ(first_difference(rope, scaled), "ladders.0.scaling: none, not linear {factor 8}");
}

TEST(With, ReachesEveryLadder) {
  Waves two = Grid{Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, AxisOrder::column_first};
  two.ladders.push_back(two.ladders[0]);
  EXPECT_EQ(differences(two, with_field(two, "ladder.base", 100)),
            (std::vector<std::string>{"ladders.0.base: 10000, not 100", "ladders.1.base: 10000, not 100"}));
  EXPECT_EQ(differences(two, with_field(two, "ladders.1.base", 100)),
            std::vector<std::string>{"ladders.1.base: 10000, not 100"});
}

TEST(With, RefusesAPathWithTheOnesThereAre) {
  EXPECT_EQ(said_of_change(rope, "ladder.bass", 1),
            "[convention] the path must go on with one of unit, base, first, slope, spacing, scaling after ladder, got "
            "'bass'");
  EXPECT_EQ(said_of_change(rope, "base", 1),
            "[convention] the path must begin with one of axes, axis, ladders, ladder, rungs, sections, deal, order, "
            "pairing, pairing_scope, written, angles, turn, odd_width, part, where, magnitude, decay, stored, got "
            "'base'");
  EXPECT_EQ(said_of_change(rope, "ladders.7.base", 1),
            "[convention] ladders must be followed by a number from 0 to 1, got '7'");
  EXPECT_EQ(said_of_change(rope, "pairing.base", 1), "[convention] pairing must be the end of the path, got 'base'");
  EXPECT_EQ(said_of_change(rope, "", 1).substr(0, 40), "[convention] the path must begin with on");
}

TEST(With, RefusesAValueByPathAndRule) {
  EXPECT_EQ(said_of_change(rope, "ladder.base", -1), "[convention] ladder.base must be finite and > 0, got -1");
  EXPECT_EQ(said_of_change(rope, "ladder.base", "1e999"), "[convention] ladder.base must be a number, got '1e999'");
  EXPECT_EQ(said_of_change(rope, "ladder.base", "ten"), "[convention] ladder.base must be a number, got 'ten'");
  EXPECT_EQ(said_of_change(rope, "ladder.base", ""), "[convention] ladder.base must be a number, got ''");
  EXPECT_EQ(said_of_change(rope, "pairing", "half"),
            "[convention] pairing must be one of adjacent, split_half, got 'half'");
  EXPECT_EQ(said_of_change(rope, "part", 0.5), "[convention] part must be one of all, a number, share, got 0.5");
  EXPECT_EQ(said_of_change(rope, "part", 0), "[convention] part must be 1 to 2^30, got 0");
  EXPECT_EQ(said_of_change(rope, "axes", "Y"), "[convention] axes must be 1 to 32 of a-z, 0-9 and _, got 'Y' at [0]");
}

// The length of a rope whose scaling has one, changed.
std::string length_of(const FieldValue& length) {
  const FieldChange changes[] = {
      {"ladder.scaling", "dynamic_ntk"}, {"ladder.scaling.factor", 2}, {"ladder.scaling.length", length}};
  if (const auto refused = check_changes(rope, changes)) return refused->message();
  const Ladder ladder = std::get<Rotary>(with_fields(rope, changes)).ladders[0];
  return std::to_string(std::get<DynamicNtkScaling>(std::get<Geometric>(ladder).scaling).length);
}

TEST(With, TakesEveryIntegerExactly) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), odd = (std::int64_t{1} << 53) + 1;
  for (const std::int64_t length : {std::int64_t{1}, odd - 2, odd, most - 1, most}) {
    EXPECT_EQ(length_of(length), std::to_string(length));
    EXPECT_EQ(length_of(static_cast<std::uint64_t>(length)), std::to_string(length));
    EXPECT_EQ(length_of(std::to_string(length)), std::to_string(length));
  }
  EXPECT_EQ(length_of(4096.0), "4096");
  EXPECT_EQ(with_field(rope, "ladder.base", odd), with_field(rope, "ladder.base", 0x1p53)) << "a number rounds it";
}

TEST(With, RefusesWhatIsNoInteger) {
  const std::string rule = "[convention] ladder.scaling.length must be an integer in plain digits, got ";
  EXPECT_EQ(length_of(0.5), rule + "0.5");
  EXPECT_EQ(length_of(0x1p53), rule + "9007199254740992") << "it may be 2^53 + 1, rounded";
  EXPECT_EQ(length_of(std::numeric_limits<double>::infinity()), rule + "inf");
  for (const std::string text : {"", " 1", "1 ", "+1", "0x10", "1e3", "4096.0", "0.99999999999999999999",
                                 "9007199254740993.0", "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(length_of(text), rule + "'" + text + "'");
  }
  EXPECT_NE(length_of(std::numeric_limits<std::uint64_t>::max()), "9223372036854775807");
  EXPECT_EQ(length_of(std::numeric_limits<std::int64_t>::min()),
            "[convention] ladder.scaling.length must be >= 1, got -9223372036854775808");
}

TEST(With, RefusesEmptyItemsAndPathsThatEndWithADot) {
  const std::string dot = "[convention] the path must end with a field, not with a dot, got ";
  EXPECT_EQ(said_of_change(rope, "ladder.base.", 5), dot + "'ladder.base.'");
  EXPECT_EQ(said_of_change(rope, "ladders.0.", "listed"), dot + "'ladders.0.'");
  EXPECT_EQ(said_of_change(rope, "pairing.", "adjacent"), dot + "'pairing.'");
  EXPECT_EQ(said_of_change(rope, ".", 5), dot + "'.'");
  EXPECT_EQ(said_of_change(rope, "ladder..base", 5).substr(0, 40), "[convention] the path must go on with on");
  const Convention own =
      with_fields(transformer, {{"ladder", "listed"}, {"ladder.unit", "radians"}, {"ladder.frequencies", "1,2"}});
  for (const std::string list : {"1,,2", "1,", ",1", ",", ""}) {
    EXPECT_EQ(said_of_change(own, "ladder.frequencies", list),
              "[convention] ladder.frequencies must be a list, each item a number, got '" + list + "'");
    EXPECT_EQ(said_of_change(transformer, "phases", list),
              "[convention] phases must be one of none, a list of numbers, got '" + list + "'");
  }
  EXPECT_EQ(said_of_change(transformer, "axes", "y,"),
            "[convention] axes must be 1 to 32 of a-z, 0-9 and _, got '' at [1]");
  EXPECT_EQ(said_of_change(transformer, "axes", ""),
            "[convention] axes must be 1 to 32 of a-z, 0-9 and _, got '' at [0]");
}

TEST(With, RefusesAResultThatBreaksARule) {
  EXPECT_EQ(said_of_change(rope, "ladder.scaling", "linear"),
            "[convention] ladders.0.scaling.factor must be stated, got none");
  EXPECT_EQ(said_of_change(rope, "axes", "y,y"), "[convention] axes must be different names, got [y, y]");
  EXPECT_EQ(said_of_change(transformer, "rungs", "dealt"),
            "[convention] sections must be none where rungs are not own, got equal");
  EXPECT_THROW(with_field(rope, "axes", "y,y"), Error);
}

TEST(Differences, AreNoneOrNamedByPath) {
  EXPECT_EQ(first_difference(rope, rope), std::nullopt);
  EXPECT_EQ(first_difference(rope, transformer), "family: rotary, not sinusoid");
  EXPECT_EQ(first_difference(with_field(transformer, "ladder.base", 0.1),
                             with_field(transformer, "ladder.base", 0.1 + 0x1p-56)),
            "ladders.0.base: 0.1, not 0.10000000000000002");
  EXPECT_EQ(first_difference(preset("diffusers-timestep").convention, preset("ddpm").convention), std::nullopt);
}

TEST(Fields, AreAllThereWithTheirMeaning) {
  const std::vector<FieldText> fields = fields_of(rope);
  ASSERT_EQ(fields.size(), 17u);
  EXPECT_EQ(fields[6].name, "pairing");
  EXPECT_EQ(fields[6].value, "split_half");
  for (const FieldText& field : fields) EXPECT_FALSE(field.doc.empty()) << field.name;
}

}  // namespace
}  // namespace posenc
