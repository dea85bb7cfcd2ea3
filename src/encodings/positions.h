// SPDX-License-Identifier: Apache-2.0
// Reading positions one by one, each as an exact binary fraction.
#pragma once

#include <posenc/positions.h>

#include "src/base/overlap.h"
#include "src/numerics/dyadic.h"

namespace posenc {

/// Axes of checked positions: 1 for [L], 2 for [B, L].
inline int rank(const Positions& positions) {
  return positions.kind_ == Positions::Kind::list ? positions.list_.rank : 1;
}

/// Position t of a range of integers. Unsigned, since t step alone may leave int64 where start + t step does not.
inline std::int64_t integer_of_range(const Positions& range, std::int64_t t) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(range.start_) +
                                   static_cast<std::uint64_t>(t) * static_cast<std::uint64_t>(range.step_));
}

/// One integer keeps the rules of positions, whichever it is.
inline bool is_one_integer(const Positions& positions) {
  return positions.kind_ == Positions::Kind::integers && positions.count_ == 1;
}

/// Position t of sequence b of reals or of a list.
numerics::Dyadic other_position_at(const Positions& positions, std::int64_t b, std::int64_t t);

/// Position t of sequence b; b is 0 where one list serves every sequence.
inline numerics::Dyadic position_at(const Positions& positions, std::int64_t b, std::int64_t t) {
  if (positions.kind_ == Positions::Kind::integers) return numerics::dyadic(integer_of_range(positions, t));
  return other_position_at(positions, b, t);
}

/// Is position (b, t) an integer, and which? Positions of an integer type always are.
std::optional<std::int64_t> integer_at(const Positions& positions, std::int64_t b, std::int64_t t);

/// No list of positions has an element of an output.
inline std::optional<Problem> check_lists(std::string_view operation, std::span<const Positions> lists,
                                          const View& out) {
  for (const Positions& positions : lists) {
    if (positions.kind_ != Positions::Kind::list) continue;
    if (auto problem = check_apart(operation, "positions", positions.list_, "out", out)) return problem;
  }
  return std::nullopt;
}
inline std::optional<Problem> check_lists(std::string_view operation, const Positions& positions, const View& out) {
  return check_lists(operation, std::span(&positions, 1), out);
}

/// Positions [first, first + count) of list b; b is 0 where one list serves every sequence.
struct RowRange {
  std::int64_t b, first, count;
};

/// (start + i step) 2^exponent, i = 0, 1, ...
struct Spaced {
  std::int64_t start, step;
  int exponent;  // at most 0
};

/// The positions of a range when they are equally spaced without any rounding: all ranges of integers, and those of
/// reals whose values and multiples of the step are all binary fractions that f64 holds; lists of two or more that hold
/// the same.
std::optional<Spaced> spaced(const Positions& positions, const RowRange& range);

}  // namespace posenc
