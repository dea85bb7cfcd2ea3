// SPDX-License-Identifier: Apache-2.0
// Numbers in element types: their bits, and how far they are from a real number.
#pragma once

#include <posenc/referee/explain.h>

#include "src/base/elements.h"
#include "src/referee/explain/number.h"

namespace posenc::referee {

/// The bits of a value that the type holds.
std::uint64_t bits_of(DType type, double value);

/// The value that a type holds, beside the real number that it stands for.
RoundedValue told(DType type, double value, const Number& exact);

template <class T>
double wide(T value) {
  if constexpr (std::is_same_v<T, double>) return value;
  if constexpr (!std::is_same_v<T, double>) return static_cast<double>(static_cast<float>(value));
}

}  // namespace posenc::referee
