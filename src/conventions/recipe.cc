// SPDX-License-Identifier: Apache-2.0
// The named recipes, and the rules of any recipe.
#include <posenc/recipe.h>

#include "src/conventions/named.h"

namespace posenc {
namespace {

constexpr DType f16 = DType::f16, f32 = DType::f32, f64 = DType::f64;

bool computes_in(DType type) { return type == f32 || type == f64; }

}  // namespace

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> all = {
      // ladder, constant, frequency, angle, sine, storage
      exact(),
      {"f32-exp", Steps{LadderBy::exp, f64, f32, f32, f32, {}}},
      {"f32-exp-graph", Steps{LadderBy::exp, f32, f32, f32, f32, {}}},
      {"f32-exp-quotient", Steps{LadderBy::exp_quotient, f64, f32, f32, f32, {}}},
      {"f32-divide", Steps{LadderBy::divide, f64, f32, f32, f32, {}}},
      {"f32-reciprocal", Steps{LadderBy::reciprocal, f64, f32, f32, f32, {}}},
      {"f64", Steps{LadderBy::reciprocal, f64, f64, f64, f64, {}}},
      {"f64-exp", Steps{LadderBy::exp, f64, f64, f64, f64, {}}},
      {"f64-divide", Steps{LadderBy::divide, f64, f64, f64, f64, {}}},
      {"f64-to-f32", Steps{LadderBy::reciprocal, f64, f64, f64, f64, {f32}}},
      {"f64-exp-to-f32", Steps{LadderBy::exp, f64, f64, f64, f64, {f32}}},
      {"f64-divide-to-f32", Steps{LadderBy::divide, f64, f64, f64, f64, {f32}}},
      {"f64-to-f16", Steps{LadderBy::exp, f64, f64, f64, f64, {f32, f16}}},
  };
  return all;
}

const Recipe* find_recipe(std::string_view name) { return find_named(recipes(), name); }

std::optional<Problem> check_recipe(std::string_view name) { return check_named("recipe", recipes(), name); }

std::string_view to_string(LadderBy ladder) {
  switch (ladder) {
    case LadderBy::exp: return "exp";
    case LadderBy::reciprocal: return "reciprocal";
    case LadderBy::divide: return "divide";
    case LadderBy::exp_quotient: return "exp_quotient";
  }
  return "no ladder";
}

std::string to_string(const Recipe& recipe) {
  if (recipe.exact()) return recipe.name + ": the real number, rounded once";
  const Steps& steps = *recipe.steps;
  std::string text = recipe.name + ": ladder by " + std::string(to_string(steps.ladder));
  const bool by_exp = steps.ladder == LadderBy::exp || steps.ladder == LadderBy::exp_quotient;
  if (by_exp) text += " with its constant in " + std::string(to_string(steps.constant));
  text += ", frequency " + std::string(to_string(steps.frequency)) + ", angle " + std::string(to_string(steps.angle)) +
          ", sine " + std::string(to_string(steps.sine));
  if (!steps.storage.empty()) {
    text += ", stored as " + listed(steps.storage, [](DType type) { return std::string(to_string(type)); });
  }
  return text;
}

std::optional<Problem> check_recipe(const Recipe& recipe) {
  if (recipe.exact()) return std::nullopt;
  const Steps& steps = *recipe.steps;
  const auto problem = [](std::string rule, std::string_view value) {
    return Problem{"recipe", std::move(rule), std::string(value)};
  };
  if (to_string(steps.ladder).starts_with("no ")) return problem("ladder must be stated", "none");
  for (const DType type : {steps.constant, steps.frequency, steps.angle, steps.sine}) {
    if (!computes_in(type)) return problem("steps must be f32 or f64", to_string(type));
  }
  for (const DType type : steps.storage) {
    if (!is_real(type)) return problem("storage must be f32, f64, f16 or bf16", to_string(type));
  }
  return std::nullopt;
}

}  // namespace posenc
