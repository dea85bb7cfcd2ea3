// SPDX-License-Identifier: Apache-2.0
// A place in a GGUF file that moves on: numbers and strings, each checked against the bytes that are left.
#pragma once

#include <posenc/io/gguf.h>

#include "src/io/files/byte_source.h"
#include "src/io/npy/npy_header.h"

namespace posenc::io {

/// How errors name the reading of a file.
inline constexpr std::string_view gguf_reading = "read_gguf";

class GgufCursor {
 public:
  explicit GgufCursor(const ByteSource& source) : source_(source) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t size() const { return source_.size(); }

  /// Messages say then whose field it is that was read: a key or a tensor; "" for neither.
  void set_subject(std::string subject) { subject_ = std::move(subject); }

  template <class T>
  T number(std::string_view field) {
    std::array<std::byte, sizeof(T)> bytes;
    take(bytes, field);
    return load<T>(bytes.data(), std::endian::native == std::endian::big);
  }
  /// A length of 64 bits, then as many bytes, which are UTF-8.
  std::string text(std::string_view field, std::uint64_t limit);

  /// Throws; what was read last began at `at`.
  [[noreturn]] void refuse(std::string_view rule, std::string_view value, std::uint64_t at) const;
  /// Throws; the place is the one that is read next.
  [[noreturn]] void refuse(std::string_view rule, std::string_view value) const { refuse(rule, value, at_); }

  /// Throws unless the bytes from `from` up to `to` are zero, all of which are in the file.
  void require_zeros(std::uint64_t from, std::uint64_t to) const;

 private:
  void take(std::span<std::byte> to, std::string_view field);
  void require_left(std::uint64_t count, std::string_view field) const;

  const ByteSource& source_;
  std::uint64_t at_ = 0;
  std::vector<std::byte> buffer_;  // of the file from buffered_ on
  std::uint64_t buffered_ = 0;
  std::string subject_;
};

}  // namespace posenc::io
