// SPDX-License-Identifier: Apache-2.0
// Ladders made ready for the engine.
#include "src/engine/tables/frequencies.h"

#include <algorithm>

#include "src/engine/tables/columns.h"
#include "src/engine/tables/sincos_kernel.h"
#include "src/plan/enclosed_ladder.h"

namespace posenc::engine {
namespace {

using numerics::Dyadic;
using numerics::Pair;
using numerics::Rational;
using numerics::Real;

// Each turn from the one before, where there is a rule and w_0 is not 0.
bool by_steps(const plan::Ladder& ladder, Rungs& rungs) {
  const auto* rule = std::get_if<plan::Rule>(&ladder.form);
  const int sign = rule == nullptr || !ladder.picked.empty() ? 0 : numerics::sign(rule->first).value_or(0);
  if (sign == 0) return false;
  rungs.turns.resize(rule->count);
  if (sign < 0) rungs.negative.assign(rule->count, 1);
  return numerics::geometric_turns(rule->first, plan::ratio(*rule), rungs.turns);
}

// Turns and signs by enclosures, or of the exact form where those do not tell them.
bool one_by_one(const plan::Ladder& ladder, Rungs& rungs) {
  const std::vector<plan::SignedTurn> turns = plan::signed_turns(ladder, 1);
  if (turns.size() < ladder.size()) return false;
  rungs.turns.clear(), rungs.negative.clear();
  for (std::size_t k = 0; k < turns.size(); ++k) {
    rungs.turns.push_back(turns[k].w);
    if (!turns[k].negative) continue;
    rungs.negative.resize(turns.size());
    rungs.negative[k] = 1;
  }
  return true;
}

void put_quarters(Rungs& rungs, std::size_t k, const numerics::QuarterTurns& quarters) {
  if (quarters.denominator == 0) return;
  rungs.quarters.resize(rungs.size());
  rungs.quarters[k] = quarters;
}

// Adds the entries of a rule that are rational multiples of pi: every stride-th one from the first, each the previous
// one times a rational number. Evaluating the closed form of an entry takes 20 times as long.
bool add_quarters_by_steps(Rungs& rungs) {
  const auto* rule = std::get_if<plan::Rule>(&rungs.ladder.form);
  if (rule == nullptr || !rungs.ladder.picked.empty()) return false;
  std::optional<Rational> quarters = numerics::quarter_turns(rule->first);
  const std::optional<std::uint64_t> stride = numerics::least_rational_power(plan::ratio(*rule));
  if (!quarters || !stride) return false;
  Real power = 1;
  for (const plan::Step& each : rule->steps) {
    power = power * numerics::power(each.base, each.exponent * Rational(*stride));
  }
  const std::optional<Rational> step = numerics::rational(power);
  if (!step && *stride < rule->count) return false;          // of more bits than the closed form multiplies out
  constexpr std::int64_t most_bits = std::int64_t{1} << 12;  // beyond it no position makes whole quarter turns
  quarters->negative = false;
  for (std::size_t k = 0; k < rungs.size(); k += *stride, *quarters = *quarters * step.value_or(Rational())) {
    if (std::max(quarters->numerator.bit_length(), quarters->denominator.bit_length()) > most_bits) break;
    put_quarters(rungs, k, numerics::in_quarter_turns(*quarters));
  }
  return true;
}

void add_quarters(Rungs& rungs) {
  const bool all = plan::in_turns(rungs.ladder);
  if (all && add_quarters_by_steps(rungs)) return;
  for (std::size_t k = 0; k < rungs.size(); ++k) {
    if (!all && !rungs.turns[k].zero()) continue;
    const Real w = rungs.ladder[k];
    put_quarters(rungs, k, numerics::quarter_turns_of(rungs.is_negative(k) ? -w : w));
  }
}

// Makes the turns of evenly spaced frequencies that are all rational numbers of quarter turns, without enclosures.
// False for any other ladder.
bool by_quarters(const plan::Ladder& ladder, Rungs& rungs) {
  constexpr std::int64_t bits = 320;  // a turn has 256
  const std::optional<plan::Even> even = plan::even(ladder);
  const std::optional<Rational> unit = even ? numerics::quarter_turns(even->unit) : std::nullopt;
  if (!unit) return false;
  Rational quarters = even->first * *unit;
  const Rational step = even->step * *unit;
  const std::size_t count = ladder.size();
  rungs.turns.resize(count), rungs.negative.resize(count), rungs.quarters.resize(count);
  for (std::size_t k = 0; k < count; ++k, quarters = quarters + step) {
    Rational size = quarters;
    size.negative = false;
    rungs.quarters[k] = numerics::in_quarter_turns(size);
    if (size.zero()) continue;
    size.exponent -= 2;
    const std::optional<numerics::Turn> turn = numerics::turn(numerics::enclose(size, bits));
    if (!turn) {  // it has more digits
      rungs.turns.clear(), rungs.negative.clear(), rungs.quarters.clear();
      return false;
    }
    rungs.turns[k] = *turn, rungs.negative[k] = quarters.negative ? 1 : 0;
  }
  if (std::ranges::count(rungs.negative, 0) == std::ssize(rungs.negative)) rungs.negative.clear();
  return true;
}

void add_columns(Rungs& rungs) {
  for (const numerics::Turn& turn : rungs.turns) {
    rungs.moderate = rungs.moderate && turn.exponent <= 64;
    rungs.fractional = rungs.fractional && turn.exponent <= 0;
    const numerics::uint128 fraction = turn.exponent <= 64 ? numerics::fraction128(turn) : 0;
    rungs.high.push_back(static_cast<std::uint64_t>(fraction >> 64));
    rungs.low.push_back(static_cast<std::uint64_t>(fraction));
  }
  const std::size_t whole_blocks = (rungs.size() + block - 1) / block * block;
  rungs.high.resize(whole_blocks), rungs.low.resize(whole_blocks);
}

// The angle |p| |w_k|, not 0.
Real angle_of(const Rungs& rungs, std::size_t k, const Dyadic& size) {
  const Real w = rungs.ladder[k];
  return (rungs.is_negative(k) ? -w : w) * Real(Rational(size));
}

// A wave of so many quarter turns, not 0 of them: a factor below 0 turns the sign of a 0, too.
template <class T>
T of_quarters(const Factor& factor, unsigned quarters) {
  if (quarters % 2 == 0) return factor.negative() ? negated(T(0.0f)) : T(0.0f);
  return quarters == 1 ? factor.as<T>() : negated(factor.as<T>());
}

template <class T>
std::optional<Pair<T>> scaled_pair(const Rungs& rungs, std::size_t k, const Dyadic& p) {
  const Factor& factor = *rungs.factor;
  if (p.zero()) return Pair<T>{T(0.0f), factor.as<T>()};
  if (!rungs.quarters.empty()) {
    if (const std::optional<unsigned> whole = rungs.quarters[k].whole(p)) {
      return Pair<T>{of_quarters<T>(factor, *whole), of_quarters<T>(factor, (*whole + 1) % 4)};
    }
  }
  const Dyadic size = {p.mantissa, p.exponent, false};
  numerics::TurnSum one;
  one.add(rungs.turns[k], size);
  return numerics::exact_pair<T>(one, factor.exact.leading, [&](numerics::Wave wave) {
    return numerics::exact_wave<T>(wave, angle_of(rungs, k, size), factor.exact.value);
  });
}

}  // namespace

std::optional<Rungs> rungs_of(const plan::Ladder& ladder, const Real& scale) {
  Rungs rungs;
  rungs.ladder = ladder;
  if (scale != Real(1) && !(rungs.factor = factor(scale))) return std::nullopt;
  const bool quarters = by_quarters(ladder, rungs);
  if (!quarters && !by_steps(ladder, rungs) && !one_by_one(ladder, rungs)) return std::nullopt;
  const auto is_zero = [](const numerics::Turn& turn) { return turn.zero(); };
  if (rungs.factor && std::ranges::any_of(rungs.turns, is_zero)) return std::nullopt;
  if (!quarters) add_quarters(rungs);
  add_columns(rungs);
  return rungs;
}

Rungs only(const std::vector<std::uint32_t>& entries, const Rungs& whole) {
  Rungs rungs;
  rungs.ladder = plan::only(entries, whole.ladder);
  rungs.factor = whole.factor;
  for (const std::uint32_t k : entries) {
    rungs.turns.push_back(whole.turns[k]);
    if (!whole.negative.empty()) rungs.negative.push_back(whole.negative[k]);
    if (!whole.quarters.empty()) rungs.quarters.push_back(whole.quarters[k]);
  }
  if (std::ranges::count(rungs.negative, 0) == std::ssize(rungs.negative)) rungs.negative.clear();
  add_columns(rungs);
  return rungs;
}

template <class T>
std::optional<Pair<T>> certain_pair(const Rungs& rungs, std::size_t k, const Dyadic& p) {
  if (rungs.factor) return scaled_pair<T>(rungs, k, p);
  const numerics::Turn& turn = rungs.turns[k];
  if (p.zero() || turn.zero()) return Pair<T>{T(0.0f), T(1.0f)};
  if (!rungs.quarters.empty()) {
    if (const std::optional<unsigned> whole = rungs.quarters[k].whole(p)) {
      return Pair<T>{at_zero<T>(*whole), at_zero<T>((*whole + 1) % 4)};  // a cosine is a quarter ahead
    }
  }
  const Dyadic size = {p.mantissa, p.exponent, false};
  if (const std::optional<numerics::SineCosine> quick = numerics::quick_sine_cosine(turn, size)) {
    const std::optional<T> sine = numerics::settle<T>(quick->sine), cosine = numerics::settle<T>(quick->cosine);
    if (sine && cosine) return Pair<T>{*sine, *cosine};
  }
  const Real w = rungs.ladder[k];
  return numerics::exact_sine_cosine<T>(rungs.is_negative(k) ? -w : w, turn, size);
}

template std::optional<Pair<float>> certain_pair(const Rungs&, std::size_t, const Dyadic&);
template std::optional<Pair<double>> certain_pair(const Rungs&, std::size_t, const Dyadic&);
template std::optional<Pair<half>> certain_pair(const Rungs&, std::size_t, const Dyadic&);
template std::optional<Pair<bfloat16>> certain_pair(const Rungs&, std::size_t, const Dyadic&);

}  // namespace posenc::engine
