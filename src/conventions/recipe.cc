// SPDX-License-Identifier: Apache-2.0
// The named recipes, and the rules of any recipe.
#include <posenc/recipe.h>

#include "src/conventions/named.h"

namespace posenc {
namespace {

constexpr DType f16 = DType::f16, f32 = DType::f32, f64 = DType::f64;
constexpr ScalingBy no_scaling = ScalingBy::none;
constexpr UnitAt in_ladder = UnitAt::ladder;
constexpr ScaleAt at_angle = ScaleAt::angle;

bool computes_in(DType type) { return type == f32 || type == f64; }

}  // namespace

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> all = {
      // ladder, constant, frequency, scaling, unit_at, angle, scale_at, sine, storage
      exact(),
      {"f32-exp", Steps{LadderBy::exp, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-exp-graph", Steps{LadderBy::exp, f32, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-exp-quotient", Steps{LadderBy::exp_quotient, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-divide", Steps{LadderBy::divide, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-reciprocal",
       Steps{LadderBy::reciprocal, f64, f32, ScalingBy::transformers, in_ladder, f32, at_angle, f32, {}}},
      {"f32-reciprocal-unit-position",
       Steps{LadderBy::reciprocal, f64, f32, ScalingBy::transformers, UnitAt::position, f32, at_angle, f32, {}}},
      {"f32-reciprocal-unit-angle",
       Steps{LadderBy::reciprocal, f64, f32, ScalingBy::transformers, UnitAt::angle, f32, at_angle, f32, {}}},
      {"f32-divide-unit-position",
       Steps{LadderBy::divide, f64, f32, no_scaling, UnitAt::position, f32, at_angle, f32, {}}},
      {"f32-power", Steps{LadderBy::power, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-power-of-linspace",
       Steps{LadderBy::power_of_linspace, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-octaves", Steps{LadderBy::octaves, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-exp-blend", Steps{LadderBy::exp_blend, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-iterated", Steps{LadderBy::iterated, f64, f32, no_scaling, in_ladder, f32, at_angle, f32, {}}},
      {"f32-exp-scaled-position",
       Steps{LadderBy::exp, f64, f32, no_scaling, in_ladder, f32, ScaleAt::position, f32, {}}},
      {"f32-exp-quotient-scaled-position",
       Steps{LadderBy::exp_quotient, f64, f32, no_scaling, in_ladder, f32, ScaleAt::position, f32, {}}},
      {"f64", Steps{LadderBy::reciprocal, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {}}},
      {"f64-exp", Steps{LadderBy::exp, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {}}},
      {"f64-divide", Steps{LadderBy::divide, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {}}},
      {"f64-to-f32", Steps{LadderBy::reciprocal, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {f32}}},
      {"f64-exp-to-f32", Steps{LadderBy::exp, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {f32}}},
      {"f64-divide-to-f32", Steps{LadderBy::divide, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {f32}}},
      {"f64-to-f16", Steps{LadderBy::exp, f64, f64, no_scaling, in_ladder, f64, at_angle, f64, {f32, f16}}},
  };
  return all;
}

const Recipe* find_recipe(std::string_view name) { return find_named(recipes(), name); }

std::optional<Problem> check_recipe(std::string_view name) {
  if (find_recipe(name) != nullptr) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Recipe& each : recipes()) names.push_back(each.name);
  return unknown_name("recipe", name, names);
}

std::string_view to_string(LadderBy ladder) {
  switch (ladder) {
    case LadderBy::exp: return "exp";
    case LadderBy::reciprocal: return "reciprocal";
    case LadderBy::divide: return "divide";
    case LadderBy::exp_quotient: return "exp_quotient";
    case LadderBy::power: return "power";
    case LadderBy::power_of_linspace: return "power_of_linspace";
    case LadderBy::octaves: return "octaves";
    case LadderBy::exp_blend: return "exp_blend";
    case LadderBy::iterated: return "iterated";
  }
  return "no ladder";
}

std::string_view to_string(ScalingBy scaling) {
  switch (scaling) {
    case ScalingBy::none: return "none";
    case ScalingBy::transformers: return "transformers";
  }
  return "no scaling";
}

std::string_view to_string(UnitAt at) {
  switch (at) {
    case UnitAt::ladder: return "ladder";
    case UnitAt::position: return "position";
    case UnitAt::angle: return "angle";
  }
  return "no place";
}

std::string_view to_string(ScaleAt at) {
  switch (at) {
    case ScaleAt::angle: return "angle";
    case ScaleAt::position: return "position";
  }
  return "no place";
}

std::string to_string(const Recipe& recipe) {
  if (recipe.exact()) return recipe.name + ": the real number, rounded once";
  const Steps& steps = *recipe.steps;
  std::string text = recipe.name + ": ladder by " + std::string(to_string(steps.ladder));
  const bool by_exp = to_string(steps.ladder).starts_with("exp");
  if (by_exp) text += " with its constant in " + std::string(to_string(steps.constant));
  text += ", frequency " + std::string(to_string(steps.frequency));
  if (steps.scaling == ScalingBy::transformers) text += ", scaled as transformers";
  if (steps.unit_at != UnitAt::ladder) text += ", the unit at the " + std::string(to_string(steps.unit_at));
  text += ", angle " + std::string(to_string(steps.angle));
  if (steps.scale_at == ScaleAt::position) text += " of the scaled position";
  text += ", sine " + std::string(to_string(steps.sine));
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
  if (to_string(steps.scaling).starts_with("no ")) return problem("scaling must be stated", "none");
  if (to_string(steps.unit_at).starts_with("no ")) return problem("unit_at must be stated", "none");
  if (to_string(steps.scale_at).starts_with("no ")) return problem("scale_at must be stated", "none");
  if (steps.scaling == ScalingBy::transformers && steps.ladder != LadderBy::reciprocal) {
    return problem("scaling as transformers must have ladder reciprocal", to_string(steps.ladder));
  }
  for (const DType type : {steps.constant, steps.frequency, steps.angle, steps.sine}) {
    if (!computes_in(type)) return problem("steps must be f32 or f64", to_string(type));
  }
  for (const DType type : steps.storage) {
    if (!is_real(type)) return problem("storage must be f32, f64, f16 or bf16", to_string(type));
  }
  return std::nullopt;
}

}  // namespace posenc
