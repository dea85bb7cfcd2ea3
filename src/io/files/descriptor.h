// SPDX-License-Identifier: Apache-2.0
// What reading and writing by descriptor share: errors with the system's words, and calls that a signal interrupts.
#pragma once

#include <posenc/io/file.h>

#include <sys/stat.h>

#include <cerrno>

namespace posenc::io {

/// A signal waits for a call on a regular file to return: this much at a time keeps that far below 100 ms.
inline constexpr std::size_t most_at_once = std::size_t{1} << 22;

/// Calls again as long as a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// How errors name the writing of a file.
inline constexpr std::string_view file_writing = "write_file";

/// Throws what errno said about that path; the cause is the input's where the path is to blame.
[[noreturn]] void fail_with(std::string_view operation, std::string_view rule, std::string_view path, int error);

/// Throws a refusal of that path; `what` follows it in the message.
[[noreturn]] void refuse_path(std::string_view operation, std::string_view rule, std::string_view path,
                              std::string_view what);

/// A path that the C interface takes whole.
void require_path(std::string_view operation, std::string_view path);

/// " (a folder)", " (a pipe)", ...
std::string_view kind_of(mode_t mode);

/// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~Descriptor();
  int get() const { return descriptor_; }
  /// The descriptor, from now on the caller's to close.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

/// The state of an open regular file; anything else is refused.
FileState state_of(int descriptor, std::string_view operation, std::string_view path);

/// Opens a regular file for reading; never waits for a pipe's writer.
Descriptor open_regular(std::string_view operation, const std::string& path);

/// Reads from `offset` on until `to` is full; false when the file ends before.
bool read_at(int file, std::uint64_t offset, std::span<std::byte> to, std::string_view operation, std::string_view path,
             const Watch& watch = {});

/// Writes all of the bytes; where a descriptor that somebody else made non-blocking takes none yet, waits. 0, or errno.
[[nodiscard]] int write_all(int descriptor, std::span<const std::byte> bytes);

}  // namespace posenc::io
