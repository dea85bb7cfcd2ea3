// SPDX-License-Identifier: Apache-2.0
// From the slowest wave to the fastest: each leaves a few places within the last one's tolerance.
#include "src/referee/vernier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "src/referee/arc.h"

namespace posenc::referee {
namespace {

double arc_of_cosine(double c) { return arc(std::sqrt(std::max(0.0, 1 - c * c)), c); }

// A wave with the angles that it leaves possible, less whole turns.
struct Shown {
  double frequency;
  std::array<double, 2> angles;
  std::size_t count;
  double noise;  // of the angle; near the extremes of a cosine or sine alone it grows to a square root
};

Shown shown(const KnownWave& wave, const Tolerance& tolerance) {
  const double value = std::clamp(wave.value, -1.0, 1.0), noise = 2 * tolerance.noise;
  if (wave.known == KnownWave::Known::angle) return {wave.frequency, {wave.value, 0}, 1, noise};
  const double angle = arc_of_cosine(value), rest = std::sqrt(std::max(0.0, 1 - value * value));
  const double off = noise + std::min(noise / std::max(rest, 1e-30), std::sqrt(2 * noise));
  if (wave.known == KnownWave::Known::cosine) return {wave.frequency, {angle, -angle}, 2, off};
  return {wave.frequency, {pi / 2 - angle, pi / 2 + angle}, 2, off};
}

// The coordinate after one more wave; nothing where the wave rules it out.
std::optional<Coordinate> refined(const Coordinate& at, const Shown& wave, const Tolerance& tolerance) {
  const double angle = wave.frequency * at.value;
  double nearest = 2 * turn;
  for (std::size_t i = 0; i < wave.count; ++i) {
    const double off = wrapped(wave.angles[i] - angle);
    if (std::abs(off) < std::abs(nearest)) nearest = off;
  }
  const double w = std::abs(wave.frequency), may_be = wave.noise + tolerance.drift * std::abs(angle);
  if (std::abs(nearest) > w * at.tolerance + may_be) return std::nullopt;
  if (may_be >= w * at.tolerance) return at;  // it tells nothing new
  // Half a turn of doubt leaves two places; the nearer one is kept, and what follows rules it out if it is wrong.
  return Coordinate{at.value + nearest / wave.frequency, may_be / w};
}

}  // namespace

double whole_if_near(const Coordinate& at) {
  constexpr double near = 0x1p-10;
  const double whole = std::rint(at.value) + 0.0;  // not -0
  return std::abs(at.value - whole) <= std::max(at.tolerance, near) ? whole : at.value;
}

std::vector<Coordinate> coordinates_of(std::span<const KnownWave> waves, const Tolerance& tolerance, double most) {
  std::vector<Shown> sorted;
  for (const KnownWave& wave : waves) {
    if (wave.frequency != 0) sorted.push_back(shown(wave, tolerance));
  }
  if (sorted.empty()) return {};
  std::ranges::stable_sort(sorted, {}, [](const Shown& wave) { return std::abs(wave.frequency); });
  const Shown& slowest = sorted.front();
  const double w = std::abs(slowest.frequency);
  constexpr double most_turns = 64;
  const double turns = std::min(std::floor(most * w / turn) + 1, most_turns);
  std::vector<Coordinate> found;
  for (double m = 0; m <= turns; m = m > 0 ? -m : 1 - m) {
    for (std::size_t i = 0; i < slowest.count; ++i) {
      const double total = slowest.angles[i] + m * turn;
      std::optional<Coordinate> at =
          Coordinate{total / slowest.frequency, (slowest.noise + tolerance.drift * std::abs(total)) / w};
      if (std::abs(at->value) > most + at->tolerance) continue;
      for (std::size_t k = 1; k < sorted.size() && at; ++k) at = refined(*at, sorted[k], tolerance);
      if (!at) continue;
      const auto same = [&](const Coordinate& other) {
        return std::abs(other.value - at->value) <= other.tolerance + at->tolerance;
      };
      if (std::ranges::none_of(found, same)) found.push_back(*at);
    }
  }
  std::ranges::stable_sort(found, {}, [](const Coordinate& at) { return std::abs(at.value); });
  constexpr std::size_t most_found = 4;
  if (found.size() > most_found) found.resize(most_found);
  return found;
}

}  // namespace posenc::referee
