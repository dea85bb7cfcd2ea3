// SPDX-License-Identifier: Apache-2.0
// Recipes at work. Sums, products and quotients of two f32 numbers are formed in f64 and rounded to f32: its 53 bits
// exceed 2 * 24 + 2, so the result is that of one rounding.
#include "src/conventions/arithmetic.h"

#include <cmath>

namespace posenc {
namespace {

// Elementary functions in f32 or f64.
std::optional<double> log_of(DType type, double x) {
  if (type == DType::f32) return numerics::log_rounded<float>(x);
  return numerics::log_rounded<double>(x);
}

std::optional<double> exp_of(DType type, double x) {
  if (type == DType::f32) return numerics::exp_rounded<float>(x);
  return numerics::exp_rounded<double>(x);
}

std::optional<double> power_of(DType type, double x, double y) {
  if (type == DType::f32) return numerics::pow_rounded<float>(x, y);
  return numerics::pow_rounded<double>(x, y);
}

// Entry k of a geometric ladder, before `first`: w_k, or its inverse under divide.
std::optional<double> step_frequency(const Steps& steps, double base, const Exponent& e, std::size_t k) {
  const DType type = steps.frequency;
  const auto j = static_cast<double>(k * e.numerator);
  const auto denominator = static_cast<double>(e.denominator);
  if (steps.ladder == LadderBy::exp || steps.ladder == LadderBy::exp_quotient) {
    const std::optional<double> log = log_of(steps.constant, base);
    if (!log) return std::nullopt;
    if (steps.ladder == LadderBy::exp) {
      const double constant = rounded(steps.constant, -*log / denominator);
      return exp_of(type, rounded(type, j * rounded(type, constant)));
    }
    const double constant = rounded(type, -*log);
    return exp_of(type, rounded(type, rounded(type, j * constant) / rounded(type, denominator)));
  }
  const std::optional<double> power = power_of(type, rounded(type, base), rounded(type, j / denominator));
  if (!power || steps.ladder == LadderBy::divide) return power;
  return rounded(type, 1 / *power);
}

}  // namespace

double rounded(DType type, double value) {
  switch (type) {
    case DType::f32: return static_cast<double>(static_cast<float>(value));
    case DType::f16: return static_cast<double>(static_cast<float>(numerics::round<half>(numerics::dyadic(value))));
    case DType::bf16:
      return static_cast<double>(static_cast<float>(numerics::round<bfloat16>(numerics::dyadic(value))));
    default: return value;
  }
}

StepLadder step_ladder(const Ladder& ladder, const Span& span, double factor, const Steps& steps) {
  const bool divides = steps.ladder == LadderBy::divide;
  StepLadder made = {{}, rounded(steps.angle, factor)};
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    for (const double w : own->frequencies) made.entries.push_back(rounded(steps.frequency, divides ? 1 / w : w));
    return made;
  }
  const auto& geometric = std::get<Geometric>(ladder);
  const Exponent e = *exponent(geometric.spacing, span);
  const double first = rounded(steps.frequency, geometric.first);
  for (std::size_t k = 0; k < static_cast<std::size_t>(span.count); ++k) {
    const std::optional<double> settled = step_frequency(steps, geometric.base, e, k);
    const double w = settled.value_or(std::numeric_limits<double>::quiet_NaN());
    made.decided &= settled.has_value();
    made.entries.push_back(rounded(steps.frequency, divides ? w / first : w * first));
  }
  return made;
}

std::optional<Problem> check_step_ladder(const Ladder& ladder, const std::string& recipe) {
  const auto problem = [&](std::string_view what) {
    return Problem{"convention", "the recipe must be exact for " + std::string(what), recipe};
  };
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    return own->unit == AngleUnit::radians ? std::nullopt : std::optional(problem("a ladder that is not in radians"));
  }
  const auto* geometric = std::get_if<Geometric>(&ladder);
  if (geometric == nullptr) return problem("a ladder that is neither geometric nor listed");
  if (geometric->unit != AngleUnit::radians) return problem("a ladder that is not in radians");
  if (geometric->slope != LadderSlope::falling) return problem("a ladder that rises");
  if (!std::holds_alternative<None>(geometric->scaling)) return problem("a scaled ladder");
  return std::nullopt;
}

std::vector<double> frequencies(const StepLadder& ladder, const Steps& steps) {
  std::vector<double> w = ladder.entries;
  for (double& entry : w) entry = ladder.scale * (steps.ladder == LadderBy::divide ? 1 / entry : entry);
  return w;
}

std::optional<numerics::Pair<double>> step_sine_cosine(const Steps& steps, const StepLadder& ladder,
                                                       const numerics::Dyadic& p, std::size_t k) {
  if (!ladder.decided) return std::nullopt;
  const bool narrow = steps.angle == DType::f32;
  const double position = narrow ? static_cast<double>(numerics::round<float>(p)) : numerics::round<double>(p);
  const double entry = rounded(steps.angle, ladder.entries[k]);
  const double unscaled = rounded(steps.angle, steps.ladder == LadderBy::divide ? position / entry : position * entry);
  const double angle = rounded(steps.angle, ladder.scale * unscaled);

  if (!std::isfinite(angle)) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return numerics::Pair<double>{none, none};
  }

  numerics::Pair<double> pair;
  if (steps.sine == DType::f32) {
    const std::optional<numerics::Pair<float>> narrow_pair = numerics::sine_cosine_rounded<float>(angle);
    if (!narrow_pair) return std::nullopt;
    pair = {static_cast<double>(narrow_pair->sine), static_cast<double>(narrow_pair->cosine)};
  } else {
    const std::optional<numerics::Pair<double>> wide_pair = numerics::sine_cosine_rounded<double>(angle);
    if (!wide_pair) return std::nullopt;
    pair = *wide_pair;
  }
  for (const DType type : steps.storage) pair = {rounded(type, pair.sine), rounded(type, pair.cosine)};
  return pair;
}

}  // namespace posenc
