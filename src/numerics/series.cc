// SPDX-License-Identifier: Apache-2.0
// Exponential series over integers.
#include "src/numerics/series.h"

namespace posenc::numerics {
namespace {

Bignum one(std::int64_t F) { return Bignum(1) << F; }

// floor(pi 2^1280) and floor(ln 2 2^1280), least significant limb first. Source: mpmath 1.3, mp.pi and mp.log(2) of
// 4000 bits; the tests compare them with MPFR and with the series.
constexpr std::int64_t digits = 1280;
constexpr std::uint64_t pi_digits[] = {0x7B54A41DC25A59B5, 0x718BCD5882154AEE, 0x0D95748F728EB658, 0xA458FEA3F4933D7E,
                                       0x636920D871574E69, 0x0801F2E2858EFC16, 0x24A19947B3916CF7, 0xBA7C9045F12C7F99,
                                       0xB8E1AFED6A267E96, 0x2FFD72DBD01ADFB7, 0xD1310BA698DFB5AC, 0x9216D5D98979FB1B,
                                       0x3F84D5B5B5470917, 0xC0AC29B7C97C50DD, 0xBE5466CF34E90C6C, 0x452821E638D01377,
                                       0x082EFA98EC4E6C89, 0xA4093822299F31D0, 0x13198A2E03707344, 0x243F6A8885A308D3,
                                       0x0000000000000003};
constexpr std::uint64_t ln2_digits[] = {0x7D2E23DE1400B396, 0xEE569D6DFC1EFA15, 0x610D30F88FE551A2, 0x07F4CA11FB5BFB90,
                                        0xDA2D97C50F3FD5C6, 0x655FA1872F20E3A2, 0xF5DFA6BD38303248, 0x72CE87B19D6548CA,
                                        0x256FA0EC7657F74B, 0xB9EA9BC3B136603B, 0x1ACBDA11317C387E, 0x3E96CA16224AE8C5,
                                        0x27573B291169B825, 0xED2EAE35C1382144, 0x559552FB4AFA1B10, 0xE7B876206DEBAC98,
                                        0x8A0D175B8BAAFA2B, 0x40F343267298B62D, 0xC9E3B39803F2F6AF, 0xB17217F7D1CF79AB};

// The first F of those digits, F <= 1280.
Bignum cut_digits(std::span<const std::uint64_t> limbs, std::int64_t F) {
  const std::int64_t drop = digits - F;
  return Bignum(limbs.subspan(static_cast<std::size_t>(drop / 64))) >> drop % 64;
}

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
  if (F <= digits) return cut_digits(pi_digits, F);
  return odd_powers(5, Signs::alternating, F) * 16 - odd_powers(239, Signs::alternating, F) * 4;
}

Bignum ln2(std::int64_t F) { return F <= digits ? cut_digits(ln2_digits, F) : odd_powers(3, Signs::same, F) * 2; }

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
