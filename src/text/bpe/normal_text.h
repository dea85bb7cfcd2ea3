// SPDX-License-Identifier: Apache-2.0
// A text in Normalization Form C, and the way back from its places to those of the text that it was made from.
#pragma once

#include <posenc/bpe.h>

namespace posenc::io {

/// NFC of a text as far as what may follow cannot change it.
class NormalText {
 public:
  /// `text` is valid UTF-8; `offset`: where it stands, for messages. Errors: a run that NFC treats on its own of more
  /// than piece_limit bytes.
  NormalText(std::string_view text, std::size_t offset, Rest rest);

  std::string_view text() const { return made_; }

  /// The raw place of a place in text(); nothing where NFC of the two sides apart may not be NFC of the whole.
  std::optional<std::size_t> cut(std::size_t at) const;
  /// The raw place of any place in text(), or where the run that it lies in begins.
  std::size_t raw_place(std::size_t at) const;

 private:
  struct Rewritten {  // a run that is not NFC, raw and as text(); between them both are alike
    std::size_t raw_begin, raw_end, begin, end;
  };
  /// The first of rewritten_ that begins behind `at`.
  std::vector<Rewritten>::const_iterator first_behind(std::size_t at) const;

  std::string made_;
  std::vector<Rewritten> rewritten_;
};

}  // namespace posenc::io
