// SPDX-License-Identifier: Apache-2.0
// A text given to a tokenizer in pieces, by a loop that shares nothing with the reader.
#pragma once

#include <posenc/text/tokenizer.h>

#include <algorithm>

namespace posenc::test {

struct Encoded {
  std::vector<std::int32_t> ids = {};
  io::Unknowns unknowns = {};
  friend bool operator==(const Encoded&, const Encoded&) = default;
};

inline Encoded encode_whole(const io::Tokenizer& tokenizer, std::string_view text) {
  Encoded all;
  if (io::encode_prefix(tokenizer, text, io::Rest::none, all.ids, all.unknowns) != text.size()) all.ids = {-1};
  return all;
}

/// Pieces of `size` bytes; what is left over stands before the next one.
inline Encoded encode_cut(const io::Tokenizer& tokenizer, std::string_view text, std::size_t size) {
  Encoded all;
  std::size_t start = 0;
  for (std::size_t end = 0; start < text.size() || end == 0;) {
    end = std::min(end + size, text.size());
    io::Unknowns unknowns;
    const io::Rest rest = end == text.size() ? io::Rest::none : io::Rest::follows;
    const std::size_t used = io::encode_prefix(tokenizer, text.substr(start, end - start), rest, all.ids, unknowns);
    if (all.unknowns.count == 0 && unknowns.count > 0) {
      const std::string_view before = text.substr(0, start + static_cast<std::size_t>(unknowns.offset));
      all.unknowns = unknowns;
      all.unknowns.offset = std::ssize(before);
      all.unknowns.line = 1, all.unknowns.column = 1;
      for (const char byte : before) {
        if ((byte & 0xC0) != 0x80) ++all.unknowns.column;
        if (byte == '\n') ++all.unknowns.line, all.unknowns.column = 1;
      }
    } else {
      all.unknowns.count += unknowns.count;
    }
    start += used;
    if (end == text.size()) break;
  }
  if (start != text.size()) all.ids = {-1};
  return all;
}

/// The whole text through a TokenReader that is asked for `count` ids at a time.
inline Encoded encode_read(const io::Tokenizer& tokenizer, io::Source source, std::size_t count) {
  Encoded all;
  io::TokenReader reader(tokenizer, std::move(source), "test");
  std::vector<std::int32_t> some(count);
  for (std::size_t got = count; got == count;) {
    got = reader.read(some);
    all.ids.insert(all.ids.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got));
  }
  all.unknowns = reader.unknowns();
  return all;
}

}  // namespace posenc::test
