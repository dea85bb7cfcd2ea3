// SPDX-License-Identifier: Apache-2.0
// Natural numbers of any size, schoolbook algorithms: the arithmetic of the certain path, where size matters and speed
// does not.
#pragma once

#include <cstdint>
#include <vector>

#include "src/numerics/rounding.h"

namespace posenc::numerics {

/// A natural number in 64-bit limbs, least significant first, without leading zeros.
class Wide {
 public:
  Wide() = default;
  explicit Wide(std::uint64_t value) {
    if (value != 0) limbs_.push_back(value);
  }

  bool zero() const { return limbs_.empty(); }
  /// Position of the leading bit plus 1; 0 for 0.
  std::int64_t bit_length() const;
  /// Limb i, 0 beyond the last.
  std::uint64_t limb(std::size_t i) const { return i < limbs_.size() ? limbs_[i] : 0; }
  /// Are any of the `bits` lowest bits set?
  bool any_below(std::int64_t bits) const;

  friend bool operator==(const Wide&, const Wide&) = default;
  friend bool operator<(const Wide& a, const Wide& b);
  friend Wide operator+(const Wide& a, const Wide& b);
  friend Wide operator-(const Wide& a, const Wide& b);  // a >= b
  friend Wide operator*(const Wide& a, const Wide& b);
  friend Wide operator*(const Wide& a, std::uint64_t b);
  friend Wide operator/(const Wide& a, std::uint64_t b);  // floor; b > 0
  friend Wide operator/(const Wide& a, const Wide& b);    // floor; b > 0; one bit at a time
  friend Wide operator<<(const Wide& a, std::int64_t bits);
  friend Wide operator>>(const Wide& a, std::int64_t bits);  // floor
  /// a mod 2^bits.
  friend Wide low_bits(const Wide& a, std::int64_t bits);

 private:
  void trim();
  std::vector<std::uint64_t> limbs_;
};

/// The 128 leading bits of a * 2^exponent, a > 0.
Leading leading(const Wide& a, std::int64_t exponent);

}  // namespace posenc::numerics
