// SPDX-License-Identifier: Apache-2.0
// Changing one field of a convention, and saying in which fields two differ.
#include <gtest/gtest.h>
#include <posenc/preset.h>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

const Convention rope = Rotary{Geometric{10000, 1, Spacing::over_width}, Pairing::split_half};
const Convention row = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};

std::string problem(const Convention& convention, std::string_view path, const FieldValue& value) {
  const FieldChange change[] = {{path, value}};
  return said(check_changes(convention, change));
}

TEST(With, ChangesOneFieldInOneExpression) {
  const Convention longer = with(rope, "ladder.base", 500000);
  EXPECT_EQ(longer, Convention(Rotary(Geometric{500000, 1, Spacing::over_width}, Pairing::split_half)));
  EXPECT_EQ(with(longer, "ladders.0.base", "10000"), rope);
  EXPECT_EQ(with(row, "layout", "cosine_first"),
            Convention(Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::cosine_first, OddWidth::refused}));
  EXPECT_EQ(with(row, "ladder.spacing", "over_gaps"),
            Convention(Sinusoid{Geometric{10000, 1, Spacing::over_gaps}, Layout::interleaved, OddWidth::refused}));
}

TEST(With, ChangesSeveralOneAfterTheOther) {
  EXPECT_EQ(with(row, {{"ladder", "listed"}, {"ladder.frequencies", std::vector<double>{1, 0.5}}}),
            Convention(Sinusoid{Listed{{1, 0.5}}, Layout::interleaved, OddWidth::refused}));
  const Convention scaled = with(rope, {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 8}});
  EXPECT_EQ(family(scaled), "rotary");
  EXPECT_EQ(short_form<Sinusoid>(scaled), std::nullopt);
  EXPECT_EQ(first_difference(rope, scaled), "ladders.0.scaling: none, not linear {factor 8}");
}

TEST(With, ReachesEveryLadder) {
  Waves two = Grid{Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, AxisOrder::column_first};
  two.ladders.push_back(two.ladders[0]);
  EXPECT_EQ(differences(two, with(two, "ladder.base", 100)),
            (std::vector<std::string>{"ladders.0.base: 10000, not 100", "ladders.1.base: 10000, not 100"}));
  EXPECT_EQ(differences(two, with(two, "ladders.1.base", 100)),
            std::vector<std::string>{"ladders.1.base: 10000, not 100"});
}

TEST(With, RefusesAPathWithTheOnesThereAre) {
  EXPECT_EQ(problem(rope, "ladder.bass", 1),
            "[convention] the path must go on with one of unit, base, first, slope, spacing, scaling after ladder, got "
            "'bass'");
  EXPECT_EQ(problem(rope, "base", 1),
            "[convention] the path must begin with one of axes, axis, ladders, ladder, rungs, sections, deal, order, "
            "pairing, pairing_scope, written, angles, turn, odd_width, part, where, magnitude, decay, stored, got "
            "'base'");
  EXPECT_EQ(problem(rope, "ladders.7.base", 1),
            "[convention] ladders must be followed by a number from 0 to 1, got '7'");
  EXPECT_EQ(problem(rope, "pairing.base", 1), "[convention] pairing must be the end of the path, got 'base'");
  EXPECT_EQ(problem(rope, "", 1).substr(0, 40), "[convention] the path must begin with on");
}

TEST(With, RefusesAValueByPathAndRule) {
  EXPECT_EQ(problem(rope, "ladder.base", -1), "[convention] ladder.base must be finite and > 0, got -1");
  EXPECT_EQ(problem(rope, "ladder.base", "1e999"), "[convention] ladder.base must be a number, got '1e999'");
  EXPECT_EQ(problem(rope, "ladder.base", "ten"), "[convention] ladder.base must be a number, got 'ten'");
  EXPECT_EQ(problem(rope, "ladder.base", ""), "[convention] ladder.base must be a number, got ''");
  EXPECT_EQ(problem(rope, "pairing", "half"), "[convention] pairing must be one of adjacent, split_half, got 'half'");
  EXPECT_EQ(problem(rope, "part", 0.5), "[convention] part must be one of all, a number, share, got 0.5");
  EXPECT_EQ(problem(rope, "part", 0), "[convention] part must be 1 to 2^30, got 0");
  EXPECT_EQ(problem(rope, "axes", "Y"), "[convention] axes must be 1 to 32 of a-z, 0-9 and _, got 'Y' at [0]");
}

TEST(With, RefusesAResultThatBreaksARule) {
  EXPECT_EQ(problem(rope, "ladder.scaling", "linear"),
            "[convention] ladders.0.scaling.factor must be finite and > 0, got 0");
  EXPECT_EQ(problem(rope, "axes", "y,y"), "[convention] axes must be different names, got [y, y]");
  EXPECT_EQ(problem(row, "rungs", "dealt"), "[convention] sections must be none where rungs are not own, got equal");
  EXPECT_THROW(with(rope, "axes", "y,y"), Error);
}

TEST(Differences, AreNoneOrNamedByPath) {
  EXPECT_EQ(first_difference(rope, rope), std::nullopt);
  EXPECT_EQ(first_difference(rope, row), "family: rotary, not sinusoid");
  EXPECT_EQ(first_difference(with(row, "ladder.base", 0.1), with(row, "ladder.base", 0.1 + 0x1p-56)),
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
