// SPDX-License-Identifier: Apache-2.0
// Units in the last place, and distances counted in them.
#include "src/referee/distances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posenc::referee {
namespace {

// Bits of the significand, with the leading one, and the exponent of the smallest normal number.
struct Precision {
  int digits, least;
};
Precision precision_of(DType type) {
  switch (type) {
    case DType::f64: return {53, -1022};
    case DType::f16: return {11, -14};
    case DType::bf16: return {8, -126};
    default: return {24, -126};
  }
}

}  // namespace

double unit_at(double size, DType type) {
  const Precision precision = precision_of(type);
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1, std::max(exponent - 1, precision.least) - precision.digits + 1);
}

void Distances::add(double units) {
  std::size_t at = 15;
  if (units < 15.5) {
    at = static_cast<std::size_t>(std::rint(units));
  } else {
    for (double bound = 32; at + 1 < counts_.size() && units >= bound; bound *= 2) ++at;
  }
  ++counts_[std::max<std::size_t>(at, 1)];
  largest_ = std::max(largest_, units);
}

double Distances::median(std::int64_t equal, std::int64_t entries) const {
  std::int64_t below = equal;
  if (2 * below >= entries) return 0;
  for (std::size_t at = 1; at < counts_.size(); ++at) {
    below += counts_[at];
    if (2 * below >= entries) return at < 16 ? static_cast<double>(at) : std::ldexp(16, static_cast<int>(at) - 15);
  }
  return largest_;
}

Tally::Tally(double scale, DType storage) : storage_(storage), least_(std::abs(scale) * 0x1p-8) {}

void Tally::add_other(std::span<const std::int64_t> place, double got, double known) {
  if (match_.first.empty()) match_.first.assign(place.begin(), place.end());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double off = std::abs(got - known);
  const bool finite = off < infinity;
  distances_.add(finite ? off / unit_at(std::max(std::abs(known), least_), storage_) : infinity);
  match_.difference = finite ? std::max(match_.difference, off) : infinity;
}

Agreement Tally::result() const {
  Agreement match = match_;
  match.median = distances_.median(match.equal, match.entries);
  match.largest = distances_.largest();
  return match;
}

}  // namespace posenc::referee
