// SPDX-License-Identifier: Apache-2.0
// Units in the last place, and distances counted in them.
#include "src/referee/distances.h"

#include <algorithm>
#include <bit>
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

// floor(log2 x) of positive numbers but the smallest, of which it is -1023; 1024 of infinity.
int exponent_of(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7FF) - 1023; }

}  // namespace

double unit_at(double size, DType type) {
  const Precision precision = precision_of(type);
  // Of 0, one more than that of 1 / 2.
  const int exponent = size == 0 ? -1 : exponent_of(size);
  const int last = std::max(exponent, precision.least) - precision.digits + 1;
  if (last < -1022) return std::ldexp(1, last);
  return std::bit_cast<double>(static_cast<std::uint64_t>(last + 1023) << 52);
}

void Distances::add(double units) {
  std::size_t at = 15;
  if (units < 15.5) {
    constexpr double to_whole = 0x1p52;  // what is added and taken away leaves the nearest whole number
    at = static_cast<std::size_t>((units + to_whole) - to_whole);
  } else if (units >= 32) {
    at = std::min(counts_.size() - 1, static_cast<std::size_t>(11 + exponent_of(units)));
  }
  ++counts_[std::max<std::size_t>(at, 1)];
  largest_ = std::max(largest_, units);
}

void Distances::add(const Distances& others) {
  for (std::size_t at = 0; at < counts_.size(); ++at) counts_[at] += others.counts_[at];
  largest_ = std::max(largest_, others.largest_);
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

void Tally::add(const Tally& next) {
  match_.entries += next.match_.entries, match_.equal += next.match_.equal;
  match_.difference = std::max(match_.difference, next.match_.difference);
  if (match_.first.empty()) match_.first = next.match_.first;
  distances_.add(next.distances_);
}

Agreement Tally::result() const {
  Agreement match = match_;
  match.median = distances_.median(match.equal, match.entries);
  match.largest = distances_.largest();
  return match;
}

}  // namespace posenc::referee
