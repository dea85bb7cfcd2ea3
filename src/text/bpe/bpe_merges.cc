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

std::span<const Joins::Entry> Joins::of(std::int32_t left) const {
  const auto at = static_cast<std::size_t>(left);
  return std::span(entries_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
}

Joins::Joined Joins::find(std::int32_t left, std::int32_t right) const {
  const std::span<const Entry> entries = of(left);
  const auto found = std::ranges::lower_bound(entries, right, {}, &Entry::right);
  return found != entries.end() && found->right == right ? found->joined : Joined{};
}

// ---- a piece ------------------------------------------------------------------------------------
//
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

// The rank of the next join, on top of the heap; `unranked` for none.
std::int32_t Joiner::next_rank() {
  while (!heap_.empty()) {
    const auto rank = static_cast<std::int32_t>(heap_.front() >> 32);
    if (symbols_[static_cast<std::uint32_t>(heap_.front())].pair.rank == rank) return rank;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater{});
    heap_.pop_back();
  }
  return unranked;
}

// Joins the pair on top of the heap and returns where it stands.
std::uint32_t Joiner::join_next() {
  const auto at = static_cast<std::uint32_t>(heap_.front());
  std::pop_heap(heap_.begin(), heap_.end(), std::greater{});
  heap_.pop_back();
  Symbol& left = symbols_[at];
  Symbol& right = symbols_[left.next];
  right.pair = {};
  left.id = left.pair.id;
  left.next = right.next;
  if (left.next != nowhere) symbols_[left.next].previous = at;
  for (const std::uint32_t changed : {left.previous, at}) {
    const std::size_t before = heap_.size();
    look(changed);
    if (heap_.size() > before) std::push_heap(heap_.begin(), heap_.end(), std::greater{});
  }
  return at;
}

void Joiner::join(std::span<const std::int32_t> piece, std::vector<std::int32_t>& ids) {
  spell(piece);
  while (next_rank() != unranked) join_next();
  for (std::uint32_t at = piece.empty() ? nowhere : 0; at != nowhere; at = symbols_[at].next) {
    ids.push_back(symbols_[at].id);
  }
}

// ---- the beginning of a piece -------------------------------------------------------------------
//
// The joins of the whole piece that are within the known symbols, in their order, are the joins of these by themselves,
// as long as none crosses their end. One that does joins the tail with a token behind it, and comes before the next
// join of known symbols only if its rank is lower: of equal ranks the left one goes first. So before each join the tail
// is given up while any merge of a lower rank may join it with a token behind it. What has been given up was a token
// and only grows. So such a token ends where one that was given up does, or beyond what is spelled, and has its bytes.
//
// In the end no join has crossed the end of what is left, nor will one. So none crosses the end of any of its tokens,
// and on both sides of such a place the joins are those of that side alone.

std::uint32_t Joiner::end_of_known(std::span<const std::int32_t> start) const {
  return given_up_.empty() ? static_cast<std::uint32_t>(start.size()) : given_up_.back();
}

// Whether a token may come to stand behind the tail.
bool Joiner::may_stand(std::int32_t token, std::size_t at, std::span<const std::int32_t> start) const {
  const std::string& bytes = spelling_.tokens[static_cast<std::size_t>(token)];
  const auto is = [this](std::int32_t id, char byte) {
    return spelling_.byte_ids[static_cast<std::uint8_t>(byte)] == id;
  };
  if (bytes.size() < start.size() - at) {
    const auto end = static_cast<std::uint32_t>(at + bytes.size());
    if (!std::ranges::binary_search(given_up_, end, std::greater{})) return false;
  }
  const std::span<const std::int32_t> spelled = start.subspan(at, std::min(bytes.size(), start.size() - at));
  return std::ranges::equal(spelled, std::string_view(bytes).substr(0, spelled.size()), is);
}

Joiner::Tail Joiner::tail_at(std::uint32_t at, std::span<const std::int32_t> start) const {
  Tail tail = {at, unranked};
  for (const Joins::Entry& entry : joins_.of(symbols_[at].id)) {
    const bool lower = entry.joined.rank < tail.rank;
    if (lower && may_stand(entry.right, end_of_known(start), start)) tail.rank = entry.joined.rank;
  }
  return tail;
}

std::span<const PlacedToken> Joiner::join_start(std::span<const std::int32_t> start) {
  placed_.clear();
  given_up_.clear();
  if (start.empty()) return {};
  spell(start);
  Tail tail = tail_at(static_cast<std::uint32_t>(start.size() - 1), start);
  for (;;) {
    const std::int32_t rank = next_rank();
    if (tail.rank < rank) {
      const std::uint32_t left = symbols_[tail.at].previous;
      if (left == nowhere) return {};
      given_up_.push_back(tail.at);
      symbols_[left].next = nowhere;
      symbols_[left].pair = {};
      tail = tail_at(left, start);
    } else if (rank != unranked) {
      const std::uint32_t joined = join_next();
      if (symbols_[joined].next == nowhere) tail = tail_at(joined, start);
    } else {
      break;
    }
  }
  for (std::uint32_t at = 0; at != nowhere; at = symbols_[at].next) {
    const std::uint32_t next = symbols_[at].next;
    placed_.push_back({symbols_[at].id, next == nowhere ? end_of_known(start) : next});
  }
  return placed_;
}

}  // namespace posenc::io
