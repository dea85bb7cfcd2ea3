// SPDX-License-Identifier: Apache-2.0
// Rows from plans that were lowered when this file was made, and the calls that take them.
namespace posenc::engine {
namespace {

// RN of both waves times the factor; nothing if 128 bits leave it undecided.
template <class T>
std::optional<numerics::Pair<T>> settled(const numerics::SineCosine& quick, const std::optional<Factor>& factor) {
  const auto of = [&](const numerics::Approximation& wave) {
    return numerics::settle<T>(factor ? numerics::multiply(wave, *factor->exact.leading) : wave);
  };
  const std::optional<T> sine = of(quick.sine), cosine = of(quick.cosine);
  if (!sine || !cosine) return std::nullopt;
  return numerics::Pair<T>{*sine, *cosine};
}

}  // namespace

// The certain path ends with the 128 bits of the quick one: the chance that they do not tell a value of f32 from a
// rounding boundary is below 2^-90, of f64 below 2^-60. The result is then nothing, and the call reports a Problem.
template <class T>
std::optional<numerics::Pair<T>> certain_pair(const Rungs& rungs, std::size_t k, const numerics::Dyadic& p) {
  const auto factor = [&](unsigned quarters) -> T {
    const T one = rungs.factor ? rungs.factor->template as<T>() : T(1.0f);
    if (quarters % 2 == 0) return rungs.factor && rungs.factor->negative() ? negated(T(0.0f)) : T(0.0f);
    return quarters == 1 ? one : negated(one);
  };
  if (p.zero() || rungs.turns[k].zero()) return numerics::Pair<T>{T(0.0f), factor(1)};
  if (!rungs.quarters.empty()) {
    if (const std::optional<unsigned> whole = rungs.quarters[k].whole(p)) {
      return numerics::Pair<T>{factor(*whole), factor((*whole + 1) % 4)};
    }
  }
  const std::optional<numerics::SineCosine> quick =
      numerics::quick_sine_cosine(rungs.turns[k], {p.mantissa, p.exponent, false});
  if (!quick) return std::nullopt;
  return settled<T>(*quick, rungs.factor);
}

Rungs rungs_of(plan::Ladder ladder, const std::optional<Factor>& factor) {
  Rungs rungs;
  rungs.factor = factor;
  for (const std::uint16_t place : ladder) {
    const numerics::Frequency& w = numerics::frequencies[place];
    rungs.turns.push_back({{w.limbs[3], w.limbs[2], w.limbs[1], w.limbs[0]}, w.exponent, {}});
    rungs.negative.push_back(w.negative);
    rungs.quarters.push_back({w.denominator, w.quarter_exponent, w.numerator});
  }
  const auto has_quarters = [](const numerics::QuarterTurns& each) { return each.denominator != 0; };
  if (std::none_of(rungs.quarters.begin(), rungs.quarters.end(), has_quarters)) rungs.quarters.clear();
  if (std::count(rungs.negative.begin(), rungs.negative.end(), 0) == cpp20::ssize(rungs.negative)) {
    rungs.negative.clear();
  }
  add_columns(rungs);
  return rungs;
}

}  // namespace posenc::engine

namespace posenc {

// ---- rows ----------------------------------------------------------------------------------------

namespace {

std::optional<engine::Factor> factor_of(const detail::FactorMade* made) {
  if (made == nullptr) return std::nullopt;
  engine::Factor factor;
  factor.exact.leading = numerics::Approximation{made->negative, numerics::uint128{made->high} << 64 | made->low,
                                                 made->exponent, made->error};
  factor.nearest = made->nearest, factor.rest = made->rest, factor.exponent = made->nearest_exponent;
  factor.in = {made->f32, made->nearest, half::from_bits(made->f16), bfloat16::from_bits(made->bf16)};
  return factor;
}

}  // namespace

CellRows::CellRows(const plan::RowPlan& plan) : width(cpp20::ssize(plan.columns)), factor(factor_of(plan.scale)) {
  for (const plan::Column& c : plan.columns) sums = sums || (c.kind == plan::Kind::wave && c.axis == plan::every_axis);
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    Axis axis;
    std::vector<std::uint16_t> picked;  // frequencies that columns have
    constexpr std::uint32_t nowhere = UINT32_MAX;
    std::vector<std::uint32_t> places(plan.ladders[a].size(), nowhere);  // of each frequency among them
    for (std::uint32_t at = 0; at < plan.columns.size(); ++at) {
      plan::Column c = plan.columns[at];
      if (c.kind != plan::Kind::wave || !(c.axis == a || c.axis == plan::every_axis)) continue;
      std::uint32_t& known = places[c.frequency];
      if (known == nowhere) {
        known = static_cast<std::uint32_t>(picked.size());
        picked.push_back(plan.ladders[a][c.frequency]);
      }
      c.frequency = known, c.axis = 0;
      axis.columns.push_back(c), axis.at.push_back(at);
    }
    axis.rungs = engine::rungs_of(picked, factor);
    const bool whole = cpp20::ssize(axis.columns) == width && axis.rungs.negative.empty();
    if (const std::optional<Pattern> pattern = whole ? pattern_of(axis.columns) : std::nullopt) {
      if (pattern->sines == pattern->cosines && pattern->sines == picked.size()) {
        axis.sine_at = pattern->sine_at, axis.cosine_at = pattern->cosine_at, axis.step = pattern->step;
      }
    }
    axes.push_back(std::move(axis));
  }
  for (std::uint32_t at = 0; at < plan.columns.size(); ++at) {
    if (plan.columns[at].kind == plan::Kind::constant) constants.push_back({at, plan.columns[at].quarter});
  }
}

