// SPDX-License-Identifier: Apache-2.0
// Natural numbers of any size, schoolbook algorithms: the arithmetic of the certain path, where size matters and speed
// does not.
#pragma once

#include <cstdint>
#include <span>

#include "src/numerics/limbs.h"
#include "src/numerics/rounding.h"

namespace posenc::numerics {

/// A natural number in 64-bit limbs, least significant first, without leading zeros.
class Bignum {
 public:
  Bignum() = default;
  explicit Bignum(std::uint64_t value) {
    if (value != 0) limbs_.push_back(value);
  }
  /// The number with those limbs.
  explicit Bignum(std::span<const std::uint64_t> limbs) : limbs_(limbs) { trim(); }

  bool zero() const { return limbs_.empty(); }
  bool one() const { return limbs_.size() == 1 && limbs_[0] == 1; }
  /// Position of the leading bit plus 1; 0 for 0.
  std::int64_t bit_length() const;
  /// Limb i, 0 beyond the last.
  std::uint64_t limb(std::size_t i) const { return i < limbs_.size() ? limbs_[i] : 0; }
  /// Are any of the `bits` lowest bits set?
  bool any_below(std::int64_t bits) const;

  friend bool operator==(const Bignum&, const Bignum&) = default;
  friend bool operator<(const Bignum& a, const Bignum& b);
  friend Bignum operator+(const Bignum& a, const Bignum& b);
  friend Bignum operator-(const Bignum& a, const Bignum& b);  // a >= b
  friend Bignum operator*(const Bignum& a, const Bignum& b);
  friend Bignum operator*(const Bignum& a, std::uint64_t b);
  friend Bignum operator/(const Bignum& a, std::uint64_t b);  // floor; b > 0
  friend Bignum operator/(const Bignum& a, const Bignum& b);  // floor; b > 0
  friend Bignum operator<<(const Bignum& a, std::int64_t bits);
  friend Bignum operator>>(const Bignum& a, std::int64_t bits);  // floor
  /// a mod 2^bits.
  friend Bignum low_bits(const Bignum& a, std::int64_t bits);
  friend struct Division divide(const Bignum& a, const Bignum& b);

 private:
  void trim();
  Limbs limbs_;
};

/// a = quotient b + rest, rest < b.
struct Division {
  Bignum quotient, rest;
};
Division divide(const Bignum& a, const Bignum& b);

/// The number of zeros below the lowest bit that is set; a > 0.
std::int64_t trailing_zeros(const Bignum& a);
/// The greatest common divisor; of 0 and a: a.
Bignum gcd(Bignum a, Bignum b);
Bignum power(const Bignum& a, std::uint64_t n);
/// floor(a^(1/n)), n > 0.
Bignum root(const Bignum& a, std::uint64_t n);

/// The 128 leading bits of a * 2^exponent, a > 0.
Leading leading(const Bignum& a, std::int64_t exponent);

}  // namespace posenc::numerics
