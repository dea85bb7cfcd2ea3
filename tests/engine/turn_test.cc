// SPDX-License-Identifier: Apache-2.0
// The kernel of pairs that stand anywhere against a plain loop: every instruction set, type, form, tail and stride.
#include "src/engine/rotary/turn.h"

#include <bit>
#include <cmath>

#include "tests/engine/every_target.h"
#include "tests/engine/placements.h"
#include "tests/engine/random_values.h"
#include "tests/engine/stored.h"

namespace posenc::engine {
namespace {

struct RowTable {
  std::vector<float> values;  // rows of [c0 | s0 | s1 | c1]
  std::int64_t pairs, rows;

  RowTable(std::mt19937& random, std::int64_t n, std::int64_t count) : pairs(n), rows(count) {
    values = test::random_values<float>(random, static_cast<std::size_t>(4 * n * count + Angles::slack));
  }
  Coefficients all() const {
    const float* c0 = values.data();
    return {c0, c0 + pairs, c0 + 2 * pairs, c0 + 3 * pairs, 4 * pairs, rows};
  }
};

// The row of a line by a plain loop.
template <class T>
std::vector<float> expected_row(const std::vector<plan::Pair>& pairs, const Coefficients& by, std::int64_t t,
                                const T* row, std::int64_t width) {
  std::vector<reference::Turned> turned;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto at = static_cast<std::size_t>(t * by.stride) + k;
    const auto& [read, written, angles] = pairs[k];
    turned.push_back({{read[0], read[1]}, {written[0], written[1]}, by.c0[at], by.s0[at], by.s1[at], by.c1[at]});
  }
  return reference::turned({row, row + width}, turned, storage_of<T>);
}

struct Case {
  std::vector<plan::Pair> pairs;
  std::int64_t width, lines, rows, gap;
  bool in_place;
};

template <class T>
void expect_plain_turns(std::mt19937& random, const Case& of) {
  SCOPED_TRACE(std::to_string(of.pairs.size()) + " pairs in " + std::to_string(of.width) + " columns, " +
               std::to_string(of.lines) + " lines, " + std::to_string(of.rows) + " rows");
  const RowTable table(random, std::ssize(of.pairs), of.rows);
  const std::int64_t row = of.width + of.gap, line = of.rows * row;
  const auto size = static_cast<std::size_t>(of.lines * line);
  const std::vector<T> in = test::random_values<T>(random, size);
  std::vector<T> out = of.in_place ? in : std::vector<T>(size, T(9.0f));
  const std::vector<T> before = out;
  const Lines<T> runs[] = {
      {{of.in_place ? out.data() : in.data(), line, row}, {out.data(), line, row}, of.lines, of.width}};
  turn<T>(table.all(), plan::placement(of.pairs), runs);
  for (std::int64_t r = 0; r < of.lines * of.rows; ++r) {
    const auto at = static_cast<std::size_t>(r * row);
    const std::vector<float> expected = expected_row(of.pairs, table.all(), r % of.rows, in.data() + at, of.width);
    for (std::size_t c = 0; c < static_cast<std::size_t>(row); ++c) {
      const float found = static_cast<float>(out[at + c]);
      const float wanted = c < expected.size() ? expected[c] : static_cast<float>(before[at + c]);
      ASSERT_TRUE(same(found, wanted)) << "row " << r << " column " << c << ": " << found << " is not " << wanted;
    }
  }
}

// Few lines, and so many that memory is asked for in time.
template <class T>
void expect_plain_turns_of_many() {
  std::mt19937 random(21);
  for (int i = 0; i < 60; ++i) {
    const auto [pairs, width] = test::random_stretches(random, i % 3 == 0 ? 4 : 40);
    Case of = {pairs, width, 1 + i % 9, 1 + static_cast<std::int64_t>(random() % 5), 0, i % 2 == 0};
    of.width += i % 4 < 2 ? 0 : static_cast<std::int64_t>(random() % 20);
    of.gap = static_cast<std::int64_t>(random() % 3);
    if (i % 10 == 9) of.lines += 4, of.rows = 65536 / of.width;
    expect_plain_turns<T>(random, of);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Turn, OfF32IsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_turns_of_many<float>); }
TEST(Turn, OfF16IsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_turns_of_many<half>); }
TEST(Turn, OfBf16IsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_turns_of_many<bfloat16>); }

// The least reach that a rotation has, two columns, of so many lines that memory is asked for in time: one pair, that
// stays where it is or moves, in place and not, in rows that are as narrow or wider.
template <class T>
void expect_one_pair_turned_far() {
  std::mt19937 random(22);
  using Columns = std::array<std::uint32_t, 2>;
  for (const auto& [read, written] :
       {std::pair<Columns, Columns>{{0, 1}, {0, 1}}, {{0, 1}, {1, 0}}, {{3, 2}, {3, 2}}, {{2, 5}, {5, 2}}}) {
    for (const std::int64_t width : {6, 7, 64}) {
      for (const bool in_place : {false, true}) {
        const std::int64_t rows = 70000 / width;  // of 5 lines: beyond what is at hand
        expect_plain_turns<T>(random, {{{read, written, {}}}, width, 5, rows, width % 2, in_place});
      }
    }
  }
}

TEST(Turn, OfOnePairOfFarLinesIsThePlainLoopOnEveryTarget) {
  on_every_target([] {
    expect_one_pair_turned_far<float>();
    expect_one_pair_turned_far<bfloat16>();
  });
}

// Every pattern of 16 bits goes through every form as it is.
template <class T>
void expect_every_pattern_kept(std::uint32_t step) {
  constexpr std::uint32_t n = 128;
  std::vector<plan::Pair> pairs;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::array<std::uint32_t, 2> columns = {step * k, step == 1 ? n + k : 2 * k + 1};
    pairs.push_back({columns, columns, {}});
  }
  const std::vector<float> one(n + Angles::slack, 1.0f), zero(n + Angles::slack, 0.0f);
  for (std::uint32_t first = 0; first < 1u << 16; first += 2 * n) {
    std::vector<T> row(2 * n);
    for (std::uint32_t i = 0; i < 2 * n; ++i) row[i] = T::from_bits(static_cast<std::uint16_t>(first + i));
    std::vector<reference::Turned> turned;
    for (const auto& [read, written, angles] : pairs) {
      turned.push_back({{read[0], read[1]}, {written[0], written[1]}, 1, 0, 0, 1});
    }
    const std::vector<float> expected = reference::turned({row.begin(), row.end()}, turned, storage_of<T>);
    const Lines<T> runs[] = {{{row.data(), 0, 0}, {row.data(), 0, 0}, 1, 2 * n}};
    turn<T>({one.data(), zero.data(), zero.data(), one.data(), n, 1}, plan::placement(pairs), runs);
    for (std::size_t i = 0; i < row.size(); ++i) ASSERT_TRUE(same(static_cast<float>(row[i]), expected[i])) << first;
  }
}

TEST(Turn, ByNothingKeepsEveryPatternOnEveryTarget) {
  on_every_target([] {
    for (const std::uint32_t step : {1u, 2u}) {
      expect_every_pattern_kept<half>(step);
      expect_every_pattern_kept<bfloat16>(step);
    }
  });
}

}  // namespace
}  // namespace posenc::engine
