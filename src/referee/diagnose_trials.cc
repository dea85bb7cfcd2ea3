// SPDX-License-Identifier: Apache-2.0
// Trials: each is held where its rows may be, or at the places asked, and every entry must then be right.
#include "src/referee/diagnose_trials.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/conventions/neighbours.h"
#include "src/conventions/usual_values.h"
#include "src/numerics/evaluate.h"
#include "src/referee/evidence.h"
#include "src/referee/identify_table.h"
#include "src/referee/known_faults.h"
#include "src/referee/shown_ramp.h"
#include "src/referee/verdict.h"

namespace posenc::referee {
namespace {

const Executor& options_executor(const Trial& trial) { return trial.options.identify.executor; }

LoweredFor given_of_trial(const Trial& trial, const MeasuredTurns& measured) {
  LoweredFor given = measured.like->given;
  if (trial.options.context.length > 0) given.context.length = trial.options.context.length;
  return given;
}

// A few frequencies of a trial beside those that are shown: all of a scaled ladder take long to make.
bool may_turn_so(const Trial& trial, const MeasuredTurns& measured) {
  if (measured.like == nullptr) return true;
  const LoweredFor given = given_of_trial(trial, measured);
  if (check_lower(trial.convention, given)) return true;
  const plan::PairPlan plan = lower_pairs(trial.convention, given);
  const std::size_t count = plan.ladders.size() == 1 ? plan.ladders[0].size() : 0;
  constexpr double near = 0.05;
  int others = 0;
  for (std::size_t part = 1; part <= 4 && count > 0; ++part) {
    const std::size_t k = part * (count - 1) / 4;
    if (k >= measured.frequencies.size() || std::isnan(measured.frequencies[k].value)) continue;
    const double w = numerics::rounded<double>(plan.ladders[0][k]).value_or(0);
    const auto& [value, off] = measured.frequencies[k];
    if (std::abs(w) > std::numbers::pi) continue;  // rows in steps of 1 show its alias
    others += std::abs(std::abs(w) - std::abs(value)) > 4 * off + near * std::abs(w);
  }
  return others < 2;  // one may be measured badly
}

// A scaling of other parameters: its length from another field of a configuration, its factor of another model.
void add_scalings(const Trial& asked, std::vector<Trial>& all) {
  for (const std::string_view truncate : {"none", "whole"}) {
    add_changed(asked, {{"ladder.scaling.truncate", truncate}}, all);
  }
  for (const double length : usual_values(asked.convention, "ladder.scaling.length")) {
    add_changed(asked, {{"ladder.scaling.length", length}}, all);
  }
  for (const double factor : usual_values(asked.convention, "ladder.scaling.factor")) {
    add_changed(asked, {{"ladder.scaling.factor", factor}}, all);
    add_changed(asked, {{"ladder.scaling.factor", factor}, {"magnitude.factor", factor}}, all);
  }
}

// The frequencies of another length of the whole sequence.
void add_lengths(const Trial& asked, std::vector<Trial>& all) {
  for (const std::int64_t length : other_lengths(asked.convention, asked.options.context.length)) {
    Trial trial = asked;
    trial.options.context.length = length;
    trial.words = {words_of_length(length)};
    all.push_back(std::move(trial));
  }
}

// Of several axes: their order, with blocks that span the row, a run or a rung.
void add_grids(const Trial& asked, std::vector<Trial>& all) {
  const std::vector<std::string> axes = axes_of(asked.convention);
  if (axes.size() != 2) return;
  const std::string swapped = axes[1] + "," + axes[0];
  add_changed(asked, {{"axes", swapped}}, all);
  for (const std::string_view scope : {"row", "run", "period"}) {
    add_changed(asked, {{"scope", scope}}, all);
    add_changed(asked, {{"scope", scope}, {"axes", swapped}}, all);
  }
  for (const double shift : {0, 1}) {
    const std::string_view over = shift == 0 ? "width" : "pairs";
    add_changed(asked, {{"ladder.spacing.over", over}, {"ladder.spacing.shift", shift}, {"axes", swapped}}, all);
  }
}

}  // namespace

std::vector<std::int64_t> other_lengths(const Convention& convention, std::int64_t asked) {
  constexpr std::int64_t longest = std::int64_t{1} << 20;
  std::vector<std::int64_t> all, seen = {detail::regime(convention, asked)};
  if (!depends_on_length(convention)) return all;
  for (std::int64_t length = 1024; length <= longest; length *= 2) {
    const std::int64_t regime = detail::regime(convention, length);
    if (std::ranges::find(seen, regime) != seen.end()) continue;
    seen.push_back(regime), all.push_back(length);
  }
  return all;
}

std::string words_of_length(std::int64_t length) {
  return "the frequencies are those of a length of " + std::to_string(length) +
         ": state the length of the whole sequence";
}

void add_changed(const Trial& asked, std::initializer_list<FieldChange> changes, std::vector<Trial>& all) {
  if (check_changes(asked.convention, std::span(changes.begin(), changes.size()))) return;
  const Convention changed = detail::changed(asked.convention, std::span(changes.begin(), changes.size()));
  if (changed == asked.convention) return;
  all.push_back({changed, asked.options, words_of_fields(changed, asked.convention)});
}

std::vector<Trial> trials_of(const Trial& asked) {
  std::vector<Trial> all;
  for (const std::string_view layout : {"interleaved", "sine_first", "cosine_first"}) {
    add_changed(asked, {{"layout", layout}}, all);
  }
  add_changed(asked, {{"ladder.spacing.over", "pairs"}, {"ladder.spacing.shift", 1}}, all);
  add_changed(asked, {{"ladder.spacing.over", "width"}, {"ladder.spacing.shift", 0}}, all);
  for (const std::string_view layout : {"interleaved", "sine_first", "cosine_first"}) {
    add_changed(asked, {{"layout", layout}, {"ladder.spacing.over", "pairs"}, {"ladder.spacing.shift", 1}}, all);
    add_changed(asked, {{"layout", layout}, {"ladder.spacing.over", "width"}, {"ladder.spacing.shift", 0}}, all);
  }
  for (const std::string_view rule : {"zero_column", "short_row", "lone_sine", "repeated_cosine", "zero_row"}) {
    add_changed(asked, {{"odd_width", rule}}, all);
  }
  add_lengths(asked, all);
  add_changed(asked, {{"ladder.scaling", "none"}, {"magnitude", 1}}, all);
  add_changed(asked, {{"ladder.scaling", "none"}}, all);
  add_grids(asked, all);
  add_scalings(asked, all);
  for (const std::string_view unit : {"radians", "quarter_turns", "half_turns", "turns"}) {
    add_changed(asked, {{"ladder.unit", unit}}, all);
  }
  return all;
}

std::optional<Trial> another_first(const Trial& asked, const Diagnosis& moved, const std::vector<Asked>& all) {
  const Candidate& found = *moved.found;
  if (all.empty() || found.places.size() != 1 || found.places[0].first != 0 || !(found.places[0].step.value_or(0) > 0))
    return std::nullopt;
  const std::vector<double>& frequencies = all.front().hypothesis.signal.frequencies[0];
  if (frequencies.empty()) return std::nullopt;
  std::vector<Trial> trials;
  add_changed(asked, {{"ladder.first", frequencies[0] * *found.places[0].step}}, trials);
  return trials.empty() ? std::nullopt : std::optional(std::move(trials.front()));
}

MeasuredTurns measured_of(const Asked* asked, DType storage) {
  const bool rotation = asked != nullptr && asked->hypothesis.signal.form != table_form;
  if (!rotation || asked->hypothesis.signal.axes() != 1) return {};
  const Signal& like = asked->hypothesis.signal;
  // Columns of one kind have frequencies in any order of columns: they do not say that the form is right.
  const std::vector<WaveColumns> waves = waves_of(like.plan->columns);
  if (waves.empty() || !waves.front().pair() || rows_are_equal(asked->reading)) return {};
  return {&like, spectrum_of(asked->reading, like, tolerance_of(storage))};
}

std::optional<Trial> with_shown_ramp(const Trial& asked, const MeasuredTurns& measured) {
  if (measured.like == nullptr) return std::nullopt;
  auto shown = shown_ramp(asked.convention, given_of_trial(asked, measured), measured.frequencies);
  if (!shown) return std::nullopt;
  return Trial{std::move(shown->convention), asked.options, std::move(shown->words)};
}

void leave_out_odd(std::vector<std::string>& words) {
  if (words.size() < 2) return;
  std::erase_if(words, [](const std::string& each) { return each.starts_with("odd_width is "); });
}

Diagnosis wrong_as(std::vector<std::string> findings) {
  Diagnosis diagnosis;
  diagnosis.findings = std::move(findings);
  return diagnosis;
}

namespace {

// At the coordinates that a numbering of places gives; nothing where some entries are others.
std::optional<Held> as_numbered(const Asked& asked, std::span<const DType> storages, const Executor& executor) {
  const double share = sampled_share(asked.reading, asked.hypothesis, storages.back(), executor);
  return share < 1 ? std::nullopt : std::optional(Held{asked.hypothesis, {}});
}

// Fits equal rows by one position, that of the first row, if the match exceeds chance.
std::optional<Held> at_one_position(const Asked& asked, const Trial& trial, const Tolerance& tolerance) {
  if (!trial.options.identify.positions.empty() || !rows_are_equal(asked.reading)) return std::nullopt;
  Reading first = asked.reading;
  first.extents = {1};
  auto held = hold(first, asked.hypothesis.signal, tolerance, {});
  if (!held || !tells(first, *held, trial.words.size(), tolerance)) return std::nullopt;
  for (Coordinates& along : held->hypothesis.coordinates) along = {along.at(0), 0, {}};
  return held;
}

// With the words of how a candidate is read and where its places are, beside what was asked.
Diagnosis wrong_at(std::vector<std::string> words, const Asked& asked, Candidate candidate) {
  Diagnosis diagnosis = wrong_as(std::move(words));
  for (auto& each : words_of_reading(candidate, usual(asked.reading) ? ColumnAxis::last : ColumnAxis::first,
                                     asked.hypothesis.coordinates)) {
    diagnosis.findings.push_back(std::move(each));
  }
  for (auto& each : words_of_places(candidate, asked.hypothesis.coordinates)) {
    diagnosis.findings.push_back(std::move(each));
  }
  diagnosis.found = std::move(candidate);
  return diagnosis;
}

}  // namespace

std::optional<Diagnosis> elsewhere(const ConstView& tensor, const Trial& trial, std::span<const DType> storages,
                                   const MeasuredTurns* measured) {
  if (measured != nullptr && !may_turn_so(trial, *measured)) return std::nullopt;
  const Tolerance tolerance = tolerance_of(storages.back());
  for (const Asked& asked : all_asked(tensor, trial.convention, trial.options)) {
    std::optional<Held> held;
    if (numbers_cells(trial.options)) held = as_numbered(asked, storages, options_executor(trial));
    if (!held) held = hold(asked.reading, asked.hypothesis.signal, tolerance, listed_places(trial.options));
    if (!held) held = at_one_position(asked, trial, tolerance);
    if (!held || !verdict(asked.reading, held->hypothesis, storages, options_executor(trial)).right) continue;
    auto candidate = judge(asked.reading, std::move(*held), trial.convention, storages, trial.options);
    if (!candidate) continue;
    Diagnosis diagnosis = wrong_at(trial.words, asked, std::move(*candidate));
    if (!diagnosis.findings.empty()) return diagnosis;
  }
  return std::nullopt;
}

bool stretched(const Diagnosis& diagnosis, const std::vector<Asked>& all) {
  if (all.empty()) return false;
  const auto as_found = [&](const Asked& each) { return each.reading.extents == diagnosis.found->extents; };
  const auto same = std::ranges::find_if(all, as_found);
  const Hypothesis& asked = (same != all.end() ? *same : all.front()).hypothesis;
  const std::vector<std::string> axes = axes_of(asked.signal.convention);
  constexpr double near = 1e-6;
  return std::ranges::any_of(diagnosis.found->places, [&](const AxisPlaces& place) {
    const auto at = static_cast<std::size_t>(std::ranges::find(axes, place.axis) - axes.begin());
    if (at >= asked.coordinates.size()) return false;
    const double step = asked.coordinates[at].step;
    return place.step && *place.step != 0 && std::abs(*place.step - step) > near * std::abs(step);
  });
}

namespace {

// Matches a trial, a preset or a neighbour, at the places asked: every entry must be right. The findings are the fields
// that differ, then the words of the trial.
std::optional<Diagnosis> in_place(const ConstView& tensor, const Trial& trial, const Convention& asked,
                                  std::span<const DType> storages, const MeasuredTurns& measured) {
  if (!may_turn_so(trial, measured)) return std::nullopt;
  const Executor& executor = options_executor(trial);
  const std::size_t changed = row_of(trial.convention).convention == trial.convention ? 0 : 1;
  for (const Asked& each : all_asked(tensor, trial.convention, trial.options, Ways::usual)) {
    if (sampled_share(each.reading, each.hypothesis, storages.back(), executor) < 1) continue;
    if (!tells(each.reading, {each.hypothesis, {}}, changed, tolerance_of(storages.back()))) continue;
    if (!verdict(each.reading, each.hypothesis, storages, executor).right) continue;
    std::vector<std::string> words = words_of_fields(trial.convention, asked, each.hypothesis.signal.form);
    words.insert(words.end(), trial.words.begin(), trial.words.end());
    if (words.empty()) continue;
    Diagnosis diagnosis = wrong_as(std::move(words));
    diagnosis.found = judge(each.reading, {each.hypothesis, {}}, trial.convention, storages, trial.options);
    diagnosis.explained = 1;
    return diagnosis;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> as_preset(const ConstView& tensor, const Trial& asked, std::span<const DType> storages,
                                   const MeasuredTurns& measured, PresetRows which) {
  std::vector<const Preset*> rows;
  for (const Preset& each : presets()) {
    if (which == PresetRows::of_other_places && (each.convention != asked.convention || !each.places)) continue;
    const bool alike =
        axes_of(each.convention) == axes_of(asked.convention) &&
        gives(ConventionUse::rotations, each.convention) == gives(ConventionUse::rotations, asked.convention) &&
        gives(ConventionUse::coordinates, each.convention) == gives(ConventionUse::coordinates, asked.convention);
    if (alike) rows.push_back(&each);
  }
  std::ranges::stable_sort(rows, {},
                           [&](const Preset* row) { return differences(row->convention, asked.convention).size(); });
  for (const Preset* row : rows) {
    Trial trial = {row->convention, asked.options, {}};
    if (asked.options.identify.positions.empty()) trial.options.places = row->places;
    if (trial.options.places && trial.options.places != asked.options.places) {
      trial.words.push_back("places are numbered as those of " + std::string(row->name) + ": " +
                            to_string(*trial.options.places));
    }
    if (auto found = in_place(tensor, trial, asked.convention, storages, measured)) return found;
  }
  return std::nullopt;
}

std::optional<Diagnosis> as_neighbour(const ConstView& tensor, const Trial& asked, std::span<const Trial> tried,
                                      std::span<const DType> storages, const MeasuredTurns& measured) {
  for (Convention& each : neighbours(asked.convention)) {
    if (std::ranges::find(tried, each, &Trial::convention) != tried.end()) continue;
    Trial trial = {std::move(each), asked.options, {}};
    for (const auto& places : numberings_of(asked.convention, asked.options)) {
      if (asked.options.identify.positions.empty()) trial.options.places = places.value_or(whole_places);
      if (auto found = in_place(tensor, trial, asked.convention, storages, measured)) return found;
    }
  }
  return std::nullopt;
}

std::pair<bool, std::size_t> rank(const std::vector<std::string>& words) {
  return {words.front().starts_with("family"), words.size()};
}

namespace {

// A fault leaves less than a tenth of the entries unexplained.
constexpr double explains = 0.9;

// Selects the candidate that differs in the fewest fields; its findings are these fields and `faults`.
std::optional<Diagnosis> least_different(std::span<const Candidate> candidates, const Convention& asked,
                                         const std::vector<std::string>& faults) {
  std::optional<Diagnosis> best;
  for (const Candidate& candidate : candidates) {
    std::vector<Convention> conventions = {candidate.convention};
    for (const std::string& name : candidate.presets) {
      if (const Preset* row = find_preset(name); row != nullptr && candidate.differences.empty()) {
        conventions.push_back(row->convention);
      }
    }
    const ColumnAxis columns = usual(candidate.reading) ? ColumnAxis::last : ColumnAxis::first;
    for (const Convention& is : conventions) {
      std::vector<std::string> words = words_of_fields(is, asked, candidate.form);
      std::vector<Coordinates> zeros(candidate.places.size());
      if (candidate.width % 2 == 0) leave_out_odd(words);
      for (auto& each : words_of_reading(candidate, columns, zeros)) words.push_back(std::move(each));
      if (!row_of(is).places) {
        for (auto& each : words_of_places(candidate, zeros)) words.push_back(std::move(each));
      }
      words.insert(words.end(), faults.begin(), faults.end());
      if (words.empty()) continue;
      if (best && rank(words) >= rank(best->findings)) continue;
      best = wrong_as(std::move(words));
      best->found = candidate;
    }
  }
  return best;
}

}  // namespace

std::optional<Diagnosis> identified(const ConstView& tensor, const Convention& asked, const DiagnoseOptions& options) {
  return least_different(conventions_of(tensor, options.identify).candidates, asked, {});
}

std::optional<Diagnosis> beside_trial(const ConstView& tensor, const Trial& trial, std::span<const DType> storages,
                                      const MeasuredTurns& measured) {
  if (!may_turn_so(trial, measured)) return std::nullopt;
  constexpr double least_right = 0.25;
  for (const Asked& asked : all_asked(tensor, trial.convention, trial.options, Ways::usual)) {
    const Executor& executor = options_executor(trial);
    if (sampled_share(asked.reading, asked.hypothesis, storages.back(), executor) < least_right) continue;
    const Beyond beyond = verdict(asked.reading, asked.hypothesis, storages, executor).beyond;
    auto fault = fault_of_rows(asked.reading, asked.hypothesis, storages.back(), beyond);
    if (!fault || fault->explained < explains) continue;
    Diagnosis diagnosis = wrong_as(trial.words);
    std::ranges::move(fault->words, std::back_inserter(diagnosis.findings));
    diagnosis.explained = fault->explained;
    return diagnosis;
  }
  return std::nullopt;
}

std::optional<Diagnosis> beside_another(const Told& told, const Convention& asked) {
  if (told.explained < explains) return std::nullopt;
  const Identification& is = told.identification;
  auto found = least_different(is.nearest ? std::span(&*is.nearest, 1) : std::span(is.candidates), asked, told.words);
  if (!found) return std::nullopt;
  found->explained = told.explained;
  if (is.nearest) found->found.reset();  // it has not all of the entries
  return found;
}

std::optional<Diagnosis> refitted(const ConstView& tensor, const Convention& convention, const Trial& trial,
                                  std::span<const DType> storages) {
  const Tolerance tolerance = tolerance_of(storages.back());
  for (const Asked& asked : all_asked(tensor, trial.convention, trial.options)) {
    const Named named[] = {
        {asked.hypothesis.signal, {{asked.hypothesis.signal.preset, asked.hypothesis.signal.given}}}};
    for (Refit& refit : refits(asked.reading, named, tolerance, {})) {
      const Convention is = refit.held.hypothesis.signal.convention;
      std::vector<std::string> words = words_of_fields(is, convention);
      const auto length = std::ranges::find(refit.held.fitted, "length", &Fitted::name);
      if (words.empty() && length != refit.held.fitted.end()) {
        words = {words_of_length(static_cast<std::int64_t>(length->value))};
      }
      auto candidate = judge(asked.reading, std::move(refit.held), is, storages, trial.options);
      if (!candidate) continue;
      Diagnosis diagnosis = wrong_at(std::move(words), asked, std::move(*candidate));
      if (!diagnosis.findings.empty()) return diagnosis;
    }
  }
  return std::nullopt;
}

}  // namespace posenc::referee
