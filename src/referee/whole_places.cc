// SPDX-License-Identifier: Apache-2.0
// One wave after another thins the numbers out, the first of them by a turn from each number to the next.
#include "src/referee/whole_places.h"

#include <algorithm>
#include <cmath>

#include "src/referee/arc.h"
#include "src/referee/measured_places.h"

namespace posenc::referee {
namespace {

// Entries of a wave at a place; of a column that is not there every number is one.
struct PlaceEntries {
  double w, phase, sine, cosine;
  bool has_sine, has_cosine;

  bool are_near(const Point& point, double off) const {
    return (!has_sine || std::abs(sine - point.sine) <= off) && (!has_cosine || std::abs(cosine - point.cosine) <= off);
  }
};

std::vector<PlaceEntries> entries_at(const Reading& reading, const Signal& signal, double amplitude,
                                     std::int64_t place) {
  constexpr std::size_t most_waves = 12;
  std::vector<WaveColumns> waves = waves_of(signal.plan->columns);
  std::erase_if(waves, [&](const WaveColumns& wave) { return std::isnan(signal.frequencies[0][wave.frequency]); });
  std::vector<PlaceEntries> all;
  for (const WaveColumns& wave : thinned(waves, most_waves)) {
    const auto of = [&](std::int64_t column, double sign) {
      return column < 0 ? 0 : sign * reading.at(place, column) / amplitude;
    };
    all.push_back({signal.frequencies[0][wave.frequency], signal.phase(wave.frequency), of(wave.sine, wave.sine_sign),
                   of(wave.cosine, wave.cosine_sign), wave.sine >= 0, wave.cosine >= 0});
  }
  return all;
}

double off_at(const PlaceEntries& wave, double p, const Tolerance& tolerance) {
  return tolerance.noise + 0x1p-21 + tolerance.drift * (std::abs(wave.w * p) + std::abs(wave.phase));
}

bool all_near(const std::vector<PlaceEntries>& waves, double p, const Tolerance& tolerance) {
  return std::ranges::all_of(waves, [&](const PlaceEntries& wave) {
    return wave.are_near(point_at(wave.w * p + wave.phase), off_at(wave, p, tolerance));
  });
}

}  // namespace

std::vector<double> whole_firsts(const Reading& reading, const Signal& signal, double amplitude,
                                 const Tolerance& tolerance) {
  constexpr double furthest = 0x1p13;
  constexpr std::size_t most = 4;
  std::vector<double> found;
  const std::int64_t last = reading.places() - 1;
  if (last < 1) return found;
  const std::vector<PlaceEntries> at_first = entries_at(reading, signal, amplitude, 0),
                                  at_next = entries_at(reading, signal, amplitude, 1),
                                  at_last = entries_at(reading, signal, amplitude, last);
  if (at_first.empty()) return found;
  const PlaceEntries& fastest =
      *std::ranges::max_element(at_first, {}, [](const PlaceEntries& e) { return std::abs(e.w); });
  const Point step = point_at(fastest.w);
  Point point = point_at(fastest.phase);
  for (double p = 0; p < furthest && found.size() < most; ++p) {
    const bool may_be = fastest.are_near(point, 2 * off_at(fastest, p, tolerance));
    if (may_be && all_near(at_first, p, tolerance) && all_near(at_next, p + 1, tolerance) &&
        all_near(at_last, p + static_cast<double>(last), tolerance)) {
      found.push_back(p);
    }
    point = {point.sine * step.cosine + point.cosine * step.sine, point.cosine * step.cosine - point.sine * step.sine};
  }
  return found;
}

}  // namespace posenc::referee
