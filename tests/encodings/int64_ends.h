// SPDX-License-Identifier: Apache-2.0
// The ends of int64.
#pragma once

#include <cstdint>
#include <limits>

namespace posenc::test {

inline constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

}  // namespace posenc::test
