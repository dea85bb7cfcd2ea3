// SPDX-License-Identifier: Apache-2.0
// Schoolbook arithmetic on natural numbers.
#include "src/numerics/bignum.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace posenc::numerics {

void Bignum::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

std::int64_t Bignum::bit_length() const {
  if (zero()) return 0;
  return static_cast<std::int64_t>(limbs_.size()) * 64 - std::countl_zero(limbs_.back());
}

bool Bignum::any_below(std::int64_t bits) const { return bits > 0 && !low_bits(*this, bits).zero(); }

bool operator<(const Bignum& a, const Bignum& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size();
  std::size_t i = a.limbs_.size();
  while (i > 0 && a.limbs_[i - 1] == b.limbs_[i - 1]) --i;
  return i > 0 && a.limbs_[i - 1] < b.limbs_[i - 1];
}

Bignum operator+(const Bignum& a, const Bignum& b) {
  const Bignum &longer = a.limbs_.size() < b.limbs_.size() ? b : a, &shorter = &longer == &a ? b : a;
  Bignum sum;
  sum.limbs_.reserve(longer.limbs_.size() + 1);
  uint128 carry = 0;
  for (std::size_t i = 0; i < longer.limbs_.size(); ++i) {
    carry += uint128{longer.limbs_[i]} + shorter.limb(i);
    sum.limbs_.push_back(static_cast<std::uint64_t>(carry));
    carry >>= 64;
  }
  if (carry != 0) sum.limbs_.push_back(static_cast<std::uint64_t>(carry));
  return sum;
}

Bignum operator-(const Bignum& a, const Bignum& b) {
  Bignum difference;
  difference.limbs_.reserve(a.limbs_.size());
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const uint128 step = uint128{a.limbs_[i]} - b.limb(i) - borrow;
    difference.limbs_.push_back(static_cast<std::uint64_t>(step));
    borrow = static_cast<std::uint64_t>(step >> 64) & 1;
  }
  difference.trim();
  return difference;
}

Bignum operator*(const Bignum& a, const Bignum& b) {
  if (b.limbs_.size() == 1) return a * b.limbs_[0];
  Bignum product;
  product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
  const std::size_t n = b.limbs_.size();
  const std::uint64_t* const limbs = b.limbs_.all().data();
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const std::uint64_t limb = a.limbs_[i];
    std::uint64_t* const to = &product.limbs_[i];
    uint128 carry = 0;
    for (std::size_t j = 0; j < n; ++j) {
      carry += uint128{limb} * limbs[j] + to[j];
      to[j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    to[n] = static_cast<std::uint64_t>(carry);
  }
  product.trim();
  return product;
}

Bignum operator*(const Bignum& a, std::uint64_t b) {
  if (b == 1) return a;
  Bignum product;
  product.limbs_.reserve(a.limbs_.size() + 1);
  uint128 carry = 0;
  for (const std::uint64_t limb : a.limbs_.all()) {
    carry += uint128{limb} * b;
    product.limbs_.push_back(static_cast<std::uint64_t>(carry));
    carry >>= 64;
  }
  product.limbs_.push_back(static_cast<std::uint64_t>(carry));
  product.trim();
  return product;
}

namespace {

// Quotients by one limb, its highest bit set, by way of its reciprocal: N. Moller and T. Granlund, Improved division by
// invariant integers, 2011, algorithm 4. One takes 2 ns; of a division of 128 bits there are no instructions that a
// compiler would take, and a call takes 25.
class Reciprocal {
 public:
  explicit Reciprocal(std::uint64_t divisor)
      : divisor_(divisor),
        inverse_(static_cast<std::uint64_t>((uint128{~divisor} << 64 | ~std::uint64_t{0}) / divisor)) {}

  struct Step {
    std::uint64_t quotient, rest;
  };
  /// Divides high 2^64 + low by the divisor; high < divisor.
  Step divide(std::uint64_t high, std::uint64_t low) const {
    const uint128 guess = uint128{inverse_} * high + (uint128{high} << 64 | low);
    std::uint64_t quotient = static_cast<std::uint64_t>(guess >> 64) + 1, rest = low - quotient * divisor_;
    if (rest > static_cast<std::uint64_t>(guess)) --quotient, rest += divisor_;
    if (rest >= divisor_) ++quotient, rest -= divisor_;
    return {quotient, rest};
  }

 private:
  std::uint64_t divisor_, inverse_;
};

}  // namespace

Bignum operator/(const Bignum& a, std::uint64_t b) {
  if (a.limbs_.size() <= 1) return Bignum(a.limb(0) / b);
  const int shift = std::countl_zero(b);
  const auto above = [&](std::size_t i) { return shift == 0 ? 0 : a.limb(i) >> (64 - shift); };
  const Reciprocal by(b << shift);
  Bignum quotient;
  quotient.limbs_.resize(a.limbs_.size());
  std::uint64_t rest = above(a.limbs_.size() - 1);
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    const Reciprocal::Step step = by.divide(rest, a.limbs_[i] << shift | (i > 0 ? above(i - 1) : 0));
    quotient.limbs_[i] = step.quotient, rest = step.rest;
  }
  quotient.trim();
  return quotient;
}

