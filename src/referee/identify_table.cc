// SPDX-License-Identifier: Apache-2.0
// Every row of presets held against every reading of a tensor.
#include "src/referee/identify_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/conventions/usual_values.h"
#include "src/referee/diagnose_asked.h"
#include "src/referee/evidence.h"
#include "src/referee/known_share.h"
#include "src/referee/ruled_out.h"
#include "src/referee/spectrum.h"
#include "src/referee/storage.h"
#include "src/referee/verdict.h"

namespace posenc::referee {
namespace {

// One frequency alone is that of any wave: it says a row where that and its places are the row's own.
bool is_any_wave(const Held& held, const std::vector<std::string>& differences) {
  const Signal& signal = held.hypothesis.signal;
  const std::vector<WaveColumns> waves = waves_of(signal.plan->columns);
  if (waves.empty() || signal.axes() != 1) return false;
  const std::vector<double>& all = signal.frequencies[0];
  const double one = all[waves[0].frequency];
  constexpr double near = 1e-6;
  const auto is_one = [&](const WaveColumns& wave) {
    return std::abs(all[wave.frequency] - one) <= near * std::abs(one);
  };
  if (!std::ranges::all_of(waves, is_one)) return false;
  const Coordinates& along = held.hypothesis.coordinates[0];
  return !differences.empty() || along.step != 1 || along.first != std::rint(along.first);
}

// Waves that rise from column to column by some quotient, or hardly fall, are tones: no ladder of positions has such a
// base.
bool is_of_tones(const Held& held) {
  constexpr double least_base = 2;
  const auto base = std::ranges::find(held.fitted, "base", &Fitted::name);
  return base != held.fitted.end() && base->value < least_base;
}

// Has it a column of zeros that should be one of small numbers? No arithmetic makes zeros of them: a scaling lets those
// waves stand.
bool stands_still(const Reading& reading, const Hypothesis& hypothesis) {
  constexpr double least = 0x1p-20;
  const std::vector<std::int64_t> places = probes(reading.places());
  std::vector<std::int64_t> zeros;
  for (std::int64_t c = 0; c < reading.width; ++c) {
    if (std::ranges::all_of(places, [&](std::int64_t place) { return reading.at(place, c) == 0; })) zeros.push_back(c);
  }
  if (zeros.empty()) return false;
  const std::vector<double> known = known_rows(reading, hypothesis, places);
  for (std::size_t i = 0; i < places.size() && !known.empty(); ++i) {
    for (const std::int64_t c : zeros) {
      if (std::abs(known[i * static_cast<std::size_t>(reading.width) + static_cast<std::size_t>(c)]) > least)
        return true;
    }
  }
  return false;
}

// Where something has those zeros, what has others is none.
void leave_out_standing(std::vector<Suspect>& suspects) {
  std::vector<char> stand;
  for (const Suspect& each : suspects) stand.push_back(stands_still(each.reading, each.held.hypothesis));
  if (std::ranges::find(stand, 0) == stand.end()) return;
  std::size_t i = 0;
  std::erase_if(suspects, [&](const Suspect&) { return stand[i++] != 0; });
}

// `before`: those of other readings.
std::vector<Suspect> suspects_of(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance,
                                 const std::vector<Coordinates>& known, std::span<const Suspect> before) {
  std::vector<Suspect> all;
  Holder holder(reading, tolerance, known);
  for (const Named& each : signals) {
    auto held = holder.hold(each.signal);
    if (held && tells(reading, *held, 0, tolerance) && (!known.empty() || !is_any_wave(*held, {}))) {
      all.push_back({reading, std::move(*held), each.names(), {}});
    }
  }
  add_for_lengths(reading, signals, tolerance, known, all);
  // What one reading has as it stands is fitted to no other.
  const auto as_it_stands = [](const Suspect& each) { return each.differences.empty(); };
  if (all.empty() && std::ranges::any_of(before, as_it_stands)) return all;
  // The cosines and sines of a row for rotations may be a table of another base; the other way round nobody asks of
  // what is a row's own.
  for (const bool tables : {true, false}) {
    const auto of_kind = [&](const Signal& signal) { return (signal.form == table_form) == tables; };
    // One on the diagonal of several axes says nothing against another base of a single axis, nor stretched positions
    // against a ladder that is scaled.
    const auto settles = [&](const Suspect& each) {
      const Signal& signal = each.held.hypothesis.signal;
      const bool asked = of_kind(signal) || (!tables && signal.form == table_form && each.differences.empty());
      const bool plain =
          signal.axes() == reading.extents.size() && (tables || each.held.hypothesis.coordinates[0].step == 1);
      return asked && (plain || !known.empty()) && !stands_still(reading, each.held.hypothesis);
    };
    if (std::ranges::any_of(all, settles)) continue;
    std::vector<Named> some;
    std::ranges::copy_if(signals, std::back_inserter(some), [&](const Named& each) { return of_kind(each.signal); });
    for (Refit& each : refits(reading, some, tolerance, known)) {
      if (!tells(reading, each.held, each.differences.size(), tolerance)) continue;
      if (is_any_wave(each.held, each.differences) || is_of_tones(each.held)) continue;
      all.push_back({reading, std::move(each.held), std::move(each.presets), std::move(each.differences)});
    }
  }
  return all;
}

// Returns true if most entries of the extra rows in front, but not all, match the candidate at the positions before its
// first. Such rows hold positions with damaged entries: rows of a class token do not match by half. If all match, as
// zeros match the sines of position 0, the extra rows may stay.
bool goes_on_in_front(const Suspect& suspect, DType storage, const Executor& executor) {
  const Reading& reading = suspect.reading;
  const std::int64_t line = reading.places() / reading.extents[0];
  if (reading.extra == 0 || reading.extra % line != 0) return false;
  Reading front = reading;
  Hypothesis hypothesis = suspect.held.hypothesis;
  front.extents[0] = reading.extra / line, front.extra = 0, front.offset -= front.extents[0] * reading.steps[0];
  for (std::size_t a = 0; a < hypothesis.coordinates.size(); ++a) {
    Coordinates& along = hypothesis.coordinates[a];
    if (hypothesis.extent_of[a] != 0) continue;
    if (!along.list.empty()) return false;
    along.first -= static_cast<double>(front.extents[0]) * along.step;
  }
  constexpr double most = 0.5;
  const double share = sampled_share(front, hypothesis, storage, executor);
  return share > most && share < 1;
}

// In half precision a ramp of other parameters lies within what a row's own arithmetic may lose, but has fewer of its
// entries than that has: then other parameters are asked for.
bool loses_more(const Judged& found) {
  constexpr double margin = 0.003;
  const Candidate& candidate = found.candidate;
  const bool is_half = candidate.storage == DType::f16 || candidate.storage == DType::bf16;
  const FieldChange ramp[] = {{"ladder.scaling.length", 4096}};
  return is_half && candidate.differences.empty() && !check_changes(candidate.convention, ramp) &&
         candidate.by_recipe.share() < known_share(candidate.recipe, candidate.storage) - margin;
}
std::vector<Judged> other_ramps(const Judged& found, std::span<const DType> storages,
                                const std::vector<Coordinates>& known, const IdentifyOptions& options) {
  const Signal& like = found.held.hypothesis.signal;
  std::vector<Suspect> suspects;
  for (const double factor : usual_values(like.convention, "ladder.scaling.factor")) {
    const FieldChange changes[] = {{"ladder.scaling.factor", factor}, {"magnitude.factor", factor}};
    const bool is_louder = !check_changes(like.convention, changes);
    const Convention convention = detail::changed(like.convention, std::span(changes).first(is_louder ? 2 : 1));
    std::vector<std::string> differing = differences(convention, like.preset->convention);
    if (differing.empty()) continue;
    const auto signal = signal_of(*like.preset, convention, like.given, like.form);
    auto held = signal ? hold(found.reading, *signal, tolerance_of(storages.back()), known) : std::nullopt;
    if (!held) continue;
    suspects.push_back({found.reading, std::move(*held), {std::string(like.preset->name)}, std::move(differing)});
  }
  std::vector<Judged> others = judged(std::move(suspects), storages, options);
  const auto share = [](const Judged& each) { return each.candidate.by_recipe.share(); };
  std::erase_if(others, [&](const Judged& each) { return share(each) <= share(found); });
  return others;
}

// The size of a cache is the magnitude of its convention, which rows of presets state; tables are scaled by everybody.
void say_magnitude(Candidate& candidate) {
  if (candidate.form == table_form || !candidate.differences.empty() || candidate.presets.empty()) return;
  candidate.differences = differences(candidate.convention, find_preset(candidate.presets[0])->convention);
}

}  // namespace

void add_for_lengths(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance,
                     const std::vector<Coordinates>& known, std::vector<Suspect>& suspects) {
  const std::size_t count = suspects.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (Refit& each : refits_for_lengths(suspects[i].held, reading, signals, tolerance, known)) {
      suspects.push_back({reading, std::move(each.held), std::move(each.presets), std::move(each.differences)});
    }
  }
}

