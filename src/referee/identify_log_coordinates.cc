// SPDX-License-Identifier: Apache-2.0
// Coordinates of pairs of cells under a logarithm: rows of presets, and the window that a model was trained with.
#include <algorithm>
#include <cmath>

#include "src/referee/identify_relative.h"
#include "src/referee/logarithm.h"
#include "src/referee/match_operation.h"
#include "src/referee/reading.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

double coordinate(const ConstView& tensor, std::int64_t y, std::int64_t x, std::int64_t axis) {
  return real_at(tensor, y * tensor.stride(0) + x * tensor.stride(1) + axis * tensor.stride(2));
}

// The side of the window that gives the farthest coordinate v: 8 steps / (side - 1) = 8^v - 1; nothing where there is
// no step.
std::optional<double> side_of_window(double farthest, std::int64_t steps) {
  if (steps < 1 || !(farthest > 0) || !(farthest < 8)) return std::nullopt;
  const double u = exp_of(farthest * log_of(8)) - 1;
  return std::rint(8 * static_cast<double>(steps) / u) + 1;
}

void add_coordinates(const ConstView& tensor, const Preset& preset, const Convention& convention,
                     std::vector<Fitted> fitted, std::vector<Candidate>& all) {
  const GridSize window = {(tensor.size(0) + 1) / 2, (tensor.size(1) + 1) / 2};
  const auto match = match_operation(tensor, convention, {.window = window}, storages_of(tensor));
  if (!match) return;
  Candidate found = candidate_of(*match, preset, convention, "log_coordinates");
  found.reading = "[2 H - 1, 2 W - 1, 2]";
  found.extents = {window.height, window.width};
  found.fitted = std::move(fitted);
  all.push_back(std::move(found));
}

}  // namespace

std::vector<Candidate> log_coordinate_candidates(const ConstView& tensor) {
  const ConstView view = without_front(tensor, 3);
  std::vector<Candidate> all;
  const std::int64_t height = view.rank == 3 ? view.size(0) : 0, width = view.rank == 3 ? view.size(1) : 0;
  if (view.rank != 3 || view.size(2) != 2 || height % 2 == 0 || width % 2 == 0 || height * width < 3) return all;
  std::vector<const Preset*> rows;
  for (const Preset& preset : presets()) {
    if (!check_use("identify", ConventionUse::log_coordinates, preset.convention)) rows.push_back(&preset);
  }
  for (const Preset* preset : rows) add_coordinates(view, *preset, preset->convention, {}, all);
  if (!all.empty()) return indistinct(std::move(all));
  auto lines = side_of_window(coordinate(view, height - 1, width - 1, 0), (height - 1) / 2);
  auto columns = side_of_window(coordinate(view, height - 1, width - 1, 1), (width - 1) / 2);
  if (!lines) lines = columns;
  if (!columns) columns = lines;
  if (!lines) return all;
  const FieldChange change[] = {{"coordinates.pretrained", std::vector<double>{*lines, *columns}}};
  const auto side = [](std::string name, double value) {
    return Fitted{std::move(name), value, value, value, std::to_string(static_cast<std::int64_t>(value))};
  };
  for (const Preset* preset : rows) {
    if (check_changes(preset->convention, change)) continue;
    add_coordinates(view, *preset, posenc::detail::changed(preset->convention, change),
                    {side("pretrained height", *lines), side("pretrained width", *columns)}, all);
  }
  return indistinct(std::move(all));
}

}  // namespace posenc::referee
