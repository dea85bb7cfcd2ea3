// SPDX-License-Identifier: Apache-2.0
// Byte strings numbered in the order in which they come, each once, and found again by their bytes.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

/// Strings in a row.
class StringList {
 public:
  void add(std::string_view text) {
    text_ += text;
    ends_.push_back(text_.size());
  }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(start, ends_[i] - start);
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

/// Numbers are below 2^31 - 1; that is the caller's to see to. Takes the bytes of the strings, and 24 to 40 bytes for
/// each. Thread safety: const use is safe.
class TokenTable {
 public:
  struct Added {
    std::int32_t id;
    bool is_new;
  };
  /// The number of these bytes; the next one when they are not there yet.
  Added add(std::string_view token);
  std::optional<std::int32_t> find(std::string_view token) const;

  std::int32_t size() const { return static_cast<std::int32_t>(tokens_.size()); }
  std::string_view token(std::int32_t id) const { return tokens_[static_cast<std::size_t>(id)]; }

 private:
  struct Slot {
    std::int32_t id = -1;  // -1: free
    std::uint32_t hash = 0;
  };
  std::size_t place_of(std::string_view token, std::uint32_t hash) const;
  void grow();

  StringList tokens_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
};

}  // namespace posenc::io
