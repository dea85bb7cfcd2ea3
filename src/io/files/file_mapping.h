// SPDX-License-Identifier: Apache-2.0
// A part of an open file, mapped: nothing is copied, and what was read can be given back.
#pragma once

#include <posenc/io/file.h>

#include <memory>

namespace posenc::io {

/// The open file, how errors name the reading and the file, and its state when it was opened.
struct MappedFile {
  std::string_view operation;
  std::string name;
  int descriptor;
  FileState state;
};

/// Read-only and private. The descriptor is this one's own.
class FileMapping {
 public:
  /// Bytes `offset` to `offset` + `size` - 1, which are within the file; null where the system maps none of it.
  static std::unique_ptr<FileMapping> of(MappedFile file, std::uint64_t offset, std::uint64_t size);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();

  const std::byte* data() const { return static_cast<const std::byte*>(start_) + skipped_; }
  /// Its pages go out of this process's memory; they come back when they are read again.
  void give_back() const;
  /// Throws the refusal of a file that has been written to since it was opened.
  void require_unchanged() const;

 private:
  FileMapping(MappedFile file, void* start, std::size_t length, std::size_t skipped);

  MappedFile file_;
  void* start_;
  std::size_t length_, skipped_;  // of all pages; before the first byte asked for
};

}  // namespace posenc::io
