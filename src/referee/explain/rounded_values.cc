// SPDX-License-Identifier: Apache-2.0
// Last places of element types.
#include "src/referee/explain/rounded_values.h"

#include <cmath>

namespace posenc::referee {
namespace {

struct Places {
  int precision, minimum;
};
template <class T>
constexpr Places places = {numerics::Format<T>::precision, numerics::Format<T>::minimum};

Places places_of(DType type) {
  switch (type) {
    case DType::f64: return places<double>;
    case DType::f16: return places<half>;
    case DType::bf16: return places<bfloat16>;
    default: return places<float>;
  }
}

}  // namespace

std::uint64_t bits_of(DType type, double value) {
  switch (type) {
    case DType::f64: return std::bit_cast<std::uint64_t>(value);
    case DType::f16: return half(static_cast<float>(value)).bits;
    case DType::bf16: return bfloat16(static_cast<float>(value)).bits;
    case DType::i64:
    case DType::i32: return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    default: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

RoundedValue told(DType type, double value, const Number& exact) {
  RoundedValue made = {type, value, bits_of(type, value), std::nullopt};
  if (!std::isfinite(value) || !is_real(type)) return made;
  const std::optional<double> difference = error(value, exact), at = nearest(exact);
  if (!difference || !at) return made;
  const auto [precision, minimum] = places_of(type);
  int exponent = 0;
  std::frexp(*at, &exponent);  // |at| < 2^exponent
  const int place = (*at == 0 ? minimum : std::max(exponent - 1, minimum)) - precision + 1;
  made.units = std::ldexp(*difference, -place);
  return made;
}

}  // namespace posenc::referee