// Knuth, The Art of Computer Programming 2, section 4.3.1, algorithm D.
Division divide(const Bignum& a, const Bignum& b) {
  if (a < b) return {{}, a};
  const std::size_t n = b.limbs_.size();
  if (n == 1) {
    const Bignum quotient = a / b.limbs_[0];
    return {quotient, a - quotient * b};
  }
  const int shift = std::countl_zero(b.limbs_.back());
  const Bignum divisor = b << shift;
  Bignum rest = a << shift;
  const std::size_t m = a.limbs_.size() - n;
  rest.limbs_.resize(a.limbs_.size() + 1);
  Bignum quotient;
  quotient.limbs_.resize(m + 1);
  const Limbs& v = divisor.limbs_;
  Limbs& u = rest.limbs_;
  const Reciprocal by(v[n - 1]);
  for (std::size_t j = m + 1; j-- > 0;) {
    uint128 guess = 0, left = 0;
    if (u[j + n] < v[n - 1]) {
      const Reciprocal::Step step = by.divide(u[j + n], u[j + n - 1]);
      guess = step.quotient, left = step.rest;
    } else {  // equal: the quotient has one bit more than a limb
      guess = uint128{1} << 64 | u[j + n - 1] / v[n - 1], left = u[j + n - 1] % v[n - 1];
    }
    while (guess >> 64 != 0 || guess * v[n - 2] > (left << 64 | u[j + n - 2])) {  // at most 2 too large
      --guess;
      left += v[n - 1];
      if (left >> 64 != 0) break;
    }
    uint128 carry = 0;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i <= n; ++i) {
      carry += i < n ? guess * v[i] : 0;
      const uint128 step = uint128{u[i + j]} - static_cast<std::uint64_t>(carry) - borrow;
      u[i + j] = static_cast<std::uint64_t>(step);
      borrow = static_cast<std::uint64_t>(step >> 64) & 1;
      carry >>= 64;
    }
    if (borrow != 0) {  // it was 1 too large after all
      --guess;
      carry = 0;
      for (std::size_t i = 0; i <= n; ++i) {
        carry += uint128{u[i + j]} + (i < n ? v[i] : 0);
        u[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    }
    quotient.limbs_[j] = static_cast<std::uint64_t>(guess);
  }
  quotient.trim();
  rest.trim();
  return {quotient, rest >> shift};
}

Bignum operator/(const Bignum& a, const Bignum& b) {
  return b.limbs_.size() == 1 ? a / b.limbs_[0] : divide(a, b).quotient;
}

Bignum operator<<(const Bignum& a, std::int64_t bits) {
  if (a.zero() || bits == 0) return a;
  const auto whole = static_cast<std::size_t>(bits / 64);
  const int part = static_cast<int>(bits % 64);
  Bignum shifted;
  shifted.limbs_.resize(whole + a.limbs_.size() + 1);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const uint128 pair = uint128{a.limbs_[i]} << part;
    shifted.limbs_[whole + i] |= static_cast<std::uint64_t>(pair);
    shifted.limbs_[whole + i + 1] = static_cast<std::uint64_t>(pair >> 64);
  }
  shifted.trim();
  return shifted;
}

