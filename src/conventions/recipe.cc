// SPDX-License-Identifier: Apache-2.0
// The named recipes, and the rules of any recipe.
#include <posenc/recipe.h>

#include "src/base/made_once.h"
#include "src/conventions/arithmetic.h"
#include "src/conventions/named.h"

namespace posenc {
namespace {

constexpr DType f16 = DType::f16, f32 = DType::f32, f64 = DType::f64;

// Every operation in that type, constants in f64.
Steps all_in(DType type, LadderBy ladder) {
  return {ladder,         f64,           type, ScalingBy::none, UnitAt::ladder, type,
          ScaleAt::angle, Sums::rounded, type, DecayBy::none,   type,           {}};
}
template <class T>
Steps with(Steps steps, T Steps::* field, T value) {
  steps.*field = std::move(value);
  return steps;
}
Steps at(UnitAt place, Steps steps) { return with(std::move(steps), &Steps::unit_at, place); }
Steps at(ScaleAt place, Steps steps) { return with(std::move(steps), &Steps::scale_at, place); }
Steps fused(Steps steps) { return with(std::move(steps), &Steps::sums, Sums::fused); }
Steps stored(std::vector<DType> types, Steps steps) {
  return with(std::move(steps), &Steps::storage, std::move(types));
}
Steps sine_in_f32(Steps steps) {
  steps.argument = steps.sine = f32;
  return steps;
}
Steps constant_in_f32(LadderBy ladder) { return with(all_in(f32, ladder), &Steps::constant, f32); }

// As transformers scales a ladder, and as most decay.
Steps by_reciprocal() {
  Steps steps = all_in(f32, LadderBy::reciprocal);
  steps.scaling = ScalingBy::transformers, steps.decay = DecayBy::reciprocal;
  return steps;
}

bool computes_in(DType type) { return type == f32 || type == f64; }

// Whose entries are made one by one from e_k?
bool has_frequencies(LadderBy by) { return by_exp(by) || by == LadderBy::reciprocal || by == LadderBy::power; }

std::vector<Recipe> make_recipes() {
  return {
      exact(),
      {"f32-exp", all_in(f32, LadderBy::exp)},
      {"f32-exp-graph", constant_in_f32(LadderBy::exp)},
      {"f32-exp-quotient", all_in(f32, LadderBy::exp_quotient)},
      {"f32-divide", all_in(f32, LadderBy::divide)},
      {"f32-reciprocal", by_reciprocal()},
      {"f32-reciprocal-unit-position", at(UnitAt::position, by_reciprocal())},
      {"f32-reciprocal-unit-angle", at(UnitAt::angle, by_reciprocal())},
      {"f32-reciprocal-fused", fused(by_reciprocal())},
      {"f32-reciprocal-decay-quotient", with(by_reciprocal(), &Steps::decay, DecayBy::quotient)},
      {"f32-divide-unit-position", at(UnitAt::position, all_in(f32, LadderBy::divide))},
      {"f32-divide-of-linspace-unit-position", fused(at(UnitAt::position, all_in(f32, LadderBy::divide_of_linspace)))},
      {"f32-power", with(all_in(f32, LadderBy::power), &Steps::scaling, ScalingBy::quotient)},
      {"f32-power-of-linspace", all_in(f32, LadderBy::power_of_linspace)},
      {"f32-power-of-linspace-fused", fused(all_in(f32, LadderBy::power_of_linspace))},
      {"f32-octaves", all_in(f32, LadderBy::octaves)},
      {"f32-exp2", constant_in_f32(LadderBy::exp2)},
      {"f32-exp-blend", all_in(f32, LadderBy::exp_blend)},
      {"f32-iterated", all_in(f32, LadderBy::iterated)},
      {"f32-exp-scaled-position", at(ScaleAt::position, all_in(f32, LadderBy::exp))},
      {"f32-exp-quotient-scaled-position", at(ScaleAt::position, all_in(f32, LadderBy::exp_quotient))},
      {"f64", all_in(f64, LadderBy::reciprocal)},
      {"f64-exp", all_in(f64, LadderBy::exp)},
      {"f64-divide", all_in(f64, LadderBy::divide)},
      {"f64-to-f32", stored({f32}, all_in(f64, LadderBy::reciprocal))},
      {"f64-exp-to-f32", stored({f32}, all_in(f64, LadderBy::exp))},
      {"f64-divide-to-f32", stored({f32}, all_in(f64, LadderBy::divide))},
      {"f64-angle-to-f32", sine_in_f32(all_in(f64, LadderBy::reciprocal))},
      {"f64-to-f16", stored({f32, f16}, all_in(f64, LadderBy::exp))},
      phase(),
  };
}

}  // namespace

std::span<const Recipe> recipes() { return made_once<make_recipes>(); }

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
    case LadderBy::exp2: return "exp2";
    case LadderBy::divide_of_linspace: return "divide_of_linspace";
  }
  return "no ladder";
}

