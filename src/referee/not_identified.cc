// SPDX-License-Identifier: Apache-2.0
// From what entries say by themselves, over the row of presets that is most alike and what was done to it, to whether
// columns are waves at all.
#include "src/referee/not_identified.h"

#include <algorithm>
#include <cmath>

#include "src/referee/copies.h"
#include "src/referee/cut_grid.h"
#include "src/referee/diagnose_asked.h"
#include "src/referee/drift.h"
#include "src/referee/identify_table.h"
#include "src/referee/known_faults.h"
#include "src/referee/nearest.h"
#include "src/referee/nearest_frequencies.h"
#include "src/referee/nearest_relative.h"
#include "src/referee/row_order.h"
#include "src/referee/short_text.h"
#include "src/referee/storage.h"
#include "src/referee/values.h"

namespace posenc::referee {
namespace {

Candidate nearest_candidate(const Alike& alike, DType storage, const IdentifyOptions& options) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  const Suspect suspect = {alike.reading, alike.held, alike.presets, {}};
  const auto agreement = match(alike.reading, alike.held.hypothesis, exact(), storage, {most}, options.executor);
  return candidate_of(suspect, storage, agreement.value_or(Agreement{}));
}

std::string in_one_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : "; ") + each;
  return text;
}

// What was done to the hypothesis, the simplest first.
std::optional<Fault> difference_from(const Alike& alike, std::span<const DType> storages, const Executor& executor) {
  const Reading& reading = alike.reading;
  const Hypothesis& asked = alike.held.hypothesis;
  const DType storage = storages.back();
  const Beyond beyond = verdict(reading, asked, storages, executor).beyond;
  if (auto found = fault_of_rows(reading, asked, storage, beyond)) return found;
  if (auto found = damaged_columns(reading, asked, storage)) return found;
  if (auto found = another_part(reading, asked, storage)) return found;
  if (auto found = noisy_entries(reading, asked, storage)) return found;
  return drifted_columns(reading, asked, storage);
}

// What the first slice is, and where another one differs from it.
Told nearly_copied(const ConstView& tensor, const Unequal& unequal, const IdentifyOptions& options) {
  Told told = {{}, {words_of(tensor, unequal)}, 0};
  Identification once = conventions_of(unequal.once, options);
  if (!once.candidates.empty()) told.identification.nearest = std::move(once.candidates.front());
  return told;
}

// What stands behind rows of a class token or of others: it begins where the convention does.
std::optional<Identification> behind_rows(const Reading& reading, std::int64_t count, const IdentifyOptions& options) {
  const auto rest = without_rows(reading, count);
  if (!rest) return std::nullopt;
  Identification found = conventions_of(*rest, options);
  std::erase_if(found.candidates, [](const Candidate& each) {
    return each.places.empty() || each.extra > 0 ||
           !std::ranges::all_of(each.places, [](const AxisPlaces& at) { return at.first == 0; });
  });
  if (found.candidates.empty()) return std::nullopt;
  for (Candidate& each : found.candidates) put_behind(each, count);
  for (RuledOut& each : found.ruled_out) each.place[0] += count;
  return found;
}

// Up to 16 of them: the first rows behind so many say at which positions they are.
std::optional<Identification> behind_front_rows(const ConstView& tensor, const IdentifyOptions& options) {
  constexpr std::int64_t told_by = 64;
  if (!options.positions.empty()) return std::nullopt;
  for (const Reading& reading : readings(tensor, Grids::stated)) {
    const std::int64_t most = std::min<std::int64_t>(16, reading.extents[0] / 2);
    auto some = without_rows(reading, most);
    if (!some) continue;
    some->shape[0] = std::min(some->size(0), told_by);
    for (const Candidate& each : conventions_of(*some, options).candidates) {
      if (each.places.size() != 1 || each.extra > 0 || each.places[0].step != 1) continue;
      const double count = static_cast<double>(most) - each.places[0].first;
      if (count < 1 || count > static_cast<double>(most) || count != std::rint(count)) continue;
      if (auto found = behind_rows(reading, static_cast<std::int64_t>(count), options)) return found;
    }
  }
  return std::nullopt;
}

bool begins_wrong(const Alike& alike, std::span<const DType> storages, const IdentifyOptions& options) {
  const Beyond beyond = verdict(alike.reading, alike.held.hypothesis, storages, options.executor).beyond;
  return !beyond.rows.empty() && beyond.rows.front() == 0;
}

// Reports a fault that explains all entries.
Told told_beside(Candidate nearest, std::string words) {
  Told told = {{}, {std::move(words)}, 1};
  told.identification.nearest = std::move(nearest);
  return told;
}

// A table whose last columns are zero: what the others are.
std::optional<Told> before_zero_columns(const ConstView& tensor, const IdentifyOptions& options) {
  const auto padded = without_zero_columns(tensor);
  if (!padded) return std::nullopt;
  Identification found = conventions_of(padded->rest, options);
  if (found.candidates.empty()) return std::nullopt;
  return told_beside(std::move(found.candidates.front()), counted("column", padded->zeros) + "zero: padding");
}

// A table whose last rows were not filled: what the others are.
std::optional<Told> before_zero_rows(const ConstView& tensor, const IdentifyOptions& options) {
  const auto filled = options.positions.empty() ? without_zero_rows(tensor) : std::nullopt;
  if (!filled) return std::nullopt;
  Identification found = conventions_of(filled->rest, options);
  if (found.candidates.empty()) return std::nullopt;
  return told_beside(std::move(found.candidates.front()), filled->words);
}

