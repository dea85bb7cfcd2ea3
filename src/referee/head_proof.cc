// SPDX-License-Identifier: Apache-2.0
// The proof of an order: both rotations made of the same random numbers, before and after their rows are moved.
#include <posenc/referee/head_order.h>
#include <posenc/rotary.h>

#include <algorithm>
#include <bit>

#include "src/base/environment.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

// Near 0, where every convention agrees, and where the fastest and the slowest pairs have turned. Those of a decay are
// counted from its centre, and near enough for every factor to be a normal number.
constexpr std::int64_t tokens = 4;
using Tokens = std::array<std::int64_t, tokens>;
constexpr Tokens plain_tokens = {1, 7, 4096, 1048573}, decaying_tokens = {1, 7, 64, 509};
constexpr std::int64_t most_rows = std::int64_t{1} << 26;  // in all, which bounds the memory

// f32 numbers in [-1, 1) by SplitMix64 (Steele, Lea, Flood 2014, figure 16).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  float next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return static_cast<float>(static_cast<std::int64_t>(z) >> 40) * 0x1p-23f;
  }

 private:
  std::uint64_t state_;
};

// Heads of one kind, [H, L, d].
struct Heads {
  std::vector<float> numbers;
  std::int64_t columns;

  std::int64_t count() const { return std::ssize(numbers) / (tokens * columns); }
  std::span<const float> row(std::int64_t head, std::int64_t token) const {
    return std::span(numbers).subspan(static_cast<std::size_t>((head * tokens + token) * columns),
                                      static_cast<std::size_t>(columns));
  }
};
// Queries, then keys.
using Both = std::array<Heads, 2>;

// Rows [heads of the projection x d, L], as a projection of L tokens has them.
void add_heads(const Projection& projection, const std::vector<float>& rows, Both& both) {
  const std::int64_t d = both[0].columns;
  for (std::int64_t i = 0; i < head_count(projection); ++i) {
    const Holds holds = head_at(projection, i);
    if (holds == Holds::value) continue;
    Heads& heads = both[holds == Holds::query ? 0 : 1];
    for (std::int64_t token = 0; token < tokens; ++token) {
      for (std::int64_t c = 0; c < d; ++c) {
        heads.numbers.push_back(rows[static_cast<std::size_t>((i * d + c) * tokens + token)]);
      }
    }
  }
}

std::optional<Problem> turned_by(const Convention& convention, const Context& context, Both& both) {
  const std::int64_t d = both[0].columns;
  const RotaryRows rows(convention, d, {.context = context});
  const plan::PairPlan plan = lower_pairs(convention, {.width = d, .context = context});
  const std::int64_t first = plan.decay ? static_cast<std::int64_t>(*context.centre) : 0;
  std::vector<Rotated> tensors;
  for (const std::size_t side : {0u, 1u}) {
    if (both[side].numbers.empty()) continue;
    tensors.emplace_back(view(both[side].numbers.data(), {both[side].count(), tokens, d}),
                         side == 0 ? RotatedSide::query : RotatedSide::key, TokenAxis::before_columns);
  }
  std::vector<Positions> coordinates;  // each axis its own numbers, or two of them could be exchanged unseen
  std::vector<Tokens> lists(rows.axes().size(), plan.decay ? decaying_tokens : plain_tokens);
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    for (std::int64_t& position : lists[axis]) position += first + static_cast<std::int64_t>(5 * axis);
  }
  for (const Tokens& list : lists) coordinates.push_back(Positions::list(view(list.data(), {tokens})));
  if (auto problem = rows.check_rotate(coordinates, tensors)) return problem;
  return rows.rotate_checked(coordinates, tensors, Direction::forward, serial);
}

// Counted over both sides; the first place where `in_new` is not the old row in its order.
std::optional<std::int64_t> first_parted(const HeadOrder& order, const Both& in_old, const Both& in_new) {
  std::int64_t counted = 0;
  for (const std::size_t side : {0u, 1u}) {
    for (std::int64_t head = 0; head < in_old[side].count(); ++head) {
      for (std::int64_t token = 0; token < tokens; ++token) {
        const std::span<const float> old_row = in_old[side].row(head, token), new_row = in_new[side].row(head, token);
        for (std::size_t c = 0; c < new_row.size(); ++c, ++counted) {
          const float moved = old_row[static_cast<std::size_t>(order.written[c])];
          if (std::bit_cast<std::uint32_t>(moved) != std::bit_cast<std::uint32_t>(new_row[c])) return counted;
        }
      }
    }
  }
  return std::nullopt;
}

