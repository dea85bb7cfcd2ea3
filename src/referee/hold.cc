// SPDX-License-Identifier: Apache-2.0
// From the columns of a few places to amplitude and coordinates.
#include "src/referee/hold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/referee/arc.h"
#include "src/referee/ladder_line.h"
#include "src/referee/lone_waves.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

using plan::Column;
using plan::Kind;

// At most `most` of them, evenly.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

// ---- coordinates ---------------------------------------------------------------------------------

// What one place shows of the waves of axes whose coordinates are one there.
class Shown {
 public:
  Shown(const Reading& reading, const Signal& signal, std::span<const std::size_t> axes, double amplitude)
      : reading_(reading), signal_(signal), amplitude_(amplitude) {
    constexpr std::size_t most_waves = 40;
    std::vector<WaveColumns> own = waves_of(signal.plan.columns);
    const auto has = [&](std::size_t axis) { return std::ranges::find(axes, axis) != axes.end(); };
    std::erase_if(own, [&](const WaveColumns& wave) {
      return !has(wave.axis) || std::isnan(signal.frequencies[wave.axis][wave.frequency]);
    });
    waves_ = thinned(own, most_waves);
    for (std::int64_t c = 0; c < signal.width(); ++c) {
      const Column& column = signal.plan.columns[static_cast<std::size_t>(c)];
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
  bool has_sign() const {
    return !direct_.empty() || std::ranges::any_of(waves_, [](const WaveColumns& wave) { return wave.sine >= 0; });
  }

  // The coordinates that the place may have.
  std::vector<Coordinate> at(std::int64_t place, const Tolerance& tolerance) const {
    if (!direct_.empty()) {
      const double value = reading_.at(place, direct_[0].column) / direct_[0].factor;
      return {{value, std::abs(value) * (tolerance.noise + 0x1p-22)}};
    }
    std::vector<Wave> seen;
    for (const WaveColumns& wave : waves_) {
      const double w = signal_.frequencies[wave.axis][wave.frequency], phase = signal_.phase(wave.frequency);
      const double s = wave.sine < 0 ? 0 : wave.sine_sign * reading_.at(place, wave.sine) / amplitude_;
      const double c = wave.cosine < 0 ? 0 : wave.cosine_sign * reading_.at(place, wave.cosine) / amplitude_;
      if (wave.pair()) {
        seen.push_back({w, Wave::Known::angle, wrapped(arc(s, c) - phase)});
      } else if (phase == 0) {
        seen.push_back({w, wave.sine < 0 ? Wave::Known::cosine : Wave::Known::sine, wave.sine < 0 ? c : s});
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
    const double near = std::rint(at.value / unit) * unit;
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
        if (std::abs(guess) > furthest) break;
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

// ---- one hypothesis ------------------------------------------------------------------------------

// Far out, angles are off by so much that any entry would do.
constexpr double tells_nothing = 0.25;

bool plain_axes(const Signal& signal) {
  return std::ranges::all_of(signal.plan.axes, [](const plan::Axis& axis) { return axis == plan::Axis{}; });
}

// Do the waves of a few rows stand where the hypothesis has them? Doubles tell most of what does not fit; exact rows
// take a hundred times as long.
bool fits_roughly(const Reading& reading, const Hypothesis& hypothesis, const Tolerance& tolerance) {
  const Signal& signal = hypothesis.signal;
  if (!plain_axes(signal)) return true;  // coordinates are made of positions
  constexpr std::size_t most_waves = 40;
  const std::vector<WaveColumns> waves = thinned(waves_of(signal.plan.columns), most_waves);
  for (const std::int64_t place : probes(reading.places())) {
    const std::vector<std::int64_t> index = reading.index(place);
    for (const WaveColumns& wave : waves) {
      double angle = signal.phase(wave.frequency);
      for (std::size_t a = 0; a < signal.axes(); ++a) {
        if (wave.axis != a && wave.axis != plan::every_axis) continue;
        angle += signal.frequencies[a][wave.frequency] * hypothesis.coordinates[a].at(index[hypothesis.extent_of[a]]);
      }
      const Column& column = signal.plan.columns[static_cast<std::size_t>(std::max(wave.sine, wave.cosine))];
      const double off = may_be_off(hypothesis, index, column, tolerance);
      if (!(off <= tells_nothing)) continue;
      const double within = (off + 0x1p-40) * std::abs(signal.scale);
      const Point point = point_at(angle);
      const auto agrees = [&](std::int64_t at, double sign, double right) {
        return at < 0 || std::abs(sign * reading.at(place, at) - signal.scale * right) <= within;
      };
      if (!agrees(wave.sine, wave.sine_sign, point.sine)) return false;
      if (!agrees(wave.cosine, wave.cosine_sign, point.cosine)) return false;
    }
  }
  return true;
}

// Do a few rows have the entries of the hypothesis?
bool fits(const Reading& reading, const Hypothesis& hypothesis, const Tolerance& tolerance) {
  if (!fits_roughly(reading, hypothesis, tolerance)) return false;
  const std::vector<std::int64_t> places = probes(reading.places());
  const std::vector<double> known = known_rows(reading, hypothesis, places);
  if (known.empty()) return false;
  const Signal& signal = hypothesis.signal;
  const double scale = std::abs(signal.scale);
  std::int64_t waves = 0, vague = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::vector<std::int64_t> index = reading.index(places[i]);
    for (std::int64_t c = 0; c < reading.width; ++c) {
      const Column& column = signal.plan.columns[static_cast<std::size_t>(c)];
      const double right = known[i * static_cast<std::size_t>(reading.width) + static_cast<std::size_t>(c)];
      double off = may_be_off(hypothesis, index, column, tolerance);
      waves += column.kind == Kind::wave, vague += column.kind == Kind::wave && off > tells_nothing;
      if (column.kind == Kind::wave || column.kind == Kind::constant) off *= scale;
      // From -1 to 1 in even steps, the middle one misses 0 by a rounding of 1.
      if (column.kind == Kind::coordinate) off = (tolerance.noise + 0x1p-22) * std::max(std::abs(right), scale);
      if (!(std::abs(reading.at(places[i], c) - right) <= off)) return false;
    }
  }
  return 2 * vague <= waves;
}

// The signal with its entries as large as those of the reading: as it is; or by a root of its width, the simplest
// number, and what was measured, in turn.
struct Rescaled {
  Signal signal;
  std::vector<Fitted> fitted;
};
std::vector<Rescaled> rescaled(const Signal& signal, double amplitude, const Tolerance& tolerance, std::int64_t width) {
  const double off = 2 * tolerance.noise + 0x1p-21;
  if (std::abs(amplitude - std::abs(signal.scale)) <= off * amplitude) return {{signal, {}}};
  const std::int64_t sizes[] = {signal.given.width, width, 2 * width, width / 2};
  const Interval interval = {amplitude * (1 - off), amplitude * (1 + off)};
  std::vector<SimpleNumber> numbers;
  if (auto root = simple_root(interval, sizes)) numbers.push_back(*root);
  if (auto simple = simple_number(interval)) numbers.push_back(*simple);
  numbers.push_back({amplitude, ""});
  std::vector<Rescaled> all;
  for (const SimpleNumber& number : numbers) {
    auto made = scaled_to(signal, number.value);
    if (made) all.push_back({std::move(*made), {{"scale", number.value, interval.low, interval.high, number.text}}});
  }
  return all;
}

// The points (cosine, sine) of a few waves at a few places.
struct Lengths {
  double least = std::numeric_limits<double>::infinity(), most = 0, sum = 0, largest = 0;
  std::int64_t count = 0;
  bool even(const Tolerance& tolerance) const { return most - least <= (4 * tolerance.noise + 0x1p-20) * most; }
};
std::optional<Lengths> measured_lengths(const Reading& reading, const std::vector<Column>& columns) {
  constexpr std::size_t most_waves = 32;
  const std::vector<WaveColumns> waves = thinned(waves_of(columns), most_waves);
  Lengths lengths;
  for (const std::int64_t place : probes(reading.places())) {
    for (const WaveColumns& wave : waves) {
      const double s = wave.sine < 0 ? 0 : reading.at(place, wave.sine);
      const double c = wave.cosine < 0 ? 0 : reading.at(place, wave.cosine);
      const double length = std::sqrt(s * s + c * c);
      if (!(length < std::numeric_limits<double>::infinity())) return std::nullopt;
      lengths.largest = std::max(lengths.largest, length);
      if (!wave.pair()) continue;
      lengths.least = std::min(lengths.least, length), lengths.most = std::max(lengths.most, length);
      lengths.sum += length, ++lengths.count;
    }
  }
  return lengths;
}

// The sizes of the entries of a signal that the reading may have.
std::vector<double> amplitudes_of(const Reading& reading, const Signal& signal,
                                  const std::vector<std::size_t>& extent_of, const Tolerance& tolerance) {
  const double scale = std::abs(signal.scale);
  const auto lengths = measured_lengths(reading, signal.plan.columns);
  if (!lengths || lengths->largest == 0) return {scale};  // no waves
  if (lengths->count > 0) return {lengths->sum / static_cast<double>(lengths->count)};
  const double largest = lengths->largest;
  const bool within = largest <= scale * (1 + 2 * tolerance.noise + 0x1p-20);
  std::vector<double> all = {within && largest > 0.5 * scale ? scale : largest};
  constexpr std::size_t most_waves = 8;
  std::vector<WaveColumns> waves = waves_of(signal.plan.columns);
  if (waves.empty() || waves[0].axis >= signal.axes()) return all;
  std::erase_if(waves, [&](const WaveColumns& wave) { return wave.axis != waves[0].axis; });
  if (waves.size() > most_waves) waves.resize(most_waves);
  if (const auto alone = lone_amplitude(reading, waves, extent_of[waves[0].axis], tolerance)) all.push_back(*alone);
  return all;
}

// Are columns that stand twice equal? They stand side by side, or half a row apart.
bool repeats(const Reading& reading, const std::vector<Column>& columns) {
  const std::int64_t width = std::ssize(columns);
  for (const std::int64_t place : probes(reading.places())) {
    for (std::int64_t c = 0; c < width; ++c) {
      for (const std::int64_t other : {c + 1, c + width / 2}) {
        if (other >= width || other == c) continue;
        const bool same = columns[static_cast<std::size_t>(c)] == columns[static_cast<std::size_t>(other)];
        if (same && reading.at(place, c) != reading.at(place, other)) return false;
      }
    }
  }
  return true;
}

bool has_zeros(const Reading& reading, const std::vector<Column>& columns) {
  for (const std::int64_t place : probes(reading.places())) {
    for (std::int64_t c = 0; c < std::ssize(columns); ++c) {
      const Column& column = columns[static_cast<std::size_t>(c)];
      if (column.kind == Kind::constant && column.quarter % 2 == 0 && reading.at(place, c) != 0) return false;
    }
  }
  return true;
}

struct Measured {
  std::vector<Coordinates> coordinates;
  std::vector<Fitted> fitted;

  void add(const std::string& axis, std::size_t axes, const Fitted& first, const Fitted& step) {
    Coordinates along = {first.value, step.value};
    if (first.value != 0) fitted.push_back(first), fitted.back().name = "first " + axis;
    if (step.value != 1) fitted.push_back(step), fitted.back().name = "step of " + axis;
    coordinates.insert(coordinates.end(), axes, along);
  }
};
// By simple numbers; and where those are off by more than the entries allow, with steps of more digits, then as they
// were measured.
struct MeasuredPlaces {
  Measured simple;
  std::array<Measured, 4> longer_steps;
  Measured raw;
};

// The coordinates that the waves show, axis by axis; every combination of the few that an axis leaves.
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
    for (const Spaced& spaced : found) {
      const double step = snapped(spaced.step), first = snapped(spaced.first);
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

// As stated_places, of the places that stand for all alone: those of a long table take a microsecond each.
std::optional<std::vector<Coordinates>> stated_at_probes(const Reading& reading, const Signal& signal,
                                                         const std::vector<std::size_t>& extent_of) {
  if (!signal.preset->places) return std::nullopt;
  std::vector<Coordinates> all;
  for (const std::size_t extent : extent_of) {
    std::vector<double>& list = all.emplace_back().list;
    list.resize(static_cast<std::size_t>(reading.extents[extent]));
    const View out = view(list.data(), {std::ssize(list)});
    if (check_place_coordinates(*signal.preset->places, reading.extents, extent, out)) return std::nullopt;
    const auto write = [&](std::int64_t i) {
      const View at = view(list.data() + i, {1});
      detail::write_place_coordinates(*signal.preset->places, reading.extents, extent, i, at);
    };
    for (const std::int64_t place : probes(reading.places())) write(reading.index(place)[extent]);
    if (list.size() < 2) continue;
    write(0), write(1);
    all.back().first = list[0], all.back().step = list[1] - list[0];
  }
  return all;
}

bool sums(const Signal& signal) {
  return std::ranges::any_of(signal.plan.columns, [](const Column& c) { return c.axis == plan::every_axis; });
}

// Do its waves show coordinates less those of whole turns? Then one turns by more than half a turn from a place to the
// next, or even the slowest one does from the first place to the last.
bool wraps(const Reading& reading, const Signal& signal, const std::vector<std::size_t>& extent_of) {
  if (waves_of(signal.plan.columns).empty()) return false;
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    const auto steps = static_cast<double>(reading.extents[extent_of[a]] - 1);
    double fastest = 0, slowest = std::numeric_limits<double>::infinity();
    for (const double w : signal.frequencies[a]) {
      if (w != 0) fastest = std::max(fastest, std::abs(w)), slowest = std::min(slowest, std::abs(w));
    }
    if (fastest > pi || (fastest > 0 && slowest * steps > pi)) return true;
  }
  return false;
}

// As hold(), of entries of this size.
std::optional<Held> hold_at(const Reading& reading, const Signal& signal, const std::vector<std::size_t>& extent_of,
                            double amplitude, const Tolerance& tolerance, const std::vector<Coordinates>& known) {
  const auto tried = [&](const std::vector<Coordinates>& coordinates,
                         const std::vector<Fitted>& fitted) -> std::optional<Held> {
    for (const Rescaled& scaled : rescaled(signal, amplitude, tolerance, reading.width)) {
      Held held = {{scaled.signal, extent_of, coordinates}, fitted};
      held.fitted.insert(held.fitted.end(), scaled.fitted.begin(), scaled.fitted.end());
      complete(held.hypothesis.signal);
      if (fits(reading, held.hypothesis, tolerance)) return held;
    }
    return std::nullopt;
  };
  if (known.size() == 1) return tried(std::vector<Coordinates>(signal.axes(), known[0]), {});
  if (!known.empty()) return known.size() == signal.axes() ? tried(known, {}) : std::nullopt;
  if (const auto few = stated_at_probes(reading, signal, extent_of); few && tried(*few, {})) {
    if (auto held = tried(*stated_places(reading, signal, extent_of), {})) return held;
  }
  const std::vector<Coordinates> usual(signal.axes(), Coordinates{});
  if (sums(signal) || !plain_axes(signal)) return tried(usual, {});
  if (wraps(reading, signal, extent_of)) {  // what is measured is not what was meant
    if (auto held = tried(usual, {})) return held;
  }
  const std::vector<MeasuredPlaces> places = measured_places(reading, signal, extent_of, amplitude, tolerance);
  for (const auto& [simple, longer_steps, raw] : places) {
    if (auto held = tried(simple.coordinates, simple.fitted)) return held;
    const auto is_simple = [](const Fitted& each) { return !each.simple.empty(); };
    if (std::ranges::none_of(simple.fitted, is_simple)) continue;
    for (const Measured& steps : longer_steps) {
      if (auto held = tried(steps.coordinates, steps.fitted)) return held;
    }
    if (auto held = tried(raw.coordinates, raw.fitted)) return held;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> probes(std::int64_t count) {
  std::vector<std::int64_t> all = {0, 1, 2, count / 3, count / 2, count - 1};
  std::erase_if(all, [&](std::int64_t i) { return i >= count; });
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

namespace {
// How large a coordinate is, or the greatest beside which it was made, as linspace makes fractions.
double size_of(const Coordinates& along, std::int64_t i) {
  const double size = std::abs(along.at(i));
  if (along.list.empty() || along.step == std::rint(along.step)) return size;
  return std::max({size, std::abs(along.list.front()), std::abs(along.list.back())});
}
}  // namespace

double may_be_off(const Hypothesis& hypothesis, const std::vector<std::int64_t>& index, const plan::Column& column,
                  const Tolerance& tolerance) {
  const Signal& signal = hypothesis.signal;
  double angle = 0;
  if (column.kind == Kind::wave || column.kind == Kind::angle) {
    for (std::size_t a = 0; a < signal.axes(); ++a) {
      if (column.axis != a && column.axis != plan::every_axis) continue;
      angle += std::abs(signal.frequencies[a][column.frequency]) *
               size_of(hypothesis.coordinates[a], index[hypothesis.extent_of[a]]);
    }
    angle += std::abs(signal.phase(column.frequency));
  }
  if (signal.form == frequency_form) return frequency_off(angle, tolerance);
  if (column.kind == Kind::angle) return (tolerance.noise + 0x1p-22) * angle;
  return tolerance.noise + 0x1p-21 + tolerance.drift * angle;
}

std::int64_t place_along(const Reading& reading, std::size_t extent, std::int64_t i) {
  std::int64_t stride = 1;
  for (std::size_t a = extent + 1; a < reading.extents.size(); ++a) stride *= reading.extents[a];
  return i * stride;
}

std::optional<std::vector<std::size_t>> extents_of(const Reading& reading, const Signal& signal) {
  const std::size_t axes = signal.axes(), extents = reading.extents.size();
  if (extents == 1) {
    return std::vector<std::size_t>(axes, 0);
  }
  if (axes != extents) return std::nullopt;
  const std::vector<std::string> names = axes_of(signal.convention), order = cell_axes(signal.convention);
  std::vector<std::size_t> of;
  for (const std::string& name : names) {
    of.push_back(static_cast<std::size_t>(std::ranges::find(order, name) - order.begin()));
  }
  return of;
}

std::optional<std::vector<Coordinates>> stated_places(const Reading& reading, const Signal& signal,
                                                      const std::vector<std::size_t>& extent_of) {
  if (!signal.preset->places) return std::nullopt;
  const PlaceNumbering& places = *signal.preset->places;
  std::vector<Coordinates> all;
  for (const std::size_t extent : extent_of) {
    std::vector<double> list(static_cast<std::size_t>(reading.extents[extent]));
    const View out = view(list.data(), {std::ssize(list)});
    if (check_place_coordinates(places, reading.extents, extent, out)) return std::nullopt;
    place_coordinates(places, reading.extents, extent, out);
    const double step = list.size() > 1 ? list[1] - list[0] : 1;
    all.push_back({list[0], step, list});
  }
  return all;
}

// base^e in f32: e is off by 2^-24 of itself, and so e ln(base), at most 17 for bases up to 2e7; the power, its
// exponent's own rounding and the reciprocal by 3 of 2^-24.
double frequency_off(double frequency, const Tolerance& tolerance) {
  constexpr double made_in_f32 = 20 * 0x1p-24;
  return (tolerance.noise + made_in_f32) * std::abs(frequency) + tolerance.least;
}

Tolerance tolerance_of(DType storage) {
  constexpr double drift = 0x1p-19;
  switch (storage) {
    case DType::bf16: return {0x1p-8, drift};
    case DType::f16: return {0x1p-11, drift, 0x1p-25};
    default: return {0x1p-24, drift};
  }
}

std::vector<WaveColumns> waves_of(const std::vector<Column>& columns) {
  std::vector<WaveColumns> all;
  std::vector<std::vector<std::size_t>> at;  // of each axis and frequency, one more than its place in `all`
  std::vector<std::uint16_t> axes;           // few, in the order in which they are found
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    if (column.kind != Kind::wave) continue;
    const auto axis = static_cast<std::size_t>(std::ranges::find(axes, column.axis) - axes.begin());
    if (axis == axes.size()) axes.push_back(column.axis), at.emplace_back();
    if (column.frequency >= at[axis].size()) at[axis].resize(columns.size() + column.frequency);
    std::size_t& found = at[axis][column.frequency];
    if (found == 0) all.push_back({column.axis, column.frequency}), found = all.size();
    WaveColumns& wave = all[found - 1];
    const bool is_cosine = column.quarter % 2 == 1;
    std::int64_t& place = is_cosine ? wave.cosine : wave.sine;
    if (place >= 0) continue;
    place = static_cast<std::int64_t>(c);
    (is_cosine ? wave.cosine_sign : wave.sine_sign) = column.quarter >= 2 ? -1 : 1;
  }
  return all;
}

std::optional<Signal> scaled_to(const Signal& signal, double scale) {
  LoweredFor given = signal.given;
  given.context.learned.reset();
  std::optional<Signal> found;
  const FieldChange change = {signal.form == table_form ? "scale" : "magnitude", scale};
  if (check_lower(signal.convention, given)) {  // its scale is learned
    given.context.learned = scale;
    found = scaled(signal, signal.convention, given);
  } else if (!check_changes(signal.convention, {&change, 1})) {
    found = scaled(signal, detail::changed(signal.convention, {&change, 1}), signal.given);
  }
  if (found) complete(*found);
  return found;
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

bool may_have(const Reading& reading, const std::vector<Column>& columns, const Tolerance& tolerance) {
  const auto of_all_axes = [](const Column& column) { return column.axis == plan::every_axis; };
  if (!reading.separable && std::ranges::none_of(columns, of_all_axes)) return false;
  const auto pairs = measured_lengths(reading, columns);
  if (!pairs || !(pairs->most < std::numeric_limits<double>::infinity())) return false;
  if (pairs->count > 0 && !(pairs->most > 0 && pairs->even(tolerance))) return false;
  return repeats(reading, columns) && has_zeros(reading, columns);
}

std::optional<Held> hold(const Reading& reading, const Signal& signal, const Tolerance& tolerance,
                         const std::vector<Coordinates>& known) {
  const auto extent_of = extents_of(reading, signal);
  if (!extent_of) return std::nullopt;
  // Rows of several axes at one coordinate are the diagonal of a grid, which nobody stores but for rotations of text.
  if (reading.extents.size() < signal.axes() && signal.form == table_form && known.size() != signal.axes()) {
    return std::nullopt;
  }
  for (const double amplitude : amplitudes_of(reading, signal, *extent_of, tolerance)) {
    if (auto held = hold_at(reading, signal, *extent_of, amplitude, tolerance, known)) return held;
  }
  return std::nullopt;
}

}  // namespace posenc::referee
