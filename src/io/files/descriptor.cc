// SPDX-License-Identifier: Apache-2.0
// Errors of system calls in our words, and regular files opened for reading.
#include "src/io/files/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "src/base/quote.h"

namespace posenc::io {
namespace {

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

}  // namespace

void fail_with(std::string_view operation, std::string_view rule, std::string_view path, int error) {
  throw Error({std::string(operation),
               std::string(rule),
               quote(path, Keep::tail) + " (" + std::generic_category().message(error) + ")",
               {},
               cause_of(error)});
}

void refuse_path(std::string_view operation, std::string_view rule, std::string_view path, std::string_view what) {
  throw Error({std::string(operation), std::string(rule), quote(path, Keep::tail) + std::string(what)});
}

void require_path(std::string_view operation, std::string_view path) {
  // The C interface would silently stop at a NUL.
  if (path.empty() || path.find('\0') != path.npos) {
    refuse_path(operation, "a path must not be empty or contain NUL", path, "");
  }
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return " (a folder)";
  if (S_ISFIFO(mode)) return " (a pipe)";
  if (S_ISSOCK(mode)) return " (a socket)";
  return " (a device)";
}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileState state_of(int descriptor, std::string_view operation, std::string_view path) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail_with(operation, "the file must exist and be readable", path, errno);
  if (!S_ISREG(status.st_mode)) refuse_path(operation, "must be a regular file", path, kind_of(status.st_mode));
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

Descriptor open_regular(std::string_view operation, const std::string& path) {
  require_path(operation, path);
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  Descriptor file(uninterrupted([&] { return ::open(path.c_str(), flags); }));
  if (file.get() < 0) fail_with(operation, "the file must exist and be readable", path, errno);
  state_of(file.get(), operation, path);
  return file;
}

bool read_at(int file, std::uint64_t offset, std::span<std::byte> to, std::string_view operation, std::string_view path,
             const Watch& watch) {
  const std::size_t all = to.size();
  while (!to.empty()) {
    const std::size_t count = std::min(to.size(), most_at_once);
    const ssize_t got = uninterrupted([&] { return ::pread(file, to.data(), count, static_cast<off_t>(offset)); });
    if (got < 0) fail_with(operation, "every byte must be readable", path, errno);
    if (got == 0) return false;
    offset += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
    if (watch) watch(all - to.size(), all);
  }
  return true;
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), most_at_once);
    const ssize_t put = uninterrupted([&] { return ::write(descriptor, bytes.data(), count); });
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      continue;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK) return errno;
    pollfd wait = {descriptor, POLLOUT, 0};
    if (uninterrupted([&] { return ::poll(&wait, 1, -1); }) < 0) return errno;
  }
  return 0;
}

}  // namespace posenc::io
