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
struct PossibleAngles {
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

  PossibleAngles at(std::int64_t i) const {
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
  // cos(n w), from x_(i - n) + x_(i + n) = 2 cos(n w) x_i, which a wave of any size and phase keeps, by least squares.
  Frequency cosine_of_steps(std::int64_t n, const Tolerance& tolerance) const {
    const std::int64_t column = wave_.sine < 0 ? wave_.cosine : wave_.sine, count = reading_.extents[extent_];
    double products = 0, squares = 0, largest = 0;
    for (std::int64_t i = n; i + n < count; ++i) {
      const double x = value(column, i);
      products += x * (value(column, i - n) + value(column, i + n)), squares += x * x;
      largest = std::max(largest, std::abs(x));
    }
    if (!(squares > 0)) return {unknown, unknown};
    // Each of the three entries of a product is off by as much, and errors of one sign add up.
    const double rows = static_cast<double>(count - 2 * n), off = (tolerance.noise + 0x1p-22) * largest;
    return {products / (2 * squares), 2 * off * std::sqrt(rows / squares)};
  }
  // Do a few places keep x_(i - 1) + x_(i + 1) = 2 cos(w) x_i?
  bool keeps(const Frequency& cosine, const Tolerance& tolerance) const {
    constexpr std::int64_t few = 64;
    const std::int64_t column = wave_.sine < 0 ? wave_.cosine : wave_.sine;
    const std::int64_t count = std::min(few, reading_.extents[extent_]);
    for (std::int64_t i = 1; i + 1 < count; ++i) {
      const double x = value(column, i), apart = value(column, i - 1) + value(column, i + 1) - 2 * cosine.value * x;
      const double off = 4 * (tolerance.noise + 0x1p-22) * size_ + 2 * cosine.off * std::abs(x);
      if (std::abs(apart) > 2 * off) return false;
    }
    return true;
  }
  // Does a wave that stands alone begin at angle 0?
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

double nearest_of(const PossibleAngles& angles, double guess) {
  double best = angles.of[0];
  for (std::size_t i = 1; i < angles.count; ++i) {
    if (std::abs(wrapped(angles.of[i] - guess)) < std::abs(wrapped(best - guess))) best = angles.of[i];
  }
  return guess + wrapped(best - guess);
}

// Of a wave that stands alone and begins anywhere: from steps of one place to those of half the places.
Frequency measured_alone(const Rotor& rotor, std::int64_t count, const Tolerance& tolerance) {
  Frequency w = {unknown, unknown};
  for (std::int64_t n = 1; 2 * n < count; n *= 2) {
    const Frequency cosine = rotor.cosine_of_steps(n, tolerance);
    if (std::isnan(cosine.value) || (n == 1 && !rotor.keeps(cosine, tolerance))) break;
    const double c = std::clamp(cosine.value, -1.0, 1.0), s = std::sqrt(1 - c * c), steps = static_cast<double>(n);
    // The slope of the arc cosine is 1 / s, and its root at the ends.
    const double off = std::min(cosine.off / s, 2 * std::sqrt(cosine.off)), angle = arc(s, c);
    if (n == 1) {
      w = {angle, off};
      continue;
    }
    if (w.off * steps > 1) break;
    const Frequency finer = {nearest_of({{angle, -angle}, 2}, steps * w.value) / steps, off / steps};
    if (finer.off < w.off) w = finer;
  }
  w.off += 0x1p-21 * std::abs(w.value);
  return w;
}

// In radians a place.
Frequency measured(const Rotor& rotor, std::int64_t count, const Tolerance& tolerance) {
  if (count < 2) return {unknown, unknown};
  if (!rotor.begins(tolerance)) return measured_alone(rotor, count, tolerance);
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

// Those of a list of frequencies.
std::vector<Frequency> listed(const Reading& reading, const Signal& like, const Tolerance& tolerance) {
  std::vector<Frequency> all(like.frequencies[0].size(), {unknown, unknown});
  for (std::int64_t c = 0; c < reading.width; ++c) {
    const plan::Column& column = like.plan.columns[static_cast<std::size_t>(c)];
    const double w = reading.at(0, c);
    if (column.kind == plan::Kind::angle) all[column.frequency] = {w, frequency_off(w, tolerance)};
  }
  return all;
}

// How far apart the coordinates of neighbours are, axis by axis.
std::vector<double> steps_of(const Reading& reading, const Signal& like, const std::vector<std::size_t>& extent_of) {
  std::vector<double> steps(like.axes(), 1);
  const auto stated = stated_places(reading, like, extent_of);
  for (std::size_t a = 0; stated && a < steps.size(); ++a) steps[a] = (*stated)[a].step;
  return steps;
}

// How far a row is from saying a fit: another kind of scaling counts for all the fields that it has.
std::size_t apart(const std::vector<std::string>& differences) {
  constexpr std::size_t kind = 5;
  std::size_t sum = 0;
  for (const std::string& each : differences) {
    const std::string_view path = std::string_view(each).substr(0, each.find(':'));
    sum += path.ends_with(".scaling") || path == "magnitude" ? kind : 1;
  }
  return sum;
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
  const auto add = [&](const Named::Member& member, const Signal& like, const LadderFit& fit) {
    const Preset& preset = fit.preset.empty() ? *member.preset : *find_preset(fit.preset);
    if (check_changes(preset.convention, fit.changes)) return;
    const Convention convention = detail::changed(preset.convention, fit.changes);
    LoweredFor given = member.given;
    if (fit.length) given.context.length = *fit.length;
    auto signal = signal_of(preset, convention, given, like.form);
    if (!signal || signal->width() != like.width()) return;
    std::vector<std::string> differing = differences(preset.convention, convention);
    const auto same =
        std::ranges::find_if(all, [&](const Proposed& other) { return same_signal(other.signal, *signal); });
    const std::string name(preset.name);
    if (same == all.end()) {
      all.push_back({std::move(*signal), fit.fitted, fit.simple, {name}, std::move(differing)});
    } else if (apart(differing) < apart(same->differences)) {
      *same = {std::move(*signal), fit.fitted, fit.simple, {name}, std::move(differing)};
    } else if (apart(differing) == apart(same->differences) && same->presets.back() != name) {
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
      for (const Named::Member& member : each.members) add(member, each.signal, fit);
    }
  }
  std::ranges::stable_sort(all, {},
                           [](const Proposed& each) { return std::pair(!each.simple, apart(each.differences)); });
  return all;
}

}  // namespace

std::vector<Frequency> spectrum_of(const Reading& reading, const Signal& like, const Tolerance& tolerance) {
  std::vector<Frequency> all;
  const auto extent_of = extents_of(reading, like);
  if (!extent_of) return all;
  if (like.form == frequency_form) return listed(reading, like, tolerance);
  const std::vector<double> steps = steps_of(reading, like, *extent_of);
  constexpr std::size_t enough = 16;  // columns that are no waves, before any that is
  std::size_t none = 0;
  for (const WaveColumns& wave : waves_of(like.plan.columns)) {
    if (wave.axis >= like.axes()) continue;
    if (none == enough) return {};
    const std::size_t extent = (*extent_of)[wave.axis];
    const Rotor rotor(reading, like, wave, extent);
    Frequency w = measured(rotor, reading.extents[extent], tolerance);
    const bool alone = !wave.pair() && std::isnan(w.value);
    if (alone && none < enough) ++none;
    if (!std::isnan(w.value)) none = enough + 1;
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
  constexpr std::size_t most = 16;
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
