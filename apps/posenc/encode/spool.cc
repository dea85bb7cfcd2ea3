// SPDX-License-Identifier: Apache-2.0
// A file that is removed as soon as it is open.
#include "apps/posenc/encode/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <posenc/io/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {

struct Spool::Kept {
  std::string_view operation;
  io::Source source;
  std::string folder;
  int descriptor = -1;
  std::uint64_t written = 0, read = 0;

  ~Kept() {
    if (descriptor >= 0) ::close(descriptor);
  }

  [[noreturn]] void fail(int error) const {
    throw Error({std::string(operation),
                 "a text of unknown length must fit in the folder of temporary files ($TMPDIR), as the header of --out "
                 "states the length; --format raw needs none",
                 fmt::format("{} ({})", quote(folder), std::generic_category().message(error)),
                 {},
                 Cause::system});
  }

  void keep(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail(errno);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      written += static_cast<std::uint64_t>(put);
    }
  }

  std::size_t take(std::span<char> to) {
    for (;;) {
      const ssize_t got = ::pread(descriptor, to.data(), to.size(), static_cast<off_t>(read));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      read += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }
};

Spool::Spool(std::string_view operation, io::Source source) : kept_(std::make_shared<Kept>()) {
  const char* stated = std::getenv("TMPDIR");
  kept_->operation = operation;
  kept_->source = std::move(source);
  kept_->folder = stated != nullptr && *stated != '\0' ? stated : "/tmp";
  std::string path = kept_->folder + "/posenc-XXXXXX";
  kept_->descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (kept_->descriptor < 0) kept_->fail(errno);
  ::unlink(path.c_str());
}

io::Source Spool::first() const {
  return [kept = kept_](std::span<char> to) {
    const std::size_t got = kept->source(to);
    kept->keep(to.first(got));
    return got;
  };
}

io::Source Spool::again() const {
  return [kept = kept_](std::span<char> to) { return kept->read < kept->written ? kept->take(to) : kept->source(to); };
}

}  // namespace posenc::tool
