// SPDX-License-Identifier: Apache-2.0
// Views of any shape and strides: what check_view accepts, by arithmetic without bounds, and the views made of views.
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <posenc/core.h>

#include <rapidcheck/gtest.h>
#include <limits>

namespace posenc {
namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
static_assert(sizeof(long) == sizeof(std::int64_t));

mpz_class exact(std::int64_t number) { return mpz_class(static_cast<long>(number)); }

mpz_class exact_count(const ConstView& view) {
  mpz_class count = 1;
  for (int axis = 0; axis < view.rank; ++axis) count *= exact(view.size(axis));
  return count;
}

/// The rules of views as core.h states them.
bool is_valid(const ConstView& view) {
  if (size_of(view.dtype) == 0 || view.rank < 0 || view.rank > max_rank) return false;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.size(axis) < 0) return false;
  }
  const mpz_class count = exact_count(view);
  if (count == 0) return true;
  mpz_class low = 0, high = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    (view.stride(axis) < 0 ? low : high) += exact(view.stride(axis)) * (exact(view.size(axis)) - 1);
  }
  const mpz_class size = exact(static_cast<std::int64_t>(size_of(view.dtype)));
  return count * size <= exact(highest) && low * size >= exact(lowest) && high * size <= exact(highest) &&
         view.data != nullptr && reinterpret_cast<std::uintptr_t>(view.data) % size_of(view.dtype) == 0;
}

/// Small numbers, numbers beside powers of two, and any.
std::int64_t random_number() {
  const auto small = rc::gen::inRange<std::int64_t>(-3, 10);
  const auto power = rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 63), rc::gen::inRange<std::int64_t>(-2, 3), rc::gen::arbitrary<bool>()),
      [](const std::tuple<int, std::int64_t, bool>& parts) {
        const std::int64_t number = (std::int64_t{1} << std::get<0>(parts)) - 1 + std::get<1>(parts) % 2;
        return std::get<2>(parts) ? -number : number;
      });
  const auto edge = rc::gen::element(highest, lowest, highest - 1, lowest + 1);
  return *rc::gen::weightedOneOf<std::int64_t>({{12, small}, {4, power}, {1, edge}});
}

DType random_type() {
  return *rc::gen::weightedOneOf<DType>(
      {{20, rc::gen::element(DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64)},
       {1, rc::gen::element(DType{0}, DType{7}, DType{255})}});
}

alignas(8) std::byte memory[16];  // never read

ConstView random_view(int fewest, int most) {
  ConstView view{memory, random_type(), *rc::gen::inRange(fewest, most + 1), {}, {}};
  for (std::size_t axis = 0; axis < max_rank; ++axis) {
    const std::int64_t size = random_number();
    view.shape[axis] =
        *rc::gen::weightedElement<std::int64_t>({{30, size < 0 && size > lowest ? -size : size}, {1, size}});
    view.strides[axis] = random_number();
  }
  return view;
}

/// One axis whose last element is some elements before or beyond the last that can be addressed.
ConstView view_at_the_limit() {
  ConstView view{memory, *rc::gen::element(DType::f32, DType::f64, DType::f16), 1, {}, {}};
  const std::int64_t most = highest / static_cast<std::int64_t>(size_of(view.dtype));
  view.shape[0] = *rc::gen::inRange<std::int64_t>(2, 1000);
  view.strides[0] = most / (view.shape[0] - 1) + *rc::gen::inRange<std::int64_t>(-1, 3);
  if (*rc::gen::arbitrary<bool>()) view.strides[0] = -view.strides[0];
  return view;
}

struct Tally {
  int valid = 0, broken = 0;
};

void expect_the_rules(ConstView view, Tally& tally) {
  const int at = *rc::gen::weightedElement<int>({{20, 0}, {2, 2}, {2, 4}, {1, 1}, {1, -1}});
  view.data = at < 0 ? nullptr : memory + at;
  const bool valid = is_valid(view);
  ++(valid ? tally.valid : tally.broken);
  RC_ASSERT(!check_view("op", "x", view).has_value() == valid);
  const View output{const_cast<void*>(view.data), view.dtype, view.rank, view.shape, view.strides};
  bool repeats = false;
  for (int axis = 0; axis < view.rank && valid; ++axis) repeats |= view.size(axis) > 1 && view.stride(axis) == 0;
  RC_ASSERT(!check_output("op", "x", output).has_value() == (valid && !(repeats && exact_count(view) != 0)));
}

