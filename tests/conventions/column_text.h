// SPDX-License-Identifier: Apache-2.0
// The columns of a row as text: xs0 is the sine of axis x and frequency 0, xc0 its cosine; s0 and c0 are of the only
// axis, or of the sum over all; 0 and 1 are constants, x alone is the coordinate.
#pragma once

#include "tests/conventions/lowered.h"

namespace posenc::test {

inline std::string text(const plan::Column& column, const Waves& waves) {
  if (column.kind == plan::Kind::constant) return column.quarter == 0 ? "0" : column.quarter == 1 ? "1" : "?";
  if (column.kind == plan::Kind::coordinate) return waves.axes.at(column.axis);
  const bool named = waves.axes.size() > 1 && column.axis != plan::every_axis;
  return (named ? waves.axes.at(column.axis) : "") + (column.quarter == 0 ? "s" : "c") +
         std::to_string(column.frequency);
}

/// The columns, or the rule that is broken.
inline std::string columns_text(const Waves& waves, std::int64_t width) {
  const LoweredFor given = {.width = width, .context = {.learned = 1}};
  if (const std::string said = refusal(waves, given); said != "nothing") return said;
  const plan::RowPlan plan = lower_rows(waves, given);
  EXPECT_EQ(std::ssize(plan.columns), columns(waves, width)) << "what columns() promises";
  std::string all;
  for (const plan::Column& column : plan.columns) all += (all.empty() ? "" : " ") + text(column, waves);
  return all;
}

struct Changed {
  std::int64_t width;
  void (*change)(Waves&);
  std::string columns;
};
inline void expect_columns(const Waves& plain, std::initializer_list<Changed> rows) {
  for (const auto& [width, change, expected] : rows) {
    Waves waves = plain;
    change(waves);
    EXPECT_EQ(columns_text(waves, width), expected) << width << ": " << to_string(Convention(waves));
  }
}

}  // namespace posenc::test
