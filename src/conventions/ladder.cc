// SPDX-License-Identifier: Apache-2.0
// Exponents, units and kinds of ladders.
#include "src/conventions/ladder.h"

#include <numeric>

#include "src/conventions/problem.h"
#include "src/conventions/rules.h"
#include "src/conventions/scaling.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

constexpr auto shift_unit = static_cast<std::int64_t>(1 / schema::shift_unit);  // a shift of 1

// 2D of k / (D - shift).
std::int64_t twice_over(const Spacing& spacing, const Span& span) {
  switch (spacing.over) {
    case Spacing::Over::pairs: return 2 * span.count;
    case Spacing::Over::one: return 2;
    case Spacing::Over::stated: return spacing.width;
    default: return span.width;
  }
}

std::optional<Problem> check_spacing(const Spacing& spacing, const Span& span, const std::string& width) {
  if (span.count == 0 || exponent(spacing, span)) return std::nullopt;
  if (spacing == Spacing::over_gaps) {
    return broken(width + " must give 2 frequencies or more: the spacing divides by n - 1", std::to_string(span.width));
  }
  return broken(width + " must give a spacing that divides by more than 0", std::to_string(span.width));
}

// ---- sizes ---------------------------------------------------------------------------------------

// Of a frequency, in octaves: about the range of double. A sine of an angle of thousands of bits takes a tenth of a
// second.
constexpr std::int64_t most_octaves = 1024;

// Told by logarithms alone: the number itself may have more bits than there is memory.
std::optional<Problem> check_largest(const Real& logarithm, const Span& span, const std::string& width) {
  const Real most = Real(most_octaves) * numerics::logarithm(Rational(2));
  if (!numerics::less(most, logarithm).value_or(false)) return std::nullopt;
  return broken(width + " must give frequencies of at most 2^" + std::to_string(most_octaves),
                std::to_string(span.width));
}

Rational step_of(const Spacing& spacing, const Span& span) {
  const std::optional<Exponent> e = exponent(spacing, span);
  return fraction(static_cast<std::int64_t>(e->numerator), static_cast<std::int64_t>(e->denominator));
}

// Of base^(k exponent): falling ladders have negative exponents.
Rational exponent_of(const Geometric& ladder, const Span& span) {
  const Rational step = step_of(ladder.spacing, span);
  return ladder.slope == LadderSlope::rising ? step : -step;
}

// The first frequency is the largest, or where they grow the last.
std::optional<Problem> check_largest(const Geometric& ladder, const Span& span, const std::string& width) {
  const plan::Rule rule = scaled_rule(ladder, exponent_of(ladder, span), span);
  const Real first = numerics::logarithm(Rational(ladder.first) / Rational(least_divisor(ladder.scaling)));
  Real last = first;
  for (const plan::Step& step : rule.steps) {
    last = last + Real(step.exponent * Rational(span.count - 1)) * numerics::logarithm(step.base);
  }
  if (auto problem = check_largest(first, span, width)) return problem;
  return check_largest(last, span, width);
}

// ---- one kind after another -----------------------------------------------------------------------

std::optional<Problem> check(const Geometric& ladder, const Span& span, const std::string& width) {
  if (auto problem = check_spacing(ladder.spacing, span, width)) return problem;
  if (auto problem = check_scaling(ladder, span, width)) return problem;
  if (span.count == 0) return std::nullopt;
  const bool falls = ladder.slope == LadderSlope::falling && ladder.base >= 1;
  if (falls && !scales_base(ladder.scaling) && least_divisor(ladder.scaling) == 1)
    return std::nullopt;  // most are such
  return check_largest(ladder, span, width);
}
std::optional<Problem> check(const Listed& ladder, const Span& span, const std::string& width) {
  if (std::ssize(ladder.frequencies) == span.count) return std::nullopt;
  return broken("the ladder must list " + std::to_string(span.count) + " frequencies for " + width + " " +
                    std::to_string(span.width),
                std::to_string(ladder.frequencies.size()));
}
std::optional<Problem> check(const LinearLadder&, const Span&, const std::string&) { return std::nullopt; }
std::optional<Problem> check(const RunawayLadder& ladder, const Span& span, const std::string& width) {
  if (auto problem = check_spacing(ladder.spacing, span, width)) return problem;
  if (span.count == 0 || ladder.base == 1) return std::nullopt;  // ln 1 = 0: so are all frequencies
  const Rational base = ladder.base > 1 ? Rational(ladder.base) : Rational(1) / Rational(ladder.base);
  const Real rate = Real(step_of(ladder.spacing, span)) * numerics::logarithm(base);
  return check_largest(Real(span.count - 1) + numerics::logarithm(rate), span, width);
}

