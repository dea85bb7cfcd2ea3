// SPDX-License-Identifier: Apache-2.0
// The score card: a line for each case, and how many there are of each result.
#include <posenc/referee/conformance.h>

#include <algorithm>
#include <cmath>

#include "src/base/environment.h"
#include "src/base/to_text.h"

namespace posenc {
namespace {

constexpr std::string_view results[] = {"exact", "recipe", "faithful", "drifting", "wrong", "failed", "not offered"};

CardLine line_of(const ConformanceCase& of, Answered answered, std::string reason) {
  const bool has_places = of.of == ConformanceOf::rows || of.of == ConformanceOf::rotations;
  return {of.name, of.of, has_places ? of.shape[0] : 1, answered, std::move(reason), std::nullopt};
}

// "7.13e+04"
std::string three_digits(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
  return {text.data(), end.ptr};
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()), ' ') + " ";
}

std::string line_text(const CardLine& line) {
  std::string text = padded(line.name, 32) + padded(to_string(line.of), 16) + std::string(result_of(line));
  if (!line.score) return text + (line.reason.empty() ? "" : ": " + line.reason) + "\n";
  const ConformanceScore& score = *line.score;
  if (std::isinf(score.distance)) {
    text += ", not finite at " + to_text(std::span<const std::int64_t>(score.index));
  } else if (score.distance > 0 && score.conformity != Conformity::exact) {
    text += ", at most " + three_digits(score.units) + " ulp and " + three_digits(score.distance) + " away at " +
            to_text(std::span<const std::int64_t>(score.index));
  }
  if (score.from && score.conformity > Conformity::faithful) text += ", from position " + to_text(*score.from) + " on";
  if (score.places < line.places) {
    text += ", of the first " + std::to_string(score.places) + " of " + std::to_string(line.places) + " places";
  }
  for (std::size_t i = 0; i < score.instead.size(); ++i) text += (i == 0 ? "; it is " : " or ") + score.instead[i];
  for (const std::string& finding : score.findings) text += "; " + finding;
  return text + "\n";
}

}  // namespace

std::string_view result_of(const CardLine& line) {
  switch (line.answered) {
    case Answered::scored: return line.score ? to_string(line.score->conformity) : "failed";
    case Answered::failed: return "failed";
    case Answered::not_offered: return "not offered";
  }
  return "failed";
}

CardLine scored_line(const ConformanceCase& of, const ConstView& answer) {
  const DefaultEnvironment environment;
  if (const auto problem = check_conformance_score(of, answer)) {
    return line_of(of, Answered::failed, problem->message());
  }
  CardLine line = line_of(of, Answered::scored, "");
  line.score = conformance_score(of, answer);
  return line;
}

CardLine unscored_line(const ConformanceCase& of, Answered answered, std::string reason) {
  return line_of(of, answered, std::move(reason));
}

std::vector<ResultCount> counts(const ScoreCard& card) {
  std::vector<ResultCount> found;
  for (const std::string_view result : results) {
    const auto lines = std::ranges::count(card.lines, result, [](const CardLine& line) { return result_of(line); });
    if (lines > 0) found.push_back({result, lines});
  }
  return found;
}

std::string to_string(const ScoreCard& card) {
  const DefaultEnvironment environment;
  std::string text;
  for (const CardLine& line : card.lines) text += line_text(line);
  return text +
         listed(counts(card),
                [](const ResultCount& each) { return std::to_string(each.lines) + " " + std::string(each.result); }) +
         "\n";
}

}  // namespace posenc
