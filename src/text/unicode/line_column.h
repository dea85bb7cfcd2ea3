// SPDX-License-Identifier: Apache-2.0
// Offsets in a text as lines and columns, and unknown tokens with theirs.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::io {

/// Both from 1. Lines end behind a newline; columns are code points: bytes that are no continuation bytes.
struct TextPlace {
  std::int64_t line = 1, column = 1;
};

/// Where `offset` <= text.size() stands in a text that itself begins at `start`.
TextPlace place_in(std::string_view text, std::size_t offset, TextPlace start = {});

/// " in line 2, column 3 of 'name'".
std::string in_line(TextPlace place, std::string_view name);

/// The unknown tokens of a text, before the line and the column of the first are known.
struct FoundUnknowns {
  std::int64_t count = 0;
  std::string first = {};
  std::size_t offset = 0;
  void add(std::string_view token, std::size_t at) {
    if (count++ == 0) first = token, offset = at;
  }
};

/// Adds those of a text.
void add_unknowns(Unknowns& all, const FoundUnknowns& found, std::string_view text);

/// Adds those of a part of a text that begins at `start` and byte `offset`.
void add_unknowns(Unknowns& all, Unknowns part, std::int64_t offset, TextPlace start);

}  // namespace posenc::io
