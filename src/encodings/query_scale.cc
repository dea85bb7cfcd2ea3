// SPDX-License-Identifier: Apache-2.0
// Factors of queries: a logarithm for each step, or for each position.
#include <posenc/query_scale.h>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/encodings/query_factor.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::Rational;

constexpr std::int64_t most_steps = std::int64_t{1} << 62;
constexpr std::int64_t block_positions = 64;  // some milliseconds of logarithms

// A call's positions, list by list.
struct Lists {
  const Positions& positions;
  std::int64_t count() const { return rank(positions) == 2 ? positions.list_.size(0) : 1; }
};

std::optional<Problem> check_steps_of(const plan::FactorPlan& plan, const Positions& positions, std::int64_t b,
                                      std::int64_t t) {
  const Rational steps = (Rational(position_at(positions, b, t)) + plan.origin) / plan.every;
  if (steps >= Rational(0) && steps < Rational(most_steps)) return std::nullopt;
  Problem problem = {"query_scale", "positions must be from -origin on, and below 2^62 steps", "another"};
  problem.index = rank(positions) == 2 ? std::vector{b, t} : std::vector{t};
  return problem;
}

// Neighbours often have a factor in common.
template <class T>
struct Made {
  const plan::FactorPlan& plan;
  Rational last = Rational(0);
  std::optional<T> value = T(1.0f);

  const std::optional<T>& at(const Rational& p) {
    const Rational x = factor_argument(plan, p);
    if (x == last) return value;
    last = x;
    return value = numerics::rounded<T>(factor_of(plan, x));
  }
};

}  // namespace

std::optional<Problem> check_query_scale(const Convention& convention, const Positions& positions, const View& out,
                                         const Options& options) {
  if (auto problem = check_use("query_scale", ConventionUse::query_scales, convention)) return problem;
  if (auto problem = check_exact("query_scale", options)) return problem;
  if (auto problem = check_lower(convention, {})) return problem;
  if (auto problem = check_real("query_scale", out, 1, 2, "[L] or [B, L]")) return problem;
  if (auto problem = check_positions("query_scale", positions)) return problem;
  const bool as_many = out.size(-1) == positions.count_ && out.rank == rank(positions);
  if (!as_many || (out.rank == 2 && out.size(0) != positions.list_.size(0))) {
    return Problem{"query_scale", "out must have the shape of the positions, a number each", shape_text(out)};
  }
  if (auto problem = check_lists("query_scale", positions, out)) return problem;
  const plan::FactorPlan plan = lower_factor(convention);
  if (!plan.by_steps()) return std::nullopt;
  for (std::int64_t b = 0; b < Lists{positions}.count(); ++b) {
    for (std::int64_t t = 0; t < positions.count_; ++t) {
      if (auto problem = check_steps_of(plan, positions, b, t)) return problem;
    }
  }
  return std::nullopt;
}

namespace detail {

std::optional<Problem> query_scale(const Convention& convention, const Positions& positions, const View& out,
                                   const Executor& executor) {
  const DefaultEnvironment environment;
  const plan::FactorPlan plan = lower_factor(convention);
  Decided decided;
  with_real(out.dtype, [&]<class T>(T) {
    for (std::int64_t b = 0; b < Lists{positions}.count(); ++b) {
      const StridedRow<T> to = out.rank == 2 ? strided_row<T>(out, {b}) : strided_row<T>(out, {});
      for_blocks(executor, positions.count_, block_positions, [&](std::int64_t begin, std::int64_t end) {
        Made<T> made = {plan};
        for (std::int64_t t = begin; t < end; ++t) {
          const std::optional<T>& value = made.at(Rational(position_at(positions, b, t)));
          decided.also(value.has_value());
          if (value) to[t] = *value;
        }
      });
    }
  });
  return undecided_unless(decided.all(), "query_scale");
}

}  // namespace detail
}  // namespace posenc
