// SPDX-License-Identifier: Apache-2.0
// Diagnoses: the convention as asked, then elsewhere and scaled, then with a field changed, then faults.
#include <posenc/diagnose.h>

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/numerics/evaluate.h"
#include "src/referee/compared_places.h"
#include "src/referee/diagnose_relative.h"
#include "src/referee/diagnose_words.h"
#include "src/referee/faults.h"
#include "src/referee/identify_table.h"
#include "src/referee/spectrum.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

bool gives(Use use, const Convention& convention) { return !check_use("diagnose", use, convention); }

// The row that is the convention, else one that is as it is and counts places from 0 on.
const Preset& row_of(const Convention& convention) {
  const Preset* like = nullptr;
  for (const Preset& each : presets()) {
    if (each.convention == convention) return each;
    const bool rotations = gives(Use::rotations, each.convention);
    if (like == nullptr && !each.places && rotations == gives(Use::rotations, convention)) like = &each;
  }
  return *like;
}

// ---- what is asked ---------------------------------------------------------------------------------

Columns columns_of(const Reading& reading) { return reading.name.starts_with("[d") ? Columns::first : Columns::last; }
bool usual(const Reading& reading) { return columns_of(reading) == Columns::last; }

// The forms that a reading may have, by what is equal in it; all of them where damage leaves none of rows.
std::vector<const Form*> forms_of(const Reading& reading) {
  const std::span<const Form> forms = rotation_forms();
  std::vector<const Form*> all, admitted;
  for (const Form& form : forms) {
    if (reading.width % form.per_pair != 0) continue;
    all.push_back(&form);
    std::vector<plan::Angle> pairs;
    for (std::int64_t k = 0; k < reading.width / form.per_pair; ++k)
      pairs.push_back({0, static_cast<std::uint32_t>(k)});
    if (may_have(reading, form.columns(pairs), tolerance_of(DType::bf16))) admitted.push_back(&form);
  }
  return admitted.empty() && usual(reading) ? all : admitted;
}

std::vector<Signal> signals_of(const Convention& convention, const Reading& reading, const DiagnoseOptions& options) {
  const std::int64_t width = reading.width, places = reading.places();
  const Preset& row = row_of(convention);
  LoweredFor given = {.context = options.context};
  if (given.context.length == 0) given.context.length = std::max<std::int64_t>(places, 1);
  if (!given.context.learned) given.context.learned = 1;
  std::vector<Signal> all;
  const auto add = [&](std::int64_t dim, std::string_view form) {
    given.width = dim;
    auto signal = signal_of(row, convention, given, form);
    if (signal && signal->width() == width) all.push_back(std::move(*signal));
  };
  if (gives(Use::coordinates, convention)) {
    if (options.dim != 0) add(options.dim, table_form);
    for (const std::int64_t dim : {width, width + 1, 2 * width, 2 * width + 1}) {
      if (options.dim == 0) add(dim, table_form);
    }
    return all;
  }
  for (const Form* form : forms_of(reading)) {
    const std::int64_t rotated = 2 * (width / form->per_pair);
    if (options.dim != 0) add(options.dim, form->name);
    for (const std::int64_t parts : {1, 2, 4, 3, 8}) {
      const std::size_t before = all.size();
      if (options.dim == 0) add(parts * rotated, form->name);
      if (all.size() > before) break;
    }
  }
  return all;
}

std::vector<Reading> readings_of(const ConstView& tensor, const Convention& convention) {
  if (tensor.rank < 2) return {};
  const bool cells = axes_of(convention).size() > 1;
  return readings(tensor, cells ? Grids::factored : Grids::stated);
}

std::vector<Coordinates> listed_places(const DiagnoseOptions& options) {
  std::vector<Coordinates> all;
  for (const Positions& positions : options.identify.positions) {
    Coordinates& along = all.emplace_back();
    if (positions.count_ == 0) continue;
    for (std::int64_t i = 0; i < positions.count_; ++i) along.list.push_back(number_at(positions, i));
    along.first = along.list[0], along.step = along.list.size() > 1 ? along.list[1] - along.list[0] : 1;
  }
  return all;
}

