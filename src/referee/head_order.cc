// SPDX-License-Identifier: Apache-2.0
// The order of a head's columns, from the plans of two rotations: which pair of one is which of the other.
#include <posenc/referee/head_order.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "src/base/environment.h"
#include "src/conventions/lower.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

using plan::Pair;
using plan::PairPlan;

Problem no_order(std::string rule, std::string value) { return {"head_order", std::move(rule), std::move(value)}; }

// The same rotation of a plan that turns forward: (u, v) turned back by (a, b) is (v, u) turned by (b, a).
PairPlan turned_forward(PairPlan plan) {
  if (plan.turning == plan::Turning::forward) return plan;
  for (Pair& pair : plan.pairs) {
    std::swap(pair.read[0], pair.read[1]);
    std::swap(pair.written[0], pair.written[1]);
    std::swap(pair.angles[0], pair.angles[1]);
  }
  plan.turning = plan::Turning::forward;
  return plan;
}

PairPlan plan_of(const Convention& convention, std::int64_t head, const Context& context) {
  return turned_forward(lower_pairs(convention, {.width = head, .context = context}));
}

// Pair numbers, pairs of one angle next to each other and in the order of the plan.
std::vector<std::size_t> by_angles(const PairPlan& plan) {
  std::vector<std::size_t> order(plan.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t k) {
    const auto& [a, b] = plan.pairs[k].angles;
    return std::tuple(a.axis, a.frequency, b.axis, b.frequency, k);
  };
  std::ranges::sort(order, {}, key);
  return order;
}

// Pairs by their places in ladders that both plans share, else in the order of the plans.
struct Orders {
  std::vector<std::size_t> from, to;
};
Orders orders_of(const PairPlan& from, const PairPlan& to) {
  Orders orders = {by_angles(from), by_angles(to)};
  if (from.ladders == to.ladders) return orders;
  std::iota(orders.from.begin(), orders.from.end(), std::size_t{0});
  return {orders.from, orders.from};
}

bool turn_alike(const PairPlan& from, const Pair& old_pair, const PairPlan& to, const Pair& new_pair, bool one_ladder) {
  if (one_ladder) return old_pair.angles == new_pair.angles;
  return plan::frequencies(from.ladders, old_pair.angles[0]) == plan::frequencies(to.ladders, new_pair.angles[0]) &&
         plan::frequencies(from.ladders, old_pair.angles[1]) == plan::frequencies(to.ladders, new_pair.angles[1]);
}

bool decay_alike(const PairPlan& from, std::size_t k, const PairPlan& to, std::size_t j) {
  return !from.decay || from.decay->factors[k] == to.decay->factors[j];
}

std::optional<Problem> check_columns(const PairPlan& plan) {
  std::vector<bool> read(static_cast<std::size_t>(plan.width)), written = read;
  for (const Pair& pair : plan.pairs) {
    for (const std::size_t i : {0u, 1u}) read[pair.read[i]] = written[pair.written[i]] = true;
  }
  const auto parted = std::ranges::mismatch(read, written).in1;
  if (parted == read.end()) return std::nullopt;
  return no_order("a rotation must write the columns that it reads",
                  "column " + std::to_string(parted - read.begin()) + ", which it does not");
}

std::optional<Problem> check_whole(const PairPlan& from, const PairPlan& to) {
  if (from.axes != to.axes) return no_order("both rotations must have the same coordinates", "others");
  if (!(from.magnitude == to.magnitude)) return no_order("both rotations must have one magnitude", "two");
  const bool decays =
      from.decay && to.decay && from.decay->centre == to.decay->centre && from.decay->period == to.decay->period;
  if (from.decay.has_value() != to.decay.has_value() || (from.decay && !decays)) {
    return no_order("both rotations must have the same decay", "another");
  }
  if (from.pairs.size() != to.pairs.size()) {
    return no_order("both rotations must turn as many pairs",
                    std::to_string(from.pairs.size()) + " and " + std::to_string(to.pairs.size()));
  }
  if (auto problem = check_columns(from)) return problem;
  return check_columns(to);
}

std::optional<Problem> check_pairs(const PairPlan& from, const PairPlan& to) {
  if (auto problem = check_whole(from, to)) return problem;
  const bool one_ladder = from.ladders == to.ladders;
  const Orders orders = orders_of(from, to);
  for (std::size_t i = 0; i < orders.from.size(); ++i) {
    const std::size_t k = orders.from[i], j = orders.to[i];
    if (turn_alike(from, from.pairs[k], to, to.pairs[j], one_ladder) && decay_alike(from, k, to, j)) continue;
    return no_order("each pair must have one of the other rotation that turns alike",
                    "pairs " + std::to_string(k) + " and " + std::to_string(j));
  }
  return std::nullopt;
}

// Columns that no pair has, in their order.
void keep_others(const std::vector<bool>& old_pairs, const std::vector<bool>& new_pairs,
                 std::vector<std::int64_t>& columns) {
  std::size_t old_column = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (new_pairs[c]) continue;
    while (old_pairs[old_column]) ++old_column;
    columns[c] = static_cast<std::int64_t>(old_column++);
  }
}

std::vector<std::int64_t> inverted(const std::vector<std::int64_t>& columns) {
  std::vector<std::int64_t> back(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    back[static_cast<std::size_t>(columns[c])] = static_cast<std::int64_t>(c);
  }
  return back;
}

}  // namespace

std::optional<Problem> check_head_order(const Convention& from, const Convention& to, std::int64_t head,
                                        const Options& options) {
  const DefaultEnvironment environment;
  const Context& context = options.context;
  if (auto problem = check_exact("head_order", options)) return problem;
  if (auto problem = check_context(context)) return problem;
  for (const Convention* each : {&from, &to}) {
    if (auto problem = check_use("head_order", ConventionUse::rotations, *each)) return problem;
    if (auto problem = check_lower(*each, {.width = head, .context = context})) return problem;
  }
  const std::vector<std::string> old_axes = axes_of(from), new_axes = axes_of(to);
  if (old_axes.size() > 1 && old_axes != new_axes) {
    return no_order("both rotations must have the same axes in one order", "others");
  }
  return check_pairs(plan_of(from, head, context), plan_of(to, head, context));
}

HeadOrder detail::head_order(const Convention& from, const Convention& to, std::int64_t head, const Context& context) {
  const DefaultEnvironment environment;
  const PairPlan old_plan = plan_of(from, head, context), new_plan = plan_of(to, head, context);
  const Orders orders = orders_of(old_plan, new_plan);
  const auto width = static_cast<std::size_t>(head);
  HeadOrder order = {std::vector<std::int64_t>(width), std::vector<std::int64_t>(width)};
  std::vector<bool> old_pairs(width), new_pairs(width);
  for (std::size_t at = 0; at < orders.from.size(); ++at) {
    const Pair &old_pair = old_plan.pairs[orders.from[at]], &new_pair = new_plan.pairs[orders.to[at]];
    for (const std::size_t i : {0u, 1u}) {
      order.read[new_pair.read[i]] = old_pair.read[i];
      order.written[new_pair.written[i]] = old_pair.written[i];
      old_pairs[old_pair.read[i]] = new_pairs[new_pair.read[i]] = true;
    }
  }
  keep_others(old_pairs, new_pairs, order.read);
  keep_others(old_pairs, new_pairs, order.written);
  return order;
}

HeadOrder inverse(const HeadOrder& order) { return {inverted(order.read), inverted(order.written)}; }

}  // namespace posenc
