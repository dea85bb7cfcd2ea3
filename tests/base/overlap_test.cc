// SPDX-License-Identifier: Apache-2.0
// Which views share an element: named cases, and random ones against an enumeration of addresses.
#include <gtest/gtest.h>
#include <posenc/core.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

constexpr std::int64_t int64_most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_least = std::numeric_limits<std::int64_t>::min();

std::string overlap(const ConstView& in, const ConstView& out, Sharing sharing = Sharing::none) {
  return said(check_overlap("op", "in", in, "out", out, sharing));
}

const std::string rule = "[op] in and out must share no element, got ";
const std::string rule_in_place = "[op] in and out must share no element, or be the same view, got ";

View strided(float* data, std::initializer_list<std::int64_t> shape, std::initializer_list<std::int64_t> strides) {
  View view = {data, DType::f32, static_cast<int>(shape.size()), {}, {}};
  std::ranges::copy(shape, view.shape.begin());
  std::ranges::copy(strides, view.strides.begin());
  return view;
}

// ---- named cases --------------------------------------------------------------------------------

TEST(CheckOverlap, LetsTheSlicesOfAPackedTensorPass) {
  std::vector<float> packed(5 * 3 * 4 * 8);  // [L, 3, H, d]
  const auto slice = [&](std::int64_t i) { return strided(packed.data() + i * 32, {5, 4, 8}, {96, 8, 1}); };
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      if (i == j) continue;
      EXPECT_EQ(overlap(slice(i), slice(j)), "nothing");
      EXPECT_EQ(overlap(slice(i).transposed(0, 1), slice(j).transposed(0, 1)), "nothing");
    }
  }
}

TEST(CheckOverlap, LetsGroupsOfHeadsOfOneTensorPass) {  // [L, G, H / G + 2, d]: queries, then a key, then a value
  std::vector<float> packed(5 * 2 * 6 * 8);
  const View queries = strided(packed.data(), {5, 2, 4, 8}, {96, 48, 8, 1});
  const View keys = strided(packed.data() + 32, {5, 2, 8}, {96, 48, 1});
  EXPECT_EQ(overlap(queries, keys), "nothing");
  EXPECT_EQ(overlap(keys, queries), "nothing");
  EXPECT_EQ(overlap(queries, strided(packed.data() + 24, {5, 2, 8}, {96, 48, 1})), rule + "out 96 bytes behind in");
}

TEST(CheckOverlap, RefusesSlicesThatAreShifted) {
  std::vector<float> packed(5 * 3 * 4 * 8 + 100);
  const auto slice = [&](std::int64_t at) { return strided(packed.data() + at, {5, 4, 8}, {96, 8, 1}); };
  EXPECT_EQ(overlap(slice(0), slice(31)), rule + "out 124 bytes behind in");
  EXPECT_EQ(overlap(slice(31), slice(0)), rule + "out 124 bytes before in");
  EXPECT_EQ(overlap(slice(0), slice(96)), rule + "out 384 bytes behind in");  // the next token
  EXPECT_EQ(overlap(slice(0), slice(65)), rule + "out 260 bytes behind in");  // its last element is the next token's
  EXPECT_EQ(overlap(slice(0), slice(64)), "nothing");
}

TEST(CheckOverlap, SaysSoOfTheSameView) {
  float data[12] = {};
  const View all = view(data, {3, 4});
  EXPECT_EQ(overlap(all, all), rule + "the same view");
  EXPECT_EQ(overlap(all, all, Sharing::same_view), "nothing");
  View other = all;
  other.dtype = DType::i32;
  EXPECT_EQ(overlap(all, other, Sharing::same_view), rule_in_place + "both at one address");
  EXPECT_EQ(overlap(all, view(data, {12}), Sharing::same_view), rule_in_place + "both at one address");
  EXPECT_EQ(overlap(all, view(data, {2, 4}), Sharing::same_view), rule_in_place + "both at one address");
  EXPECT_EQ(overlap(view(data, {3, 3}), view(data + 1, {3, 3}), Sharing::same_view),
            rule_in_place + "out 4 bytes behind in");
}

