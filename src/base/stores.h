// SPDX-License-Identifier: Apache-2.0
// How outputs go to memory: through the caches, or past them.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Of a line of the caches; where lines are longer, a part of one.
inline constexpr std::size_t line_bytes = 64;

enum class Stores : std::uint8_t { cached = 1, streamed };

/// Streamed stores do not read the lines they overwrite, and leave the caches to others: they win once an output no
/// longer fits, from half of a usual last-level cache on, and lose three to four times before.
constexpr Stores stores_for(std::int64_t bytes, Reading reading) {
  constexpr std::int64_t large = std::int64_t{16} << 20;
  const bool streamed = reading == Reading::later || (reading == Reading::by_size && bytes > large);
  return streamed ? Stores::streamed : Stores::cached;
}

}  // namespace posenc
