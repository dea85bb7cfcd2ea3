// SPDX-License-Identifier: Apache-2.0
// Positions: which ones there are, which are refused, and how the library reads them.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

#include "src/encodings/positions.h"
#include "tests/encodings/int64_ends.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::highest;
using test::lowest;
using test::said;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string check(const Positions& positions) { return said(check_positions("op", positions)); }

// Every position of sequence b as the engine sees it: a binary fraction, here as the double that it must be.
std::vector<double> values(const Positions& positions, std::int64_t b = 0) {
  std::vector<double> all;
  for (std::int64_t t = 0; t < positions.count_; ++t) {
    const numerics::Dyadic p = position_at(positions, b, t);
    all.push_back((p.negative ? -1 : 1) * std::ldexp(static_cast<double>(p.mantissa), p.exponent));
  }
  return all;
}

std::vector<std::int64_t> integers(const Positions& positions, std::int64_t b = 0) {
  std::vector<std::int64_t> all;
  for (std::int64_t t = 0; t < positions.count_; ++t) all.push_back(integer_at(positions, b, t).value());
  return all;
}

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

// ---- ranges -------------------------------------------------------------------------------------

TEST(Range, IsStartCountAndStep) {
  EXPECT_EQ(integers(Positions::range(0, 5)), (Integers{0, 1, 2, 3, 4}));
  EXPECT_EQ(integers(Positions::range(7, 3, -5)), (Integers{7, 2, -3}));
  EXPECT_EQ(integers(Positions::range(-3, 3, 0)), (Integers{-3, -3, -3}));
  EXPECT_EQ(integers(Positions::range(std::int64_t{4}, 0)), Integers{});
  EXPECT_EQ(values(Positions::range(0.5, 3)), (Reals{0.5, 1.5, 2.5}));
  EXPECT_EQ(values(Positions::range(1, 3, -0.25f)), (Reals{1, 0.75, 0.5}));
  EXPECT_EQ(values(Positions::range(-1.5f, 1)), (Reals{-1.5}));
}

TEST(Range, RealPositionsAreTheRoundedStartPlusTheRoundedProduct) {
  EXPECT_EQ(values(Positions::range(0.1, 4, 0.1)), (Reals{0.1, 0.1 + 0.1, 0.1 + 2 * 0.1, 0.1 + 3 * 0.1}));
  EXPECT_EQ(values(Positions::range(0.0, 4, 0.1))[3], 0x1.3333333333334p-2);  // 3 * 0.1, not the double next to 0.3
}

TEST(Range, ReachesBothEndsOfInt64) {
  EXPECT_EQ(check(Positions::range(highest - 2, 3)), "nothing");
  EXPECT_EQ(integers(Positions::range(highest - 2, 3)), (Integers{highest - 2, highest - 1, highest}));
  EXPECT_EQ(integers(Positions::range(lowest, 2)), (Integers{lowest, lowest + 1}));
  EXPECT_EQ(check(Positions::range(lowest, 2, highest)), "nothing");
  EXPECT_EQ(integers(Positions::range(lowest, 2, highest)), (Integers{lowest, -1}));
  EXPECT_EQ(check(Positions::range(0, 2, lowest)), "nothing");
  EXPECT_EQ(integers(Positions::range(0, 2, lowest)), (Integers{0, lowest}));
}

TEST(Range, TakesAStepThatLeavesInt64OnlyByItself) {
  const Positions across = Positions::range(lowest, 3, highest);
  EXPECT_EQ(check(across), "nothing");
  EXPECT_EQ(integers(across), (Integers{lowest, -1, highest - 1}));
  EXPECT_EQ(values(across), (Reals{-0x1p63, -1, 0x1p63}));
  const Positions down = Positions::range(highest, 2, lowest);
  EXPECT_EQ(check(down), "nothing");
  EXPECT_EQ(integers(down), (Integers{highest, -1}));
}