TEST(CheckOverlap, IgnoresTheStridesOfAxesOfOneElement) {
  float data[12] = {};
  const View one = strided(data, {1, 3, 1, 4}, {7, 4, -3, 1}),
             other = strided(data, {1, 3, 1, 4}, {0, 4, int64_most, 1});
  EXPECT_EQ(overlap(one, other, Sharing::same_view), "nothing");
  EXPECT_EQ(overlap(one, other), rule + "the same view");
}

TEST(CheckOverlap, DecidesReversedViewsExactly) {
  float data[20] = {};
  const View even = strided(data, {10}, {2}), odd = strided(data + 19, {10}, {-2});
  EXPECT_EQ(overlap(even, odd), "nothing");
  EXPECT_EQ(overlap(even, strided(data + 18, {10}, {-2})), rule + "out 72 bytes behind in");
  EXPECT_EQ(overlap(view(data, {10}), strided(data + 19, {10}, {-1})), "nothing");
  EXPECT_EQ(overlap(view(data, {11}), strided(data + 19, {10}, {-1})), rule + "out 76 bytes behind in");
}

TEST(CheckOverlap, DecidesTransposedViewsExactly) {
  float data[64] = {};
  const View left = strided(data, {8, 4}, {8, 1}), right = strided(data + 4, {8, 4}, {8, 1});
  EXPECT_EQ(overlap(left, right.transposed(0, 1)), "nothing");
  const View square = view(data, {8, 8});
  EXPECT_EQ(overlap(square, square.transposed(0, 1), Sharing::same_view), rule_in_place + "both at one address");
}

TEST(CheckOverlap, TakesInputsThatRepeat) {
  float data[24] = {};
  const View rows = strided(data, {5, 2, 3}, {0, 6, 1});
  EXPECT_EQ(overlap(rows, strided(data + 3, {2, 3}, {6, 1})), "nothing");
  EXPECT_EQ(overlap(rows, strided(data + 2, {2, 3}, {6, 1})), rule + "out 8 bytes behind in");
  EXPECT_EQ(overlap(strided(data + 4, {1000}, {0}), strided(data, {3, 2}, {6, 3})), "nothing");
  EXPECT_EQ(overlap(strided(data + 9, {1000}, {0}), strided(data, {3, 2}, {6, 3})), rule + "out 36 bytes before in");
}

TEST(CheckOverlap, FindsNothingInEmptyViews) {
  float data[12] = {};
  const View all = view(data, {3, 4});
  for (const View& none :
       {view(data, {0}), view(data + 3, {2, 0, 4}), strided(data, {int64_most, 0, int64_most}, {9, 9, 9}),
        view(static_cast<float*>(nullptr), {0})}) {
    EXPECT_EQ(overlap(none, all), "nothing");
    EXPECT_EQ(overlap(all, none), "nothing");
    EXPECT_EQ(overlap(none, none), "nothing");
  }
}

TEST(CheckOverlap, TakesOtherStridesAndSizesOfElementsByTheirBytes) {
  alignas(8) float data[40] = {};
  const View even = strided(data, {10}, {2});
  EXPECT_EQ(overlap(even, strided(data + 1, {4}, {4})), rule + "bytes that overlap, out 4 bytes behind in");
  EXPECT_EQ(overlap(even, strided(data + 19, {4}, {4})), "nothing");
  const View doubles = {data, DType::f64, 1, {5}, {1}};
  EXPECT_EQ(overlap(view(data + 10, {3}), doubles), "nothing");
  EXPECT_EQ(overlap(view(data + 9, {3}), doubles), rule + "bytes that overlap, out 36 bytes before in");
}

