// SPDX-License-Identifier: Apache-2.0
// Scores: an answer beside the exact values, those of the recipe, and those of other presets.
#include <posenc/referee/conformance.h>
#include <posenc/referee/diagnose.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/environment.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/numerics/evaluate.h"
#include "src/referee/bound.h"
#include "src/referee/conformance/values.h"

namespace posenc {

std::string_view to_string(ConformanceOf of) {
  const DefaultEnvironment environment;
  switch (of) {
    case ConformanceOf::rows: return "rows";
    case ConformanceOf::rotations: return "rotations";
    case ConformanceOf::biases: return "biases";
    case ConformanceOf::classes: return "classes";
    case ConformanceOf::windows: return "windows";
    case ConformanceOf::log_coordinates: return "log_coordinates";
    case ConformanceOf::query_scales: return "query_scales";
    case ConformanceOf::stored_rows: return "stored_rows";
  }
  return "nothing";
}

std::string_view to_string(Conformity conformity) {
  const DefaultEnvironment environment;
  switch (conformity) {
    case Conformity::exact: return "exact";
    case Conformity::recipe: return "recipe";
    case Conformity::faithful: return "faithful";
    case Conformity::drifting: return "drifting";
    case Conformity::wrong: return "wrong";
  }
  return "none";
}

namespace {

using referee::bound_of;
using referee::entry_kind_of;
using referee::EntryBound;
using referee::Values;

// Elements as doubles, in row-major order, and their bits.
struct Flat {
  std::vector<double> values;
  std::vector<std::uint64_t> bits;
};

Flat flat(const ConstView& view) {
  Flat made;
  const auto visit = [&](const auto& self, int axis, std::int64_t offset) -> void {
    if (axis < view.rank) {
      for (std::int64_t i = 0; i < view.size(axis); ++i) self(self, axis + 1, offset + i * view.stride(axis));
      return;
    }
    if (view.dtype == DType::f64) {
      made.values.push_back(static_cast<const double*>(view.data)[offset]);
      made.bits.push_back(std::bit_cast<std::uint64_t>(made.values.back()));
    } else if (view.dtype == DType::f32) {
      const float value = static_cast<const float*>(view.data)[offset];
      made.values.push_back(static_cast<double>(value));
      made.bits.push_back(std::bit_cast<std::uint32_t>(value));
    } else {
      const std::int64_t value = integer_of(view, offset);
      made.values.push_back(static_cast<double>(value));
      made.bits.push_back(static_cast<std::uint64_t>(value));
    }
  };
  visit(visit, 0, 0);
  return made;
}

// The values of a case; nothing where the recipe or the type does not serve.
std::optional<Flat> made_values(const ConformanceCase& of, const Recipe& recipe, DType type) {
  Values values(type, of.shape);
  if (check_conformance_values(of, recipe, values.view())) return std::nullopt;
  if (write_conformance_values(of, recipe, values.view())) return std::nullopt;
  return flat(values.view());
}

bool begins_with(const std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

double unit_of_f32(double value) {
  constexpr int least = -126, below = 23;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| < 2^exponent
  return std::ldexp(1.0, (value == 0 ? least : std::max(exponent - 1, least)) - below);
}

// The largest size of a frequency of each axis: the first or the last of its ladder.
std::vector<double> largest_frequencies(const std::vector<plan::Ladder>& ladders) {
  std::vector<double> all;
  for (const plan::Ladder& ladder : ladders) {
    double largest = 0;
    for (const std::size_t k : {std::size_t{0}, ladder.size() - 1}) {
      if (ladder.size() == 0) continue;
      largest = std::max(largest, std::abs(numerics::rounded<double>(ladder[k]).value_or(0)));
    }
    all.push_back(largest);
  }
  return all;
}

// Returns the tolerance of an entry of size 1 at each place that angles of f32 explain; empty if there are no angles.
std::vector<double> explained_by_angles(const ConformanceCase& of) {
  const LoweredFor given = {.width = of.dim, .context = of.context};
  std::vector<double> largest;
  if (of.of == ConformanceOf::rows) largest = largest_frequencies(lower_rows(of.convention, given).ladders);
  if (of.of == ConformanceOf::rotations) largest = largest_frequencies(lower_pairs(of.convention, given).ladders);
  if (largest.empty()) return {};
  std::vector<double> allowed(of.positions[0].size(), 0x1p-20);
  for (std::size_t a = 0; a < of.positions.size(); ++a) {
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      allowed[i] += 0x1p-21 * std::abs(of.positions[a][i]) * largest[std::min(a, largest.size() - 1)];
    }
  }
  return allowed;
}

// The size of a place: that of its largest coordinate.
double size_of_place(const ConformanceCase& of, std::size_t i) {
  double size = 0;
  for (const std::vector<double>& list : of.positions) size = std::max(size, std::abs(list[i]));
  return size;
}

struct Judged {
  ConformanceScore score;
  bool drifts;  // no further away than arithmetic in f32 explains
};

Judged judged(const ConformanceCase& of, const Flat& answer, const Flat& exact_values) {
  const bool by_place = of.of == ConformanceOf::rows || of.of == ConformanceOf::rotations;
  const std::vector<double> by_angles = explained_by_angles(of);
  const EntryBound bound = bound_of(entry_kind_of(of.convention), DType::f32, 1);  // used where there are no angles
  const std::size_t per_place = by_place ? exact_values.values.size() / of.positions[0].size() : answer.values.size();
  Judged made = {
      {Conformity::faithful, static_cast<std::int64_t>(answer.values.size() / per_place), 0, 0, {}, {}, {}, {}}, true};
  std::size_t furthest = 0;
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    const double exact_value = exact_values.values[i];
    double distance = std::abs(answer.values[i] - exact_value);
    if (!std::isfinite(answer.values[i])) distance = std::numeric_limits<double>::infinity();
    const double units = distance / unit_of_f32(exact_value);
    if (distance > made.score.distance) {
      made.score.distance = distance;
      furthest = i;
    }
    made.score.units = std::max(made.score.units, units);
    if (units <= 1) continue;
    made.score.conformity = Conformity::wrong;
    const double explained =
        by_place ? by_angles[i / per_place] * std::max(1.0, std::abs(exact_value)) : bound.at(exact_value);
    if (!(distance <= explained)) made.drifts = false;
    if (!by_place) continue;
    const double place = size_of_place(of, i / per_place);
    made.score.from = std::min(made.score.from.value_or(place), place);
  }
  if (made.score.conformity == Conformity::wrong && made.drifts) made.score.conformity = Conformity::drifting;
  if (made.score.distance > 0) {
    for (std::size_t axis = of.shape.size(); axis-- > 0;) {
      made.score.index.insert(made.score.index.begin(), static_cast<std::int64_t>(furthest) % of.shape[axis]);
      furthest /= static_cast<std::size_t>(of.shape[axis]);
    }
  }
  return made;
}

// Presets at the same places of which the answer is no wrong one.
std::vector<std::string> better_of(const ConformanceCase& of, const Flat& answer) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    ConformanceCase other = of;
    other.name = std::string(preset.name);
    other.convention = preset.convention;
    if (preset.convention == of.convention || axes_of(other.convention).size() != axes_of(of.convention).size())
      continue;
    if (of.of == ConformanceOf::rows &&
        (check_use("conformance", ConventionUse::coordinates, other.convention) ||
         check_width(other.convention, of.dim) || columns(other.convention, of.dim) != of.shape[1])) {
      continue;
    }
    if (of.of == ConformanceOf::rotations && check_use("conformance", ConventionUse::rotations, other.convention))
      continue;
    std::optional<Flat> values = made_values(other, exact(), of.whole() ? DType::i64 : DType::f64);
    if (!values) continue;
    if (judged(other, answer, *values).score.conformity < Conformity::wrong) names.push_back(other.name);
  }
  return names;
}

