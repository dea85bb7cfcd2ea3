// SPDX-License-Identifier: Apache-2.0
// Scalings that leave all frequencies on one line; the others beside them.
#include "src/referee/scaling_fit.h"

#include <algorithm>
#include <cmath>

#include "src/conventions/usual.h"
#include "src/referee/logarithm.h"
#include "src/referee/scalings.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

Fitted factor_between(double low, double high) { return fitted_between("factor", low, high); }

void add_linear(Scalings& scalings, const Line& line, const Fitted& base) {
  const double off = line.at_zero_off + 0x1p-30;
  if (!(line.at_zero + off < -near_one)) return;
  const Fitted factor = factor_between(exp_of(-line.at_zero - off), exp_of(-line.at_zero + off));
  const FieldChange changes[] = {{"ladder.base", base.value},
                                 {"ladder.first", 1},
                                 {"ladder.scaling", "linear"},
                                 {"ladder.scaling.factor", factor.value}};
  scalings.add(changes, {base, factor});
}

// The tokens of a call: the one number between, or, where types are narrow, one that people write or the middle one.
std::optional<std::int64_t> sequence_length(double low, double high) {
  constexpr double narrow = 0.02, vague = 0.01;
  const double nearest = std::rint((low + high) / 2);
  if (high - low <= narrow) {
    return low <= nearest && nearest <= high ? std::optional(static_cast<std::int64_t>(nearest)) : std::nullopt;
  }
  if (!(high - low < vague * low)) return std::nullopt;
  for (const double unit : {0x1p16, 0x1p14, 0x1p12, 0x1p10, 10000.0, 1000.0, 100.0}) {
    const double multiple = std::rint(nearest / unit) * unit;
    if (low <= multiple && multiple <= high) return static_cast<std::int64_t>(multiple);
  }
  return static_cast<std::int64_t>(nearest);
}

// base = B m^(r / (r - 2)): m is the factor of NTK, factor (L' / length) - (factor - 1) of dynamic NTK.
void add_longer_base(Scalings& scalings, const Fitted& base) {
  const double rotated = -2 / scalings.exponent, power = (rotated - 2) / rotated;
  if (!(rotated > 2.5)) return;
  for (const double usual : schema::usual_bases) {
    if (!(base.low > usual)) continue;
    const double low = exp_of(power * log_of(base.low / usual)), high = exp_of(power * log_of(base.high / usual));
    const Fitted factor = factor_between(low, high);
    constexpr double seldom = 0.001;
    const bool is_quarters = !factor.simple.empty() && factor.value * 4 == std::floor(factor.value * 4);
    if (is_quarters || chance_of_digits({low, high}, factor.simple) < seldom) {
      const FieldChange changes[] = {
          {"ladder.base", usual}, {"ladder.scaling", "ntk"}, {"ladder.scaling.factor", factor.value}};
      scalings.add(changes, {factor});
    }
    for (const auto& [by, length] :
         {std::pair(4.0, 4096), {2.0, 4096}, {2.0, 2048}, {4.0, 2048}, {8.0, 4096}, {2.0, 8192}, {4.0, 8192}}) {
      const auto tokens = [&](double m) { return length * (m + by - 1) / by; };
      const auto count = sequence_length(tokens(low), tokens(high));
      if (!count) continue;
      const FieldChange changes[] = {{"ladder.base", usual},
                                     {"ladder.scaling", "dynamic_ntk"},
                                     {"ladder.scaling.factor", by},
                                     {"ladder.scaling.length", length}};
      const Fitted fitted = {"length", static_cast<double>(*count), tokens(low), tokens(high), std::to_string(*count)};
      scalings.add(changes, {fitted}, *count);
      break;
    }
  }
}

// The last ones do not turn.
void add_proportional(Scalings& scalings) {
  const auto stands = [&](std::size_t k) { return std::abs(scalings.all[k].value) <= scalings.all[k].off; };
  std::size_t turning = scalings.all.size();
  while (turning > 0 && stands(turning - 1)) --turning;
  if (turning < 2 || turning == scalings.all.size()) return;
  const auto line = line_through(scalings.logarithms, turning);
  if (!line) return;
  const Fitted base = line_base(*line, scalings.exponent);
  const double off = line->at_zero_off + 0x1p-30, pairs = static_cast<double>(scalings.all.size());
  Fitted factor = factor_between(exp_of(-line->at_zero - off), exp_of(-line->at_zero + off));
  if (factor.low <= 1 && 1 <= factor.high) factor.value = 1, factor.simple = "1";
  const bool is_flat = base.low < 1 + near_one && base.high > 1 - near_one;  // a mask: ones, then zeros
  if (is_flat || base.simple.empty() || factor.simple.empty()) return;
  double part = (static_cast<double>(turning) + 0.5) / pairs;
  for (const double usual : {0.5, 0.25, 0.75, 0.125}) {
    if (std::floor(usual * pairs) == static_cast<double>(turning)) part = usual;
  }
  std::vector<Fitted> fitted = {base};
  if (factor.value != 1) fitted.push_back(factor);
  const FieldChange changes[] = {{"ladder.base", base.value},
                                 {"ladder.scaling", "proportional"},
                                 {"ladder.scaling.factor", factor.value},
                                 {"ladder.scaling.part", part}};
  scalings.add(changes, std::move(fitted));
}

}  // namespace

std::vector<LadderFit> scaling_fits(const Signal& like, std::span<const Frequency> frequencies,
                                    const Logarithms& logarithms, double exponent, SharedFits& shared) {
  Scalings scalings = {like, frequencies, logarithms, exponent, shared, {}};
  if (!(exponent < 0) || frequencies.size() < 2) return {};
  if (const auto line = line_through(logarithms, frequencies.size())) {
    const Fitted base = line_base(*line, exponent);
    add_linear(scalings, *line, base);
    if (std::abs(line->at_zero) <= line->at_zero_off + 0x1p-20) {
      add_longer_base(scalings, base_from_one(logarithms, exponent).value_or(base));
    }
  }
  add_proportional(scalings);
  add_ramps(scalings);
  add_longrope(scalings);
  return std::move(scalings.found);
}

}  // namespace posenc::referee