TEST(CheckOverlap, TakesTheHugestStridesWithoutOverflow) {
  float data[4] = {};
  const View up = strided(data, {2}, {int64_most / 4}), down = strided(data + 1, {2}, {int64_least / 4});
  const View far = strided(data + 1, {2}, {int64_most / 4});
  for (const View& view : {up, down, far}) EXPECT_EQ(said(check_view("op", "x", view)), "nothing");
  EXPECT_EQ(overlap(up, view(data + 2, {2})), rule + "bytes that overlap, out 8 bytes behind in");
  EXPECT_EQ(overlap(up, far), rule + "bytes that overlap, out 4 bytes behind in");  // too far apart for an exact answer
  EXPECT_EQ(overlap(down, far), rule + "bytes that overlap, both at one address");
  EXPECT_EQ(overlap(down, view(data + 2, {2})), "nothing");
  constexpr std::int64_t long_stride = std::int64_t{1} << 57;
  EXPECT_EQ(overlap(strided(data, {2}, {long_stride}), strided(data + 1, {2}, {long_stride})), "nothing");
  EXPECT_EQ(overlap(strided(data, {2, 2}, {long_stride, 1}), strided(data + 1, {2}, {long_stride})),
            rule + "out 4 bytes behind in");
}

TEST(CheckOverlap, EndsItsSearchAtABoundWhereBytesDecide) {
  float data[1] = {};
  const auto crossed = [&](std::int64_t at, std::int64_t size) {
    return strided(data + at, {size, size}, {100001, 100000});
  };
  // 100001 i + 100000 j = 50000 has no solution of less than 50000.
  EXPECT_EQ(overlap(crossed(0, 500), crossed(50000, 500)), "nothing");
  EXPECT_EQ(overlap(crossed(0, 5000), crossed(50000, 5000)), rule + "bytes that overlap, out 200000 bytes behind in");
}

TEST(CheckOverlap, NeedsFewStepsForPackedTensorsOfEightAxes) {
  float data[1] = {};
  // Two halves of the second axis of [64, 2 x 32, 64, .., 64]: 2^47 elements, told without walking along them.
  std::array<std::int64_t, max_rank> strides = {};
  std::int64_t stride = 1;
  for (std::size_t axis = max_rank; axis-- > 0; stride *= 64) strides[axis] = stride;
  View half = {data, DType::f16, max_rank, {64, 32, 64, 64, 64, 64, 64, 64}, strides}, other = half;
  other.data = reinterpret_cast<std::byte*>(data) + 2 * 32 * strides[1];
  EXPECT_EQ(overlap(half, other), "nothing");
  other.data = reinterpret_cast<std::byte*>(data) + 2 * (32 * strides[1] - 1);
  EXPECT_NE(overlap(half, other), "nothing");
}

// ---- random views -------------------------------------------------------------------------------