// The first places, which follow each other on every axis, near 0 where entries tell conventions from arithmetics.
struct NearPlaces {
  std::vector<std::size_t> numbers;
  std::vector<std::vector<double>> coordinates;  // of each axis
  std::vector<double> entries;                   // row by row
  ConstView rows(std::size_t columns) const {
    return view(entries.data(), {std::ssize(numbers), static_cast<std::int64_t>(columns)});
  }
  Positions places(std::size_t axis) const {
    return Positions::list(view(coordinates[axis].data(), {std::ssize(numbers)}));
  }
};

NearPlaces near_places(const ConformanceCase& of, const Flat& answer) {
  const auto columns = static_cast<std::size_t>(of.shape[1]);
  NearPlaces made = {{}, std::vector<std::vector<double>>(of.positions.size()), {}};
  const auto goes_on = [&](std::size_t i) {
    return i == 0 || std::ranges::all_of(of.positions, [&](const auto& list) { return list[i] == list[i - 1] + 1; });
  };
  for (std::size_t i = 0; i < answer.values.size() / columns && goes_on(i); ++i) {
    made.numbers.push_back(i);
    for (std::size_t a = 0; a < of.positions.size(); ++a) made.coordinates[a].push_back(of.positions[a][i]);
    const auto row = answer.values.begin() + static_cast<std::ptrdiff_t>(i * columns);
    made.entries.insert(made.entries.end(), row, row + of.shape[1]);
  }
  return made;
}

