// SPDX-License-Identifier: Apache-2.0
// Enclosures of ladders, form by form.
#include "src/plan/enclosed_ladder.h"

#include <bit>

#include "src/numerics/evaluate.h"
#include "src/numerics/sine_cosine.h"

namespace posenc::plan {
namespace {

using numerics::Enclosure;
using numerics::Real;

// A turn asks for 256 bits (numerics/frequency.h); what a ramp cancels comes on top. Where more cancels the exact form
// of the entry decides, which takes 100 us: 64 bits more cost 2 us an entry and leave that to ramps over a part in 2^60
// of their length.
constexpr std::int64_t bits = 320;

Enclosure negated(Enclosure x) {
  x.negative = !x.negative;
  return x;
}

// The product is exact, and so the error is that of x.
Enclosure times(const Enclosure& x, const numerics::Dyadic& by) {
  return {x.negative != by.negative, x.significand * by.mantissa, x.exponent + by.exponent,
          x.error_bits + static_cast<std::int64_t>(std::bit_width(by.mantissa))};
}

std::vector<Enclosure> entries(const Rule& rule, const Real& by) {
  std::vector<Enclosure> made(rule.count, numerics::unknown());
  const Real first = rule.first * by;
  if (!first.zero() && !numerics::geometric_sequence(first, ratio(rule), made))
    made.assign(rule.count, numerics::unknown());
  return made;
}

std::vector<Enclosure> entries(const Values& list, const Real& by) {
  const Enclosure unit = numerics::enclose(list.unit * by, bits);
  std::vector<Enclosure> made;
  made.reserve(list.values.size());
  for (const double value : list.values) {
    made.push_back(value == 0 ? numerics::unknown() : times(unit, numerics::dyadic(value)));
  }
  return made;
}

// A factor that is linear: constant + slope x.
struct Line {
  Enclosure constant, slope;
  Enclosure at(const Enclosure& slope_x) const { return numerics::add(constant, slope_x, bits); }
};
Line line_of(const Ramp& ramp, const Real& unit) {
  const Enclosure low = numerics::enclose(ramp.low, bits), length = numerics::enclose(ramp.high - ramp.low, bits);
  const Enclosure at_low = numerics::enclose(ramp.at_low, bits);
  const Enclosure rise = numerics::enclose(ramp.at_high - ramp.at_low, bits);
  const Enclosure slope = numerics::divide(rise, length, bits);
  return {numerics::add(at_low, negated(numerics::multiply(slope, low, bits)), bits),
          numerics::multiply(slope, numerics::enclose(unit, bits), bits)};
}

// The error is divided as x is, by 2^(width - 1) at least, and less than 1 is cut.
Enclosure over(const Enclosure& x, std::uint64_t by) {
  if (numerics::sign(x) == 0) return numerics::unknown();
  const std::int64_t error = x.error_bits - std::bit_width(by) + 1;
  return {x.negative, x.significand / by, x.exponent, std::max<std::int64_t>(error, 0) + 1};
}

// A number such as a divisor of a list: one of two words at most, as an enclosure takes a division of 320 bits.
bool is_short(const numerics::Rational& x) {
  return x.numerator.bit_length() <= 64 && x.denominator.bit_length() <= 64 && !x.zero();
}

void multiply(std::span<Enclosure> made, std::size_t, const Real& factor, const Real&) {
  if (factor == Real(1)) return;
  const std::optional<numerics::Rational> by_rational = numerics::rational(factor);
  if (by_rational && is_short(*by_rational)) {
    const numerics::Dyadic numerator = {by_rational->numerator.limb(0), static_cast<int>(by_rational->exponent),
                                        by_rational->negative};
    for (Enclosure& each : made) each = over(times(each, numerator), by_rational->denominator.limb(0));
    return;
  }
  const Enclosure by = factor.zero() ? numerics::unknown() : numerics::enclose(factor, bits);
  for (Enclosure& each : made) each = numerics::multiply(each, by, bits);
}

// `made` are entries first, first + 1, .. of the rule times `by`.
void multiply(std::span<Enclosure> made, std::size_t first, const Ramp& ramp, const Real& by) {
  const bool over_index = ramp.over == Ramp::Over::index;
  const Line factor = line_of(ramp, over_index ? ramp.unit : numerics::quotient(ramp.unit, by));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Enclosure slope_x = over_index ? times(factor.slope, numerics::dyadic(static_cast<std::int64_t>(first + i)))
                                         : numerics::multiply(factor.slope, made[i], bits);
    made[i] = numerics::multiply(made[i], factor.at(slope_x), bits);
  }
}

// Turns (cos, sin) by one angle from entry to entry, up to a quarter turn: cos(pi - x) is -cos x. A cosine at this
// precision takes as long as 50 such steps. A step multiplies the error by at most 1 + pi / gaps, e^(pi / 2) in all;
// what 1 - cos^2 and 1 -+ cos cancel comes on top.
void multiply(std::span<Enclosure> made, std::size_t first, const Taper& taper, const Real& by) {
  multiply(made, first, taper.first, by);
  const auto gaps = static_cast<std::size_t>(taper.gaps);
  const std::int64_t more = bits + 2 * std::bit_width(gaps);
  const auto times_entry = [&](std::size_t j, const Enclosure& twice) {
    if (j < made.size()) made[j] = numerics::multiply(made[j], over(twice, 2), bits);
  };
  if (gaps < made.size()) made[gaps] = numerics::unknown();  // times 0
  if (gaps < 2) return;
  const Real angle = Real(numerics::fraction(1, taper.gaps)) * numerics::pi_to_the(1);
  const Enclosure one = numerics::enclose(Real(1), more);
  constexpr std::int64_t spare = 64;  // an enclosed wave is made with 128 bits more than asked for
  const Enclosure step = numerics::enclose(numerics::Wave::cosine, angle, more - spare);
  const Enclosure step_sine =
      numerics::square_root(numerics::add(one, negated(numerics::multiply(step, step, more)), more), more);
  Enclosure cosine = step, sine = step_sine;
  for (std::size_t j = 1; 2 * j <= gaps; ++j) {
    times_entry(j, numerics::add(one, cosine, more));
    if (gaps - j != j) times_entry(gaps - j, numerics::add(one, negated(cosine), more));
    const Enclosure next =
        numerics::add(numerics::multiply(cosine, step, more), negated(numerics::multiply(sine, step_sine, more)), more);
    sine = numerics::add(numerics::multiply(sine, step, more), numerics::multiply(cosine, step_sine, more), more);
    cosine = next;
  }
}

std::vector<Enclosure> entries(const Scaled& scaled, const Real& by) {
  std::vector<Enclosure> made = entries(scaled.rule, by);
  std::size_t first = 0;
  for (const Stretch& stretch : scaled.stretches) {
    const std::span<Enclosure> own = std::span(made).subspan(first, stretch.end - first);
    std::visit([&](const auto& factor) { multiply(own, first, factor, by); }, stretch.factor);
    first = stretch.end;
  }
  return made;
}

std::vector<Enclosure> entries(const std::vector<Real>& list, const Real&) {
  return std::vector<Enclosure>(list.size(), numerics::unknown());
}

}  // namespace

