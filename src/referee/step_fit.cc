// SPDX-License-Identifier: Apache-2.0
// Slow waves first, which a step that is a little off hardly turns; each fit admits faster ones.
#include "src/referee/step_fit.h"

#include <algorithm>
#include <cmath>

#include "src/referee/arc.h"

namespace posenc::referee {
namespace {

// Sums over entries of (what an entry is beyond the known one) and of its change by the step, each by how far the entry
// may be off.
struct StepSums {
  double both = 0, squares = 0;

  void add(double beyond, double change, double off) {
    both += beyond * change / (off * off), squares += change * change / (off * off);
  }
};

}  // namespace

Coordinate fitted_step(const Reading& reading, const Signal& signal, std::span<const WaveColumns> waves,
                       double amplitude, std::size_t extent, double first, const Coordinate& near,
                       const Tolerance& tolerance) {
  constexpr std::int64_t most_places = 64;
  constexpr double straight = 0.3;  // radians by which a wave may be off: its change is then that of a line
  constexpr double least = 0x1p-6;  // of an entry, that its rounding counts
  const std::int64_t count = reading.extents[extent], places = std::min(count, most_places);
  Coordinate step = near;
  for (int round = 0; round < 4; ++round) {
    StepSums sums;
    for (std::int64_t k = 1; k < places; ++k) {
      const std::int64_t i = places == count ? k : k * (count - 1) / (places - 1);
      const std::int64_t place = place_along(reading, extent, i);
      const double along = first + static_cast<double>(i) * step.value;
      for (const WaveColumns& wave : waves) {
        const double w = signal.frequencies[wave.axis][wave.frequency], turns = w * static_cast<double>(i);
        if (!(std::abs(turns) * step.tolerance < straight)) continue;
        const Point known = point_at(signal.phase(wave.frequency) + w * along);
        const auto add = [&](std::int64_t column, double sign, double right, double change) {
          if (column < 0) return;
          const double entry = sign * reading.at(place, column) / amplitude;
          const double off = tolerance.noise * std::max(std::abs(right), least) + tolerance.drift * std::abs(w * along);
          sums.add(entry - right, turns * change, off);
        };
        add(wave.sine, wave.sine_sign, known.sine, known.cosine);
        add(wave.cosine, wave.cosine_sign, known.cosine, -known.sine);
      }
    }
    if (!(sums.squares > 0)) return step;
    // A deviation, as if each rounding were as large as it may be: three of those of even chance.
    const double off = 1 / std::sqrt(sums.squares), more = sums.both / sums.squares;
    if (!(std::abs(more) <= step.tolerance + 4 * off)) return step;
    step.value += more;
    if (off >= step.tolerance) return step;
    step.tolerance = off;
  }
  return step;
}

}  // namespace posenc::referee