// How the convention's original numbers places: as the call says, else as each row of presets that is the convention.
std::vector<std::optional<PlaceNumbering>> numberings_of(const Convention& convention, const DiagnoseOptions& options) {
  if (options.places) return {options.places};
  std::vector<std::optional<PlaceNumbering>> all;
  for (const Preset& each : presets()) {
    if (each.convention == convention && std::ranges::find(all, each.places) == all.end()) all.push_back(each.places);
  }
  if (all.empty()) all.push_back(std::nullopt);
  return all;
}

std::optional<std::vector<Coordinates>> numbered_places(const std::optional<PlaceNumbering>& places,
                                                        const Reading& reading,
                                                        const std::vector<std::size_t>& extent_of) {
  if (!places) return std::vector<Coordinates>(extent_of.size());
  std::vector<Coordinates> all;
  for (const std::size_t extent : extent_of) {
    std::vector<double> list(static_cast<std::size_t>(reading.extents[extent]));
    const View out = view(list.data(), {std::ssize(list)});
    if (check_place_coordinates(*places, reading.extents, extent, out)) return std::nullopt;
    place_coordinates(*places, reading.extents, extent, out);
    all.push_back({list[0], list.size() > 1 ? list[1] - list[0] : 1, std::move(list)});
  }
  return all;
}
bool has_places(const Reading& reading, const Hypothesis& hypothesis) {
  if (hypothesis.coordinates.size() != hypothesis.signal.axes()) return false;
  for (std::size_t a = 0; a < hypothesis.coordinates.size(); ++a) {
    const std::vector<double>& list = hypothesis.coordinates[a].list;
    if (!list.empty() && std::ssize(list) != reading.extents[hypothesis.extent_of[a]]) return false;
  }
  return true;
}

struct Asked {
  Reading reading;
  Hypothesis hypothesis;
};
// Every way in which the tensor may be what is asked, the plain one first.
std::vector<Asked> all_asked(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  std::vector<Asked> all;
  const std::vector<Coordinates> listed = listed_places(options);
  const auto numberings = numberings_of(convention, options);
  for (const Reading& reading : readings_of(tensor, convention)) {
    for (const Signal& signal : signals_of(convention, reading, options)) {
      const auto extent_of = extents_of(reading, signal);
      if (!extent_of) continue;
      const auto add = [&](std::vector<Coordinates> coordinates) {
        Hypothesis hypothesis = {signal, *extent_of, std::move(coordinates)};
        if (has_places(reading, hypothesis)) all.push_back({reading, std::move(hypothesis)});
      };
      if (!listed.empty()) {
        add(listed.size() == 1 ? std::vector<Coordinates>(signal.axes(), listed[0]) : listed);
        continue;
      }
      for (const auto& places : numberings) {
        if (auto coordinates = numbered_places(places, reading, *extent_of)) add(std::move(*coordinates));
      }
    }
  }
  return all;
}

std::optional<Candidate> judge(const Reading& reading, Held held, const Convention& convention,
                               std::span<const DType> storages, const DiagnoseOptions& options) {
  const Preset& row = row_of(convention);
  std::vector<std::string> names;
  if (row.convention == convention) names.emplace_back(row.name);
  auto kept = judged({{reading, std::move(held), names, {}}}, storages, options.identify);
  if (kept.empty()) return std::nullopt;
  return std::move(kept.front().candidate);
}

// ---- trials ----------------------------------------------------------------------------------------

struct Trial {
  Convention convention;
  DiagnoseOptions options;
  std::vector<std::string> words;
};

Diagnosis wrong_as(std::vector<std::string> findings) {
  Diagnosis diagnosis;
  diagnosis.findings = std::move(findings);
  return diagnosis;
}
const Executor& options_executor(const Trial& trial) { return trial.options.identify.executor; }

// The frequencies that a tensor shows, by number in the ladder of the one axis of a rotation.
struct Measured {
  const Signal* like = nullptr;
  std::vector<Frequency> frequencies;
};
Measured measured_of(const Asked* asked, DType storage) {
  const bool rotation = asked != nullptr && asked->hypothesis.signal.form != table_form;
  if (!rotation || asked->hypothesis.signal.axes() != 1) return {};
  const Signal& like = asked->hypothesis.signal;
  return {&like, spectrum_of(asked->reading, like, tolerance_of(storage))};
}

