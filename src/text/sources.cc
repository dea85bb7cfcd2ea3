// SPDX-License-Identifier: Apache-2.0
// Where texts come from: memory, descriptors, files.
#include <posenc/text/tokenizer.h>

#include "src/io/files/descriptor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace posenc::io {
namespace {

constexpr std::string_view reading_tokens = "read_tokens";

std::size_t read_some(int descriptor, std::string_view name, std::span<char> to) {
  for (;;) {
    const ssize_t got = uninterrupted([&] { return ::read(descriptor, to.data(), to.size()); });
    if (got >= 0) return static_cast<std::size_t>(got);
    pollfd wait = {descriptor, POLLIN, 0};
    const bool waiting = errno == EAGAIN || errno == EWOULDBLOCK;
    if (!waiting || uninterrupted([&] { return ::poll(&wait, 1, -1); }) < 0) {
      fail_with(reading_tokens, "every byte must be readable", name, errno);
    }
  }
}

struct OpenFile {
  std::string path;
  Descriptor descriptor;
  FileState state;  // when it was opened
};

}  // namespace

Source text_source(std::string text) {
  return [text = std::move(text), at = std::size_t{0}](std::span<char> to) mutable {
    const std::size_t count = std::min(to.size(), text.size() - at);
    std::memcpy(to.data(), text.data() + at, count);
    at += count;
    return count;
  };
}

Source descriptor_source(int descriptor, std::string name) {
  return [descriptor, name = std::move(name)](std::span<char> to) { return read_some(descriptor, name, to); };
}

Source file_source(const std::string& path) {
  Descriptor descriptor = open_regular(reading_tokens, path);
  const FileState state = state_of(descriptor.get(), reading_tokens, path);
  const auto file = std::make_shared<OpenFile>(OpenFile{path, std::move(descriptor), state});
  return [file](std::span<char> to) {
    const std::size_t got = read_some(file->descriptor.get(), file->path, to);
    if (got == 0 && state_of(file->descriptor.get(), reading_tokens, file->path) != file->state) {
      refuse_path(reading_tokens, "must not change while it is read", file->path, " which changed");
    }
    return got;
  };
}

}  // namespace posenc::io