plan::Ladder lowered(const Geometric& ladder, const Span& span, const Real& unit) {
  return scaled(ladder, exponent_of(ladder, span), span, unit);
}

plan::Ladder lowered(const Listed& ladder, const Span&, const Real& unit) {
  return {plan::Values{ladder.frequencies, unit}};
}

plan::Ladder lowered(const LinearLadder& ladder, const Span& span, const Real& unit) {
  const auto count = static_cast<std::size_t>(span.count);
  const std::int64_t last = std::max<std::int64_t>(span.count - 1, 1);
  const plan::Ramp even = {plan::Ramp::Over::index, 1, 0, last, ladder.from, ladder.to};
  return {plan::Scaled{{unit, {}, count}, {{count, even}}}};
}

// -ln(base) / (D - shift) e^k
plan::Ladder lowered(const RunawayLadder& ladder, const Span& span, const Real& unit) {
  const Real rate = -(unit * Real(step_of(ladder.spacing, span)) * numerics::logarithm(Rational(ladder.base)));
  return {plan::Rule{rate, {}, static_cast<std::size_t>(span.count), 1}};
}

// The rule of a scaled ladder stays, since ramps ask how large its entries are.
void multiply(decltype(plan::Stretch::factor)& factors, const Real& factor) {
  if (auto* one = std::get_if<Real>(&factors)) *one = *one * factor;
  if (auto* taper = std::get_if<plan::Taper>(&factors)) taper->first = taper->first * factor;
  if (auto* ramp = std::get_if<plan::Ramp>(&factors)) {
    ramp->at_low = ramp->at_low * factor, ramp->at_high = ramp->at_high * factor;
  }
}

void multiply(plan::Ladder& ladder, const Real& factor) {
  if (factor == Real(1)) return;
  if (auto* rule = std::get_if<plan::Rule>(&ladder.form)) rule->first = rule->first * factor;
  if (auto* values = std::get_if<plan::Values>(&ladder.form)) values->unit = values->unit * factor;
  if (auto* scaled = std::get_if<plan::Scaled>(&ladder.form)) {
    for (plan::Stretch& stretch : scaled->stretches) multiply(stretch.factor, factor);
  }
  if (auto* list = std::get_if<std::vector<Real>>(&ladder.form)) {
    for (Real& w : *list) w = w * factor;
  }
}

}  // namespace

std::optional<Exponent> exponent(const Spacing& spacing, const Span& span) {
  if (span.count == 0) return Exponent{1, 1};
  const std::int64_t over = twice_over(spacing, span);
  const auto shift = static_cast<std::int64_t>(spacing.shift * static_cast<double>(shift_unit));  // whole: a rule of it
  const std::int64_t gap = over * (shift_unit / 2) - shift;                                       // in units of 2^-16
  if (spacing.least == 1 && gap < shift_unit) return Exponent{1, 1};
  if (gap <= 0) return std::nullopt;
  if (shift == 0 && over % 2 == 0 && spacing.over == Spacing::Over::pairs) {
    return Exponent{1, static_cast<std::uint64_t>(over / 2)};
  }
  if (shift == 0) return Exponent{2, static_cast<std::uint64_t>(over)};
  const std::int64_t common = std::gcd(shift_unit, gap);
  return Exponent{static_cast<std::uint64_t>(shift_unit / common), static_cast<std::uint64_t>(gap / common)};
}

Real radians(AngleUnit unit) {
  switch (unit) {
    case AngleUnit::quarter_turns: return Real(fraction(1, 2)) * numerics::pi_to_the(1);
    case AngleUnit::half_turns: return numerics::pi_to_the(1);
    case AngleUnit::turns: return Real(2) * numerics::pi_to_the(1);
    default: return 1;
  }
}

std::optional<Problem> check_span(const Ladder& ladder, const Span& span, const std::string& width) {
  return std::visit([&](const auto& each) { return check(each, span, width); }, ladder);
}

plan::Ladder lower_ladder(const Ladder& ladder, const Span& span, double factor) {
  plan::Ladder lower = std::visit([&](const auto& each) { return lowered(each, span, radians(each.unit)); }, ladder);
  multiply(lower, Rational(factor));  // after the scaling, which may ask how large a frequency is
  return lower;
}

}  // namespace posenc
