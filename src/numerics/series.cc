// SPDX-License-Identifier: Apache-2.0
// Exponential series over integers.
#include "src/numerics/series.h"

namespace posenc::numerics {
namespace {

Bignum one(std::int64_t F) { return Bignum(1) << F; }

// sum of (+-1)^i t^(2i+1) / (2i+1) for t = 1 / b: atan with alternating signs, atanh without.
enum class Signs { same, alternating };
Bignum odd_powers(std::uint64_t b, Signs signs, std::int64_t F) {
  Bignum power = one(F) / b;
  Bignum plus, minus;
  for (std::uint64_t i = 0; !power.zero(); ++i) {
    Bignum& sum = signs == Signs::alternating && i % 2 == 1 ? minus : plus;
    sum = sum + power / (2 * i + 1);
    power = power / (b * b);
  }
  return plus - minus;
}

// sum of (-u)^i / ((offset + 1) (offset + 2) ... (offset + 2i)): offset 0 is cos, offset 1 is sin x / x.
Bignum alternating_factorials(const Bignum& u, std::uint64_t offset, std::int64_t F) {
  Bignum term = one(F);
  Bignum plus, minus;
  for (std::uint64_t i = 1; !term.zero(); ++i) {
    Bignum& sum = i % 2 == 1 ? plus : minus;
    sum = sum + term;
    term = (term * u >> F) / ((2 * i - 1 + offset) * (2 * i + offset));
  }
  return plus - minus;
}

}  // namespace

Signed operator+(const Signed& a, const Signed& b) {
  if (a.negative == b.negative) return {a.negative, a.size + b.size};
  if (a.size < b.size) return {b.negative, b.size - a.size};
  return {a.negative, a.size - b.size};
}

Bignum pi(std::int64_t F) {
  return odd_powers(5, Signs::alternating, F) * 16 - odd_powers(239, Signs::alternating, F) * 4;
}

Bignum ln2(std::int64_t F) { return odd_powers(3, Signs::same, F) * 2; }

Exponential exp(const Signed& y, std::int64_t F) {
  // y = k ln 2 + f, 0 <= f < ln 2.
  const Bignum unit = ln2(F);
  const Bignum quotient = y.size / unit;
  auto k = static_cast<std::int64_t>(quotient.limb(0));
  Bignum f = y.size - unit * quotient;
  if (y.negative) {
    k = -k;
    if (!f.zero()) {
      f = unit - f;
      --k;
    }
  }
  // e^f = (e^(f / 2^8))^(2^8); squaring doubles the relative error eight times.
  constexpr int halvings = 8;
  f = f >> halvings;
  Bignum sum, term = one(F);
  for (std::uint64_t i = 1; !term.zero(); ++i) {
    sum = sum + term;
    term = (term * f >> F) / i;
  }
  for (int i = 0; i < halvings; ++i) sum = sum * sum >> F;
  return {sum, k};
}

Waves waves(const Bignum& u, std::int64_t F) {
  return {alternating_factorials(u, 0, F), alternating_factorials(u, 1, F)};
}

}  // namespace posenc::numerics
