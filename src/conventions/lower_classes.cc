// SPDX-License-Identifier: Apache-2.0
// What the fields of Buckets mean: the distances at which a class ends, as whole numbers.
//
// An edge is an integer root, e (reach / e)^(j / n): real numbers tell on which side of it a distance lies, exactly
// where it is rational (16, 32 and 64 of T5's 128) and to as many digits as it takes elsewhere. No logarithm is
// rounded.
#include "src/conventions/lower.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Real;
using plan::ClassRun;

// e (end / e)^(j / n).
Real edge(std::int64_t e, std::int64_t end, std::int64_t j, std::int64_t n) {
  return Real(e) * numerics::power(fraction(end, e), fraction(j, n));
}

// At most furthest_distance. A root that is no whole number is told from one by far fewer bits than there are.
std::int64_t floor_of(const Real& x) {
  const bool near = numerics::less(x, Real(plan::furthest_distance)).value_or(false);
  return near ? numerics::floor(x).value_or(plan::furthest_distance) : plan::furthest_distance;
}
std::int64_t ceiling_of(const Real& x) { return -floor_of(-x); }

// From distance 0 on; a stretch without a distance gives way to the next.
using Side = std::vector<ClassRun>;
void add(Side& side, const ClassRun& next) {
  if (!side.empty() && side.back().from == next.from) side.pop_back();
  side.push_back(next);
}

// The same distances with the other sign; the last one is furthest_distance.
Side mirrored(const Side& side) {
  Side out;
  for (std::size_t i = side.size(); i-- > 0;) {
    const std::int64_t last = i + 1 < side.size() ? side[i + 1].from - 1 : plan::furthest_distance;
    out.push_back({-last, side[i].at(last), -side[i].step});
  }
  return out;
}

// The side of d <= 0 and that of d > 0, each as |d|.
Side joined(const Side& behind, const Side& ahead) {
  Side all = mirrored(behind);
  for (const ClassRun& each : ahead) add(all, each.from > 0 ? each : ClassRun{1, each.at(1), each.step});
  return all;
}

// Distance m has class m below e, and class e + j from its edge on, as far as `furthest`.
Side log_side(const LogBuckets& log, std::int64_t classes, std::int64_t furthest) {
  const std::int64_t e = classes / 2, n = classes - e;
  Side side = {{0, 0, 1}};
  add(side, {e, e, 0});
  for (std::int64_t j = 1; j < n && side.back().from <= furthest; ++j) {
    add(side, {ceiling_of(edge(e, log.reach, j, n)), e + j, 0});
  }
  return side;
}

Side stretches(const LogBuckets& log, std::int64_t furthest) {
  if (log.sides == DistanceSides::one) return joined(log_side(log, log.count, furthest), {{0, 0, 0}});
  const Side behind = log_side(log, log.count / 2, furthest);
  Side ahead = behind;
  for (ClassRun& each : ahead) each.first += log.count / 2;
  return joined(behind, ahead);
}

// Class e + j ends at its edge; there are as many as `furthest` needs.
Side stretches(const SignedLogBuckets& log, std::int64_t furthest) {
  const std::int64_t e = log.count / 2;
  Side ahead = {{0, 0, 1}};
  std::int64_t last = e;
  for (std::int64_t j = 1; last < furthest; ++j) {
    add(ahead, {last + 1, e + j, 0});
    last = floor_of(edge(e, log.reach - 1, j, e - 1));
  }
  Side behind = ahead;
  for (ClassRun& each : behind) each.first = -each.first, each.step = -each.step;
  return joined(behind, ahead);
}

Side stretches(const ClipBuckets& clip, std::int64_t) {
  Side all = {{-plan::furthest_distance, 0, 0}};
  add(all, {-clip.left, 0, 1});
  add(all, {clip.right, clip.left + clip.right, 0});
  return all;
}

}  // namespace

plan::ClassPlan lower_classes(const Convention& convention, std::int64_t furthest) {
  const auto of = [&]<class Kind>(const Kind& kind) -> plan::ClassPlan {
    if constexpr (requires { stretches(kind, furthest); }) {
      const Side all = stretches(kind, furthest);
      return {kind.sign == DistanceSign::key_minus_query ? all : mirrored(all)};
    }
    return {};  // a window has no distances
  };
  return std::visit(of, std::get<Buckets>(convention).classes);
}

std::int64_t extra_classes(const Convention& convention) {
  return std::get<WindowBuckets>(std::get<Buckets>(convention).classes).extra;
}

}  // namespace posenc
