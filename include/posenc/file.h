// SPDX-License-Identifier: Apache-2.0
// Whole files in, whole files out: bounded reading and atomic writing.
//
// Errors: Error, with the path and the system's own words in the value. Cause::input when the path is wrong (missing,
// a folder, not a regular file, too long, too large), Cause::system when the system failed us (disk, permission,
// memory). Whether a file can be read or written is known only once it has been, so nothing here has a check twin.
// Thread safety: the functions are safe to call from any thread; one FileWriter belongs to one thread at a time.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

/// The bytes of a regular file of at most `limit` bytes, by read(), never by mapping. A folder, a pipe, a socket or a
/// device is refused before anything is read, and so is a file that changes under the reader.
POSENC_EXPORT std::string read_file(const std::string& path, std::uint64_t limit);

/// Everything that is left in an open descriptor (standard input, a pipe), at most `limit` bytes. It stays open.
/// `name` stands for it in messages.
POSENC_EXPORT std::string read_descriptor(int descriptor, std::string_view name, std::uint64_t limit);

/// All of `bytes` to an open descriptor (standard output). It stays open.
POSENC_EXPORT void write_descriptor(int descriptor, std::string_view name, std::span<const std::byte> bytes);

/// All of `bytes` under that path, or the old file as it was: FileWriter in one call.
POSENC_EXPORT void write_file(const std::string& path, std::span<const std::byte> bytes);

/// A file that appears under its path whole, or not at all.
///
/// Regular targets: the bytes go to a temporary file in the same folder; commit() syncs it, renames it over the target
/// and syncs the folder. Where the file system can (O_TMPFILE), the temporary file has no name until commit(), so that
/// even a killed process leaves nothing behind. A link is followed and its target replaced. An existing target keeps
/// its permission bits, and is refused when it is read-only to us; a new one gets 0666 less the umask. A hard link to
/// the old file keeps the old content; owner, extended attributes and set-id bits are not carried over.
/// Devices and pipes are written directly.
/// Errors: any failure, in any call, removes the temporary file and leaves the target as it was; only a failure to
/// sync the folder comes after the rename. Further calls then fail.
class FileWriter {
 public:
  POSENC_EXPORT explicit FileWriter(std::string path);
  /// Without commit() before it: as if nothing had happened.
  POSENC_EXPORT ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  POSENC_EXPORT void write(std::span<const std::byte> bytes);
  /// Ends the file; call it once, last.
  POSENC_EXPORT void commit();

 private:
  struct Closed {};
  FileWriter(std::string path, Closed) : path_(std::move(path)) {}
  void open();
  void open_temporary(std::optional<unsigned> mode);
  void link_temporary();
  void discard() noexcept;
  [[noreturn]] void fail(std::string_view rule, int error);

  std::string path_;
  std::string name_;       // of the target in its folder; empty for a device or a pipe
  std::string temporary_;  // in the same folder; empty while it has no name
  int folder_ = -1;
  int file_ = -1;
};

}  // namespace posenc::io