// A few frequencies of a trial beside those that are shown: all of a scaled ladder take long to make.
bool may_turn_so(const Trial& trial, const Measured& measured) {
  if (measured.like == nullptr) return true;
  LoweredFor given = measured.like->given;
  if (trial.options.context.length > 0) given.context.length = trial.options.context.length;
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
    others += std::abs(std::abs(w) - std::abs(value)) > 4 * off + near * std::abs(w);
  }
  return others < 2;  // one may be measured badly
}

// The convention at places and at a scale that the tensor shows.
std::optional<Diagnosis> elsewhere(const ConstView& tensor, const Trial& trial, std::span<const DType> storages,
                                   const Measured* measured = nullptr) {
  if (measured != nullptr && !may_turn_so(trial, *measured)) return std::nullopt;
  const Tolerance tolerance = tolerance_of(storages.back());
  for (const Asked& asked : all_asked(tensor, trial.convention, trial.options)) {
    auto held = hold(asked.reading, asked.hypothesis.signal, tolerance, listed_places(trial.options));
    if (!held || !verdict(asked.reading, held->hypothesis, storages, options_executor(trial)).right) continue;
    auto candidate = judge(asked.reading, std::move(*held), trial.convention, storages, trial.options);
    if (!candidate) continue;
    Diagnosis diagnosis = wrong_as(trial.words);
    for (auto& each : words_of_reading(*candidate, columns_of(asked.reading)))
      diagnosis.findings.push_back(std::move(each));
    for (auto& each : words_of_places(*candidate, asked.hypothesis.coordinates)) {
      diagnosis.findings.push_back(std::move(each));
    }
    diagnosis.found = std::move(candidate);
    if (!diagnosis.findings.empty()) return diagnosis;
  }
  return std::nullopt;
}

// Whether the places are in other steps than what is asked.
bool stretched(const Diagnosis& diagnosis, const std::vector<Asked>& all) {
  if (all.empty()) return false;
  const std::vector<Coordinates>& asked = all.front().hypothesis.coordinates;
  const std::vector<AxisPlaces>& places = diagnosis.found->places;
  constexpr double near = 1e-6;
  for (std::size_t a = 0; a < places.size() && a < asked.size(); ++a) {
    if (std::abs(places[a].step - asked[a].step) > near * std::abs(asked[a].step)) return true;
  }
  return false;
}

void add_changed(const Trial& asked, std::initializer_list<FieldChange> changes, std::vector<Trial>& all) {
  if (check_changes(asked.convention, std::span(changes.begin(), changes.size()))) return;
  const Convention changed = detail::changed(asked.convention, std::span(changes.begin(), changes.size()));
  if (changed == asked.convention) return;
  all.push_back({changed, asked.options, words_of_fields(changed, asked.convention)});
}

// A scaling of other parameters: its length from another field of a configuration, its factor of another model.
void add_scalings(const Trial& asked, std::vector<Trial>& all) {
  for (const std::string_view truncate : {"none", "whole"}) {
    add_changed(asked, {{"ladder.scaling.truncate", truncate}}, all);
  }
  for (std::int64_t length = 1024; length <= 1 << 18; length *= 2) {
    add_changed(asked, {{"ladder.scaling.length", length}}, all);
  }
  for (const double factor : {1, 2, 4, 8, 16, 32, 40, 64}) {
    add_changed(asked, {{"ladder.scaling.factor", factor}}, all);
    add_changed(asked, {{"ladder.scaling.factor", factor}, {"magnitude.factor", factor}}, all);
  }
}

