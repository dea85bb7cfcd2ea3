// SPDX-License-Identifier: Apache-2.0
// Coordinates under a logarithm: one number for every step along an axis, and its negative.
#include <posenc/log_coordinates.h>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

std::int64_t side_of(const View& out, int axis) { return (out.size(axis) + 1) / 2; }

// Of 0, 1, ... steps. A quotient of logarithms of rationals is rational, which its form shows where bases have a power
// in common, or transcendental.
template <class T>
std::vector<T> of_steps(const numerics::Rational& step, const numerics::Real& over, std::int64_t count,
                        const Executor& executor, Decided& decided) {
  std::vector<T> values(static_cast<std::size_t>(count));
  constexpr std::int64_t steps_of_a_block = 16;  // some 2 ms
  for_blocks(executor, count, steps_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const numerics::Real x = numerics::logarithm(numerics::Rational(1) + numerics::Rational(i) * step);
      const std::optional<T> value = numerics::rounded<T>(numerics::quotient(x, over));
      decided.also(value.has_value());
      values[static_cast<std::size_t>(i)] = value.value_or(T(0.0f));
    }
  });
  return values;
}

template <class T>
T signed_value(const std::vector<T>& values, std::int64_t steps) {
  return steps < 0 ? negated(values[static_cast<std::size_t>(-steps)]) : values[static_cast<std::size_t>(steps)];
}

}  // namespace

std::optional<Problem> check_log_coordinates(const Convention& convention, const View& out, const Options& options) {
  if (auto problem = check_use("log_coordinates", ConventionUse::log_coordinates, convention)) return problem;
  if (auto problem = check_exact("log_coordinates", options)) return problem;
  if (auto problem = check_lower(convention, {})) return problem;
  if (auto problem = check_real("log_coordinates", out, 3, 3, "[2 H - 1, 2 W - 1, 2]")) return problem;
  if (out.size(0) % 2 == 1 && out.size(1) % 2 == 1 && out.size(2) == 2) return std::nullopt;
  return Problem{"log_coordinates", "out must have shape [2 H - 1, 2 W - 1, 2]", shape_text(out)};
}

namespace detail {

std::optional<Problem> log_coordinates(const Convention& convention, const View& out, const Executor& executor) {
  const DefaultEnvironment environment;
  const std::int64_t height = side_of(out, 0), width = side_of(out, 1);
  const plan::CoordinatePlan plan = lower_coordinates(convention, height, width);
  Decided decided;
  with_real(out.dtype, [&]<class T>(T) {
    const std::vector<T> lines = of_steps<T>(plan.steps[0], plan.over, height, executor, decided);
    const std::vector<T> columns = of_steps<T>(plan.steps[1], plan.over, width, executor, decided);
    constexpr std::int64_t lines_of_a_block = 16;
    for_blocks(executor, out.size(0), lines_of_a_block, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        for (std::int64_t x = 0; x < out.size(1); ++x) {
          const StridedRow<T> to = strided_row<T>(out, {y, x});
          to[0] = signed_value(lines, y - (height - 1));
          to[1] = signed_value(columns, x - (width - 1));
        }
      }
    });
  });
  return undecided_unless(decided.all(), "log_coordinates");
}

}  // namespace detail
}  // namespace posenc
