// SPDX-License-Identifier: Apache-2.0
// Storage formats of the element types for tests/reference/rotation.h, and comparison of values by bits.
#pragma once

#include <posenc/core.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/reference/rotation.h"

namespace posenc::engine {

template <class T>
inline constexpr reference::Storage storage_of = reference::f32;
template <>
inline constexpr reference::Storage storage_of<half> = reference::f16;
template <>
inline constexpr reference::Storage storage_of<bfloat16> = reference::bf16;

/// The same bits, or both NaN.
inline bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace posenc::engine
