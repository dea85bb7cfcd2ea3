// SPDX-License-Identifier: Apache-2.0
// Recipes at work. Sums, products and quotients of two f32 numbers are formed in f64 and rounded to f32: its 53 bits
// exceed 2 * 24 + 2, so the result is that of one rounding.
#include "src/conventions/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/base/scratch.h"
#include "src/base/to_text.h"
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

bool by_linspace(LadderBy by) {
  return by == LadderBy::power_of_linspace || by == LadderBy::octaves || by == LadderBy::divide_of_linspace;
}

// Has the ladder divisors in place of frequencies?
bool divides(LadderBy by) { return by == LadderBy::divide || by == LadderBy::divide_of_linspace; }

// RN(a b + c) of numbers of that type.
double fused(DType type, double a, double b, double c) {
  if (type != DType::f32) return std::fma(a, b, c);
  return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

// RN(c + a b), or RN(c + RN(a b)).
double sum(const Steps& steps, DType type, double a, double b, double c) {
  if (steps.sums == Sums::fused) return fused(type, a, b, c);
  return rounded(type, c + rounded(type, a * b));
}

}  // namespace

std::vector<double> linspace(const Steps& steps, double from, double to, std::int64_t count) {
  const DType type = steps.frequency;
  from = rounded(type, from), to = rounded(type, to);
  const auto gaps = static_cast<double>(std::max<std::int64_t>(count - 1, 1));
  const double step = rounded(type, rounded(type, to - from) / rounded(type, gaps));
  std::vector<double> entries;
  for (std::int64_t k = 0; k < count; ++k) {
    const bool below = k < count / 2 || count == 1;
    const auto number = static_cast<double>(below ? k : k + 1 - count);
    entries.push_back(sum(steps, type, number, step, below ? from : to));
  }
  return entries;
}

namespace {

// Does the ladder say how powers rise?
bool rises(LadderBy by) {
  return by == LadderBy::power || by == LadderBy::power_of_linspace || by == LadderBy::octaves;
}

// Where the numbers that lead to one entry are kept, if anywhere.
struct Trail {
  std::size_t entry = 0;
  std::vector<LadderStep>* kept = nullptr;

