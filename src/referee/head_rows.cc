// SPDX-License-Identifier: Apache-2.0
// Rows of projections, moved head by head.
#include <posenc/referee/head_order.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace posenc {
namespace {

constexpr std::int64_t most_heads = std::int64_t{1} << 24;

Problem misfit(std::string rule, std::string value) { return {"reorder_rows", std::move(rule), std::move(value)}; }

std::int64_t heads_of_group(const Projection& projection) {
  std::int64_t heads = 0;
  for (const HeadRun& run : projection.runs) heads += run.heads;
  return heads;
}

std::optional<Problem> check_rows(std::int64_t rows, std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.size() != out.size()) {
    return misfit("out must have the " + std::to_string(in.size()) + " bytes of in", std::to_string(out.size()));
  }
  if (rows == 0 || in.size() % static_cast<std::size_t>(rows) != 0) {
    return misfit("in must be " + std::to_string(rows) + " rows of as many bytes each",
                  std::to_string(in.size()) + " bytes");
  }
  const std::less<> before;  // of pointers into different objects
  const bool meet = before(in.data(), out.data() + out.size()) && before(out.data(), in.data() + in.size());
  if (meet && !in.empty()) return misfit("in and out must share no byte", "some that they share");
  return std::nullopt;
}

// Each number from 0 to d - 1 once.
bool is_order(const std::vector<std::int64_t>& columns) {
  std::vector<bool> seen(columns.size());
  for (const std::int64_t c : columns) {
    if (c < 0 || c >= std::ssize(columns) || seen[static_cast<std::size_t>(c)]) return false;
    seen[static_cast<std::size_t>(c)] = true;
  }
  return true;
}

std::optional<Problem> check_order(const HeadOrder& order) {
  if (!order.read.empty() && order.read.size() == order.written.size() && is_order(order.read) &&
      is_order(order.written)) {
    return std::nullopt;
  }
  return misfit("an order must have each column once", "another list");
}

}  // namespace

std::optional<Problem> check_projection(const Projection& projection) {
  const auto bad = [](std::string rule, std::int64_t value) { return misfit(std::move(rule), std::to_string(value)); };
  const std::string limits = " must be 1 to " + std::to_string(most_heads);
  const auto within = [](std::int64_t count) { return count >= 1 && count <= most_heads; };
  if (projection.runs.empty()) return misfit("a projection must have heads", "none");
  if (!within(projection.groups)) return bad("groups" + limits, projection.groups);
  std::int64_t heads = 0;
  for (const HeadRun& run : projection.runs) {
    if (!within(run.heads)) return bad("heads" + limits, run.heads);
    if (run.holds < Holds::query || run.holds > Holds::value) {
      return misfit("what heads hold must be query, key or value", "none");
    }
    heads = std::min(heads + run.heads, most_heads + 1);
  }
  if (!within(heads * projection.groups)) return bad("heads in all" + limits, heads * projection.groups);
  return std::nullopt;
}

std::int64_t head_count(const Projection& projection) { return projection.groups * heads_of_group(projection); }

Holds head_at(const Projection& projection, std::int64_t i) {
  std::int64_t left = i % heads_of_group(projection);
  auto run = projection.runs.begin();
  while (left >= run->heads) left -= (run++)->heads;
  return run->holds;
}

std::optional<Problem> check_reorder_head(const HeadOrder& order, std::span<const std::byte> in,
                                          std::span<std::byte> out) {
  if (auto problem = check_order(order)) return problem;
  return check_rows(std::ssize(order.read), in, out);
}

std::optional<Problem> check_reorder_rows(const HeadOrder& order, const Projection& projection,
                                          std::span<const std::byte> in, std::span<std::byte> out) {
  if (auto problem = check_order(order)) return problem;
  if (auto problem = check_projection(projection)) return problem;
  return check_rows(head_count(projection) * std::ssize(order.read), in, out);
}

void detail::reorder_head(const HeadOrder& order, std::span<const std::byte> in, std::span<std::byte> out) {
  const std::size_t row = in.size() / order.read.size();
  if (row == 0) return;
  for (std::size_t c = 0; c < order.read.size(); ++c) {
    std::memcpy(out.data() + c * row, in.data() + static_cast<std::size_t>(order.read[c]) * row, row);
  }
}

void detail::reorder_rows(const HeadOrder& order, const Projection& projection, std::span<const std::byte> in,
                          std::span<std::byte> out) {
  const std::int64_t heads = head_count(projection);
  const std::size_t bytes = in.size() / static_cast<std::size_t>(heads);
  for (std::int64_t i = 0; i < heads; ++i) {
    const auto old_head = in.subspan(static_cast<std::size_t>(i) * bytes, bytes);
    const auto new_head = out.subspan(static_cast<std::size_t>(i) * bytes, bytes);
    if (head_at(projection, i) != Holds::value) {
      detail::reorder_head(order, old_head, new_head);
    } else {
      std::ranges::copy(old_head, new_head.begin());
    }
  }
}

}  // namespace posenc
