// SPDX-License-Identifier: Apache-2.0
// Measured frequencies, and rows of presets with ladders that fit them.
#include "src/referee/spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "src/referee/arc.h"
#include "src/referee/ladder_line.h"
#include "src/referee/lone_waves.h"
#include "src/referee/shared_fits.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

// In radians a place, of a wave that has its sine and its cosine: over twice as many places each time.
Frequency measured(const Reading& reading, const WaveColumns& wave, std::size_t extent, double phase,
                   const Tolerance& tolerance) {
  const std::int64_t count = reading.extents[extent];
  if (count < 2) return unknown_frequency;
  // Sine and cosine are off by a part of themselves, so that an angle theta is by that part of sin 2 theta.
  const auto angle = [&](std::int64_t i) -> Coordinate {
    const std::int64_t place = place_along(reading, extent, i);
    const double s = wave.sine_sign * reading.at(place, wave.sine),
                 c = wave.cosine_sign * reading.at(place, wave.cosine);
    const double part = 2 * tolerance.noise + 0x1p-23, beside = s * s + c * c;
    return {arc(s, c) - phase, beside > 0 ? part * 2 * std::abs(s * c) / beside + tolerance.least : part};
  };
  const Coordinate first = angle(0), second = angle(1);
  Frequency w = {wrapped(second.value - first.value), first.tolerance + second.tolerance};
  for (std::int64_t i = std::min<std::int64_t>(2, count - 1), last = 1; i > last;
       last = i, i = std::min(2 * i, count - 1)) {
    const auto n = static_cast<double>(i);
    if (w.off * n > 1) break;
    const Coordinate here = angle(i);
    const double guess = first.value + n * w.value;
    w = {(guess + wrapped(here.value - guess) - first.value) / n, (first.tolerance + here.tolerance) / n};
  }
  w.off += made_in_f32(w.value);
  return w;
}

// In radians a place, of a column of angles: they are not wrapped, and each is off by a part of itself.
Frequency measured_slope(const Reading& reading, std::int64_t column, std::size_t extent, const Tolerance& tolerance) {
  const std::int64_t last = reading.extents[extent] - 1;
  if (last < 1) return unknown_frequency;
  const double from = reading.at(0, column), to = reading.at(place_along(reading, extent, last), column);
  const double part = tolerance.noise + 0x1p-22, places = static_cast<double>(last);
  const double w = (to - from) / places;
  return {w, part * (std::abs(from) + std::abs(to)) / places + made_in_f32(w)};
}

// Half a unit in the last place, which `noise` is of the smallest number of a binade.
double half_unit(double value, double noise) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(noise, exponent - 1);
}

// Those of a list of frequencies.
std::vector<Frequency> listed(const Reading& reading, const Signal& like, const Tolerance& tolerance) {
  std::vector<Frequency> all(like.frequencies[0].size(), unknown_frequency);
  for (std::int64_t c = 0; c < reading.width; ++c) {
    const plan::Column& column = like.plan->columns[static_cast<std::size_t>(c)];
    const double w = reading.at(0, c);
    if (column.kind != plan::Kind::angle) continue;
    const double rounding = half_unit(w, tolerance.noise) - tolerance.noise * std::abs(w);
    all[column.frequency] = {w, frequency_off(w, tolerance) + rounding};
  }
  return all;
}