  // The value itself; of entry k, it is kept where that is asked for.
  double say(std::size_t k, StepOf of, std::string_view what, DType type, double value) const {
    if (kept != nullptr && k == entry) kept->push_back({of, what, type, value});
    return value;
  }
  void all(StepOf of, std::string_view what, DType type, std::span<const double> entries) const {
    if (entry < entries.size()) say(entry, of, what, type, entries[entry]);
  }
};

// Entry k of a geometric ladder, before `first`. `log` is ln B in Steps::constant.
std::optional<double> exp_entry(const Steps& steps, double log, const Exponent& e, std::size_t k, const Trail& trail) {
  const DType type = steps.frequency;
  const auto j = static_cast<double>(k * e.numerator);
  const auto denominator = static_cast<double>(e.denominator);
  trail.say(k, StepOf::logarithm, "RN(ln base)", steps.constant, log);
  if (steps.ladder == LadderBy::exp || steps.ladder == LadderBy::exp2) {
    const double formed = trail.say(k, StepOf::rate, "RN(-logarithm / denominator)", steps.constant,
                                    rounded(steps.constant, -log / denominator));
    const double constant = trail.say(k, StepOf::rate, "RN(rate)", type, rounded(type, formed));
    const double exponent = trail.say(k, StepOf::log_exponent, "RN(numerator rate)", type, rounded(type, j * constant));
    if (steps.ladder == LadderBy::exp) return exp_of(type, exponent);
    return power_of(type, numerics::base(2),
                    trail.say(k, StepOf::other, "RN(exponent RN(log2 e))", type,
                              rounded(type, exponent * rounded(type, std::numbers::log2e))));
  }
  const double constant = trail.say(k, StepOf::other, "RN(-logarithm)", type, rounded(type, -log));
  if (steps.ladder == LadderBy::exp_blend) {
    const double z = trail.say(k, StepOf::other, "RN(1 - RN(numerator / denominator))", type,
                               rounded(type, 1 - rounded(type, j / rounded(type, denominator))));
    return exp_of(type, trail.say(k, StepOf::log_exponent, "RN(-logarithm - RN(-logarithm z))", type,
                                  rounded(type, constant - rounded(type, z * constant))));
  }
  const double product = trail.say(k, StepOf::other, "RN(-logarithm numerator)", type, rounded(type, j * constant));
  return exp_of(type, trail.say(k, StepOf::log_exponent, "RN(product / RN(denominator))", type,
                                rounded(type, product / rounded(type, denominator))));
}
// B^e_k, or B^-e_k where the steps take that of a ladder that falls.
std::optional<double> power_entry(const Steps& steps, const numerics::Base& base, const Exponent& e, std::size_t k,
                                  LadderSlope slope, const Trail& trail) {
  const DType type = steps.frequency;
  const double exponent =
      trail.say(k, StepOf::exponent, "RN(numerator / denominator)", type,
                rounded(type, static_cast<double>(k * e.numerator) / static_cast<double>(e.denominator)));
  const bool falls =
      slope == LadderSlope::falling && (steps.ladder == LadderBy::power || steps.ladder == LadderBy::iterated);
  return power_of(type, base, falls ? -exponent : exponent);
}

// How the last step of an entry before its scaling is written.
std::string_view power_words(LadderBy by) {
  if (by == LadderBy::exp2) return "RN(2^number)";
  if (by_exp(by)) return "RN(exp(exponent))";
  return by == LadderBy::power || by == LadderBy::iterated ? "RN(base^-exponent), or its inverse where the ladder rises"
                                                           : "RN(base^exponent)";
}

std::optional<std::vector<double>> geometric_entries(const Steps& steps, const Geometric& ladder, const Span& span,
                                                     const Trail& trail) {
  const Exponent e = *exponent(ladder.spacing, span);
  const double first = rounded(steps.frequency, ladder.first);
  const std::optional<double> log = by_exp(steps.ladder) ? log_of(steps.constant, ladder.base) : 0;
  if (!log) return std::nullopt;
  const std::optional<double> scaled = step_base(ladder, span, steps.frequency);
  if (!scaled) return std::nullopt;
  const numerics::Base base = numerics::base(rounded(steps.frequency, *scaled));

  std::vector<double> entries;
  for (std::size_t k = 0; k < static_cast<std::size_t>(span.count); ++k) {
    const std::size_t number = steps.ladder == LadderBy::iterated ? std::min(k, std::size_t{1}) : k;
    const std::optional<double> w = by_exp(steps.ladder) ? exp_entry(steps, *log, e, k, trail)
                                                         : power_entry(steps, base, e, number, ladder.slope, trail);
    if (!w) return std::nullopt;
    entries.push_back(trail.say(k, StepOf::power, power_words(steps.ladder), steps.frequency, *w));
  }
  const bool scaled_here = !std::holds_alternative<Nothing>(ladder.scaling);
  if (steps.ladder == LadderBy::reciprocal) {
    if (!scale_powers(ladder, span, steps, entries)) return std::nullopt;
    trail.all(scaled_here ? StepOf::other : StepOf::power,
              scaled_here ? "RN(1 / power), and the roundings of the scaling" : "RN(1 / power)", steps.frequency,
              entries);
  } else if (const auto* linear = std::get_if<LinearScaling>(&ladder.scaling)) {
    for (double& entry : entries) entry = rounded(steps.frequency, entry / rounded(steps.frequency, linear->factor));
    trail.all(StepOf::other, "RN(power / RN(factor))", steps.frequency, entries);
  }
  const std::size_t times_first =
      steps.ladder == LadderBy::iterated ? std::min(entries.size(), std::size_t{1}) : entries.size();
  for (double& entry : std::span(entries).first(times_first)) {
    entry = rounded(steps.frequency, divides(steps.ladder) ? entry / first : entry * first);
  }
  if (first != 1) trail.all(StepOf::other, "RN(it and RN(first))", steps.frequency, entries);
  return entries;
}

std::vector<double> linear_entries(const Steps& steps, const LinearLadder& ladder, std::int64_t count,
                                   const Trail& trail) {
  std::vector<double> entries = linspace(steps, ladder.from, ladder.to, count);
  trail.all(StepOf::other, "of the linspace of PyTorch", steps.frequency, entries);
  return entries;
}

// B^l_k or 2^l_k, l_k of a linspace, which falls where the ladder does and its entries are no divisors.
std::optional<std::vector<double>> linspace_powers(const Steps& steps, const Geometric& ladder, const Span& span,
                                                   const Trail& trail) {
  const Exponent e = *exponent(ladder.spacing, span);
  const bool octaves = steps.ladder == LadderBy::octaves;
  const std::optional<double> log = octaves ? numerics::log_rounded<double>(ladder.base) : 1;
  if (!log) return std::nullopt;
  const double last = static_cast<double>(static_cast<std::uint64_t>(span.count - 1) * e.numerator) /
                      static_cast<double>(e.denominator);
  const double octave_count = octaves ? *log / std::numbers::ln2 : 1;
  const bool over = divides(steps.ladder);
  const double sign = ladder.slope == LadderSlope::falling && !over ? -1 : 1,
               first = rounded(steps.frequency, ladder.first);
  const numerics::Base base = numerics::base(octaves ? 2 : rounded(steps.frequency, ladder.base));
  std::vector<double> entries =
      linear_entries(steps, {0, sign * last * octave_count, AngleUnit::radians}, span.count, trail);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::optional<double> power = power_of(steps.frequency, base, entries[k]);
    if (!power) return std::nullopt;
    trail.say(k, StepOf::power, octaves ? "RN(2^number)" : "RN(base^number)", steps.frequency, *power);
    entries[k] = rounded(steps.frequency, over ? *power / first : *power * first);
  }
  return entries;
}

