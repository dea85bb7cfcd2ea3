// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of many angles of one place, times one scale: 64-bit phases as sums over axes, and the block kernel
// (engine/tables/sincos_kernel) for them, phases of 128 bits for f64; what a kernel leaves in doubt one by one.
#pragma once

#include <map>

#include "src/encodings/axis_angles.h"
#include "src/engine/tables/f64_kernel.h"

namespace posenc {

/// Angles, each once, in the order in which they were first asked for.
class AngleList {
 public:
  std::uint32_t place_of(const plan::Angle& angle) {
    const auto [known, is_new] = places_.try_emplace({angle.axis, angle.frequency}, all_.size());
    if (is_new) all_.push_back(angle);
    return known->second;
  }
  const std::vector<plan::Angle>& all() const { return all_; }

 private:
  std::vector<plan::Angle> all_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t> places_;
};

/// Some angles of a plan, made ready.
class AngleWaves {
 public:
  AngleWaves(AxisAngles angles, std::vector<plan::Angle> of, const numerics::Real& scale);

  const AxisAngles& angles() const { return angles_; }
  const std::vector<plan::Angle>& of() const { return of_; }
  const numerics::Scale& scale() const { return scale_; }
  /// RN of the scale, the cosine of angle 0.
  template <class T>
  std::optional<T> one() const {
    return factor_ ? std::optional(factor_->as<T>()) : numerics::rounded<T>(scale_.value);
  }

  /// RN of the scaled sine and cosine of every angle, as AxisAngles::pair says: `to.sines` is their number. T: float,
  /// double, half, bfloat16. False where one is not settled.
  template <class T>
  [[nodiscard]] bool at(Place place, const engine::Waves<T>& to) const;

  /// Do kernels make them? Not logarithms or scales that kernels do not take; f64 where there is one for it.
  bool by_kernel() const { return by_kernel_; }
  /// What multiplies waves beside powers of their own.
  engine::WaveFactor factor_of_powers() const;

  /// By a kernel, block by block: write(sums, first, waves, doubts) makes the waves of angles first, first + 1, ..,
  /// settle(j, waves, i) those of angle j, number i of the block, that it left in doubt.
  template <class T, class Write, class Settle>
  bool by_blocks(Place place, const engine::Waves<T>& to, const Write& write, const Settle& settle) const {
    Multiplier by[most_axes];
    for (std::size_t a = 0; a < turns_.size(); ++a) by[a] = multiplier(a, *place[a]);
    bool decided = true;
    for (std::size_t first = 0; first < to.sines; first += engine::block) {
      const engine::Waves<T> part = engine::block_of(to, first);
      std::uint16_t doubts[engine::block];
      Phases phases;
      const engine::TurnSums sums = sums_of(place, {by, turns_.size()}, first, part.sines, phases);
      const std::size_t in_doubt = write(sums, first, part, doubts);
      for (std::size_t i = 0; i < in_doubt; ++i) decided &= settle(first + doubts[i], part, doubts[i]);
    }
    return decided;
  }

 private:
  // Axes that a sum has in lanes: 2 units each and 1 of the start are below 2^6 (engine/tables/sines.h).
  static constexpr std::size_t most_axes = 8;

  // Of one axis, by angle: the fraction of |step w| 2^-whole_bits turns, which is all of them, and whether step w is
  // below 0; zeros where an angle does not have the axis.
  struct AxisTurns {
    std::vector<std::uint64_t> high, low, signs;
    std::vector<std::uint8_t> in_block;  // does an angle of the block have the axis?
    int whole_bits = 0;
    bool has_signs = false;
  };
  // A coordinate times 2^whole_bits.
  struct Multiplier {
    std::uint64_t mantissa = 0;
    int shift = 0;
    bool negative = false, exact = true;  // exact: it is mantissa / 2^shift
  };
  // What the sums of a block point to.
  struct Phases {
    std::array<engine::SignedMultiples, most_axes> terms;
    std::array<std::uint64_t, engine::block> made;
    Phases() {}
  };

  engine::WaveFactor factor() const;
  AxisTurns turns_of(std::size_t axis) const;
  Multiplier multiplier(std::size_t axis, const numerics::Dyadic& p) const;
  std::uint64_t phase(Place place, std::span<const Multiplier> by, std::size_t j) const;
  // The same of 128 bits.
  numerics::uint128 wide_phase(Place place, std::span<const Multiplier> by, std::size_t j) const;
  template <class Settle>
  bool wide_blocks(Place place, const engine::Waves<double>& to, engine::WriteWideWaves* write,
                   const Settle& settle) const;
  engine::TurnSums sums_of(Place place, std::span<const Multiplier> by, std::size_t first, std::size_t count,
                           Phases& phases) const;

  AxisAngles angles_;
  std::vector<plan::Angle> of_;
  numerics::Scale scale_;
  std::optional<engine::Factor> factor_;
  std::vector<std::uint64_t> start_;      // of each angle: its phase and what axes add at 0
  std::vector<std::uint64_t> start_low_;  // 64 bits more
  std::vector<AxisTurns> turns_;          // of each axis
  int units_bits_ = 0;                    // a phase is off by less than 2^units_bits units
  bool by_kernel_ = false;
};

}  // namespace posenc
