// SPDX-License-Identifier: Apache-2.0
// The definition of a row in plain loops and long double: it shares no code with the library.
#pragma once

#include <posenc/convention.h>

#include <cmath>

namespace posenc::test {

/// What k is divided by in e_k: over the width d, over `count` pairs or over one.
inline long double plain_divisor(const Spacing& spacing, std::int64_t d, std::int64_t count) {
  const long double over = spacing.over == Spacing::Over::pairs ? static_cast<long double>(count)
                           : spacing.over == Spacing::Over::one ? 1
                                                                : static_cast<long double>(d) / 2;
  return std::max(over - spacing.shift, static_cast<long double>(spacing.least));
}

/// w_k of a ladder over width d, k < count.
inline std::vector<long double> plain_ladder(const Ladder& ladder, std::int64_t d, std::int64_t count) {
  std::vector<long double> w;
  for (std::int64_t k = 0; k < count; ++k) {
    if (const auto* own = std::get_if<Listed>(&ladder)) {
      w.push_back(own->frequencies.at(static_cast<std::size_t>(k)));
      continue;
    }
    const auto& geometric = std::get<Geometric>(ladder);
    const long double e = k == 0 ? 0 : static_cast<long double>(k) / plain_divisor(geometric.spacing, d, count);
    w.push_back(geometric.first * std::pow(static_cast<long double>(geometric.base), -e));
  }
  return w;
}

/// Entry k of sines and cosines, by layout; with what an odd width gives.
template <class Value>
std::vector<Value> plain_places(const Sinusoid& row, std::int64_t d, const std::vector<Value>& sines,
                                std::vector<Value> cosines) {
  const bool repeats = d % 2 == 1 && row.odd_width == OddWidth::repeated_cosine;
  const Value first = repeats ? cosines.front() : Value(0);
  cosines.resize(static_cast<std::size_t>(d / 2));
  std::vector<Value> out;
  if (row.layout == Layout::interleaved) {
    for (std::size_t k = 0; k < sines.size(); ++k) {
      out.push_back(sines[k]);
      if (k < cosines.size()) out.push_back(cosines[k]);
    }
  } else {
    const bool sine_first = row.layout == Layout::sine_first;
    out = sine_first ? sines : cosines;
    const std::vector<Value>& second = sine_first ? cosines : sines;
    out.insert(out.end(), second.begin(), second.end());
  }
  if (repeats || (d % 2 == 1 && row.odd_width == OddWidth::zero_column)) out.push_back(first);
  return out;
}

/// Ladders that plain_ladder knows: geometric ones that fall over width or pairs, in radians.
inline bool is_plain_ladder(const Ladder& ladder) {
  const auto* geometric = std::get_if<Geometric>(&ladder);
  return geometric != nullptr && geometric->slope == LadderSlope::falling && geometric->unit == AngleUnit::radians &&
         (geometric->spacing.over == Spacing::Over::width || geometric->spacing.over == Spacing::Over::pairs);
}

/// Waves of one axis whose other fields are plain: a sinusoid of any spacing, of which angle_factor p is the position.
struct PlainAxis {
  Sinusoid row;
  double angle_factor;
};
inline std::optional<PlainAxis> plain_axis(const Convention& convention) {
  const auto* waves = std::get_if<Waves>(&convention);
  if (waves == nullptr || waves->axes.size() != 1 || waves->ladders.size() != 1) return std::nullopt;
  if (!is_plain_ladder(waves->ladders[0])) return std::nullopt;
  const PlainAxis axis = {{waves->ladders[0], waves->layout, waves->odd_width}, waves->angle_factor};
  Waves plain = axis.row;
  plain.axes = waves->axes, plain.angle_factor = waves->angle_factor, plain.absent = waves->absent;
  return plain == *waves ? std::optional(axis) : std::nullopt;
}

/// The number of frequencies of width d.
inline std::int64_t plain_count(const Sinusoid& row, std::int64_t d) {
  return row.odd_width == OddWidth::lone_sine ? (d + 1) / 2 : d / 2;
}

/// The row of position p and width d.
inline std::vector<long double> plain_row(const Sinusoid& row, std::int64_t d, long double p) {
  std::vector<long double> sines, cosines;
  for (const long double w : plain_ladder(row.ladder, d, plain_count(row, d))) {
    sines.push_back(std::sin(p * w));
    cosines.push_back(std::cos(p * w));
  }
  return plain_places(row, d, sines, cosines);
}

/// The row of timestep t and width d.
inline std::vector<long double> plain_row(const Timestep& step, std::int64_t d, long double t) {
  std::vector<long double> sines, cosines;
  const auto n = static_cast<long double>(d / 2);
  for (std::int64_t k = 0; k < d / 2; ++k) {
    const long double e = k == 0 ? 0 : static_cast<long double>(k) / (n - step.shift);
    const long double w = step.scale * std::pow(static_cast<long double>(step.max_period), -e);
    sines.push_back(std::sin(t * w));
    cosines.push_back(std::cos(t * w));
  }
  return plain_places({{}, step.layout, OddWidth::zero_column}, d, sines, cosines);
}

/// The largest distance between two rows; infinity where their widths differ.
template <class T>
double distance(const std::vector<T>& a, const std::vector<long double>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  long double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      most = std::max(most, std::abs(a[i] - b[i]));
    } else {
      most = std::max(most, std::abs(static_cast<float>(a[i]) - b[i]));
    }
  }
  return static_cast<double>(most);
}

}  // namespace posenc::test
