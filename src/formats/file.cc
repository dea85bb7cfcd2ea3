// SPDX-License-Identifier: Apache-2.0
// Bounded reading and atomic writing over POSIX descriptors.
#include <posenc/file.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>

#include "src/formats/quote.h"

namespace posenc::io {
namespace {

constexpr std::string_view reading = "read_file";
constexpr std::string_view writing = "write_file";

Cause cause_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:  // a socket, or a device that is not there
    case EINVAL: return Cause::input;
    default: return Cause::system;
  }
}

[[noreturn]] void fail_with(std::string_view operation, std::string_view rule, std::string_view path, int error) {
  throw Error({std::string(operation),
               std::string(rule),
               quote(path, Keep::tail) + " (" + std::generic_category().message(error) + ")",
               {},
               cause_of(error)});
}

[[noreturn]] void refuse(std::string_view operation, std::string_view rule, std::string_view path,
                         std::string_view what) {
  throw Error({std::string(operation), std::string(rule), quote(path, Keep::tail) + std::string(what)});
}

/// The C interface would silently stop at a NUL.
void require_path(std::string_view operation, std::string_view path) {
  if (path.empty() || path.find('\0') != path.npos) {
    refuse(operation, "a path must not be empty or contain NUL", path, "");
  }
}

/// Calls again as long as a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return " (a folder)";
  if (S_ISFIFO(mode)) return " (a pipe)";
  if (S_ISSOCK(mode)) return " (a socket)";
  return " (a device)";
}

std::string too_large(std::uint64_t limit) { return "must hold at most " + std::to_string(limit) + " bytes"; }

/// Waits where a descriptor that somebody else made non-blocking has nothing for us yet.
ssize_t read_some(int descriptor, char* to, std::size_t count) {
  for (;;) {
    const ssize_t got = uninterrupted([&] { return ::read(descriptor, to, count); });
    if (got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return got;
    pollfd wait = {descriptor, POLLIN, 0};
    if (uninterrupted([&] { return ::poll(&wait, 1, -1); }) < 0) return -1;
  }
}

/// Reads to the end. `expected` bytes are reserved at once; more than that grows with what really arrives.
std::string read_to_end(int descriptor, std::string_view name, std::uint64_t limit, std::size_t expected) {
  constexpr std::size_t step = std::size_t{1} << 16;
  std::string bytes;
  try {
    std::size_t filled = 0;
    bytes.resize(expected + 1);  // one more: the end is seen without another buffer
    for (;;) {
      if (filled == bytes.size()) bytes.resize(filled + std::max(filled, step));
      const ssize_t got = read_some(descriptor, bytes.data() + filled, bytes.size() - filled);
      if (got < 0) fail_with(reading, "every byte must be readable", name, errno);
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
      if (filled > limit) refuse(reading, too_large(limit), name, " with more");
    }
    bytes.resize(filled);
  } catch (const std::bad_alloc&) {
    fail_with(reading, "the file must fit in memory", name, ENOMEM);
  } catch (const std::length_error&) {
    fail_with(reading, "the file must fit in memory", name, ENOMEM);
  }
  return bytes;
}

void write_all(int descriptor, std::span<const std::byte> bytes, auto&& fail) {
  constexpr std::size_t most = std::size_t{1} << 30;  // Linux writes at most 2^31 - 4096 bytes a call
  while (!bytes.empty()) {
    const ssize_t put = uninterrupted([&] { return ::write(descriptor, bytes.data(), std::min(bytes.size(), most)); });
    if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd wait = {descriptor, POLLOUT, 0};
      if (uninterrupted([&] { return ::poll(&wait, 1, -1); }) < 0) fail(errno);
      continue;
    }
    if (put < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

struct Place {
  std::string folder;
  std::string name;
};

Place split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// The path that a chain of symbolic links ends at, whether or not a file is there.
std::string follow_links(const std::string& path) {
  constexpr int most_links = 40;  // as Linux
  std::string at = path;
  for (int links = 0; links <= most_links; ++links) {
    std::string link(4096, '\0');
    const ssize_t size = ::readlink(at.c_str(), link.data(), link.size());
    if (size < 0 && (errno == EINVAL || errno == ENOENT)) return at;
    if (size < 0) fail_with(writing, "the path must lead to a file", path, errno);
    if (static_cast<std::size_t>(size) == link.size())
      fail_with(writing, "the path must lead to a file", path, ENAMETOOLONG);
    link.resize(static_cast<std::size_t>(size));
    at = link.starts_with('/') ? link : split(at).folder + "/" + link;
  }
  fail_with(writing, "the path must lead to a file", path, ELOOP);
}

constexpr int most_names = 10000;

/// Names that belong to this process; a taken one (a dead process, another machine) is passed over by O_EXCL.
std::string temporary_name(int attempt) {
  return ".posenc-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t limit) {
  require_path(reading, path);
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), flags); }));
  struct stat before = {}, after = {};
  if (file.get() < 0 || ::fstat(file.get(), &before) != 0) {
    fail_with(reading, "the file must exist and be readable", path, errno);
  }
  if (!S_ISREG(before.st_mode)) refuse(reading, "must be a regular file", path, kind_of(before.st_mode));
  const auto size = static_cast<std::uint64_t>(before.st_size);
  if (size > limit) refuse(reading, too_large(limit), path, " with " + std::to_string(size));

  std::string bytes = read_to_end(file.get(), path, limit, static_cast<std::size_t>(size));
  if (::fstat(file.get(), &after) != 0) fail_with(reading, "every byte must be readable", path, errno);
  const bool touched = before.st_mtim.tv_sec != after.st_mtim.tv_sec || before.st_mtim.tv_nsec != after.st_mtim.tv_nsec;
  // Files of /proc and the like say size 0 and have content.
  if (touched || before.st_size != after.st_size || (size != 0 && bytes.size() != size)) {
    refuse(reading, "must not change while it is read", path, " which changed");
  }
  return bytes;
}