// How far apart the coordinates of neighbours are, axis by axis.
std::vector<double> steps_of(const Reading& reading, const Signal& like, const std::vector<std::size_t>& extent_of) {
  std::vector<double> steps(like.axes(), 1);
  const auto stated = stated_places(reading, like, extent_of, {});
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

// What signals of the same columns and places show: those from the first one on.
struct Spectrum {
  std::span<const Named> signals;
  std::vector<Frequency> frequencies;
  double whole_turn;
};
std::vector<Spectrum> spectra_of(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance) {
  std::vector<Spectrum> all;
  for (std::size_t first = 0, next = 0; first < signals.size(); first = next) {
    const Signal& like = signals[first].signal;
    while (next < signals.size() && same_places(like, signals[next].signal)) ++next;
    std::vector<Frequency> frequencies = spectrum_of(reading, like, tolerance);
    if (frequencies.empty()) continue;
    const auto is_wave = [](const plan::Column& column) { return column.kind == plan::Kind::wave; };
    const bool wraps = std::ranges::any_of(like.plan->columns, is_wave);
    const double whole_turn = wraps ? turn / std::abs(steps_of(reading, like, *extents_of(reading, like))[0])
                                    : std::numeric_limits<double>::infinity();
    all.push_back({signals.subspan(first, next - first), std::move(frequencies), whole_turn});
  }
  return all;
}

int all_digits_of(const std::vector<Fitted>& fitted) {
  int sum = 0;
  for (const Fitted& each : fitted) sum += digits_of(each.simple);
  return sum;
}

// Those of few digits first. `further`: one of further_off.
std::vector<Proposed> proposals(std::span<const Spectrum> spectra, double further) {
  std::vector<Proposed> all;
  const auto add = [&](const Named::Member& member, const Signal& like, const LadderFit& fit) {
    const Preset& preset = fit.preset.empty() ? *member.preset : *find_preset(fit.preset);
    if (check_changes(preset.convention, fit.changes)) return;
    const Convention convention = detail::changed(preset.convention, fit.changes);
    LoweredFor given = member.given;
    if (fit.length) given.context.length = *fit.length;
    auto signal = signal_of(preset, convention, given, like.form);
    if (!signal || signal->width() != like.width()) return;
    std::vector<std::string> differing = differences(convention, preset.convention);
    // A ladder for a length is another answer than one for every length, however equal.
    const auto same = std::ranges::find_if(all, [&](const Proposed& other) {
      return other.signal.given.context.length == given.context.length && same_signal(other.signal, *signal);
    });
    const std::string name(preset.name);
    if (same == all.end()) {
      all.push_back({std::move(*signal), fit.fitted, fit.simple, {name}, std::move(differing)});
    } else if (apart(differing) < apart(same->differences)) {
      *same = {std::move(*signal), fit.fitted, fit.simple, {name}, std::move(differing)};
    } else if (apart(differing) == apart(same->differences) && same->presets.back() != name) {
      same->presets.push_back(name);
    }
  };
  for (const Spectrum& spectrum : spectra) {
    std::vector<Frequency> frequencies = spectrum.frequencies;
    for (Frequency& w : frequencies) w.off += further * std::abs(w.value);
    SharedFits shared;
    for (const Named& each : spectrum.signals) {
      for (const LadderFit& fit : ladder_fits(each.signal, frequencies, spectrum.whole_turn, shared)) {
        for (const Named::Member& member : each.members) add(member, each.signal, fit);
      }
    }
  }
  std::ranges::stable_sort(all, {}, [](const Proposed& each) {
    return std::tuple(!each.simple, apart(each.differences), all_digits_of(each.fitted));
  });
  return all;
}

std::vector<Refit> refits_of(const Reading& reading, const std::vector<Proposed>& proposed, const Tolerance& tolerance,
                             const std::vector<Coordinates>& known) {
  std::vector<Refit> all;
  constexpr std::size_t most_simple = 16, most_others = 8;
  std::size_t simple = 0;
  Holder holder(reading, tolerance, known);
  for (const Proposed& each : proposed) {
    if (each.simple ? simple == most_simple : all.size() - simple == most_others) continue;
    auto held = holder.hold(each.signal);
    if (!held) continue;
    held->fitted.insert(held->fitted.begin(), each.fitted.begin(), each.fitted.end());
    all.push_back({std::move(*held), each.presets, each.differences, each.simple});
    simple += each.simple ? 1 : 0;
  }
  return all;
}

}  // namespace

std::size_t apart(const std::vector<std::string>& differences) {
  constexpr std::size_t kind = 5;
  const auto path_of = [](const std::string& each) { return std::string_view(each).substr(0, each.find(':')); };
  const bool shifted = std::ranges::any_of(
      differences, [&](const std::string& each) { return path_of(each).ends_with(".spacing.shift"); });
  std::size_t sum = 0;
  for (const std::string& each : differences) {
    const std::string_view path = path_of(each);
    if (shifted && path.ends_with(".spacing.over")) continue;  // both are the rule of the end point
    sum += path.ends_with(".scaling") || path == "magnitude" ? kind : 1;
  }
  return sum;
}

