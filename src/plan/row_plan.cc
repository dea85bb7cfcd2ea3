// SPDX-License-Identifier: Apache-2.0
// Row plans compared by what stands in their columns.
#include "src/plan/row_plan.h"

namespace posenc::plan {
namespace {

using numerics::Real;

Real phase(const RowPlan& plan, const Column& column) {
  return column.kind == Kind::wave && !plan.phases.empty() ? plan.phases[column.frequency] : Real{};
}

bool same_number(const RowPlan& a, const Column& in_a, const RowPlan& b, const Column& in_b) {
  if (in_a.kind != in_b.kind || in_a.quarter != in_b.quarter) return false;
  if (in_a.kind == Kind::constant) return true;
  if (in_a.kind == Kind::coordinate) return in_a.axis == in_b.axis;
  return phase(a, in_a) == phase(b, in_b) && frequencies(a, in_a) == frequencies(b, in_b);
}

}  // namespace

std::vector<Real> frequencies(const RowPlan& plan, const Column& column) {
  std::vector<Real> w(plan.axes.size());
  if (column.kind != Kind::wave) return w;
  for (std::size_t a = 0; a < w.size(); ++a) {
    if (column.axis == a || column.axis == every_axis) w[a] = plan.ladders[a][column.frequency];
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