std::string_view to_string(ScalingBy scaling) {
  switch (scaling) {
    case ScalingBy::none: return "none";
    case ScalingBy::transformers: return "transformers";
    case ScalingBy::quotient: return "quotient";
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

std::string_view to_string(Sums sums) {
  switch (sums) {
    case Sums::rounded: return "rounded";
    case Sums::fused: return "fused";
  }
  return "no sums";
}

std::string_view to_string(DecayBy decay) {
  switch (decay) {
    case DecayBy::none: return "none";
    case DecayBy::reciprocal: return "reciprocal";
    case DecayBy::quotient: return "quotient";
  }
  return "no decay";
}

std::string to_string(const Recipe& recipe) {
  if (recipe.exact()) return recipe.name + ": the real number, rounded once";
  if (!recipe.steps) {
    return recipe.name +
           ": angles as whole numbers of 2^-64 turns, waves by whole numbers within 2^-29, rounded to f32";
  }
  const Steps& steps = *recipe.steps;
  std::string text = recipe.name + ": ladder by " + std::string(to_string(steps.ladder));
  if (by_exp(steps.ladder)) text += " with its constant in " + std::string(to_string(steps.constant));
  text += ", frequency " + std::string(to_string(steps.frequency));
  if (steps.scaling == ScalingBy::transformers) text += ", scaled as transformers";
  if (steps.scaling == ScalingBy::quotient) text += ", scaled by a quotient";
  if (steps.unit_at != UnitAt::ladder) text += ", the unit at the " + std::string(to_string(steps.unit_at));
  text += ", angle " + std::string(to_string(steps.angle));
  if (steps.scale_at == ScaleAt::position) text += " of the scaled position";
  if (steps.sums == Sums::fused) text += ", sums fused";
  if (steps.argument != steps.angle) text += ", rounded to " + std::string(to_string(steps.argument));
  text += ", sine " + std::string(to_string(steps.sine));
  if (steps.decay != DecayBy::none) text += ", decay of keys by " + std::string(to_string(steps.decay));
  if (!steps.storage.empty()) {
    text += ", stored as " + listed(steps.storage, [](DType type) { return std::string(to_string(type)); });
  }
  return text;
}

std::optional<Problem> check_recipe(const Recipe& recipe) {
  const auto problem = [](std::string rule, std::string_view value) {
    return Problem{"recipe", std::move(rule), std::string(value)};
  };
  if (recipe.real_by != RealBy::rounding && recipe.real_by != RealBy::phase) {
    return problem("real_by must be rounding or phase", "none");
  }
  if (!recipe.steps) return std::nullopt;
  if (recipe.real_by != RealBy::rounding) return problem("real_by must be rounding beside steps", "phase");
  const Steps& steps = *recipe.steps;
  if (to_string(steps.ladder).starts_with("no ")) return problem("ladder must be stated", "none");
  if (to_string(steps.scaling).starts_with("no ")) return problem("scaling must be stated", "none");
  if (to_string(steps.unit_at).starts_with("no ")) return problem("unit_at must be stated", "none");
  if (to_string(steps.scale_at).starts_with("no ")) return problem("scale_at must be stated", "none");
  if (to_string(steps.sums).starts_with("no ")) return problem("sums must be stated", "none");
  if (to_string(steps.decay).starts_with("no ")) return problem("decay must be stated", "none");
  if (steps.scaling == ScalingBy::transformers && steps.ladder != LadderBy::reciprocal) {
    return problem("scaling as transformers must have ladder reciprocal", to_string(steps.ladder));
  }
  if (steps.scaling == ScalingBy::quotient && !has_frequencies(steps.ladder)) {
    return problem("scaling by a quotient must have a ladder of frequencies", to_string(steps.ladder));
  }
  for (const DType type : {steps.constant, steps.frequency, steps.angle, steps.argument, steps.sine}) {
    if (!computes_in(type)) return problem("steps must be f32 or f64", to_string(type));
  }
  for (const DType type : steps.storage) {
    if (!is_real(type)) return problem("storage must be f32, f64, f16 or bf16", to_string(type));
  }
  return std::nullopt;
}

}  // namespace posenc
