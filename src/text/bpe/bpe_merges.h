// SPDX-License-Identifier: Apache-2.0
// What pairs of tokens join to, and the joining of one piece.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

inline constexpr std::int32_t unranked = 0x7FFFFFFF;

/// The merges by their pair. Thread safety: const use is safe.
class Joins {
 public:
  /// `left` and `right` join to `id`; the lowest rank goes first.
  struct Join {
    std::int32_t left, right, rank, id;
  };
  struct Joined {
    std::int32_t rank = unranked;
    std::int32_t id = -1;
  };

  Joins() = default;
  /// `joins`: no pair twice, left tokens in [0, token_count).
  Joins(std::vector<Join> joins, std::size_t token_count);
  /// Rank `unranked` for a pair that does not join.
  Joined find(std::int32_t left, std::int32_t right) const;

 private:
  struct Entry {
    std::int32_t right;
    Joined joined;
  };
  std::vector<Entry> entries_;         // by left, then by right
  std::vector<std::uint32_t> starts_;  // of each left token in entries_, and their end
};

/// Joins the tokens of one piece after another; keeps its memory between them, 20 to 44 bytes for each token.
class Joiner {
 public:
  explicit Joiner(const Joins& joins) : joins_(joins) {}

  /// Appends what `piece`, of at most 2^31 tokens, joins to. Takes O(n log n) for n tokens.
  void join(std::span<const std::int32_t> piece, std::vector<std::int32_t>& ids);

 private:
  struct Symbol {
    std::int32_t id;
    Joins::Joined pair;  // what it and its right neighbour join to
    std::uint32_t previous, next;
  };
  void spell(std::span<const std::int32_t> piece);
  void look(std::uint32_t at);
  void join_at(std::uint32_t at);

  const Joins& joins_;
  std::vector<Symbol> symbols_ = {};
  std::vector<std::uint64_t> heap_ = {};  // rank << 32 | place, the least on top
};

}  // namespace posenc::io
