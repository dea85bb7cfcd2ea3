// SPDX-License-Identifier: Apache-2.0
// Keys moved: a rotation by the sum of two angles, one of them negative.
#include <posenc/rerotate.h>

#include "src/base/blocks.h"
#include "src/base/shapes.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rotation.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::Real;

// Of each pair, what the angle takes from an axis.
plan::Ladder frequencies_of(const plan::PairPlan& plan, std::size_t axis) {
  std::vector<Real> list;
  for (const plan::Pair& pair : plan.pairs) list.push_back(plan::frequencies(plan.ladders, pair.angles[0])[axis]);
  return {std::move(list)};
}

plan::Axis negated_axis(const plan::Axis& axis) { return {-axis.step, -axis.start, axis.of}; }

// Axes of `to`, then those of `from` with their coordinates negated; every angle is a sum over all.
plan::PairPlan moved(const plan::PairPlan& from, const plan::PairPlan& to) {
  plan::PairPlan plan;
  for (std::size_t a = 0; a < to.axes.size(); ++a) {
    plan.axes.push_back(to.axes[a]);
    plan.ladders.push_back(frequencies_of(to, a));
  }
  for (std::size_t a = 0; a < from.axes.size(); ++a) {
    plan.axes.push_back(negated_axis(from.axes[a]));
    plan.ladders.push_back(frequencies_of(from, a));
  }
  for (std::uint32_t k = 0; k < to.pairs.size(); ++k) {
    const plan::Angle sum = {plan::every_axis, k};
    plan.pairs.push_back({to.pairs[k].written, to.pairs[k].written, {sum, sum}});
  }
  plan.width = to.width;
  if (!(from.magnitude == to.magnitude)) plan.magnitude = numerics::quotient(to.magnitude, from.magnitude);
  if (to.decay) plan.decay = {to.decay->factors, to.decay->centre - from.decay->centre, to.decay->period};
  plan.turning = to.turning;
  return plan;
}

std::vector<Positions> joined(const Standing& to, const Standing& from) {
  std::vector<Positions> all(to.coordinates.begin(), to.coordinates.end());
  all.insert(all.end(), from.coordinates.begin(), from.coordinates.end());
  return all;
}

// Lists of both, in the order of the plan, as their axes are called in messages.
std::optional<Problem> check_standings(const std::vector<std::string>& axes, const Standing& from, const Standing& to) {
  for (const Standing* each : {&from, &to}) {
    if (auto problem = check_list_count("rerotate", axes, each->coordinates)) return problem;
  }
  std::vector<std::string> both = axes;
  both.insert(both.end(), axes.begin(), axes.end());
  return check_coordinates("rerotate", both, joined(to, from));
}

}  // namespace

std::optional<Problem> check_rerotate(const Convention& convention, const Standing& from, const Standing& to,
                                      const Rotated& keys, const Options& options) {
  if (auto problem = check_use("rerotate", ConventionUse::rotations, convention)) return problem;
  if (auto problem = check_exact("rerotate", options)) return problem;
  if (auto problem = check_convention(convention)) return problem;
  if (auto problem = check_standings(axes_of(convention), from, to)) return problem;
  const std::vector<Positions> all = joined(to, from);
  if (auto problem = check_rotated("rerotate", all, keys)) return problem;
  if (keys.side != RotatedSide{} && keys.side != RotatedSide::key) {
    return Problem{"rerotate", "the tensor must hold keys", keys.side == RotatedSide::query ? "queries" : "neither"};
  }
  for (const Standing* each : {&from, &to}) {
    const LoweredFor given = {.width = keys.out.size(-1), .context = each->context};
    if (auto problem =
            check_made("rerotate", ConventionUse::rotations, convention, given.width, {.context = given.context})) {
      return problem;
    }
    const plan::PairPlan pairs = lower_step_pairs(convention, given);
    if (pairs.decay && keys.out.dtype == DType::f64) return no_wide_decay("rerotate");
    if (plan::turns_by_one_angle(pairs)) continue;
    return Problem{"rerotate", "a pair must turn by one angle", "angles by column"};
  }
  return std::nullopt;
}

std::optional<Problem> rerotate_checked(const Convention& convention, const Standing& from, const Standing& to,
                                        const Rotated& keys, const Executor& executor) {
  const DefaultEnvironment environment;
  const auto pairs = [&](const Standing& at) {
    return lower_pairs(convention, {.width = keys.out.size(-1), .context = at.context});
  };
  if (keys.out.count() == 0) return std::nullopt;
  const Rotated one[] = {{keys.in, keys.out, RotatedSide::key, keys.tokens}};
  std::vector<Rotated> transposed;
  const Rotation rotation(moved(pairs(from), pairs(to)), exact(), {});
  return undecided_unless(rotation.rotate(joined(to, from), by_rows(one, transposed), Direction::forward, executor),
                          "rerotate");
}

}  // namespace posenc
