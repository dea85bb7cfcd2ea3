// SPDX-License-Identifier: Apache-2.0
// Coarsely by slow waves, finely by fast ones, place by place; then first and step along an extent.
#include "src/referee/measured_places.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/referee/arc.h"
#include "src/referee/ladder_line.h"
#include "src/referee/simple_number.h"
#include "src/referee/step_fit.h"

namespace posenc::referee {
namespace {

using plan::Column;
using plan::Kind;

// What one place shows of the waves of axes whose coordinates are one there.
class Shown {
 public:
  Shown(const Reading& reading, const Signal& signal, std::span<const std::size_t> axes, double amplitude)
      : reading_(reading), signal_(signal), amplitude_(amplitude) {
    constexpr std::size_t most_waves = 40;
    std::vector<WaveColumns> own = waves_of(signal.plan->columns);
    const auto has = [&](std::size_t axis) { return std::ranges::find(axes, axis) != axes.end(); };
    std::erase_if(own, [&](const WaveColumns& wave) {
      return !has(wave.axis) || std::isnan(signal.frequencies[wave.axis][wave.frequency]);
    });
    waves_ = thinned(own, most_waves);
    for (std::int64_t c = 0; c < signal.width(); ++c) {
      const Column& column = signal.plan->columns[static_cast<std::size_t>(c)];
      if (!has(column.axis)) continue;
      if (column.kind == Kind::coordinate) direct_.push_back({c, signal.scale < 0 ? -amplitude : amplitude});
      if (column.kind != Kind::angle || std::isnan(signal.frequencies[column.axis][column.frequency])) continue;
      direct_.push_back({c, signal.frequencies[column.axis][column.frequency]});
    }
    std::ranges::stable_sort(direct_, {}, [](const Direct& each) { return -std::abs(each.factor); });
  }

  bool nothing() const { return waves_.empty() && direct_.empty(); }
  // Up to which coordinate the slowest wave turns by less than half a turn, and so tells it.
  double furthest() const {
    double slowest = std::numeric_limits<double>::infinity();
    if (!direct_.empty()) return slowest;
    for (const WaveColumns& wave : waves_) {
      const double w = std::abs(signal_.frequencies[wave.axis][wave.frequency]);
      if (w > 0) slowest = std::min(slowest, w);
    }
    return pi / slowest;
  }
  // A step that no whole number is near, by all waves; as it is where coordinates are stored.
  Coordinate fitted(std::size_t extent, double first, const Coordinate& step, const Tolerance& tolerance) const {
    if (!direct_.empty() || waves_.empty()) return step;
    return fitted_step(reading_, signal_, waves_, amplitude_, extent, first, step, tolerance);
  }
  bool has_sign() const {
    return !direct_.empty() || std::ranges::any_of(waves_, [](const WaveColumns& wave) { return wave.sine >= 0; });
  }

  // The coordinates that the place may have.
  std::vector<Coordinate> at(std::int64_t place, const Tolerance& tolerance) const {
    if (!direct_.empty()) {
      const double value = reading_.at(place, direct_[0].column) / direct_[0].factor;
      return {{value, std::abs(value) * (tolerance.noise + 0x1p-22)}};
    }
    std::vector<KnownWave> seen;
    for (const WaveColumns& wave : waves_) {
      const double w = signal_.frequencies[wave.axis][wave.frequency], phase = signal_.phase(wave.frequency);
      const double s = wave.sine < 0 ? 0 : wave.sine_sign * reading_.at(place, wave.sine) / amplitude_;
      const double c = wave.cosine < 0 ? 0 : wave.cosine_sign * reading_.at(place, wave.cosine) / amplitude_;
      if (wave.pair()) {
        seen.push_back({w, KnownWave::Known::angle, wrapped(arc(s, c) - phase)});
      } else if (phase == 0) {
        seen.push_back({w, wave.sine < 0 ? KnownWave::Known::cosine : KnownWave::Known::sine, wave.sine < 0 ? c : s});
      }
    }
    constexpr double most = 0x1p22;
    std::vector<Coordinate> found = coordinates_of(seen, tolerance, most);
    if (!has_sign()) {
      std::erase_if(found, [](const Coordinate& each) { return each.value < -each.tolerance; });
      for (Coordinate& each : found) each.value = std::abs(each.value);
    }
    return found;
  }

