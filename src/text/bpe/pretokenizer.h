// SPDX-License-Identifier: Apache-2.0
// The pieces of a text by a pattern, and how far one must read to know them.
#pragma once

#include <posenc/bpe.h>

namespace posenc::io {

/// `seen` is the end of what the scanner has looked at; one more than the text's size when it asked for what is behind.
/// A text that goes on has the same first piece as long as seen <= text.size(); it has at least the `sure` bytes of it
/// in any case. `wait`: by llama3 and qwen most bytes of white space between two of its newlines or behind the last,
/// which have to be read before one knows whose they are.
struct Piece {
  std::size_t size, seen, sure, wait;
};

/// The first piece of a text that is not empty.
Piece first_piece(Pattern pattern, std::string_view text);

/// Whether the text from `at` on begins with the rest of the piece that `piece` is the sure beginning of, whatever
/// comes behind it, and goes on with the pieces behind that one. Such places are between the scalars of a long run.
bool may_cut(Pattern pattern, std::string_view piece, std::size_t at);

}  // namespace posenc::io