// Each cell of a flat tensor at its coordinates, as whole rows of cells say them, axis by axis.
std::vector<std::vector<double>> coordinates_of_cells(const Candidate& whole, const CutGrid& grid) {
  const std::vector<std::string> order = cell_axes(whole.convention);
  const std::int64_t row = grid.whole.size(1), cells = grid.front + grid.whole.size(0) * row + grid.back;
  std::vector<std::vector<double>> all;
  for (const AxisPlaces& axis : whole.places) {
    std::vector<double>& list = all.emplace_back();
    for (std::int64_t i = 0; i < cells; ++i) {
      const std::int64_t shifted = i - grid.front + row;  // not negative
      const std::int64_t index = axis.axis == order[0] ? shifted / row - 1 : shifted % row;
      list.push_back(axis.first + static_cast<double>(index) * axis.step.value_or(1));
    }
  }
  return all;
}

// A flat grid that begins or ends within a row of cells.
std::optional<Told> cut_within_row(const ConstView& tensor, const IdentifyOptions& options) {
  const auto grid = options.positions.empty() ? cut_grid_of(tensor) : std::nullopt;
  if (!grid) return std::nullopt;
  Identification found = conventions_of(grid->whole, options);
  if (found.candidates.empty() || found.candidates[0].places.size() != 2) return std::nullopt;
  const auto cells = [](std::int64_t count) { return std::to_string(count) + (count == 1 ? " cell" : " cells"); };
  const std::string words = "cut from a grid within a row of " + cells(grid->whole.size(1)) + ": " +
                            cells(grid->front) + " before the first whole row, " + cells(grid->back) +
                            " behind the last";
  Candidate& whole = found.candidates.front();
  IdentifyOptions all = options;
  const std::vector<std::vector<double>> lists = coordinates_of_cells(whole, *grid);
  for (const std::vector<double>& list : lists) {
    all.positions.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  }
  if (!conventions_of(tensor, all).candidates.empty()) return told_beside(std::move(whole), words);
  Told told = told_beside(std::move(whole), words + ", which are not those of that grid");
  told.explained = 0;
  return told;
}

// Of tables and lists. `unusual`: what is said of entries that are not finite.
Told like_rows(const ConstView& tensor, const std::optional<std::string>& unusual, const IdentifyOptions& options,
               const Convention* like) {
  Told told;
  const std::vector<DType> storages = storages_of(tensor);
  if (auto list = unusual ? std::nullopt : like_frequencies(tensor, storages.back())) {
    told.identification.nearest = std::move(list->nearest), told.words = {std::move(list->kind)};
    return told;
  }
  if (unusual) told.words.push_back(*unusual);
  if (const auto few = few_values(tensor)) told.words.push_back(*few);
  const std::size_t own = told.words.size();
  if (auto found = own == 0 ? before_zero_columns(tensor, options) : std::nullopt) return *found;
  if (auto found = own == 0 ? before_zero_rows(tensor, options) : std::nullopt) return *found;
  if (auto found = own == 0 ? cut_within_row(tensor, options) : std::nullopt) return *found;
  const auto alike = most_alike(tensor, listed_places({.identify = options}), storages.back(), like);
  if (own == 0 && (!alike || begins_wrong(*alike, storages, options))) {
    if (auto found = behind_front_rows(tensor, options)) return {std::move(*found), {}, 1};
  }
  if (alike) {
    told.identification.nearest = nearest_candidate(*alike, storages.back(), options);
    const auto fault = difference_from(*alike, storages, options.executor);
    if (fault && own == 0) told.words = fault->words, told.explained = fault->explained;
    if (told.words.empty()) told.words.emplace_back("alike, but no known fault explains these entries");
  } else if (told.words.empty()) {
    told.words.push_back(spectrum_words(tensor, storages.back()));
  }
  return told;
}

// Finds the nearest candidate of any tensor.
Told like_anything(const ConstView& tensor, const IdentifyOptions& options, const Convention* like) {
  if (auto relative = like_relative(tensor, options)) {
    Told told = {{}, {std::move(relative->kind)}, 0};
    told.identification.nearest = std::move(relative->nearest);
    return told;
  }
  if (is_integer(tensor.dtype)) return {{}, {"integers: no known classes of pairs"}, 0};
  const auto none = not_finite(tensor);
  const auto unusual = none ? std::optional(none->words) : std::nullopt;
  if (const auto plain = unusual ? std::nullopt : plain_values(tensor)) return {{}, {*plain}, 0};
  if (const auto unequal = nearly_copies(tensor)) return nearly_copied(tensor, *unequal, options);
  return like_rows(without_copies(tensor, options).once, unusual, options, like);
}

}  // namespace

Told told_of(const ConstView& tensor, const IdentifyOptions& options, const Convention* like) {
  Told told = like_anything(tensor, options, like);
  told.identification.kind = in_one_line(told.words);
  return told;
}

std::string words_of_kind(const Told& told) {
  const auto& nearest = told.identification.nearest;
  const std::string& kind = told.identification.kind;
  return nearest && !nearest->presets.empty() ? "beside " + nearest->presets.front() + ": " + kind : kind;
}

Identification not_identified(const ConstView& tensor, const IdentifyOptions& options) {
  return told_of(tensor, options).identification;
}

}  // namespace posenc::referee
