// SPDX-License-Identifier: Apache-2.0
// The pieces of a text by a pattern, and whether one must read on to know them.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::io {

/// `open`: what is behind the text decides where the piece ends. It has at least these bytes in any case, less one
/// white space.
struct Piece {
  std::size_t size;
  bool open;
};

/// The first piece of a text that is not empty.
Piece first_piece(Pattern pattern, std::string_view text);

}  // namespace posenc::io
