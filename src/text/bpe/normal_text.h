// SPDX-License-Identifier: Apache-2.0
// A text as a Bpe normalizes it, and the way back from its places to those of the text that it was made from.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::io {

/// What a text becomes from one place on, as far as what may follow cannot change it.
class NormalText {
 public:
  /// `text` is valid UTF-8 and outlives this. Errors: a run that NFC treats on its own of more than piece_limit bytes.
  NormalText(std::string_view text, std::size_t begin, Bpe::Normalization normalization, Rest rest);
  NormalText(const NormalText&) = delete;
  NormalText& operator=(const NormalText&) = delete;

  std::string_view text() const { return text_; }

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

  std::size_t raw_begin_;
  std::string made_;
  std::string_view text_;  // made_, or of the raw text
  std::vector<Rewritten> rewritten_;
};

}  // namespace posenc::io
