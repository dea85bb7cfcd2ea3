// SPDX-License-Identifier: Apache-2.0
// The coordinate of a row from what its columns show: slow waves tell it coarsely, faster ones refine it, as the scales
// of a vernier do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace posenc::referee {

/// What is known of the wave of one frequency at one place: its angle less whole turns, or its cosine or sine alone.
struct KnownWave {
  enum class Known : std::uint8_t { angle = 1, cosine, sine };
  double frequency;  ///< radians per coordinate
  Known known;
  double value;  ///< the angle in radians, or the cosine or sine
};

/// How far an observed wave may be off: `noise` of an entry of size 1, and `drift` of its angle, relatively. `least`:
/// half the spacing of the smallest numbers of the type.
struct Tolerance {
  double noise, drift, least = 0;
};

/// A coordinate and how far off it may be.
struct Coordinate {
  double value, tolerance;
};
/// The whole number that it may be, else what was measured.
double whole_if_near(const Coordinate& at);

/// The coordinates of size up to `most` at which every wave is as it was observed, the smallest first; at most 4 are
/// returned, since nobody could choose among more. Waves of frequency 0 tell nothing and are left out.
std::vector<Coordinate> coordinates_of(std::span<const KnownWave> waves, const Tolerance& tolerance, double most);

}  // namespace posenc::referee
