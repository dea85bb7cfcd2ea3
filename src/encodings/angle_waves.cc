// SPDX-License-Identifier: Apache-2.0
// Phases of sums, blocks of them, and the certain path for the few results that fail the rounding test.
#include "src/encodings/angle_waves.h"

#include <algorithm>

#include "src/base/elements.h"
#include "src/engine/tables/phase.h"
#include "src/engine/tables/sines.h"

namespace posenc {
namespace {

using engine::block;
using numerics::Dyadic;

// Whole turns of a step in lanes, by which coordinates are multiplied.
constexpr std::int64_t most_whole_bits = 16;

std::size_t whole_blocks(std::size_t count) { return (count + block - 1) / block * block; }

}  // namespace

AngleWaves::AngleWaves(AxisAngles angles, std::vector<plan::Angle> of, const numerics::Real& scale)
    : angles_(std::move(angles)), of_(std::move(of)), scale_(numerics::scale(scale)) {
  const bool is_one = scale == numerics::Real(1);
  if (!is_one) factor_ = engine::factor(scale);
  if (!angles_.quick() || angles_.axes() > most_axes || (!is_one && !factor_)) return;
  start_.resize(whole_blocks(of_.size())), start_low_.resize(start_.size());
  for (std::size_t j = 0; j < of_.size(); ++j) {
    const std::optional<numerics::uint128> start = angles_.start(of_[j]);
    if (!start) return;
    for (std::size_t a = 0; a < angles_.axes(); ++a) {
      if (has_axis(of_[j], a) && angles_.parts(a, of_[j].frequency).step.w.exponent > most_whole_bits) return;
    }
    start_[j] = static_cast<std::uint64_t>(*start >> 64), start_low_[j] = static_cast<std::uint64_t>(*start);
  }
  for (std::size_t a = 0; a < angles_.axes(); ++a) turns_.push_back(turns_of(a));
  units_bits_ = static_cast<int>(std::bit_width(1 + 2 * angles_.axes()));
  static_assert(std::bit_width(1 + 2 * most_axes) <= engine::most_units_bits);
  by_kernel_ = true;
}

AngleWaves::AxisTurns AngleWaves::turns_of(std::size_t axis) const {
  AxisTurns made;
  const std::size_t size = whole_blocks(of_.size());
  made.high.resize(size), made.low.resize(size), made.signs.resize(size), made.in_block.resize(size / block);
  const auto step = [&](std::size_t j) -> const SignedTurn& { return angles_.parts(axis, of_[j].frequency).step; };
  for (std::size_t j = 0; j < of_.size(); ++j) {
    if (!has_axis(of_[j], axis)) continue;
    made.in_block[j / block] = 1;
    if (!step(j).w.zero()) made.whole_bits = std::max(made.whole_bits, static_cast<int>(step(j).w.exponent));
  }
  for (std::size_t j = 0; j < of_.size(); ++j) {
    if (!has_axis(of_[j], axis) || step(j).w.zero()) continue;
    numerics::Turn turn = step(j).w;
    turn.exponent -= made.whole_bits;
    const numerics::uint128 fraction = numerics::fraction128(turn);
    made.high[j] = static_cast<std::uint64_t>(fraction >> 64);
    made.low[j] = static_cast<std::uint64_t>(fraction);
    made.signs[j] = step(j).p.negative ? ~std::uint64_t{0} : 0;
    made.has_signs = made.has_signs || step(j).p.negative;
  }
  return made;
}

AngleWaves::Multiplier AngleWaves::multiplier(std::size_t axis, const Dyadic& p) const {
  if (p.zero()) return {};
  const int zeros = std::countr_zero(p.mantissa), exponent = p.exponent + zeros + turns_[axis].whole_bits;
  const std::uint64_t odd = p.mantissa >> zeros;
  if (exponent < 0) return {odd, -exponent, p.negative, true};
  if (exponent > std::countl_zero(odd)) return {0, 0, p.negative, false};
  return {odd << exponent, 0, p.negative, true};
}

// The phase of angle j, without lanes; 0, which the kernel finds in doubt, where it cannot be told.
std::uint64_t AngleWaves::phase(Place place, std::span<const Multiplier> by, std::size_t j) const {
  std::uint64_t sum = start_[j];
  for (std::size_t a = 0; a < by.size(); ++a) {
    if (!has_axis(of_[j], a) || place[a]->zero()) continue;
    const auto& [mantissa, shift, negative, exact] = by[a];
    std::uint64_t turns = 0;
    if (exact) {
      turns = engine::multiple_of_turns(mantissa, shift, turns_[a].high[j], turns_[a].low[j]);
    } else if (const numerics::Turn& step = angles_.parts(a, of_[j].frequency).step.w; !step.zero()) {
      const std::optional<std::uint64_t> told = numerics::phase64(step, *place[a]);
      if (!told) return 0;
      turns = *told;
    }
    sum += negative != (turns_[a].signs[j] != 0) ? 0 - turns : turns;
  }
  return sum;
}

numerics::uint128 AngleWaves::wide_phase(Place place, std::span<const Multiplier> by, std::size_t j) const {
  numerics::uint128 sum = numerics::uint128{start_[j]} << 64 | start_low_[j];
  for (std::size_t a = 0; a < by.size(); ++a) {
    if (!has_axis(of_[j], a) || place[a]->zero()) continue;
    const auto& [mantissa, shift, negative, exact] = by[a];
    numerics::uint128 turns = 0;
    if (exact) {
      turns = engine::wide_multiple_of_turns(mantissa, shift, turns_[a].high[j], turns_[a].low[j]);
    } else if (const numerics::Turn& step = angles_.parts(a, of_[j].frequency).step.w; !step.zero()) {
      const std::optional<numerics::uint128> told = numerics::phase128(step, *place[a]);
      if (!told) return 0;
      turns = *told;
    }
    sum += negative != (turns_[a].signs[j] != 0) ? 0 - turns : turns;
  }
  return sum;
}

template <class Settle>
bool AngleWaves::wide_blocks(Place place, const engine::Waves<double>& to, engine::WriteWideWaves* write,
                             const Settle& settle) const {
  Multiplier by[most_axes];
  double units = 2;  // a phase's start is cut once, those of axes once each, their multiples once and by p units
  for (std::size_t a = 0; a < turns_.size(); ++a) {
    by[a] = multiplier(a, *place[a]);
    units += 3 + static_cast<double>(by[a].mantissa >> std::min(by[a].shift, 63));
  }
  bool decided = true;
  for (std::size_t first = 0; first < to.sines; first += block) {
    const engine::Waves<double> part = engine::block_of(to, first);
    std::uint16_t doubts[block];
    engine::WidePhases phases;
    for (std::size_t i = 0; i < part.sines; ++i) phases.set(i, wide_phase(place, {by, turns_.size()}, first + i));
    const std::size_t in_doubt = write(phases, units, factor_ ? &*factor_ : nullptr, part, doubts);
    for (std::size_t i = 0; i < in_doubt; ++i) decided &= settle(first + doubts[i], part, doubts[i]);
  }
  return decided;
}

engine::TurnSums AngleWaves::sums_of(Place place, std::span<const Multiplier> by, std::size_t first, std::size_t count,
                                     Phases& phases) const {
  std::size_t terms = 0;
  bool in_lanes = true;
  for (std::size_t a = 0; a < by.size(); ++a) {
    const AxisTurns& turns = turns_[a];
    if (turns.in_block[first / block] == 0 || place[a]->zero()) continue;
    const auto& [mantissa, shift, negative, exact] = by[a];
    in_lanes = in_lanes && exact && mantissa >> 32 == 0 && shift < 64;
    phases.terms[terms++] = {{mantissa, shift, turns.high.data() + first, turns.low.data() + first},
                             turns.has_signs ? turns.signs.data() + first : nullptr,
                             negative ? ~std::uint64_t{0} : 0};
  }
  if (!in_lanes) {
    terms = 0;
    for (std::size_t i = 0; i < count; ++i) phases.made[i] = phase(place, by, first + i);
    std::fill(phases.made.begin() + static_cast<std::ptrdiff_t>(count), phases.made.end(), 0);
  }
  return {in_lanes ? start_.data() + first : phases.made.data(), {phases.terms.data(), terms}};
}

engine::WaveFactor AngleWaves::factor() const {
  if (!factor_) return {1, engine::smallest_of_sums(units_bits_)};
  return {factor_->nearest, engine::smallest_of_scaled(units_bits_, factor_->exponent)};
}

engine::WaveFactor AngleWaves::factor_of_powers() const {
  return {factor_ ? factor_->nearest : 1, engine::smallest_of_scaled(units_bits_, 0)};
}

template <class T>
bool AngleWaves::at(Place place, const engine::Waves<T>& to) const {
  const ScaleOf scale = {scale_.leading, [this] { return scale_.value; }};
  const auto settle = [&](std::size_t j, const engine::Waves<T>& part, std::size_t i) {
    const std::optional<numerics::Pair<T>> pair = angles_.pair<T>(of_[j], place, scale);
    if (pair) part.put(i, pair->sine, pair->cosine);
    return pair.has_value();
  };
  if constexpr (std::is_same_v<T, double>) {
    engine::WriteWideWaves* const write = engine::f64_kernels().write;
    if (by_kernel_ && write != nullptr) return wide_blocks(place, to, write, settle);
  } else {
    if (by_kernel_) {
      const auto kernel = engine::sincos_kernels().write_sums.of<T>();
      const engine::WaveFactor by = factor();
      const auto write = [&](const engine::TurnSums& sums, std::size_t, const engine::Waves<T>& part,
                             std::uint16_t* doubts) { return kernel(sums, by, part, doubts); };
      return by_blocks(place, to, write, settle);
    }
  }
  bool decided = true;
  for (std::size_t j = 0; j < to.sines; ++j) decided &= settle(j, to, j);
  return decided;
}

template bool AngleWaves::at(Place, const engine::Waves<float>&) const;
template bool AngleWaves::at(Place, const engine::Waves<double>&) const;
template bool AngleWaves::at(Place, const engine::Waves<half>&) const;
template bool AngleWaves::at(Place, const engine::Waves<bfloat16>&) const;

}  // namespace posenc