TEST(Views, AreValidByTheirRulesAlone) {
  Tally any, few, limit;
  EXPECT_TRUE(rc::check([&] {
    for (int i = 0; i < 20; ++i) expect_the_rules(random_view(-1, max_rank + 1), any);
    for (int i = 0; i < 20; ++i) expect_the_rules(random_view(0, 2), few);
    for (int i = 0; i < 20; ++i) expect_the_rules(view_at_the_limit(), limit);
  }));
  for (const Tally& tally : {any, few, limit}) {
    EXPECT_GT(tally.valid, 100);
    EXPECT_GT(tally.broken, 100);
  }
}

bool same(const ConstView& a, const ConstView& b) {
  return a.data == b.data && a.dtype == b.dtype && a.rank == b.rank && a.shape == b.shape && a.strides == b.strides;
}

/// Element offset of an index, by the formula.
std::int64_t offset(const ConstView& view, std::span<const std::int64_t> index) {
  std::int64_t sum = 0;
  for (int axis = 0; axis < view.rank; ++axis) sum += index[static_cast<std::size_t>(axis)] * view.stride(axis);
  return sum;
}

ConstView small_view(int fewest, int most) {
  ConstView view{memory, DType::f32, *rc::gen::inRange(fewest, most + 1), {}, {}};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.rank); ++axis) {
    view.shape[axis] = *rc::gen::inRange<std::int64_t>(1, 5);
    view.strides[axis] = *rc::gen::inRange<std::int64_t>(-9, 10);
  }
  return view;
}

std::vector<std::int64_t> random_index(const ConstView& view) {
  std::vector<std::int64_t> index;
  for (int axis = 0; axis < view.rank; ++axis) index.push_back(*rc::gen::inRange<std::int64_t>(0, view.size(axis)));
  return index;
}

RC_GTEST_PROP(Views, TransposedTwiceAreThemselves, ()) {
  const ConstView view = small_view(1, max_rank);
  const int a = *rc::gen::inRange(0, view.rank), b = *rc::gen::inRange(0, view.rank);
  const ConstView turned = view.transposed(a, b);
  RC_ASSERT(same(turned.transposed(a, b), view));
  RC_ASSERT(same(turned, view.transposed(b, a)));
  RC_ASSERT(turned.count() == view.count());
  std::vector<std::int64_t> index = random_index(view);
  const std::int64_t there = offset(view, index);
  std::swap(index[static_cast<std::size_t>(a)], index[static_cast<std::size_t>(b)]);
  RC_ASSERT(offset(turned, index) == there);
}

RC_GTEST_PROP(Views, RepeatedHoldTheSameElementsEveryTime, ()) {
  const ConstView view = small_view(0, max_rank);
  const auto times = *rc::gen::inRange<std::int64_t>(0, 5);
  const ConstView repeated = view.repeated(times);
  RC_ASSERT(repeated.rank == view.rank + 1);
  RC_ASSERT(check_view("op", "x", repeated).has_value() == (view.rank == max_rank));
  if (view.rank == max_rank) return;
  RC_ASSERT(repeated.count() == times * view.count());
  std::vector<std::int64_t> index = random_index(view);
  const std::int64_t there = offset(view, index);
  index.insert(index.begin(), *rc::gen::inRange<std::int64_t>(0, times + 1));
  RC_ASSERT(offset(repeated, index) == there);
}

RC_GTEST_PROP(Views, OfAPointerCountTheirElementsInRows, ()) {
  const auto size = [] { return *rc::gen::inRange<std::int64_t>(0, 6); };
  const std::int64_t a = size(), b = size(), c = size();
  const ConstView view = posenc::view(reinterpret_cast<const float*>(memory), {a, b, c});
  RC_ASSERT(view.count() == a * b * c);
  for (std::int64_t flat = 0; flat < a * b * c; ++flat) {
    const std::int64_t index[] = {flat / c / b, flat / c % b, flat % c};
    RC_ASSERT(offset(view, index) == flat);
  }
}

}  // namespace
}  // namespace posenc
