// SPDX-License-Identifier: Apache-2.0
// Frequencies as turns, by integers alone.
#include "src/numerics/frequency.h"

#include <algorithm>

namespace posenc::numerics {
namespace {

Turn leading_turn(const Bignum& significand, std::int64_t exponent) {
  if (significand.zero()) return {};
  const std::int64_t drop = significand.bit_length() - 256;
  const Bignum top = drop >= 0 ? significand >> drop : significand << -drop;
  return {{top.limb(0), top.limb(1), top.limb(2), top.limb(3)}, exponent + significand.bit_length()};
}

// Each step multiplies the relative error by less than 1 + 2^-320 and cuts below 2^-383: 2^40 steps leave 2^-279. With
// n bits more they leave 2^-(279 + n).
constexpr std::int64_t ladder_bits = 384;

bool has_digits(std::int64_t exponent) { return exponent > 64 && exponent <= most_whole_bits; }

// Of a number that is off by less than 2^-(digits_below + 1).
std::vector<std::uint64_t> digits_of(const Bignum& significand, std::int64_t exponent) {
  const std::int64_t shift = exponent + digits_below;
  const Bignum whole = shift >= 0 ? significand << shift : significand >> -shift;
  std::vector<std::uint64_t> limbs(static_cast<std::size_t>((whole.bit_length() + 63) / 64));
  for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = whole.limb(i);
  return limbs;
}

// The relative error of a number with so many bits of whole turns that digits ask for.
std::int64_t correct_for_digits(std::int64_t exponent) { return exponent + digits_below + 2; }

// made[k] of the numbers |start| ratio^k, each from the one before by one multiplication.
template <class T, class Make>
bool multiply_up(const Enclosure& start, const Real& ratio, std::span<T> made, std::int64_t bits, const Make& make) {
  const Enclosure by = enclose(ratio, bits);
  if (correct_bits(by) < bits - 64) return false;
  Bignum w = start.significand;
  std::int64_t exponent = start.exponent;
  for (T& each : made) {
    each = make(w, exponent);
    w = w * by.significand;
    exponent += by.exponent;
    if (const std::int64_t excess = w.bit_length() - bits; excess != 0) {
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
  Turn made = leading_turn(turns->significand, turns->exponent);
  if (!has_digits(made.exponent)) return made;
  if (const std::optional<Enclosure> all = enclose_turn(w, correct_for_digits(made.exponent))) {
    made.digits = digits_of(all->significand, all->exponent);
  }
  return made;
}

std::optional<Turn> turn(const Enclosure& turns) {
  if (correct_bits(turns) < 256) return std::nullopt;
  const Turn made = leading_turn(turns.significand, turns.exponent);
  return has_digits(made.exponent) ? std::nullopt : std::optional(made);
}

bool geometric_turns(const Real& first, const Real& ratio, std::span<Turn> turns) {
  const std::optional<Enclosure> start = first.zero() ? Enclosure{} : enclose_turn(first, ladder_bits);
  if (!start || !multiply_up(*start, ratio, turns, ladder_bits, leading_turn)) return false;
  std::int64_t most = 0;
  for (const Turn& t : turns) most = has_digits(t.exponent) ? std::max(most, t.exponent) : most;
  if (most == 0) return true;
  const std::int64_t bits = ladder_bits + correct_for_digits(most) - 279;
  if (const std::optional<Enclosure> all = enclose_turn(first, bits)) {
    multiply_up(*all, ratio, turns, bits, [](const Bignum& significand, std::int64_t exponent) {
      Turn made = leading_turn(significand, exponent);
      if (has_digits(made.exponent)) made.digits = digits_of(significand, exponent);
      return made;
    });
  }
  return true;
}

bool geometric_sequence(const Real& first, const Real& ratio, std::span<Approximation> numbers) {
  const Enclosure start = enclose(first, ladder_bits);
  if (correct_bits(start) < ladder_bits - 64) return false;
  return multiply_up(start, ratio, numbers, ladder_bits, [&](const Bignum& significand, std::int64_t exponent) {
    const Leading top = leading(significand, exponent);
    return Approximation{start.negative, top.significand, top.exponent, 2};
  });
}

bool geometric_sequence(const Real& first, const Real& ratio, std::span<Enclosure> numbers) {
  const Enclosure start = enclose(first, ladder_bits);
  if (correct_bits(start) < ladder_bits - 64) return false;
  return multiply_up(start, ratio, numbers, ladder_bits, [&](const Bignum& significand, std::int64_t exponent) {
    return Enclosure{start.negative, significand, exponent, significand.bit_length() - 279};
  });
}

}  // namespace posenc::numerics
