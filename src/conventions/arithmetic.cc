// SPDX-License-Identifier: Apache-2.0
// Recipes at work. Sums, products and quotients of two f32 numbers are formed in f64 and rounded to f32: its 53 bits
// exceed 2 * 24 + 2, so the result is that of one rounding.
#include "src/conventions/arithmetic.h"

#include <algorithm>
#include <cmath>

#include "src/conventions/problem.h"
#include "src/conventions/scaled_steps.h"

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

std::optional<double> power_of(DType type, const numerics::Base& x, double y) {
  if (type == DType::f32) return numerics::pow_rounded<float>(x, y);
  return numerics::pow_rounded<double>(x, y);
}

bool by_exp(const Steps& steps) { return steps.ladder == LadderBy::exp || steps.ladder == LadderBy::exp_quotient; }

// Entry k of a geometric ladder, before `first`. `log` is ln B in Steps::constant.
std::optional<double> exp_entry(const Steps& steps, double log, const Exponent& e, std::size_t k) {
  const DType type = steps.frequency;
  const auto j = static_cast<double>(k * e.numerator);
  const auto denominator = static_cast<double>(e.denominator);
  if (steps.ladder == LadderBy::exp) {
    const double constant = rounded(type, rounded(steps.constant, -log / denominator));
    return exp_of(type, rounded(type, j * constant));
  }
  const double constant = rounded(type, -log);
  return exp_of(type, rounded(type, rounded(type, j * constant) / rounded(type, denominator)));
}
// B^e_k, or B^-e_k where the steps take that.
std::optional<double> power_entry(const Steps& steps, const numerics::Base& base, const Exponent& e, std::size_t k) {
  const DType type = steps.frequency;
  const double exponent = rounded(type, static_cast<double>(k * e.numerator) / static_cast<double>(e.denominator));
  const bool falls = steps.ladder == LadderBy::power || steps.ladder == LadderBy::iterated;
  return power_of(type, base, falls ? -exponent : exponent);
}

std::optional<std::vector<double>> geometric_entries(const Steps& steps, const Geometric& ladder, const Span& span) {
  const Exponent e = *exponent(ladder.spacing, span);
  const double first = rounded(steps.frequency, ladder.first);
  const std::optional<double> log = by_exp(steps) ? log_of(steps.constant, ladder.base) : 0;
  if (!log) return std::nullopt;
  const std::optional<double> scaled = step_base(ladder, span, steps.frequency);
  if (!scaled) return std::nullopt;
  const numerics::Base base = numerics::base(rounded(steps.frequency, *scaled));

  std::vector<double> entries;
  for (std::size_t k = 0; k < static_cast<std::size_t>(span.count); ++k) {
    const std::size_t number = steps.ladder == LadderBy::iterated ? std::min(k, std::size_t{1}) : k;
    const std::optional<double> w = by_exp(steps) ? exp_entry(steps, *log, e, k) : power_entry(steps, base, e, number);
    if (!w) return std::nullopt;
    entries.push_back(*w);
  }
  if (steps.ladder == LadderBy::reciprocal && !scale_powers(ladder, span, steps, entries)) return std::nullopt;
  const std::size_t times_first =
      steps.ladder == LadderBy::iterated ? std::min(entries.size(), std::size_t{1}) : entries.size();
  for (double& entry : std::span(entries).first(times_first)) {
    entry = rounded(steps.frequency, steps.ladder == LadderBy::divide ? entry / first : entry * first);
  }
  return entries;
}

// RN to a type of 16 bits; of -0 it is +0, of NaN NaN. Where the bits that T drops are those of a normal number, by an
// addition to them: half a unit, less one bit where the last that is left is even.
template <class T>
double rounded_to(double value) {
  using F = numerics::Format<T>;
  constexpr int dropped = 53 - F::precision;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent >= F::minimum && exponent < -F::minimum) {
    const std::uint64_t half_unit = (std::uint64_t{1} << (dropped - 1)) - 1 + (bits >> dropped & 1);
    return std::bit_cast<double>((bits + half_unit) >> dropped << dropped);
  }
  if (std::isnan(value)) return value;
  return static_cast<double>(static_cast<float>(numerics::round<T>(numerics::dyadic(value))));
}

}  // namespace