TEST(Range, RefusesToOverflow) {
  const std::string rule = "[op] positions must fit in 64 bits, got ";
  EXPECT_EQ(check(Positions::range(highest, 2)), rule + "9223372036854775807 + 1 * 1");
  EXPECT_EQ(check(Positions::range(lowest, 2, -1)), rule + "-9223372036854775808 + 1 * -1");
  EXPECT_EQ(check(Positions::range(lowest, 4, highest)), rule + "-9223372036854775808 + 3 * 9223372036854775807");
  EXPECT_EQ(check(Positions::range(0, highest, 2)), rule + "0 + 9223372036854775806 * 2");
  EXPECT_EQ(check(Positions::range(1, highest, 1)), "nothing");
  EXPECT_EQ(check(Positions::range(2, highest, 1)), rule + "2 + 9223372036854775806 * 1");
  EXPECT_EQ(check(Positions::range(lowest, 3, lowest)), rule + "-9223372036854775808 + 2 * -9223372036854775808");
}

TEST(Range, RefusesANegativeCount) {
  EXPECT_EQ(check(Positions::range(0, -1)), "[op] the count of positions must be >= 0, got -1");
  EXPECT_EQ(check(Positions::range(0.0, lowest)), "[op] the count of positions must be >= 0, got -9223372036854775808");
}

TEST(Range, RefusesRealsThatAreNotFiniteOrBeyondTwoToThe53) {
  const std::string rule = "[op] real positions must be finite and at most 2^53 in size, got ";
  EXPECT_EQ(check(Positions::range(std::nan(""), 2)), rule + "nan");
  EXPECT_EQ(check(Positions::range(0.0, 2, infinity)), rule + "inf");
  EXPECT_EQ(check(Positions::range(0.0, 1, infinity)), rule + "nan");  // 0 + 0 * infinity
  EXPECT_EQ(check(Positions::at(-infinity)), rule + "-inf");
  EXPECT_EQ(check(Positions::at(0x1p53)), "nothing");
  EXPECT_EQ(check(Positions::at(-0x1p53)), "nothing");
  EXPECT_EQ(check(Positions::at(0x1.0000000000001p53)), rule + "9007199254740994");
  EXPECT_EQ(check(Positions::range(0x1p53, 2, -1.0)), "nothing");
  EXPECT_EQ(check(Positions::range(0.0, 3, 0x1p52)), "nothing");
  EXPECT_EQ(check(Positions::range(0.0, 4, 0x1p52)), rule + "13510798882111488");
  EXPECT_EQ(check(Positions::range(std::nan(""), 0)), "nothing");  // no position at all
}

TEST(At, IsOnePosition) {
  EXPECT_EQ(integers(Positions::at(lowest)), (Integers{lowest}));
  EXPECT_EQ(values(Positions::at(-0.75)), (Reals{-0.75}));
  EXPECT_EQ(integers(Positions::at(short{-7})), (Integers{-7}));
}

static_assert(Positions::range(3u, 4, 5u).start_ == 3 && Positions::range(3u, 4, 5u).step_ == 5);

// ---- lists --------------------------------------------------------------------------------------

template <class T>
void expect_list() {
  const T data[] = {T(3), T(-1), T(0), T(7), T(7), T(-128)};
  const ConstView list = view(data, {6});
  EXPECT_EQ(check(Positions::list(list)), "nothing");
  EXPECT_EQ(values(Positions::list(list)), (Reals{3, -1, 0, 7, 7, -128}));
  EXPECT_EQ(integers(Positions::list(list)), (Integers{3, -1, 0, 7, 7, -128}));
  const ConstView pairs = view(data, {2, 3});
  EXPECT_EQ(values(Positions::list(pairs), 1), (Reals{7, 7, -128}));
  EXPECT_EQ(values(Positions::list(pairs.transposed(0, 1)), 2), (Reals{0, -128}));
  EXPECT_EQ(values(Positions::list(list.repeated(5)), 4), (Reals{3, -1, 0, 7, 7, -128}));
  EXPECT_EQ(rank(Positions::list(list.repeated(5))), 2);
  ConstView backwards = list;
  backwards.data = data + 5;
  backwards.strides[0] = -1;
  EXPECT_EQ(values(Positions::list(backwards)), (Reals{-128, 7, 7, 0, -1, 3}));
}

