// SPDX-License-Identifier: Apache-2.0
// What the fields of Slopes mean, and the questions asked of every family.
#include "src/conventions/lower.h"

#include <array>
#include <bit>

#include "src/base/blocks.h"
#include "src/conventions/family_fields.h"
#include "src/conventions/problem.h"
#include "src/conventions/runs.h"
#include "src/plan/rounded_ladder.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

// 2^-e, e = octaves (h + 1) / P of the first P = 2^floor(log2 heads) heads, octaves (2 (h - P) + 1) / 2P of the others.
std::array<plan::Rule, 2> falling(double octaves, std::int64_t heads) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const auto rule = [&](std::int64_t first, std::int64_t count) {
    const Rational half_step = Rational(-octaves) * fraction(1, 2 * power);
    return plan::Rule{numerics::power(2, half_step * Rational(first)),
                      {{2, half_step * Rational(2)}},
                      static_cast<std::size_t>(count)};
  };
  return {rule(2, power), rule(1, heads - power)};
}

// The entries of a ladder rounded to bf16, times the scale.
plan::Ladder rounded_to_bf16(const plan::Ladder& slopes, const Real& scale) {
  std::vector<bfloat16> nearest;
  if (!plan::append_rounded(slopes, nearest)) return {std::vector<Real>(slopes.size(), numerics::undecided())};
  plan::Values values = {{}, scale};
  values.values.reserve(nearest.size());
  for (const bfloat16 slope : nearest) values.values.push_back(static_cast<double>(static_cast<float>(slope)));
  return {values};
}

Real scale_of(const Slopes& slopes, const LoweredFor& given) {
  if (const auto* number = std::get_if<double>(&slopes.scale)) return *number;
  const bool root = std::get<HeadScale>(slopes.scale) == HeadScale::sqrt_head;
  return numerics::power(Rational(given.width), fraction(root ? 1 : -1, 2));
}

// A family whose angles a recipe can round.
template <class Family>
concept HasLadders = requires(const Family& family) { family.ladders; };

template <class Family>
concept DependsOnGiven = requires(const Family& family, const LoweredFor& given) { lowering::check(family, given); };

plan::Distance distance_of(BiasValue value) {
  switch (value) {
    case BiasValue::key: return plan::Distance::key;
    case BiasValue::key_from_last: return plan::Distance::key_from_last;
    case BiasValue::causal: return plan::Distance::causal;
    default: return plan::Distance::minus_distance;
  }
}

}  // namespace

std::optional<Problem> lowering::check_count(std::string_view name, std::int64_t count) {
  if (count >= 1 && count <= schema::most_columns) return std::nullopt;
  return broken(std::string(name) + " must be 1 to 2^30", std::to_string(count));
}

std::optional<Problem> lowering::check(const Slopes& slopes, const LoweredFor& given) {
  if (auto problem = check_count("the number of heads", given.heads)) return problem;
  if (slopes.heads_beyond == HeadsBeyond::none && !std::has_single_bit(static_cast<std::uint64_t>(given.heads))) {
    return broken("the number of heads must be a power of two", std::to_string(given.heads));
  }
  if (std::holds_alternative<HeadScale>(slopes.scale) && given.width < 1) {
    return broken("the width of a head must be stated: the scale depends on it", "none");
  }
  return std::nullopt;
}

plan::HeadPlan lower_heads(const Convention& convention, const LoweredFor& given) {
  const Slopes& slopes = std::get<Slopes>(convention);
  const Real scale = scale_of(slopes, given);
  const bool rounded = slopes.slope_rounding == SlopeRounding::bf16;
  const auto ladder = [&](plan::Rule rule) {
    if (rounded) return rounded_to_bf16({rule}, scale);
    rule.first = scale * rule.first;
    return plan::Ladder{rule};
  };
  const auto [first, beyond] = falling(slopes.octaves, given.heads);
  return {ladder(first), ladder(beyond), distance_of(slopes.value),
          slopes.over == KeysCounted::present ? plan::Keys::present : plan::Keys::all};
}

// ---- of any family -------------------------------------------------------------------------------

std::optional<Problem> check_lower(const Convention& convention, const LoweredFor& given) {
  const DefaultEnvironment environment;  // a share of a head is a product in double
  if (auto problem = check_convention(convention)) return problem;
  if (auto problem = check_context(given.context)) return problem;
  const auto check = [&]<class Family>(const Family& family) -> std::optional<Problem> {
    if constexpr (DependsOnGiven<Family>) return lowering::check(family, given);
    return std::nullopt;
  };
  return std::visit(check, convention);
}

// That something given makes a plan: all that a convention may depend on besides its width is stated.
std::optional<Problem> check_width(const Convention& convention, std::int64_t dim) {
  return check_lower(convention, {.width = dim, .heads = dim, .context = {.length = 1, .centre = 0, .learned = 1}});
}

std::optional<Problem> check_steps(const Convention& convention, const Recipe& recipe) {
  if (recipe.exact()) return std::nullopt;
  const auto check = [&]<class Family>(const Family& family) -> std::optional<Problem> {
    if constexpr (!HasLadders<Family>) {
      return broken("the recipe must be exact for " + std::string(schema::of<Family>.name), recipe.name);
    } else {
      if (!recipe.steps) return std::nullopt;
      for (const Ladder& ladder : family.ladders) {
        if (auto problem = check_step_ladder(ladder, recipe)) return problem;
      }
      return std::nullopt;
    }
  };
  return std::visit(check, convention);
}

std::vector<StepLadder> lower_steps(const Convention& convention, const LoweredFor& given, const Steps& steps) {
  std::vector<StepLadder> made;
  const auto make = [&]<class Family>(const Family& family) {
    if constexpr (HasLadders<Family>) {
      const std::vector<Span> spans = lowering::spans(family, given);
      for (std::size_t axis = 0; axis < spans.size(); ++axis) {
        made.push_back(step_ladder(ladder_of(run_fields(family), axis), spans[axis], angle_factor(family), steps));
        if constexpr (std::is_same_v<Family, Rotary>) made.back().decay = lowering::step_decay(family, given);
        if constexpr (std::is_same_v<Family, Waves>) {
          made.back().output = lowering::step_scale(family, given, steps);
          if (const auto* phases = std::get_if<std::vector<double>>(&family.phases)) {
            made.back().phases = step_phases(*phases, ladder_of(run_fields(family), axis), steps);
          }
        }
      }
    }
  };
  std::visit(make, convention);
  return made;
}

}  // namespace posenc
