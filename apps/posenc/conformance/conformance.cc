// SPDX-License-Identifier: Apache-2.0
// posenc conformance: vectors for others to test themselves with, and the score card of what they answer.
#include <fmt/format.h>
#include <posenc/referee/referee.h>

#include <algorithm>
#include <filesystem>

#include "apps/posenc/cli/choice.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/conformance/answers.h"
#include "apps/posenc/conformance/vectors.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_seconds = 3600, usual_seconds = 60;

CardLine line_of(const ConformanceCase& of, Answer answer) {
  if (answer.answered != Answered::scored) return unscored_line(of, answer.answered, std::move(answer.reason));
  return scored_line(of, answer.array.view());
}

// The cases of --only, or of the words behind score; all without any.
std::vector<ConformanceCase> picked(const Arguments& arguments) {
  std::vector<ConformanceCase> cases = conformance_cases().cases;
  std::vector<std::string> names = arguments.all("--only");
  names.insert(names.end(), arguments.operands.begin() + 1, arguments.operands.end());
  if (names.empty()) return cases;
  std::vector<ConformanceCase> some;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(cases, name, &ConformanceCase::name);
    if (found == cases.end()) refuse(arguments.operation, "--only must be a case", quote(name));
    some.push_back(*found);
  }
  return some;
}

Answers read_answers(const Arguments& arguments) {
  const auto command = arguments.find("--command"), files = arguments.find("--files");
  if (command.has_value() == files.has_value()) {
    refuse(arguments.operation, "one of --command and --files must be given", command ? "both" : "none");
  }
  if (files) {
    if (const auto seconds = arguments.find("--timeout")) {
      refuse(arguments.operation, "--timeout must come with --command", quote(*seconds));
    }
    if (!std::filesystem::is_directory(*files)) refuse(arguments.operation, "--files must be a folder", quote(*files));
    return answers_of_files(*files);
  }
  if (command->find_first_not_of(' ') == command->npos) {
    refuse(arguments.operation, "--command must be a command", quote(*command));
  }
  const auto seconds = arguments.find("--timeout");
  return answers_of_command(
      *command, seconds ? parse_integer(arguments.operation, "--timeout", *seconds, 1, most_seconds) : usual_seconds);
}

// Was anything scored, and nothing wrong?
bool passes(const ScoreCard& card) {
  const auto fails = [](const CardLine& line) {
    return line.answered == Answered::failed || (line.score && line.score->conformity == Conformity::wrong);
  };
  return std::ranges::any_of(card.lines, [](const CardLine& line) { return line.score.has_value(); }) &&
         std::ranges::none_of(card.lines, fails);
}

Said score(const Arguments& arguments) {
  const Answers answers = read_answers(arguments);
  const std::vector<ConformanceCase> cases = picked(arguments);
  ScoreCard card;
  Progress progress(arguments.operation, "cases");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    card.lines.push_back(line_of(cases[i], answers(cases[i], i)));
    const auto done = static_cast<std::int64_t>(i + 1);
    progress.at(done, share_of(done, std::ssize(cases)));
  }
  const std::string text =
      arguments.has("--json") ? one_line(report(arguments.operation, {}, to_json(card))) : to_string(card);
  return {text, {}, passes(card) ? 0 : 1};
}

Said run_conformance(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands;
  const auto refuse_options = [&](std::initializer_list<std::string_view> options) {
    for (const std::string_view option : options) {
      if (arguments.has(option)) {
        refuse(arguments.operation, fmt::format("{} must come with score", option), quote(words[0]));
      }
    }
  };
  if (words.size() == 2 && words[0] == "write") {
    refuse_options({"--command", "--files", "--timeout", "--only"});
    return write_vectors(arguments, words[1]);
  }
  if (!words.empty() && words[0] == "score") return score(arguments);
  refuse(arguments.operation, "the words must be write DIR, or score [CASE]...",
         words.empty() ? "none" : quote(fmt::format("{}", fmt::join(words, " "))));
}

std::vector<std::string> words_of_conformance(const Arguments& arguments) {
  if (arguments.operands.empty()) return {"write", "score"};
  return arguments.operands[0] == "score" ? preset_choices(arguments) : std::vector<std::string>();
}

constexpr Option conformance_options[] = {
    {"--command", "COMMAND", "score: it reads a case a line as JSON, and answers each by a line with a path of .npy"},
    {"--files", "DIR", "score: the answers as DIR/CASE.npy, in place of --command"},
    {"--timeout", "S", "score: most seconds for an answer, 60 unless said"},
    {"--only", "CASE", "score: that case alone, as the words behind score; as often as you like", Takes::many,
     preset_choices},
    {"--no-sync", "", "write: do not wait until the files are on the disk", Takes::nothing}};

}  // namespace

constinit const Verb conformance_verb = {
    "conformance",
    "test vectors of every preset, and the score card of what others answer",
    "write DIR|score [CASE]...",
    "writes the vectors, or scores a command or files: exit 1 where an answer is wrong or failed, or there is none.",
    "posenc conformance score --command 'python their.py'",
    Operands::many,
    conformance_options,
    run_conformance,
    words_of_conformance,
    "write DIR has the folder of its files; a score goes to standard output, as JSON with --json",
};

}  // namespace posenc::tool
