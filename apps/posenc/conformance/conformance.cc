// SPDX-License-Identifier: Apache-2.0
// posenc conformance: vectors for others to test themselves with, and the score card of what they answer.
#include <fmt/format.h>
#include <posenc/conformance.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

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

struct CardLine {
  std::string name, operation;
  std::int64_t places;  // of the case
  std::string result;   // a Conformity, "failed" or "not offered"
  std::string reason;
  std::optional<ConformanceScore> score;
};

// Of rows and rotations; 1 of what has none.
std::int64_t places_of(const ConformanceCase& of) {
  const bool has = of.of == ConformanceOf::rows || of.of == ConformanceOf::rotations;
  return has ? of.shape[0] : 1;
}

CardLine line_of(const ConformanceCase& of, Answer answer) {
  CardLine line = {of.name,  std::string(to_string(of.of)), places_of(of),
                   "failed", std::move(answer.reason),      std::nullopt};
  if (answer.kind == Answer::Kind::not_offered) line.result = "not offered";
  if (answer.kind != Answer::Kind::given) return line;
  const ConstView view = answer.array.view();
  if (const auto problem = check_conformance_score(of, view)) {
    line.reason = problem->message();
    return line;
  }
  line.score = conformance_score(of, view);
  line.result = to_string(line.score->conformity);
  return line;
}

std::string card_text(const CardLine& line) {
  std::string text = fmt::format("{:<32} {:<16} {}", line.name, line.operation, line.result);
  if (!line.score) return text + (line.reason.empty() ? "" : ": " + line.reason) + "\n";
  const ConformanceScore& score = *line.score;
  if (score.distance > 0 && score.conformity != Conformity::exact) {
    text += fmt::format(", at most {:.3g} ulp and {:.3g} away at [{}]", score.units, score.distance,
                        fmt::join(score.index, ", "));
  }
  if (score.from && score.conformity > Conformity::faithful) text += fmt::format(", from position {} on", *score.from);
  if (score.places < line.places) text += fmt::format(", of the first {} of {} places", score.places, line.places);
  if (!score.instead.empty()) text += fmt::format("; it is {}", fmt::join(score.instead, " or "));
  return text + "\n";
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json card_json(const CardLine& line) {
  Json json = {{"case", line.name}, {"operation", line.operation}, {"result", line.result}};
  if (!line.reason.empty()) json["reason"] = line.reason;
  if (!line.score) return json;
  json["places"] = {line.score->places, line.places};
  json["units"] = finite(line.score->units);
  json["distance"] = finite(line.score->distance);
  json["index"] = line.score->index;
  json["from"] = line.score->from ? Json(*line.score->from) : Json(nullptr);
  json["instead"] = line.score->instead;
  return json;
}

// How many of each result, those that there are.
std::vector<std::pair<std::string, std::int64_t>> counts(const std::vector<CardLine>& card) {
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (const std::string_view result : {"exact", "recipe", "faithful", "drifting", "wrong", "failed", "not offered"}) {
    const std::int64_t count = std::ranges::count(card, result, &CardLine::result);
    if (count > 0) found.emplace_back(result, count);
  }
  return found;
}

std::vector<ConformanceCase> picked(const Arguments& arguments) {
  std::vector<ConformanceCase> cases = conformance_cases().cases;
  if (!arguments.has("--only")) return cases;
  std::vector<ConformanceCase> some;
  for (const std::string& name : arguments.all("--only")) {
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

Said score(const Arguments& arguments) {
  const Answers answers = read_answers(arguments);
  const std::vector<ConformanceCase> cases = picked(arguments);
  std::vector<CardLine> card;
  Progress progress(arguments.operation, "cases");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    card.push_back(line_of(cases[i], answers(cases[i], i)));
    const auto done = static_cast<std::int64_t>(i + 1);
    progress.at(done, share_of(done, std::ssize(cases)));
  }
  if (arguments.has("--json")) {
    Json lines = Json::array(), totals = Json::object();
    for (const CardLine& line : card) lines.push_back(card_json(line));
    for (const auto& [result, count] : counts(card)) totals[result] = count;
    return {one_line({{"operation", arguments.operation}, {"cases", lines}, {"counts", totals}})};
  }
  std::string text;
  for (const CardLine& line : card) text += card_text(line);
  std::vector<std::string> totals;
  for (const auto& [result, count] : counts(card)) totals.push_back(fmt::format("{} {}", count, result));
  return {text + fmt::format("{}\n", fmt::join(totals, ", "))};
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
  if (words.size() == 1 && words[0] == "score") return score(arguments);
  refuse(arguments.operation, "the words must be write DIR, or score",
         words.empty() ? "none" : quote(fmt::format("{}", fmt::join(words, " "))));
}

std::vector<std::string> words_of_conformance(const Arguments& arguments) {
  if (arguments.operands.empty()) return {"write", "score"};
  return {};
}

std::vector<std::string> case_choices(const Arguments&) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

constexpr Option conformance_options[] = {
    {"--command", "COMMAND", "score: it reads a case a line as JSON, and answers each by a line with a path of .npy"},
    {"--files", "DIR", "score: the answers as DIR/CASE.npy, in place of --command"},
    {"--timeout", "S", "score: most seconds for an answer, 60 unless said"},
    {"--only", "CASE", "score: that case alone; as often as you like", Takes::many, case_choices},
    {"--no-sync", "", "write: do not wait until the files are on the disk", Takes::nothing}};

}  // namespace

constinit const Verb conformance_verb = {
    "conformance",
    "test vectors of every preset, and the score card of what others answer",
    "write DIR|score",
    "writes the vectors, or scores a command or files.",
    "posenc conformance score --command 'python their.py'",
    Operands::many,
    conformance_options,
    run_conformance,
    words_of_conformance,
};

}  // namespace posenc::tool
