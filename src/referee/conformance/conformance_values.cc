// SPDX-License-Identifier: Apache-2.0
// What each case asks for, made by the public operations.
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>

#include "src/base/environment.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/conventions/lower.h"
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

std::optional<Problem> write_rows(const ConformanceCase& of, const CaseLists& lists, const Recipe& recipe,
                                  const View& out) {
  if (auto problem = Rows::check(of.convention, of.dim, {.recipe = recipe, .context = of.context})) return problem;
  return Rows(of.convention, of.dim, {.recipe = recipe, .context = of.context}).write_checked(lists.real, out, serial);
}

std::optional<Problem> write_rotations(const ConformanceCase& of, const CaseLists& lists, const Recipe& recipe,
                                       const View& out) {
  if (auto problem = RotaryRows::check(of.convention, of.dim, {.recipe = recipe, .context = of.context}))
    return problem;
  const RotaryRows rows(of.convention, of.dim, {.recipe = recipe, .context = of.context});
  for (std::int64_t i = 0; i < out.size(0) * of.dim; ++i) {
    const double value = of.head[static_cast<std::size_t>(i % of.dim)];
    if (out.dtype == DType::f64) {
      static_cast<double*>(out.data)[i] = value;
    } else {
      static_cast<float*>(out.data)[i] = static_cast<float>(value);
    }
  }
  const Rotated all[] = {Rotated(out, RotatedSide::query, TokenAxis::before_columns)};
  if (auto problem = rows.check_rotate(lists.real, all)) return problem;
  return rows.rotate_checked(lists.real, all, Direction::forward, serial);
}

std::optional<Problem> write_biases(const ConformanceCase& of, const CaseLists& lists, const View& out) {
  const LoweredFor given = {.width = of.head_width, .heads = of.dim};
  if (auto problem = check_use("conformance", ConventionUse::slopes, of.convention)) return problem;
  if (auto problem = check_lower(of.convention, given)) return problem;
  const std::vector<std::int64_t> present(of.positions[1].size(), 1);
  Context context = {.head = of.head_width};
  if (lower_heads(of.convention, given).keys == plan::Keys::present) {
    context.present = view(present.data(), {std::ssize(present)});
  }
  if (auto problem = check_bias(of.convention, lists.real[0], lists.real[1], out, {.context = context})) return problem;
  return detail::bias(of.convention, lists.real[0], lists.real[1], out, {.context = context});
}

std::optional<Problem> write_classes(const ConformanceCase& of, const CaseLists& lists, const View& out) {
  if (auto problem = check_buckets(of.convention, lists.integers[0], lists.integers[1], out)) return problem;
  detail::buckets(of.convention, lists.integers[0], lists.integers[1], out, serial);
  return std::nullopt;
}

std::optional<Problem> write_windows(const ConformanceCase& of, const View& out) {
  const GridSize window = {of.window[0], of.window[1]};
  if (auto problem = check_window_buckets(of.convention, window, out)) return problem;
  detail::window_buckets(of.convention, window, out, serial);
  return std::nullopt;
}

std::optional<Problem> write_log_coordinates(const ConformanceCase& of, const View& out) {
  if (auto problem = check_log_coordinates(of.convention, out)) return problem;
  return detail::log_coordinates(of.convention, out, serial);
}

std::optional<Problem> write_query_scales(const ConformanceCase& of, const CaseLists& lists, const View& out) {
  if (auto problem = check_query_scale(of.convention, lists.real[0], out)) return problem;
  return detail::query_scale(of.convention, lists.real[0], out, serial);
}

std::optional<Problem> write_stored_rows(const ConformanceCase& of, const CaseLists& lists, const View& out) {
  if (auto problem = check_learned_rows(of.convention, lists.integers, out)) return problem;
  detail::learned_rows(of.convention, lists.integers, out, serial);
  return std::nullopt;
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
  const CaseLists lists(of);
  switch (of.of) {
    case ConformanceOf::rows: return write_rows(of, lists, recipe, out);
    case ConformanceOf::rotations: return write_rotations(of, lists, recipe, out);
    case ConformanceOf::biases: return write_biases(of, lists, out);
    case ConformanceOf::classes: return write_classes(of, lists, out);
    case ConformanceOf::windows: return write_windows(of, out);
    case ConformanceOf::log_coordinates: return write_log_coordinates(of, out);
    case ConformanceOf::query_scales: return write_query_scales(of, lists, out);
    case ConformanceOf::stored_rows: return write_stored_rows(of, lists, out);
  }
  return Problem{"conformance", "what the case is of must be stated", "none"};
}

}  // namespace posenc