std::vector<Frequency> spectrum_of(const Reading& reading, const Signal& like, const Tolerance& tolerance) {
  std::vector<Frequency> all;
  const auto extent_of = extents_of(reading, like);
  if (!extent_of) return all;
  if (like.form == frequency_form) return listed(reading, like, tolerance);
  const std::vector<double> steps = steps_of(reading, like, *extent_of);
  const auto add = [&](const WaveColumns& wave, Frequency w) {
    w.value /= steps[wave.axis], w.off /= std::abs(steps[wave.axis]);
    if (all.size() <= wave.frequency) all.resize(wave.frequency + 1, unknown_frequency);
    Frequency& known = all[wave.frequency];
    if (std::isnan(known.value) || w.off < known.off) known = w;
  };
  std::vector<std::vector<WaveColumns>> alone(like.axes());
  for (const WaveColumns& wave : waves_of(like.plan->columns)) {
    if (wave.axis >= like.axes()) continue;
    const double phase = like.phase(wave.frequency);
    if (wave.pair()) add(wave, measured(reading, wave, (*extent_of)[wave.axis], phase, tolerance));
    if (!wave.pair() && phase == 0) alone[wave.axis].push_back(wave);
  }
  for (std::int64_t c = 0; c < reading.width; ++c) {
    const plan::Column& column = like.plan->columns[static_cast<std::size_t>(c)];
    if (column.kind != plan::Kind::angle || column.axis >= like.axes()) continue;
    const WaveColumns place = {column.axis, column.frequency};
    add(place, measured_slope(reading, c, (*extent_of)[column.axis], tolerance));
  }
  for (std::size_t a = 0; a < alone.size(); ++a) {
    const std::vector<Frequency> found =
        lone_frequencies(reading, alone[a], (*extent_of)[a], std::abs(like.scale), tolerance);
    for (std::size_t k = 0; k < found.size(); ++k) add(alone[a][k], found[k]);
  }
  if (std::ranges::all_of(all, [](const Frequency& w) { return std::isnan(w.value); })) return {};
  const bool backward = std::ranges::all_of(all, [](const Frequency& w) { return !(w.value > 0); });
  for (Frequency& w : all) w.value *= backward ? -1 : 1;
  return all;
}

std::vector<Refit> refits(const Reading& reading, std::span<const Named> signals, const Tolerance& tolerance,
                          const std::vector<Coordinates>& known) {
  const std::vector<Spectrum> spectra = spectra_of(reading, signals, tolerance);
  std::vector<Refit> all;
  for (const double further : further_off) {
    if (!all.empty() || (further > 0 && reading.places() < 2)) break;
    all = refits_of(reading, proposals(spectra, further), tolerance, known);
  }
  return all;
}

std::vector<Refit> refits_for_lengths(const Held& held, const Reading& reading, std::span<const Named> signals,
                                      const Tolerance& tolerance, const std::vector<Coordinates>& known) {
  const Convention& convention = held.hypothesis.signal.convention;
  const FieldChange longer_base[] = {{"ladder.scaling", "ntk"}, {"ladder.scaling.factor", 2}};
  if (check_changes(convention, longer_base)) return {};
  if (apart(differences(convention, detail::changed(convention, longer_base))) > 1) return {};
  const auto is_for_a_length = [](const Named::Member& member) { return depends_on_length(member.preset->convention); };
  std::vector<Named> some;
  std::ranges::copy_if(signals, std::back_inserter(some), [&](const Named& each) {
    return each.signal.form == held.hypothesis.signal.form && std::ranges::any_of(each.members, is_for_a_length);
  });
  std::vector<Refit> all = refits(reading, some, tolerance, known);
  std::erase_if(all, [](const Refit& each) {
    return std::ranges::find(each.held.fitted, "length", &Fitted::name) == each.held.fitted.end();
  });
  return all;
}

}  // namespace posenc::referee
