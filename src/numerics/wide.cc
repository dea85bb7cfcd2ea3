// SPDX-License-Identifier: Apache-2.0
// Schoolbook arithmetic on natural numbers.
#include "src/numerics/wide.h"

#include <algorithm>

namespace posenc::numerics {

void Wide::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

std::int64_t Wide::bit_length() const {
  if (zero()) return 0;
  return static_cast<std::int64_t>(limbs_.size()) * 64 - std::countl_zero(limbs_.back());
}

bool Wide::any_below(std::int64_t bits) const { return bits > 0 && !low_bits(*this, bits).zero(); }

bool operator<(const Wide& a, const Wide& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size();
  return std::lexicographical_compare(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(), b.limbs_.rend());
}

Wide operator+(const Wide& a, const Wide& b) {
  Wide sum;
  uint128 carry = 0;
  for (std::size_t i = 0; i < std::max(a.limbs_.size(), b.limbs_.size()) || carry != 0; ++i) {
    carry += uint128{a.limb(i)} + b.limb(i);
    sum.limbs_.push_back(static_cast<std::uint64_t>(carry));
    carry >>= 64;
  }
  return sum;
}

Wide operator-(const Wide& a, const Wide& b) {
  Wide difference;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const uint128 step = uint128{a.limbs_[i]} - b.limb(i) - borrow;
    difference.limbs_.push_back(static_cast<std::uint64_t>(step));
    borrow = static_cast<std::uint64_t>(step >> 64) & 1;
  }
  difference.trim();
  return difference;
}

Wide operator*(const Wide& a, const Wide& b) {
  Wide product;
  product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    uint128 carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += uint128{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
      product.limbs_[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    product.limbs_[i + b.limbs_.size()] = static_cast<std::uint64_t>(carry);
  }
  product.trim();
  return product;
}

Wide operator*(const Wide& a, std::uint64_t b) { return a * Wide(b); }

Wide operator/(const Wide& a, std::uint64_t b) {
  Wide quotient;
  quotient.limbs_.resize(a.limbs_.size());
  uint128 rest = 0;
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    rest = rest << 64 | a.limbs_[i];
    quotient.limbs_[i] = static_cast<std::uint64_t>(rest / b);
    rest %= b;
  }
  quotient.trim();
  return quotient;
}

Wide operator/(const Wide& a, const Wide& b) {
  Wide quotient, rest = a;
  for (std::int64_t bit = a.bit_length() - b.bit_length(); bit >= 0; --bit) {
    const Wide part = b << bit;
    if (rest < part) continue;
    rest = rest - part;
    quotient = quotient + (Wide(1) << bit);
  }
  return quotient;
}

Wide operator<<(const Wide& a, std::int64_t bits) {
  if (a.zero()) return a;
  const auto whole = static_cast<std::size_t>(bits / 64);
  const int part = static_cast<int>(bits % 64);
  Wide shifted;
  shifted.limbs_.assign(whole + a.limbs_.size() + 1, 0);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const uint128 pair = uint128{a.limbs_[i]} << part;
    shifted.limbs_[whole + i] |= static_cast<std::uint64_t>(pair);
    shifted.limbs_[whole + i + 1] = static_cast<std::uint64_t>(pair >> 64);
  }
  shifted.trim();
  return shifted;
}

Wide operator>>(const Wide& a, std::int64_t bits) {
  const auto whole = static_cast<std::size_t>(bits / 64);
  const int part = static_cast<int>(bits % 64);
  Wide shifted;
  for (std::size_t i = whole; i < a.limbs_.size(); ++i) {
    const uint128 pair = uint128{a.limb(i + 1)} << 64 | a.limbs_[i];
    shifted.limbs_.push_back(static_cast<std::uint64_t>(pair >> part));
  }
  shifted.trim();
  return shifted;
}

Wide low_bits(const Wide& a, std::int64_t bits) {
  Wide low = a;
  const auto whole = static_cast<std::size_t>(bits / 64);
  if (whole >= low.limbs_.size()) return low;
  low.limbs_.resize(whole + 1);
  low.limbs_[whole] &= (std::uint64_t{1} << (bits % 64)) - 1;
  low.trim();
  return low;
}

Leading leading(const Wide& a, std::int64_t exponent) {
  const std::int64_t drop = a.bit_length() - 128;
  const Wide top = drop >= 0 ? a >> drop : a << -drop;
  return {uint128{top.limb(1)} << 64 | top.limb(0), exponent + a.bit_length(), a.any_below(drop)};
}

}  // namespace posenc::numerics
