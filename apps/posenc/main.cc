// SPDX-License-Identifier: Apache-2.0
// The tool's entry: exit 0, 1 where the answer is no (check), or one line on standard error and 2 (input or usage) or
// 3 (the system failed us). An error prints no answer, but that of an answer in part (inspect). Signals have codes of
// their own (signals.h).
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace {

constexpr int input_failed = 2, system_failed = 3;

// Messages quote the caller's words and list names: one line of at most 300 bytes, its newline among them.
constexpr std::string_view start = "posenc: error: ", cut = "...";
constexpr std::size_t message_limit = 300 - start.size() - 1;

int fail(std::string_view message, int status) {
  std::string line = posenc::tool::printable(message);
  if (line.size() > message_limit) {
    std::size_t end = message_limit - cut.size();
    while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // between characters
    line.replace(end, line.npos, cut);
  }
  std::fputs(fmt::format("{}{}\n", start, line).c_str(), stderr);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  posenc::tool::hold_standard_descriptors();
  posenc::tool::handle_signals();
  std::string operation = argc > 1 ? argv[1] : "posenc";
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const posenc::tool::Said said = posenc::tool::dispatch(words);
    posenc::tool::put(said.text);
    std::fputs(said.help.c_str(), stderr);
    for (const std::string& line : said.notes) posenc::tool::note(line);
    return said.problem ? fail(said.problem->message(), input_failed) : said.status;
  } catch (const posenc::Error& error) {
    return fail(error.what(), error.problem().cause == posenc::Cause::system ? system_failed : input_failed);
  } catch (const std::bad_alloc&) {
    return fail(fmt::format("[{}] memory must suffice, got {}", operation, posenc::tool::memory_words()),
                system_failed);
  } catch (const std::exception& error) {
    return fail(fmt::format("[{}] nothing must fail inside, got {}", operation, error.what()), system_failed);
  }
}
