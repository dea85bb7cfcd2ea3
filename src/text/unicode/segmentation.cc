// SPDX-License-Identifier: Apache-2.0
// Where a text may be cut for NFC, after UAX #15, and the NFC of what lies between, by utf8proc.
#include "src/text/unicode/segmentation.h"

#include <algorithm>
#include <new>

#include <utf8proc.h>

namespace posenc::io {
namespace {

constexpr char32_t first_that_nfc_may_change = 0x300;

bool is_hangul_syllable(char32_t scalar) { return scalar >= 0xAC00 && scalar <= 0xD7A3; }

// The longest canonical decomposition of a scalar has 4 scalars (UAX #15, table 8).
using Decomposition = std::array<std::int32_t, 4>;

std::size_t decompose(char32_t scalar, Decomposition& to) {
  int last_class = 0;
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
  const auto size = utf8proc_decompose_char(static_cast<std::int32_t>(scalar), to.data(),
                                            static_cast<utf8proc_ssize_t>(to.size()), options, &last_class);
  return static_cast<std::size_t>(size);
}

int combining_class(std::int32_t scalar) { return utf8proc_get_property(scalar)->combining_class; }

// Whether nothing before a scalar has a part in its NFC: its decomposition begins with a class-0 scalar that is not
// the second of any composition. Those seconds are marks, and the vowels and final consonants among the Hangul Jamo.
bool begins_run(char32_t scalar) {
  if (scalar < first_that_nfc_may_change || is_hangul_syllable(scalar)) return true;
  Decomposition parts;
  decompose(scalar, parts);
  const std::int32_t first = parts[0];
  if ((first >= 0x1161 && first <= 0x1175) || (first >= 0x11A8 && first <= 0x11C2)) return false;
  switch (utf8proc_category(first)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return false;
    default: return combining_class(first) == 0;
  }
}

// Sorts marks between scalars of class 0 by their class. utf8proc does it too, in quadratic time.
void order_marks(std::vector<std::int32_t>& scalars) {
  const auto is_starter = [](std::int32_t scalar) { return combining_class(scalar) == 0; };
  auto at = scalars.begin();
  while (at != scalars.end()) {
    const auto first = std::find_if_not(at, scalars.end(), is_starter);
    at = std::find_if(first, scalars.end(), is_starter);
    std::ranges::stable_sort(first, at, {}, combining_class);
  }
}

void append_utf8(std::int32_t scalar, std::string& text) {
  std::array<utf8proc_uint8_t, 4> bytes;
  const auto size = utf8proc_encode_char(scalar, bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

}  // namespace

bool is_white_space(char32_t scalar) {
  if (scalar < 0x80) return scalar == ' ' || (scalar >= 0x09 && scalar <= 0x0D);
  return scalar == 0x85 || scalar == 0xA0 || scalar == 0x1680 || (scalar >= 0x2000 && scalar <= 0x200A) ||
         scalar == 0x2028 || scalar == 0x2029 || scalar == 0x202F || scalar == 0x205F || scalar == 0x3000;
}

std::size_t nfc_run_end(std::string_view text, std::size_t at) {
  at += scalar_at(text, at).size;
  while (at < text.size()) {
    const Scalar scalar = scalar_at(text, at);
    if (begins_run(scalar.value)) break;
    at += scalar.size;
  }
  return at;
}

void require_short(std::string_view operation, std::string_view what, std::size_t begin, std::size_t end) {
  if (end - begin <= piece_limit) return;
  throw Error({std::string(operation),
               std::string(what) + " must have at most " + std::to_string(piece_limit) + " bytes",
               "more",
               {static_cast<std::int64_t>(begin)}});
}

std::string_view nfc_of_run(std::string_view run, std::string& made) {
  const Scalar first = scalar_at(run, 0);
  Decomposition parts;
  if (first.size == run.size()) {
    if (first.value < first_that_nfc_may_change || is_hangul_syllable(first.value)) return run;
    if (decompose(first.value, parts) == 1 && parts[0] == static_cast<std::int32_t>(first.value)) return run;
  }
  std::vector<std::int32_t> scalars;
  for (std::size_t at = 0; at < run.size();) {
    const Scalar scalar = scalar_at(run, at);
    const std::size_t size = decompose(scalar.value, parts);
    scalars.insert(scalars.end(), parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(size));
    at += scalar.size;
  }
  order_marks(scalars);
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  const auto count = utf8proc_normalize_utf32(scalars.data(), static_cast<utf8proc_ssize_t>(scalars.size()), options);
  made.clear();
  for (utf8proc_ssize_t i = 0; i < count; ++i) append_utf8(scalars[static_cast<std::size_t>(i)], made);
  return made;
}

}  // namespace posenc::io