class RandomViews {
 public:
  explicit RandomViews(unsigned seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  View view(std::byte* middle) {
    View made = {nullptr, type(), static_cast<int>(number(0, 4)), {}, {}};
    for (std::size_t axis = 0; axis < 4; ++axis) made.shape[axis] = number(0, 9) == 0 ? 0 : number(1, 4);
    for (std::size_t axis = 0; axis < 4; ++axis) made.strides[axis] = number(-9, 12);
    return placed(made, middle);
  }
  // Of most of the strides of another one.
  View like(const View& other, std::byte* middle) {
    if (number(0, 3) == 0) return view(middle);
    View made = other;
    if (number(0, 7) == 0) made.dtype = type();
    for (std::size_t axis = 0; axis < 4; ++axis) {
      if (number(0, 2) == 0) made.shape[axis] = number(1, 4);
      if (number(0, 9) == 0) made.strides[axis] = -made.strides[axis];
      if (number(0, 19) == 0) made.strides[axis] = number(-9, 12);
    }
    if (made.rank > 1 && number(0, 4) == 0) made = made.transposed(0, made.rank - 1);
    return number(0, 3) == 0 ? made : placed(made, middle);
  }

 private:
  DType type() {
    constexpr DType types[] = {DType::f32, DType::f32, DType::i32, DType::f16, DType::f64};
    return types[number(0, 4)];
  }
  View placed(View view, std::byte* middle) {
    view.data = middle + number(-20, 20) * static_cast<std::int64_t>(size_of(view.dtype));
    return view;
  }
  std::mt19937 random_;
};

// Where each element begins.
std::set<std::intptr_t> addresses(const ConstView& view) {
  std::set<std::intptr_t> all = {reinterpret_cast<std::intptr_t>(view.data)};
  for (int axis = 0; axis < view.rank; ++axis) {
    std::set<std::intptr_t> next;
    for (std::int64_t i = 0; i < view.size(axis); ++i) {
      for (const std::intptr_t at : all) {
        next.insert(at + i * view.stride(axis) * static_cast<std::int64_t>(size_of(view.dtype)));
      }
    }
    all = std::move(next);
  }
  return all;
}

// The sizes of those strides that lead from element to element.
std::set<std::int64_t> strides(const ConstView& view) {
  std::set<std::int64_t> all;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.size(axis) > 1 && view.stride(axis) != 0) all.insert(std::abs(view.stride(axis)));
  }
  return all;
}

bool equal_strides(const ConstView& a, const ConstView& b) {
  const std::set<std::int64_t> of_a = strides(a), of_b = strides(b);
  return std::ranges::includes(of_a, of_b) || std::ranges::includes(of_b, of_a);
}

struct Truth {
  bool refused, exactly, among_bytes;
};

Truth truth(const ConstView& a, const ConstView& b) {
  const std::set<std::intptr_t> of_a = addresses(a), of_b = addresses(b);
  if (of_a.empty() || of_b.empty()) return {false, false, false};
  const auto last = [](const std::set<std::intptr_t>& all, const ConstView& view) {
    return *all.rbegin() + static_cast<std::intptr_t>(size_of(view.dtype)) - 1;
  };
  const bool bytes_meet = *of_a.begin() <= last(of_b, b) && *of_b.begin() <= last(of_a, a);
  if (size_of(a.dtype) != size_of(b.dtype) || !equal_strides(a, b)) return {bytes_meet, false, bytes_meet};
  const bool meet = std::ranges::any_of(of_a, [&](std::intptr_t at) { return of_b.contains(at); });
  return {meet, true, bytes_meet};
}

bool is_one_view(const ConstView& a, const ConstView& b) {
  bool same = a.data == b.data && a.dtype == b.dtype && a.rank == b.rank;
  for (int axis = 0; same && axis < a.rank; ++axis) {
    same = a.size(axis) == b.size(axis) && (a.size(axis) == 1 || a.stride(axis) == b.stride(axis));
  }
  return same;
}

TEST(CheckOverlap, AgreesWithAnEnumerationOfAddresses) {
  alignas(8) static std::byte memory[4096];
  RandomViews random(17);
  int exact_refused = 0, exact_interleaved = 0, in_place = 0;
  for (int i = 0; i < 100000 && !HasFailure(); ++i) {
    const View a = random.view(memory + 2048), b = random.like(a, memory + 2048);
    const auto [refused, exactly, among_bytes] = truth(a, b);
    const bool one_view = is_one_view(a, b);
    EXPECT_EQ(overlap(a, b) != "nothing", refused) << i;
    EXPECT_EQ(overlap(b, a) != "nothing", refused) << i;
    EXPECT_EQ(overlap(a, b, Sharing::same_view) != "nothing", refused && !one_view) << i;
    exact_refused += exactly && refused;
    exact_interleaved += exactly && among_bytes && !refused;
    in_place += one_view && refused;
  }
  EXPECT_GT(exact_refused, 10000);  // what the claim is about did occur
  EXPECT_GT(exact_interleaved, 3000);
  EXPECT_GT(in_place, 1000);
}

}  // namespace
}  // namespace posenc
