// SPDX-License-Identifier: Apache-2.0
// Families: short forms and back, fields that are not stated, rules that join fields, and who takes what.
#include <gtest/gtest.h>
#include <posenc/convention.h>
#include <posenc/preset.h>

#include <cmath>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::half_rotary;
using test::paper;
using test::paper_sinusoid;
using test::said;

const Grid row_first_grid = {paper, Layout::sine_first, AxisOrder::row_first};
const Timestep scaled_timestep = {10000, 0.5, 1000, Layout::cosine_first};

std::string problem(const Convention& convention) { return said(check_convention(convention)); }

TEST(ShortForms, ComeBackAsTheyWentIn) {
  EXPECT_EQ(short_form<Sinusoid>(paper_sinusoid), paper_sinusoid);
  EXPECT_EQ(short_form<Grid>(row_first_grid), row_first_grid);
  EXPECT_EQ(short_form<Timestep>(scaled_timestep), scaled_timestep);
  EXPECT_EQ(short_form<Bias>(Bias{8}), Bias{8});
  EXPECT_EQ(short_form<Grid>(paper_sinusoid), std::nullopt);
  EXPECT_EQ(short_form<Sinusoid>(half_rotary), std::nullopt);
}

TEST(ShortForms, ComeBackFromValuesThatBreakTheirRules) {
  const Grid none = {paper, Layout{}, AxisOrder{}};
  EXPECT_EQ(short_form<Grid>(none), none);
  const Sinusoid unknown = {Geometric{-1, 0, Spacing{}}, static_cast<Layout>(9), static_cast<OddWidth>(77)};
  EXPECT_EQ(short_form<Sinusoid>(unknown), unknown);
  EXPECT_EQ(problem(Grid{paper, Layout::sine_first, static_cast<AxisOrder>(77)}),
            "[convention] axis_order must be stated, got none");
}

TEST(ShortForms, AreNoneOnceAnotherFieldIsNotPlain) {
  Waves waves = paper_sinusoid;
  waves.lead = Lead::zeros;
  EXPECT_EQ(short_form<Sinusoid>(waves), std::nullopt);
  EXPECT_EQ(family(waves), "waves");
  EXPECT_EQ(problem(waves), "nothing");
  Waves named = paper_sinusoid;
  named.axes = {"time"};
  EXPECT_EQ(family(named), "waves");
  EXPECT_EQ(short_form<Sinusoid>(Sinusoid{paper, Layout::interleaved, OddWidth::zero_row}), std::nullopt);
}

TEST(Families, RefuseEveryFieldThatIsNotStated) {
  EXPECT_EQ(problem(Waves{}), "[convention] rungs must be stated, got none");
  EXPECT_EQ(problem(Rotary{}), "[convention] rungs must be stated, got none");
  EXPECT_EQ(problem(Slopes{}), "[convention] octaves must be > 0 and at most 1024, got 0");
  const std::pair<void (*)(Waves&), std::string> changes[] = {
      {[](Waves& w) { w.rungs = {}; }, "rungs must be stated, got none"},
      {[](Waves& w) { w.sections = {}; }, "sections must be stated, got none"},
      {[](Waves& w) { w.order = static_cast<PairOrder>(9); }, "order must be stated, got none"},
      {[](Waves& w) { w.layout = static_cast<Layout>(9); }, "layout must be stated, got none"},
      {[](Waves& w) { w.scope = {}; }, "scope must be stated, got none"},
      {[](Waves& w) { w.parts = {}; }, "parts must be stated, got none"},
      {[](Waves& w) { w.phases = {}; }, "phases must be stated, got none"},
      {[](Waves& w) { w.angle_factor = {}; }, "angle_factor must be finite and > 0, got 0"},
      {[](Waves& w) { w.odd_width = {}; }, "odd_width must be stated, got none"},
      {[](Waves& w) { w.rest = {}; }, "rest must be stated, got none"},
      {[](Waves& w) { w.scale = {}; }, "scale must be stated, got none"},
      {[](Waves& w) { w.scale = LearnedScale{HUGE_VAL}; }, "scale.initial must be finite, got inf"},
      {[](Waves& w) { w.normalise = {}; }, "normalise must be stated, got none"},
      {[](Waves& w) { w.absent = {}; }, "absent must be stated, got none"},
      {[](Waves& w) { w.ladders = {Geometric{}}; }, "ladders.0.unit must be stated, got none"},
      {[](Waves& w) { w.ladders = {LinearLadder{}}; }, "ladders.0.unit must be stated, got none"},
  };
  for (const auto& [change, rule] : changes) {
    Waves waves = paper_sinusoid;
    waves.lead = Lead::zeros;  // no short form
    change(waves);
    EXPECT_EQ(problem(waves), "[convention] " + rule);
  }
}

