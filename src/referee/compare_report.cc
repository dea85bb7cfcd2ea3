// SPDX-License-Identifier: Apache-2.0
// A comparison in words.
#include <posenc/referee/compare.h>

#include "src/base/environment.h"
#include "src/base/to_text.h"

namespace posenc {
namespace {

std::string numbered(const std::vector<std::string>& names, const std::vector<double>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < names.size(); ++i) {
    text += (text.empty() ? "" : ", ") + names[i] + " " + to_text(numbers[i]);
  }
  return text;
}

// 0.7104, 1.2e-05: enough to judge by.
std::string four_digits(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 4);
  return {buffer.data(), end.ptr};
}

void add_entry(std::string& text, std::string_view name, const std::vector<std::string>& axes,
               const std::optional<DifferingEntry>& entry) {
  text += "  " + std::string(name);
  if (!entry) {
    text += "all are equal\n";
    return;
  }
  text += numbered(axes, entry->at) + ": " + to_text(entry->a) + " and " + to_text(entry->b) + "\n";
}

std::string words_of(const ScoreChange& score, const std::vector<std::string>& axes) {
  const std::string by = four_digits(score.largest);
  if (score.largest == 0) return score.of == ScoreChange::Of::products ? "PE(p).PE(q) is the same" : "the same";
  const std::string where = ", at " + numbered(axes, score.p) + " and " + numbered(axes, score.q);
  switch (score.of) {
    case ScoreChange::Of::products:
      return "PE(p).PE(q) changes by up to " + by + ", of " + four_digits(score.greatest) + where;
    case ScoreChange::Of::norm: return "of unit queries and keys it changes by up to " + by + where;
    case ScoreChange::Of::single:
      return "of a query and a key of one column each it changes by up to " + by +
             " (the two turn other columns together)" + where;
  }
  return "";
}

}  // namespace

std::string to_string(const Comparison& comparison) {
  const DefaultEnvironment environment;
  std::string text;
  if (comparison.differences.empty()) text = "the same convention\n";
  if (!comparison.differences.empty() && comparison.equal) {
    text = "the same numbers under different names";
    text += comparison.context.length > 0 ? " at this length\n" : "\n";
  }
  if (!comparison.differences.empty() && !comparison.equal) text = "different\n";
  for (const std::string& each : comparison.differences) text += "  " + each + "\n";
  if (!comparison.not_compared.empty()) text += comparison.not_compared + "\n";
  if (comparison.entries == 0) return text;
  text += std::to_string(comparison.entries) + " " + comparison.numbers;
  if (comparison.dim > 0)
    text += (comparison.numbers == "biases" ? ", heads " : ", width ") + std::to_string(comparison.dim);
  if (comparison.context.length > 0) text += ", of a sequence of " + std::to_string(comparison.context.length);
  text += "\n";
  if (comparison.largest) {
    const double by = comparison.largest->a - comparison.largest->b;
    text += "  largest     " + four_digits(by < 0 ? -by : by) + ", at ";
    text += numbered(comparison.axes, comparison.largest->at) + "\n";
  }
  const bool whole = comparison.numbers == "classes";
  add_entry(text, whole ? "first       " : "first f64   ", comparison.axes, comparison.first);
  if (!whole) {
    add_entry(text, "first f32   ", comparison.axes, comparison.first_f32);
    add_entry(text, "first bf16  ", comparison.axes, comparison.first_bf16);
  }
  if (comparison.score) {
    text += "  score       " + words_of(*comparison.score, comparison.axes) + " (all pairs of " +
            std::to_string(comparison.score->places) + " places)\n";
  }
  return text;
}

}  // namespace posenc