std::vector<Enclosure> enclosed(const Ladder& ladder, const Real& times) {
  std::vector<Enclosure> all = std::visit([&](const auto& form) { return entries(form, times); }, ladder.form);
  if (ladder.picked.empty()) return all;
  std::vector<Enclosure> picked;
  for (const std::uint32_t k : ladder.picked) picked.push_back(all[k]);
  return picked;
}

std::vector<SignedTurn> signed_turns(const Ladder& ladder, const numerics::Rational& times) {
  if (times.zero()) return std::vector<SignedTurn>(ladder.size());
  const Real per_turn = Real(times * numerics::fraction(1, 2)) * numerics::pi_to_the(-1);
  const std::vector<Enclosure> quick = enclosed(ladder, per_turn);
  std::vector<SignedTurn> made;
  for (std::size_t k = 0; k < quick.size(); ++k) {
    if (std::optional<numerics::Turn> turn = numerics::turn(quick[k])) {
      made.push_back({std::move(*turn), quick[k].negative});
      continue;
    }
    const Real w = ladder[k] * Real(times);
    const std::optional<numerics::Turn> turn = numerics::turn(w);
    const std::optional<int> sign = numerics::sign(w);
    if (!turn || !sign) return made;
    made.push_back({*turn, *sign < 0});
  }
  return made;
}

}  // namespace posenc::plan