double rounded(DType type, double value) {
  round_all(type, {&value, 1});
  return value;
}

void round_all(DType type, std::span<double> values) {
  const auto replace = [&](const auto& round) {
    for (double& value : values) value = round(value);
  };
  switch (type) {
    case DType::f32: return replace([](double x) { return static_cast<double>(static_cast<float>(x)); });
    case DType::f16: return replace(rounded_to<half>);
    case DType::bf16: return replace(rounded_to<bfloat16>);
    default: return;
  }
}

StepLadder step_ladder(const Ladder& ladder, const Span& span, double factor, const Steps& steps) {
  StepLadder made = {{}, rounded(steps.angle, factor)};
  made.chained = steps.ladder == LadderBy::iterated && std::holds_alternative<Geometric>(ladder);
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    const bool divides = steps.ladder == LadderBy::divide;
    for (const double w : own->frequencies) made.entries.push_back(rounded(steps.frequency, divides ? 1 / w : w));
  } else if (auto entries = geometric_entries(steps, std::get<Geometric>(ladder), span)) {
    made.entries = std::move(*entries);
  } else {
    made.entries.assign(static_cast<std::size_t>(span.count), std::numeric_limits<double>::quiet_NaN());
    made.decided = false;
  }
  return made;
}

std::optional<Problem> check_step_ladder(const Ladder& ladder, const Recipe& recipe) {
  const auto problem = [&](std::string_view what) {
    return broken("the recipe must be exact for " + std::string(what), recipe.name);
  };
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    return own->unit == AngleUnit::radians ? std::nullopt : std::optional(problem("a ladder that is not in radians"));
  }
  const auto* geometric = std::get_if<Geometric>(&ladder);
  if (geometric == nullptr) return problem("a ladder that is neither geometric nor listed");
  if (geometric->unit != AngleUnit::radians) return problem("a ladder that is not in radians");
  if (geometric->slope != LadderSlope::falling) return problem("a ladder that rises");
  if (std::holds_alternative<None>(geometric->scaling)) return std::nullopt;
  if (recipe.steps->scaling != ScalingBy::transformers) return problem("a scaled ladder");
  if (geometric->first != 1) return problem("a scaled ladder whose first is not 1");
  return std::nullopt;
}

std::vector<double> frequencies(const StepLadder& ladder, const Steps& steps) {
  std::vector<double> w = ladder.entries;
  for (std::size_t k = 1; ladder.chained && k < w.size(); ++k) w[k] = rounded(steps.angle, w[k - 1] * w[k]);
  for (double& entry : w) entry = ladder.scale * (steps.ladder == LadderBy::divide ? 1 / entry : entry);
  return w;
}

void step_angles(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles) {
  const bool narrow = steps.angle == DType::f32, divides = steps.ladder == LadderBy::divide;
  const bool at_position = steps.scale_at == ScaleAt::position;
  const double plain = narrow ? static_cast<double>(numerics::round<float>(p)) : numerics::round<double>(p);
  const double position = at_position ? rounded(steps.angle, ladder.scale * plain) : plain;
  const double scale = at_position ? 1 : ladder.scale;
  const auto write = [&](const auto& rounded) {
    double from = position;  // what the entry multiplies or divides
    for (const double w : ladder.entries) {
      const double entry = rounded(w), angle = rounded(divides ? from / entry : from * entry);
      *angles++ = rounded(scale * angle);
      if (ladder.chained) from = angle;
    }
  };
  if (narrow) {
    write([](double x) { return static_cast<double>(static_cast<float>(x)); });
  } else {
    write([](double x) { return x; });
  }
}

}  // namespace posenc
