// SPDX-License-Identifier: Apache-2.0
// Counter-based random bits and what is made of them: a pure function of key and counter.
#pragma once

#include <array>
#include <cstdint>

#include "src/numerics/dyadic.h"

namespace posenc::engine {

using Words4 = std::array<std::uint32_t, 4>;
using Words2 = std::array<std::uint32_t, 2>;

/// Philox4x32 with 10 rounds. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
constexpr Words4 philox(Words4 counter, Words2 key) {
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

constexpr Words2 words(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

/// out[i] = z of element first + i, as embedding.h defines it, correctly rounded. False where 2^15 bits did not settle
/// one, which is then unspecified.
[[nodiscard]] bool normal_values(Words2 key, std::uint64_t first, std::size_t count, float* out);

}  // namespace posenc::engine
