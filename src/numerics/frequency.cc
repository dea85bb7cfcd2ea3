// SPDX-License-Identifier: Apache-2.0
// Frequencies as turns, by integers alone.
#include "src/numerics/frequency.h"

namespace posenc::numerics {
namespace {

Turn leading_turn(const Bignum& significand, std::int64_t exponent) {
  if (significand.zero()) return {};
  const std::int64_t drop = significand.bit_length() - 256;
  const Bignum top = drop >= 0 ? significand >> drop : significand << -drop;
  return {{top.limb(0), top.limb(1), top.limb(2), top.limb(3)}, exponent + significand.bit_length()};
}

// Each step multiplies the relative error by less than 1 + 2^-320 and cuts below 2^-383: 2^40 steps leave 2^-279.
constexpr std::int64_t ladder_bits = 384;

// made[k] of the numbers |start| base^(k step), each from the one before by one multiplication.
template <class T, class Make>
bool multiply_up(const Enclosure& start, const Rational& base, const Rational& step, std::span<T> made,
                 const Make& make) {
  const Enclosure by = enclose(power(base, step), ladder_bits);
  if (correct_bits(by) < ladder_bits - 64) return false;
  Bignum w = start.significand;
  std::int64_t exponent = start.exponent;
  for (T& each : made) {
    each = make(w, exponent);
    w = w * by.significand;
    exponent += by.exponent;
    if (const std::int64_t excess = w.bit_length() - ladder_bits; excess != 0) {
      w = excess > 0 ? w >> excess : w << -excess;
      exponent += excess;
    }
  }
  return true;
}

// |w| / 2 pi with `correct` bits that are certain; nothing where most_bits do not give them.
std::optional<Enclosure> enclose_turn(const Real& w, std::int64_t correct) {
  const Real turns = w * Real(fraction(1, 2)) * pi_to_the(-1);
  for (std::int64_t bits = correct; bits <= most_bits; bits *= 2) {
    const Enclosure x = enclose(turns, bits);
    if (correct_bits(x) >= correct) return x;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Turn> turn(const Real& w) {
  if (w.zero()) return Turn{};
  const std::optional<Enclosure> turns = enclose_turn(w, 256);
  if (!turns) return std::nullopt;
  return leading_turn(turns->significand, turns->exponent);
}

bool geometric_turns(const Real& first, const Rational& base, const Rational& step, std::span<Turn> turns) {
  const std::optional<Enclosure> start = first.zero() ? Enclosure{} : enclose_turn(first, ladder_bits);
  return start && multiply_up(*start, base, step, turns, leading_turn);
}

bool geometric_sequence(const Real& first, const Rational& base, const Rational& step,
                        std::span<Approximation> numbers) {
  const Enclosure start = enclose(first, ladder_bits);
  if (correct_bits(start) < ladder_bits - 64) return false;
  return multiply_up(start, base, step, numbers, [&](const Bignum& significand, std::int64_t exponent) {
    const Leading top = leading(significand, exponent);
    return Approximation{start.negative, top.significand, top.exponent, 2};
  });
}

}  // namespace posenc::numerics
