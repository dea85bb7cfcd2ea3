// SPDX-License-Identifier: Apache-2.0
// Ladders: the names of their spacings, and the rules that join fields of theirs.
#include <posenc/ladders.h>

#include "src/base/to_text.h"
#include "src/conventions/ladder_fields.h"

namespace posenc {

std::string_view to_string(const Spacing& spacing) {
  const std::string_view word = schema::word_of(spacing);
  if (!word.empty()) return word;
  return spacing == Spacing{} ? schema::words<Spacing>.none : "a spacing";
}

namespace schema {

template <>
std::optional<Broken> whole<Spacing, 2>(const Spacing& spacing) {
  const bool stated = spacing.over == Spacing::Over::stated;
  if (stated == (spacing.width > 0)) return std::nullopt;
  return Broken{"width", stated ? "> 0 over a stated width" : "0 but over a stated width",
                std::to_string(spacing.width)};
}

template <>
std::optional<Broken> whole<LongRopeScaling, 2>(const LongRopeScaling& scaling) {
  if (scaling.short_factors.size() == scaling.long_factors.size()) return std::nullopt;
  return Broken{"long_factors", "as many as short_factors, " + std::to_string(scaling.short_factors.size()),
                std::to_string(scaling.long_factors.size())};
}

template <>
std::optional<Broken> whole<YarnScaling, 2>(const YarnScaling& scaling) {
  if (scaling.fast >= scaling.slow) return std::nullopt;
  return Broken{"fast", "at least slow, " + to_text(scaling.slow), to_text(scaling.fast)};
}
template <>
std::optional<Broken> whole<Llama3Scaling, 2>(const Llama3Scaling& scaling) {
  if (scaling.low <= scaling.high) return std::nullopt;
  return Broken{"low", "at most high, " + to_text(scaling.high), to_text(scaling.low)};
}

}  // namespace schema
}  // namespace posenc
