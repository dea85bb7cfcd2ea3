// SPDX-License-Identifier: Apache-2.0
// Weighted least squares, with bounds that hold for errors that are not independent.
#include "src/referee/ladder_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/referee/logarithm.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {

namespace {

// A frequency that may be off by more of itself is left out of lines.
constexpr double most_off_in_line = 0.2;

}  // namespace

double made_in_f32(double frequency) {
  const double size = std::abs(frequency);
  if (!(size > 0)) return 0;
  return size * std::max(0x1p-21, (2 * std::abs(log_of(size)) + 3) * 0x1p-24);
}

Logarithms logarithms_of(std::span<const Frequency> frequencies) {
  Logarithms all;
  for (const auto& [w, tolerance] : frequencies) {
    const bool tells = !std::isnan(w) && tolerance < most_off_in_line * std::abs(w);
    all.of.push_back(tells && w > 0 ? log_of(w) : std::numeric_limits<double>::quiet_NaN());
    all.off.push_back(tells ? tolerance / std::abs(w) : std::numeric_limits<double>::infinity());
  }
  return all;
}

Logarithms Logarithms::in_units_of(double frequency) const {
  Logarithms all = *this;
  for (double& each : all.of) each -= log_of(frequency);
  return all;
}

std::optional<Line> line_through(const Logarithms& all, std::size_t count) {
  double sum = 0, sum_k = 0, sum_kk = 0, sum_y = 0, sum_ky = 0;
  std::size_t known = 0, last = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (!all.tells(k)) continue;
    if (std::isnan(all.of[k])) return std::nullopt;
    ++known, last = k;
    const double weight = 1 / (all.off[k] * all.off[k]), x = static_cast<double>(k);
    sum += weight, sum_k += weight * x, sum_kk += weight * x * x;
    sum_y += weight * all.of[k], sum_ky += weight * x * all.of[k];
  }
  if (known == 1 && count == 1) return Line{all.of[0], 0, all.off[0], 0};
  if (known < 2) return std::nullopt;
  const double determinant = sum * sum_kk - sum_k * sum_k;
  if (!(determinant > 0)) return std::nullopt;
  const double slope = (sum * sum_ky - sum_k * sum_y) / determinant, at_zero = (sum_y - slope * sum_k) / sum;
  // Tolerances bound errors that are not independent: none of them is divided by how many there are.
  double worst = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (!all.tells(k)) continue;
    const double away = std::abs(all.of[k] - at_zero - slope * static_cast<double>(k));
    if (away > 2 * all.off[k]) return std::nullopt;
    worst = std::max(worst, std::min(all.off[k], 2 * away + 0x1p-22));
  }
  return Line{at_zero, slope, worst, 2 * worst / static_cast<double>(last)};
}

Fitted fitted_between(std::string name, double low, double high) {
  const Interval interval = {low, high};
  const auto simple = simple_number(interval);
  return {std::move(name), simple ? simple->value : shortest_decimal(interval), low, high, simple ? simple->text : ""};
}

Fitted line_base(const Line& line, double exponent) {
  const double middle = line.slope / exponent, off = std::abs(line.slope_off / exponent);
  return fitted_between("base", exp_of(middle - off), exp_of(middle + off));
}

std::optional<Fitted> base_from_one(const Logarithms& all, double exponent) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t k = 1; k < all.of.size(); ++k) {
    if (!all.tells(k)) continue;
    const double steps = static_cast<double>(k), off = all.off[k] + 0x1p-21;  // of the ladder's own arithmetic
    low = std::max(low, (all.of[k] - off) / steps), high = std::min(high, (all.of[k] + off) / steps);
  }
  if (!(low <= high) || std::isinf(low)) return std::nullopt;
  return fitted_between("base", exp_of(std::min(low / exponent, high / exponent)),
                        exp_of(std::max(low / exponent, high / exponent)));
}

}  // namespace posenc::referee
