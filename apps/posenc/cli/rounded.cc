// SPDX-License-Identifier: Apache-2.0
// Rounding of elements: by way of f32, whose last bit remembers what was cut off.
#include "apps/posenc/cli/rounded.h"

#include <bit>

#include "apps/posenc/cli/elements.h"

namespace posenc::tool {
namespace {

// Towards the odd one of the two nearest f32: rounding that to 13 bits fewer, or more, is rounding the double itself
// (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
float to_odd(double value) {
  const auto near = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(near);
  const auto back = static_cast<double>(near);
  if (back == value || (bits & 1) != 0 || !std::isfinite(near)) return near;
  const bool away = (back < value) == (value > 0);  // the other one is farther from 0
  return std::bit_cast<float>(away ? bits + 1 : bits - 1);
}

template <class T>
T rounded(double value) {
  if constexpr (sizeof(T) == 2)
    return T(to_odd(value));
  else
    return static_cast<T>(value);
}

}  // namespace

io::Array rounded_to(DType type, io::Array array) {
  if (array.dtype == type) return array;
  const std::int64_t count = array.view().count();
  io::Array made{type, array.shape, std::vector<std::byte>(static_cast<std::size_t>(count) * size_of(type))};
  with_real(array.dtype, [&]<class From>(From) {
    with_real(type, [&]<class To>(To) {
      const auto* from = reinterpret_cast<const From*>(array.data.data());
      auto* to = reinterpret_cast<To*>(made.data.data());
      for (std::int64_t i = 0; i < count; ++i) to[i] = rounded<To>(to_double(from[i]));
    });
  });
  return made;
}

}  // namespace posenc::tool