// -r e^k, r = ln B over the denominator.
std::optional<std::vector<double>> runaway_entries(const Steps& steps, const RunawayLadder& ladder, const Span& span,
                                                   const Trail& trail) {
  const Exponent e = *exponent(ladder.spacing, span);
  const std::optional<double> log = log_of(steps.constant, ladder.base);
  if (!log) return std::nullopt;
  const double by = static_cast<double>(e.denominator) / static_cast<double>(e.numerator);
  const double rate = rounded(steps.frequency, rounded(steps.constant, -*log / by));
  std::vector<double> entries;
  for (std::int64_t k = 0; k < span.count; ++k) {
    const std::optional<double> power = exp_of(steps.frequency, static_cast<double>(k));
    if (!power) return std::nullopt;
    const auto number = static_cast<std::size_t>(k);
    trail.say(number, StepOf::other, "RN(-ln base / denominator)", steps.frequency, rate);
    trail.say(number, StepOf::other, "RN(exp(k))", steps.frequency, *power);
    entries.push_back(rounded(steps.frequency, *power * rate));
  }
  return entries;
}

// Nothing where a rounding was not settled.
std::optional<std::vector<double>> entries_of(const Ladder& ladder, const Span& span, const Steps& steps,
                                              const Trail& trail) {
  if (const auto* geometric = std::get_if<Geometric>(&ladder)) {
    return by_linspace(steps.ladder) ? linspace_powers(steps, *geometric, span, trail)
                                     : geometric_entries(steps, *geometric, span, trail);
  }
  if (const auto* runaway = std::get_if<RunawayLadder>(&ladder)) return runaway_entries(steps, *runaway, span, trail);
  std::vector<double> entries;
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    entries = own->frequencies;
  } else {
    entries = linear_entries(steps, std::get<LinearLadder>(ladder), span.count, trail);
  }
  for (double& w : entries) w = rounded(steps.frequency, divides(steps.ladder) ? 1 / w : w);
  return entries;
}

AngleUnit unit_of(const Ladder& ladder) {
  return std::visit([](const auto& each) { return each.unit; }, ladder);
}

