// SPDX-License-Identifier: Apache-2.0
// The tool's entry: exit 0, or one line on standard error and 2 (input or usage) or 3 (the system failed us).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "apps/posenc/cli.h"
#include "apps/posenc/output.h"
#include "apps/posenc/screen.h"

namespace {

constexpr int input_failed = 2, system_failed = 3, pipe_closed = 141;

// Messages quote the caller's words and list names: one line, and this much of it.
constexpr std::size_t message_limit = 600;

int fail(std::string_view message, int status) {
  std::string line = posenc::tool::printable(message.substr(0, message_limit));
  if (message.size() > message_limit || line.size() > message_limit) {
    std::size_t end = std::min(line.size(), message_limit);
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // between characters
    line.replace(end, line.npos, "...");
  }
  std::fputs(fmt::format("posenc: error: {}\n", line).c_str(), stderr);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, [](int) { _exit(pipe_closed); });
  std::string operation = argc > 1 ? argv[1] : "posenc";
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    posenc::tool::put(posenc::tool::dispatch(words));
    return 0;
  } catch (const posenc::Error& error) {
    return fail(error.what(), error.problem().cause == posenc::Cause::system ? system_failed : input_failed);
  } catch (const std::bad_alloc&) {
    return fail(fmt::format("[{}] memory must suffice, got no more of it", operation), system_failed);
  } catch (const std::exception& error) {
    return fail(fmt::format("[{}] nothing must fail inside, got {}", operation, error.what()), system_failed);
  }
}
