// SPDX-License-Identifier: Apache-2.0
// The pieces of a text by a pattern, and how far one must read to know them.
#pragma once

#include <posenc/bpe.h>

namespace posenc::io {

/// `seen` is the end of what the scanner has looked at; one more than the text's size when it asked for what is behind.
/// A text that goes on has the same first piece as long as seen <= text.size().
struct Piece {
  std::size_t size, seen;
};

/// The first piece of a text that is not empty.
Piece first_piece(Pattern pattern, std::string_view text);

}  // namespace posenc::io
