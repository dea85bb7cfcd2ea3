// SPDX-License-Identifier: Apache-2.0
// Diagnoses: the convention as asked, then elsewhere and scaled, then with a field changed, then faults.
#include <posenc/diagnose.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/to_text.h"
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

std::vector<Signal> signals_of(const Convention& convention, std::int64_t width, const DiagnoseOptions& options,
                               std::int64_t places) {
  const Preset& row = row_of(convention);
  LoweredFor given = {.context = options.context};
  if (given.context.length == 0) given.context.length = std::max<std::int64_t>(places, 1);
  if (!given.context.learned) given.context.learned = 1;
  std::vector<Signal> all;
  const auto add = [&](std::int64_t dim, std::string_view form) {
    given.width = dim;
    if (options.dim != 0 && dim != options.dim) return;
    auto signal = signal_of(row, convention, given, form);
    if (signal && signal->width() == width) all.push_back(std::move(*signal));
  };
  if (gives(Use::coordinates, convention)) {
    for (const std::int64_t dim : {width, width + 1, 2 * width, 2 * width + 1}) add(dim, table_form);
    return all;
  }
  for (const Form& form : rotation_forms()) {
    if (width % form.per_pair != 0) continue;
    const std::int64_t rotated = 2 * (width / form.per_pair);
    if (options.dim != 0) add(options.dim, form.name);
    for (const std::int64_t parts : {1, 2, 4, 3, 8}) {
      const std::size_t before = all.size();
      if (options.dim == 0) add(parts * rotated, form.name);
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

std::vector<Coordinates> asked_places(const Reading& reading, const Signal& signal,
                                      const std::vector<std::size_t>& extent_of, const DiagnoseOptions& options) {
  std::vector<Coordinates> all;
  for (const Positions& positions : options.identify.positions) {
    Coordinates& along = all.emplace_back();
    for (std::int64_t i = 0; i < positions.count_; ++i) {
      switch (positions.kind_) {
        case Positions::Kind::integers: along.list.push_back(double(positions.start_ + i * positions.step_)); break;
        case Positions::Kind::reals:
          along.list.push_back(positions.real_start_ + static_cast<double>(i) * positions.real_step_);
          break;
        default: {
          const ConstView& list = positions.list_;
          const std::int64_t at = i * list.stride(0);
          along.list.push_back(is_integer(list.dtype) ? static_cast<double>(integer_of(list, at)) : real_at(list, at));
        }
      }
    }
  }
  if (!all.empty()) return all;
  if (auto stated = stated_places(reading, signal, extent_of)) return *stated;
  return std::vector<Coordinates>(signal.axes());
}
bool has_places(const Reading& reading, const Hypothesis& hypothesis) {
  if (hypothesis.coordinates.size() != hypothesis.signal.axes()) return false;
  for (std::size_t a = 0; a < hypothesis.coordinates.size(); ++a) {
    const std::vector<double>& list = hypothesis.coordinates[a].list;
    if (!list.empty() && std::ssize(list) != reading.extents[hypothesis.extent_of[a]]) return false;
  }
  return true;
}

// Columns are the last axis.
bool usual(const Reading& reading) { return !reading.name.starts_with("[d"); }

struct Asked {
  Reading reading;
  Hypothesis hypothesis;
};
// Every way in which the tensor may be what is asked, the plain one first.
std::vector<Asked> all_asked(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  std::vector<Asked> all;
  for (const Reading& reading : readings_of(tensor, convention)) {
    for (const Signal& signal : signals_of(convention, reading.width, options, reading.places())) {
      const auto extent_of = extents_of(reading, signal);
      if (!extent_of) continue;
      Hypothesis hypothesis = {signal, *extent_of, asked_places(reading, signal, *extent_of, options)};
      if (has_places(reading, hypothesis)) all.push_back({reading, std::move(hypothesis)});
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

// ---- words -----------------------------------------------------------------------------------------

std::string fitted_words(const Fitted& number) {
  return to_text(number.value) + (number.simple.empty() ? "" : " = " + number.simple);
}

// Where the places of a candidate are not those that are asked.
std::vector<std::string> words_of_places(const Candidate& candidate, const std::vector<Coordinates>& asked) {
  std::vector<std::string> all;
  for (std::size_t a = 0; a < candidate.places.size() && a < asked.size(); ++a) {
    const AxisPlaces& place = candidate.places[a];
    const double first = place.first - asked[a].at(0), step = asked[a].list.empty() ? asked[a].step : place.step;
    const std::string axis = candidate.places.size() == 1 ? "" : "along " + place.axis + " ";
    if (place.step != step) {
      all.push_back(axis + "positions are from " + to_text(place.first) + " in steps of " + to_text(place.step) +
                    ", not of " + to_text(step));
    } else if (first != 0) {
      all.push_back(axis + "row p holds position p " + (first < 0 ? "- " : "+ ") + to_text(std::abs(first)) +
                    (asked[a].at(0) == 0 ? "" : " where the convention begins at " + to_text(asked[a].at(0))));
    }
  }
  return all;
}

std::vector<std::string> words_of_reading(const Candidate& candidate, bool usual) {
  std::vector<std::string> all;
  if (!usual) all.push_back("the tensor is transposed: its axes are " + candidate.reading);
  if (candidate.extra == 1) all.emplace_back("1 row in front belongs to no position");
  if (candidate.extra > 1) all.push_back(std::to_string(candidate.extra) + " rows in front belong to no position");
  for (const Fitted& number : candidate.fitted) {
    if (number.name == "scale" && number.value != 1)
      all.push_back("scaled by " + fitted_words(number) + ": divide by it");
  }
  return all;
}

// 500000, where the shortest text is 5e+05.
std::string digits(const std::string& number) {
  double value = 0;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), value);
  constexpr double longest = 1e15;
  const bool whole = end.ec == std::errc{} && end.ptr == number.data() + number.size() && std::abs(value) < longest &&
                     std::rint(value) == value;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : number;
}

bool ends_with_field(std::string_view path, std::string_view field) {
  return path == field || path.ends_with("." + std::string(field));
}

std::string in_words(std::string_view layout) {
  if (layout == "sine_first" || layout == "cosine_first") return "in halves (" + std::string(layout) + ")";
  return std::string(layout);
}

// "path: is, not asked" as the cure says it.
std::string words_of_field(const std::string& difference) {
  const std::size_t colon = difference.find(": "), comma = difference.rfind(", not ");
  if (colon == difference.npos || comma == difference.npos) return difference;
  const std::string path = difference.substr(0, colon), is = difference.substr(colon + 2, comma - colon - 2),
                    asked = difference.substr(comma + 6);
  if (ends_with_field(path, "base")) return "base is " + digits(is) + ", not " + digits(asked);
  if (path == "layout") {
    const std::string first =
        is == "cosine_first" || asked == "cosine_first" ? ": sines and cosines change places" : "";
    return "columns are " + in_words(is) + ", " + in_words(asked) + " asked" + first +
           ": permute with posenc convert --layout " + is + ":" + asked;
  }
  if (path == "pairing") {
    return "pairs are " + is + ", " + asked + " asked: permute with posenc convert --pairing " + is + ":" + asked;
  }
  if (path == "magnitude") return "magnitude is " + is + ", " + asked + " asked: multiply cosines and sines by it";
  if (path == "turn") return "turned " + is + ", " + asked + " asked: negate the sines";
  if (path.find("spacing") != path.npos && ends_with_field(path, "shift")) {
    return "ladder includes its end point by shift " + is + ", " + asked + " asked";
  }
  if (path.find("scaling") != path.npos) return "scaling is " + is + ", " + asked + " asked (" + path + ")";
  return path + " is " + is + ", " + asked + " asked";
}

// The ladder k / (n - 1) against 2k / d takes two fields; a reader knows it by one name.
bool end_point(const std::vector<std::string>& differences, bool to_end) {
  const std::string over = to_end ? "over: pairs, not width" : "over: width, not pairs";
  return std::ranges::any_of(differences, [&](const std::string& each) { return each.find(over) != each.npos; });
}

std::vector<std::string> words_of_fields(const Convention& is, const Convention& asked) {
  const std::vector<std::string> differing = differences(is, asked);
  std::vector<std::string> all;
  if (end_point(differing, true)) all.emplace_back("ladder includes its end point (k / (n - 1)), 2k / d asked");
  if (end_point(differing, false)) all.emplace_back("ladder leaves out its end point (2k / d), k / (n - 1) asked");
  for (const std::string& each : differing) {
    if (!all.empty() && each.find("spacing") != each.npos) continue;
    if (each.starts_with("axes.1")) continue;
    all.push_back(each.starts_with("axes.0") ? "x and y swapped (" + each + ")" : words_of_field(each));
  }
  return all;
}

// ---- trials ----------------------------------------------------------------------------------------

struct Trial {
  Convention convention;
  DiagnoseOptions options;
  std::vector<std::string> words;
};

// The convention at places and at a scale that the tensor shows.
std::optional<Diagnosis> elsewhere(const ConstView& tensor, const Trial& trial, std::span<const DType> storages) {
  const Tolerance tolerance = tolerance_of(storages.back());
  for (const Asked& asked : all_asked(tensor, trial.convention, trial.options)) {
    auto held = hold(asked.reading, asked.hypothesis.signal, tolerance, {});
    if (!held) continue;
    auto candidate = judge(asked.reading, std::move(*held), trial.convention, storages, trial.options);
    if (!candidate) continue;
    Diagnosis diagnosis = {false, std::nullopt, trial.words};
    for (auto& each : words_of_reading(*candidate, usual(asked.reading))) diagnosis.findings.push_back(std::move(each));
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
  const std::vector<AxisPlaces>& places = diagnosis.found->places;
  for (std::size_t a = 0; a < places.size(); ++a) {
    const std::vector<Coordinates>& asked = all.front().hypothesis.coordinates;
    if (a < asked.size() && asked[a].list.empty() && places[a].step != asked[a].step) return true;
  }
  return false;
}

void add_changed(const Trial& asked, std::initializer_list<FieldChange> changes, std::vector<Trial>& all) {
  if (check_changes(asked.convention, std::span(changes.begin(), changes.size()))) return;
  const Convention changed = detail::changed(asked.convention, std::span(changes.begin(), changes.size()));
  if (changed == asked.convention) return;
  all.push_back({changed, asked.options, words_of_fields(changed, asked.convention)});
}

// What ports get wrong most often, one field at a time.
std::vector<Trial> trials_of(const Trial& asked) {
  std::vector<Trial> all;
  for (const std::string_view layout : {"interleaved", "sine_first", "cosine_first"}) {
    add_changed(asked, {{"layout", layout}}, all);
  }
  add_changed(asked, {{"ladder.spacing.over", "pairs"}, {"ladder.spacing.shift", 1}}, all);
  add_changed(asked, {{"ladder.spacing.over", "width"}, {"ladder.spacing.shift", 0}}, all);
  add_changed(asked, {{"ladder.scaling", "none"}, {"magnitude", 1}}, all);
  add_changed(asked, {{"ladder.scaling", "none"}}, all);
  add_changed(asked, {{"magnitude", 1}}, all);
  if (axes_of(asked.convention) == std::vector<std::string>{"x", "y"}) add_changed(asked, {{"axes", "y,x"}}, all);
  if (axes_of(asked.convention) == std::vector<std::string>{"y", "x"}) add_changed(asked, {{"axes", "x,y"}}, all);
  constexpr std::int64_t longest = std::int64_t{1} << 20;
  if (detail::regime(asked.convention, longest) != detail::regime(asked.convention, 1)) {
    for (std::int64_t length = 1024; length <= longest; length *= 2) {
      Trial trial = asked;
      trial.options.context.length = length;
      trial.words = {"the frequencies are those of a length of " + std::to_string(length) +
                     ": state the length of the whole sequence"};
      all.push_back(std::move(trial));
    }
  }
  return all;
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
      for (auto& each : words_of_reading(candidate, true)) words.push_back(std::move(each));
      if (!row_of(is).places) {
        for (auto& each : words_of_places(candidate, zeros)) words.push_back(std::move(each));
      }
      if (words.empty()) continue;
      if (!best || rank(words) < rank(best->findings)) best = Diagnosis{false, candidate, std::move(words)};
    }
  }
  return best;
}

std::vector<std::string> faults_of(const std::vector<Asked>& all, DType storage) {
  for (const Asked& asked : all) {
    if (!usual(asked.reading)) continue;
    if (auto found = scale_fault(asked.reading, asked.hypothesis, storage)) return {*found};
    if (auto found = rounding_fault(asked.reading, asked.hypothesis, storage)) return {*found};
    if (auto found = damaged_rows(asked.reading, asked.hypothesis, storage); !found.empty()) return found;
  }
  return {};
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
      Diagnosis diagnosis = {false, std::nullopt, words_of_fields(is, convention)};
      for (auto& each : words_of_reading(*candidate, usual(asked.reading))) {
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
  if (auto problem = check_identify(tensor, options.identify)) return problem;
  if (auto problem = check_convention(convention)) return problem;
  if (auto problem = check_context(options.context)) return problem;
  if (!referee::gives(Use::coordinates, convention) && !referee::gives(Use::rotations, convention)) {
    return Problem{"diagnose", "the convention must be of rows or of rotations", std::string(family(convention))};
  }
  for (const Positions& positions : options.identify.positions) {
    const auto sizes = std::span(tensor.shape).first(static_cast<std::size_t>(tensor.rank));
    if (axes_of(convention).size() != 1 || std::ranges::find(sizes, positions.count_) != sizes.end()) continue;
    return Problem{"diagnose", "positions must be as many as an axis has, " + to_text(sizes),
                   std::to_string(positions.count_)};
  }
  if (options.dim < 0) return Problem{"diagnose", "dim must be 0 or the width asked for", std::to_string(options.dim)};
  if (options.dim > 0) return check_width(convention, options.dim);
  return std::nullopt;
}

Diagnosis detail::diagnose(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  using namespace referee;
  if (!is_real(tensor.dtype)) return {false, std::nullopt, {"the tensor holds whole numbers"}};
  const std::vector<DType> storages = storages_of(tensor);
  const std::vector<Asked> all = all_asked(tensor, convention, options);
  for (const Asked& asked : all) {
    if (asked.reading.extra > 0 || !usual(asked.reading)) continue;
    if (auto candidate = judge(asked.reading, {asked.hypothesis, {}}, convention, storages, options)) {
      return {true, std::move(candidate), {}};
    }
  }
  const Trial plain = {convention, options, {}};
  if (auto found = faults_of(all, storages.back()); !found.empty()) return {false, std::nullopt, found};
  // A linear scaling that was forgotten looks like positions in other steps, which few programs have.
  auto moved = elsewhere(tensor, plain, storages);
  if (moved && !stretched(*moved, all)) return *moved;
  for (const Trial& trial : trials_of(plain)) {
    const auto found = elsewhere(tensor, trial, storages);
    if (found && !(moved && stretched(*found, all))) return *found;
  }
  if (moved) return *moved;
  for (const Asked& asked : all) {
    if (!usual(asked.reading)) continue;
    auto found = damaged_columns(asked.reading, asked.hypothesis, storages.back());
    if (!found.empty()) return {false, std::nullopt, std::move(found)};
  }
  const auto named = identified(tensor, convention, options);
  const bool other_family = named && rank(named->findings).first;
  if (named && !other_family) return *named;
  if (auto found = refitted(tensor, convention, plain, storages)) return *found;
  if (named) return *named;
  if (all.empty()) return {false, std::nullopt, {"no axis of the tensor has the width of the convention's rows"}};
  std::string words = "no known fault explains these entries";
  if (const auto at = first_wrong(all.front().reading, all.front().hypothesis, storages.back())) {
    words += ": first wrong at place " + std::to_string(at->first) + ", column " + std::to_string(at->second);
  }
  return {false, std::nullopt, {words}};
}

std::string to_string(const Diagnosis& diagnosis) {
  std::string text = diagnosis.right ? "right\n" : "wrong\n";
  for (const std::string& each : diagnosis.findings) text += "  " + each + "\n";
  if (!diagnosis.found) return text;
  const Candidate& found = *diagnosis.found;
  text += "  exact: " + to_string(found.exact) + "\n";
  if (found.recipe != "exact") text += "  " + found.recipe + ": " + to_string(found.by_recipe) + "\n";
  return text;
}

}  // namespace posenc
