// SPDX-License-Identifier: Apache-2.0
// Offsets in a text as lines and columns, and unknown tokens with theirs.
#pragma once

#include <posenc/bpe.h>

namespace posenc::io {

/// Both from 1. Lines end behind a newline; columns are code points: bytes that are no continuation bytes.
struct TextPlace {
  std::int64_t line = 1, column = 1;
};

/// Where `offset` <= text.size() stands in a text that itself begins at `start`.
TextPlace place_in(std::string_view text, std::size_t offset, TextPlace start = {});

/// Adds `count` > 0 unknown tokens of a text; the first of them, `first`, stands at `offset`.
void add_unknowns(Unknowns& all, std::int64_t count, std::string_view first, std::string_view text, std::size_t offset);

/// Adds those of a part of a text that begins at `start` and byte `offset`.
void add_unknowns(Unknowns& all, Unknowns part, std::int64_t offset, TextPlace start);

}  // namespace posenc::io
