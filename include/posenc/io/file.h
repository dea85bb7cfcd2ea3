// SPDX-License-Identifier: Apache-2.0
// Whole files in, whole files out: bounded reading and atomic writing.
//
// Errors: Error, with the path and the system's own words in the value. Cause::input when the path is wrong (missing,
// a folder, not a regular file, too long, too large), Cause::system when the system failed us (disk, permission,
// memory). Whether a file can be read or written is known only once it has been, so nothing here has a check twin.
// Thread safety: the functions are safe to call from any thread; one FileWriter belongs to one thread at a time.
#pragma once

#include <posenc/core.h>

#include <atomic>
#include <functional>

namespace posenc::io {

/// What tells that a file has been written to: its size and the time of its last change.
struct FileState {
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

/// The bytes of a regular file of at most `limit` bytes, by read(), never by mapping. A folder, a pipe, a socket or a
/// device is refused before anything is read, and so is a file that changes under the reader.
POSENC_EXPORT std::string read_file(const std::string& path, std::uint64_t limit);

/// Is told while a large file is read: how many of its bytes are in memory, and how many there will be. May throw.
using Watch = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Everything that is left in an open descriptor (standard input, a pipe), at most `limit` bytes. It stays open.
/// `name` stands for it in messages.
POSENC_EXPORT std::string read_descriptor(int descriptor, std::string_view name, std::uint64_t limit);

/// All of `bytes` to an open descriptor (standard output). It stays open.
POSENC_EXPORT void write_descriptor(int descriptor, std::string_view name, std::span<const std::byte> bytes);

/// Whether two paths lead to one file: through links, under two names, or not there yet. Targets of one call are asked
/// before anything is written, as what is written last would take the place of the rest.
POSENC_EXPORT bool same_file(const std::string& a, const std::string& b);

/// Whether a file is on the disk when commit() returns. none: the system writes it when it likes; the file still
/// appears whole or not at all while the system runs, but a power cut may leave it empty.
enum class Sync : std::uint8_t { full = 1, none };

/// The temporary files that have a name right now, so that a signal handler can remove them: for a program that ends
/// in the middle of writing. Lock-free; it must outlive its writers. It holds 16 files at a time and misses any
/// further.
class Temporaries {
 public:
  /// Removes them. Async-signal-safe. Their writers do not learn of it, so the process must end next, by _exit.
  POSENC_EXPORT void remove() const noexcept;

 private:
  friend class FileWriter;
  struct Entry {
    std::atomic<int> folder = 0;  // its descriptor plus 1; 0: free, -1: taken, but not filled in yet
    std::atomic<int> number = 0;  // the last part of the name
  };
  static_assert(std::atomic<int>::is_always_lock_free);
  std::array<Entry, 16> entries_;
};

/// How files are written. `temporaries`: where temporary names are noted, or nowhere. `descriptor`: an open one, such
/// as standard output, that takes the bytes as a pipe does, whatever it is; it stays open, and the path names it in
/// messages.
struct WriteOptions {
  Sync sync = Sync::full;
  Temporaries* temporaries = nullptr;
  std::optional<int> descriptor = {};
};

/// All of `bytes` under that path, or the old file as it was: FileWriter in one call.
POSENC_EXPORT void write_file(const std::string& path, std::span<const std::byte> bytes,
                              const WriteOptions& options = {});

/// A file that appears under its path whole, or not at all.
///
/// Regular targets: the bytes go to a temporary file in the same folder; commit() syncs it, renames it over the target
/// and syncs the folder. Where the file system can (O_TMPFILE), the temporary file has no name until commit(), so that
/// even a killed process leaves nothing behind: a new file then takes its name in one call, and one that replaces
/// another has a temporary name for the length of two. A link is followed and its target replaced. An existing target
/// keeps its permission bits, and is refused when it is read-only to us; a new one gets 0666 less the umask. A hard
/// link to the old file keeps the old content; owner, extended attributes and set-id bits are not carried over.
///
/// A large file goes to the disk while it grows, so that little is left to wait for at the end, and only its last
/// 256 MiB stay in the system's cache (Sync::none: all of it does, and goes when the system likes). Devices and pipes
/// are written directly.
///
/// Errors: any failure, in any call, removes the temporary file and leaves the target as it was; only a failure to
/// sync the folder comes after the rename. Further calls then fail.
class FileWriter {
 public:
  POSENC_EXPORT explicit FileWriter(std::string path, const WriteOptions& options = {});
  /// Without commit() before it: as if nothing had happened.
  POSENC_EXPORT ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Whether the target is a regular file, or will be one: what write_at needs. Devices, pipes and descriptors are not.
  bool regular() const { return !name_.empty(); }

  POSENC_EXPORT void write(std::span<const std::byte> bytes);
  /// Writes over bytes that have been written, from `offset` on; write() goes on at the end.
  POSENC_EXPORT void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Ends the file; call it once, last.
  POSENC_EXPORT void commit();
  /// Ends several: all of them are on the disk before the first takes its name, so that none is replaced when one
  /// cannot be written. An error after that is one of the renaming itself, or of syncing a folder.
  POSENC_EXPORT static void commit_all(std::span<FileWriter* const> files);

 private:
  struct Closed {};
  FileWriter(std::string path, const WriteOptions& options, Closed) : options_(options), path_(std::move(path)) {}
  void open();
  void require_open();
  void open_temporary(std::optional<unsigned> mode);
  bool syncs() const { return regular() && options_.sync == Sync::full; }
  void finish();
  void close_written();
  void take_name();
  void sync_folder();
  void announce(int number) noexcept;
  void reserve();
  void flush();
  void discard() noexcept;
  [[noreturn]] void fail(std::string_view rule, int error);

  WriteOptions options_;
  Temporaries::Entry* entry_ = nullptr;  // of options_.temporaries, while it is ours
  std::string path_;
  std::string name_;       // of the target in its folder; empty for a device or a pipe
  std::string temporary_;  // in the same folder; empty while it has no name
  int folder_ = -1;
  int file_ = -1;
  std::uint64_t size_ = 0;      // written so far
  std::uint64_t flushed_ = 0;   // of those, handed to the disk
  bool flushes_ = true;         // the system can do that here
  std::uint64_t reserved_ = 0;  // bytes that have room on the disk, where that was asked for
};

}  // namespace posenc::io
