// SPDX-License-Identifier: Apache-2.0
// A kind that is chosen by its name is taken once all its fields are stated, and every one is asked for by its path.
#include "src/conventions/unstated.h"

#include <gtest/gtest.h>
#include <posenc/preset.h>

#include "tests/encodings/presets.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::rope;
using test::said;
using test::transformer;

struct Kind {
  const Convention* of;
  std::string above;  // of its fields
  std::vector<FieldChange> changes;
};

std::vector<Kind> kinds() {
  return {
      {&transformer, "scale.", {{"scale", "learned"}, {"scale.initial", 0}}},
      {&rope,
       "magnitude.",
       {{"magnitude", "yarn"}, {"magnitude.factor", 4}, {"magnitude.gain", 0}, {"magnitude.gain_all", 0}}},
      {&rope, "magnitude.", {{"magnitude", "longrope"}, {"magnitude.factor", 4}, {"magnitude.length", 4096}}},
      {&rope, "decay.", {{"decay", "xpos"}, {"decay.floor", 0.4}, {"decay.period", 512}}},
      {&rope, "part.", {{"part", "share"}, {"part.share", 0.5}}},
      {&rope,
       "sections.",
       {{"sections", "shares"}, {"sections.shares", "1"}, {"sections.of", 1}, {"sections.rest", "position"}}},
      {&transformer, "ladders.0.", {{"ladder", "listed"}, {"ladder.unit", "radians"}, {"ladder.frequencies", "1,0.5"}}},
      {&transformer,
       "ladders.0.",
       {{"ladder", "linear"}, {"ladder.unit", "turns"}, {"ladder.from", 0}, {"ladder.to", 0}}},
      {&transformer,
       "ladders.0.",
       {{"ladder", "runaway"},
        {"ladder.unit", "radians"},
        {"ladder.base", 100},
        {"ladder.spacing.over", "width"},
        {"ladder.spacing.width", 0},
        {"ladder.spacing.shift", 0},
        {"ladder.spacing.least", 0}}},
      {&transformer,
       "ladders.1.",
       {{"ladders.1", "geometric"},
        {"ladders.1.unit", "radians"},
        {"ladders.1.base", 100},
        {"ladders.1.first", 1},
        {"ladders.1.slope", "falling"},
        {"ladders.1.spacing", "over_width"},
        {"ladders.1.scaling", "none"}}},
      {&rope,
       "ladders.0.scaling.",
       {{"ladder.scaling", "yarn"},
        {"ladder.scaling.factor", 4},
        {"ladder.scaling.length", 4096},
        {"ladder.scaling.fast", 32},
        {"ladder.scaling.slow", 1},
        {"ladder.scaling.truncate", "whole"}}},
      {&rope,
       "ladders.0.scaling.",
       {{"ladder.scaling", "longrope"},
        {"ladder.scaling.short_factors", "1,1"},
        {"ladder.scaling.long_factors", "2,2"},
        {"ladder.scaling.length", 4096}}}};
}

TEST(Unstated, EveryFieldOfAKindIsAskedFor) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.changes[0].path);
    for (std::size_t left = 1; left < kind.changes.size(); ++left) {
      std::vector<FieldChange> some = kind.changes;
      some.erase(some.begin() + static_cast<std::ptrdiff_t>(left));
      const std::string field(kind.changes[left].path.substr(kind.changes[0].path.size() + 1));
      const std::string text = said(check_changes(*kind.of, some));
      EXPECT_EQ(text.rfind("[convention] " + kind.above + field, 0), 0u) << text;
      EXPECT_NE(text.find(" must be stated, got none"), text.npos) << text;
    }
    const std::string text = said(check_changes(*kind.of, kind.changes));
    EXPECT_EQ(text.find("stated, got none"), text.npos) << text;
  }
}

TEST(Unstated, ZeroIsAValueLikeAnyOther) {
  EXPECT_EQ(std::get<LearnedScale>(
                std::get<Waves>(with_fields(transformer, {{"scale", "learned"}, {"scale.initial", 0}})).scale),
            LearnedScale{0});
}

TEST(Unstated, AnItemThatIsAddedIsAskedForAsWell) {
  const FieldChange only_axes[] = {{"rungs", "dealt"}, {"sections", "none"}, {"deal.0.axes", "position"}};
  EXPECT_EQ(said(check_changes(rope, only_axes)), "[convention] deal.0.pairs must be stated, got none");
}

TEST(Unstated, ANumberOfAListIsAskedForWhereAnotherWasAdded) {
  const FieldChange second[] = {
      {"sections", "shares"}, {"sections.rest", "x"}, {"sections.of", 4}, {"sections.shares.1", 2}};
  EXPECT_EQ(said(check_changes(preset("mae-2d").convention, second)),
            "[convention] sections.shares must be stated, got none");
}

TEST(Unstated, ANumberOfTheCallersIsToldAsItIs) {
  const FieldChange change[] = {{"pairing", "adjacent"}};
  const Geometric none = {std::numeric_limits<double>::quiet_NaN(), 1, Spacing::over_width};
  EXPECT_EQ(said(check_changes(Rotary(none, Pairing::adjacent), change)),
            "[convention] base must be finite and > 0, got nan");
}

}  // namespace
}  // namespace posenc
