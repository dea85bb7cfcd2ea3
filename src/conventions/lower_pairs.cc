// SPDX-License-Identifier: Apache-2.0
// What the fields of Rotary mean: pairs, angles, magnitude, decay.
#include <algorithm>

#include "src/conventions/lower.h"
#include "src/conventions/problem.h"
#include "src/conventions/runs.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

// ---- widths --------------------------------------------------------------------------------------

// r, before the rule of odd widths.
std::int64_t part_of(const Rotary& rotary, std::int64_t head) {
  if (const auto* count = std::get_if<std::int64_t>(&rotary.part)) return *count;
  if (const auto* by = std::get_if<ColumnShare>(&rotary.part)) {
    return static_cast<std::int64_t>(static_cast<double>(head) * by->share);
  }
  return head;
}

// What the ladders span: an angle more than r / 2 has the exponents of width r.
RunSpan run_span(const Rotary& rotary, const LoweredFor& given) {
  const std::int64_t r = part_of(rotary, given.width);
  return {rotary.odd_width == OddRotated::down ? r - r % 2 : r, given.context.length, RestColumns::refused};
}

bool one_more(const Rotary& rotary, std::int64_t r) { return r % 2 != 0 && rotary.odd_width == OddRotated::up; }

Span span_of_one(const Rotary& rotary, const LoweredFor& given) {
  const std::int64_t r = run_span(rotary, given).width;
  return {r, (r + 1) / 2, given.context.length};
}

// ---- pairs ---------------------------------------------------------------------------------------

using PairColumns = std::array<std::uint32_t, 2>;

// Where each axis's run of pairs begins, and where the last one ends.
std::vector<std::int64_t> run_starts(const Rotary& rotary, std::int64_t pairs) {
  if (rotary.rungs != Rungs::own || rotary.axes.size() == 1) return {0, pairs};
  std::vector<std::int64_t> starts = {0};
  for (const std::int64_t n : sections(run_fields(rotary), 2 * pairs)) starts.push_back(starts.back() + n);
  return starts;
}

// The columns that pair number k of n reads, counted from the first that turns.
PairColumns columns_read(const Rotary& rotary, const std::vector<std::int64_t>& starts, std::int64_t k,
                         std::int64_t n) {
  std::int64_t first = 2 * k, second = 2 * k + 1;
  if (rotary.pairing == Pairing::split_half) {
    first = k, second = k + n;
    if (rotary.pairing_scope == PairingScope::run) {
      const auto after = std::upper_bound(starts.begin(), starts.end() - 1, k);
      first = k + after[-1];
      second = first + (after[0] - after[-1]);
    }
  }
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)};
}

// The pair whose angle column c has in [a | a] of its run.
std::int64_t pair_by_column(const std::vector<std::int64_t>& starts, std::int64_t c) {
  const auto after = std::upper_bound(starts.begin(), starts.end() - 1, c / 2);
  const std::int64_t start = after[-1], n = after[0] - after[-1];
  return start + (c - 2 * start) % n;
}

std::vector<plan::Angle> angles_of(const Rotary& rotary, const LoweredFor& given) {
  const RunSpan span = run_span(rotary, given);
  if (!one_more(rotary, span.width)) return pairs_in_order(run_fields(rotary), span);
  return pairs_of(0, span_of_one(rotary, given).count);
}

std::vector<plan::Pair> turned(const Rotary& rotary, const LoweredFor& given) {
  const std::vector<plan::Angle> angles = angles_of(rotary, given);
  const std::int64_t n = std::ssize(angles);
  const auto from = static_cast<std::uint32_t>(rotary.where == HeadEnd::last ? given.width - 2 * n : 0);
  const std::vector<std::int64_t> starts = run_starts(rotary, n);
  const auto angle = [&](std::int64_t pair) { return angles[static_cast<std::size_t>(pair)]; };
  std::vector<plan::Pair> pairs;
  for (std::int64_t k = 0; k < n; ++k) {
    const PairColumns read = columns_read(rotary, starts, k, n);
    const bool halves = rotary.written == Written::split_half;
    const PairColumns written =
        halves ? PairColumns{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k + n)} : read;
    const bool by_column = rotary.angles == AnglesBy::column;
    pairs.push_back({{from + read[0], from + read[1]},
                     {from + written[0], from + written[1]},
                     {by_column ? angle(pair_by_column(starts, read[0])) : angle(k),
                      by_column ? angle(pair_by_column(starts, read[1])) : angle(k)}});
  }
  return pairs;
}