std::string read_descriptor(int descriptor, std::string_view name, std::uint64_t limit) {
  return read_to_end(descriptor, name, limit, 0);
}

void write_descriptor(int descriptor, std::string_view name, std::span<const std::byte> bytes) {
  write_all(descriptor, bytes, [&](int error) { fail_with(writing, "every byte must be written", name, error); });
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  FileWriter file(path);
  file.write(bytes);
  file.commit();
}

FileWriter::FileWriter(std::string path) : FileWriter(std::move(path), Closed{}) { open(); }

FileWriter::~FileWriter() { discard(); }

void FileWriter::discard() noexcept {
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  temporary_.clear();
  if (file_ >= 0) ::close(file_);
  if (folder_ >= 0) ::close(folder_);
  file_ = folder_ = -1;
}

void FileWriter::fail(std::string_view rule, int error) {
  discard();
  fail_with(writing, rule, path_, error);
}

void FileWriter::open() {
  require_path(writing, path_);
  const std::string target = follow_links(path_);
  const Place place = split(target);
  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail("the path must lead to a file", errno);
  if (exists && S_ISDIR(old.st_mode)) refuse(writing, "must be a file", path_, kind_of(old.st_mode));
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = uninterrupted([&] { return ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); });
    if (file_ < 0) fail("the device must open for writing", errno);
    return;
  }
  if (place.name.empty()) refuse(writing, "must name a file", path_, "");
  if (exists && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("the existing file must be writable", errno);
  }
  name_ = place.name;
  folder_ = uninterrupted([&] { return ::open(place.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (folder_ < 0) fail("the folder must exist and be readable", errno);
  open_temporary(exists ? std::optional<unsigned>(old.st_mode & 0777u) : std::nullopt);
}

void FileWriter::open_temporary(std::optional<unsigned> mode) {
  const mode_t first_mode = mode ? 0600 : 0666;  // never more open than the target
#ifdef O_TMPFILE
  file_ = uninterrupted([&] { return ::openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode); });
  if (file_ >= 0 && ::access(("/proc/self/fd/" + std::to_string(file_)).c_str(), F_OK) != 0) {
    ::close(file_);  // without /proc it could not get a name later
    file_ = -1;
  }
#endif
  for (int attempt = 0; file_ < 0 && attempt < most_names; ++attempt) {
    const std::string name = temporary_name(attempt);
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = uninterrupted([&] { return ::openat(folder_, name.c_str(), flags, first_mode); });
    if (file_ >= 0) temporary_ = name;
    if (file_ < 0 && errno != EEXIST) fail("the folder must take a new file", errno);
  }
  if (file_ < 0) fail("the folder must take a new file", EEXIST);
  struct stat now = {};
  if (mode && (::fstat(file_, &now) != 0 || ((now.st_mode & 0777u) != *mode && ::fchmod(file_, *mode) != 0))) {
    fail("the permission bits must be kept", errno);
  }
}

void FileWriter::write(std::span<const std::byte> bytes) {
  if (file_ < 0) refuse(writing, "must not be used after commit or a failure", path_, "");
  write_all(file_, bytes, [&](int error) { fail("every byte must be written", error); });
}

void FileWriter::link_temporary() {
  const std::string unnamed = "/proc/self/fd/" + std::to_string(file_);
  for (int attempt = 0; attempt < most_names; ++attempt) {
    const std::string name = temporary_name(attempt);
    if (::linkat(AT_FDCWD, unnamed.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail("the file must get a name", errno);
}

void FileWriter::commit() {
  if (file_ < 0) refuse(writing, "must not be used after commit or a failure", path_, "");
  const bool direct = name_.empty();
  if (!direct && uninterrupted([&] { return ::fsync(file_); }) != 0) fail("the file must reach the disk", errno);
  if (!direct && temporary_.empty()) link_temporary();
  // After EINTR the descriptor is closed all the same (Linux), so close() is never called again.
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail("the file must close", errno);
  if (direct) return;
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) fail("the file must take its name", errno);
  temporary_.clear();
  // EINVAL: this file system syncs no folders.
  if (uninterrupted([&] { return ::fsync(folder_); }) != 0 && errno != EINVAL)
    fail("the folder must reach the disk", errno);
  discard();
}

}  // namespace posenc::io
