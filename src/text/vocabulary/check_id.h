// SPDX-License-Identifier: Apache-2.0
// The rule of token ids, in one wording.
#pragma once

#include <posenc/core.h>

#include <algorithm>

namespace posenc::io {

/// The problem of an id outside [0, size).
inline std::optional<Problem> check_id(std::string_view operation, std::int32_t id, std::int32_t size) {
  if (id >= 0 && id < size) return std::nullopt;
  return Problem{std::string(operation), "a token id must be one of 0 to " + std::to_string(size - 1),
                 std::to_string(id)};
}

/// That of the first such id, with its index.
inline std::optional<Problem> check_ids(std::string_view operation, std::span<const std::int32_t> ids,
                                        std::int32_t size) {
  const auto wrong = std::ranges::find_if(ids, [size](std::int32_t id) { return id < 0 || id >= size; });
  if (wrong == ids.end()) return std::nullopt;
  std::optional<Problem> problem = check_id(operation, *wrong, size);
  problem->index = {wrong - ids.begin()};
  return problem;
}

}  // namespace posenc::io
