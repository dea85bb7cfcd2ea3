// SPDX-License-Identifier: Apache-2.0
// A table made with one field changed is told, by that field where its entries are no other convention's.
#include <gtest/gtest.h>
#include <posenc/referee/diagnose.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <cmath>
#include <optional>

#include "src/conventions/neighbours.h"

namespace posenc {
namespace {

constexpr std::int64_t places_made = 40, head_made = 64;
const Context context_made = {.length = 4096, .learned = 1};

// Rows, or cosines beside sines, at positions 0 to 39 of every axis; nothing where the convention has no such width.
struct OfRows {
  std::vector<double> entries;
  std::int64_t width = 0;
  DiagnoseOptions options = {.dim = head_made, .context = context_made};
  ConstView view() const { return posenc::view(entries.data(), {places_made, width}); }
};
std::optional<OfRows> rows_made_of(const Convention& convention) {
  OfRows made;
  const Options options = {.context = context_made};
  const auto allocate = [&](std::int64_t width, std::size_t axes) {
    made.width = width, made.entries.resize(static_cast<std::size_t>(places_made * width));
    made.options.identify.positions.assign(axes, Positions::range(0, places_made));
  };
  if (!Rows::check(convention, head_made, options)) {
    const Rows rows(convention, head_made, options);
    allocate(rows.width(), rows.axes().size());
    const View out = view(made.entries.data(), {places_made, made.width});
    if (rows.check_write(made.options.identify.positions, out)) return std::nullopt;
    rows.write(made.options.identify.positions, out);
    return made;
  }
  const FieldChange in_columns[] = {{"stored", "sine_cosine"}};  // one tensor of both
  if (check_changes(convention, in_columns)) return std::nullopt;
  const Convention kept = detail::changed(convention, in_columns);
  if (RotaryCache::check(kept, head_made, options)) return std::nullopt;
  const RotaryCache cache(kept, head_made, options);
  allocate(cache.width(), cache.axes().size());
  cache.write("sin_cos", made.options.identify.positions, view(made.entries.data(), {places_made, made.width}));
  return made;
}

// Of every so many neighbours of all presets, in turn.
void expect_told(int every) {
  int drawn = 0, told = 0, by_the_field = 0;
  for (const Preset& preset : presets()) {
    const auto right = rows_made_of(preset.convention);
    if (!right) continue;
    for (const Convention& each : neighbours(preset.convention)) {
      if (drawn++ % every != 0) continue;
      const auto made = rows_made_of(each);
      if (!made || made->entries == right->entries) continue;  // the field says nothing of these rows
      const Diagnosis found = diagnose(made->view(), preset.convention, made->options);
      EXPECT_FALSE(found.right) << preset.name << ", " << differences(each, preset.convention)[0];
      EXPECT_TRUE(found.found || found.explained == 1)
          << preset.name << ", " << differences(each, preset.convention)[0] << "\n"
          << to_string(found);
      ++told, by_the_field += found.found && found.found->convention == each;
    }
  }
  EXPECT_GT(told, 2000 / every);
  EXPECT_GT(2 * by_the_field, told);  // a unit is told as positions in other steps, a scale as a factor
}

TEST(DiagnoseNeighbours, AFieldOfATableIsTold) { expect_told(97); }
TEST(DiagnoseNeighbours, ExhaustiveAFieldOfATableIsTold) { expect_told(1); }

// No trial of a table names it: the field tables do.
TEST(DiagnoseNeighbours, FieldsThatNoTrialNames) {
  const auto said = [](std::string_view preset_name, std::string_view path, const FieldValue& value) {
    const Convention& asked = preset(preset_name).convention;
    const auto made = rows_made_of(with_field(asked, path, value));
    const auto found = made ? diagnose(made->view(), asked, made->options).findings : std::vector<std::string>{};
    return found.empty() ? "nothing" : found[0];
  };
  EXPECT_EQ(said("transformer", "ladder.slope", "rising"), "ladders.0.slope is rising, falling asked");
  EXPECT_EQ(said("llama", "ladder.slope", "rising"), "ladders.0.slope is rising, falling asked");
  EXPECT_EQ(said("transformer", "ladder.spacing.over", "one"),
            "frequencies are spaced over the one, the width asked (ladders.0.spacing.over)");
}

// A slow wave in half precision is near one of so many bases: that says nothing.
TEST(DiagnoseNeighbours, FewEntriesTellNoField) {
  const Convention& asked = preset("transformer").convention;
  for (const float angle : {0.0007F, 0.0012F, 0.0019F, 0.0031F, 0.0044F, 0.0052F, 0.0061F, 0.0083F}) {
    const auto entry = [](double x) { return bfloat16(static_cast<float>(x)); };
    const bfloat16 entries[] = {entry(0),
                                entry(1),
                                entry(0),
                                entry(1),
                                entry(std::sin(1)),
                                entry(std::cos(1)),
                                entry(static_cast<double>(angle)),
                                entry(1)};
    const Diagnosis found = diagnose(view(entries, {2, 4}), asked);
    EXPECT_FALSE(found.right);
    EXPECT_TRUE(!found.found || found.findings[0].find("base") == std::string::npos) << to_string(found);
  }
}

}  // namespace
}  // namespace posenc
