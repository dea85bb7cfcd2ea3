// SPDX-License-Identifier: Apache-2.0
// An open-addressing hash table over token ids.
#include "src/text/vocabulary/token_table.h"

#include <algorithm>
#include <functional>

namespace posenc::io {
namespace {

// The upper half too, where that has more to say.
std::uint32_t hash_of(std::string_view token) {
  const std::uint64_t hash = std::hash<std::string_view>()(token);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

// The slot that holds the token, or the free one where it would stand.
std::size_t TokenTable::place_of(std::string_view token, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id >= 0 && (slots_[at].hash != hash || this->token(slots_[at].id) != token)) at = (at + 1) & mask;
  return at;
}

void TokenTable::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(16, 2 * slots_.size())));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id < 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id >= 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

TokenTable::Added TokenTable::add(std::string_view token) {
  if (2 * (tokens_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(token);
  const std::size_t at = place_of(token, hash);
  if (slots_[at].id >= 0) return {slots_[at].id, false};
  slots_[at] = {size(), hash};
  tokens_.add(token);
  return {slots_[at].id, true};
}

std::optional<std::int32_t> TokenTable::find(std::string_view token) const {
  if (slots_.empty()) return std::nullopt;
  const std::int32_t id = slots_[place_of(token, hash_of(token))].id;
  return id < 0 ? std::nullopt : std::optional(id);
}

}  // namespace posenc::io
