// SPDX-License-Identifier: Apache-2.0
// Each scaling by what it leaves as it was: the slope, the first frequencies, or short decimals.
#include "src/referee/scaling_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/referee/logarithm.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

constexpr double turn = 6.283185307179586;
constexpr double usual_bases[] = {10000, 500000, 1e6, 1e7, 5e6, 8e6, 2e6, 1.5e5, 160000, 1.2e7, 100000};
constexpr std::int64_t usual_lengths[] = {4096,   8192, 2048,  32768,  131072,  16384, 65536,
                                          262144, 1024, 40960, 524288, 1048576, 512};

struct Scalings {
  const Signal& like;
  std::span<const Frequency> all;
  const Logarithms& logarithms;
  double exponent;  // of w_1: -2 / r, of r rotated columns
  std::vector<LadderFit> found;

  double relative_off(std::size_t k) const { return all[k].off / std::abs(all[k].value); }
  bool known(std::size_t k) const { return all[k].value > 0 && relative_off(k) < 0.05; }
  void add(std::span<const FieldChange> changes, std::vector<Fitted> fitted, std::optional<std::int64_t> length = {}) {
    auto fit = changed_fit(like, changes, std::move(fitted));
    if (!fit) return;
    fit->length = length;
    found.push_back(std::move(*fit));
  }
  // Those that carry the factor of the scaling into the magnitude as well.
  void add_with_magnitude(std::span<const FieldChange> changes, double factor, const std::vector<Fitted>& fitted) {
    const std::size_t before = found.size();
    std::vector<FieldChange> both(changes.begin(), changes.end());
    both.emplace_back("magnitude.factor", factor);
    add(both, fitted);
    if (found.size() == before) add(changes, fitted);
  }
};

// ---- all frequencies on one line -----------------------------------------------------------------

Fitted factor_between(double low, double high) { return fitted_between("factor", low, high); }

void add_linear(Scalings& scalings, const Line& line, const Fitted& base) {
  const double off = line.at_zero_off + 0x1p-30;
  if (!(line.at_zero + off < 0)) return;
  const Fitted factor = factor_between(exp_of(-line.at_zero - off), exp_of(-line.at_zero + off));
  const FieldChange changes[] = {{"ladder.base", base.value},
                                 {"ladder.first", 1},
                                 {"ladder.scaling", "linear"},
                                 {"ladder.scaling.factor", factor.value}};
  scalings.add(changes, {base, factor});
}

// The tokens of a call: the one number between, or, where types are narrow, the one that people write.
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
  return std::nullopt;
}

