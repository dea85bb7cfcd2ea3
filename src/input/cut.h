// SPDX-License-Identifier: Apache-2.0
// Ids cut into blocks of work.
#pragma once

#include <cstdint>

#include "src/base/blocks.h"

namespace posenc {

/// Where the rows of positions come from.
enum class SignalFrom : std::uint8_t { table = 1, engine };

/// How a call is cut into blocks: signal rows are made once a block and used by all its sequences.
struct Cut {
  std::int64_t lists, sequences, tokens;  // a block: sequences of one list, tokens of each
  std::int64_t across, down;              // blocks of one list

  Cut(SignalFrom from, bool shared, std::int64_t all_sequences, std::int64_t length, std::int64_t row_bytes)
      : lists(shared ? 1 : all_sequences),
        sequences(shared ? blocks(all_sequences, blocks(all_sequences, 64)) : 1),
        tokens(std::min(length, most_tokens(from, sequences, row_bytes))),
        across(blocks(length, tokens)),
        down(shared ? blocks(all_sequences, sequences) : 1) {}

  /// The first sequence and token of a block, and the list of its positions. One block in all is the common call while
  /// decoding, and four divisions are as much work as its row.
  struct Start {
    std::int64_t list, sequence, token;
  };
  Start start(std::int64_t block) const {
    if (block == 0) return {0, 0, 0};
    const std::int64_t list = block / (down * across);
    return {list, list + block / across % down * sequences, block % across * tokens};
  }

 private:
  // 256 KiB of the output: of many sequences few tokens, whose rows of a table stay in the first-level cache while all
  // sequences read them. The engine wants 24 rows or more (strip_pays).
  static constexpr std::int64_t most_tokens(SignalFrom from, std::int64_t sequences, std::int64_t row_bytes) {
    constexpr std::int64_t block_bytes = std::int64_t{256} << 10;
    if (sequences < 4) return 256;
    return from == SignalFrom::engine ? 32 : std::clamp<std::int64_t>(block_bytes / (sequences * row_bytes), 4, 64);
  }
};

}  // namespace posenc
