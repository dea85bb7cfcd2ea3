// SPDX-License-Identifier: Apache-2.0
// Coordinates of pairs of cells under a logarithm: rows of presets, and the window that a model was trained with.
#include <posenc/log_coordinates.h>

#include <algorithm>
#include <cmath>

#include "src/base/elements.h"
#include "src/referee/distances.h"
#include "src/referee/identify_relative.h"
#include "src/referee/logarithm.h"
#include "src/referee/reading.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

double coordinate(const ConstView& tensor, std::int64_t y, std::int64_t x, std::int64_t axis) {
  return real_at(tensor, y * tensor.stride(0) + x * tensor.stride(1) + axis * tensor.stride(2));
}

std::optional<Agreement> match_coordinates(const ConstView& tensor, const Convention& convention, DType storage) {
  Tally tally(1, storage);
  bool made = true;
  with_real(storage, [&](auto type) {
    using T = decltype(type);
    std::vector<T> known(static_cast<std::size_t>(tensor.count()));
    const View out = view(known.data(), {tensor.size(0), tensor.size(1), tensor.size(2)});
    made = !check_log_coordinates(convention, out) && !detail::log_coordinates(convention, out, serial);
    if (!made) return;
    for (std::int64_t y = 0; y < tensor.size(0); ++y) {
      for (std::int64_t x = 0; x < tensor.size(1); ++x) {
        for (const std::int64_t axis : {0, 1}) {
          tally.add({y, x, axis}, coordinate(tensor, y, x, axis), coordinate(out, y, x, axis));
        }
      }
    }
  });
  return made ? std::optional(tally.result()) : std::nullopt;
}

// Sums and logarithms in f32 leave 2^-20 of an entry.
double most_off(DType storage) {
  switch (storage) {
    case DType::bf16: return 0x1p-6;
    case DType::f16: return 0x1p-9;
    default: return 0x1p-19;
  }
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
  std::optional<Candidate> best;
  for (const DType storage : storages_of(tensor)) {
    const auto match = match_coordinates(tensor, convention, storage);
    if (!match || !(match->difference <= most_off(storage)) || (best && match->share() <= best->exact.share()))
      continue;
    best = Candidate{};
    best->presets = {std::string(preset.name)};
    best->differences = differences(convention, preset.convention);
    best->convention = convention;
    best->form = "log_coordinates";
    best->reading = "[2 H - 1, 2 W - 1, 2]";
    best->extents = {(tensor.size(0) + 1) / 2, (tensor.size(1) + 1) / 2};
    best->fitted = fitted;
    best->storage = storage;
    best->exact = best->by_recipe = *match;
  }
  if (best) all.push_back(std::move(*best));
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
