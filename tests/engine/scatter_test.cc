// SPDX-License-Identifier: Apache-2.0
// Sums of rows by id against plain loops: every instruction set, type, tail, spacing and kind of store.
#include "src/engine/scatter/scatter.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/engine/every_target.h"
#include "tests/reference/gradient.h"

namespace posenc::engine {
namespace {

// ---- by id ----------------------------------------------------------------------------------------

void expect_sorted(const std::vector<std::uint32_t>& id_of, std::optional<std::int64_t> without) {
  const ById by = by_id(id_of, without);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t token = 0; token < id_of.size(); ++token) {
    if (id_of[token] != without) expected.push_back(token);
  }
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t token) { return id_of[token]; });
  EXPECT_EQ(by.tokens, expected);
  ASSERT_EQ(by.begins.size(), by.ids.size() + 1);
  EXPECT_EQ(by.begins.front(), 0u);
  EXPECT_EQ(by.begins.back(), expected.size());
  EXPECT_TRUE(std::ranges::is_sorted(by.ids, std::less_equal<>()) || by.ids.size() < 2);
  for (std::size_t i = 0; i < by.ids.size(); ++i) {
    ASSERT_GT(by.count(i), 0u);
    for (std::uint32_t at = by.begins[i]; at < by.begins[i + 1]; ++at) ASSERT_EQ(id_of[by.tokens[at]], by.ids[i]);
  }
}

TEST(ById, IsAStableSort) {
  std::mt19937 random(4);
  for (const std::uint64_t vocabulary : {1ull, 2ull, 100ull, 2048ull, 2049ull, 50257ull, 5000000ull, 1ull << 32}) {
    for (const std::size_t size : {0, 1, 2, 77, 5000}) {
      std::vector<std::uint32_t> id_of(size);
      for (std::uint32_t& id : id_of) id = static_cast<std::uint32_t>(random() % vocabulary);
      expect_sorted(id_of, std::nullopt);
      expect_sorted(id_of, size == 0 ? 0 : id_of[size / 2]);
    }
  }
  expect_sorted(std::vector<std::uint32_t>(100, 5), 5);
  expect_sorted(std::vector<std::uint32_t>(100, ~0u), std::nullopt);
}

// ---- sums -----------------------------------------------------------------------------------------

struct BatchShape {
  std::int64_t sequences, length, width, vocabulary;
  std::int64_t column_stride = 1, out_stride = 1;
};

// Factors of a mask, as dropout.h says.
template <class C>
C factor(const RowMask& mask, std::int64_t b, std::int64_t t, std::int64_t c) {
  const r123::Philox4x32::ctr_type words =
      r123::Philox4x32()({{static_cast<std::uint32_t>(c / 8), mask.token + static_cast<std::uint32_t>(t),
                           mask.batch + static_cast<std::uint32_t>(b), mask.call}},
                         {{mask.key[0], mask.key[1]}});
  const std::uint32_t draw = words[static_cast<std::size_t>(c % 8 / 2)] >> c % 2 * 16 & 0xFFFFu;
  return draw < mask.dropped ? C(0) : static_cast<C>(mask.keep);
}

// Of sizes so different that the order of additions shows in every sum.
template <class T>
std::vector<T> hard_values(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(size);
  for (T& x : values) {
    const auto word = static_cast<std::uint32_t>(random());
    const float value = std::ldexp(static_cast<float>(word >> 8) * 0x1p-24f + 0.5f, static_cast<int>(word & 7));
    x = T((word & 8) != 0 ? -value : value);
  }
  return values;
}

template <class T>
class Batch {
 public:
  using C = Computing<T>;

  Batch(const BatchShape& shape, std::uint32_t seed) : shape_(shape) {
    std::mt19937 random(seed);
    const std::int64_t tokens = shape.sequences * shape.length;
    for (std::int64_t i = 0; i < tokens; ++i) {
      ids_.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(shape.vocabulary)));
    }
    gradient_ = hard_values<T>(static_cast<std::size_t>(tokens * row()), seed + 1);
    by_id_ = by_id(std::vector<std::uint32_t>(ids_.begin(), ids_.end()), std::nullopt);
  }

  std::int64_t row() const { return shape_.width * shape_.column_stride; }
  const ById& sorted() const { return by_id_; }
  Terms<T> terms(const RowMask* mask) const {
    return {&by_id_, gradient_.data(), shape_.length * row(), row(), shape_.column_stride, shape_.length, shape_.width,
            mask};
  }
  std::vector<C> expected(const RowMask* mask, C scale) const {
    return reference::gradient_rows<C>(
        ids_, shape_.vocabulary, shape_.width, scale, [&](std::int64_t token, std::int64_t c) {
          const auto x = static_cast<C>(gradient_[static_cast<std::size_t>(token * row() + c * shape_.column_stride)]);
          return mask == nullptr ? x : x * factor<C>(*mask, token / shape_.length, token % shape_.length, c);
        });
  }

 private:
  BatchShape shape_;
  std::vector<std::int64_t> ids_;
  std::vector<T> gradient_;
  ById by_id_;
};

