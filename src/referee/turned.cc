// SPDX-License-Identifier: Apache-2.0
// Lengths and angles of pairs of columns, before and after.
#include "src/referee/turned.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "src/referee/arc.h"
#include "src/referee/compared_places.h"

namespace posenc::referee {
namespace {

// Places ever further apart: neighbours tell the fastest pairs, far ones the slowest. All of a few.
std::vector<std::int64_t> ever_further(std::int64_t count) {
  constexpr std::int64_t few = 16;
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count - 1; i += i < few ? 1 : i / 2) all.push_back(i);
  if (count > 0) all.push_back(count - 1);
  return all;
}

// The offset of a head of [.., L, d] by its number.
std::int64_t head_offset(const ConstView& tensor, std::int64_t head) {
  std::int64_t at = 0;
  for (int axis = tensor.rank - 3; axis >= 0; --axis) {
    at += head % tensor.size(axis) * tensor.stride(axis);
    head /= tensor.size(axis);
  }
  return at;
}

std::vector<double> picked_rows(const ConstView& tensor, std::span<const std::int64_t> heads,
                                std::span<const std::int64_t> places) {
  std::vector<double> rows;
  for (const std::int64_t head : heads) {
    for (const std::int64_t place : places) {
      const std::int64_t at = head_offset(tensor, head) + place * tensor.stride(-2);
      for (std::int64_t c = 0; c < tensor.size(-1); ++c) rows.push_back(real_at(tensor, at + c * tensor.stride(-1)));
    }
  }
  return rows;
}

double length(double u, double v) { return std::sqrt(u * u + v * v); }

// A pair in one row: (u, v) before and after.
struct Seen {
  double u, v, to_u, to_v;
};
Seen seen(const TurnedRows& rows, const plan::Pair& pair, std::int64_t first, std::int64_t head, std::int64_t place) {
  return {rows.at(rows.before, head, place, first + pair.read[0]),
          rows.at(rows.before, head, place, first + pair.read[1]),
          rows.at(rows.after, head, place, first + pair.written[0]),
          rows.at(rows.after, head, place, first + pair.written[1])};
}

// The angle of a pair at a place over all heads, and how far off it may be.
struct SeenAngle {
  double place, value, off;
};
SeenAngle angle_at(const TurnedRows& rows, const plan::Pair& pair, std::int64_t first, std::int64_t place) {
  double along = 0, across = 0, square = 0, sum = 0;
  for (std::int64_t head = 0; head < rows.heads; ++head) {
    const Seen s = seen(rows, pair, first, head, place);
    along += s.u * s.to_u + s.v * s.to_v, across += s.u * s.to_v - s.v * s.to_u;
    square += s.u * s.u + s.v * s.v, sum += length(s.u, s.v) * length(s.to_u, s.to_v);
  }
  const double off = square > 0 && sum > 0 ? 4 * rows.noise : pi;
  return {rows.places.real[static_cast<std::size_t>(place)], arc(across, along), off};
}

// The frequency of least squares beside one that is near, and six deviations of it, by how far angles scatter; `least`:
// what an angle is off at least.
Frequency refined(const Frequency& near, std::span<const SeenAngle> angles, double least) {
  constexpr std::ptrdiff_t enough = 6;
  double places = 0, both = 0;
  for (const SeenAngle& angle : angles) {
    const double apart = wrapped(angle.value - wrapped(angle.place * near.value));
    if (std::abs(apart) > pi / 4) return near;
    places += angle.place * angle.place, both += angle.place * apart;
  }
  if (std::ssize(angles) < enough || !(places > 0)) return near;
  const double more = both / places;
  double scatter = 0;
  for (const SeenAngle& angle : angles) {
    const double apart = wrapped(angle.value - wrapped(angle.place * near.value)) - angle.place * more;
    scatter += apart * apart;
  }
  const double deviation = std::sqrt(scatter / static_cast<double>(std::ssize(angles) - 1));
  const double off = 6 * std::max(deviation, least) / std::sqrt(places);
  return off < near.off ? Frequency{near.value + more, off} : near;
}

// From the shortest distance of two places, at which half a turn is not reached, to the longest.
Frequency frequency_of(std::vector<SeenAngle> angles, double least) {
  std::erase_if(angles, [](const SeenAngle& a) { return a.off >= pi; });
  angles.push_back({0, 0, 0});  // at position 0 nothing turns
  struct Step {
    double places, angle, off;
  };
  std::vector<Step> steps;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    for (std::size_t j = 0; j < angles.size(); ++j) {
      const double places = angles[i].place - angles[j].place;
      if (places > 0) steps.push_back({places, angles[i].value - angles[j].value, angles[i].off + angles[j].off});
    }
  }
  if (steps.empty()) return {std::numeric_limits<double>::quiet_NaN(), 0};
  std::ranges::stable_sort(steps, {}, &Step::places);
  Frequency w = {wrapped(steps[0].angle) / steps[0].places, steps[0].off / steps[0].places};
  for (const Step& step : steps) {
    const double off = wrapped(step.angle - wrapped(step.places * w.value)), may_be = step.off / step.places;
    constexpr double furthest = 0x1p40;
    if (step.places > furthest || w.off * step.places > pi / 2) break;  // the turns between are no longer told
    if (may_be < w.off) w = {w.value + off / step.places, may_be};
  }
  return refined(w, std::span(angles).first(angles.size() - 1), least);
}

}  // namespace