TEST(List, OfEveryTypeIsReadWithAnyStrides) {
  expect_list<std::int32_t>();
  expect_list<std::int64_t>();
  expect_list<float>();
  expect_list<double>();
}

TEST(List, HoldsAllOfInt64AndDoublesDownToSubnormals) {
  const std::int64_t far[] = {lowest, highest, (std::int64_t{1} << 53) + 1};
  EXPECT_EQ(check(Positions::list(view(far, {3}))), "nothing");
  EXPECT_EQ(integers(Positions::list(view(far, {3}))), (Integers{lowest, highest, (std::int64_t{1} << 53) + 1}));
  EXPECT_EQ(position_at(Positions::list(view(far, {3})), 0, 2).mantissa, (std::uint64_t{1} << 53) + 1);
  const double near[] = {0x1p-1074, -0x1p-1074, -0.0, 0x1.FFFFFFFFFFFFFp-1022, -0x1p53};
  EXPECT_EQ(check(Positions::list(view(near, {5}))), "nothing");
  EXPECT_EQ(values(Positions::list(view(near, {5}))),
            (Reals{0x1p-1074, -0x1p-1074, 0, 0x1.FFFFFFFFFFFFFp-1022, -0x1p53}));
  EXPECT_FALSE(position_at(Positions::list(view(near, {5})), 0, 2).negative);  // -0 is 0
  const float small[] = {0x1p-149f};
  EXPECT_EQ(values(Positions::list(view(small, {1}))), (Reals{0x1p-149}));
}

TEST(List, KnowsWhichRealsAreIntegers) {
  const double data[] = {-0.0, 0.5, -3, 0x1p53, 0x1p-1074};
  const Positions list = Positions::list(view(data, {5}));
  EXPECT_EQ(integer_at(list, 0, 0), 0);
  EXPECT_EQ(integer_at(list, 0, 1), std::nullopt);
  EXPECT_EQ(integer_at(list, 0, 2), -3);
  EXPECT_EQ(integer_at(list, 0, 3), std::int64_t{1} << 53);
  EXPECT_EQ(integer_at(list, 0, 4), std::nullopt);
  EXPECT_EQ(integer_at(Positions::range(0.5, 3, 0.5), 0, 1), 1);
}

TEST(List, MayBeEmpty) {
  const double* none = nullptr;
  EXPECT_EQ(check(Positions::list(view(none, {0}))), "nothing");
  EXPECT_EQ(check(Positions::list(view(none, {0, 3}))), "nothing");
  EXPECT_EQ(check(Positions::list(view(none, {3, 0}))), "nothing");
  EXPECT_EQ(Positions::list(view(none, {3, 0})).count_, 0);
}

TEST(List, RefusesRealsByTheirIndex) {
  const std::string rule = "[op] real positions must be finite and at most 2^53 in size, got ";
  const double data[] = {0, 1, 2, 3, 0x1.0000000000001p53, std::nan("")};
  EXPECT_EQ(check(Positions::list(view(data, {6}))), rule + "9007199254740994 at [4]");
  EXPECT_EQ(check(Positions::list(view(data, {2, 3}))), rule + "9007199254740994 at [1, 1]");
  EXPECT_EQ(check(Positions::list(view(data + 5, {1}).repeated(2))), rule + "nan at [0, 0]");
  const float singles[] = {0x1p53f, -std::numeric_limits<float>::infinity()};
  EXPECT_EQ(check(Positions::list(view(singles, {2}))), rule + "-inf at [1]");
}