// ---- magnitude, decay ----------------------------------------------------------------------------

Real magnitude_of(const Unstated&) { return 1; }
Real magnitude_of(double number) { return number; }
Real magnitude_of(const YarnMagnitude& yarn) {
  if (yarn.factor <= 1) return 1;
  const auto m = [&](double gain) {
    return Real(1) + Real(Rational(gain) * fraction(1, 10)) * numerics::logarithm(Rational(yarn.factor));
  };
  if (yarn.gain == 0 || yarn.gain_all == 0) return m(1);
  return numerics::quotient(m(yarn.gain), m(yarn.gain_all));
}
Real magnitude_of(const LongRopeMagnitude& by) {
  if (by.factor <= 1) return 1;
  return numerics::square_root(
      Real(1) + numerics::quotient(numerics::logarithm(Rational(by.factor)), numerics::logarithm(Rational(by.length))));
}

plan::Stored stored_of(StoredAs form) {
  switch (form) {
    case StoredAs::halves_twice: return plan::Stored::halves_twice;
    case StoredAs::pairs_twice: return plan::Stored::pairs_twice;
    case StoredAs::sine_cosine: return plan::Stored::sine_cosine;
    case StoredAs::complex: return plan::Stored::complex;
    case StoredAs::angles_twice: return plan::Stored::angles_twice;
    default: return plan::Stored::none;
  }
}

std::optional<plan::Decay> decay_of(const Rotary& rotary, const LoweredFor& given) {
  const auto* decay = std::get_if<PairDecay>(&rotary.decay);
  if (decay == nullptr) return std::nullopt;
  const std::int64_t r = run_span(rotary, given).width;
  const Rational floor = decay->floor;
  plan::Decay made = {{}, *given.context.centre, decay->period};
  for (std::int64_t k = 0; k < (r + 1) / 2; ++k) {
    made.factors.push_back((fraction(2 * k, r) + floor) / (Rational(1) + floor));
  }
  return made;
}

std::optional<Problem> check_magnitude(const Rotary& rotary) {
  const auto* by = std::get_if<LongRopeMagnitude>(&rotary.magnitude);
  if (by == nullptr || by->factor <= 1 || by->length > 1) return std::nullopt;
  return broken("length of a longrope magnitude must be 2 or more", std::to_string(by->length));
}

std::optional<Problem> check_decay(const Rotary& rotary, const LoweredFor& given) {
  const auto* decay = std::get_if<PairDecay>(&rotary.decay);
  if (decay == nullptr) return std::nullopt;
  if (rotary.axes.size() > 1) {
    return broken("a decay must be of one axis", std::to_string(rotary.axes.size()));
  }
  if (given.context.centre) return std::nullopt;
  return broken("centre must be stated: the decay counts from it", "none");
}

