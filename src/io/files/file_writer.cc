// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: a temporary file, synced, then renamed.
#include <posenc/io/file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "src/io/files/descriptor.h"
#include "src/io/files/target_path.h"

namespace posenc::io {
namespace {

/// A path that leads to an open file, whether it has a name or not.
std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

constexpr int most_names = 10000;

/// Names that belong to this process; a taken one (a dead process, another machine) is passed over by O_EXCL.
/// Built without allocation: a signal handler needs them too.
struct TemporaryName {
  explicit TemporaryName(int number) noexcept {
    constexpr std::string_view start = ".posenc-";
    char* const last = text + sizeof text - 1;
    char* at = std::ranges::copy(start, text).out;
    at = std::to_chars(at, last, ::getpid()).ptr;
    *at++ = '-';
    *std::to_chars(at, last, number).ptr = '\0';
  }
  char text[40];
};

}  // namespace

void Temporaries::remove() const noexcept {
  for (const Entry& entry : entries_) {
    const int folder = entry.folder.load();
    if (folder > 0) ::unlinkat(folder - 1, TemporaryName(entry.number.load()).text, 0);
  }
}

FileWriter::FileWriter(std::string path, const WriteOptions& options) : FileWriter(std::move(path), options, Closed{}) {
  if (options.sync != Sync::full && options.sync != Sync::none) {
    throw Error({std::string(file_writing), "sync must be stated", "none"});
  }
  open();
}

FileWriter::~FileWriter() { discard(); }

void FileWriter::discard() noexcept {
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  temporary_.clear();
  if (entry_ != nullptr) std::exchange(entry_, nullptr)->folder.store(0);
  if (file_ >= 0) ::close(file_);
  if (folder_ >= 0) ::close(folder_);
  file_ = folder_ = -1;
}

void FileWriter::fail(std::string_view rule, int error) {
  discard();
  fail_with(file_writing, rule, path_, error);
}

void FileWriter::open() {
  if (options_.descriptor) {
    file_ = uninterrupted([&] { return ::fcntl(*options_.descriptor, F_DUPFD_CLOEXEC, 0); });
    if (file_ < 0) fail("the descriptor must be open", errno);
    return;
  }
  require_path(file_writing, path_);
  struct stat old = {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail("the path must lead to a file", errno);
  if (exists && S_ISDIR(old.st_mode)) refuse_path(file_writing, "must be a file", path_, kind_of(old.st_mode));
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = uninterrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); });
    if (file_ < 0) fail("the device must open for writing", errno);
    return;
  }
  const Place place = place_of(file_writing, path_);
  const std::string target = place.path();
  if (place.name.empty()) refuse_path(file_writing, "must name a file", path_, "");
  if (exists && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("the existing file must be writable", errno);
  }
  name_ = place.name;
  folder_ = uninterrupted([&] { return ::open(place.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (folder_ < 0) fail("the folder must exist and be readable", errno);
  open_temporary(exists ? std::optional<unsigned>(old.st_mode & 0777u) : std::nullopt);
}

/// Notes a name before its file is made: a signal in between finds nothing to remove.
void FileWriter::announce(int number) noexcept {
  if (options_.temporaries == nullptr) return;
  for (Temporaries::Entry& entry : options_.temporaries->entries_) {
    int unused = 0;
    if (entry_ == nullptr && entry.folder.compare_exchange_strong(unused, -1)) entry_ = &entry;
  }
  if (entry_ == nullptr) return;
  entry_->number.store(number);
  entry_->folder.store(folder_ + 1);
}

void FileWriter::open_temporary(std::optional<unsigned> mode) {
  const mode_t first_mode = mode ? 0600 : 0666;  // never more open than the target
#ifdef O_TMPFILE
  file_ = uninterrupted([&] { return ::openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode); });
  if (file_ >= 0 && ::access(path_of(file_).c_str(), F_OK) != 0) {
    ::close(file_);  // without /proc it could not get a name later
    file_ = -1;
  }
#endif
  for (int attempt = 0; file_ < 0 && attempt < most_names; ++attempt) {
    const TemporaryName name(attempt);
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    announce(attempt);
    file_ = uninterrupted([&] { return ::openat(folder_, name.text, flags, first_mode); });
    if (file_ >= 0) temporary_ = name.text;
    if (file_ < 0 && errno != EEXIST) fail("the folder must take a new file", errno);
  }
  if (file_ < 0) fail("the folder must take a new file", EEXIST);
  struct stat now = {};
  if (mode && (::fstat(file_, &now) != 0 || ((now.st_mode & 0777u) != *mode && ::fchmod(file_, *mode) != 0))) {
    fail("the permission bits must be kept", errno);
  }
}

void FileWriter::require_open() {
  if (file_ < 0) refuse_path(file_writing, "must not be used after commit or a failure", path_, "");
}

void FileWriter::write(std::span<const std::byte> bytes) {
  require_open();
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), most_at_once));
    reserve();
    if (const int error = write_all(file_, part)) fail("every byte must be written", error);
    size_ += part.size();
    bytes = bytes.subspan(part.size());
    flush();
  }
}

void FileWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  require_open();
  if (!regular()) refuse_path(file_writing, "a device or a pipe must not be written over", path_, "");
  if (offset > size_ || bytes.size() > size_ - offset) {
    refuse_path(file_writing, "only bytes that have been written can be written over", path_,
                " with " + std::to_string(size_) + " bytes, at " + std::to_string(offset));
  }
  while (!bytes.empty()) {
    const ssize_t put = uninterrupted([&] {
      return ::pwrite(file_, bytes.data(), std::min(bytes.size(), most_at_once), static_cast<off_t>(offset));
    });
    if (put < 0) fail("every byte must be written", errno);
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

/// Where nothing is handed to the disk, takes room there for the next 64 MiB. Without it a rename that replaces a file
/// would wait until ext4 has found room for every byte and begun to write it: 0.1 s for 300 MB, and deaf to signals.
void FileWriter::reserve() {
#if defined(__linux__) && defined(FALLOC_FL_KEEP_SIZE)
  constexpr std::uint64_t step = std::uint64_t{1} << 26;
  if (!regular() || syncs() || size_ + most_at_once <= reserved_) return;
  const auto from = static_cast<off_t>(std::max(reserved_, size_));
  // What cannot be taken ahead, write() will ask for, and tell of.
  if (uninterrupted([&] { return ::fallocate(file_, FALLOC_FL_KEEP_SIZE, from, step); }) == 0) {
    reserved_ = static_cast<std::uint64_t>(from) + step;
  }
#endif
}

/// Hands every 4 MiB to the disk when they are full, waits for those 16 MiB further back, and takes those 256 MiB
/// further back out of the system's cache. So commit() has 16 MiB to wait for, a signal 4 MiB, and the system little
/// memory to free when the file is given up. It also writes faster: to memory that was just given back.
void FileWriter::flush() {
#ifdef __linux__
  constexpr std::uint64_t step = most_at_once, behind = std::uint64_t{1} << 24, cached = std::uint64_t{1} << 28;
  constexpr unsigned await = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const auto range = [&](std::uint64_t from, unsigned flags) {
    return uninterrupted([&] { return ::sync_file_range(file_, static_cast<off_t>(from), step, flags); }) == 0;
  };
  if (!syncs()) return;
  for (; flushes_ && size_ - flushed_ >= step; flushed_ += step) {
    if (range(flushed_, SYNC_FILE_RANGE_WRITE) && (flushed_ < behind || range(flushed_ - behind, await))) {
      if (flushed_ >= cached) ::posix_fadvise(file_, static_cast<off_t>(flushed_ - cached), step, POSIX_FADV_DONTNEED);
      continue;
    }
    if (errno == EIO || errno == ENOSPC || errno == EDQUOT) fail("the file must reach the disk", errno);
    flushes_ = false;  // no such call in this sandbox or file system: commit() syncs all of it
  }
#endif
}

/// Closes what has been written, which may still tell of an error. A nameless file stays, by a descriptor that holds
/// nothing but the file, to get its name.
void FileWriter::close_written() {
  int kept = -1;
#ifdef O_TMPFILE
  if (regular() && temporary_.empty()) {
    kept = uninterrupted([&] { return ::open(path_of(file_).c_str(), O_PATH | O_CLOEXEC); });
    if (kept < 0) fail("the file must get a name", errno);
  }
#endif
  // After EINTR the descriptor is closed all the same (Linux), so close() is never called again.
  if (::close(std::exchange(file_, kept)) != 0 && errno != EINTR) fail("the file must close", errno);
}

/// A nameless file takes a free name at once. No call links it to a name that is taken: it gets a temporary one first,
/// and the very next call ends that.
void FileWriter::take_name() {
  if (temporary_.empty()) {
    const std::string unnamed = path_of(file_);
    const auto link = [&](const char* name) {
      return ::linkat(AT_FDCWD, unnamed.c_str(), folder_, name, AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(name_.c_str())) return;
    for (int attempt = 0; errno == EEXIST && temporary_.empty() && attempt < most_names; ++attempt) {
      const TemporaryName name(attempt);
      announce(attempt);
      if (link(name.text)) temporary_ = name.text;
    }
    if (temporary_.empty()) fail("the file must get a name", errno);
  }
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) fail("the file must take its name", errno);
  temporary_.clear();
}

/// What is left to do but the name.
void FileWriter::finish() {
  require_open();
  if (reserved_ > size_ && uninterrupted([&] { return ::ftruncate(file_, static_cast<off_t>(size_)); }) != 0) {
    fail("the room that was taken must be given back", errno);
  }
  if (syncs() && uninterrupted([&] { return ::fsync(file_); }) != 0) fail("the file must reach the disk", errno);
  close_written();
}

void FileWriter::sync_folder() {
  // EINVAL: this file system syncs no folders.
  if (syncs() && uninterrupted([&] { return ::fsync(folder_); }) != 0 && errno != EINVAL) {
    fail("the folder must reach the disk", errno);
  }
  discard();
}

void FileWriter::commit() {
  FileWriter* const files[] = {this};
  commit_all(files);
}

void FileWriter::commit_all(std::span<FileWriter* const> files) {
  for (FileWriter* const file : files) file->finish();
  for (FileWriter* const file : files) {
    if (file->regular()) file->take_name();
  }
  for (FileWriter* const file : files) file->sync_folder();
}

}  // namespace posenc::io