float score(std::span<const float> q, std::span<const float> k) {
  float sum = 0;
  for (std::size_t c = 0; c < q.size(); ++c) sum += q[c] * k[c];
  return sum;
}

// A sum of d products errs by at most g = d u / (1 - d u) times the sum of their sizes (Higham 2002, section 3.1).
double score_bound(std::span<const float> q, std::span<const float> k) {
  double sizes = 0;
  for (std::size_t c = 0; c < q.size(); ++c) {
    const double product = static_cast<double>(q[c]) * static_cast<double>(k[c]);
    sizes += product < 0 ? -product : product;
  }
  const double du = static_cast<double>(q.size()) * 0x1p-24;
  return 2 * du / (1 - du) * sizes;
}

// Of every query with the key head that it meets; where there is one side alone, with itself.
bool compare_scores(const Both& in_old, const Both& in_new, HeadProof& proof) {
  const std::size_t queries = in_old[0].numbers.empty() ? 1 : 0, keys = in_old[1].numbers.empty() ? 0 : 1;
  const std::int64_t count = in_old[queries].count(), key_count = in_old[keys].count();
  bool within = true;
  for (std::int64_t head = 0; head < count; ++head) {
    const std::int64_t met = head * key_count / count;
    for (std::int64_t i = 0; i < tokens * tokens; ++i) {
      const auto q = in_old[queries].row(head, i / tokens), k = in_old[keys].row(met, i % tokens);
      const float before = score(q, k);
      const float after = score(in_new[queries].row(head, i / tokens), in_new[keys].row(met, i % tokens));
      const double apart = static_cast<double>(before) - static_cast<double>(after);
      const double difference = apart < 0 ? -apart : apart, bound = score_bound(q, k);
      within &= difference <= bound;
      if (difference <= proof.difference) continue;
      proof.difference = difference;
      proof.bound = bound;
    }
  }
  return within;
}

Problem unproven(std::string rule, std::string value) {
  return {"prove_head_order", std::move(rule), std::move(value)};
}

}  // namespace

std::optional<Problem> check_prove_head_order(const Convention& from, const Convention& to, const HeadOrder& order,
                                              std::span<const Projection> projections, const Options& options) {
  const DefaultEnvironment environment;
  const std::int64_t d = std::ssize(order.read);
  if (auto problem = check_head_order(from, to, d, options)) return problem;
  if (auto problem = check_reorder_head(order, {}, {})) return problem;
  bool turns = false;
  std::int64_t rows = 0;
  for (const Projection& projection : projections) {
    if (auto problem = check_projection(projection)) return problem;
    rows += head_count(projection) * d;
    if (rows > most_rows) return unproven("heads x columns must be at most 2^26", std::to_string(rows));
    turns |= std::ranges::any_of(projection.runs, [](const HeadRun& run) { return run.holds != Holds::value; });
  }
  if (!turns) return unproven("there must be a query or a key", "none");
  return std::nullopt;
}

std::optional<Problem> detail::prove_head_order(const Convention& from, const Convention& to, const HeadOrder& order,
                                                std::span<const Projection> projections, const Context& context,
                                                std::uint64_t seed, HeadProof& proof) {
  const DefaultEnvironment environment;
  const std::int64_t d = std::ssize(order.read);
  Both in_old = {Heads{{}, d}, Heads{{}, d}}, in_new = in_old;
  Numbers numbers(seed);
  for (const Projection& projection : projections) {
    std::vector<float> rows(static_cast<std::size_t>(head_count(projection) * d * tokens));
    for (float& number : rows) number = numbers.next();
    std::vector<float> moved(rows.size());
    detail::reorder_rows(order, projection, std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(moved)));
    add_heads(projection, rows, in_old);
    add_heads(projection, moved, in_new);
  }
  if (auto problem = turned_by(from, context, in_old)) return problem;
  if (auto problem = turned_by(to, context, in_new)) return problem;
  proof = {in_old[0].count() + in_old[1].count(), d, tokens, first_parted(order, in_old, in_new), 0, 0, false};
  proof.holds = compare_scores(in_old, in_new, proof) && !proof.parted;
  return std::nullopt;
}

}  // namespace posenc