TEST(List, RefusesOtherTypesShapesAndBrokenViews) {
  const std::int64_t data[4] = {};
  const half halves[2] = {};
  const std::int64_t* none = nullptr;
  EXPECT_EQ(check(Positions::list(view(halves, {2}))), "[op] positions must be i32, i64, f32 or f64, got f16");
  EXPECT_EQ(check(Positions::list(view(data, {}))), "[op] positions must have shape [L] or [B, L], got []");
  EXPECT_EQ(check(Positions::list(view(data, {1, 2, 2}))),
            "[op] positions must have shape [L] or [B, L], got [1, 2, 2]");
  EXPECT_EQ(check(Positions::list(view(none, {1}))), "[op] positions must have data, got a null pointer for shape [1]");
  ConstView broken = view(data, {4});
  broken.rank = 9;
  EXPECT_EQ(check(Positions::list(broken)), "[op] positions must have 0 to 8 axes, got 9");
  broken.rank = -1;
  EXPECT_EQ(check(Positions::list(broken)), "[op] positions must have 0 to 8 axes, got -1");
}

// ---- equal spacing --------------------------------------------------------------------------------

using Progression = std::optional<std::array<std::int64_t, 3>>;  // start, step, exponent

template <class T>
Progression spacing(const std::vector<T>& list, std::int64_t first = 0) {
  const auto count = std::ssize(list);
  const std::optional<Spaced> found = spaced(Positions::list(view(list.data(), {count})), {0, first, count - first});
  if (!found) return std::nullopt;
  return {{found->start, found->step, found->exponent}};
}

TEST(Spaced, ListsOfIntegersAreTheRangesThatTheyHold) {
  EXPECT_EQ(spacing(std::vector<std::int32_t>{5, 6, 7, 8}), (Progression{{5, 1, 0}}));
  EXPECT_EQ(spacing(std::vector<std::int64_t>{9, 5, 1, -3}, 1), (Progression{{5, -4, 0}}));
  EXPECT_EQ(spacing(std::vector<std::int64_t>{4, 4, 4}), (Progression{{4, 0, 0}}));
  EXPECT_EQ(spacing(std::vector<std::int64_t>{lowest, lowest + 1}), (Progression{{lowest, 1, 0}}));
  EXPECT_EQ(spacing(std::vector<std::int64_t>{0, 1, 2, 4}), std::nullopt);
  EXPECT_EQ(spacing(std::vector<std::int64_t>{3}), std::nullopt);
  EXPECT_EQ(spacing(std::vector<std::int64_t>{highest - 1, highest, lowest}), std::nullopt);  // not round the corner
  EXPECT_EQ(spacing(std::vector<std::int64_t>{lowest, highest, lowest}), std::nullopt);
}

TEST(Spaced, ListsOfRealsAreRangesWhereNothingIsRounded) {
  EXPECT_EQ(spacing(std::vector<float>{0.5f, 1.5f, 2.5f}), (Progression{{1, 2, -1}}));
  EXPECT_EQ(spacing(std::vector<double>{10, 9.75, 9.5}), (Progression{{40, -1, -2}}));
  EXPECT_EQ(spacing(std::vector<double>{0, 0.1, 0.2}), std::nullopt);
  EXPECT_EQ(spacing(std::vector<double>{0, 0x1p-1074, 0x1p-1073}), std::nullopt);
  EXPECT_EQ(spacing(std::vector<double>{0x1p53, 0x1p53, 0x1p53 - 1}), std::nullopt);
  EXPECT_EQ(spacing(std::vector<float>{0, 1, 2.0000002f}), std::nullopt);
}

TEST(Spaced, ReadsTheListOfEachSequence) {
  const std::vector<std::int64_t> lists = {0, 1, 2, 7, 5, 3};
  const Positions positions = Positions::list(view(lists.data(), {2, 3}));
  EXPECT_EQ(spaced(positions, {0, 0, 3})->step, 1);
  EXPECT_EQ(spaced(positions, {1, 0, 3})->step, -2);
  EXPECT_EQ(spaced(positions, {1, 1, 2})->start, 5);
}

TEST(CheckPositions, SaysTheSameInEveryRoundingMode) {
  // 2^53 - 1 + 1.5 rounds to 2^53, upwards to 2^53 + 2.
  const Positions edge = Positions::range(0x1p53 - 1, 2, 1.5);
  std::fesetround(FE_UPWARD);
  const std::string upward = check(edge);
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(upward, "nothing");
  EXPECT_EQ(mode, FE_UPWARD);
}

}  // namespace
}  // namespace posenc
