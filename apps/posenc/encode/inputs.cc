// SPDX-License-Identifier: Apache-2.0
// Opening inputs, and cutting them into lines.
#include "apps/posenc/encode/inputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

[[noreturn]] void fail(std::string_view operation, std::string_view rule, const std::string& path, int error) {
  const bool wrong_path = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP ||
                          error == EISDIR || error == ENXIO || error == EINVAL;
  throw Error({std::string(operation),
               std::string(rule),
               fmt::format("{} ({})", quote(path), std::generic_category().message(error)),
               {},
               wrong_path ? Cause::input : Cause::system});
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

class File {
 public:
  File(std::string_view operation, std::string path) : operation_(operation), path_(std::move(path)) {
    // O_NONBLOCK: opening a pipe must not wait for its writer.
    do {
      descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) fail(operation_, "the text must exist and be readable", path_, errno);
    const struct stat found = look();
    before_ = state_of(found);
    if (S_ISREG(found.st_mode)) return;
    ::close(descriptor_);
    refuse(operation_, "a text must be a regular file, or - for standard input",
           fmt::format("{} ({})", quote(path_), kind_of(found.st_mode)));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }
  const InputState& state() const { return before_; }
  /// Whether, at the end, the file is as it was at the beginning, and all of it was read.
  bool is_unchanged(std::int64_t read) const {
    // Files of /proc and the like say size 0 and have content.
    return state_of(look()) == before_ && (before_.size == 0 || read == before_.size);
  }

 private:
  struct stat look() const {
    struct stat found = {};
    if (::fstat(descriptor_, &found) != 0) fail(operation_, "the text must exist and be readable", path_, errno);
    return found;
  }
  static InputState state_of(const struct stat& file) {
    return {file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
  }

  std::string_view operation_;
  std::string path_;
  int descriptor_ = -1;
  InputState before_ = {};
};

}  // namespace

std::vector<Input> read_inputs(const Arguments& arguments) {
  std::vector<Input> inputs;
  for (const std::string& text : arguments.all("--text")) {
    inputs.push_back({Input::Kind::text, arguments.operation, "--text", text});
  }
  for (const std::string& file : arguments.operands) {
    const bool stream = file == standard_stream;
    inputs.push_back({stream ? Input::Kind::standard_input : Input::Kind::file, arguments.operation, file, ""});
  }
  if (inputs.empty()) refuse(arguments.operation, "a text must be given: FILE, - or --text", "none");
  return inputs;
}

OpenInput open_input(const Input& input) {
  switch (input.kind) {
    case Input::Kind::text: return {io::text_source(input.text), std::ssize(input.text), {}};
    case Input::Kind::standard_input: return {io::descriptor_source(STDIN_FILENO, input.title()), std::nullopt, {}};
    case Input::Kind::file: break;
  }
  if (input.name.empty()) refuse(input.operation, "a path must not be empty", "''");
  auto file = std::make_shared<File>(input.operation, input.name);
  io::Source bytes = io::descriptor_source(file->descriptor(), input.name);
  const InputState state = file->state();
  auto checked = [file, input, bytes = std::move(bytes), read = std::int64_t{0}](std::span<char> to) mutable {
    const std::size_t got = bytes(to);
    read += static_cast<std::int64_t>(got);
    if (got == 0 && !file->is_unchanged(read)) refuse_change(input);
    return got;
  };
  return {std::move(checked), state.size, state};
}

void refuse_change(const Input& input) {
  refuse(input.operation, "a text must not change while it is read", quote(input.title()) + " which changed");
}

bool LineReader::fill() {
  buffer_.erase(0, std::exchange(given_, 0));
  constexpr std::size_t step = std::size_t{1} << 16;
  const std::size_t filled = buffer_.size();
  if (filled > io::carry_over_limit) {
    refuse(operation_, fmt::format("a line must have at most {} bytes", io::carry_over_limit),
           fmt::format("line {} of {}", lines_ + 1, quote(name_)));
  }
  buffer_.resize(filled + step);
  const std::size_t got = source_(std::span(buffer_).subspan(filled));
  buffer_.resize(filled + got);
  return got > 0;
}

std::optional<std::string_view> LineReader::next() {
  std::size_t searched = given_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end == buffer_.npos && !ended_) {
      searched = buffer_.size() - given_;
      ended_ = !fill();
      continue;
    }
    if (end == buffer_.npos && given_ == buffer_.size()) return std::nullopt;
    const std::size_t next = end == buffer_.npos ? buffer_.size() : end + 1;
    std::string_view line = std::string_view(buffer_).substr(given_, std::min(end, buffer_.size()) - given_);
    if (end != buffer_.npos && line.ends_with('\r')) line.remove_suffix(1);
    bytes_ += static_cast<std::int64_t>(next - given_);
    given_ = next;
    ++lines_;
    return line;
  }
}

}  // namespace posenc::tool
