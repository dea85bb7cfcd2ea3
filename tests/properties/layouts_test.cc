// SPDX-License-Identifier: Apache-2.0
// Layouts move columns and change none: each is a permutation of the interleaved row, found here by naming columns.
#include <gtest/gtest.h>
#include <posenc/grid.h>

#include "tests/properties/random_rows.h"

namespace posenc {
namespace {

using properties::Bits;
using properties::table;

/// 's' or 'c' and the frequency, or '0' for a column of zeros.
using Column = std::pair<char, std::int64_t>;

/// The columns of a row, as convention.h draws them.
std::vector<Column> columns_of(Layout layout, std::int64_t sines, std::int64_t cosines, bool zero) {
  std::vector<Column> s, c, row;
  for (std::int64_t k = 0; k < sines; ++k) s.emplace_back('s', k);
  for (std::int64_t k = 0; k < cosines; ++k) c.emplace_back('c', k);
  if (layout == Layout::interleaved) {
    for (std::size_t k = 0; k < s.size(); ++k) {
      row.push_back(s[k]);
      if (k < c.size()) row.push_back(c[k]);
    }
  } else {
    row = layout == Layout::sine_first ? s : c;
    const std::vector<Column>& rest = layout == Layout::sine_first ? c : s;
    row.insert(row.end(), rest.begin(), rest.end());
  }
  if (zero) row.emplace_back('0', 0);
  return row;
}

Ladder random_ladder() {
  return Geometric{static_cast<double>(*rc::gen::inRange(2, 1000000)),
                   static_cast<double>(*rc::gen::inRange(1, 1000)) / 64,
                   *rc::gen::element(Spacing::over_width, Spacing::over_gaps, Spacing::over_gaps_or_one)};
}

Positions random_range() {
  return Positions::range(*rc::gen::inRange<std::int64_t>(-1000000, 1000000), *rc::gen::inRange<std::int64_t>(1, 12),
                          *rc::gen::inRange<std::int64_t>(-9, 10));
}

RC_GTEST_PROP(Layouts, ArePermutationsOfTheInterleavedRow, ()) {
  const auto dim = *rc::gen::inRange<std::int64_t>(3, 60);
  const OddWidth odd = dim % 2 == 0
                           ? OddWidth::refused
                           : *rc::gen::element(OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine);
  const Ladder ladder = random_ladder();
  RC_PRE(!check_width(Sinusoid{ladder, Layout::interleaved, odd}, dim).has_value());
  const std::int64_t cosines = dim / 2, sines = odd == OddWidth::lone_sine ? cosines + 1 : cosines;
  const bool zero = odd == OddWidth::zero_column;
  const DType type = properties::random_real();
  const Positions positions = random_range();
  const Rows plain(Sinusoid{ladder, Layout::interleaved, odd}, dim);
  const Bits expected = table(plain, positions, type);
  const std::vector<Column> from = columns_of(Layout::interleaved, sines, cosines, zero);
  RC_ASSERT(std::ssize(from) == plain.width());
  for (const Layout layout : {Layout::sine_first, Layout::cosine_first}) {
    const Bits found = table(Rows(Sinusoid{ladder, layout, odd}, dim), positions, type);
    const std::vector<Column> to = columns_of(layout, sines, cosines, zero);
    for (std::int64_t i = 0; i < std::ssize(found.bytes) / static_cast<std::int64_t>(size_of(type)); ++i) {
      const std::int64_t t = i / plain.width();
      const Column column = to[static_cast<std::size_t>(i % plain.width())];
      const std::int64_t source = std::find(from.begin(), from.end(), column) - from.begin();
      RC_ASSERT(found.element(i) == expected.element(t * plain.width() + source));
    }
  }
}

RC_GTEST_PROP(Layouts, OfAGridSwapHalvesWithTheirAxes, ()) {
  const auto side = [] { return *rc::gen::inRange<std::int64_t>(1, 6); };
  const std::int64_t height = side(), width = side(), dim = 4 * *rc::gen::inRange<std::int64_t>(1, 12);
  const Ladder ladder = random_ladder();
  const Layout layout = *rc::gen::element(Layout::interleaved, Layout::sine_first, Layout::cosine_first);
  RC_PRE(!check_width(Grid{ladder, layout, AxisOrder::row_first}, dim).has_value());
  const DType type = properties::random_real();
  Bits columns(type, {height, width, dim}), rows(type, {height, width, dim});
  grid(Grid{ladder, layout, AxisOrder::column_first}, columns.view);
  grid(Grid{ladder, layout, AxisOrder::row_first}, rows.view);
  for (std::int64_t i = 0; i < height * width * dim; ++i) {
    const std::int64_t cell = i / dim, column = i % dim;
    RC_ASSERT(rows.element(i) == columns.element(cell * dim + (column + dim / 2) % dim));
  }
}

}  // namespace
}  // namespace posenc
