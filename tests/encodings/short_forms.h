// SPDX-License-Identifier: Apache-2.0
// Short forms that several tests start from.
#pragma once

#include <posenc/convention.h>

namespace posenc::test {

inline constexpr Geometric paper = {10000, 1, Spacing::over_width};
inline const Sinusoid paper_sinusoid = {paper, Layout::interleaved, OddWidth::refused};
inline const Waves paper_waves = paper_sinusoid;
inline const Grid paper_grid = {paper, Layout::sine_first, AxisOrder::column_first};
inline const Rotary adjacent_rotary = {paper, Pairing::adjacent}, half_rotary = {paper, Pairing::split_half};
inline constexpr Timestep ddpm = {10000, 1, 1, Layout::sine_first};
inline constexpr Bias alibi = {8};

/// Does a ladder of it need the length of a call?
inline bool depends_on_length(const Convention& convention) {
  return std::visit(
      []<class Family>(const Family& family) {
        bool depends = false;
        if constexpr (requires { family.ladders; }) {
          for (const Ladder& ladder : family.ladders) {
            const auto* geometric = std::get_if<Geometric>(&ladder);
            depends |= geometric != nullptr && (std::holds_alternative<DynamicNtkScaling>(geometric->scaling) ||
                                                std::holds_alternative<LongRopeScaling>(geometric->scaling));
          }
        }
        return depends;
      },
      convention);
}

using Counts = std::vector<std::int64_t>;  // of pairs, as sections

}  // namespace posenc::test