// The frequencies of another length of the whole sequence.
void add_lengths(const Trial& asked, std::vector<Trial>& all) {
  constexpr std::int64_t longest = std::int64_t{1} << 20;
  if (detail::regime(asked.convention, longest) == detail::regime(asked.convention, 1)) return;
  std::vector<std::int64_t> seen = {detail::regime(asked.convention, asked.options.context.length)};
  for (std::int64_t length = 1024; length <= longest; length *= 2) {
    const std::int64_t regime = detail::regime(asked.convention, length);
    if (std::ranges::find(seen, regime) != seen.end()) continue;
    seen.push_back(regime);
    Trial trial = asked;
    trial.options.context.length = length;
    trial.words = {"the frequencies are those of a length of " + std::to_string(length) +
                   ": state the length of the whole sequence"};
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

// What ports get wrong most often, one field at a time.
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

// Steps of other places that are a first frequency of another size, as of tensor2tensor's min_timescale.
std::optional<Trial> another_first(const Trial& asked, const Diagnosis& moved, const std::vector<Asked>& all) {
  const Candidate& found = *moved.found;
  if (all.empty() || found.places.size() != 1 || found.places[0].first != 0 || !(found.places[0].step > 0))
    return std::nullopt;
  const std::vector<double>& frequencies = all.front().hypothesis.signal.frequencies[0];
  if (frequencies.empty()) return std::nullopt;
  std::vector<Trial> trials;
  add_changed(asked, {{"ladder.first", frequencies[0] * found.places[0].step}}, trials);
  return trials.empty() ? std::nullopt : std::optional(std::move(trials.front()));
}

// Rows of presets that have the entries at the places that are asked, the one that differs in the fewest fields first;
// the same convention, where its places are numbered as another row's.
enum class Rows : std::uint8_t { of_other_places = 1, all };
std::optional<Diagnosis> as_preset(const ConstView& tensor, const Trial& asked, std::span<const DType> storages,
                                   const Measured& measured, Rows which) {
  std::vector<const Preset*> rows;
  for (const Preset& each : presets()) {
    if (which == Rows::of_other_places && (each.convention != asked.convention || !each.places)) continue;
    const bool alike = axes_of(each.convention) == axes_of(asked.convention) &&
                       gives(Use::rotations, each.convention) == gives(Use::rotations, asked.convention) &&
                       gives(Use::coordinates, each.convention) == gives(Use::coordinates, asked.convention);
    if (alike) rows.push_back(&each);
  }
  std::ranges::stable_sort(rows, {},
                           [&](const Preset* row) { return differences(row->convention, asked.convention).size(); });
  for (const Preset* row : rows) {
    DiagnoseOptions options = asked.options;
    if (asked.options.identify.positions.empty()) options.places = row->places;
    if (measured.like != nullptr && !may_turn_so({row->convention, options, {}}, measured)) continue;
    for (const Asked& each : all_asked(tensor, row->convention, options)) {
      if (!usual(each.reading) || each.reading.extra > 0) continue;
      if (sampled_share(each.reading, each.hypothesis, storages.back(), options.identify.executor) < 1) continue;
      if (!verdict(each.reading, each.hypothesis, storages, options.identify.executor).right) continue;
      std::vector<std::string> words = words_of_fields(row->convention, asked.convention);
      if (options.places != asked.options.places && options.places) {
        words.push_back("places are numbered as those of " + std::string(row->name) + ": " +
                        to_string(*options.places));
      }
      if (words.empty()) continue;
      Diagnosis diagnosis = wrong_as(std::move(words));
      diagnosis.found = judge(each.reading, {each.hypothesis, {}}, row->convention, storages, options);
      diagnosis.explained = 1;
      return diagnosis;
    }
  }
  return std::nullopt;
}

// Another family is no cure: those of its own come first.
std::pair<bool, std::size_t> rank(const std::vector<std::string>& words) {
  return {words.front().starts_with("family"), words.size()};
}

// Of what identify found the one that differs in the fewest fields.
std::optional<Diagnosis> identified(const ConstView& tensor, const Convention& asked, const DiagnoseOptions& options) {
  const Identification found = detail::identify(tensor, options.identify);
  std::optional<Diagnosis> best;
  for (const Candidate& candidate : found.candidates) {
    std::vector<Convention> conventions = {candidate.convention};
    for (const std::string& name : candidate.presets) {
      if (const Preset* row = find_preset(name); row != nullptr && candidate.differences.empty()) {
        conventions.push_back(row->convention);
      }
    }
    for (const Convention& is : conventions) {
      std::vector<std::string> words = words_of_fields(is, asked);
      std::vector<Coordinates> zeros(candidate.places.size());
      for (auto& each : words_of_reading(candidate, Columns::last)) words.push_back(std::move(each));
      if (!row_of(is).places) {
        for (auto& each : words_of_places(candidate, zeros)) words.push_back(std::move(each));
      }
      if (words.empty()) continue;
      if (best && rank(words) >= rank(best->findings)) continue;
      best = wrong_as(std::move(words));
      best->found = candidate;
    }
  }
  return best;
}

std::optional<Fault> fault_of(const Asked& asked, const Beyond& beyond, DType storage) {
  if (auto found = scale_fault(asked.reading, asked.hypothesis, storage)) return found;
  if (auto found = rounding_fault(asked.reading, asked.hypothesis, storage)) return found;
  return damaged_rows(asked.reading, asked.hypothesis, beyond);
}

Diagnosis wrong_by(Fault fault) {
  Diagnosis diagnosis = wrong_as(std::move(fault.words));
  diagnosis.explained = fault.explained;
  return diagnosis;
}

// The convention, or a trial of it, with another ladder.
std::optional<Diagnosis> refitted(const ConstView& tensor, const Convention& convention, const Trial& trial,
                                  std::span<const DType> storages) {
  const Tolerance tolerance = tolerance_of(storages.back());
  for (const Asked& asked : all_asked(tensor, trial.convention, trial.options)) {
    const Named named[] = {
        {asked.hypothesis.signal, {{asked.hypothesis.signal.preset, asked.hypothesis.signal.given}}}};
    for (Refit& refit : refits(asked.reading, named, tolerance, {})) {
      const Convention is = refit.held.hypothesis.signal.convention;
      auto candidate = judge(asked.reading, std::move(refit.held), is, storages, trial.options);
      if (!candidate) continue;
      Diagnosis diagnosis = wrong_as(words_of_fields(is, convention));
      for (auto& each : words_of_reading(*candidate, columns_of(asked.reading))) {
        diagnosis.findings.push_back(std::move(each));
      }
      for (auto& each : words_of_places(*candidate, asked.hypothesis.coordinates)) {
        diagnosis.findings.push_back(std::move(each));
      }
      diagnosis.found = std::move(candidate);
      if (!diagnosis.findings.empty()) return diagnosis;
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace posenc::referee

namespace posenc {

std::optional<Problem> check_diagnose(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options) {
  using namespace referee;
  if (auto problem = check_identify(tensor, options.identify)) return problem;
  if (auto problem = check_convention(convention)) return problem;
  if (auto problem = check_context(options.context)) return problem;
  if (options.dim < 0) return Problem{"diagnose", "dim must be 0 or the width asked for", std::to_string(options.dim)};
  if (options.places) {
    if (auto problem = check_places(*options.places)) return problem;
  }
  if (is_relative(tensor, convention)) {
    return check_relative(tensor, convention, options);
  }
  for (const Positions& positions : options.identify.positions) {
    const auto sizes = std::span(tensor.shape).first(static_cast<std::size_t>(tensor.rank));
    if (axes_of(convention).size() != 1 || std::ranges::find(sizes, positions.count_) != sizes.end()) continue;
    return Problem{"diagnose", "positions must be as many as an axis has, " + to_text(sizes),
                   std::to_string(positions.count_)};
  }
  return options.dim > 0 ? check_width(convention, options.dim) : std::nullopt;
}

namespace referee {
namespace {

// What is asked, as the tensor comes nearest to it.
struct Nearest {
  const Asked* asked = nullptr;
  Verdict verdict;
};

// The way of reading that is right, else the one of which the most entries are.
Nearest nearest_of(const std::vector<Asked>& all, std::span<const DType> storages, const Executor& executor) {
  std::vector<std::pair<double, const Asked*>> ways;
  for (const Asked& asked : all) {
    if (asked.reading.extra > 0 || !usual(asked.reading)) continue;
    const double share = sampled_share(asked.reading, asked.hypothesis, storages.back(), executor);
    ways.push_back({share + (share < 1 ? sampled_likeness(asked.reading, asked.hypothesis) : 1), &asked});
  }
  std::ranges::stable_sort(ways, {}, [](const auto& each) { return -each.first; });
  Nearest nearest;
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < std::min(most, ways.size()); ++i) {
    Verdict found = verdict(ways[i].second->reading, ways[i].second->hypothesis, storages, executor);
    if (nearest.asked != nullptr && !found.right && found.beyond.share() <= nearest.verdict.beyond.share()) continue;
    nearest = {ways[i].second, std::move(found)};
    if (nearest.verdict.right) break;
  }
  return nearest;
}

Candidate right_candidate(const Asked& asked, const Verdict& found, const Convention& convention,
                          std::span<const DType> storages, const DiagnoseOptions& options) {
  if (auto candidate = judge(asked.reading, {asked.hypothesis, {}}, convention, storages, options)) return *candidate;
  // Further off than identify admits, as entries of a recipe are that loses more than others.
  Candidate candidate;
  candidate.convention = convention;
  candidate.form = asked.hypothesis.signal.form, candidate.reading = asked.reading.name;
  candidate.extents = asked.reading.extents, candidate.width = asked.hypothesis.signal.given.width;
  candidate.context = asked.hypothesis.signal.given.context;
  candidate.storage = found.storage, candidate.recipe = found.recipe;
  const auto agreement = [&](const Recipe& by) {
    return match(asked.reading, asked.hypothesis, by, found.storage, {}, options.identify.executor)
        .value_or(Agreement{});
  };
  candidate.exact = candidate.by_recipe = agreement(exact());
  if (found.recipe != "exact") candidate.by_recipe = agreement(recipe(found.recipe));
  return candidate;
}

// What is wrong, in the order in which faults are looked for: what is quick to tell, then what needs a search.
Diagnosis fault_found(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                      const std::vector<Asked>& all, const Nearest& nearest, std::span<const DType> storages) {
  const Trial plain = {convention, options, {}};
  std::vector<Trial> louder;
  add_changed(plain, {{"magnitude", 1}}, louder);
  for (const Trial& trial : louder) {
    const auto found = elsewhere(tensor, trial, storages);
    if (found && !stretched(*found, all) && found->found->fitted.empty()) return *found;
  }
  if (nearest.asked != nullptr) {
    if (auto found = fault_of(*nearest.asked, nearest.verdict.beyond, storages.back())) return wrong_by(*found);
  }
  if (auto found = as_preset(tensor, plain, storages, {}, Rows::of_other_places)) return *found;
  // A linear scaling that was forgotten looks like positions in other steps, which few programs have.
  auto moved = elsewhere(tensor, plain, storages);
  if (moved && !stretched(*moved, all)) return *moved;
  const Measured measured = measured_of(nearest.asked, storages.back());
  for (const Trial& trial : trials_of(plain)) {
    const auto found = elsewhere(tensor, trial, storages, &measured);
    if (found && !stretched(*found, all)) return *found;
  }
  if (auto found = as_preset(tensor, plain, storages, measured, Rows::all)) return *found;
  if (moved) {
    if (const auto trial = another_first(plain, *moved, all)) {
      const auto found = elsewhere(tensor, *trial, storages);
      if (found && !stretched(*found, all)) return *found;
    }
    return *moved;
  }
  if (nearest.asked != nullptr) {
    if (auto found = damaged_columns(nearest.asked->reading, nearest.asked->hypothesis, storages.back())) {
      return wrong_by(*found);
    }
  }
  const auto named = identified(tensor, convention, options);
  const bool other_family = named && rank(named->findings).first;
  if (named && !other_family) return *named;
  if (auto found = refitted(tensor, convention, plain, storages)) return *found;
  if (named) return *named;
  if (all.empty()) return wrong_as({"no axis of the tensor has the width of the convention's rows"});
  return wrong_as({"no known fault explains these entries"});
}

// A rule of odd widths is nothing to tables of even ones.
void leave_out_odd(Diagnosis& diagnosis) {
  if (!diagnosis.found || diagnosis.found->width % 2 != 0 || diagnosis.findings.size() < 2) return;
  std::erase_if(diagnosis.findings, [](const std::string& each) { return each.starts_with("odd_width is "); });
}

// The first rows of a large table of one axis: what they show is looked for there, since a search reads them many
// times.
struct Front {
  ConstView tensor;
  DiagnoseOptions options;
  std::vector<double> memory;
};
std::optional<Front> front_of(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                              const Nearest& nearest) {
  constexpr std::int64_t large = std::int64_t{1} << 21, entries = std::int64_t{1} << 19;
  if (nearest.asked == nullptr || axes_of(convention).size() != 1 || tensor.count() < large) return std::nullopt;
  const Reading& reading = nearest.asked->reading;
  const std::int64_t places = reading.extents[0], kept = std::max<std::int64_t>(entries / reading.width, 64);
  const auto sizes = std::span(tensor.shape).first(static_cast<std::size_t>(tensor.rank));
  const auto axis = std::ranges::find(sizes, places);
  if (kept >= places || axis == sizes.end()) return std::nullopt;
  Front front = {tensor, options, {}};
  front.tensor.shape[static_cast<std::size_t>(axis - sizes.begin())] = kept;
  if (front.options.context.length == 0) front.options.context.length = places;
  for (Positions& positions : front.options.identify.positions) {
    positions = slice(positions, 0, std::min(kept, positions.count_), front.memory);
  }
  return front;
}
Diagnosis fault_of_front(const Front& front, const Convention& convention, const Nearest& nearest,
                         std::span<const DType> storages) {
  if (auto found = fault_of(*nearest.asked, nearest.verdict.beyond, storages.back())) return wrong_by(*found);
  const std::vector<Asked> all = all_asked(front.tensor, convention, front.options);
  return fault_found(front.tensor, convention, front.options, all,
                     nearest_of(all, storages, front.options.identify.executor), storages);
}

}  // namespace
}  // namespace referee

Diagnosis detail::diagnose(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  using namespace referee;
  if (is_relative(tensor, convention)) {
    return diagnose_relative(tensor, convention, options);
  }
  if (!is_real(tensor.dtype)) return wrong_as({"the tensor holds whole numbers"});
  const std::vector<DType> storages = storages_of(tensor);
  const std::vector<Asked> all = all_asked(tensor, convention, options);
  const Nearest nearest = nearest_of(all, storages, options.identify.executor);
  Diagnosis diagnosis;
  if (nearest.asked != nullptr && nearest.verdict.right) {
    diagnosis.right = true, diagnosis.explained = 1;
    diagnosis.found = right_candidate(*nearest.asked, nearest.verdict, convention, storages, options);
  } else if (const auto front = front_of(tensor, convention, options, nearest)) {
    diagnosis = fault_of_front(*front, convention, nearest, storages);
  } else {
    diagnosis = fault_found(tensor, convention, options, all, nearest, storages);
    leave_out_odd(diagnosis);
    if (diagnosis.found && diagnosis.explained == 0) diagnosis.explained = diagnosis.found->by_recipe.share();
  }
  if (nearest.asked == nullptr) return diagnosis;
  const Beyond& beyond = nearest.verdict.beyond;
  diagnosis.entries = beyond.entries;
  if (diagnosis.right) return diagnosis;
  diagnosis.wrong = beyond.wrong, diagnosis.first = beyond.first;
  if (beyond.first.empty()) {
    diagnosis.findings.emplace_back(
        "angles are so large that only a known arithmetic could tell, and none has these entries");
  } else if (diagnosis.explained == 0) {
    diagnosis.findings.push_back("first wrong at " + place_words(nearest.asked->reading, nearest.asked->hypothesis,
                                                                 beyond.first[0], beyond.first[1]));
  }
  return diagnosis;
}

std::string to_string(const Diagnosis& diagnosis) {
  std::string text = diagnosis.right ? "right\n" : "wrong\n";
  for (const std::string& each : diagnosis.findings) text += "  " + each + "\n";
  if (!diagnosis.right && diagnosis.entries > 0) {
    text +=
        "  " + std::to_string(diagnosis.wrong) + " of " + std::to_string(diagnosis.entries) + " entries are wrong\n";
  }
  if (!diagnosis.found) return text;
  const Candidate& found = *diagnosis.found;
  text += "  form: " + found.form + ", stored as " + std::string(to_string(found.storage)) + "\n";
  text += "  exact: " + to_string(found.exact) + "\n";
  if (found.recipe != "exact") text += "  " + found.recipe + ": " + to_string(found.by_recipe) + "\n";
  return text;
}

}  // namespace posenc
