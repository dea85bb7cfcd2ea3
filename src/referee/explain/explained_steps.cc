// SPDX-License-Identifier: Apache-2.0
// A recipe's roundings one by one, each by the function that makes tables, and what each has lost.
#include <cmath>

#include "src/encodings/recipe_waves.h"
#include "src/referee/explain/explained.h"

namespace posenc::referee {
namespace {

using numerics::Dyadic;
using numerics::Rational;
using numerics::Real;
using numerics::Wave;

double or_zero(const std::optional<double>& value) { return value.value_or(0); }

// ---- the ladder ---------------------------------------------------------------------------------

// What a geometric ladder without a scaling is made of, as real numbers.
struct Meant {
  Real log, rate, exponent, log_exponent, power;
  double slope;  // ln B, of a ladder that falls with a minus
  double number;
};
std::optional<Meant> meant_of(const StatedLadder& of, std::size_t k) {
  const std::optional<PlainPowers> powers = plain_powers(of.ladder, of.span);
  if (!powers) return std::nullopt;
  const Rational over = Rational(1) / Rational(static_cast<std::int64_t>(powers->exponent.denominator));
  const Rational number = Rational(static_cast<std::int64_t>(k * powers->exponent.numerator));
  const Real log = numerics::logarithm(Rational(powers->base));
  const bool falls = powers->slope == LadderSlope::falling;
  const Rational signed_exponent = falls ? -(number * over) : number * over;
  return Meant{log,
               -log * Real(over),
               Real(number * over),
               Real(signed_exponent) * log,
               numerics::power(Rational(powers->base), signed_exponent),
               or_zero(nearest(Number(log))) * (falls ? -1 : 1),
               or_zero(nearest(Number(Real(number))))};
}

// The number that a step stands for, and the error that the step's own makes of the frequency, relatively.
struct Sense {
  std::optional<Real> number;
  std::function<double(double error, double value)> of_frequency;
};
Sense sense_of(const LadderStep& step, const std::optional<Meant>& meant, const Real& w) {
  const auto relative = [](double sign) { return [sign](double error, double value) { return sign * error / value; }; };
  if (step.of == StepOf::frequency) return {w, relative(1)};
  if (step.of == StepOf::divisor) return {numerics::quotient(Real(1), w), relative(-1)};
  if (!meant) return {};
  switch (step.of) {
    case StepOf::logarithm: {
      const double exponent = or_zero(nearest(Number(meant->exponent)));
      const double sign = meant->slope < 0 ? -1 : 1;
      return {meant->log, [=](double error, double) { return sign * exponent * error; }};
    }
    case StepOf::rate: return {meant->rate, [number = meant->number](double error, double) { return number * error; }};
    case StepOf::log_exponent: return {meant->log_exponent, [](double error, double) { return error; }};
    case StepOf::exponent:
      return {meant->exponent, [slope = meant->slope](double error, double) { return slope * error; }};
    case StepOf::power: {  // the power or its inverse: the nearer one
      const Real inverse = numerics::quotient(Real(1), meant->power);
      const bool is_inverse = std::abs(or_zero(relative_error(step.value, Number(inverse)))) <
                              std::abs(or_zero(relative_error(step.value, Number(meant->power))));
      return {is_inverse ? inverse : meant->power, relative(is_inverse ? -1 : 1)};
    }
    default: return {};
  }
}

std::string_view name_of(StepOf of) {
  switch (of) {
    case StepOf::logarithm: return "logarithm";
    case StepOf::rate: return "rate";
    case StepOf::log_exponent:
    case StepOf::exponent: return "exponent";
    case StepOf::power: return "power";
    case StepOf::frequency: return "frequency";
    case StepOf::divisor: return "divisor";
    case StepOf::other: break;
  }
  return "number";
}

// The ladder's entry is the number before it, where nothing was made of that.
std::vector<LadderStep> apart(std::vector<LadderStep> steps) {
  if (steps.size() > 1) {
    LadderStep& before = steps[steps.size() - 2];
    const LadderStep& last = steps.back();
    if (before.value == last.value && before.type == last.type && last.what == "the ladder's entry") {
      before.of = last.of;
      steps.pop_back();
    }
  }
  return steps;
}

void add_ladder(const StepsOf& of, std::size_t axis, std::size_t k, double angle, std::vector<ExplainedStep>& out) {
  const auto& [ladder, span] = of.ladders.stated[axis];
  const bool chained = of.made[axis].chained;
  const std::size_t entry = chained ? std::min<std::size_t>(k, 1) : k;
  const std::optional<Meant> meant = chained ? std::nullopt : meant_of(of.ladders.stated[axis], entry);
  const Real radians_unit = of.steps.unit_at == UnitAt::ladder ? Real(1) : unit_of_angles(ladder);
  const Real w = lower_ladder(ladder, span, 1)[k];
  const Real in_unit = radians_unit == Real(1) ? w : numerics::quotient(w, radians_unit);
  const std::vector<LadderStep> steps = apart(ladder_steps(ladder, span, of.steps, k));
  for (const LadderStep& step : steps) {
    Sense sense = chained ? Sense{} : sense_of(step, meant, in_unit);
    if (sense.number && sense.number->zero()) sense.number.reset();
    ExplainedStep told = step_of(std::string(name_of(step.of)), std::string(step.what), step.type, step.value);
    if (sense.number) {
      const Number number(*sense.number);
      told.relative = relative_error(step.value, number);
      if (const std::optional<double> lost = error(step.value, number)) {
        told.angle = sense.of_frequency(*lost, step.value) * angle;
      }
    }
    out.push_back(std::move(told));
  }
}

// ---- the angle ----------------------------------------------------------------------------------

std::string position_words(const Steps& steps, const StepLadder& ladder) {
  std::string words = "RN(position)";
  if (steps.scale_at == ScaleAt::position && ladder.scale != 1) words = "RN(scale " + words + ")";
  if (steps.unit_at == UnitAt::position && ladder.unit != 1) words = "RN(unit " + words + ")";
  return words;
}

std::string product_words(const Steps& steps, const StepLadder& ladder, std::size_t k) {
  if (ladder.chained && k > 0) {
    return "the angle before it times the ratio, rounded, " + std::to_string(k) + (k == 1 ? " time" : " times");
  }
  const bool divides = steps.ladder == LadderBy::divide || steps.ladder == LadderBy::divide_of_linspace;
  std::string words = divides ? "RN(position / divisor)" : "RN(position frequency)";
  if (steps.scale_at == ScaleAt::angle && ladder.scale != 1) words = "RN(scale " + words + ")";
  return words;
}

struct Sums {
  std::vector<double> angles;
  std::size_t k;
  double at() const { return angles[k]; }
};

// A step whose number is an angle over `unit`.
ExplainedStep angle_step(std::string name, std::string what, DType type, double value, const Real& meant, double unit) {
  const Number number(meant);
  ExplainedStep told = step_of(std::move(name), std::move(what), type, value, &number);
  if (const std::optional<double> lost = error(value, number); lost && std::isfinite(value)) told.angle = *lost * unit;
  return told;
}

// All but phases, a unit at the angle and the argument; the sum of what is meant in the unit of the ladder.
Sums add_products(const StepsOf& of, const plan::Angle& angle, Place place, const Real& unit, Real& meant,
                  std::vector<ExplainedStep>& out) {
  Sums sums = {{}, angle.frequency};
  const std::vector<std::size_t> axes = axes_of(of.ladders, angle);
  const double unit_value = or_zero(nearest(Number(unit)));
  for (const std::size_t a : axes) {
    const StepLadder& ladder = of.made[a];
    const std::string axis = axes.size() > 1 ? " of " + of.ladders.axes[a] : "";
    const Real own = Real(Rational(*place[a])) * of.ladders.lowered[a][angle.frequency];
    add_ladder(of, a, angle.frequency, or_zero(nearest(Number(own))), out);
    const double position = step_position(of.steps, ladder, *place[a]);
    Real exact_position = Real(Rational(*place[a]));
    if (of.steps.unit_at == UnitAt::position) {
      exact_position = exact_position * unit_of_angles(of.ladders.stated[a].ladder);
    }
    if (of.steps.scale_at == ScaleAt::position) exact_position = exact_position * Real(ladder.scale);
    const Number number(exact_position);
    ExplainedStep told =
        step_of("position" + axis, position_words(of.steps, ladder), of.steps.angle, position, &number);
    if (told.relative) told.angle = *told.relative * or_zero(nearest(Number(own)));
    out.push_back(std::move(told));
    meant = meant + (unit == Real(1) ? own : numerics::quotient(own, unit));
    if (sums.angles.empty()) {
      sums.angles.resize(ladder.entries.size());
      step_products(of.steps, ladder, *place[a], sums.angles.data());
    } else {
      add_step_products(of.steps, ladder, *place[a], sums.angles.data());
    }
    std::string words = product_words(of.steps, ladder, angle.frequency);
    if (a != axes.front()) words = "the sum before it and " + words;
    out.push_back(angle_step("angle" + axis, words, of.steps.angle, sums.at(), meant, unit_value));
  }
  return sums;
}

// ---- the wave -----------------------------------------------------------------------------------

// A wave, scaled, in Steps::sine.
double made_wave(Steps steps, const StepLadder& ladder, double angle, Wave wave) {
  steps.storage.clear();
  StepLadder one = ladder;
  one.entries = {1};
  double value = 0;
  with_real(steps.sine, [&]<class T>(T) {
    T sine, cosine;
    if (!waves_of_angles<T>(steps, one, &angle, {&sine, &cosine, 1, 1, 1})) sine = cosine = T(NAN);
    value = wide(wave == Wave::sine ? sine : cosine);
  });
  return value;
}

void add_storage(const Steps& steps, const Number& meant, std::vector<ExplainedStep>& out) {
  double value = out.back().value;
  for (const DType type : steps.storage) {
    value = rounded(type, value);
    out.push_back(step_of("storage", "RN(it)", type, value, &meant));
  }
}

Real scale_meant(const StepScale& scale) {
  return scale.by == StepScale::By::over ? Real(Rational(1) / Rational(scale.number)) : Real(scale.number);
}
std::string scale_words(const StepScale& scale) {
  return scale.by == StepScale::By::over ? "RN(it / RN(sqrt(d)))" : "RN(RN(scale) it)";
}

}  // namespace

ExplainedStep step_of(std::string name, std::string what, DType type, double value, const Number* meant) {
  ExplainedStep told = {std::move(name), std::move(what), type, value, bits_of(type, value), {}, {}};
  if (meant != nullptr && std::isfinite(value)) told.relative = relative_error(value, *meant);
  return told;
}

std::vector<ExplainedStep> wave_steps(const StepsOf& of, const plan::Angle& angle, Wave wave, Place place) {
  std::vector<ExplainedStep> out;
  if (angle.axis == plan::no_axis) return constant_steps(of, wave == Wave::cosine ? 1 : 0);
  const std::size_t first_axis = axes_of(of.ladders, angle).front();
  const StepLadder& first = of.made[first_axis];
  const bool at_angle = of.steps.unit_at == UnitAt::angle && first.unit != 1;
  const Real unit = at_angle ? unit_of_angles(of.ladders.stated[first_axis].ladder) : Real(1);
  Real meant;
  Sums sums = add_products(of, angle, place, unit, meant, out);
  const Real exact_angle = real_angle(of.ladders, angle, place);
  Steps unrounded = of.steps;
  unrounded.argument = of.steps.angle;
  if (!first.phases.empty() && at_angle) {
    StepLadder plain = first;
    plain.unit = 1;
    std::vector<double> with_phase = sums.angles;
    finish_angles(unrounded, plain, with_phase.data());
    out.push_back(angle_step("phase", "RN(angle + RN(phase))", of.steps.angle, with_phase[sums.k],
                             numerics::quotient(exact_angle, unit), or_zero(nearest(Number(unit)))));
  }
  finish_angles(unrounded, first, sums.angles.data());
  if (at_angle || !first.phases.empty()) {
    out.push_back(angle_step("angle", at_angle ? "RN(RN(unit) it)" : "RN(angle + RN(phase))", of.steps.angle, sums.at(),
                             exact_angle, 1));
  }
  double argument = sums.at();
  if (of.steps.argument != of.steps.angle) {
    argument = rounded(of.steps.argument, argument);
    out.push_back(angle_step("argument", "RN(angle)", of.steps.argument, argument, exact_angle, 1));
  }
  const Number exact_wave = referee::wave(wave, exact_angle);
  StepLadder unscaled = first;
  unscaled.output = {};
  const std::string name = wave == Wave::sine ? "sine" : "cosine";
  out.push_back(step_of(name, wave == Wave::sine ? "RN(sin(argument))" : "RN(cos(argument))", of.steps.sine,
                        made_wave(of.steps, unscaled, argument, wave), &exact_wave));
  Number last = exact_wave;
  if (!first.output.is_one()) {
    last = exact_wave * Number(scale_meant(first.output));
    out.push_back(
        step_of("scale", scale_words(first.output), of.steps.sine, made_wave(of.steps, first, argument, wave), &last));
  }
  add_storage(of.steps, last, out);
  return out;
}

std::vector<ExplainedStep> coordinate_steps(const StepsOf& of, std::size_t axis, Place place) {
  std::vector<ExplainedStep> out;
  Steps steps = of.steps;
  steps.storage.clear();
  const StepScale& scale = of.made[axis].output;
  const Real exact = Real(Rational(*place[axis]));
  const Number number(exact), scaled(exact * scale_meant(scale));
  const bool narrow = of.steps.angle == DType::f32;
  const double position = narrow ? wide(numerics::round<float>(*place[axis])) : numerics::round<double>(*place[axis]);
  out.push_back(step_of("position", "RN(position)", of.steps.angle, position, &number));
  double value = 0;
  with_real(steps.sine, [&]<class T>(T) { value = wide(recipe_coordinate<T>(steps, scale, *place[axis])); });
  if (!scale.is_one() || steps.sine != of.steps.angle) {
    out.push_back(step_of("scale", scale.is_one() ? "RN(it)" : scale_words(scale), steps.sine, value, &scaled));
  }
  add_storage(of.steps, scaled, out);
  return out;
}

std::vector<ExplainedStep> constant_steps(const StepsOf& of, unsigned quarter) {
  std::vector<ExplainedStep> out;
  Steps steps = of.steps;
  steps.storage.clear();
  const StepScale& scale = of.made.front().output;
  const Number meant(quarter % 2 == 0 ? Real() : quarter == 1 ? scale_meant(scale) : -scale_meant(scale));
  double value = 0;
  with_real(steps.sine, [&]<class T>(T) { value = wide(recipe_constant<T>(steps, scale, quarter)); });
  out.push_back(step_of("constant", "the wave at angle 0", steps.sine, value, &meant));
  add_storage(of.steps, meant, out);
  return out;
}

}  // namespace posenc::referee
