// SPDX-License-Identifier: Apache-2.0
// What a convention says of an entry, read from its fields alone and computed by MPFR: it shares no code with the
// library, but for the structs that state the fields.
#pragma once

#include <posenc/context.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/oracle/value.h"

namespace posenc::test {

using oracle::Value;

inline Value of_count(std::int64_t n) { return oracle::whole(n); }
inline double whole_part(const Value& x) { return mpfr_get_d(x.get(), MPFR_RNDD); }

// ---- ladders ------------------------------------------------------------------------------------

inline Value unit_of(AngleUnit unit) {
  switch (unit) {
    case AngleUnit::radians: return 1;
    case AngleUnit::quarter_turns: return oracle::pi() / 2;
    case AngleUnit::half_turns: return oracle::pi();
    case AngleUnit::turns: return oracle::pi() * 2;
  }
  return 0;
}

/// max(D - shift, least)
inline Value divisor_of(const Spacing& spacing, std::int64_t d, std::int64_t n) {
  Value over = spacing.over == Spacing::Over::pairs    ? of_count(n)
               : spacing.over == Spacing::Over::one    ? Value(1)
               : spacing.over == Spacing::Over::stated ? of_count(spacing.width) / 2
                                                       : of_count(d) / 2;
  over = over - spacing.shift;
  return over < Value(static_cast<double>(spacing.least)) ? Value(static_cast<double>(spacing.least)) : over;
}

/// w, entry k of a ladder of `base` over r columns, scaled for a call of `length` tokens.
struct TrueScaling {
  Value base, w;
  std::int64_t r, k, length, n;  // n entries

  Value operator()(const Nothing&) const { return w; }
  Value operator()(const Unstated&) const { return std::nan(""); }
  Value operator()(const LinearScaling& by) const { return w / by.factor; }
  Value operator()(const BaseScaling& by) const { return w * power(by.factor, r); }
  Value operator()(const NtkScaling& by) const { return w * power(by.factor, r - 2); }
  Value operator()(const DynamicNtkScaling& by) const {
    const Value longest = of_count(std::max(length, by.length)), factor = by.factor;
    return w * power(factor * longest / of_count(by.length) - (factor - 1), r - 2);
  }
  Value operator()(const YarnScaling& by) const {
    Value low = pair_at(by, by.fast), high = pair_at(by, by.slow);
    if (by.truncate == Truncate::whole)
      low = std::floor(whole_part(low)), high = std::ceil(-whole_part(Value(0) - high));
    low = clamped(low, 0, of_count(r - 1)), high = clamped(high, 0, of_count(r - 1));
    if (!(low < high) && !(high < low)) high = high + Value(1) / 1000;
    const Value ramp = clamped((of_count(k) - low) / (high - low), 0, 1);
    return w / by.factor * ramp + w * (Value(1) - ramp);
  }
  Value operator()(const LongRopeScaling& by) const {
    return w / (length > by.length ? by.long_factors : by.short_factors).at(static_cast<std::size_t>(k));
  }
  Value operator()(const Llama3Scaling& by) const {
    const Value turns = of_count(by.length) * w / (oracle::pi() * 2);
    if (Value(by.high) < turns) return w;
    if (turns < Value(by.low) || by.low == by.high) return w / by.factor;
    const Value t = (turns - by.low) / (Value(by.high) - by.low);
    return (Value(1) - t) * w / by.factor + t * w;
  }
  Value operator()(const ProportionalScaling& by) const {
    const Value turning = Value(by.part) * of_count(r) / 2;
    return !(turning < of_count(k + 1)) ? w / by.factor : Value(0);
  }
  Value operator()(const ClippedScaling& by) const {
    const std::int64_t c = std::min(by.pairs, n), j = k - (n - c);
    if (j <= 0) return w;
    if (j == c - 1) return 0;
    return w * (Value(1) + cos(oracle::pi() * of_count(j) / of_count(c - 1))) / 2;
  }

