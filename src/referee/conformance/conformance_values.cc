// SPDX-License-Identifier: Apache-2.0
// Predicts the values of a conformance case by its row of the table of operations.
#include <posenc/operation.h>
#include <posenc/referee/conformance.h>

#include "src/base/environment.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/referee/conformance/values.h"

namespace posenc {
namespace {

// Lists of a case: as they are, and as whole numbers.
struct CaseLists {
  std::vector<std::vector<std::int64_t>> whole;
  std::vector<Positions> real, integers;

  explicit CaseLists(const ConformanceCase& of) {
    whole.reserve(of.positions.size());
    for (const std::vector<double>& list : of.positions) {
      whole.emplace_back(list.begin(), list.end());
      real.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
      integers.push_back(Positions::list(view(whole.back().data(), {std::ssize(whole.back())})));
    }
  }
};

// Returns the use behind a kind of case; nothing if the kind is not set.
std::optional<ConventionUse> use_of_case(ConformanceOf of) {
  switch (of) {
    case ConformanceOf::rows: return ConventionUse::coordinates;
    case ConformanceOf::rotations: return ConventionUse::rotations;
    case ConformanceOf::biases: return ConventionUse::slopes;
    case ConformanceOf::classes: return ConventionUse::classes;
    case ConformanceOf::windows: return ConventionUse::windows;
    case ConformanceOf::log_coordinates: return ConventionUse::log_coordinates;
    case ConformanceOf::query_scales: return ConventionUse::query_scales;
    case ConformanceOf::stored_rows: return ConventionUse::stored_rows;
  }
  return std::nullopt;
}

// Fills every row with the head that the case rotates.
void fill_heads(const ConformanceCase& of, const View& out) {
  for (std::int64_t i = 0; i < out.size(0) * of.dim; ++i) {
    const double value = of.head[static_cast<std::size_t>(i % of.dim)];
    if (out.dtype == DType::f64) {
      static_cast<double*>(out.data)[i] = value;
    } else {
      static_cast<float*>(out.data)[i] = static_cast<float>(value);
    }
  }
}

}  // namespace

std::optional<Problem> check_conformance_values(const ConformanceCase& of, const Recipe& recipe, const View& out) {
  const DefaultEnvironment environment;
  if (auto problem = check_recipe(recipe)) return problem;
  if (auto problem = check_output("conformance", "out", out)) return problem;
  const std::span<const std::int64_t> shape = of.shape;
  if (shape_text(out) != to_text(shape)) {
    return Problem{"conformance", "out must have the shape of the case, " + to_text(shape), shape_text(out)};
  }
  const bool fits = of.whole() ? out.dtype == DType::i64 : out.dtype == DType::f32 || out.dtype == DType::f64;
  if (!fits) {
    return Problem{"conformance", of.whole() ? "out must be i64" : "out must be f32 or f64",
                   std::string(to_string(out.dtype))};
  }
  const bool has_recipes = of.of == ConformanceOf::rows || of.of == ConformanceOf::rotations;
  if (recipe.exact() || has_recipes) return std::nullopt;
  return Problem{"conformance", "the recipe must be exact for " + std::string(to_string(of.of)), recipe.name};
}

std::optional<Problem> write_conformance_values(const ConformanceCase& of, const Recipe& recipe, const View& out) {
  const DefaultEnvironment environment;
  const std::optional<ConventionUse> use = use_of_case(of.of);
  if (!use) return Problem{"conformance", "what the case is of must be stated", "none"};
  if (auto problem = check_use("conformance", *use, of.convention)) return problem;
  const CaseLists lists(of);
  const bool whole = operation_of(of.convention).elements == ElementKind::whole;
  OperationInputs inputs = {of.dim, whole ? lists.integers : lists.real};
  inputs.window = {of.window[0], of.window[1]};
  inputs.options = {.recipe = recipe, .context = of.context};
  if (of.of == ConformanceOf::biases) inputs.options.context.head = of.head_width;
  if (of.of == ConformanceOf::rotations) fill_heads(of, out);
  if (auto problem = check_write_numbers(of.convention, inputs, out)) return problem;
  return detail::write_numbers(of.convention, inputs, out);
}

}  // namespace posenc