// base = B m^(r / (r - 2)): m is the factor of NTK, factor (L' / length) - (factor - 1) of dynamic NTK.
void add_longer_base(Scalings& scalings, const Fitted& base) {
  const double rotated = -2 / scalings.exponent, power = (rotated - 2) / rotated;
  if (!(rotated > 2.5)) return;
  for (const double usual : usual_bases) {
    if (!(base.low > usual)) continue;
    const double low = exp_of(power * log_of(base.low / usual)), high = exp_of(power * log_of(base.high / usual));
    const Fitted factor = factor_between(low, high);
    if (!factor.simple.empty() && factor.value * 4 == std::floor(factor.value * 4)) {
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
  if (base.simple.empty() || factor.simple.empty()) return;
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

// ---- the first ones as they were, the last ones divided ------------------------------------------

// A ladder of whose first frequencies nothing has been scaled, and whose last ones are divided by a factor.
struct Bent {
  Fitted base, factor;
  std::vector<double> plain;  // what each was
  std::vector<double> kept;   // 1 where it is as it was, 0 where it is divided, between else
  std::vector<double> off;
};

// From the most frequencies that say a simple base.
std::optional<Fitted> base_at_start(const Scalings& scalings) {
  for (std::size_t count = scalings.all.size() - 1; count >= 2; --count) {
    const auto line = line_through(scalings.logarithms, count);
    if (!line || std::abs(line->at_zero) > line->at_zero_off + 0x1p-20) continue;
    const Fitted base = line_base(*line, scalings.exponent);
    if (!base.simple.empty()) return base;
  }
  return std::nullopt;
}

// What the slowest ones that are known were divided by: as many of them as it takes.
std::optional<Interval> divisor_at_end(const Scalings& scalings, const std::vector<double>& plain) {
  constexpr double enough = 0.01;
  Interval all = {1, std::numeric_limits<double>::infinity()};
  for (std::size_t k = plain.size(); k > 0 && !(all.high - all.low < enough * all.low); --k) {
    if (!scalings.known(k - 1)) continue;
    const double ratio = plain[k - 1] / scalings.all[k - 1].value, off = 2 * scalings.relative_off(k - 1) + 0x1p-20;
    const Interval next = {std::max(all.low, (1 - off) * ratio), std::min(all.high, (1 + off) * ratio)};
    if (!(next.low <= next.high)) break;
    all = next;
  }
  if (!(all.low > 1) || !(all.high < std::numeric_limits<double>::infinity())) return std::nullopt;
  return all;
}

std::optional<Bent> bent(const Scalings& scalings) {
  constexpr std::size_t fewest = 4;
  if (scalings.all.size() < fewest || !scalings.known(0)) return std::nullopt;
  if (std::abs(scalings.logarithms.of[0]) > 2 * scalings.logarithms.off[0] + 0x1p-20) return std::nullopt;
  const auto base = base_at_start(scalings);
  if (!base) return std::nullopt;
  Bent made = {*base, {}, {}, {}, {}};
  const double step = log_of(base->value) * scalings.exponent;
  for (std::size_t k = 0; k < scalings.all.size(); ++k) {
    made.plain.push_back(exp_of(step * static_cast<double>(k)));
  }
  const auto divisor = divisor_at_end(scalings, made.plain);
  if (!divisor) return std::nullopt;
  made.factor = factor_between(divisor->low, divisor->high);
  if (made.factor.simple.empty()) return std::nullopt;
  const double divided = 1 / made.factor.value;
  for (std::size_t k = 0; k < scalings.all.size(); ++k) {
    const double ratio = scalings.all[k].value / made.plain[k];
    made.kept.push_back((ratio - divided) / (1 - divided));
    made.off.push_back((2 * scalings.relative_off(k) + 0x1p-20) * ratio / (1 - divided));
  }
  return made;
}

bool keeps(const Bent& bent, const auto& kept) {
  for (std::size_t k = 0; k < bent.kept.size(); ++k) {
    if (std::abs(bent.kept[k] - std::clamp(kept(k), 0.0, 1.0)) > bent.off[k]) return false;
  }
  return true;
}

struct Turns {
  double fast, slow;
};

// kept_k falls from 1 at `low` to 0 at `high`, the places in the ladder of so many turns in the stated length.
void add_yarn(Scalings& scalings, const Bent& bent) {
  const double rotated = -2 / scalings.exponent;
  for (const auto& [fast, slow] : {Turns{32, 1}, {16, 1}, {64, 1}, {32, 2}, {16, 2}, {32, 4}, {8, 1}, {64, 2}}) {
    for (const std::int64_t length : usual_lengths) {
      const auto place = [&](double turns) {
        return rotated * log_of(static_cast<double>(length) / (turn * turns)) / (2 * log_of(bent.base.value));
      };
      for (const std::string_view truncate : {"whole", "none"}) {
        double low = place(fast), high = place(slow);
        if (truncate == "whole") low = std::floor(low), high = std::ceil(high);
        low = std::clamp(low, 0.0, rotated - 1), high = std::clamp(high, 0.0, rotated - 1);
        if (low == high) high += 0.001;
        const auto kept = [&](std::size_t k) { return 1 - (static_cast<double>(k) - low) / (high - low); };
        if (!keeps(bent, kept)) continue;
        const FieldChange changes[] = {{"ladder.base", bent.base.value},
                                       {"ladder.scaling", "yarn"},
                                       {"ladder.scaling.factor", bent.factor.value},
                                       {"ladder.scaling.length", length},
                                       {"ladder.scaling.fast", fast},
                                       {"ladder.scaling.slow", slow},
                                       {"ladder.scaling.truncate", truncate}};
        scalings.add_with_magnitude(changes, bent.factor.value, {bent.base, bent.factor});
        return;
      }
    }
  }
}

// kept_k falls with the turns in the stated length, from 1 at `high` turns to 0 at `low`.
void add_llama3(Scalings& scalings, const Bent& bent) {
  for (const auto& [high, low] : {Turns{4, 1}, {8, 1}, {2, 1}, {8, 2}, {16, 1}, {32, 1}, {4, 2}}) {
    for (const std::int64_t length : usual_lengths) {
      const auto kept = [&](std::size_t k) {
        return (static_cast<double>(length) * bent.plain[k] / turn - low) / (high - low);
      };
      if (!keeps(bent, kept)) continue;
      const FieldChange changes[] = {
          {"ladder.base", bent.base.value}, {"ladder.scaling", "llama3"},  {"ladder.scaling.factor", bent.factor.value},
          {"ladder.scaling.low", low},      {"ladder.scaling.high", high}, {"ladder.scaling.length", length}};
      scalings.add(changes, {bent.base, bent.factor});
      return;
    }
  }
}

// ---- each divided by a number of its own ---------------------------------------------------------

// Bases of one and two digits, the usual ones first.
std::vector<double> bases_to_try() {
  std::vector<double> all(std::begin(usual_bases), std::end(usual_bases));
  for (double unit = 100; unit <= 1e6; unit *= 10) {
    for (int digits = 10; digits < 100; ++digits) all.push_back(unit * digits);
  }
  return all;
}

// The divisors of a ladder of this base if all of them are decimals of 5 digits, as far as `all` tells them with a part
// of what they may be off; nothing where that is met by chance.
std::optional<std::vector<double>> divisors_of(const Scalings& scalings, double base, double part, double seldom) {
  constexpr double per_unit = 1e5;
  const double step = log_of(base) * scalings.exponent;
  std::vector<double> divisors;
  double by_chance = 0;  // the logarithm of its probability
  for (std::size_t k = 0; k < scalings.all.size(); ++k) {
    if (!scalings.known(k)) return std::nullopt;
    const double divisor = exp_of(step * static_cast<double>(k)) / scalings.all[k].value;
    const double off = (part * scalings.relative_off(k) + 0x1p-24) * divisor,
                 near = std::rint(divisor * per_unit) / per_unit;
    if (off * per_unit < 0.25) {
      if (std::abs(near - divisor) > off) return std::nullopt;
      by_chance += log_of(2 * off * per_unit);
    }
    if (!divisors.empty() && divisor + off < divisors.back()) return std::nullopt;
    const bool vague = off > 1e-3 * divisor;
    const auto simple = vague ? simple_number({divisor - off, divisor + off}) : std::nullopt;
    divisors.push_back(simple ? simple->value : near);
  }
  return by_chance < seldom ? std::optional(std::move(divisors)) : std::nullopt;
}

// Lists of divisors are short decimals that never fall: a base under which all are is not met by chance. The call's
// length decides between two lists; of the other one nothing is known.
void add_longrope(Scalings& scalings) {
  constexpr double seldom = -20;  // of the bases and the two tolerances together one in a million
  for (const double base : bases_to_try()) {
    for (const double part : {1.0, 0.3}) {
      const auto divisors = divisors_of(scalings, base, part, seldom);
      if (!divisors) continue;
      // Rows of presets list divisors for another width: none of them is among those at hand.
      scalings.found.push_back({{{"ladder.base", base},
                                 {"ladder.scaling.short_factors", *divisors},
                                 {"ladder.scaling.long_factors", *divisors}},
                                {},
                                true,
                                {},
                                "rope-longrope"});
      return;
    }
  }
}

}  // namespace

std::vector<LadderFit> scaling_fits(const Signal& like, std::span<const Frequency> frequencies,
                                    const Logarithms& logarithms, double exponent) {
  Scalings scalings = {like, frequencies, logarithms, exponent, {}};
  if (!(exponent < 0) || frequencies.size() < 2) return {};
  if (const auto line = line_through(logarithms, frequencies.size())) {
    const Fitted base = line_base(*line, exponent);
    add_linear(scalings, *line, base);
    if (std::abs(line->at_zero) <= line->at_zero_off + 0x1p-20) {
      add_longer_base(scalings, base_from_one(logarithms, exponent).value_or(base));
    }
  }
  add_proportional(scalings);
  if (const auto made = bent(scalings)) {
    add_yarn(scalings, *made);
    add_llama3(scalings, *made);
  }
  add_longrope(scalings);
  return std::move(scalings.found);
}

}  // namespace posenc::referee