 private:
  // The base times x^(r / over), of which entry k has the power -2k / r.
  Value power(const Value& x, std::int64_t over) const { return pow(x, of_count(-2 * k) / of_count(over)); }
  Value pair_at(const YarnScaling& by, double turns) const {
    return of_count(r) * log(of_count(by.length) / (oracle::pi() * 2 * turns)) / (log(base) * 2);
  }
  static Value clamped(const Value& x, const Value& low, const Value& high) {
    return x < low ? low : high < x ? high : x;
  }
};

/// w_k in radians per position, of a ladder of n entries over d columns. `place` is the column, for ladders that count
/// columns.
inline Value frequency_of(const Ladder& ladder, std::int64_t d, std::int64_t n, std::int64_t k, std::int64_t place,
                          std::int64_t length) {
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    return unit_of(own->unit) * own->frequencies.at(static_cast<std::size_t>(k));
  }
  if (const auto* line = std::get_if<LinearLadder>(&ladder)) {
    const Value step = n == 1 ? Value(0) : (Value(line->to) - line->from) * of_count(k) / of_count(n - 1);
    return unit_of(line->unit) * (Value(line->from) + step);
  }
  if (const auto* away = std::get_if<RunawayLadder>(&ladder)) {
    const Value r = log(Value(away->base)) / divisor_of(away->spacing, d, n);
    return unit_of(away->unit) * (Value(0) - r * exp(of_count(k)));
  }
  const auto& geometric = std::get<Geometric>(ladder);
  const std::int64_t count = geometric.spacing.over == Spacing::Over::columns ? place : k;
  Value e = count == 0 ? Value(0) : of_count(count) / divisor_of(geometric.spacing, d, n);
  if (geometric.slope == LadderSlope::falling) e = Value(0) - e;
  const Value w = Value(geometric.first) * pow(Value(geometric.base), e);
  return unit_of(geometric.unit) * std::visit(TrueScaling{geometric.base, w, d, k, length, n}, geometric.scaling);
}

// ---- pairs of several axes ----------------------------------------------------------------------

/// Frequency k of `n` over a run of d columns, of an axis; of none, or of all where angles are sums.
struct TruePair {
  std::optional<std::size_t> axis;
  std::int64_t k, n, d;
};

template <class S>
std::vector<std::int64_t> true_sections(const S& family, std::int64_t d) {
  const auto axes = std::ssize(family.axes);
  if (const auto* listed = std::get_if<std::vector<std::int64_t>>(&family.sections)) return *listed;
  if (const auto* by = std::get_if<AxisShares>(&family.sections)) {
    std::vector<std::int64_t> pairs;
    std::int64_t left = d / 2;
    for (const std::int64_t share : by->shares) left -= pairs.emplace_back(d * share / by->of / 2);
    for (std::size_t a = 0; a < pairs.size(); ++a) pairs[a] += family.axes[a] == by->rest ? left : 0;
    return pairs;
  }
  const bool more = std::holds_alternative<EqualUp>(family.sections) && d % (2 * axes) != 0;
  return std::vector<std::int64_t>(family.axes.size(), d / (2 * axes) + (more ? 1 : 0));
}

/// The pairs of d columns in their order.
template <class S>
std::vector<TruePair> true_pairs(const S& family, std::int64_t d) {
  std::vector<TruePair> pairs;
  if (family.rungs == Rungs::dealt) {
    for (const Stretch& stretch : family.deal) {
      for (std::int64_t i = 0; i < stretch.pairs; ++i) {
        const auto axis =
            std::ranges::find(family.axes, stretch.axes[static_cast<std::size_t>(i) % stretch.axes.size()]);
        TruePair& pair = pairs.emplace_back(std::nullopt, std::ssize(pairs), d / 2, d);
        if (axis != family.axes.end()) pair.axis = static_cast<std::size_t>(axis - family.axes.begin());
      }
    }
    const auto axis_of = [](const TruePair& pair) { return pair.axis.value_or(SIZE_MAX); };
    if (family.order == PairOrder::axis_major) std::ranges::stable_sort(pairs, {}, axis_of);
  } else {
    const std::vector<std::int64_t> sections = true_sections(family, d);
    for (std::size_t a = 0; a < sections.size(); ++a) {
      for (std::int64_t k = 0; k < sections[a]; ++k) pairs.push_back({a, k, sections[a], 2 * sections[a]});
    }
    if (family.order == PairOrder::rung_major) std::ranges::stable_sort(pairs, {}, &TruePair::k);
  }
  return pairs;
}

// ---- rotations ----------------------------------------------------------------------------------

struct TrueMagnitude {
  static Value gain(double factor, double c) { return factor <= 1 ? Value(1) : Value(c) / 10 * log(Value(factor)) + 1; }
  Value operator()(const Unstated&) const { return std::nan(""); }
  Value operator()(double number) const { return number; }
  Value operator()(const YarnMagnitude& by) const {
    if (by.gain == 0 || by.gain_all == 0) return gain(by.factor, 1);
    return gain(by.factor, by.gain) / gain(by.factor, by.gain_all);
  }
  Value operator()(const LongRopeMagnitude& by) const {
    return by.factor <= 1 ? Value(1) : sqrt(log(Value(by.factor)) / log(of_count(by.length)) + 1);
  }
};

