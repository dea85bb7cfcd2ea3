// SPDX-License-Identifier: Apache-2.0
// Token ids as a benchmark needs them: all rows alike, or few rows often.
#pragma once

#include <cstdint>
#include <vector>

namespace posenc::bench {

enum class Ids : std::uint8_t {
  uniform = 1,
  zipf,  ///< the k-th most frequent id has a share of 1 / k; which id that is, is drawn
};

inline constexpr std::int64_t vocabulary = 32000;

/// `count` ids below `vocabulary`, always the same.
std::vector<std::int32_t> make_ids(Ids kind, std::int64_t count);

}  // namespace posenc::bench