TEST(Families, RefuseFieldsThatContradictEachOther) {
  const std::pair<void (*)(Waves&), std::string> changes[] = {
      {[](Waves& w) { w.axes = {"x", "none"}; }, "axes must be other names than none, got [x, none]"},
      {[](Waves& w) { w.ladders.clear(); }, "ladders must be one, or one for each axis, got 0"},
      {[](Waves& w) { w.ladders.resize(3, paper); }, "ladders must be one, or one for each axis, got 3"},
      {[](Waves& w) { w.sections = Nothing{}; }, "sections must be stated where rungs are own, got none"},
      {[](Waves& w) { w.sections = std::vector<std::int64_t>{16}; }, "sections must be as many as axes, 2, got 1"},
      {[](Waves& w) { w.sections = AxisShares{{1, 2}, 3, "t"}; }, "sections.rest must be one of the axes, got 't'"},
      {[](Waves& w) { w.deal = {{{"x"}, 4}}; },
       "deal must be empty where rungs are not dealt, got [stretch {axes [x], pairs 4}]"},
      {[](Waves& w) { w.scope = Scope::period; },
       "order must be rung_major where the scope is a period, got axis_major"},
      {[](Waves& w) { w.odd_width = OddWidth::lone_sine; },
       "odd_width must be refused with several axes, which have `rest`, got lone_sine"},
      {[](Waves& w) { w.rungs = Rungs::dealt, w.sections = Nothing{}; },
       "deal must be stretches where rungs are dealt, got []"},
      {[](Waves& w) { w.rungs = Rungs::dealt, w.sections = Nothing{}, w.deal = {{{"t"}, 4}}; },
       "deal must be of the axes, or none, got 't'"},
  };
  for (const auto& [change, rule] : changes) {
    Waves waves = row_first_grid;
    waves.lead = Lead::zeros;  // no short form
    change(waves);
    EXPECT_EQ(problem(waves), "[convention] " + rule);
  }
  Rotary rotary = half_rotary;
  rotary.angles = AnglesBy::column;
  EXPECT_EQ(problem(rotary), "[convention] pairing must be adjacent where angles go by column, got split_half");
}

TEST(Uses, AreThoseOfTheFamily) {
  const auto taken = [](ConventionUse use) {
    std::vector<std::string_view> by;
    for (const Convention& each :
         {Convention(paper_sinusoid), Convention(row_first_grid), Convention(scaled_timestep), Convention(half_rotary),
          Convention(Bias{8}), preset("t5-bucket").convention, preset("beit-window").convention,
          preset("swinv2-cpb").convention, preset("qwen-logn").convention, preset("learned").convention}) {
      if (!check_use("test", use, each)) by.push_back(family(each));
    }
    return by;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(taken(ConventionUse::rows), (Names{"sinusoid", "timestep"}));
  EXPECT_EQ(taken(ConventionUse::tokens), Names{"sinusoid"});
  EXPECT_EQ(taken(ConventionUse::timesteps), Names{"timestep"});
  EXPECT_EQ(taken(ConventionUse::cells), Names{"grid"});
  EXPECT_EQ(taken(ConventionUse::rotations), Names{"rotary"});
  EXPECT_EQ(taken(ConventionUse::slopes), Names{"bias"});
  EXPECT_EQ(taken(ConventionUse::classes), Names{"buckets"});
  EXPECT_EQ(taken(ConventionUse::windows), Names{"buckets"});
  EXPECT_EQ(taken(ConventionUse::log_coordinates), Names{"log_coordinates"});
  EXPECT_EQ(taken(ConventionUse::query_scales), Names{"query_scale"});
  EXPECT_EQ(taken(ConventionUse::stored_rows), Names{"learned"});
  EXPECT_FALSE(check_use("test", ConventionUse::resized_tables, preset("vit-resize").convention));
  EXPECT_EQ(taken(ConventionUse::resized_tables), Names{});
  EXPECT_EQ(taken(ConventionUse{}), Names{});
  EXPECT_EQ(said(check_use("grid", ConventionUse::cells, paper_sinusoid)),
            "[grid] the convention must be waves of two axes or more, as a grid is, got sinusoid");
}

}  // namespace
}  // namespace posenc