/// Columns of a head that turn.
inline std::int64_t true_rotated(const Rotary& rotary, std::int64_t head) {
  if (const auto* count = std::get_if<std::int64_t>(&rotary.part)) return *count;
  const auto* share = std::get_if<ColumnShare>(&rotary.part);
  return share == nullptr ? head : static_cast<std::int64_t>(std::floor(static_cast<double>(head) * share->share));
}

// ---- waves --------------------------------------------------------------------------------------

/// What stands in a column.
struct TrueColumn {
  enum class Kind : std::uint8_t { zero = 1, coordinate, sine, cosine } kind;
  std::optional<std::size_t> axis;  ///< none: all
  std::int64_t k = 0, n = 0, d = 0, place = 0;
};

/// The row of one axis, or of angles that are sums, over d columns without what leads.
inline std::vector<TrueColumn> true_row(const Waves& waves, std::int64_t d) {
  using Kind = TrueColumn::Kind;
  const bool both = waves.parts == WaveParts::both, lone = d % 2 == 1 && waves.odd_width == OddWidth::lone_sine;
  const std::int64_t n = d / 2 + (lone ? 1 : 0);
  const std::optional<std::size_t> axis = waves.rungs == Rungs::summed ? std::nullopt : std::optional<std::size_t>(0);
  std::vector<TrueColumn> sines, cosines, row;
  for (std::int64_t k = 0; k < n; ++k) {
    if (waves.parts != WaveParts::cosine) sines.push_back({Kind::sine, axis, k, n, d, 0});
    if (waves.parts != WaveParts::sine && !(lone && k == n - 1)) cosines.push_back({Kind::cosine, axis, k, n, d, 0});
  }
  if (waves.layout == Layout::interleaved) {
    for (std::size_t k = 0; k < sines.size(); ++k) {
      row.push_back(sines[k]);
      if (k < cosines.size()) row.push_back(cosines[k]);
    }
  } else {
    row = waves.layout == Layout::sine_first ? sines : cosines;
    const auto& second = waves.layout == Layout::sine_first ? cosines : sines;
    row.insert(row.end(), second.begin(), second.end());
  }
  if (d % 2 == 1 && both && waves.odd_width == OddWidth::repeated_cosine) row.push_back({Kind::cosine, axis, 0, n, d});
  if (d % 2 == 1 && both && waves.odd_width == OddWidth::zero_column) row.push_back({Kind::zero, axis});
  return row;
}

/// The row of several axes that have runs of their own.
inline std::vector<TrueColumn> true_runs(const Waves& waves, std::int64_t d) {
  using Kind = TrueColumn::Kind;
  std::vector<TrueColumn> row;
  for (const TruePair& pair : true_pairs(waves, d)) {
    for (const Kind kind : {Kind::sine, Kind::cosine}) row.push_back({kind, pair.axis, pair.k, pair.n, pair.d});
  }
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::ranges::stable_sort(row, {}, [&](const TrueColumn& column) -> Key {
    const auto axis = static_cast<std::int64_t>(*column.axis);
    const std::int64_t block = (column.kind == Kind::cosine) == (waves.layout != Layout::cosine_first) ? 1 : 0;
    const bool by_axis = waves.order == PairOrder::axis_major;
    const std::int64_t outer = by_axis ? axis : column.k, inner = by_axis ? column.k : axis;
    if (waves.layout == Layout::interleaved) return {outer, inner, block};
    if (waves.scope == Scope::row) return {block, outer, inner};
    return waves.scope == Scope::run ? Key{axis, block, column.k} : Key{column.k, block, axis};
  });
  if (waves.rest != RestColumns::refused) row.resize(static_cast<std::size_t>(d), {Kind::zero, std::nullopt});
  return row;
}

inline std::vector<TrueColumn> true_columns(const Waves& waves, std::int64_t dim) {
  std::vector<TrueColumn> row;
  for (std::size_t a = 0; a < waves.axes.size() && waves.lead != Lead::nothing; ++a) {
    row.push_back({waves.lead == Lead::coordinates ? TrueColumn::Kind::coordinate : TrueColumn::Kind::zero, a});
  }
  const std::int64_t d = dim - std::ssize(row);
  const bool runs = waves.axes.size() > 1 && waves.rungs != Rungs::summed;
  std::vector<TrueColumn> rest = runs ? true_runs(waves, d) : true_row(waves, d);
  for (std::size_t c = 0; c < rest.size(); ++c) rest[c].place = static_cast<std::int64_t>(c);
  row.insert(row.end(), rest.begin(), rest.end());
  return row;
}

}  // namespace posenc::test