template <class T>
bool CellRows::write_axis(const Axis& axis, const numerics::Dyadic& p, T* out) const {
  const std::size_t n = axis.rungs.size();
  if (axis.step != 0) {
    return engine::sine_cosine<T>(axis.rungs, p, {out + axis.sine_at, out + axis.cosine_at, n, n, axis.step});
  }
  LocalScratch<T> scratch;
  T *const sine = scratch.take(2 * n), *const cosine = sine + n;
  const bool decided = engine::sine_cosine<T>(axis.rungs, p, {sine, cosine, n, n, 1});
  for (std::size_t i = 0; i < axis.columns.size(); ++i) {
    const plan::Column& c = axis.columns[i];
    const unsigned quarters = engine::turned(c.quarter, axis.rungs.is_negative(c.frequency));
    out[axis.at[i]] = p.zero() ? engine::at_zero<T>(axis.rungs, quarters)
                               : engine::entry_of<T>({sine[c.frequency], cosine[c.frequency]}, quarters, false);
  }
  return decided;
}

// Angles that are sums over all axes, one by one.
template <class T>
bool CellRows::write_sums(Place place, T* out) const {
  bool decided = true;
  for (std::size_t i = 0; i < axes.front().columns.size(); ++i) {
    numerics::TurnSum sum;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::size_t k = axes[a].columns[i].frequency;
      const numerics::Dyadic& p = *place[a];
      sum.add(axes[a].rungs.turns[k], {p.mantissa, p.exponent, p.negative != axes[a].rungs.is_negative(k)});
    }
    const unsigned quarters = axes.front().columns[i].quarter;
    T& to = out[axes.front().at[i]];
    if (sum.nothing()) {
      to = engine::at_zero<T>(axes.front().rungs, quarters);
      continue;
    }
    const std::optional<numerics::SineCosine> quick = sum.waves();
    const auto pair = quick ? engine::settled<T>(*quick, factor) : std::nullopt;
    decided &= pair.has_value();
    if (pair) to = engine::entry_of<T>(*pair, quarters, false);
  }
  return decided;
}

template <class T>
bool CellRows::write_row(Place place, T* out) const {
  for (const auto& [at, quarter] : constants) out[at] = engine::at_zero<T>(axes.front().rungs, quarter);
  if (sums) return write_sums(place, out);
  bool decided = true;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].rungs.size() != 0) decided &= write_axis(axes[a], *place[a], out);
  }
  return decided;
}

template <class T>
bool write_places(const CellRows& cells, cpp20::span<const Positions> coordinates, const RowRange& range, T* out,
                  std::int64_t stride) {
  bool decided = true;
  if (coordinates.size() == 1) {  // without the memory of a reader: a decoding step
    for (std::int64_t i = 0; i < range.count; ++i) {
      const std::optional<numerics::Dyadic> place[] = {coordinate_at(coordinates[0], range.b, range.first + i)};
      decided &= cells.write_row(place, out + i * stride);
    }
    return decided;
  }
  PlaceReader places(coordinates, range.b);
  for (std::int64_t i = 0; i < range.count; ++i) {
    decided &= cells.write_row(places.at(range.first + i), out + i * stride);
  }
  return decided;
}

// ---- rotations -----------------------------------------------------------------------------------

bool Rotation::make_rows(cpp20::span<const Positions> coordinates, const RowRange& rows, RotatedSide,
                         Direction direction, float* out) const {
  const bool decided = write_places(*cells_, coordinates, rows, out, width_);
  direct(rows, direction, out);
  return decided;
}

Rotation::Rotation(const plan::PairPlan& plan)
    : columns_(plan.width), pairs_(cpp20::ssize(plan.pairs)), plain_(plan::plain_pairs(plan)) {
  const std::int64_t angles = plan::turns_by_one_angle(plan) ? 1 : 2;
  width_ = 2 * angles * pairs_;
  least_rows_ = least_rows(angles * pairs_), most_rows_ = most_rows(angles * pairs_);
  lines_per_block_ = lines_to_share;
  forward_ = plan::placement(plan.pairs);
  inverse_ = plan::placement(plan::transposed(plan.pairs));
  if (plain_) columns_ = 2 * pairs_;
  cells_.emplace(coefficient_rows(plan));
  backward_ = plan.turning == plan::Turning::backward;
  if (cells_->one_by_one()) least_rows_ = 1, lines_per_block_ = INT64_MAX;
}

}  // namespace posenc
