// SPDX-License-Identifier: Apache-2.0
// Ladders and magnitudes of rotations in plain loops and long double: they share no code with the library.
#pragma once

#include <algorithm>
#include <limits>
#include <numbers>

#include "tests/encodings/plain.h"

namespace posenc::test {

/// What a scaling (ladders.h) makes of w, entry k of a ladder over r columns, of a call of one token.
struct PlainScaling {
  long double base, r, k, w;

  long double operator()(const Nothing&) const { return w; }
  long double operator()(const LinearScaling& by) const { return w / by.factor; }
  long double operator()(const BaseScaling& by) const { return w * power(by.factor, -2 * k / r); }
  long double operator()(const NtkScaling& by) const { return w * power(by.factor, -2 * k / (r - 2)); }
  long double operator()(const YarnScaling& by) const {
    long double low = pair_of(by, by.fast), high = pair_of(by, by.slow);
    if (by.truncate == Truncate::whole) low = std::floor(low), high = std::ceil(high);
    low = std::clamp(low, 0.0L, r - 1), high = std::clamp(high, 0.0L, r - 1);
    if (low == high) high += 0.001L;
    const long double ramp = std::clamp((k - low) / (high - low), 0.0L, 1.0L);
    return w / by.factor * ramp + w * (1 - ramp);
  }
  long double operator()(const Llama3Scaling& by) const {
    const long double turns = static_cast<long double>(by.length) * w / (2 * std::numbers::pi_v<long double>);
    if (turns > by.high) return w;
    if (turns < by.low || by.low == by.high) return w / by.factor;
    const long double t = (turns - by.low) / (static_cast<long double>(by.high) - by.low);
    return (1 - t) * w / by.factor + t * w;
  }
  long double operator()(const ProportionalScaling& by) const {
    return k < std::floor(by.part * static_cast<double>(r) / 2) ? w / by.factor : 0;
  }
  long double operator()(const ClippedScaling& by) const {
    const long double c = std::min(static_cast<long double>(by.pairs), r / 2), j = k - (r / 2 - c);
    if (j <= 0) return w;
    return j == c - 1 ? 0 : w * (1 + std::cos(std::numbers::pi_v<long double> * j / (c - 1))) / 2;
  }
  long double operator()(const DynamicNtkScaling&) const { return w; }
  long double operator()(const LongRopeScaling& by) const {
    return w / by.short_factors.at(static_cast<std::size_t>(k));
  }
  long double operator()(const Unstated&) const { return std::numeric_limits<long double>::quiet_NaN(); }

 private:
  static long double power(long double x, long double e) { return std::pow(x, e); }
  long double pair_of(const YarnScaling& by, long double turns) const {
    const long double all = static_cast<long double>(by.length) / (2 * std::numbers::pi_v<long double>);
    return r * std::log(all / turns) / (2 * std::log(base));
  }
};

/// The frequencies of r columns that turn, of a geometric ladder on one axis.
inline std::vector<long double> plain_frequencies(const Rotary& rotary, std::int64_t r) {
  auto unscaled = std::get<Geometric>(rotary.ladders.at(0));
  const Scaling scaling = std::exchange(unscaled.scaling, Nothing{});
  std::vector<long double> w = plain_ladder(unscaled, r, r / 2);
  for (std::size_t k = 0; k < w.size(); ++k) {
    const PlainScaling by = {unscaled.base, static_cast<long double>(r), static_cast<long double>(k), w[k]};
    w[k] = std::visit(by, scaling);
  }
  return w;
}

/// The factor of cosines and sines: a number, YaRN's or LongRoPE's.
inline long double plain_magnitude(const Rotary& rotary) {
  if (const auto* number = std::get_if<double>(&rotary.magnitude)) return *number;
  if (const auto* by = std::get_if<LongRopeMagnitude>(&rotary.magnitude)) {
    return std::sqrt(1 +
                     std::log(static_cast<long double>(by->factor)) / std::log(static_cast<long double>(by->length)));
  }
  const auto& yarn = std::get<YarnMagnitude>(rotary.magnitude);
  const auto m = [&](long double gain) { return 1 + gain * std::log(static_cast<long double>(yarn.factor)) / 10; };
  if (yarn.factor <= 1) return 1;
  return yarn.gain != 0 && yarn.gain_all != 0 ? m(yarn.gain) / m(yarn.gain_all) : m(1);
}

/// The number of columns of a head of d that turn.
inline std::int64_t plain_turned(const Rotary& rotary, std::int64_t d) {
  if (const auto* count = std::get_if<std::int64_t>(&rotary.part)) return *count;
  const auto* by = std::get_if<ColumnShare>(&rotary.part);
  return by == nullptr ? d : static_cast<std::int64_t>(std::floor(static_cast<double>(d) * by->share));
}

}  // namespace posenc::test
