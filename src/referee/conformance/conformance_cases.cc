// SPDX-License-Identifier: Apache-2.0
// The cases: one a preset, at places that tell conventions and arithmetics apart.
#include <posenc/buckets.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>

#include <algorithm>
#include "src/base/blocks.h"
#include "src/base/environment.h"
#include "src/conventions/lower.h"

#include "src/referee/conformance/values.h"

namespace posenc {
namespace {

// 16777217 and 2147483649 are no f32; half-way cases and small ones tell origins and pairings.
const std::vector<double> case_places = {0,   1,    2,    3,     4,        5,          6,   7,      100,
                                         511, 1000, 4097, 65537, 16777217, 2147483649, 0.5, 1000.25};
constexpr double last_of_decay = 4097;
const std::vector<double> case_queries = {0, 1, 2, 5, 100, 5000}, case_keys = {0, 3, 5, 4999};
const std::vector<double> few_places = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::int64_t case_heads = 8, case_head_width = 64;
constexpr std::array<std::int64_t, 2> case_window = {3, 4};
// What a convention may depend on: nothing, or one of these.
constexpr Context case_contexts[] = {{}, {.length = 8192}, {.centre = 0}, {.learned = 1}};
constexpr std::int64_t case_widths[] = {32, 48, 64, 36, 24, 96, 128}, widest_case = 512;

// Those, then all others from the narrowest on: a listed ladder has one width.
std::int64_t case_width(std::int64_t number) {
  constexpr auto first = static_cast<std::int64_t>(std::size(case_widths));
  return number < first ? case_widths[number] : number - first + 1;
}

ConformanceCase case_of(const Preset& preset, ConformanceOf of) {
  return {.name = std::string(preset.name),
          .of = of,
          .convention = preset.convention,
          .original = preset.original,
          .dim = 0,
          .axes = {},
          .positions = {},
          .head = {},
          .window = {},
          .context = {},
          .head_width = 0,
          .shape = {}};
}

// Each axis has the same places in another order.
std::vector<std::vector<double>> on_axes(const std::vector<double>& list, std::size_t axes) {
  std::vector<std::vector<double>> all;
  for (std::size_t a = 0; a < axes; ++a) {
    std::vector<double> turned = list;
    std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(a % list.size()), turned.end());
    all.push_back(std::move(turned));
  }
  return all;
}

// The first width, with a context where none will do, that `check` admits under exact and under the original's recipe.
template <class Check>
bool find_width(ConformanceCase& made, const Check& check) {
  for (const Context& context : case_contexts) {
    for (std::int64_t number = 0; case_width(number) <= widest_case; ++number) {
      const std::int64_t width = case_width(number);
      if (check(width, exact(), context) || check(width, made.original, context)) continue;
      made.dim = width;
      made.context = context;
      return true;
    }
  }
  return false;
}

bool fill_rows(ConformanceCase& made) {
  const auto check = [&](std::int64_t width, const Recipe& recipe, const Context& context) {
    return Rows::check(made.convention, width, {.recipe = recipe, .context = context});
  };
  if (!find_width(made, check)) return false;
  made.axes = axes_of(made.convention);
  std::vector<double> list = case_places;
  for (const plan::Axis& axis : lower_rows(made.convention, {.width = made.dim, .context = made.context}).axes) {
    if (axis.of == plan::Axis::Of::logarithm) list[0] = 1.5;  // of 0 there is none
  }
  made.positions = on_axes(list, made.axes.size());
  made.shape = {std::ssize(list), columns(made.convention, made.dim)};
  return true;
}

bool fill_rotations(ConformanceCase& made) {
  const auto check = [&](std::int64_t width, const Recipe& recipe, const Context& context) {
    return RotaryRows::check(made.convention, width, {.recipe = recipe, .context = context});
  };
  if (!find_width(made, check)) return false;
  made.axes = axes_of(made.convention);
  const plan::PairPlan plan = lower_step_pairs(made.convention, {.width = made.dim, .context = made.context});
  std::vector<double> list = case_places;
  if (plan.decay) std::erase_if(list, [](double p) { return p > last_of_decay; });
  made.positions = on_axes(list, made.axes.size());
  made.head.assign(static_cast<std::size_t>(made.dim), 0);
  for (const plan::Pair& pair : plan.pairs) made.head[pair.read[0]] = 1;
  made.shape = {std::ssize(list), made.dim};
  return true;
}

bool fill_biases(ConformanceCase& made) {
  made.dim = case_heads;
  if (check_lower(made.convention, {.heads = case_heads})) made.head_width = case_head_width;
  made.axes = {"query", "key"};
  made.positions = {case_queries, case_keys};
  made.shape = {case_heads, std::ssize(case_queries), std::ssize(case_keys)};
  return true;
}

bool fill_classes(ConformanceCase& made) {
  made.axes = {"query", "key"};
  made.positions = {case_queries, case_keys};
  made.shape = {std::ssize(case_queries), std::ssize(case_keys)};
  return true;
}

bool fill_windows(ConformanceCase& made) {
  made.window = case_window;
  const std::int64_t count = window_places(made.convention, {case_window[0], case_window[1]});
  made.shape = {count, count};
  return true;
}

bool fill_log_coordinates(ConformanceCase& made) {
  made.window = case_window;
  made.shape = {2 * case_window[0] - 1, 2 * case_window[1] - 1, 2};
  return true;
}

bool fill_query_scales(ConformanceCase& made) {
  made.axes = {"query"};
  made.positions = {case_places};
  made.shape = {std::ssize(case_places)};
  return true;
}

bool fill_stored_rows(ConformanceCase& made) {
  made.axes = axes_of(made.convention);
  made.positions = on_axes(few_places, made.axes.size());
  const std::int64_t tables = lower_index(made.convention).tables();
  made.shape = {std::ssize(few_places)};
  if (tables > 1) made.shape.push_back(tables);
  return true;
}

struct CaseRow {
  ConventionUse use;
  ConformanceOf of;
  bool (*fill)(ConformanceCase&);
};
constexpr CaseRow case_rows[] = {{ConventionUse::coordinates, ConformanceOf::rows, fill_rows},
                                 {ConventionUse::rotations, ConformanceOf::rotations, fill_rotations},
                                 {ConventionUse::slopes, ConformanceOf::biases, fill_biases},
                                 {ConventionUse::classes, ConformanceOf::classes, fill_classes},
                                 {ConventionUse::windows, ConformanceOf::windows, fill_windows},
                                 {ConventionUse::log_coordinates, ConformanceOf::log_coordinates, fill_log_coordinates},
                                 {ConventionUse::query_scales, ConformanceOf::query_scales, fill_query_scales},
                                 {ConventionUse::stored_rows, ConformanceOf::stored_rows, fill_stored_rows}};

struct MadeCase {
  std::optional<ConformanceCase> made;
  std::string reason;  // why there is none
};

MadeCase made_case(const Preset& preset) {
  for (const CaseRow& row : case_rows) {
    if (check_use("conformance", row.use, preset.convention)) continue;
    ConformanceCase made = case_of(preset, row.of);
    if (!row.fill(made)) return {std::nullopt, "no width of the list serves it"};
    referee::Values values(made.whole() ? DType::i64 : DType::f32, made.shape);
    if (auto problem = check_conformance_values(made, exact(), values.view())) return {std::nullopt, problem->rule};
    if (auto problem = write_conformance_values(made, exact(), values.view())) return {std::nullopt, problem->rule};
    return {std::move(made), ""};
  }
  return {std::nullopt, "nothing computes it"};
}

}  // namespace

ConformanceCases conformance_cases() {
  const DefaultEnvironment environment;
  ConformanceCases all;
  for (const Preset& preset : presets()) {
    MadeCase found = made_case(preset);
    if (found.made) {
      all.cases.push_back(std::move(*found.made));
    } else {
      all.without.push_back({std::string(preset.name), std::move(found.reason)});
    }
  }
  return all;
}

std::optional<Problem> check_conformance_case(std::string_view name) {
  const DefaultEnvironment environment;
  if (auto problem = check_preset(name)) return problem;
  const MadeCase found = made_case(*find_preset(name));
  if (found.made) return std::nullopt;
  return Problem{"conformance", "the preset must have a case", std::string(name) + ": " + found.reason};
}

std::optional<ConformanceCase> detail::conformance_case(std::string_view name) {
  const DefaultEnvironment environment;
  const Preset* preset = find_preset(name);
  return preset == nullptr ? std::nullopt : made_case(*preset).made;
}

}  // namespace posenc
