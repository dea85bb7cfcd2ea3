// SPDX-License-Identifier: Apache-2.0
// PhasePlan: rows made from its words by the reference are those of the recipe.
#include <gtest/gtest.h>
#include <posenc/phase_plan.h>
#include <posenc/preset.h>
#include <posenc/rows.h>

#include "tests/encodings/said.h"
#include "tests/reference/phase.h"

namespace posenc {
namespace {

using test::said;

float entry_of(const PhasePlan& plan, const PhasePlan::Column& column, const std::vector<std::int64_t>& place) {
  if (column.kind == PhasePlan::Kind::coordinate) return plan.scale * static_cast<float>(place[column.number]);
  std::uint64_t phase = 0;
  if (column.kind == PhasePlan::Kind::wave) {
    const auto& [words, start] = plan.angles[column.number];
    phase = start;
    for (std::size_t a = 0; a < words.size(); ++a) phase += static_cast<std::uint64_t>(place[a]) * words[a];
  }
  const reference::Wave wave = reference::phase_wave(phase);
  const float value = plan.scale * (column.quarter % 2 == 0 ? wave.sine : wave.cosine);
  return column.quarter < 2 ? value : 0 - value;
}

TEST(PhasePlan, OfRowsHasTheBitsOfTheRecipe) {
  int made = 0;
  const Context context = {.length = 3, .centre = 0, .learned = 0.75};
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    const auto* const waves = std::get_if<Waves>(&preset.convention);
    if (waves == nullptr || Rows::check(preset.convention, 48, {.recipe = phase(), .context = context})) continue;
    const PhasePlan plan = phase_plan_of_rows(preset.convention, 48, context);
    const Rows rows(preset.convention, 48, {.recipe = phase(), .context = context});
    ASSERT_EQ(std::ssize(plan.columns), rows.width());
    ASSERT_EQ(plan.axes, waves->axes);
    const std::vector<std::int64_t> all = {5, -3, 70001, 2, 0, -1, 9, 1023};
    ASSERT_LE(waves->axes.size(), all.size());
    const std::vector<std::int64_t> place(all.begin(), all.begin() + std::ssize(waves->axes));
    std::vector<Positions> lists;
    for (const std::int64_t p : place) lists.push_back(Positions::at(p));
    std::vector<float> row(plan.columns.size());
    rows.write(lists, view(row.data(), {1, rows.width()}));
    for (std::size_t c = 0; c < row.size(); ++c) {
      ASSERT_EQ(row[c], entry_of(plan, plan.columns[c], place)) << c;
    }
    ++made;
  }
  EXPECT_GE(made, 50);
}

TEST(PhasePlan, OfARotationHasCosinesThenSines) {
  const PhasePlan plan = phase_plan_of_rotation(preset("llama").convention, 8);
  EXPECT_EQ(plan.axes, std::vector<std::string>{"position"});
  EXPECT_EQ(plan.scale, 1);
  ASSERT_EQ(plan.angles.size(), 4u);
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(plan.columns[k], (PhasePlan::Column{PhasePlan::Kind::wave, 1, k}));
    EXPECT_EQ(plan.columns[4 + k], (PhasePlan::Column{PhasePlan::Kind::wave, 0, k}));
  }
  EXPECT_EQ(plan.angles[0].words[0], 0x28BE60DB9391054Au);  // RN(2^64 / 2 pi)
  EXPECT_EQ(plan.angles[0].start, 0u);
}

TEST(PhasePlan, OfSeveralAxesHasAWordOfEach) {
  const PhasePlan plan = phase_plan_of_rotation(preset("qwen2-vl").convention, 128);
  EXPECT_EQ(plan.axes.size(), 3u);
  for (const auto& [words, start] : plan.angles) {
    EXPECT_EQ(words.size(), 3u);
    EXPECT_EQ(std::ranges::count(words, 0u), 2);  // a pair has one axis
  }
}

TEST(PhasePlan, IsRefusedWhereTheRecipeIs) {
  EXPECT_EQ(said(check_phase_plan_of_rows(preset("llama").convention, 8)),
            said(Rows::check(preset("llama").convention, 8, {.recipe = phase()})));
  EXPECT_NE(said(check_phase_plan_of_rotation(preset("xpos-lucid").convention, 64, {.centre = 0})), "nothing");
  EXPECT_EQ(said(check_phase_plan_of_rotation(preset("llama").convention, 8)), "nothing");
}

TEST(PhasePlan, OfHugeFrequenciesIsRefused) {
  const Convention huge = Rotary(Listed{{1e300}}, Pairing::adjacent);
  EXPECT_EQ(said(check_phase_plan_of_rotation(huge, 2)),
            "[rotary] angles must have less than 2^64 turns a position, got one that has more");
}

}  // namespace
}  // namespace posenc
