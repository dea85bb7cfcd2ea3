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

using Columns = std::array<std::uint32_t, 2>;

// The run of columns that begins with two pairs, if there is one.
std::optional<RunColumns> run_of(const Columns& one, const Columns& next) {
  const std::uint32_t step = next[0] - one[0];
  if (next[1] - one[1] != step || (step != 1 && (step != 2 || one[1] != one[0] + 1))) return std::nullopt;
  return RunColumns{one[0], one[1], step};
}

Columns columns(const RunColumns& run, std::uint32_t i) {
  return {run.first + i * run.step, run.second + i * run.step};
}

// A run of one pair; of columns that stand together it is known as such.
RunColumns run_of(const Columns& one) { return {one[0], one[1], one[1] == one[0] + 1 ? 2u : 1u}; }

// Does the pair behind a run go on with it? The second pair of a run says how.
bool goes_on(PairRun& run, const Pair& next) {
  if (run.count == 1) {
    const std::optional<RunColumns> read = run_of(columns(run.read, 0), next.read),
                                    written = run_of(columns(run.written, 0), next.written);
    if (!read || !written) return false;
    run.read = *read, run.written = *written;
  } else if (columns(run.read, run.count) != next.read || columns(run.written, run.count) != next.written) {
    return false;
  }
  ++run.count;
  return true;
}

std::vector<Placement::Stretch> kept_of(std::span<const Pair> pairs, const Placement::Stretch& reach) {
  std::vector<bool> written(reach.end);
  for (const Pair& pair : pairs) written[pair.written[0]] = written[pair.written[1]] = true;
  std::vector<Placement::Stretch> kept;
  for (std::uint32_t c = reach.first; c < reach.end; ++c) {
    if (written[c]) continue;
    if (kept.empty() || kept.back().end != c) kept.push_back({c, c});
    ++kept.back().end;
  }
  return kept;
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

Placement placement(std::span<const Pair> pairs) {
  Placement made = {{}, {pairs.front().read[0], 0}, {}, false};
  for (std::uint32_t k = 0; k < pairs.size(); ++k) {
    const Pair& pair = pairs[k];
    if (made.runs.empty() || !goes_on(made.runs.back(), pair)) {
      made.runs.push_back({k, 1, run_of(pair.read), run_of(pair.written)});
    }
    for (const std::uint32_t c : {pair.read[0], pair.read[1], pair.written[0], pair.written[1]}) {
      made.reach = {std::min(made.reach.first, c), std::max(made.reach.end, c + 1)};
    }
    made.moves |= pair.read != pair.written;
  }
  made.kept = kept_of(pairs, made.reach);
  return made;
}

std::vector<Pair> transposed(std::vector<Pair> pairs) {
  for (Pair& pair : pairs) std::swap(pair.read, pair.written);
  return pairs;
}

}  // namespace posenc::plan