bool has_rows_for(const IdentifyOptions& options, const Reading& reading) {
  return std::ranges::all_of(options.positions, [&](const Positions& positions) {
    return reading.extents.size() == 1 && positions.count_ == reading.extents[0];
  });
}

void put_behind(Candidate& candidate, std::int64_t rows) {
  candidate.extra = rows;
  for (Agreement* each : {&candidate.exact, &candidate.by_recipe}) {
    if (!each->first.empty()) each->first[0] += rows;
  }
}

bool holds_some_alone(const std::vector<Candidate>& candidates) {
  return std::ranges::any_of(candidates,
                             [](const Candidate& each) { return each.by_recipe.entries < each.exact.entries; });
}

Identification identify_table(const ConstView& tensor, const IdentifyOptions& options) {
  constexpr std::int64_t one_in = 64;  // which may be changed: chance makes one f32 in 2^13 a number of f16
  const std::vector<DType> storages = storages_of(tensor, options.executor, tensor.count() / one_in);
  const Tolerance tolerance = tolerance_of(storages.back());
  std::vector<Suspect> suspects;
  std::vector<std::pair<Reading, std::vector<Named>>> of_reading;  // the signals that it may be, where it is any
  const std::vector<Coordinates> known = listed_places({.identify = options});
  const std::size_t stated = readings(tensor, Grids::stated).size();
  const std::vector<Reading> all = readings(tensor, Grids::factored, tolerance.noise);
  std::map<std::int64_t, Catalogue> catalogues;  // by width
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == stated && !suspects.empty()) break;  // rows of one axis are no cells of a grid as well
    if (!has_rows_for(options, all[i])) continue;
    // A long table on its side has wide rows, of which every row of presets takes long to make.
    constexpr std::int64_t wide = std::int64_t{1} << 11, widest = std::int64_t{1} << 15;
    if (all[i].width > std::max(widest, all[i].places())) continue;
    if (all[i].width > wide && std::ranges::any_of(suspects, [](const Suspect& s) { return s.differences.empty(); })) {
      continue;
    }
    Catalogue& catalogue = catalogues.try_emplace(all[i].width, all[i].width).first->second;
    std::vector<Named> signals = catalogue.signals(
        [&](const std::vector<plan::Column>& columns) { return may_have(all[i], columns, tolerance); },
        options.executor);
    std::vector<Suspect> more = suspects_of(all[i], signals, tolerance, known, suspects);
    if (!more.empty()) of_reading.push_back({all[i], std::move(signals)});
    std::ranges::move(more, std::back_inserter(suspects));
  }
  std::erase_if(suspects,
                [&](const Suspect& each) { return goes_on_in_front(each, storages.back(), options.executor); });
  leave_out_standing(suspects);
  Identification identification;
  std::vector<Judged> found = judged(std::move(suspects), storages, options);
  if (!found.empty() && loses_more(found[0])) {
    if (auto others = other_ramps(found[0], storages, known, options); !others.empty()) found = std::move(others);
  }
  std::erase_if(found, [&](const Judged& each) { return !is_right(each, options.executor); });
  for (const auto& [reading, signals] : of_reading) {
    const bool first = !found.empty() && reading.name == found[0].reading.name &&
                       reading.extra == found[0].reading.extra && reading.extents == found[0].reading.extents;
    if (first) identification.ruled_out = ruled_out(found, signals, options);
  }
  for (Judged& each : found) {
    say_magnitude(each.candidate);
    identification.candidates.push_back(std::move(each.candidate));
  }
  return identification;
}

}  // namespace posenc::referee
