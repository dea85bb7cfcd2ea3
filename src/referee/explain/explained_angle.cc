// SPDX-License-Identifier: Apache-2.0
// Angles in digits: frequencies by their rules, sums over axes, turns.
#include "src/base/to_text.h"
#include "src/encodings/positions.h"
#include "src/referee/explain/explained.h"
#include "src/referee/explain/real_text.h"

namespace posenc::referee {

using numerics::Rational;
using numerics::Real;

std::optional<Problem> check_place(const std::vector<std::string>& axes, std::span<const Positions> at) {
  const std::string names = listed(axes, [](const std::string& axis) { return axis; });
  if (at.size() != axes.size()) {
    return Problem{"explain", "a position must be given for each of " + names, std::to_string(at.size())};
  }
  for (const Positions& positions : at) {
    if (auto problem = check_positions("explain", positions)) return problem;
    if (rank(positions) == 1 && positions.count_ == 1) continue;
    return Problem{"explain", "one position must be given for each of " + names, std::to_string(positions.count_)};
  }
  return std::nullopt;
}

std::optional<Problem> check_column(std::string_view name, std::int64_t column, std::int64_t count) {
  if (column >= 0 && column < count) return std::nullopt;
  return Problem{"explain", std::string(name) + " must be 0 to " + std::to_string(count - 1), std::to_string(column)};
}

OnePlace place_of(const std::vector<std::string>& axes, std::span<const Positions> at) {
  OnePlace made;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const numerics::Dyadic p = position_at(at[a], 0, 0);
    made.coordinates.push_back(p);
    made.words += (a > 0 ? ", " : "") + axes[a] + " " + decimal(Number(Real(Rational(p)))).text;
  }
  return made;
}

std::vector<std::size_t> axes_of(const LaddersOf& ladders, const plan::Angle& angle) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < ladders.axes.size(); ++a) {
    if (has_axis(angle, a)) axes.push_back(a);
  }
  return axes;
}

std::string words_of(const LaddersOf& ladders, const plan::Angle& angle) {
  if (angle.axis == plan::no_axis) return "angle 0";
  const std::string number = "frequency " + std::to_string(angle.frequency) + " of ";
  if (angle.axis == plan::every_axis) return number + "all axes";
  return number + "axis " + ladders.axes[angle.axis];
}

namespace {

// What a coordinate is: as AxisAngles has it.
Real coordinate_of(const plan::Axis& axis, const numerics::Dyadic& p) {
  const Rational number = axis.step * Rational(p) + axis.start;
  return axis.of == plan::Axis::Of::number ? Real(number) : numerics::logarithm(number);
}

}  // namespace

Real real_angle(const LaddersOf& ladders, const plan::Angle& angle, Place place) {
  if (angle.axis == plan::no_axis) return {};
  Real sum = ladders.phases.empty() ? Real() : ladders.phases[angle.frequency];
  for (const std::size_t a : axes_of(ladders, angle)) {
    sum = sum + coordinate_of(ladders.coordinates[a], *place[a]) * ladders.lowered[a][angle.frequency];
  }
  return sum;
}

ExplainedAngle told_angle(const LaddersOf& ladders, const plan::Angle& angle, Place place) {
  ExplainedAngle told;
  for (const std::size_t a : axes_of(ladders, angle)) {
    const Real w = ladders.lowered[a][angle.frequency];
    told.terms.push_back({ladders.axes[a], angle.frequency,
                          rule_of(ladders.stated[a].ladder, ladders.stated[a].span, angle.frequency), closed_form(w),
                          decimal(Number(w)), decimal(Number(coordinate_of(ladders.coordinates[a], *place[a])))});
  }
  if (!ladders.phases.empty() && angle.axis != plan::no_axis) {
    told.phase = decimal(Number(ladders.phases[angle.frequency]));
  }
  const Real radians = real_angle(ladders, angle, place);
  const Real turns = radians * Real(numerics::fraction(1, 2)) * numerics::pi_to_the(-1);
  told.radians = decimal(Number(radians));
  told.turns = decimal(Number(turns));
  const std::optional<Rational> whole = nearest_whole(turns);
  told.reduced = whole ? decimal(Number(radians - Real(*whole) * Real(2) * numerics::pi_to_the(1)))
                       : Decimal{"undecided", 0, false};
  return told;
}

}  // namespace posenc::referee