Positions TurnPlaces::part(std::int64_t from, std::int64_t count) const {
  if (!whole.empty()) return Positions::list(view(whole.data() + from, {count}));
  return Positions::list(view(real.data() + from, {count}));
}

TurnPlaces TurnPlaces::picked(std::span<const std::int64_t> indices) const {
  TurnPlaces places;
  for (const std::int64_t i : indices) {
    if (!whole.empty()) places.whole.push_back(whole[static_cast<std::size_t>(i)]);
    places.real.push_back(real[static_cast<std::size_t>(i)]);
  }
  return places;
}

TurnPlaces TurnPlaces::moved(std::int64_t by) const {
  TurnPlaces places = *this;
  for (std::int64_t& each : places.whole) each += by;
  for (double& each : places.real) each += static_cast<double>(by);
  return places;
}

TurnPlaces turn_places(const Positions& positions) {
  TurnPlaces places;
  bool all_whole = true;
  for (std::int64_t i = 0; i < positions.count_; ++i) {
    places.real.push_back(number_at(positions, i));
    const std::optional<std::int64_t> whole = integer_at(positions, 0, i);
    all_whole = all_whole && whole;
    if (all_whole) places.whole.push_back(*whole);
  }
  if (!all_whole) places.whole.clear();
  return places;
}

TurnedRows sampled_rows(const ConstView& before, const ConstView& after, const TurnPlaces& places, double noise) {
  constexpr std::int64_t most_heads = 4;
  const std::int64_t heads = before.count() / (before.size(-1) * before.size(-2));
  const std::vector<std::int64_t> some_heads = spread(heads, most_heads), some = ever_further(places.count());
  return {std::ssize(some_heads),
          before.size(-1),
          places.picked(some),
          picked_rows(before, some_heads, some),
          picked_rows(after, some_heads, some),
          noise};
}

TurnedRows TurnedRows::part(std::int64_t first, std::int64_t count, std::int64_t step) const {
  std::vector<std::int64_t> picked;
  for (std::int64_t i = 0; i < count; ++i) picked.push_back(first + i * step);
  TurnedRows some = {heads, width, places.picked(picked), {}, {}, noise};
  for (std::int64_t head = 0; head < heads; ++head) {
    for (const std::int64_t place : picked) {
      for (std::int64_t c = 0; c < width; ++c) {
        some.before.push_back(at(before, head, place, c)), some.after.push_back(at(after, head, place, c));
      }
    }
  }
  return some;
}

