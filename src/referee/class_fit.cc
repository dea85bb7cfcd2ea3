// SPDX-License-Identifier: Apache-2.0
// Limits of clipped classes, numbers and reach of logarithmic ones, read off the diagonals.
#include "src/referee/class_fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "src/referee/logarithm.h"

namespace posenc::referee {
namespace {

constexpr double unbounded = 0x1p40;

bool has(const Convention& convention, std::string_view path, const FieldValue& value) {
  const std::array one = {FieldChange{path, value}};
  return !check_changes(convention, one) && posenc::detail::changed(convention, one) == convention;
}
bool has_field(const Convention& convention, std::string_view path) {
  const std::array one = {FieldChange{path, std::int64_t{1} << 15}};
  return !check_changes(convention, one);
}

// The class at distance x, counted in the sign of the convention; nothing beyond the tensor.
class ByDistance {
 public:
  ByDistance(const Diagonals& diagonals, std::int64_t apart, const Convention& convention)
      : diagonals_(diagonals), apart_(apart), ahead_(has(convention, "classes.sign", "key_minus_query")) {}

  std::optional<std::int64_t> at(std::int64_t x) const {
    const std::int64_t m = (ahead_ ? x : -x) - apart_ + diagonals_.queries - 1;
    if (m < 0 || m >= std::ssize(diagonals_.classes)) return std::nullopt;
    return diagonals_.classes[static_cast<std::size_t>(m)];
  }
  std::int64_t apart() const { return apart_; }
  std::int64_t furthest() const { return diagonals_.queries + diagonals_.keys + std::abs(apart_); }

