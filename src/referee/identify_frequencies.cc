// SPDX-License-Identifier: Apache-2.0
// A list of frequencies is the row of angles at coordinate 1.
#include "src/referee/identify_frequencies.h"

#include "src/referee/identify_table.h"
#include "src/referee/ruled_out.h"
#include "src/referee/spectrum.h"
#include "src/referee/storage.h"

namespace posenc::referee {

std::optional<Reading> as_row(const ConstView& tensor) {
  constexpr std::int64_t longest = std::int64_t{1} << 15;
  Reading row = {.tensor = tensor, .name = "[n]", .extents = {1}, .steps = {0}, .width = 1};
  for (int axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.size(axis) == 1) continue;
    if (row.width > 1) return std::nullopt;
    row.width = tensor.size(axis), row.outer_step = tensor.stride(axis);
  }
  return row.width >= 2 && row.width <= longest ? std::optional(row) : std::nullopt;
}

Identification identify_frequencies(const ConstView& tensor, const IdentifyOptions& options) {
  Identification identification;
  const auto row = as_row(tensor);
  if (!row || !options.positions.empty()) return identification;
  const std::vector<DType> storages = storages_of(tensor);
  const Tolerance tolerance = tolerance_of(storages.back());
  const std::vector<Coordinates> at_one = {{1, 1, {1}}};
  const std::vector<Named> signals = preset_frequencies(row->width);
  std::vector<Suspect> suspects;
  for (const Named& each : signals) {
    if (auto held = hold(*row, each.signal, tolerance, at_one)) {
      suspects.push_back({*row, std::move(*held), each.names(), {}});
    }
  }
  constexpr std::int64_t fewest = 4;  // that tell a base and a first frequency from any others
  if (suspects.empty() && row->width >= fewest) {
    for (Refit& each : refits(*row, signals, tolerance, at_one)) {
      suspects.push_back({*row, std::move(each.held), std::move(each.presets), std::move(each.differences)});
    }
  }
  std::vector<Judged> found = judged(std::move(suspects), storages, options);
  identification.ruled_out = ruled_out(found, signals, options);
  for (Judged& each : found) {
    each.candidate.places.clear();
    identification.candidates.push_back(std::move(each.candidate));
  }
  return identification;
}

}  // namespace posenc::referee