 private:
  struct Direct {
    std::int64_t column;
    double factor;
  };
  const Reading& reading_;
  const Signal& signal_;
  double amplitude_;
  std::vector<WaveColumns> waves_;
  std::vector<Direct> direct_;  // the steepest first
};

double snapped(const Coordinate& at) {
  const double least = std::max(4 * at.tolerance, 1e-9);
  for (const double unit : {1.0, 0.5}) {
    const double near = std::rint(at.value / unit) * unit + 0.0;  // not -0
    if (std::abs(at.value - near) <= std::min(least, 0.2 * unit)) return near;
  }
  return at.value;
}

// Equally spaced coordinates along an extent: from the first two places to the last, the distance doubled each time.
struct Spaced {
  Coordinate first, step;
};
std::vector<Spaced> spaced_along(const Reading& reading, std::size_t extent, const Shown& shown,
                                 const Tolerance& tolerance) {
  const std::int64_t count = reading.extents[extent];
  const auto at = [&](std::int64_t i) { return shown.at(place_along(reading, extent, i), tolerance); };
  std::vector<Spaced> all;
  const std::vector<Coordinate> firsts = at(0);
  if (count == 1) {
    for (const Coordinate& first : firsts) all.push_back({first, {1, 0}});
    return all;
  }
  const std::vector<Coordinate> seconds = at(1);
  const double furthest = 0.99 * shown.furthest();
  for (const Coordinate& first : firsts) {
    for (const Coordinate& second : seconds) {
      Spaced spaced = {first, {second.value - first.value, first.tolerance + second.tolerance}};
      bool holds = true;
      for (std::int64_t i = std::min<std::int64_t>(2, count - 1), last = 1; holds && i > last;
           last = i, i = std::min(2 * i, count - 1)) {
        const double n = static_cast<double>(i), guess = first.value + n * spaced.step.value;
        if (std::abs(guess) > furthest) {  // no more is told, and the usual step alone is taken at that
          holds = snapped(spaced.step) == 1;
          break;
        }
        holds = false;
        for (const Coordinate& each : at(i)) {
          if (std::abs(each.value - guess) > n * spaced.step.tolerance + each.tolerance + first.tolerance) continue;
          holds = true;
          const Coordinate step = {(each.value - first.value) / n, (each.tolerance + first.tolerance) / n};
          if (step.tolerance < spaced.step.tolerance) spaced.step = step;
          break;
        }
      }
      if (holds) all.push_back(spaced);
    }
  }
  // Nobody numbers places backward where forward does as well: a rotation's cosines do not tell.
  std::ranges::stable_sort(all, {}, [](const Spaced& each) { return each.step.value < 0; });
  return all;
}

}  // namespace

std::vector<MeasuredPlaces> measured_places(const Reading& reading, const Signal& signal,
                                            const std::vector<std::size_t>& extent_of, double amplitude,
                                            const Tolerance& tolerance) {
  std::vector<MeasuredPlaces> all = {{}};
  const std::vector<std::string> names = axes_of(signal.convention);
  // Several axes along one extent are those of a rotation of text, whose coordinates are one.
  std::vector<std::vector<std::size_t>> together;
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    if (a == 0 || reading.extents.size() > 1) together.emplace_back();
    together.back().push_back(a);
  }
  for (const std::vector<std::size_t>& axes : together) {
    const std::size_t extent = extent_of[axes[0]];
    const Shown shown(reading, signal, axes, amplitude);
    std::vector<MeasuredPlaces> longer;
    const std::vector<Spaced> found =
        shown.nothing() ? std::vector<Spaced>{{{0, 0}, {1, 0}}} : spaced_along(reading, extent, shown, tolerance);
    for (Spaced spaced : found) {
      const double first = snapped(spaced.first);
      if (snapped(spaced.step) != std::rint(snapped(spaced.step)) && first == std::rint(first)) {
        spaced.step = shown.fitted(extent, first, spaced.step, tolerance);
      }
      const double step = snapped(spaced.step);
      if (step == 0 && reading.extents[extent] > 1) continue;  // places are not one
      const double first_off = std::max(4 * spaced.first.tolerance, 1e-9);
      const double step_off = std::max(4 * spaced.step.tolerance, 1e-12);
      const auto simple = [](double value, double usual, double off) {
        if (value == usual) return Fitted{"", value, value, value, ""};
        Fitted near = fitted_between("", value - off, value + off);
        if (near.simple.empty()) near.value = value;
        return near;
      };
      const auto raw = [](double value, double off) {
        const bool whole = value == std::rint(value);
        return whole ? fitted_between("", value, value) : Fitted{"", value, value - off, value + off, ""};
      };
      for (MeasuredPlaces next : all) {
        const Fitted simple_first = simple(first, 0, first_off), raw_step = raw(step, step_off);
        next.simple.add(names[axes[0]], axes.size(), simple_first, simple(step, 1, step_off));
        next.raw.add(names[axes[0]], axes.size(), raw(first, first_off), raw_step);
        double within = step_off;
        for (Measured& longer_step : next.longer_steps) {
          Fitted decimal = raw_step;
          if (decimal.simple.empty()) decimal.value = shortest_decimal({step - within, step + within});
          longer_step.add(names[axes[0]], axes.size(), simple_first, decimal);
          within /= 8;
        }
        longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  constexpr std::size_t most = 8;
  if (all.size() > most) all.resize(most);
  return all;
}

std::vector<std::vector<Coordinate>> coordinates_shown(const Reading& reading, const Signal& signal, std::size_t axis,
                                                       std::span<const std::int64_t> places,
                                                       const Tolerance& tolerance) {
  const Shown shown(reading, signal, {&axis, 1}, std::abs(signal.scale));
  std::vector<std::vector<Coordinate>> all;
  for (const std::int64_t place : places) {
    all.push_back(shown.nothing() ? std::vector<Coordinate>{} : shown.at(place, tolerance));
  }
  return all;
}

}  // namespace posenc::referee