template <class T>
void expect_plain_sums(const BatchShape& shape, const RowMask* mask, Stores stores, std::size_t offset) {
  using C = Computing<T>;
  SCOPED_TRACE(shape.width);
  const Batch<T> batch(shape, static_cast<std::uint32_t>(shape.width));
  const C scale = static_cast<C>(-1.7);
  const std::vector<C> expected = batch.expected(mask, scale);
  const auto width = static_cast<std::size_t>(shape.width), step = static_cast<std::size_t>(shape.out_stride);
  const std::size_t row = width * step + 3, size = static_cast<std::size_t>(shape.vocabulary) * row + offset + 64;
  std::vector<T> out(size, T(9.0f));
  const SummedRows<T> rows = {out.data() + offset, static_cast<std::int64_t>(row), shape.out_stride, scale, stores};
  write_sums<T>(batch.terms(mask), {}, rows, {0, shape.vocabulary, 0, batch.sorted().ids.size()});
  std::size_t untouched = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = i - offset, r = at / row, c = at % row / step;
    if (i < offset || r >= static_cast<std::size_t>(shape.vocabulary) || c >= width || at % row % step != 0) {
      untouched += out[i] == T(9.0f) ? 1 : 0;
      continue;
    }
    const T value(expected[r * width + c]);
    ASSERT_EQ(std::memcmp(&out[i], &value, sizeof(T)), 0) << "row " << r << " column " << c;
  }
  EXPECT_EQ(untouched, size - static_cast<std::size_t>(shape.vocabulary) * width) << "nothing else is written";
}

const RowMask some_mask = {{1, 2}, 0xFFFFFFF0u, 4, 5, 20000, 65536 / (65536.0 - 20000)};

template <class T>
void expect_plain_sums_of_many() {
  std::mt19937 random(9);
  for (const std::int64_t width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 130, 511, 512, 513, 700, 1031}) {
    for (const std::int64_t vocabulary : {1, 13, 200}) {
      for (const RowMask* mask : {static_cast<const RowMask*>(nullptr), &some_mask}) {
        const Stores stores = random() % 2 == 0 ? Stores::cached : Stores::streamed;
        expect_plain_sums<T>({3, 17, width, vocabulary}, mask, stores, random() % 64);
      }
    }
    expect_plain_sums<T>({3, 17, width, 13, 2, 1}, &some_mask, Stores::streamed, random() % 64);
    expect_plain_sums<T>({3, 17, width, 13, 1, 3}, nullptr, Stores::streamed, random() % 64);
    expect_plain_sums<T>({1, 51, width, 13, 2, 2}, &some_mask, Stores::cached, random() % 64);
  }
}

TEST(Scatter, OfF32IsThePlainLoopsOnEveryTarget) { on_every_target(expect_plain_sums_of_many<float>); }
TEST(Scatter, OfF64IsThePlainLoopsOnEveryTarget) { on_every_target(expect_plain_sums_of_many<double>); }
TEST(Scatter, OfF16IsThePlainLoopsOnEveryTarget) { on_every_target(expect_plain_sums_of_many<half>); }
TEST(Scatter, OfBf16IsThePlainLoopsOnEveryTarget) { on_every_target(expect_plain_sums_of_many<bfloat16>); }

TEST(Scatter, WritesAnyRangeOfRowsAndNoOther) {
  const Batch<float> batch({2, 40, 24, 60}, 3);
  const ById& by = batch.sorted();
  const std::vector<float> expected = batch.expected(nullptr, 2);
  for (std::int64_t first = 0; first <= 60; first += 7) {
    for (std::int64_t last = first; last <= 60; last += 5) {
      std::vector<float> out(60 * 24, 9.0f);
      const auto place = [&](std::int64_t row) {
        return static_cast<std::size_t>(std::ranges::lower_bound(by.ids, row) - by.ids.begin());
      };
      write_sums<float>(batch.terms(nullptr), {}, {out.data(), 24, 1, 2, Stores::cached},
                        {first, last, place(first), place(last)});
      for (std::int64_t i = 0; i < 60 * 24; ++i) {
        const bool inside = i / 24 >= first && i / 24 < last;
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(out[at], inside ? expected[at] : 9.0f) << i;
      }
    }
  }
}

}  // namespace
}  // namespace posenc::engine
