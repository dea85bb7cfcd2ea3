// SPDX-License-Identifier: Apache-2.0
// Explanations as lines of text: labels in one column, values in the next.
#include <posenc/referee/explain.h>

#include <cmath>

#include "src/base/environment.h"
#include "src/base/to_text.h"

namespace posenc {
namespace {

std::string line(std::string_view label, const std::string& value) {
  constexpr std::size_t label_width = 13;
  std::string text = "  " + std::string(label);
  text += std::string(label.size() < label_width ? label_width - label.size() : 1, ' ');
  return text + value + "\n";
}

std::string words_of(const Decimal& x) {
  if (x.exact || x.digits == 0) return x.text;
  return x.text + (x.digits < 40 ? ".. (" + std::to_string(x.digits) + " digits are certain)" : "..");
}

std::string hex(std::uint64_t bits, DType type) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (int at = static_cast<int>(2 * size_of(type)) - 1; at >= 0; --at) text += digits[bits >> (4 * at) & 15];
  return text;
}

// Three digits are enough to say how far away something is.
std::string about(double value) {
  if (value == 0 || !std::isfinite(value)) return to_text(value);
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 3);
  return {buffer.data(), end.ptr};
}

// The shortest digits that read back in the type itself; 1000000, not 1e+06.
std::string value_text(DType type, double value) {
  constexpr double most = 1e15;
  if (std::abs(value) < most && value == std::floor(value) && value != 0) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  if (type != DType::f32 || !std::isfinite(value)) return to_text(value);
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  return {buffer.data(), end.ptr};
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text += std::string(width - text.size(), ' ');
  return text + " ";
}

std::string line_of(const RoundedValue& value) {
  if (is_integer(value.type)) return line(std::string("  ") + std::string(to_string(value.type)), to_text(value.value));
  std::string text = padded(value_text(value.type, value.value), 24) + padded(hex(value.bits, value.type), 18);
  if (value.units) text += "off by " + about(*value.units) + " units in the last place";
  return line(std::string("  ") + std::string(to_string(value.type)), text);
}

std::string text_of(const ExplainedAngle& angle) {
  std::string text;
  for (const AngleTerm& term : angle.terms) {
    const bool same = term.rule == term.formula;
    text += line("frequency", (same ? "" : term.rule + " = ") + term.formula);
    text += line("", words_of(term.w) + " radians per unit of " + term.axis);
    text += line("coordinate", words_of(term.coordinate) + " on axis " + term.axis);
  }
  if (angle.phase) text += line("phase", words_of(*angle.phase));
  text += line("angle", words_of(angle.radians) + " radians");
  text += line("turns", words_of(angle.turns));
  return text + line("reduced", words_of(angle.reduced) + " radians, whole turns left out");
}

std::string line_of(const ExplainedStep& step) {
  std::string text = padded(std::string(to_string(step.type)), 4) + padded(value_text(step.type, step.value), 24) +
                     padded(hex(step.bits, step.type), 18);
  if (step.relative) text += "relative " + padded(about(*step.relative), 10);
  if (step.angle) text += "angle " + padded(about(*step.angle), 10);
  return line("  " + step.name, text + step.what);
}

std::string text_of(const ExplainedEntry& entry, std::string_view recipe) {
  std::string text = entry.what + "\n";
  if (entry.angle) text += text_of(*entry.angle);
  text += line("formula", entry.formula);
  text += line("exact", words_of(entry.exact));
  for (const RoundedValue& value : entry.rounded) text += line_of(value);
  if (entry.recipe.empty()) return text;
  if (entry.steps.empty()) {
    text += "under the recipe " + std::string(recipe) + " the entry is\n";
  } else {
    text += "recipe " + std::string(recipe) + ", rounding by rounding; losses are those so far, angles in radians\n";
    for (const ExplainedStep& step : entry.steps) text += line_of(step);
    text += "under it the entry is\n";
  }
  for (const RoundedValue& value : entry.recipe) text += line_of(value);
  return text;
}

std::string text_of(const ExplainedPair& pair) {
  const auto columns = [](const std::array<std::int64_t, 2>& of) {
    return "columns " + std::to_string(of[0]) + " and " + std::to_string(of[1]);
  };
  std::string text = "the pair, f32\n";
  text += line("before", value_text(DType::f32, pair.before[0]) + ", " + value_text(DType::f32, pair.before[1]) +
                             " in " + columns(pair.read));
  text +=
      line("after", value_text(DType::f32, static_cast<double>(pair.after[0])) + ", " +
                        value_text(DType::f32, static_cast<double>(pair.after[1])) + " in " + columns(pair.written));
  text += line("exactly", words_of(pair.exact[0]));
  return text + line("", words_of(pair.exact[1]));
}

}  // namespace

std::string to_string(const Explanation& explanation) {
  const DefaultEnvironment environment;
  std::string text = explanation.title + "\n";
  for (const ExplainedEntry& entry : explanation.entries) text += text_of(entry, explanation.recipe);
  if (explanation.pair) text += text_of(*explanation.pair);
  return text;
}

std::string to_string(const Parting& parting) {
  const DefaultEnvironment environment;
  std::string text = "they part at column " + std::to_string(parting.column) + ":\n";
  text += line("a", parting.a) + line("b", parting.b);
  if (!parting.position) {
    return text + "no entry differs in f32 at positions 0 to " + std::to_string(parting.searched - 1) + "\n";
  }
  text += "and first in f32 at ";
  for (std::size_t i = 0; i < parting.axes.size(); ++i) {
    text += parting.axes[i] + " " + std::to_string(*parting.position + static_cast<std::int64_t>(i)) + ", ";
  }
  text += "column " + std::to_string(parting.at_column) + ":\n";
  return text + line("a", value_text(DType::f32, parting.in_a)) + line("b", value_text(DType::f32, parting.in_b));
}

}  // namespace posenc
