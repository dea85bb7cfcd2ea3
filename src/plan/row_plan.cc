// SPDX-License-Identifier: Apache-2.0
// Row plans compared by what stands in their columns.
#include "src/plan/row_plan.h"

namespace posenc::plan {
namespace {

using numerics::Real;

Real phase(const RowPlan& plan, std::uint32_t frequency) {
  return plan.phases.empty() ? Real{} : plan.phases[frequency];
}

bool same_number(const RowPlan& a, const Column& in_a, const RowPlan& b, const Column& in_b) {
  if (in_a.kind != in_b.kind || in_a.quarter != in_b.quarter) return false;
  if (in_a.kind == Kind::constant) return true;
  if (in_a.kind == Kind::coordinate) return in_a.axis == in_b.axis;
  return phase(a, in_a.frequency) == phase(b, in_b.frequency) &&
         frequencies(a.ladders, {in_a.axis, in_a.frequency}) == frequencies(b.ladders, {in_b.axis, in_b.frequency});
}

}  // namespace

std::vector<Real> frequencies(const std::vector<Ladder>& ladders, const Angle& angle) {
  std::vector<Real> w(ladders.size());
  for (std::size_t a = 0; a < w.size(); ++a) {
    if (angle.axis == a || angle.axis == every_axis) w[a] = ladders[a][angle.frequency];
  }
  return w;
}

bool operator==(const RowPlan& a, const RowPlan& b) {
  if (a.axes != b.axes || !(a.scale == b.scale) || a.absent != b.absent || a.columns.size() != b.columns.size()) {
    return false;
  }
  if (a.columns == b.columns && a.ladders == b.ladders && a.phases == b.phases) return true;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    if (!same_number(a, a.columns[c], b, b.columns[c])) return false;
  }
  return true;
}

}  // namespace posenc::plan
