// SPDX-License-Identifier: Apache-2.0
// The pairs of a row or of a rotation: which axis and which frequency each has, in the order in which they stand. What
// Waves and Rotary state alike.
#pragma once

#include <posenc/convention.h>

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
/// The factor of every angle.
inline double angle_factor(const Waves& waves) { return waves.angle_factor; }
inline double angle_factor(const Rotary&) { return 1; }

/// What is lowered, and whether its pairs fill every column, or leave some, or are cut where they have more.
struct RunSpan {
  std::int64_t width, length;
  RestColumns rest;
};

[[nodiscard]] std::optional<Problem> check_runs(const RunFields& fields, const RunSpan& span);
/// Of one axis that has all `count` pairs: a list of sections says so.
[[nodiscard]] std::optional<Problem> check_only_run(const RunFields& fields, std::int64_t width, std::int64_t count);

/// Pairs of each axis under Rungs::own.
std::vector<std::int64_t> sections(const RunFields& fields, std::int64_t width);
/// What the ladder of each axis spans.
std::vector<Span> axis_spans(const RunFields& fields, const RunSpan& span);
/// The ladder of an axis: the only one, or its own.
inline const Ladder& ladder_of(const RunFields& fields, std::size_t axis) {
  return fields.ladders.size() == 1 ? fields.ladders[0] : fields.ladders[axis];
}
std::vector<plan::Ladder> lower_ladders(const RunFields& fields, const std::vector<Span>& spans, double factor);
/// The angles of `count` pairs of one axis, or of the sum over all.
std::vector<plan::Angle> pairs_of(std::uint16_t axis, std::int64_t count);
/// The angle of each pair.
std::vector<plan::Angle> pairs_in_order(const RunFields& fields, const RunSpan& span);

}  // namespace posenc
