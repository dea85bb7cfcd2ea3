// SPDX-License-Identifier: Apache-2.0
// Lines to ids: blocks of lines are read by the caller's thread, become ids on all, and are taken in their order.
#include "apps/posenc/encode/texts.h"

#include <fmt/format.h>

#include "apps/posenc/cli/in_order.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::size_t block_bytes_of_lines = std::size_t{4} << 20, block_lines = 4096;

struct Line {
  std::int64_t number, offset;
  std::string bytes;
};

// The next lines: none at the end.
std::vector<Line> next_lines(LineReader& reader) {
  std::vector<Line> lines;
  std::size_t bytes = 0;
  while (bytes < block_bytes_of_lines && lines.size() < block_lines) {
    const std::int64_t offset = reader.bytes();
    const std::optional<std::string_view> line = reader.next();
    if (!line) break;
    bytes += line->size();
    lines.push_back({reader.lines(), offset, std::string(*line)});
  }
  return lines;
}

LineIds ids_of(const TextsRequest& request, const io::Tokenizer& tokenizer, const Input& input, const Line& line) {
  LineIds made = {line.number};
  try {
    const std::string text = request.key ? json_text(input.operation, *request.key, line.bytes) : std::string();
    (void)io::encode_first(tokenizer, request.key ? text : line.bytes, io::Rest::none, request.most_tokens(), made.ids,
                           made.unknowns);
  } catch (const Error& error) {
    Problem problem = error.problem();
    problem.value += fmt::format(" in line {} of {}", line.number, quote(input.title()));
    for (std::int64_t& index : problem.index) index += line.offset;
    throw Error(std::move(problem));
  }
  made.unknowns.offset += line.offset;
  made.unknowns.line = line.number;
  return made;
}

void check_length(const TextsRequest& request, const Input& input, LineIds& made) {
  if (!request.max_length || std::ssize(made.ids) <= *request.max_length) return;
  if (request.too_long == TooLong::refused) {
    refuse_length(input.operation, *request.max_length, fmt::format("line {} of {}", made.line, quote(input.title())));
  }
  made.ids.resize(static_cast<std::size_t>(*request.max_length));
}

}  // namespace

TextsRequest read_texts(const Arguments& arguments) {
  TextsRequest request{.inputs = read_inputs(arguments)};
  request.key = arguments.find("--json-lines");
  if (arguments.has("--lines") && request.key) {
    refuse(arguments.operation, "one of --lines and --json-lines must be given", "both");
  }
  if (arguments.has("--lines") || request.key) request.sequences = TextSequences::lines;
  if (arguments.has("--truncate")) request.too_long = TooLong::cut;
  if (const auto length = arguments.find("--max-length")) {
    request.max_length = parse_integer(arguments.operation, "--max-length", *length, 1);
  }
  if (request.too_long == TooLong::cut && !request.max_length) {
    refuse(arguments.operation, "--truncate must come with --max-length", "no --max-length");
  }
  return request;
}

std::string json_text(std::string_view operation, const std::string& key, std::string_view line) {
  const auto object = read_object(line);
  if (!object) refuse(operation, "every line under --json-lines must be a JSON object", quote(line));
  const std::string* text = find_text(*object, key);
  if (text == nullptr) refuse(operation, fmt::format("every object must have the text {}", quote(key)), quote(line));
  return *text;
}

void refuse_length(std::string_view operation, std::int64_t max_length, std::string_view source) {
  refuse(operation,
         fmt::format("a text must have at most {} tokens (--max-length), or be cut by --truncate", max_length),
         fmt::format("more in {}", source));
}

void for_each_line(const TextsRequest& request, const io::Tokenizer& tokenizer, const Input& input,
                   const Executor& executor, const std::function<void(LineIds&)>& take) {
  OpenInput open = open_input(input);
  LineReader reader(input.operation, std::move(open.source), input.title());
  Progress progress("lines", "lines");
  for (;;) {
    const std::vector<Line> lines = next_lines(reader);
    if (lines.empty()) return;
    std::vector<LineIds> made(lines.size());
    auto encode = [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      made[at] = ids_of(request, tokenizer, input, lines[at]);
      check_length(request, input, made[at]);
    };
    in_order(executor, std::ssize(lines), encode);
    for (LineIds& each : made) take(each);
    progress.at(reader.lines(), share_of(reader.bytes(), open.bytes));
  }
}

std::string speed_words(std::int64_t tokens, std::int64_t texts, double seconds) {
  return fmt::format("{} tokens of {} {} in {:.3g} s, {} tokens/s", tokens, texts, texts == 1 ? "text" : "texts",
                     seconds, short_number(seconds > 0 ? static_cast<double>(tokens) / seconds : 0));
}

}  // namespace posenc::tool
