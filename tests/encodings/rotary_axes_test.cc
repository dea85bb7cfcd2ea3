// SPDX-License-Identifier: Apache-2.0
// Rotations of several axes: each pair has the coordinate of its own axis, or the sum over all.
#include <gtest/gtest.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"
#include "tests/encodings/turned_row.h"

namespace posenc {
namespace {

using oracle::Value;
using test::said;

using Coordinates = std::vector<std::vector<double>>;  // of each axis, a list

template <class T = float>
std::vector<float> turned_at(const Convention& convention, std::vector<T> x, const Coordinates& at,
                             const Executor& executor = serial) {
  std::vector<Positions> lists;
  for (const std::vector<double>& axis : at) lists.push_back(Positions::list(view(axis.data(), {std::ssize(axis)})));
  const auto rows = std::ssize(at[0]), width = std::ssize(x) / rows;
  const Rotated one[] = {view(x.data(), {rows, width})};
  RotaryRows(convention, width).rotate(lists, one, Direction::forward, executor);
  return {x.begin(), x.end()};
}

const std::vector<float> row_of_12 = {0.5f, 1.25f, -0.75f, 3.5f, -2, 7, 0.125f, -1, 9, -4, 2.5f, 1.0f};
const double turned_cells[][2] = {{0, 0}, {3, 5}, {-7, 1000}, {0.5, 123456}, {2, -0.25}};

TEST(RotaryAxes, OwnRunsHaveTheirOwnLadders) {
  for (const Pairing pairing : {Pairing::adjacent, Pairing::split_half}) {
    Rotary rotary = {test::paper, pairing};
    rotary.axes = {"y", "x"}, rotary.sections = Equal{};
    for (const auto& [y, x] : turned_cells) {
      const auto angle = [&](std::size_t k) { return Value(k < 3 ? y : x) * test::paper_frequency(k % 3, 6); };
      EXPECT_EQ(turned_at(rotary, row_of_12, {{y}, {x}}), test::turned_row(row_of_12, pairing, angle)) << y << " " << x;
    }
  }
}

// M-RoPE: one ladder over the head, its pairs dealt to time, rows and columns
TEST(RotaryAxes, DealtPairsShareOneLadder) {
  Rotary rotary = test::half_rotary;
  rotary.axes = {"t", "y", "x"}, rotary.rungs = Rungs::dealt, rotary.sections = Nothing{};
  rotary.deal = {{{"t"}, 2}, {{"y", "x"}, 4}}, rotary.order = PairOrder::rung_major;
  for (const auto& [y, x] : turned_cells) {
    const double of[] = {17, 17, y, x, y, x};
    const auto angle = [&](std::size_t k) { return Value(of[k]) * test::paper_frequency(k, 12); };
    EXPECT_EQ(turned_at(rotary, row_of_12, {{17}, {y}, {x}}), test::turned_row(row_of_12, Pairing::split_half, angle))
        << y << " " << x;
  }
}

TEST(RotaryAxes, APairWithoutAnAxisStands) {
  Rotary rotary = test::half_rotary;
  rotary.axes = {"t", "y"}, rotary.rungs = Rungs::dealt, rotary.sections = Nothing{};
  rotary.deal = {{{"t"}, 3}, {{"none"}, 2}, {{"y"}, 1}}, rotary.order = PairOrder::rung_major;
  const double of[] = {9, 9, 9, 0, 0, -4};
  const auto angle = [&](std::size_t k) { return Value(of[k]) * test::paper_frequency(k, 12); };
  EXPECT_EQ(turned_at(rotary, row_of_12, {{9}, {-4}}), test::turned_row(row_of_12, Pairing::split_half, angle));
}

TEST(RotaryAxes, SummedAnglesUseEveryCoordinate) {
  Rotary rotary = test::adjacent_rotary;
  const std::vector<double> wx = {1, 0.5, -0.25, 3, 0.1, 0}, wy = {-0.5, 2, 0.3, 1, 0, 0.7};
  rotary.axes = {"x", "y"}, rotary.rungs = Rungs::summed, rotary.sections = Nothing{};
  rotary.ladders = {Listed(wx), Listed(wy)};
  for (const auto& [x, y] : turned_cells) {
    const auto angle = [&](std::size_t k) { return Value(x) * Value(wx[k]) + Value(y) * Value(wy[k]); };
    EXPECT_EQ(turned_at(rotary, row_of_12, {{x}, {y}}), test::turned_row(row_of_12, Pairing::adjacent, angle))
        << x << " " << y;
  }
}

// Text stands at one position on all axes: there M-RoPE is the rotation of that position.
TEST(RotaryAxes, OfTextAreTheRotationOfOneAxis) {
  const Convention plain = test::half_rotary;
  Rotary dealt = test::half_rotary;
  dealt.axes = {"t", "y", "x"}, dealt.rungs = Rungs::dealt, dealt.sections = Nothing{};
  dealt.deal = {{{"t", "y", "x"}, 6}}, dealt.order = PairOrder::rung_major;
  for (const double p : {0.0, 1.0, 4095.0, 1e6 + 0.5}) {
    EXPECT_EQ(turned_at(dealt, row_of_12, {{p}, {p}, {p}}), turned_at(plain, row_of_12, {{p}})) << p;
  }
}

// Lists of one sequence or of each, many rows, several tensors of other types, threads: row by row the same.
TEST(RotaryAxes, EveryRowIsTheSameHoweverItIsPassed) {
  Rotary rotary = test::half_rotary;
  rotary.axes = {"y", "x"}, rotary.sections = Equal{}, rotary.magnitude = 0.75;
  constexpr std::int64_t length = 71;
  std::vector<double> y(2 * length), x(length);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i) / 3 - 20;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 9) - 4;
  std::vector<bfloat16> heads(2 * 3 * length * 12);  // [2, 3 heads, 71, 12]
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = bfloat16(static_cast<float>(i % 31) - 15);
  const std::vector<bfloat16> before = heads;
  const Positions lists[] = {Positions::list(view(y.data(), {2, length})), Positions::list(view(x.data(), {length}))};
  for (const Executor& executor : {Executor(serial), Executor(test::reversed)}) {
    heads = before;
    const Rotated one[] = {{view(heads.data(), {2, 3, length, 12}), TokenAxis::before_columns}};
    RotaryRows(rotary, 12).rotate(lists, one, Direction::forward, executor);
    for (std::size_t r = 0; r < heads.size() / 12; ++r) {
      const std::size_t t = r % length, b = r / (3 * length);
      const auto begin = static_cast<std::ptrdiff_t>(12 * r);
      const std::vector<bfloat16> in(before.begin() + begin, before.begin() + begin + 12);
      const std::vector<float> found(heads.begin() + begin, heads.begin() + begin + 12);
      EXPECT_EQ(found, turned_at<bfloat16>(rotary, in, {{y[b * length + t]}, {x[t]}})) << r;
    }
  }
}

