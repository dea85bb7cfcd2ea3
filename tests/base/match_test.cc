// SPDX-License-Identifier: Apache-2.0
// The matcher: what it binds, what it refuses, and how it words that.
#include "src/base/match.h"

#include <gtest/gtest.h>

#include <iterator>
#include <limits>

namespace posenc {

// A part with rules of its own, as part() finds it.
struct Table {
  ConstView rows;
};
std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Table& table,
                                     std::int64_t width) {
  Match m(operation, name);
  m.bind("d", width);
  m.rows("rows", table.rows, "[n, d]");
  return m.problem();
}

namespace {

float numbers[64];

ConstView tensor(std::initializer_list<std::int64_t> shape) { return view(numbers, shape); }

std::string said(Match& m) {
  const std::optional<Problem> problem = m.problem();
  return problem ? problem->message() : "nothing";
}

TEST(Match, BindsTheSizeOfANameWhereItFirstOccurs) {
  Match m("op");
  m.rows("queries", tensor({2, 3, 4}), "[B, L, d]");
  m.rows("keys", tensor({2, 5, 4}), "[B, S, d]");
  EXPECT_EQ(m["B"], 2);
  EXPECT_EQ(m["L"], 3);
  EXPECT_EQ(m["S"], 5);
  EXPECT_EQ(m["d"], 4);
  EXPECT_EQ(m["e"], 0);
  EXPECT_EQ(said(m), "nothing");
}

TEST(Match, NamesOperationTensorRuleAndValue) {
  const auto keys = [](std::initializer_list<std::int64_t> shape) {
    Match m("op");
    m.rows("queries", tensor({2, 3, 4}), "[B, L, d]");
    m.rows("keys", tensor(shape), "[B, S, d]");
    return said(m);
  };
  EXPECT_EQ(keys({2, 5, 4}), "nothing");
  EXPECT_EQ(keys({2, 5, 3}), "[op] keys must have shape [2, 5, 4], got [2, 5, 3]");
  EXPECT_EQ(keys({1, 5, 4}), "[op] keys must have shape [2, 5, 4], got [1, 5, 4]");
  EXPECT_EQ(keys({5, 4}), "[op] keys must have shape [2, S, 4], got [5, 4]");
  EXPECT_EQ(keys({}), "[op] keys must have shape [2, S, 4], got []");
}

TEST(Match, ANameTwiceInATensorIsOneSize) {
  Match m("op");
  m.rows("weights", tensor({2, 3, 4}), "[B, T, T]");
  EXPECT_EQ(said(m), "[op] weights must have shape [2, 3, 3], got [2, 3, 4]");
}

TEST(Match, NamesAreWordsToo) {
  Match m("op");
  m.bind("channels", 3);
  m.rows("weight", tensor({2, 4}), "[outputs, channels, taps]");
  EXPECT_EQ(said(m), "[op] weight must have shape [outputs, 3, taps], got [2, 4]");
}

TEST(Match, AnyAxesMayComeFirstTheSameInEachTensor) {
  const auto out = [](std::initializer_list<std::int64_t> in, std::initializer_list<std::int64_t> shape) {
    Match m("op");
    m.bind("m", 2);
    m.rows("in", tensor(in), "[..., n]");
    m.rows("out", tensor(shape), "[..., m]");
    return said(m);
  };
  EXPECT_EQ(out({4}, {2}), "nothing");
  EXPECT_EQ(out({5, 3, 4}, {5, 3, 2}), "nothing");
  EXPECT_EQ(out({}, {2}), "[op] in must have shape [..., n], got []");
  EXPECT_EQ(out({4}, {1, 2}), "[op] out must have shape [2], got [1, 2]");
  EXPECT_EQ(out({5, 3, 4}, {5, 3, 4}), "[op] out must have shape [5, 3, 2], got [5, 3, 4]");
  EXPECT_EQ(out({5, 3, 4}, {3, 5, 2}), "[op] out must have shape [5, 3, 2], got [3, 5, 2]");
  EXPECT_EQ(out({5, 3, 4}, {}), "[op] out must have shape [5, 3, 2], got []");
}

TEST(Match, TheFirstAxisMayBeMissingInAllTensorsAlike) {
  const auto out = [](std::initializer_list<std::int64_t> ids, std::initializer_list<std::int64_t> shape) {
    Match m("op");
    m.bind("d", 4);
    m.tensor("ids", tensor(ids), Types::f32, "[L] or [B, L]");
    m.tensor("out", tensor(shape), Types::f32, "[L, d] or [B, L, d]");
    EXPECT_EQ(m["B"], ids.size() == 2 ? *ids.begin() : std::ssize(ids));  // 0 where ids do not fit
    return said(m);
  };
  EXPECT_EQ(out({3}, {3, 4}), "nothing");
  EXPECT_EQ(out({2, 3}, {2, 3, 4}), "nothing");
  EXPECT_EQ(out({}, {3, 4}), "[op] ids must have shape [L] or [B, L], got []");
  EXPECT_EQ(out({3}, {1, 3, 4}), "[op] out must have shape [3, 4], got [1, 3, 4]");
  EXPECT_EQ(out({2, 3}, {6, 4}), "[op] out must have shape [2, 3, 4], got [6, 4]");
  EXPECT_EQ(out({2, 3}, {2, 3, 4, 1}), "[op] out must have shape [2, 3, 4], got [2, 3, 4, 1]");
}

TEST(Match, SizesMayBeBoundBefore) {
  Match m("op");
  m.bind("[L] or [B, L]", std::array<std::int64_t, 1>{3});
  m.rows("gradient", tensor({2, 4}), "[L, d] or [B, L, d]");
  EXPECT_EQ(said(m), "[op] gradient must have shape [3, 4], got [2, 4]");
}

TEST(Match, TypesAreNamed) {
  const auto with = [](const Types& types) {
    Match m("op");
    std::int16_t bits[2] = {};
    m.tensor("x", View{bits, DType::bf16, 1, {2}, {1}}, types, "[n]");
    return said(m);
  };
  EXPECT_EQ(with(Types::real), "nothing");
  EXPECT_EQ(with(Types::of("rows", DType::bf16)), "nothing");
  EXPECT_EQ(with(Types::f32), "[op] x must be f32, got bf16");
  EXPECT_EQ(with(Types::integer), "[op] x must be i32 or i64, got bf16");
  EXPECT_EQ(with(Types::of("rows", DType::f64)), "[op] x must have the type of rows, f64, got bf16");
}

TEST(Match, ANumberThatIsNoTypeIsNoneOfThem) {
  for (int number = 8; number < 256; ++number) {
    const auto none = static_cast<DType>(number);
    EXPECT_FALSE(Types::f32.has(none) || Types::real.has(none) || Types::integer.has(none)) << number;
    EXPECT_FALSE(Types::of("rows", none).has(DType::f32)) << number;
  }
  EXPECT_FALSE(Types::real.has(static_cast<DType>(0)));
}

TEST(Match, ColumnsStandSideBySideWhereTheyMust) {
  const auto with = [](std::int64_t stride, Columns columns) {
    Match m("op");
    m.rows("x", ConstView{numbers, DType::f32, 2, {2, 3}, {9, stride}}, "[n, d]", columns);
    return said(m);
  };
  EXPECT_EQ(with(1, Columns::adjacent), "nothing");
  EXPECT_EQ(with(0, Columns::adjacent_or_repeated), "nothing");
  EXPECT_EQ(with(2, Columns::anywhere), "nothing");
  EXPECT_EQ(with(0, Columns::adjacent), "[op] x must have columns next to each other, stride 1, got 0");
  EXPECT_EQ(with(2, Columns::adjacent_or_repeated),
            "[op] x must have columns next to each other or repeated, stride 1 or 0, got 2");
}

TEST(Match, ViewsKeepTheirOwnRulesFirstAndOutputsThoseOfOutputs) {
  const View repeated = view(numbers, {3}).repeated(2);
  Match reads("op"), writes("op"), none("op");
  reads.rows("x", ConstView(repeated), "[n, d]");
  EXPECT_EQ(said(reads), "nothing");
  writes.rows("x", repeated, "[n, d]");
  EXPECT_EQ(said(writes), "[op] x must have no stride 0, got 0 for axis 0 of shape [2, 3]");
  ConstView ninth = tensor({3});
  ninth.rank = 99;
  none.rows("x", ninth, "[n]");
  EXPECT_EQ(said(none), "[op] x must have 0 to 8 axes, got 99");
}

TEST(Match, OutputsLieApartFromAllOtherTensorsWhicheverComesFirst) {
  const auto at = [](std::int64_t element) { return view(numbers + element, {2, 3}); };
  const auto with = [](const auto& state) {
    Match m("op");
    state(m);
    return said(m);
  };
  EXPECT_EQ(with([&](Match& m) {
              m.rows("a", ConstView(at(0)), "[n, d]");
              m.rows("b", ConstView(at(3)), "[n, d]");
              m.rows("out", at(9), "[n, d]");
            }),
            "nothing");
  EXPECT_EQ(with([&](Match& m) {
              m.rows("a", ConstView(at(0)), "[n, d]");
              m.rows("out", at(3), "[n, d]");
            }),
            "[op] a and out must share no element, got out 12 bytes behind a");
  EXPECT_EQ(with([&](Match& m) {
              m.rows("out", at(3), "[n, d]");
              m.lies_apart("a", ConstView(at(0)));
            }),
            "[op] a and out must share no element, got out 12 bytes behind a");
  EXPECT_EQ(with([&](Match& m) {
              m.rows("first", at(3), "[n, d]");
              m.rows("second", at(0), "[n, d]");
            }),
            "[op] first and second must share no element, got second 12 bytes before first");
}

TEST(Match, AnInputMayBeTheOutputWhereItWorksInPlace) {
  const auto with = [](std::string_view name, std::int64_t element) {
    Match m("op");
    m.in_place("in");
    m.rows(name, ConstView(view(numbers + element, {2, 3})), "[n, d]");
    m.rows("out", view(numbers, {2, 3}), "[n, d]");
    return said(m);
  };
  EXPECT_EQ(with("in", 0), "nothing");
  EXPECT_EQ(with("in", 1), "[op] in and out must share no element, or be the same view, got out 4 bytes before in");
  EXPECT_EQ(with("mask", 0), "[op] mask and out must share no element, got the same view");
}

TEST(Match, OverlapIsAskedAfterAllOtherRules) {
  Match m("op");
  m.rows("in", ConstView(view(numbers, {2, 3})), "[n, d]");
  m.rows("out", view(numbers, {2, 3}), "[n, d]");
  EXPECT_TRUE(m.ok());
  m.must(false, {"the count must be a multiple of ", 3}, {7});
  EXPECT_EQ(said(m), "[op] the count must be a multiple of 3, got 7");
}

TEST(Match, WhatIsNotThereKeepsAllRules) {
  Match m("op");
  m.rows("bias", std::optional<ConstView>(), "[m]");
  m.part("norm", std::optional<Table>(), 3);
  EXPECT_EQ(said(m), "nothing");
}

TEST(Match, TheFirstBrokenRuleIsTheProblem) {
  Match m("op");
  m.must(true, {"never said"}, {0});
  m.must(false, {"the count must be a multiple of ", 3}, {7});
  m.rows("x", tensor({2}), "[n, d]");
  m.also([]() -> std::optional<Problem> {
    ADD_FAILURE() << "a check after a problem was asked";
    return std::nullopt;
  });
  EXPECT_EQ(m["n"], 0);
  EXPECT_EQ(said(m), "[op] the count must be a multiple of 3, got 7");
}

TEST(Match, PartsAreCalledByTheirPath) {
  const std::vector<Table> layers = {{tensor({2, 4})}, {tensor({2, 3})}};
  Match m("op", "encoder");
  m.each("layer", layers, [](Match& of, const Table& table) { of.part("table", table, 4); });
  EXPECT_EQ(said(m), "[op] encoder layer 1 table rows must have shape [2, 4], got [2, 3]");
}

TEST(Match, NumbersAreHeldToTheirRanges) {
  const std::int64_t ids[] = {0, 4, 5};
  const float slopes[] = {1, std::numeric_limits<float>::infinity()};
  enum class Mode { one = 1, two };
  const auto with = [](const auto& state) {
    Match m("op");
    state(m);
    return said(m);
  };
  EXPECT_EQ(with([&](Match& m) { m.below("ids", ids, 6); }), "nothing");
  EXPECT_EQ(with([&](Match& m) { m.below("ids", ids, 5); }), "[op] ids must be in [0, 5), got 5 at [2]");
  EXPECT_EQ(with([&](Match& m) { m.within("beams", 0, 1, 9); }), "[op] beams must be in [1, 9], got 0");
  EXPECT_EQ(with([&](Match& m) { m.finite("slopes", slopes); }), "[op] slopes must be finite, got inf at [1]");
  EXPECT_EQ(with([&](Match& m) { m.stated("mode", Mode::two, {Mode::one, Mode::two}); }), "nothing");
  EXPECT_EQ(with([&](Match& m) { m.stated("mode", Mode{}, {Mode::one, Mode::two}); }),
            "[op] mode must be stated, got none");
}

}  // namespace
}  // namespace posenc
