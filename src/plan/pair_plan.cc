// SPDX-License-Identifier: Apache-2.0
// Pair plans compared by what they turn, and those that kernels take.
#include "src/plan/pair_plan.h"

#include <algorithm>

namespace posenc::plan {
namespace {

bool same_turn(const PairPlan& a, const Pair& in_a, const PairPlan& b, const Pair& in_b) {
  return in_a.read == in_b.read && in_a.written == in_b.written &&
         frequencies(a.ladders, in_a.angles[0]) == frequencies(b.ladders, in_b.angles[0]) &&
         frequencies(a.ladders, in_a.angles[1]) == frequencies(b.ladders, in_b.angles[1]);
}

}  // namespace

bool operator==(const PairPlan& a, const PairPlan& b) {
  if (a.axes != b.axes || a.width != b.width || !(a.magnitude == b.magnitude) || a.decay != b.decay ||
      a.turning != b.turning || a.pairs.size() != b.pairs.size()) {
    return false;
  }
  if (a.pairs == b.pairs && a.ladders == b.ladders) return true;
  for (std::size_t k = 0; k < a.pairs.size(); ++k) {
    if (!same_turn(a, a.pairs[k], b, b.pairs[k])) return false;
  }
  return true;
}

bool turns_by_one_angle(const PairPlan& plan) {
  return std::ranges::all_of(plan.pairs, [](const Pair& pair) { return pair.angles[0] == pair.angles[1]; });
}

std::optional<Pairs> plain_pairs(const PairPlan& plan) {
  if (plan.decay) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(plan.pairs.size());
  const auto all = [&](const auto& first, const auto& second) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const Angle angle = plan.pairs[k].angles[0];
      const std::array<std::uint32_t, 2> columns = {first(k), second(k)};
      if (angle.axis == every_axis || plan.pairs[k] != Pair{columns, columns, {angle, angle}}) return false;
    }
    return true;
  };
  if (all([](auto k) { return 2 * k; }, [](auto k) { return 2 * k + 1; })) return Pairs::adjacent;
  if (all([](auto k) { return k; }, [&](auto k) { return k + n; })) return Pairs::split_half;
  return std::nullopt;
}

}  // namespace posenc::plan
