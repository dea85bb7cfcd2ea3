// SPDX-License-Identifier: Apache-2.0
// The scale and the axes of an input stage as words of the command line, both ways.
#include "apps/posenc/cli/words.h"

#include <fmt/format.h>

#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {

std::string in_lower_case(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

std::string words(const Scale& scale) {
  std::string text = scale.kind == Scale::Kind::none       ? "none"
                     : scale.kind == Scale::Kind::sqrt_dim ? "sqrt"
                                                           : fmt::format("{}", scale.number);
  if (scale.rounding) text += fmt::format(" rounded to {}", to_string(*scale.rounding));
  return text;
}

std::string words(Axes axes) { return axes == Axes::batch_first ? "batch-first" : "sequence-first"; }

Scale parse_scale(std::string_view operation, std::string_view text) {
  if (text == "none") return Scale::none;
  if (text == "sqrt") return Scale::sqrt_dim;
  if (number_form(text) == NumberForm::none) {
    refuse(operation, "--scale must be sqrt, none or a number", quote(text));
  }
  return Scale::of(parse_real(operation, "--scale", text));
}

Axes parse_axes(std::string_view operation, std::string_view text) {
  for (const Axes axes : {Axes::batch_first, Axes::sequence_first}) {
    if (words(axes) == text) return axes;
  }
  refuse(operation, "--axes must be batch-first or sequence-first", quote(text));
}

}  // namespace posenc::tool