Bignum operator>>(const Bignum& a, std::int64_t bits) {
  if (a.limbs_.size() == 1) return Bignum(bits < 64 ? a.limbs_[0] >> bits : 0);
  const auto whole = static_cast<std::size_t>(bits / 64);
  const int part = static_cast<int>(bits % 64);
  Bignum shifted;
  if (whole >= a.limbs_.size()) return shifted;
  shifted.limbs_.resize(a.limbs_.size() - whole);
  for (std::size_t i = whole; i < a.limbs_.size(); ++i) {
    const uint128 pair = uint128{a.limb(i + 1)} << 64 | a.limbs_[i];
    shifted.limbs_[i - whole] = static_cast<std::uint64_t>(pair >> part);
  }
  shifted.trim();
  return shifted;
}

Bignum low_bits(const Bignum& a, std::int64_t bits) {
  Bignum low = a;
  const auto whole = static_cast<std::size_t>(bits / 64);
  if (whole >= low.limbs_.size()) return low;
  low.limbs_.resize(whole + 1);
  low.limbs_[whole] &= (std::uint64_t{1} << (bits % 64)) - 1;
  low.trim();
  return low;
}

std::int64_t trailing_zeros(const Bignum& a) {
  std::size_t i = 0;
  while (a.limb(i) == 0) ++i;
  return static_cast<std::int64_t>(i) * 64 + std::countr_zero(a.limb(i));
}

Bignum gcd(Bignum a, Bignum b) {
  while (!b.zero()) {
    if (a.bit_length() <= 64 && b.bit_length() <= 64) return Bignum(std::gcd(a.limb(0), b.limb(0)));
    a = std::exchange(b, divide(a, b).rest);
  }
  return a;
}

Bignum power(const Bignum& a, std::uint64_t n) {
  Bignum result(1), square = a;
  for (; n != 0; n >>= 1) {
    if (n % 2 == 1) result = result * square;
    if (n > 1) square = square * square;
  }
  return result;
}

namespace {

// r^n, or `limit` + 1 when it is more.
std::uint64_t power_up_to(std::uint64_t r, std::uint64_t n, std::uint64_t limit) {
  uint128 product = 1;
  for (std::uint64_t i = 0; i < n && product <= limit; ++i) product *= r;
  return product <= limit ? static_cast<std::uint64_t>(product) : limit + 1;
}

std::uint64_t short_root(std::uint64_t a, std::uint64_t n) {
  std::uint64_t result = 0;
  for (std::uint64_t bit = std::uint64_t{1} << ((std::bit_width(a) - 1) / static_cast<int>(n)); bit != 0; bit >>= 1) {
    if (power_up_to(result | bit, n, a) <= a) result |= bit;
  }
  return result;
}

}  // namespace

// Newton's iteration from above falls until it stands at the floor.
Bignum root(const Bignum& a, std::uint64_t n) {
  if (a.zero() || n == 1) return a;
  const auto bits = static_cast<std::uint64_t>(a.bit_length());
  if (n >= bits) return Bignum(1);
  if (bits < 64) return Bignum(short_root(a.limb(0), n));
  Bignum x = Bignum(1) << static_cast<std::int64_t>(bits / n + 1);
  for (;;) {
    const Bignum next = (x * (n - 1) + a / power(x, n - 1)) / n;
    if (!(next < x)) return x;
    x = next;
  }
}

Leading leading(const Bignum& a, std::int64_t exponent) {
  const std::int64_t drop = a.bit_length() - 128;
  const Bignum top = drop >= 0 ? a >> drop : a << -drop;
  return {uint128{top.limb(1)} << 64 | top.limb(0), exponent + a.bit_length(), a.any_below(drop)};
}

}  // namespace posenc::numerics
