// SPDX-License-Identifier: Apache-2.0
// The pairs of a row or of a rotation: which axis and which frequency each has, in the order in which they stand. What
// Waves and Rotary state alike.
#pragma once

#include <posenc/convention.h>

#include <algorithm>

#include "src/conventions/ladder.h"
#include "src/plan/row_plan.h"

namespace posenc {

/// The fields that both families have.
struct RunFields {
  const std::vector<std::string>& axes;
  const std::vector<Ladder>& ladders;
  Rungs rungs;
  const Sections& sections;
  const std::vector<Stretch>& deal;
  PairOrder order;
};
template <class Family>
RunFields run_fields(const Family& family) {
  return {family.axes, family.ladders, family.rungs, family.sections, family.deal, family.order};
}

/// A pair: angle = coordinate of the axis (plan::every_axis: a sum over all, plan::no_axis: 0) times its frequency.
struct AxisPair {
  std::uint16_t axis;
  std::uint32_t frequency;
};

/// Width and length of what is lowered, and what messages call the width.
struct RunSpan {
  std::int64_t width, length;
  /// Whether pairs fill every column, or leave some, or are cut where they have more.
  enum class Fill : std::uint8_t { exact = 1, leaving, cut } fill;
  std::string name = "width";
};

[[nodiscard]] std::optional<Problem> check_runs(const RunFields& fields, const RunSpan& span);
/// Of one axis that has all `count` pairs: a list of sections says so.
[[nodiscard]] std::optional<Problem> check_only_run(const RunFields& fields, std::int64_t width, std::int64_t count);

/// Pairs of each axis under Rungs::own.
std::vector<std::int64_t> sections(const RunFields& fields, std::int64_t width);
/// What the ladder of an axis spans.
Span axis_span(const RunFields& fields, const RunSpan& span, std::size_t axis);
/// The ladder of an axis: the only one, or its own.
inline const Ladder& ladder_of(const RunFields& fields, std::size_t axis) {
  return fields.ladders.size() == 1 ? fields.ladders[0] : fields.ladders[axis];
}
std::vector<plan::Ladder> lower_ladders(const RunFields& fields, const RunSpan& span, double factor);
std::vector<AxisPair> pairs_in_order(const RunFields& fields, const RunSpan& span);

}  // namespace posenc