// The double that other code multiplies by.
double radians_in(AngleUnit unit) {
  switch (unit) {
    case AngleUnit::quarter_turns: return std::numbers::pi / 2;
    case AngleUnit::half_turns: return std::numbers::pi;
    case AngleUnit::turns: return 2 * std::numbers::pi;
    default: return 1;
  }
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

bool by_exp(LadderBy by) {
  return by == LadderBy::exp || by == LadderBy::exp2 || by == LadderBy::exp_quotient || by == LadderBy::exp_blend;
}

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

namespace {

StepLadder made_ladder(const Ladder& ladder, const Span& span, double factor, const Steps& steps, const Trail& trail) {
  StepLadder made = {{}, rounded(steps.angle, factor)};
  made.chained = steps.ladder == LadderBy::iterated && std::holds_alternative<Geometric>(ladder);
  if (auto entries = entries_of(ladder, span, steps, trail)) {
    made.entries = std::move(*entries);
  } else {
    made.entries.assign(static_cast<std::size_t>(span.count), std::numeric_limits<double>::quiet_NaN());
    made.decided = false;
  }
  const double unit = radians_in(unit_of(ladder));
  if (steps.unit_at != UnitAt::ladder) {
    made.unit = rounded(steps.angle, unit);
  } else if (unit != 1) {
    for (double& entry : made.entries) entry = rounded(steps.frequency, rounded(steps.frequency, unit) * entry);
  }
  trail.all(divides(steps.ladder) ? StepOf::divisor : StepOf::frequency,
            unit != 1 && steps.unit_at == UnitAt::ladder ? "RN(RN(unit) frequency)" : "the ladder's entry",
            steps.frequency, made.entries);
  return made;
}

}  // namespace

StepLadder step_ladder(const Ladder& ladder, const Span& span, double factor, const Steps& steps) {
  return made_ladder(ladder, span, factor, steps, {});
}

std::vector<LadderStep> ladder_steps(const Ladder& ladder, const Span& span, const Steps& steps, std::size_t k) {
  std::vector<LadderStep> made;
  const bool chained = steps.ladder == LadderBy::iterated && std::holds_alternative<Geometric>(ladder);
  made_ladder(ladder, span, 1, steps, {chained ? std::min(k, std::size_t{1}) : k, &made});
  return made;
}

namespace {

// What of a ladder the steps have no roundings for.
std::optional<std::string_view> without_steps(const Ladder& ladder, const Steps& steps) {
  const bool in_radians = unit_of(ladder) == AngleUnit::radians;
  const bool has_frequencies = !divides(steps.ladder) && steps.ladder != LadderBy::iterated;
  if (!in_radians && steps.unit_at == UnitAt::ladder && !has_frequencies) {
    return "a ladder that is not in radians";
  }
  if (std::holds_alternative<RunawayLadder>(ladder) && steps.ladder != LadderBy::exp) {
    return "a ladder that runs away";
  }
  const auto* geometric = std::get_if<Geometric>(&ladder);
  if (geometric == nullptr) return std::nullopt;
  if (geometric->slope != LadderSlope::falling && !rises(steps.ladder)) return "a ladder that rises";
  if (std::holds_alternative<Nothing>(geometric->scaling)) return std::nullopt;
  const bool linear = std::holds_alternative<LinearScaling>(geometric->scaling);
  const ScalingBy by = steps.scaling;
  if (by == ScalingBy::none || (by == ScalingBy::quotient && !linear)) return "a scaled ladder";
  if (!in_radians) return "a scaled ladder that is not in radians";
  if (geometric->first != 1) return "a scaled ladder whose first is not 1";
  return std::nullopt;
}

}  // namespace

std::string exact_or_those(std::string_view what, const std::function<bool(const Recipe&)>& serves) {
  constexpr std::size_t told = 3;
  std::vector<std::string> names;
  for (const Recipe& other : recipes()) {
    if (other.steps && serves(other)) names.push_back(other.name);
  }
  std::string text = "the recipe must be exact for " + std::string(what);
  if (names.empty()) return text;
  const std::span<const std::string> first = std::span(names).first(std::min(names.size(), told));
  text += ", or " + listed(first, [](const std::string& name) { return name; });
  return names.size() > told ? text + " or " + std::to_string(names.size() - told) + " more" : text;
}

std::optional<Problem> check_step_ladder(const Ladder& ladder, const Recipe& recipe) {
  const std::optional<std::string_view> what = without_steps(ladder, *recipe.steps);
  if (!what) return std::nullopt;
  const auto serves = [&](const Recipe& other) { return !without_steps(ladder, *other.steps); };
  return broken(exact_or_those(*what, serves), recipe.name);
}

std::vector<double> step_phases(std::span<const double> phases, const Ladder& ladder, const Steps& steps) {
  const double unit = steps.unit_at == UnitAt::angle ? 1 : rounded(steps.angle, radians_in(unit_of(ladder)));
  std::vector<double> made;
  for (const double phase : phases) made.push_back(rounded(steps.angle, unit * rounded(steps.angle, phase)));
  return made;
}

std::vector<double> frequencies(const StepLadder& ladder, const Steps& steps) {
  std::vector<double> w = ladder.entries;
  for (std::size_t k = 1; ladder.chained && k < w.size(); ++k) w[k] = rounded(steps.angle, w[k - 1] * w[k]);
  const double factor = ladder.unit * ladder.scale;
  for (double& entry : w) entry = factor * (divides(steps.ladder) ? 1 / entry : entry);
  return w;
}

double step_position(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p) {
  const bool narrow = steps.angle == DType::f32;
  const double plain = narrow ? static_cast<double>(numerics::round<float>(p)) : numerics::round<double>(p);
  const double moved = steps.scale_at == ScaleAt::position ? rounded(steps.angle, ladder.scale * plain) : plain;
  return steps.unit_at == UnitAt::position ? rounded(steps.angle, ladder.unit * moved) : moved;
}

namespace {

// What multiplies their products.
double step_factor(const Steps& steps, const StepLadder& ladder) {
  return steps.scale_at == ScaleAt::position ? 1 : ladder.scale;
}

}  // namespace

void step_products(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles) {
  const bool over = divides(steps.ladder);
  const double position = step_position(steps, ladder, p), scale = step_factor(steps, ladder);
  const auto write = [&](const auto& rounded) {
    double from = position;
    for (const double w : ladder.entries) {
      const double entry = rounded(w), angle = rounded(over ? from / entry : from * entry);
      *angles++ = rounded(scale * angle);
      if (ladder.chained) from = angle;
    }
  };
  if (steps.angle == DType::f32) {
    write([](double x) { return static_cast<double>(static_cast<float>(x)); });
  } else {
    write([](double x) { return x; });
  }
}

void add_step_products(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles) {
  const std::size_t n = ladder.entries.size();
  const bool products = !divides(steps.ladder) && !ladder.chained && step_factor(steps, ladder) == 1;
  if (products && steps.sums == Sums::fused) {
    const double position = step_position(steps, ladder, p);
    for (std::size_t k = 0; k < n; ++k) {
      angles[k] = fused(steps.angle, position, rounded(steps.angle, ladder.entries[k]), angles[k]);
    }
    return;
  }
  const Scratch<double> own(n);
  step_products(steps, ladder, p, own.data());
  for (std::size_t k = 0; k < n; ++k) angles[k] = rounded(steps.angle, angles[k] + own.data()[k]);
}

void finish_angles(const Steps& steps, const StepLadder& ladder, double* angles) {
  const double unit = steps.unit_at == UnitAt::position ? 1 : ladder.unit;
  const std::size_t n = ladder.entries.size();
  if (unit != 1 || !ladder.phases.empty()) {
    for (std::size_t k = 0; k < n; ++k) {
      if (!ladder.phases.empty()) angles[k] = rounded(steps.angle, angles[k] + ladder.phases[k]);
      angles[k] = rounded(steps.angle, unit * angles[k]);
    }
  }
  if (steps.argument != steps.angle) round_all(steps.argument, {angles, n});
}

void step_angles(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles) {
  step_products(steps, ladder, p, angles);
  finish_angles(steps, ladder, angles);
}

}  // namespace posenc
