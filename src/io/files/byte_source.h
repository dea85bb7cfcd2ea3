// SPDX-License-Identifier: Apache-2.0
// Bytes to read at any offset: of an open file, or of memory.
#pragma once

#include "src/io/files/file_mapping.h"

namespace posenc::io {

/// A regular file, which must not change as long as this is open, or memory of the caller.
class ByteSource {
 public:
  ByteSource(std::string_view operation, std::string path);
  ByteSource(std::string_view operation, std::span<const std::byte> bytes, std::string_view name);
  ByteSource(ByteSource&& other) noexcept;
  ~ByteSource();

  std::uint64_t size() const { return size_; }
  /// The path, or what stands for it in messages.
  const std::string& name() const { return name_; }
  /// The bytes from `offset` on, all of which are within size().
  void read(std::uint64_t offset, std::span<std::byte> to, const Watch& watch = {}) const;
  /// The same as text.
  std::string text(std::uint64_t offset, std::size_t count) const;
  /// The bytes from `offset` on where they stand, all of which are within size(); null where they cannot be mapped.
  std::unique_ptr<FileMapping> map(std::uint64_t offset, std::uint64_t size) const;

 private:
  std::string_view operation_;
  std::string name_;
  std::uint64_t size_ = 0;
  std::span<const std::byte> bytes_;
  FileState state_;  // when it was opened
  int file_ = -1;
};

}  // namespace posenc::io
