// SPDX-License-Identifier: Apache-2.0
// Measured frequencies, and rows of presets with ladders that fit them.
#include "src/referee/spectrum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/referee/arc.h"

namespace posenc::referee {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The angles that the entries of a wave leave possible at a place, less whole turns.
struct Angles {
  std::array<double, 2> of;
  std::size_t count;
};

class Rotor {
 public:
  Rotor(const Reading& reading, const Signal& signal, const WaveColumns& wave, std::size_t extent)
      : reading_(reading), wave_(wave), extent_(extent), phase_(signal.phase(wave.frequency)) {
    if (wave.pair()) return;
    for (std::int64_t i = 0; i < reading.extents[extent]; ++i) {
      size_ = std::max(size_, std::abs(value(wave.sine < 0 ? wave.cosine : wave.sine, i)));
    }
    size_ = std::max(size_, std::abs(signal.scale));
  }

  Angles at(std::int64_t i) const {
    if (wave_.pair()) {
      const double s = wave_.sine_sign * value(wave_.sine, i), c = wave_.cosine_sign * value(wave_.cosine, i);
      return {{arc(s, c) - phase_, 0}, 1};
    }
    if (wave_.sine < 0) {
      const double c = std::clamp(wave_.cosine_sign * value(wave_.cosine, i) / size_, -1.0, 1.0);
      const double angle = arc(std::sqrt(1 - c * c), c);
      return {{angle, -angle}, 2};
    }
    const double s = std::clamp(wave_.sine_sign * value(wave_.sine, i) / size_, -1.0, 1.0);
    const double angle = arc(s, std::sqrt(1 - s * s));
    return {{angle, pi - angle}, 2};
  }
  // Waves that stand alone begin at angle 0.
  bool begins(const Tolerance& tolerance) const {
    if (wave_.pair()) return true;
    const double first = wave_.sine < 0 ? value(wave_.cosine, 0) / size_ - 1 : value(wave_.sine, 0) / size_;
    return std::abs(first) <= 4 * tolerance.noise;
  }

 private:
  double value(std::int64_t column, std::int64_t i) const {
    return reading_.at(place_along(reading_, extent_, i), column);
  }
  const Reading& reading_;
  WaveColumns wave_;
  std::size_t extent_;
  double phase_, size_ = 0;
};

double nearest_of(const Angles& angles, double guess) {
  double best = angles.of[0];
  for (std::size_t i = 1; i < angles.count; ++i) {
    if (std::abs(wrapped(angles.of[i] - guess)) < std::abs(wrapped(best - guess))) best = angles.of[i];
  }
  return guess + wrapped(best - guess);
}

// In radians a place.
Frequency measured(const Rotor& rotor, std::int64_t count, const Tolerance& tolerance) {
  if (count < 2 || !rotor.begins(tolerance)) return {unknown, unknown};
  const double noise = 4 * tolerance.noise + 0x1p-22;
  const double first = rotor.at(0).of[0];
  Frequency w = {wrapped(rotor.at(1).of[0] - first), noise};
  for (std::int64_t i = std::min<std::int64_t>(2, count - 1), last = 1; i > last;
       last = i, i = std::min(2 * i, count - 1)) {
    const auto n = static_cast<double>(i);
    if (w.off * n > 1) break;
    w = {(nearest_of(rotor.at(i), first + n * w.value) - first) / n, noise / n};
  }
  w.off += 0x1p-21 * std::abs(w.value);  // of the ladder's own arithmetic
  return w;
}

// How far apart the coordinates of neighbours are, axis by axis.
std::vector<double> steps_of(const Reading& reading, const Signal& like, const std::vector<std::size_t>& extent_of) {
  std::vector<double> steps(like.axes(), 1);
  const auto stated = stated_places(reading, like, extent_of);
  for (std::size_t a = 0; stated && a < steps.size(); ++a) steps[a] = (*stated)[a].step;
  return steps;
}

// A plan that a fit would give, and the rows that come nearest to saying it.
struct Proposed {
  Signal signal;
  std::vector<Fitted> fitted;
  bool simple;
  std::vector<std::string> presets, differences;
};

std::vector<Proposed> proposals(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance) {
  std::vector<Proposed> all;
  const auto add = [&](const Preset& preset, const Signal& like, const LadderFit& fit) {
    if (check_changes(preset.convention, fit.changes)) return;
    const Convention convention = detail::changed(preset.convention, fit.changes);
    auto signal = signal_of(preset, convention, like.given, like.form);
    if (!signal) return;
    std::vector<std::string> differing = differences(preset.convention, convention);
    const auto same =
        std::ranges::find_if(all, [&](const Proposed& other) { return same_signal(other.signal, *signal); });
    const std::string name(preset.name);
    if (same == all.end()) {
      all.push_back({std::move(*signal), fit.fitted, fit.simple, {name}, std::move(differing)});
    } else if (differing.size() < same->differences.size()) {
      *same = {std::move(*signal), fit.fitted, fit.simple, {name}, std::move(differing)};
    } else if (differing.size() == same->differences.size() && same->presets.back() != name) {
      same->presets.push_back(name);
    }
  };
  // Signals of the same columns and places show the same frequencies.
  const Signal* last = nullptr;
  std::vector<Frequency> spectrum;
  for (const Named& each : signals) {
    if (last == nullptr || !same_places(*last, each.signal)) spectrum = spectrum_of(reading, each.signal, tolerance);
    last = &each.signal;
    if (spectrum.empty()) continue;
    for (const LadderFit& fit : ladder_fits(each.signal, spectrum)) {
      for (const std::string& name : each.presets) add(*find_preset(name), each.signal, fit);
    }
  }
  std::ranges::stable_sort(all, {},
                           [](const Proposed& each) { return std::pair(!each.simple, each.differences.size()); });
  return all;
}

}  // namespace

std::vector<Frequency> spectrum_of(const Reading& reading, const Signal& like, const Tolerance& tolerance) {
  std::vector<Frequency> all;
  const auto extent_of = extents_of(reading, like);
  if (!extent_of) return all;
  const std::vector<double> steps = steps_of(reading, like, *extent_of);
  for (const WaveColumns& wave : waves_of(like.plan.columns)) {
    if (wave.axis >= like.axes()) continue;
    const std::size_t extent = (*extent_of)[wave.axis];
    const Rotor rotor(reading, like, wave, extent);
    Frequency w = measured(rotor, reading.extents[extent], tolerance);
    w.value /= steps[wave.axis], w.off /= std::abs(steps[wave.axis]);
    if (all.size() <= wave.frequency) all.resize(wave.frequency + 1, {unknown, unknown});
    Frequency& known = all[wave.frequency];
    if (std::isnan(known.value) || w.off < known.off) known = w;
  }
  const bool backward = std::ranges::all_of(all, [](const Frequency& w) { return !(w.value > 0); });
  for (Frequency& w : all) w.value *= backward ? -1 : 1;
  return all;
}

std::vector<Refit> refits(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance,
                          const std::vector<Coordinates>& known) {
  std::vector<Proposed> proposed = proposals(reading, signals, tolerance);
  std::vector<Refit> all;
  constexpr std::size_t most = 12;
  for (const Proposed& each : proposed) {
    if (all.size() == most) break;
    auto held = hold(reading, each.signal, tolerance, known);
    if (!held) continue;
    held->fitted.insert(held->fitted.begin(), each.fitted.begin(), each.fitted.end());
    all.push_back({std::move(*held), each.presets, each.differences, each.simple});
  }
  return all;
}

}  // namespace posenc::referee