std::optional<Problem> check_pairing(const Rotary& rotary) {
  const bool in_runs = rotary.rungs == Rungs::own && rotary.order == PairOrder::axis_major;
  if (rotary.axes.size() == 1 || in_runs) return std::nullopt;
  if (rotary.pairing == Pairing::split_half && rotary.pairing_scope == PairingScope::run) {
    return broken("pairing_scope run must have own pairs of each axis, axis by axis", "another order");
  }
  if (rotary.angles == AnglesBy::column) {
    return broken("angles by column must have own pairs of each axis, axis by axis", "another order");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> lowering::check(const Rotary& rotary, const LoweredFor& given) {
  if (auto problem = check_count("width", given.width)) return problem;
  const std::int64_t r = part_of(rotary, given.width);
  if (r % 2 != 0 && rotary.odd_width == OddRotated::refused) return broken("width must be even", std::to_string(r));
  const std::int64_t turned = rotary.odd_width == OddRotated::up ? r + r % 2 : r - r % 2;
  if (turned < 2 || turned > given.width) {
    return broken("part must be 2 to " + std::to_string(given.width) + " columns of a head", std::to_string(r));
  }
  const RunSpan span = run_span(rotary, given);
  if (one_more(rotary, span.width)) {
    if (rotary.axes.size() > 1) return broken("width must be even where there are several axes", std::to_string(r));
    if (rotary.rungs == Rungs::dealt) return broken("width must be even where pairs are dealt", std::to_string(r));
    if (auto problem = check_only_run(run_fields(rotary), r, (r + 1) / 2)) return problem;
    if (auto problem = check_span(rotary.ladders[0], span_of_one(rotary, given), "width")) return problem;
  } else if (auto problem = check_runs(run_fields(rotary), span)) {
    return problem;
  }
  if (auto problem = check_pairing(rotary)) return problem;
  if (auto problem = check_magnitude(rotary)) return problem;
  return check_decay(rotary, given);
}

plan::PairPlan lower_pairs(const Convention& convention, const LoweredFor& given) {
  const Rotary& rotary = std::get<Rotary>(convention);
  plan::PairPlan pairs;
  pairs.axes.resize(rotary.axes.size());
  pairs.ladders = lower_ladders(run_fields(rotary), lowering::spans(rotary, given), angle_factor(rotary));
  pairs.pairs = turned(rotary, given);
  pairs.width = given.width;
  pairs.magnitude = std::visit([](const auto& each) { return magnitude_of(each); }, rotary.magnitude);
  pairs.decay = decay_of(rotary, given);
  pairs.turning = rotary.turn == TurnTo::backward ? plan::Turning::backward : plan::Turning::forward;
  pairs.stored = stored_of(rotary.stored);
  return pairs;
}

plan::PairPlan lower_step_pairs(const Convention& convention, const LoweredFor& given) {
  Rotary rotary = std::get<Rotary>(convention);
  for (Ladder& ladder : rotary.ladders) {
    if (auto* geometric = std::get_if<Geometric>(&ladder)) geometric->scaling = Nothing{};
  }
  return lower_pairs(rotary, given);
}

std::optional<std::int64_t> turned_columns(const Convention& convention, const LoweredFor& given) {
  const Rotary& rotary = std::get<Rotary>(convention);
  if (lowering::check(rotary, given)) return std::nullopt;
  return 2 * std::ssize(angles_of(rotary, given));
}

std::optional<StepDecay> lowering::step_decay(const Rotary& rotary, const LoweredFor& given) {
  const auto* decay = std::get_if<PairDecay>(&rotary.decay);
  if (decay == nullptr) return std::nullopt;
  const std::int64_t r = run_span(rotary, given).width;
  const auto in_f32 = [](double x) { return rounded(DType::f32, x); };
  const double added = in_f32(decay->floor * static_cast<double>(r));
  const double over = in_f32((1 + decay->floor) * static_cast<double>(r));
  StepDecay made = {{}, in_f32(*given.context.centre), in_f32(decay->period)};
  for (std::int64_t k = 0; k < (r + 1) / 2; ++k) {
    made.factors.push_back(in_f32(in_f32(static_cast<double>(2 * k) + added) / over));
  }
  return made;
}

std::vector<Span> lowering::spans(const Rotary& rotary, const LoweredFor& given) {
  const RunSpan span = run_span(rotary, given);
  if (one_more(rotary, span.width)) return {span_of_one(rotary, given)};
  return axis_spans(run_fields(rotary), span);
}

}  // namespace posenc