 private:
  const Diagonals& diagonals_;
  std::int64_t apart_;
  bool ahead_;
};

Fitted whole_number(std::string_view name, std::int64_t value) {
  const auto x = static_cast<double>(value);
  return {std::string(name), x, x, x, std::to_string(value)};
}

void add(const Convention& preset, std::initializer_list<FieldChange> changes, std::vector<Fitted> fitted,
         std::vector<ClassFit>& fits) {
  const std::span all(changes.begin(), changes.size());
  if (!check_changes(preset, all)) fits.push_back({posenc::detail::changed(preset, all), std::move(fitted)});
}

// ---- clipped ---------------------------------------------------------------------------------------

void add_clipped(const Convention& preset, const ByDistance& seen, std::vector<ClassFit>& fits) {
  const auto left = seen.at(0);
  if (!left || *left < 0) return;
  // Where no distance has class 0, any key may be at the first query: the first one, or another if a limit is one that
  // people write.
  std::int64_t least = *left;
  for (std::int64_t x = -1; seen.at(x); --x) least = std::min(least, *seen.at(x));
  if (least != 0 && seen.apart() != 0 && !std::has_single_bit(static_cast<std::uint64_t>(*left))) return;
  std::int64_t most = *left, x = 0;
  while (const auto next = seen.at(x + 1)) most = std::max(most, *next), ++x;
  const bool ends = x > 0 && seen.at(x - 1) == most;
  const std::int64_t right = ends ? most - *left : std::max(*left, most - *left);
  Fitted on_right = whole_number("right", right);
  if (!ends) on_right.low = static_cast<double>(most - *left), on_right.high = unbounded;
  add(preset, {{"classes.left", *left}, {"classes.right", right}}, {whole_number("left", *left), on_right}, fits);
}

// ---- logarithmic ------------------------------------------------------------------------------------

struct Bounds {
  double low = 0, high = unbounded;
  bool told() const { return low > 0 || high < unbounded; }
};

// e (m / e)^power
double stretched(double e, double m, double power) {
  const double exponent = power * log_of(m / e);
  return exponent > 27 ? unbounded : e * exp_of(exponent);
}

// Whole numbers within bounds, those that people write first.
std::vector<std::int64_t> whole_within(const Bounds& bounds) {
  constexpr double slack = 1e-9;
  const double low = std::max(bounds.low * (1 - slack), 1.0), high = std::min(bounds.high * (1 + slack), 0x1p30);
  std::vector<std::int64_t> all;
  for (std::int64_t power = 2; static_cast<double>(power) <= high; power *= 2) {
    if (static_cast<double>(power) >= low) all.push_back(power);
  }
  for (const std::int64_t unit : {1000, 500, 100, 50, 10, 5, 1}) {
    const auto first = static_cast<std::int64_t>(std::ceil(low / static_cast<double>(unit)));
    for (std::int64_t i = first; i < first + 4 && static_cast<double>(i * unit) <= high; ++i) all.push_back(i * unit);
  }
  return all;
}

void add_reaches(const Convention& preset, std::int64_t count, const Bounds& bounds, std::vector<ClassFit>& fits) {
  for (const std::int64_t reach : whole_within(bounds)) {
    Fitted fitted = whole_number("reach", reach);
    fitted.low = bounds.low, fitted.high = bounds.high;
    add(preset, {{"classes.count", count}, {"classes.reach", reach}}, {whole_number("count", count), fitted}, fits);
  }
  // Nothing lies beyond the classes of one distance each.
  if (!bounds.told()) add(preset, {{"classes.count", count}}, {whole_number("count", count)}, fits);
}

// `classes`: N of one sign.
void add_log(const Convention& preset, const ByDistance& seen, std::int64_t count, std::int64_t classes,
             std::vector<ClassFit>& fits) {
  const std::int64_t half = classes / 2;
  if (half < 1) return;
  const auto e = static_cast<double>(half), rest = static_cast<double>(classes - half);
  Bounds bounds;
  for (std::int64_t m = half + 1; m <= seen.furthest(); ++m) {
    const auto of = seen.at(-m);
    if (!of || *of < half || *of >= classes) continue;
    const auto b = static_cast<double>(*of - half), x = static_cast<double>(m);
    if (b > 0) bounds.high = std::min(bounds.high, stretched(e, x, rest / b));
    if (*of < classes - 1) bounds.low = std::max(bounds.low, stretched(e, x, rest / (b + 1)));
  }
  if (bounds.low <= bounds.high) add_reaches(preset, count, bounds, fits);
}

void add_logs(const Convention& preset, const ByDistance& seen, std::vector<ClassFit>& fits) {
  const bool both = has(preset, "classes.sides", "both");
  const auto next = seen.at(1);
  if (both && next) {
    if (*next > 1 && *next < (1 << 15)) add_log(preset, seen, 2 * (*next - 1), *next - 1, fits);
    return;
  }
  std::int64_t most = 0;
  for (std::int64_t m = 0; m <= seen.furthest(); ++m) most = std::max(most, seen.at(-m).value_or(0));
  std::int64_t power = 2;
  while (power <= most) power *= 2;
  // Of two sides, one of which is not seen, there are twice as many.
  for (const std::int64_t classes : {most + 1, power, 2 * power}) {
    add_log(preset, seen, both ? 2 * classes : classes, classes, fits);
  }
}

// ---- signed and logarithmic --------------------------------------------------------------------------

void add_signed_logs(const Convention& preset, const ByDistance& seen, std::vector<ClassFit>& fits) {
  std::int64_t ahead = 0, behind = 0;
  for (std::int64_t x = 1; x <= seen.furthest(); ++x) ahead += seen.at(x) ? 1 : 0, behind += seen.at(-x) ? 1 : 0;
  const std::int64_t sign = ahead >= behind ? 1 : -1;
  const auto size = [&](std::int64_t x) -> std::optional<std::int64_t> {
    const auto of = seen.at(sign * x);
    return of ? std::optional(sign * *of) : std::nullopt;
  };
  std::int64_t bend = 1;
  while (size(bend) && *size(bend) == bend) ++bend;
  if (!size(bend) || bend < 4) return;
  // Classes go on by one for a while beyond e.
  for (std::int64_t half = bend - 1; half >= std::max<std::int64_t>(2, bend / 2); --half) {
    const auto e = static_cast<double>(half);
    Bounds bounds;
    if (*size(half + 1) <= half) continue;
    for (std::int64_t x = half + 1; size(x); ++x) {
      const auto b = static_cast<double>(*size(x) - half), at = static_cast<double>(x);
      bounds.low = std::max(bounds.low, 1 + stretched(e, at, (e - 1) / b));
      if (b > 1) bounds.high = std::min(bounds.high, 1 + stretched(e, at, (e - 1) / (b - 1)));
    }
    constexpr double slack = 1e-9;
    if (bounds.low <= bounds.high * (1 + slack)) add_reaches(preset, 2 * half, bounds, fits);
  }
}

}  // namespace

std::vector<ClassFit> class_fits(const Diagonals& diagonals, std::int64_t apart, const Convention& preset) {
  std::vector<ClassFit> fits;
  const ByDistance seen(diagonals, apart, preset);
  if (has_field(preset, "classes.left")) {
    add_clipped(preset, seen, fits);
  } else if (has(preset, "classes.sides", "both") || has(preset, "classes.sides", "one")) {
    add_logs(preset, seen, fits);
  } else {
    add_signed_logs(preset, seen, fits);
  }
  return fits;
}

}  // namespace posenc::referee
