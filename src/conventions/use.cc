// SPDX-License-Identifier: Apache-2.0
// Which operation takes which convention: the one place that asks.
#include <posenc/convention.h>

namespace posenc {
namespace {

const Waves* waves_of_one(const Convention& convention) {
  const auto* waves = std::get_if<Waves>(&convention);
  return waves != nullptr && waves->axes.size() == 1 ? waves : nullptr;
}

bool of_positions(const Convention& convention) {
  const Waves* waves = waves_of_one(convention);
  return waves != nullptr && waves->axes[0] != "step";
}

bool of_steps(const Convention& convention) { return waves_of_one(convention) != nullptr && !of_positions(convention); }

bool of_cells(const Convention& convention) {
  const auto* waves = std::get_if<Waves>(&convention);
  return waves != nullptr && waves->axes.size() > 1;
}

template <class Family>
bool holds(const Convention& convention) {
  return std::holds_alternative<Family>(convention);
}

bool of_windows(const Convention& convention) {
  const auto* buckets = std::get_if<Buckets>(&convention);
  return buckets != nullptr && std::holds_alternative<WindowBuckets>(buckets->classes);
}

bool of_images(const Convention& convention) {
  const auto* learned = std::get_if<Learned>(&convention);
  return learned != nullptr && std::holds_alternative<Resize>(learned->resize);
}

bool of_classes(const Convention& convention) { return holds<Buckets>(convention) && !of_windows(convention); }

struct UseRow {
  ConventionUse use;
  bool (*gives)(const Convention&);
  std::string_view what;
};
constexpr UseRow use_rows[] = {
    {ConventionUse::rows, [](const Convention& c) { return waves_of_one(c) != nullptr; },
     "waves of one axis, as a sinusoid or a timestep is"},
    {ConventionUse::tokens, of_positions, "waves of one axis of positions, as a sinusoid is"},
    {ConventionUse::timesteps, of_steps, "waves of one axis of steps, as a timestep is"},
    {ConventionUse::cells, of_cells, "waves of two axes or more, as a grid is"},
    {ConventionUse::coordinates, holds<Waves>, "waves"},
    {ConventionUse::rotations, holds<Rotary>, "rotary"},
    {ConventionUse::slopes, holds<Slopes>, "slopes, as a bias is"},
    {ConventionUse::classes, of_classes, "buckets of distances"},
    {ConventionUse::windows, of_windows, "buckets of a window"},
    {ConventionUse::log_coordinates, holds<LogCoordinates>, "log coordinates"},
    {ConventionUse::query_scales, holds<QueryScale>, "a query scale"},
    {ConventionUse::stored_rows, holds<Learned>, "learned: rows of a stored table"},
    {ConventionUse::resized_tables, of_images, "learned, with a resize, as timm-resize is"},
};

}  // namespace

std::optional<Problem> check_use(std::string_view operation, ConventionUse use, const Convention& convention) {
  for (const UseRow& row : use_rows) {
    if (row.use != use) continue;
    if (row.gives(convention)) return std::nullopt;
    return Problem{std::string(operation), "the convention must be " + std::string(row.what),
                   std::string(family(convention))};
  }
  return Problem{std::string(operation), "what the convention is asked for must be stated", "none"};
}

}  // namespace posenc
