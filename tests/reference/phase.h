// SPDX-License-Identifier: Apache-2.0
// The recipe `phase` as its page states it, one phase at a time: numbers with their units, and every shift follows from
// the units. It shares no code with the library.
#pragma once

#include <cstdint>
#include <vector>

namespace reference {

/// value 2^-unit, 0 <= value < 2^31.
struct Fixed {
  std::uint64_t value;
  int unit;
};
/// a b, rounded down to a unit.
inline Fixed product(const Fixed& a, const Fixed& b, int unit) {
  return {a.value * b.value >> (a.unit + b.unit - unit), unit};
}

/// c0 - z (c1 - z (c2 - ..)).
inline Fixed polynomial(const std::vector<Fixed>& c, const Fixed& z) {
  Fixed sum = c.back();
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = {c[i].value - product(z, sum, c[i].unit).value, c[i].unit};
  return sum;
}

struct Wave {
  float sine, cosine;
};

/// Of phase 2^-64 turns.
inline Wave phase_wave(std::uint64_t phase) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 62;
  const std::uint64_t number = phase / quarter, from_start = phase % quarter;
  const bool from_end = from_start >= quarter / 2;
  const std::uint64_t near = from_end ? quarter - from_start : from_start;
  const Fixed x = {(near + (1u << 30)) >> 31, 31};
  const Fixed z = product(x, x, 32);
  const Fixed s =
      polynomial({{1686629713, 30}, {1387197328, 31}, {1369107519, 34}, {1286724417, 38}, {1388671293, 43}}, z);
  const Fixed c =
      polynomial({{2147483647, 31}, {1324675872, 30}, {1089501132, 32}, {1433510551, 36}, {1988114506, 41}}, z);

  const auto signed_float = [](std::uint64_t value, bool below) {
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<float>(below ? -whole : whole);
  };
  const bool odd = number % 2 == 1, swapped = odd != from_end;
  const bool sine_below = number >= 2, cosine_below = number == 1 || number == 2;
  const bool first_below = swapped ? cosine_below : sine_below, second_below = swapped ? sine_below : cosine_below;
  float first = 0;
  if (near < std::uint64_t{1} << 48) {
    first = signed_float(near, first_below) * (signed_float(s.value, false) * 0x1p-92f);
  } else if (near < std::uint64_t{1} << 55) {
    first = signed_float(near >> 7, first_below) * (signed_float(s.value, false) * 0x1p-85f);
  } else {
    first = signed_float(product(x, s, 31).value, first_below) * 0x1p-31f;
  }
  const float second = signed_float(c.value, second_below) * 0x1p-31f;
  return swapped ? Wave{second, first} : Wave{first, second};
}

}  // namespace reference
