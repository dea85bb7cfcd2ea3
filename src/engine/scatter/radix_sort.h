// SPDX-License-Identifier: Apache-2.0
// The tokens of a batch in the order of their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace posenc::engine {

/// Tokens of ids[i] are tokens[begins[i]] ... tokens[begins[i + 1] - 1], in their order.
struct ById {
  std::vector<std::uint32_t> tokens;
  std::vector<std::int64_t> ids;      // those that occur, increasing
  std::vector<std::uint32_t> begins;  // one more than ids

  std::uint32_t count(std::size_t i) const { return begins[i + 1] - begins[i]; }
};

/// Sorts tokens by id_of[token], all of them but those of id `without`: fewer than 2^32 tokens.
ById by_id(std::span<const std::uint32_t> id_of, std::optional<std::int64_t> without);

}  // namespace posenc::engine