// "it is rope-half, ladders.0.base: 500000, not 10000".
std::vector<std::string> words_of(const Identification& found) {
  std::vector<std::string> words;
  for (const Candidate& each : found.candidates) {
    const Preset* row = each.presets.empty() ? nullptr : find_preset(each.presets.front());
    std::string text(row == nullptr ? family(each.convention) : row->name);
    if (row != nullptr) {
      for (const std::string& difference : differences(each.convention, row->convention)) text += ", " + difference;
    }
    words.push_back("it is " + text + (each.form == "rotation backward" ? ", backward" : ""));
  }
  return words;
}

std::vector<std::string> findings_of_rows(const ConformanceCase& of, const Flat& answer) {
  const NearPlaces near = near_places(of, answer);
  DiagnoseOptions options = {.dim = of.dim, .context = of.context};
  for (std::size_t a = 0; a < of.positions.size(); ++a) options.identify.positions.push_back(near.places(a));
  const ConstView rows = near.rows(static_cast<std::size_t>(of.shape[1]));
  if (check_diagnose(rows, of.convention, options)) return {};
  const Diagnosis told = diagnose(rows, of.convention, options);
  if (told.right || told.explained > 0) return told.findings;
  return words_of(identify(rows, options.identify));
}

std::vector<std::string> findings_of_rotations(const ConformanceCase& of, const Flat& answer) {
  if (of.positions.size() != 1) return {};
  const NearPlaces near = near_places(of, answer);
  std::vector<double> heads;
  for (std::size_t i = 0; i < near.numbers.size(); ++i) heads.insert(heads.end(), of.head.begin(), of.head.end());
  const ConstView after = near.rows(of.head.size());
  const ConstView before = view(std::as_const(heads).data(), {after.size(0), after.size(1)});
  const Positions places = near.places(0);
  if (check_identify_rotation(before, after, places)) return {};
  return words_of(identify_rotation(before, after, places));
}

}  // namespace

std::optional<Problem> check_conformance_score(const ConformanceCase& of, const ConstView& answer) {
  const DefaultEnvironment environment;
  if (auto problem = check_view("conformance", "the answer", answer)) return problem;
  std::vector<std::int64_t> shape = of.shape;
  const bool by_place = of.of == ConformanceOf::rows || of.of == ConformanceOf::rotations;
  if (by_place && answer.rank > 0 && answer.size(0) > 0) shape[0] = std::min(shape[0], answer.size(0));
  if (shape_text(answer) != to_text(std::span<const std::int64_t>(shape))) {
    return Problem{"conformance", "the answer must have shape " + to_text(std::span<const std::int64_t>(of.shape)),
                   shape_text(answer)};
  }
  const bool fits = of.whole() ? is_integer(answer.dtype) : answer.dtype == DType::f32 || answer.dtype == DType::f64;
  if (fits) return std::nullopt;
  return Problem{"conformance", of.whole() ? "the answer must be i32 or i64" : "the answer must be f32 or f64",
                 std::string(to_string(answer.dtype))};
}

ConformanceScore detail::conformance_score(const ConformanceCase& of, const ConstView& answer) {
  const DefaultEnvironment environment;
  const DType own = of.whole() ? DType::i64 : answer.dtype;
  const Flat given = flat(answer);
  const std::optional<Flat> same_type = made_values(of, exact(), own);
  std::optional<Flat> widest = of.whole() ? same_type : made_values(of, exact(), DType::f64);
  if (!widest) widest = made_values(of, exact(), DType::f32);
  Judged made = judged(of, given, *widest);
  if (same_type && begins_with(same_type->bits, given.bits)) {
    made.score.conformity = Conformity::exact;
    return made.score;
  }
  const std::optional<Flat> by_recipe = of.original.exact() ? std::nullopt : made_values(of, of.original, own);
  if (by_recipe && begins_with(by_recipe->bits, given.bits)) {
    made.score.conformity = Conformity::recipe;
  } else if (made.score.conformity == Conformity::wrong) {
    made.score.instead = better_of(of, given);
    const bool known = !made.score.instead.empty();
    if (of.of == ConformanceOf::rows && !known) made.score.findings = findings_of_rows(of, given);
    if (of.of == ConformanceOf::rotations && !known) made.score.findings = findings_of_rotations(of, given);
  }
  return made.score;
}

}  // namespace posenc