std::optional<double> factor_of_lengths(const TurnedRows& rows, const plan::PairPlan& pairs, std::int64_t first) {
  std::vector<char> kept(static_cast<std::size_t>(rows.width), 1);
  for (const plan::Pair& pair : pairs.pairs) {
    for (const std::uint32_t column : pair.written) kept[static_cast<std::size_t>(first + column)] = 0;
  }
  double before = 0, after = 0;
  for (std::int64_t head = 0; head < rows.heads; ++head) {
    for (std::int64_t place = 0; place < rows.places.count(); ++place) {
      for (std::int64_t c = 0; c < rows.width; ++c) {
        const double u = rows.at(rows.before, head, place, c), to_u = rows.at(rows.after, head, place, c);
        if (kept[static_cast<std::size_t>(c)] != 0 && std::abs(u - to_u) > rows.noise * std::abs(u))
          return std::nullopt;
      }
      for (const plan::Pair& pair : pairs.pairs) {
        const Seen s = seen(rows, pair, first, head, place);
        before += s.u * s.u + s.v * s.v, after += s.to_u * s.to_u + s.to_v * s.to_v;
      }
    }
  }
  if (!(before > 0 && after > 0)) return std::nullopt;
  const double magnitude = std::sqrt(after / before);
  for (std::int64_t head = 0; head < rows.heads; ++head) {
    for (std::int64_t place = 0; place < rows.places.count(); ++place) {
      for (const plan::Pair& pair : pairs.pairs) {
        const Seen s = seen(rows, pair, first, head, place);
        const double from = magnitude * length(s.u, s.v), to = length(s.to_u, s.to_v);
        if (!(std::abs(from - to) <= 4 * rows.noise * from)) return std::nullopt;
      }
    }
  }
  return magnitude;
}

std::optional<std::int64_t> further_on(const TurnedRows& rows, const plan::PairPlan& pairs, std::int64_t first) {
  struct Shown {
    double frequency, frequency_off, angle, angle_off;  // by the first place beyond what is said of it
  };
  std::vector<Shown> all;
  for (const plan::Pair& pair : pairs.pairs) {
    const SeenAngle from = angle_at(rows, pair, first, 0);
    std::vector<SeenAngle> beside;
    for (std::int64_t place = 1; place < rows.places.count(); ++place) {
      const SeenAngle to = angle_at(rows, pair, first, place);
      beside.push_back({to.place - from.place, wrapped(to.value - from.value), std::min(from.off + to.off, pi)});
    }
    const Frequency w = frequency_of(std::move(beside), rows.noise / 16);
    if (!(w.off < 0.01 * std::abs(w.value)) || from.off >= pi) continue;
    const double off = from.off + std::abs(from.place) * w.off;
    all.push_back({w.value, w.off, wrapped(from.value - wrapped(from.place * w.value)), off});
  }
  if (all.empty()) return std::nullopt;
  std::ranges::stable_sort(all, {}, [](const Shown& each) { return std::abs(each.frequency); });
  double places = all[0].angle / all[0].frequency, off = std::numeric_limits<double>::infinity();
  for (const Shown& each : all) {
    const double turns = std::rint((places * each.frequency - each.angle) / turn);
    const double here = (each.angle + turn * turns) / each.frequency;
    const double here_off = (each.angle_off + std::abs(here) * each.frequency_off) / std::abs(each.frequency);
    if (off * std::abs(each.frequency) < pi / 2 && std::abs(here - places) > off + here_off) return std::nullopt;
    if (here_off < off && (off > 1e300 || off * std::abs(each.frequency) < pi / 2)) places = here, off = here_off;
  }
  const double whole = std::rint(places);
  constexpr double furthest = 0x1p40;
  if (whole == 0 || std::abs(whole) > furthest || !(std::abs(places - whole) <= std::max(off, 1e-3)))
    return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

std::vector<Frequency> frequencies(const TurnedRows& rows, const plan::PairPlan& pairs, std::int64_t first) {
  std::vector<Frequency> all;
  for (const plan::Pair& pair : pairs.pairs) {
    std::vector<SeenAngle> angles;
    for (std::int64_t place = 0; place < rows.places.count(); ++place) {
      angles.push_back(angle_at(rows, pair, first, place));
    }
    all.push_back(frequency_of(std::move(angles), rows.noise / 16));
  }
  return all;
}

}  // namespace posenc::referee
