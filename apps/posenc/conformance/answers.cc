// SPDX-License-Identifier: Apache-2.0
// Bad answers are told case by case; a command that ends or is late is started again, and given up after three.
#include "apps/posenc/conformance/answers.h"

#include <fmt/format.h>
#include <posenc/referee/referee.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/conformance/child.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::uint64_t largest_answer = std::uint64_t{64} << 20;
constexpr int most_failures = 3;

Answer failed(std::string reason) { return {Answered::failed, std::move(reason)}; }

Answer read_answer(const std::string& path) {
  try {
    return {Answered::scored, "", io::read_npy(path, largest_answer)};
  } catch (const Error& error) {
    return failed(error.what());
  }
}

// A command may write its numbers with a point.
bool is_id(const JsonValue* value, std::size_t number) {
  const auto* whole = std::get_if<std::uint64_t>(value);
  const auto* real = std::get_if<double>(value);
  return (whole != nullptr && *whole == number) || (real != nullptr && *real == static_cast<double>(number));
}

// A line of a command: {"id": N, "npy": PATH}, {"id": N, "skip": REASON} or {"id": N, "error": REASON}.
Answer parse_answer(const std::string& line, std::size_t number) {
  const auto answer = read_object(line);
  const std::string shown = printable(std::string_view(line).substr(0, 80));
  if (!answer) return failed(fmt::format("the answer is no JSON object: {}", shown));
  if (!is_id(find_value(*answer, "id"), number)) return failed(fmt::format("the answer has not the id {}", number));
  if (const auto* reason = find_text(*answer, "skip")) return {Answered::not_offered, printable(*reason)};
  if (const auto* reason = find_text(*answer, "error")) return failed(printable(*reason));
  if (const auto* path = find_text(*answer, "npy")) return read_answer(*path);
  return failed(fmt::format("the answer has none of npy, skip and error: {}", shown));
}

// A command, running while it answers.
struct Asked {
  std::string command;
  std::chrono::milliseconds limit;
  std::unique_ptr<Child> child = {};
  int failures = 0;  // one after another

  Answer ask(const ConformanceCase& of, std::size_t number) {
    if (failures == most_failures)
      return failed(fmt::format("the command failed {} times one after another", failures));
    if (!child) child = std::make_unique<Child>(command);
    const Json request = merged({json_object({{"id", number}}), json_document(to_json(of))});
    std::string line;
    const Heard heard = child->ask(request.text(), limit, line);
    if (heard == Heard::line) {
      failures = 0;
      return parse_answer(line, number);
    }
    child.reset();
    ++failures;
    if (heard == Heard::ended) return failed("the command ended without an answer");
    if (heard == Heard::too_long) return failed("the answer is no line of at most 2^20 bytes");
    return failed(
        fmt::format("no answer within {} s", std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
  }
};

}  // namespace

Answers answers_of_command(const std::string& command, std::int64_t seconds) {
  const auto asked = std::make_shared<Asked>(Asked{command, std::chrono::seconds(seconds)});
  return [asked](const ConformanceCase& of, std::size_t number) { return asked->ask(of, number); };
}

Answers answers_of_files(const std::string& folder) {
  return [folder](const ConformanceCase& of, std::size_t) -> Answer {
    const std::string path = fmt::format("{}/{}.npy", folder, of.name);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {Answered::not_offered, "no such file"};
    return read_answer(path);
  };
}

}  // namespace posenc::tool
