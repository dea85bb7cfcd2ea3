// SPDX-License-Identifier: Apache-2.0
// One operation, one rounding. PyTorch makes a number over a tensor as the tensor's reciprocal times the number.
#include "src/conventions/scaled_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/conventions/arithmetic.h"
#include "src/conventions/scaling.h"
#include "src/numerics/elementary.h"

namespace posenc {
namespace {

// Each result rounded to the type.
struct Rounding {
  DType type;
  double operator()(double x) const { return rounded(type, x); }
  double reciprocal(double x) const { return (*this)(1 / x); }
};

// ---- the base, in f64 ----------------------------------------------------------------------------

std::optional<double> raised(double base, double factor, double r) {
  const std::optional<double> power = numerics::pow_rounded<double>(numerics::base(factor), r / (r - 2));
  if (!power) return std::nullopt;
  return base * *power;
}

std::optional<double> scaled_base(double base, const BaseScaling& by, const Span&) { return base * by.factor; }
std::optional<double> scaled_base(double base, const NtkScaling& by, const Span& span) {
  return raised(base, by.factor, static_cast<double>(span.width));
}
// The length is a tensor there, so every operation is one of the frequency's type.
std::optional<double> scaled_base(double base, const DynamicNtkScaling& by, const Span& span, const Rounding& round) {
  const auto longest = static_cast<double>(std::max(span.length, by.length)), r = static_cast<double>(span.width);
  const double grown = round(round(by.factor) * round(longest)) / static_cast<double>(by.length);
  const double factor = round(round(grown) - round(by.factor - 1)), exponent = r / (r - 2);
  const numerics::Base raised_one = numerics::base(factor);
  const std::optional<double> power = round.type == DType::f32
                                          ? std::optional<double>(numerics::pow_rounded<float>(raised_one, exponent))
                                          : numerics::pow_rounded<double>(raised_one, exponent);
  if (!power) return std::nullopt;
  return round(round(base) * *power);
}

// ---- each entry ----------------------------------------------------------------------------------

std::optional<double> cosine_of(DType type, double angle) {
  const auto cosine = [&]<class T>(T) -> std::optional<double> {
    const auto pair = numerics::sine_cosine_rounded<T>(angle);
    return pair ? std::optional<double>(pair->cosine) : std::nullopt;
  };
  return type == DType::f32 ? cosine(float()) : cosine(double());
}

struct Asked {
  const Geometric& ladder;
  const Span& span;
  const Steps& steps;
  Rounding round = {steps.frequency};
};

template <class By>
bool scale_each(const Asked& asked, const By&, std::vector<double>& powers) {  // of the base, or none
  for (double& entry : powers) entry = asked.round.reciprocal(entry);
  return true;
}

bool scale_each(const Asked& asked, const LinearScaling& by, std::vector<double>& powers) {
  const Rounding& round = asked.round;
  for (double& entry : powers) entry = round(round.reciprocal(entry) / round(by.factor));
  return true;
}

bool scale_each(const Asked& asked, const ProportionalScaling& by, std::vector<double>& powers) {
  const Rounding& round = asked.round;
  const auto turned = static_cast<std::size_t>(by.part * static_cast<double>(asked.span.width) / 2);
  for (std::size_t k = 0; k < powers.size(); ++k) {
    powers[k] = k < turned ? round(round.reciprocal(powers[k]) / round(by.factor)) : 0;
  }
  return true;
}

bool scale_each(const Asked& asked, const ClippedScaling& by, std::vector<double>& powers) {
  const Rounding& round = asked.round;
  for (double& entry : powers) entry = round.reciprocal(entry);
  const std::int64_t clipped = std::min<std::int64_t>(by.pairs, std::ssize(powers));
  double* entry = powers.data() + std::ssize(powers) - clipped;
  for (const double angle : linspace(asked.steps, 0, std::numbers::pi, clipped)) {
    const std::optional<double> cosine = cosine_of(round.type, angle);
    if (!cosine) return false;
    *entry = round(*entry * round(0.5 * round(1 + *cosine)));
    ++entry;
  }
  return true;
}

bool scale_each(const Asked& asked, const LongRopeScaling& by, std::vector<double>& powers) {
  const Rounding& round = asked.round;
  const std::vector<double>& factors = asked.span.length > by.length ? by.long_factors : by.short_factors;
  for (std::size_t k = 0; k < powers.size(); ++k) {
    powers[k] = round.reciprocal(round(round(factors[k]) * powers[k]));
  }
  return true;
}

// The pair that makes t turns within the length, in f64.
std::optional<double> pair_that_makes(double t, const Asked& asked, const YarnScaling& yarn) {
  const double turns = static_cast<double>(yarn.length) / (t * 2 * std::numbers::pi);
  const std::optional<double> a = numerics::log_rounded<double>(turns);
  const std::optional<double> b = numerics::log_rounded<double>(asked.ladder.base);
  if (!a || !b) return std::nullopt;
  return static_cast<double>(asked.span.width) * *a / (2 * *b);
}

bool scale_each(const Asked& asked, const YarnScaling& yarn, std::vector<double>& powers) {
  const Rounding& round = asked.round;
  const std::optional<double> fast = pair_that_makes(yarn.fast, asked, yarn);
  const std::optional<double> slow = pair_that_makes(yarn.slow, asked, yarn);
  if (!fast || !slow) return false;
  const bool whole = yarn.truncate == Truncate::whole;
  const double low = std::max(whole ? std::floor(*fast) : *fast, 0.0);
  double high = std::min(whole ? std::ceil(*slow) : *slow, static_cast<double>(asked.span.width - 1));
  if (low == high) high += 0.001;
  for (std::size_t k = 0; k < powers.size(); ++k) {
    const double away = round(static_cast<double>(k) - round(low));
    const double ramp = std::clamp(round(away / round(high - low)), 0.0, 1.0), m = round(1 - ramp);
    const double slowed = round.reciprocal(round(round(yarn.factor) * powers[k])), kept = round.reciprocal(powers[k]);
    powers[k] = round(round(slowed * round(1 - m)) + round(kept * m));
  }
  return true;
}

bool scale_each(const Asked& asked, const Llama3Scaling& by, std::vector<double>& powers) {
  const Rounding& round = asked.round;
  const auto length = static_cast<double>(by.length);
  const double longest = round(length / by.low), shortest = round(length / by.high), factor = round(by.factor);
  for (double& entry : powers) {
    const double w = round.reciprocal(entry);
    const double wave = round(round.reciprocal(w) * round(2 * std::numbers::pi));
    if (wave > longest) {
      entry = round(w / factor);
    } else if (wave < shortest) {
      entry = w;
    } else {
      const double turns = round(round.reciprocal(wave) * round(length));
      const double t = round(round(turns - round(by.low)) / round(by.high - by.low));
      entry = round(round(round(round(1 - t) * w) / factor) + round(t * w));
    }
  }
  return true;
}

}  // namespace

std::optional<double> step_base(const Geometric& ladder, const Span& span, DType frequency) {
  return std::visit(
      [&]<class By>(const By& by) -> std::optional<double> {
        const Rounding round = {frequency};
        if constexpr (requires { scaled_base(ladder.base, by, span); }) return scaled_base(ladder.base, by, span);
        if constexpr (requires { scaled_base(ladder.base, by, span, round); }) {
          return scaled_base(ladder.base, by, span, round);
        }
        return ladder.base;
      },
      ladder.scaling);
}

bool scale_powers(const Geometric& ladder, const Span& span, const Steps& steps, std::vector<double>& powers) {
  const Asked asked = {ladder, span, steps};
  return std::visit([&](const auto& by) { return scale_each(asked, by, powers); }, ladder.scaling);
}

}  // namespace posenc
