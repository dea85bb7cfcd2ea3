// SPDX-License-Identifier: Apache-2.0
// Whole files in, with bounds; whole files and open descriptors out.
#include <posenc/io/file.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "src/base/quote.h"
#include "src/io/files/descriptor.h"

namespace posenc::io {
namespace {

constexpr std::string_view reading = "read_file";

std::string too_large(std::uint64_t limit) { return "must hold at most " + std::to_string(limit) + " bytes"; }

/// Waits where a descriptor that somebody else made non-blocking has nothing for us yet.
ssize_t read_some(int descriptor, char* to, std::size_t count) {
  for (;;) {
    const ssize_t got = uninterrupted([&] { return ::read(descriptor, to, std::min(count, most_at_once)); });
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
      if (filled > limit) refuse_path(reading, too_large(limit), name, " with more");
    }
    bytes.resize(filled);
  } catch (const std::bad_alloc&) {
    fail_with(reading, "the file must fit in memory", name, ENOMEM);
  } catch (const std::length_error&) {
    fail_with(reading, "the file must fit in memory", name, ENOMEM);
  }
  return bytes;
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t limit) {
  const Descriptor file = open_regular(reading, path);
  const FileState before = state_of(file.get(), reading, path);
  const auto size = static_cast<std::uint64_t>(before.size);
  if (size > limit) refuse_path(reading, too_large(limit), path, " with " + std::to_string(size));

  std::string bytes = read_to_end(file.get(), path, limit, static_cast<std::size_t>(size));
  // Files of /proc and the like say size 0 and have content.
  if (state_of(file.get(), reading, path) != before || (size != 0 && bytes.size() != size)) {
    refuse_path(reading, "must not change while it is read", path, " which changed");
  }
  return bytes;
}

std::string read_descriptor(int descriptor, std::string_view name, std::uint64_t limit) {
  return read_to_end(descriptor, name, limit, 0);
}

void write_descriptor(int descriptor, std::string_view name, std::span<const std::byte> bytes) {
  const int error = write_all(descriptor, bytes);
  if (error != 0) fail_with(file_writing, "every byte must be written", name, error);
}

void write_file(const std::string& path, std::span<const std::byte> bytes, const WriteOptions& options) {
  FileWriter file(path, options);
  file.write(bytes);
  file.commit();
}

}  // namespace posenc::io
