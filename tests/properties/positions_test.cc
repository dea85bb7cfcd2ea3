// SPDX-License-Identifier: Apache-2.0
// The same positions said in other ways have rows of the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/properties/random_rows.h"

namespace posenc {
namespace {

using properties::Bits;
using properties::table;

Rows random_table() { return Rows(preset("transformer").convention, 2 * *rc::gen::inRange<std::int64_t>(1, 40)); }

struct Line {
  std::int64_t start, step, count;
  Positions range() const { return Positions::range(start, count, step); }
  std::int64_t at(std::int64_t i) const { return start + i * step; }
};

/// Steps of either sign and 0, near 0 and at both ends of int64.
Line random_line() {
  const auto step = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-3, 4),
                                    rc::gen::inRange<std::int64_t>(-(std::int64_t{1} << 56), std::int64_t{1} << 56));
  const auto count = *rc::gen::inRange<std::int64_t>(0, 25);
  const std::int64_t reach = 25 * step, highest = std::numeric_limits<std::int64_t>::max();
  const auto start =
      *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-100, 100), rc::gen::just(reach > 0 ? highest - reach : highest),
                      rc::gen::just(reach < 0 ? -highest - 1 - reach : -highest - 1));
  return {start, step, count};
}

/// A list with gaps, forwards or backwards in memory.
template <class T>
struct List {
  std::vector<T> memory;
  ConstView view;

  List(const std::vector<T>& values, std::int64_t gap) : memory(values.size() * 3 + 1, T(77)) {
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t first = gap < 0 && count > 0 ? -gap * (count - 1) : 0;
    view = {memory.data() + first, dtype_of<T>, 1, {count}, {gap}};
    for (std::int64_t i = 0; i < count; ++i) {
      memory[static_cast<std::size_t>(first + i * gap)] = values[static_cast<std::size_t>(i)];
    }
  }
};

std::int64_t random_gap() { return *rc::gen::element<std::int64_t>(1, 2, 3, -1, -2, -3); }

/// Rows of one position each, one after the other.
template <class T>
Bits one_by_one(const Rows& rows, const std::vector<T>& positions, DType type) {
  Bits out(type, {std::ssize(positions), rows.width()});
  for (std::int64_t i = 0; i < std::ssize(positions); ++i) {
    rows.write(Positions::at(positions[static_cast<std::size_t>(i)]), out.part(0, i, 1));
  }
  return out;
}

RC_GTEST_PROP(Positions, ARangeAListAndSinglePositionsHaveTheSameRows, ()) {
  const Rows rows = random_table();
  const DType type = properties::random_real();
  const Line line = random_line();
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < line.count; ++i) values.push_back(line.at(i));
  const Bits expected = table(rows, line.range(), type);
  RC_ASSERT(table(rows, Positions::list(List(values, random_gap()).view), type) == expected);
  RC_ASSERT(one_by_one(rows, values, type) == expected);
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  if (std::equal(values.begin(), values.end(), narrow.begin())) {
    RC_ASSERT(table(rows, Positions::list(List(narrow, random_gap()).view), type) == expected);
  }
}

RC_GTEST_PROP(Positions, ARealRangeAListAndSinglePositionsHaveTheSameRows, ()) {
  const Rows rows = random_table();
  const DType type = properties::random_real();
  const auto real = [](int exponent) {
    const auto fraction = static_cast<double>(*rc::gen::inRange<std::int64_t>(-1000000007, 1000000007));
    return std::ldexp(fraction, *rc::gen::inRange(-60, exponent));
  };
  const double start = real(21), step = real(15);  // below 2^53 together
  const auto count = *rc::gen::inRange<std::int64_t>(0, 25);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(start + static_cast<double>(i) * step);
  const Bits expected = table(rows, Positions::range(start, count, step), type);
  RC_ASSERT(table(rows, Positions::list(List(values, random_gap()).view), type) == expected);
  RC_ASSERT(one_by_one(rows, values, type) == expected);
}

RC_GTEST_PROP(Positions, PartsOfARangeJoinToItsTable, ()) {
  const Rows rows = random_table();
  const DType type = properties::random_real();
  const Line line = random_line();
  Bits joined(type, {line.count, rows.width()});
  const std::vector<std::int64_t> cuts = properties::random_cuts(line.count);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::int64_t count = cuts[i + 1] - cuts[i];
    rows.write(Positions::range(line.at(cuts[i]), count, line.step), joined.part(0, cuts[i], count));
  }
  RC_ASSERT(joined == table(rows, line.range(), type));
}

RC_GTEST_PROP(Positions, BackwardsHaveTheRowsBackwards, ()) {
  const Rows rows = random_table();
  const DType type = properties::random_real();
  const Line line = random_line();
  RC_PRE(line.count > 0);
  const Line back = {line.at(line.count - 1), -line.step, line.count};
  Bits turned(type, {line.count, rows.width()});
  View upwards = turned.part(0, line.count - 1, line.count);  // from the last row on, up
  upwards.strides[0] = -upwards.strides[0];
  rows.write(back.range(), upwards);
  RC_ASSERT(turned == table(rows, line.range(), type));
}

}  // namespace
}  // namespace posenc
