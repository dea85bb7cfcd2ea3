// SPDX-License-Identifier: Apache-2.0
// Rotations seen from outside: every row of presets is turned and held beside what came out.
#include <posenc/referee/identify.h>
#include <posenc/rotary.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/encodings/positions.h"
#include "src/referee/any_address.h"
#include "src/referee/best_match.h"
#include "src/referee/hypothesis.h"
#include "src/referee/identify_table.h"
#include "src/referee/short_text.h"
#include "src/referee/storage.h"
#include "src/referee/turn_match.h"

namespace posenc {
namespace referee {
namespace {

bool has_tokens(const ConstView& tensor, int axis, std::int64_t count) {
  return tensor.rank >= -axis && tensor.size(axis) == count;
}

Candidate candidate_of(const TurnSuspect& suspect, const TurnTask& task, DType storage, const Agreement& match) {
  Candidate candidate;
  candidate.presets = suspect.presets;
  candidate.differences = suspect.differences;
  candidate.convention = suspect.convention;
  candidate.form = suspect.direction == Direction::forward ? "rotation" : "rotation backward";
  if (suspect.context.centre) candidate.form += suspect.side == RotatedSide::query ? " of queries" : " of keys";
  const std::int64_t width = task.before.size(-1);
  candidate.reading = task.axes;
  if (suspect.first > 0 || suspect.width < width) {
    candidate.reading +=
        ", columns " + std::to_string(suspect.first) + " to " + std::to_string(suspect.first + suspect.width - 1);
  }
  candidate.extents = {task.places.count()};
  candidate.width = suspect.width;
  candidate.context = suspect.context;
  const std::vector<double>& places = task.places.real;
  const Coordinates along = {places[0], places.size() > 1 ? places[1] - places[0] : 1, places};
  for (const std::string& axis : axes_of(suspect.convention)) candidate.places.push_back(places_along(axis, along));
  candidate.fitted = suspect.fitted;
  candidate.storage = storage;
  candidate.exact = candidate.by_recipe = match;
  return candidate;
}

std::optional<Agreement> match_of(const TurnSuspect& suspect, const Recipe& recipe, TurnTask task, DType storage,
                                  std::int64_t entries) {
  task.storage = storage;
  const auto matched = match(suspect, recipe, task, {.entries = entries});
  return matched ? std::optional(matched->agreement) : std::nullopt;
}

std::vector<Candidate> judged_turns(const std::vector<TurnSuspect>& suspects, const TurnTask& task) {
  struct Judged {
    const TurnSuspect* suspect;
    Candidate candidate;
  };
  const std::vector<DType> storages = storages_of(task.after);
  std::vector<Judged> all;
  for (const TurnSuspect& suspect : suspects) {
    const auto exactly =
        best_storage(storages, [&](DType storage) { return match_of(suspect, exact(), task, storage, -1); });
    if (exactly) all.push_back({&suspect, candidate_of(suspect, task, exactly->storage, exactly->agreement)});
  }
  std::vector<Candidate> kept;
  if (all.empty()) return kept;
  std::ranges::stable_sort(all, {}, [](const Judged& each) { return -each.candidate.exact.share(); });
  const Agreement best = all.front().candidate.exact;
  std::erase_if(all, [&](const Judged& each) {
    const Agreement& of = each.candidate.exact;
    return of.equal != of.entries && (best.equal == best.entries || of.difference > 4 * best.difference);
  });
  for (auto& [suspect, candidate] : all) {
    find_recipe(
        task.options.depth,
        [&](const Recipe& recipe, std::int64_t most) {
          return match_of(*suspect, recipe, task, candidate.storage, most);
        },
        candidate);
    // Shares are of tables and caches: no rotation of an original was measured.
    if (candidate.recipe != "exact") candidate.known_share = 0;
  }
  std::ranges::stable_sort(all, {}, [](const Judged& each) { return -each.candidate.by_recipe.share(); });
  // Beyond chance, a right recipe has more entries than a wrong convention.
  constexpr double margin = 0.02;
  const double most = all.front().candidate.by_recipe.share();
  for (Judged& each : all) {
    if (each.candidate.by_recipe.share() >= most - margin) kept.push_back(std::move(each.candidate));
  }
  return kept;
}

// ---- entries that say nothing ----------------------------------------------------------------------

bool equal_entries(const ConstView& before, const ConstView& after) {
  constexpr std::int64_t chunk = 64;
  const std::int64_t length = before.size(-2);
  std::vector<double> from;
  bool equal = true;
  for (std::int64_t place = 0; place < length && equal; place += chunk) {
    const std::int64_t count = std::min(chunk, length - place);
    from.clear();
    for_turned(before, place, count, [&](auto, auto, auto, std::int64_t at) { from.push_back(real_at(before, at)); });
    const double* next = from.data();
    for_turned(after, place, count, [&](auto, auto, auto, std::int64_t at) { equal &= *next++ == real_at(after, at); });
  }
  return equal;
}

DType wider(DType a, DType b) {
  if (a == b) return a;
  return a == DType::f64 || b == DType::f64 ? DType::f64 : DType::f32;
}

TurnSuspects suspects_at(const TurnedRows& rows, const TurnPlaces& places) {
  return turn_suspects(rows, places, [&](const TurnSuspect& suspect) { return near(suspect, rows); });
}

// Rows that were turned as those of other places, which the pairs show.
std::vector<Candidate> turned_elsewhere(const TurnedRows& rows, const TurnTask& task,
                                        const std::vector<std::int64_t>& further_on) {
  for (const std::int64_t by : further_on) {
    TurnedRows moved = rows;
    moved.places = rows.places.moved(by);
    const TurnPlaces places = task.places.moved(by);
    const TurnTask there = {task.before, task.after, task.axes, places, task.computing, task.storage, task.options};
    std::vector<Candidate> found = judged_turns(suspects_at(moved, places).suspects, there);
    const auto number = static_cast<double>(by);
    for (Candidate& each : found) each.fitted.push_back({"offset", number, number, number, std::to_string(by)});
    if (!found.empty()) return found;
  }
  return {};
}

// ---- a few rows that are damaged -------------------------------------------------------------------

// Which rotation all places but a few show. Where rows that were picked are damaged, no pairing keeps their lengths,
// and those in front, behind, or every other one show it alone.
void find_damage(const TurnedRows& rows, const TurnSuspects& found, const TurnTask& task, Identification& told) {
  const std::int64_t most_wrong = task.places.count() / 4, half = rows.places.count() / 2;
  std::optional<std::vector<std::int64_t>> fewest;
  const auto hold = [&](const TurnSuspects& all) {
    for (const TurnSuspect& suspect : all.suspects) {
      const auto of = match(suspect, exact(), task, {.entries = -1, .wrong_places = most_wrong});
      if (!of || (fewest && fewest->size() <= of->wrong_places.size())) continue;
      fewest = of->wrong_places, told.nearest = candidate_of(suspect, task, task.storage, of->agreement);
    }
  };
  hold(found);
  constexpr std::int64_t enough = 4;
  if (!found.keeps_lengths && half >= enough) {
    for (const TurnedRows& some : {rows.part(0, half, 1), rows.part(rows.places.count() - half, half, 1),
                                   rows.part(0, half, 2), rows.part(1, half, 2)}) {
      if (!fewest) hold(suspects_at(some, task.places));
    }
  }
  if (fewest) told.kind = counted("row", *fewest) + "damaged";
}

// ---- which axis counts tokens ----------------------------------------------------------------------

// [.., L, H, d] as [.., H, L, d].
ConstView heads_before_tokens(ConstView tensor) {
  const auto tokens = static_cast<std::size_t>(tensor.rank - 3);
  std::swap(tensor.shape[tokens], tensor.shape[tokens + 1]);
  std::swap(tensor.strides[tokens], tensor.strides[tokens + 1]);
  return tensor;
}

Identification identify_before_columns(const ConstView& before, const ConstView& after, std::string_view axes,
                                       const TurnPlaces& places, const IdentifyOptions& options) {
  Identification told;
  const DType storage = storages_of(after).back();
  const TurnTask task = {before, after, axes, places, wider(before.dtype, after.dtype), storage, options};
  const TurnedRows rows = sampled_rows(before, after, places, noise_of(storage));
  const TurnSuspects found = suspects_at(rows, places);
  told.candidates = judged_turns(found.suspects, task);
  if (told.candidates.empty()) told.candidates = turned_elsewhere(rows, task, found.further_on);
  if (!told.candidates.empty()) return told;
  told.kind = found.keeps_lengths ? "pairs turn by other angles" : "no pairing keeps lengths";
  find_damage(rows, found, task, told);
  return told;
}

}  // namespace

Identification identify_turn(const ConstView& before, const ConstView& after, const Positions& positions,
                             const IdentifyOptions& options) {
  Identification told;
  if (equal_entries(before, after)) {
    told.kind = "no entry turns";
    return told;
  }
  const TurnPlaces places = turn_places(positions);
  if (has_tokens(before, -2, places.count())) {
    told = identify_before_columns(before, after, "[.., L, d]", places, options);
  }
  if (!told.candidates.empty() || !has_tokens(before, -3, places.count())) return told;
  Identification other = identify_before_columns(heads_before_tokens(before), heads_before_tokens(after),
                                                 "[.., L, H, d]", places, options);
  if (told.nearest || (other.candidates.empty() && !other.nearest && !told.kind.empty())) return told;
  return other;
}

}  // namespace referee

namespace {

std::optional<Problem> check_turned(std::string_view name, const ConstView& tensor) {
  if (auto problem = referee::check_view_anywhere("identify_rotation", name, tensor)) return problem;
  if (tensor.rank < 2 || tensor.count() == 0) {
    return Problem{"identify_rotation", std::string(name) + " must be [.., L, d] with tokens and columns",
                   shape_text(tensor)};
  }
  if (!is_integer(tensor.dtype)) return std::nullopt;
  return Problem{"identify_rotation", std::string(name) + " must be of real numbers",
                 std::string(to_string(tensor.dtype))};
}

}  // namespace

std::optional<Problem> check_identify_rotation(const ConstView& before, const ConstView& after,
                                               const Positions& positions, const IdentifyOptions&) {
  const DefaultEnvironment environment;
  if (auto problem = check_turned("before", before)) return problem;
  if (auto problem = check_turned("after", after)) return problem;
  if (!same_shape(before, after)) {
    return Problem{"identify_rotation", "before and after must have one shape, got " + shape_text(before),
                   shape_text(after)};
  }
  if (auto problem = check_positions("identify_rotation", positions)) return problem;
  const std::int64_t count = positions.count_;
  if (rank(positions) != 1 || !(referee::has_tokens(before, -2, count) || referee::has_tokens(before, -3, count))) {
    return Problem{
        "identify_rotation",
        "positions must be one for each of " + std::to_string(before.size(-2)) + " tokens" +
            (before.rank < 3 ? "" : " [.., L, d], or of " + std::to_string(before.size(-3)) + " [.., L, H, d]"),
        std::to_string(count)};
  }
  return std::nullopt;
}

Identification detail::identify_rotation(const ConstView& before, const ConstView& after, const Positions& positions,
                                         const IdentifyOptions& options) {
  const DefaultEnvironment environment;
  Identification found = referee::identify_turn(before, after, positions, options);
  found.sampled = referee::holds_some_alone(found.candidates);
  return found;
}

}  // namespace posenc