TEST(RotaryAxes, GoBackByTheInverse) {
  Rotary rotary = test::adjacent_rotary;
  rotary.axes = {"y", "x"}, rotary.sections = Equal{};
  std::vector<float> x = row_of_12;
  const Positions lists[] = {Positions::at(3), Positions::at(-2.5)};
  const Rotated one[] = {view(x.data(), {1, 12})};
  const RotaryRows rows(rotary, 12);
  rows.rotate(lists, one);
  EXPECT_NE(x, row_of_12);
  rows.rotate(lists, one, Direction::inverse);
  for (std::size_t c = 0; c < row_of_12.size(); ++c) EXPECT_NEAR(x[c], row_of_12[c], 1e-5) << c;
}

TEST(RotaryAxes, CachesHoldTheSamePairs) {
  Rotary rotary = test::half_rotary;
  rotary.axes = {"t", "y"}, rotary.rungs = Rungs::dealt, rotary.sections = Nothing{};
  rotary.deal = {{{"t"}, 2}, {{"none"}, 1}, {{"y"}, 1}}, rotary.order = PairOrder::rung_major;
  rotary.stored = StoredAs::sine_cosine, rotary.magnitude = 1.5;
  const RotaryCache cache(rotary, 8);
  EXPECT_EQ(cache.axes(), (std::vector<std::string>{"t", "y"}));
  EXPECT_EQ(cache.frequencies(), (std::vector<double>{1, 0.1, 0, 0.001}));
  std::vector<float> row_of(8);
  const Positions lists[] = {Positions::at(5), Positions::at(7)};
  cache.write("sin_cos", lists, view(row_of.data(), {1, 8}));
  const double at[] = {5, 5, 0, 7};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(row_of[k], test::nearest_f32(Value(1.5) * sin(Value(at[k]) * test::paper_frequency(k, 8)))) << k;
    EXPECT_EQ(row_of[k + 4], test::nearest_f32(Value(1.5) * cos(Value(at[k]) * test::paper_frequency(k, 8)))) << k;
  }
}

TEST(RotaryAxes, RefuseOtherLists) {
  Rotary rotary = test::half_rotary;
  rotary.axes = {"y", "x"}, rotary.sections = Equal{};
  const RotaryRows rows(rotary, 8);
  EXPECT_EQ(rows.axes(), (std::vector<std::string>{"y", "x"}));
  std::vector<float> q(2 * 5 * 8);
  const View out = view(q.data(), {5, 8});
  const Rotated one[] = {out};
  const auto refused = [&](std::vector<Positions> lists) { return said(rows.check_rotate(lists, one)); };
  EXPECT_EQ(said(rows.check_rotate(Positions::range(0, 5), out, out)),
            "[rotary] positions must be a list for each axis: y, x, got 1 list");
  EXPECT_EQ(refused({Positions::range(0, 5), Positions::range(0, 5), Positions::range(0, 5)}),
            "[rotary] positions must be a list for each axis: y, x, got 3 lists");
  EXPECT_EQ(refused({Positions::range(0, 5), Positions::range(0, 4)}),
            "[rotary] positions must be 5 on every axis, got 4 of x");
  EXPECT_EQ(refused({Positions::range(0, 4), Positions::range(0, 4)}),
            "[rotary] out must have a row for each of 4 positions, got [5, 8]");
  const std::vector<std::int64_t> p(15);
  EXPECT_EQ(refused({Positions::list(view(p.data(), {2, 5})), Positions::list(view(p.data(), {3, 5}))}),
            "[rotary] positions must be of 2 sequences on every axis, got 3 of x");
  EXPECT_EQ(said(check_rotary(rotary, Positions::range(0, 5), out, out)),
            "[rotary] positions must be a list for each axis: y, x, got 1 list");
}

}  // namespace
}  // namespace posenc
