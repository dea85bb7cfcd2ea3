// SPDX-License-Identifier: Apache-2.0
// A value in a tokenizer.json together with its place, for messages.
#pragma once

#include "src/text/bpe/tokenizer_document.h"

namespace posenc::io {

/// Functions that ask for something refuse the file when it is not there.
struct TokenizerNode {
  const JsonTree& value;
  std::string pointer;
  const TokenizerSource& source;

  [[noreturn]] void refuse(std::string_view wanted) const;
  bool has(std::string_view key) const { return value.contains(key); }
  bool is_null(const std::string& key) const { return !has(key) || value.find(key)->is_null(); }
  TokenizerNode operator[](const std::string& key) const;
  TokenizerNode operator[](std::size_t i) const;
  /// It is an object with no other keys than those.
  void require_keys(std::initializer_list<std::string_view> keys) const;
  const std::string& text() const;
  bool flag() const;
  bool flag_or(const std::string& key, bool otherwise) const { return has(key) ? (*this)[key].flag() : otherwise; }
  /// Of an object, its member `type`.
  const std::string& type() const;
};

}  // namespace posenc::io
