// SPDX-License-Identifier: Apache-2.0
// What pairs of tokens join to, and the joining of one piece, or of the beginning of one.
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
  struct Entry {
    std::int32_t right;
    Joined joined;
  };

  Joins() = default;
  /// `joins`: no pair twice, left tokens in [0, token_count).
  Joins(std::vector<Join> joins, std::size_t token_count);
  /// Rank `unranked` for a pair that does not join.
  Joined find(std::int32_t left, std::int32_t right) const;
  /// All that a token joins with, by the right token.
  std::span<const Entry> of(std::int32_t left) const;

 private:
  std::vector<Entry> entries_;         // by left, then by right
  std::vector<std::uint32_t> starts_;  // of each left token in entries_, and their end
};

/// How tokens are spelled: the bytes of each, and the token of each byte, or a negative number.
struct Spelling {
  std::span<const std::string> tokens;
  std::span<const std::int32_t, 256> byte_ids;
};

/// A token, and where it ends in its piece.
struct PlacedToken {
  std::int32_t id;
  std::uint32_t end;
};

/// Joins the tokens of one piece after another; keeps its memory between them, 20 to 44 bytes for each token.
class Joiner {
 public:
  /// A joined token has the bytes of its two parts in a row.
  Joiner(const Joins& joins, Spelling spelling) : joins_(joins), spelling_(spelling) {}

  /// Appends what `piece`, of at most 2^31 tokens, joins to.
  void join(std::span<const std::int32_t> piece, std::vector<std::int32_t>& ids);

  /// The first tokens of what a piece joins to that begins with `start`, as far as they are the same whatever comes
  /// behind `start`; valid until the next call. What is behind any of them joins to the tokens behind it, without what
  /// is before. Every token of `start` is that of a byte, or has a part in no merge.
  std::span<const PlacedToken> join_start(std::span<const std::int32_t> start);

 private:
  struct Symbol {
    std::int32_t id;
    Joins::Joined pair;  // what it and its right neighbour join to
    std::uint32_t previous, next;
  };
  // The last symbol that is known, and the lowest rank of all that it may join with behind it.
  struct Tail {
    std::uint32_t at;
    std::int32_t rank;
  };
  void spell(std::span<const std::int32_t> piece);
  void look(std::uint32_t at);
  std::int32_t next_rank();
  std::uint32_t join_next();
  Tail tail_at(std::uint32_t at, std::span<const std::int32_t> start) const;
  std::uint32_t end_of_known(std::span<const std::int32_t> start) const;
  bool may_stand(std::int32_t token, std::size_t at, std::span<const std::int32_t> start) const;

  const Joins& joins_;
  Spelling spelling_;
  std::vector<Symbol> symbols_ = {};
  std::vector<std::uint64_t> heap_ = {};      // rank << 32 | place, the least on top
  std::vector<std::uint32_t> given_up_ = {};  // symbols behind the tail, the last one first
  std::vector<PlacedToken> placed_ = {};
};

}  // namespace posenc::io
