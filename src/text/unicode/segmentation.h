// SPDX-License-Identifier: Apache-2.0
// The characters and the words of a text, one after another, as far as text behind it cannot change them.
#pragma once

#include <posenc/text/bpe.h>

#include "src/text/unicode/utf8.h"

namespace posenc::io {

/// White_Space by Unicode 15.0 (PropList.txt), which has not changed since 6.3.
bool is_white_space(char32_t scalar);

/// The end of the run from `at` on that NFC treats on its own: it may be normalized without what is around it. The run
/// ends before the next scalar that is the beginning of such a run, whatever came before it, or with the text.
std::size_t nfc_run_end(std::string_view text, std::size_t at);

/// Errors: `what`, which stands at [begin, end) or goes on behind that, has more than piece_limit bytes.
void require_short(std::string_view operation, std::string_view what, std::size_t begin, std::size_t end);

/// NFC of one run (Unicode 15.0, by utf8proc): a part of `text` where it is NFC already, else made in `made`.
std::string_view nfc_of_run(std::string_view run, std::string& made);

/// Calls visit(begin, end, its NFC) for every run of a text from `at` on that NFC treats on its own. Returns where the
/// text that has been visited ends: before the last run where more text follows. `text` is valid UTF-8.
/// Errors: a run of more than piece_limit bytes.
template <class Visit>
std::size_t visit_runs(std::string_view operation, std::string_view text, std::size_t at, Rest rest, Visit visit) {
  std::string made;
  while (at < text.size()) {
    const std::size_t end = nfc_run_end(text, at);
    require_short(operation, "a character and its marks", at, end);
    if (end == text.size() && rest == Rest::follows) break;
    visit(at, end, nfc_of_run(text.substr(at, end - at), made));
    at = end;
  }
  return at;
}

/// Calls visit(character, offset) for every code point of NFC(text), in UTF-8, with the offset in `text` of the run
/// that it comes from. Returns as visit_runs, with its errors.
template <class Visit>
std::size_t visit_characters(std::string_view operation, std::string_view text, Rest rest, Visit visit) {
  return visit_runs(operation, text, 0, rest, [&](std::size_t at, std::size_t, std::string_view run) {
    while (!run.empty()) {
      const std::size_t size = scalar_at(run, 0).size;
      visit(run.substr(0, size), at);
      run.remove_prefix(size);
    }
  });
}

/// Calls visit(word, offset) for every maximal run of scalars that are not white space. Returns where the text that has
/// been visited ends: before a word at the end of the text where more text follows. `text` is valid UTF-8.
template <class Visit>
std::size_t visit_words(std::string_view text, Rest rest, Visit visit) {
  std::size_t word = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Scalar scalar = scalar_at(text, at);
    if (is_white_space(scalar.value)) {
      if (word < at) visit(text.substr(word, at - word), word);
      word = at + scalar.size;
    }
    at += scalar.size;
  }
  if (rest == Rest::follows) return word;
  if (word < at) visit(text.substr(word, at - word), word);
  return at;
}

}  // namespace posenc::io
