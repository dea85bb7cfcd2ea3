// SPDX-License-Identifier: Apache-2.0
// Merges found by binary search among those of the left token; a heap of candidates for the joining.
#include "src/text/bpe/bpe_merges.h"

#include <algorithm>
#include <functional>

namespace posenc::io {
namespace {

constexpr std::uint32_t nowhere = 0xFFFFFFFF;

}  // namespace

Joins::Joins(std::vector<Join> joins, std::size_t token_count) : starts_(token_count + 1) {
  std::ranges::sort(joins, {}, [](const Join& join) { return std::pair(join.left, join.right); });
  entries_.reserve(joins.size());
  for (const Join& join : joins) {
    entries_.push_back({join.right, {join.rank, join.id}});
    ++starts_[static_cast<std::size_t>(join.left) + 1];
  }
  for (std::size_t left = 0; left < token_count; ++left) starts_[left + 1] += starts_[left];
}

Joins::Joined Joins::find(std::int32_t left, std::int32_t right) const {
  const auto at = static_cast<std::size_t>(left);
  const auto entries = std::span(entries_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  const auto found = std::ranges::lower_bound(entries, right, {}, &Entry::right);
  return found != entries.end() && found->right == right ? found->joined : Joined{};
}

// Symbols are a linked list in an array; the heap holds every pair that is or was a merge, and an entry counts only
// while the symbol there still begins a pair of that rank. Each join adds at most two entries, hence O(n log n).

// Finds what the pair that begins at `at` joins to.
void Joiner::look(std::uint32_t at) {
  if (at == nowhere) return;
  Symbol& symbol = symbols_[at];
  symbol.pair = symbol.next == nowhere ? Joins::Joined{} : joins_.find(symbol.id, symbols_[symbol.next].id);
  if (symbol.pair.rank == unranked) return;
  heap_.push_back((std::uint64_t{static_cast<std::uint32_t>(symbol.pair.rank)} << 32) | at);
}

void Joiner::spell(std::span<const std::int32_t> piece) {
  symbols_.clear();
  heap_.clear();
  const auto size = static_cast<std::uint32_t>(piece.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    symbols_.push_back({piece[i], {}, i == 0 ? nowhere : i - 1, i + 1 == size ? nowhere : i + 1});
  }
  for (std::uint32_t i = 0; i < size; ++i) look(i);
  std::ranges::make_heap(heap_, std::greater{});
}

// Joins the symbol at `at` with its right neighbour.
void Joiner::join_at(std::uint32_t at) {
  Symbol& left = symbols_[at];
  Symbol& right = symbols_[left.next];
  right.pair = {};
  left.id = left.pair.id;
  left.next = right.next;
  if (left.next != nowhere) symbols_[left.next].previous = at;
  for (const std::uint32_t changed : {left.previous, at}) {
    const std::size_t before = heap_.size();
    look(changed);
    if (heap_.size() > before) std::ranges::push_heap(heap_, std::greater{});
  }
}

void Joiner::join(std::span<const std::int32_t> piece, std::vector<std::int32_t>& ids) {
  spell(piece);
  while (!heap_.empty()) {
    const std::uint64_t next = heap_.front();
    std::ranges::pop_heap(heap_, std::greater{});
    heap_.pop_back();
    const auto at = static_cast<std::uint32_t>(next);
    if (symbols_[at].pair.rank == static_cast<std::int32_t>(next >> 32)) join_at(at);
  }
  for (std::uint32_t at = piece.empty() ? nowhere : 0; at != nowhere; at = symbols_[at].next) {
    ids.push_back(symbols_[at].id);
  }
}

}  // namespace posenc::io
