// SPDX-License-Identifier: Apache-2.0
// From the columns of a few places to amplitude, then a few exact rows at the coordinates that the places may have.
#include "src/referee/hold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/referee/arc.h"
#include "src/referee/bound.h"
#include "src/referee/ladder_line.h"
#include "src/referee/lone_waves.h"
#include "src/referee/measured_places.h"
#include "src/referee/simple_number.h"
#include "src/referee/whole_places.h"

namespace posenc::referee {
namespace {

using plan::Column;
using plan::Kind;

// How large a coordinate is, or the greatest beside which it was made, as linspace makes fractions.
double size_of(const Coordinates& along, std::int64_t i) {
  const double size = std::abs(along.at(i));
  if (along.list.empty() || along.step == std::rint(along.step)) return size;
  return std::max({size, std::abs(along.list.front()), std::abs(along.list.back())});
}

// Far out, angles are off by so much that any entry would do.
constexpr double tells_nothing = 0.25;

bool plain_axes(const Signal& signal) {
  return std::ranges::all_of(signal.plan->axes, [](const plan::Axis& axis) { return axis == plan::Axis{}; });
}

// Do the waves and the angles of a few rows stand where the hypothesis has them? Doubles tell most of what does not
// fit; exact rows take a hundred times as long.
bool fits_roughly(const Reading& reading, const Hypothesis& hypothesis, const Tolerance& tolerance) {
  const Signal& signal = hypothesis.signal;
  if (!plain_axes(signal)) return true;  // coordinates are made of positions
  constexpr std::size_t most_waves = 40;
  const std::vector<WaveColumns> waves = thinned(waves_of(signal.plan->columns), most_waves);
  for (const std::int64_t place : probes(reading.places())) {
    const std::vector<std::int64_t> index = reading.index(place);
    for (std::int64_t c = 0; c < reading.width; ++c) {
      const Column& column = signal.plan->columns[static_cast<std::size_t>(c)];
      if (column.kind != Kind::angle) continue;
      const double right = angle_at(hypothesis, index, column.axis, column.frequency);
      const double off = may_be_off(hypothesis, index, column, tolerance) + 0x1p-40 * std::abs(right);
      if (std::abs(reading.at(place, c) - right) > off) return false;
    }
    for (const WaveColumns& wave : waves) {
      const double angle = angle_at(hypothesis, index, wave.axis, wave.frequency);
      const Column& column = signal.plan->columns[static_cast<std::size_t>(std::max(wave.sine, wave.cosine))];
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
      const Column& column = signal.plan->columns[static_cast<std::size_t>(c)];
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
  double second_least = std::numeric_limits<double>::infinity(), second_most = 0;
  std::int64_t count = 0;

  void add(double length) {
    second_least = std::min(second_least, std::max(least, length)), least = std::min(least, length);
    second_most = std::max(second_most, std::min(most, length)), most = std::max(most, length);
    sum += length, ++count;
  }
  // One length is allowed to differ: far from 0 the tolerance of an angle exceeds this one.
  bool even(const Tolerance& tolerance) const {
    constexpr std::int64_t enough = 8;  // among fewer, chance could make all but one even
    const double uneven = count < enough ? most - least : std::min(most - second_least, second_most - least);
    return uneven <= (4 * tolerance.noise + 2 * wave_error) * most;
  }
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
      lengths.add(length);
    }
  }
  return lengths;
}

// The sizes of the entries of a signal that the reading may have.
std::vector<double> measured_amplitudes(const Reading& reading, const Signal& signal,
                                        const std::vector<std::size_t>& extent_of, const Tolerance& tolerance) {
  const double scale = std::abs(signal.scale);
  const auto lengths = measured_lengths(reading, signal.plan->columns);
  if (!lengths || lengths->largest == 0) return {scale};  // no waves
  if (lengths->count > 0) return {lengths->sum / static_cast<double>(lengths->count)};
  const double largest = lengths->largest;
  const bool within = largest <= scale * (1 + 2 * tolerance.noise + 0x1p-20);
  std::vector<double> all = {within && largest > 0.5 * scale ? scale : largest};
  constexpr std::size_t most_waves = 8;
  std::vector<WaveColumns> waves = waves_of(signal.plan->columns);
  if (waves.empty() || waves[0].axis >= signal.axes()) return all;
  std::erase_if(waves, [&](const WaveColumns& wave) { return wave.axis != waves[0].axis; });
  if (waves.size() > most_waves) waves.resize(most_waves);
  if (const auto alone = lone_amplitude(reading, waves, extent_of[waves[0].axis], tolerance)) all.push_back(*alone);
  return all;
}

// Tests whether columns that stand twice are equal: side by side, a pair apart, half a row or a quarter. Two
// differences are allowed among many, since one damaged entry meets two of these; its own tolerance is tested later.
bool repeats(const Reading& reading, const std::vector<Column>& columns) {
  const std::int64_t width = std::ssize(columns);
  constexpr std::int64_t many = 32;
  std::int64_t others = 0, seen = 0;
  for (const std::int64_t place : probes(reading.places())) {
    for (std::int64_t c = 0; c < width; ++c) {
      for (const std::int64_t other : {c + 1, c + 2, c + width / 4, c + width / 2}) {
        if (other >= width || other == c) continue;
        const bool same = columns[static_cast<std::size_t>(c)] == columns[static_cast<std::size_t>(other)];
        if (!same) continue;
        ++seen;
        if (reading.at(place, c) != reading.at(place, other) && ++others > 2) return false;
      }
    }
  }
  return others == 0 || seen >= many;
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

// Are the coordinates whole numbers in whole steps, whatever the extents?
bool counts(const PlaceNumbering& numbering, const Coordinates& along) {
  const auto whole = [](double x) { return x == std::rint(x); };
  return numbering.divisor == Divisor::one && numbering.eps == 0 && whole(numbering.gain) && whole(along.first);
}

// Of the first two places along an extent and of these; others in front of the last of them are NaN.
std::optional<Coordinates> stated_along(const Reading& reading, const Signal& signal, std::size_t extent,
                                        std::span<const std::int64_t> indices) {
  if (!signal.preset->places) return std::nullopt;
  const PlaceNumbering& numbering = *signal.preset->places;
  const std::int64_t second = std::min<std::int64_t>(1, reading.extents[extent] - 1);
  Coordinates along;
  along.list.assign(static_cast<std::size_t>(second) + 1, std::numeric_limits<double>::quiet_NaN());
  // The check asks for the shape of all of them, and reads none.
  const View all = view(along.list.data(), {reading.extents[extent]});
  if (check_place_coordinates(numbering, reading.extents, extent, all)) return std::nullopt;
  const auto make = [&](std::int64_t i) {
    double& coordinate = along.list[static_cast<std::size_t>(i)];
    if (!std::isnan(coordinate)) return;
    detail::write_place_coordinates(numbering, reading.extents, extent, i, view(&coordinate, {1}));
  };
  make(0), make(second);
  along.first = along.list[0], along.step = second > 0 ? along.list[1] - along.list[0] : 1;
  if (counts(numbering, along)) {
    along.list.clear();
    return along;
  }
  const std::int64_t last = indices.empty() ? second : std::max(second, std::ranges::max(indices));
  along.list.resize(static_cast<std::size_t>(last) + 1, std::numeric_limits<double>::quiet_NaN());
  for (const std::int64_t i : indices) make(i);
  return along;
}

// The first few places along each extent.
Reading beginning_of(const Reading& reading) {
  constexpr std::int64_t few = 8;
  Reading front = reading;
  for (std::int64_t& extent : front.extents) extent = std::min(extent, few);
  return front;
}
// Those of every axis; nothing where one has none.
std::optional<std::vector<Coordinates>> of_each(const std::vector<std::size_t>& extent_of, const auto& along_extent) {
  std::vector<Coordinates> all;
  for (const std::size_t extent : extent_of) {
    auto along = along_extent(extent);
    if (!along) return std::nullopt;
    all.push_back(std::move(*along));
  }
  return all;
}
std::vector<std::int64_t> first_indices(std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  return indices;
}

// The stated coordinates of these.
std::optional<std::vector<Coordinates>> stated_beginning(const Reading& reading, const Reading& front,
                                                         const Signal& signal,
                                                         const std::vector<std::size_t>& extent_of) {
  return of_each(extent_of, [&](std::size_t extent) {
    std::vector<std::int64_t> indices = first_indices(front.extents[extent]);
    auto along = stated_along(reading, signal, extent, indices);
    if (along && along->step != std::rint(along->step)) {  // fractions are off by as much as the last one is
      indices.push_back(reading.extents[extent] - 1);
      along = stated_along(reading, signal, extent, indices);
    }
    return along;
  });
}

bool sums(const Signal& signal) {
  return std::ranges::any_of(signal.plan->columns, [](const Column& c) { return c.axis == plan::every_axis; });
}

// Has it a wave of more than half a turn from a place to the next?
bool turns_fast(const Signal& signal) {
  const auto fast = [](double w) { return std::abs(w) > pi; };
  return !waves_of(signal.plan->columns).empty() &&
         std::ranges::any_of(signal.frequencies, [&](const auto& axis) { return std::ranges::any_of(axis, fast); });
}

// As hold(), of entries of this size.
std::optional<Held> hold_at(const Reading& reading, const Signal& signal, const std::vector<std::size_t>& extent_of,
                            double amplitude, const Tolerance& tolerance, const std::vector<Coordinates>& known) {
  const auto tried_on = [&](const Reading& rows, const std::vector<Coordinates>& coordinates,
                            const std::vector<Fitted>& fitted) -> std::optional<Held> {
    for (const Rescaled& scaled : rescaled(signal, amplitude, tolerance, rows.width)) {
      Held held = {{scaled.signal, extent_of, coordinates}, fitted};
      held.fitted.insert(held.fitted.end(), scaled.fitted.begin(), scaled.fitted.end());
      if (!fits_roughly(rows, held.hypothesis, tolerance)) continue;  // frequencies that nobody asked for take long
      complete(held.hypothesis.signal);
      if (fits(rows, held.hypothesis, tolerance)) return held;
    }
    return std::nullopt;
  };
  const auto tried = [&](const std::vector<Coordinates>& coordinates, const std::vector<Fitted>& fitted) {
    return tried_on(reading, coordinates, fitted);
  };
  if (known.size() == 1) return tried(std::vector<Coordinates>(signal.axes(), known[0]), {});
  if (!known.empty()) return known.size() == signal.axes() ? tried(known, {}) : std::nullopt;
  // The first places tell most rows of presets from this one; a list of all is long.
  const Reading front = beginning_of(reading);
  if (const auto few = stated_beginning(reading, front, signal, extent_of); few && tried_on(front, *few, {})) {
    const auto some = stated_places(reading, signal, extent_of, probes(reading.places()));
    if (some && tried(*some, {})) {
      if (auto held = tried(*stated_places(reading, signal, extent_of), {})) return held;
    }
  }
  const std::vector<Coordinates> usual(signal.axes(), Coordinates{});
  if (sums(signal) || !plain_axes(signal)) return tried(usual, {});
  if (turns_fast(signal)) {  // coordinates less those of whole turns are measured, and those are not what was meant
    if (auto held = tried(usual, {})) return held;
  }
  std::vector<MeasuredPlaces> places = measured_places(reading, signal, extent_of, amplitude, tolerance);
  // Waves that all come round show several coordinates: whole ones are meant.
  std::ranges::stable_sort(places, {}, [](const MeasuredPlaces& each) {
    return !std::ranges::all_of(each.simple.fitted, [](const Fitted& at) { return at.value == std::rint(at.value); });
  });
  std::optional<Held> odd;  // at a fraction that nobody writes
  for (const auto& [simple, longer_steps, raw] : places) {
    const auto is_simple = [](const Fitted& each) { return !each.simple.empty(); };
    const bool any_simple = std::ranges::any_of(simple.fitted, is_simple);
    if (auto held = tried(simple.coordinates, simple.fitted)) {
      if (any_simple || simple.fitted.empty()) return held;
      if (!odd) odd = std::move(held);
    }
    if (!any_simple) continue;
    for (const Measured& steps : longer_steps) {
      if (auto held = tried(steps.coordinates, steps.fitted)) return held;
    }
    if (odd) continue;
    odd = tried(raw.coordinates, raw.fitted);
    if (odd && std::ranges::all_of(raw.fitted, is_simple)) return odd;
  }
  if (signal.axes() != 1 || reading.extents.size() != 1) return odd;
  for (const double first : whole_firsts(reading, signal, amplitude, tolerance)) {
    Measured whole;
    whole.add(axes_of(signal.convention)[0], 1, fitted_between("", first, first), {"", 1, 1, 1, ""});
    if (auto held = tried(whole.coordinates, whole.fitted)) return held;
  }
  return odd;
}

}  // namespace

double angle_at(const Hypothesis& hypothesis, const std::vector<std::int64_t>& index, std::uint16_t axis,
                std::uint32_t frequency) {
  const Signal& signal = hypothesis.signal;
  double angle = signal.phase(frequency);
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    if (axis != a && axis != plan::every_axis) continue;
    angle += signal.frequencies[a][frequency] * hypothesis.coordinates[a].at(index[hypothesis.extent_of[a]]);
  }
  return angle;
}

std::vector<std::int64_t> probes(std::int64_t count) {
  std::vector<std::int64_t> all = {0, 1, 2, count / 3, count / 2, count - 1};
  std::erase_if(all, [&](std::int64_t i) { return i >= count; });
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

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
  return tolerance.noise + wave_error + tolerance.drift * angle;
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
  return of_each(extent_of, [&](std::size_t extent) {
    return stated_along(reading, signal, extent, first_indices(reading.extents[extent]));
  });
}

std::optional<std::vector<Coordinates>> stated_places(const Reading& reading, const Signal& signal,
                                                      const std::vector<std::size_t>& extent_of,
                                                      std::span<const std::int64_t> at) {
  return of_each(extent_of, [&](std::size_t extent) {
    std::vector<std::int64_t> some;
    for (const std::int64_t place : at) some.push_back(reading.index(place)[extent]);
    return stated_along(reading, signal, extent, some);
  });
}

double frequency_off(double frequency, const Tolerance& tolerance) {
  return (tolerance.noise + listed_frequency_error(frequency)) * std::abs(frequency) + tolerance.least;
}

Tolerance tolerance_of(DType storage) {
  constexpr double drift = 32 * half_unit_of_f32;  // frequency_error of e^-8, which exceeds that of faster frequencies
  const HalfUnit half = half_unit_of(storage);
  return {half.relative, drift, half.least};
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

std::vector<std::pair<std::size_t, std::size_t>> standing_twice(const std::vector<Column>& columns) {
  std::vector<std::vector<std::size_t>> first;  // of each axis, by frequency and quarter: one more than the column
  std::vector<std::uint16_t> axes;              // few
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    if (column.kind != Kind::wave && column.kind != Kind::angle) continue;
    const auto axis = static_cast<std::size_t>(std::ranges::find(axes, column.axis) - axes.begin());
    if (axis == axes.size()) axes.push_back(column.axis), first.emplace_back(2 * columns.size());
    const std::size_t key = 2 * std::size_t{column.frequency} + column.quarter % 2;
    if (key >= first[axis].size()) first[axis].resize(2 * key);
    std::size_t& at = first[axis][key];
    if (at > 0) all.emplace_back(at - 1, c);
    if (at == 0) at = c + 1;
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
  return Holder(reading, tolerance, known).hold(signal);
}

std::optional<Held> Holder::hold(const Signal& signal) {
  const auto extent_of = extents_of(reading_, signal);
  if (!extent_of) return std::nullopt;
  // Rows of several axes at one coordinate are the diagonal of a grid, which nobody stores but for rotations of text.
  if (reading_.extents.size() < signal.axes() && signal.form == table_form && known_.size() != signal.axes()) {
    return std::nullopt;
  }
  for (const double amplitude : amplitudes_of(signal, *extent_of)) {
    if (auto held = hold_at(reading_, signal, *extent_of, amplitude, tolerance_, known_)) return held;
  }
  return std::nullopt;
}

const std::vector<double>& Holder::amplitudes_of(const Signal& signal, const std::vector<std::size_t>& extent_of) {
  const bool is_known =
      !amplitudes_.empty() && scale_ == signal.scale && extent_of_ == extent_of && columns_ == signal.plan->columns;
  if (!is_known) {
    amplitudes_ = measured_amplitudes(reading_, signal, extent_of, tolerance_);
    columns_ = signal.plan->columns, extent_of_ = extent_of, scale_ = signal.scale;
  }
  return amplitudes_;
}

}  // namespace posenc::referee
