// SPDX-License-Identifier: Apache-2.0
// Angles as turns, the vector kernel, its rounding test, and the certain path for what fails it.
#include "src/engine/tables/angles.h"

#include <array>
#include <cmath>

#include "src/engine/tables/phase.h"
#include "src/engine/tables/sines.h"
#include "src/numerics/elementary.h"

namespace posenc::engine {
namespace {

// RN of an angle's size to By and then to T.
template <class T, class By>
bool settle_angle(double angle, const Waves<T>& to, std::size_t i) {
  const double x = std::abs(angle);
  if (x == 0) {
    to.put(i, T(0.0f), T(1.0f));
    return true;
  }
  if (!std::isfinite(x)) {
    const T none(std::numeric_limits<float>::quiet_NaN());
    to.put(i, none, none);
    return true;
  }
  const std::optional<numerics::Pair<By>> pair = numerics::sine_cosine_rounded<By>(x);
  if (!pair) return false;
  if constexpr (std::is_same_v<T, By>) {
    to.put(i, pair->sine, pair->cosine);
  } else {
    to.put(i, numerics::round<T>(numerics::dyadic(pair->sine)), numerics::round<T>(numerics::dyadic(pair->cosine)));
  }
  return true;
}

// 2^e / 2 pi turns, the leading 128 bits of the fraction, for the exponents e of f64 angles from 2^-64 to 2^64.
constexpr int least_exponent = -116, exponents = 128;
constexpr auto turns_of_powers = [] {
  std::array<std::array<std::uint64_t, 2>, exponents> turns = {};  // high, low
  for (int i = 0; i < exponents; ++i) {
    const int above = least_exponent + i + numerics::unit_exponent;  // bits before the point
    const auto bits_from = [&](int first) {                          // 64 bits, from the one after the point on
      std::uint64_t bits = 0;
      for (int bit = first + above; bit < first + above + 64; ++bit) {
        const auto limb = static_cast<std::size_t>(3 - bit / 64);
        bits = bits << 1 | (bit < 0 ? 0 : numerics::unit_significand[limb] >> (63 - bit % 64) & 1);
      }
      return bits;
    };
    turns[static_cast<std::size_t>(i)] = {bits_from(0), bits_from(64)};
  }
  return turns;
}();

// The phase of x >= 0, less than 2 units too small; 0, which a kernel finds in doubt, where it has none.
std::uint64_t phase_of(double x) {
  const numerics::Dyadic size = numerics::dyadic(x);
  const auto number = static_cast<unsigned>(size.exponent - least_exponent);
  if (number < exponents)
    return multiple_of_turns(size.mantissa, 0, turns_of_powers[number][0], turns_of_powers[number][1]);
  return std::isfinite(x) ? numerics::phase64(numerics::unit_turn(), size).value_or(0) : 0;
}

template <class T>
void set_signs(const double* angles, const Waves<T>& to) {
  for (std::size_t i = 0; i < to.sines; ++i) {
    if (angles[i] < 0 && std::isfinite(angles[i])) to.sine[i * to.step] = negated(to.sine[i * to.step]);
  }
}

// One block of angles, the sines as of their sizes.
bool write_angles(const double* angles, const Waves<float>& to) {
  std::uint64_t phase[block];
  std::uint16_t doubts[block];
  for (std::size_t i = 0; i < to.sines; ++i) phase[i] = phase_of(std::abs(angles[i]));
  const std::size_t in_doubt = sincos_kernels().write.of<float>()({1, 0, phase, no_low}, to, doubts);
  bool decided = true;
  for (std::size_t i = 0; i < in_doubt; ++i) {
    decided &= settle_angle<float, float>(angles[doubts[i]], to, doubts[i]);
  }
  return decided;
}

bool write_angles(const double* angles, const Waves<double>& to) {
  bool decided = true;
  for (std::size_t i = 0; i < to.sines; ++i) decided &= settle_angle<double, double>(angles[i], to, i);
  return decided;
}

template <class T>
bool write_angles_by_f64(const double* angles, const Waves<T>& to) {
  constexpr numerics::ErrorBound bound = {small_sines.error + 1, small_sines.smallest};  // RN to f64 adds half a unit
  std::uint64_t phase[block];
  double sine[block], cosine[block];
  for (std::size_t i = 0; i < to.sines; ++i) phase[i] = phase_of(std::abs(angles[i]));
  sincos_kernels().of_phases(phase, to.sines, sine, cosine);
  bool decided = true;
  for (std::size_t i = 0; i < to.sines; ++i) {
    const auto s = std::bit_cast<std::uint64_t>(sine[i]), c = std::bit_cast<std::uint64_t>(cosine[i]);
    if (numerics::in_doubt<T>(s, bound) || numerics::in_doubt<T>(c, bound)) {
      decided &= settle_angle<T, double>(angles[i], to, i);
    } else {
      to.put(i, numerics::rounded_bits<T>(s), numerics::rounded_bits<T>(c));
    }
  }
  return decided;
}

// write(angles, to) block by block.
template <class T, class Write>
bool by_blocks(const double* angles, const Waves<T>& to, const Write& write) {
  bool decided = true;
  for (std::size_t first = 0; first < to.sines; first += block) {
    const Waves<T> part = block_of(to, first);
    decided &= write(angles + first, part);
    set_signs(angles + first, part);
  }
  return decided;
}

}  // namespace

template <class T>
bool sine_cosine_of(const double* angles, const Waves<T>& to) {
  return by_blocks(angles, to, [](const double* x, const Waves<T>& part) { return write_angles(x, part); });
}

template <class T>
bool sine_cosine_by_f64(const double* angles, const Waves<T>& to) {
  return by_blocks(angles, to, [](const double* x, const Waves<T>& part) { return write_angles_by_f64(x, part); });
}

template bool sine_cosine_of(const double*, const Waves<float>&);
template bool sine_cosine_of(const double*, const Waves<double>&);
template bool sine_cosine_by_f64(const double*, const Waves<float>&);
template bool sine_cosine_by_f64(const double*, const Waves<half>&);
template bool sine_cosine_by_f64(const double*, const Waves<bfloat16>&);

}  // namespace posenc::engine
