// SPDX-License-Identifier: Apache-2.0
// Matrix products against plain loops in f64.
#include "src/transformer/kernels/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/engine/every_target.h"

namespace posenc::kernels {
namespace {

// Numbers in [-1, 1), not all of few bits.
std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> made(count);
  for (float& x : made)
    x = static_cast<float>(static_cast<std::int32_t>(seed = seed * 1664525u + 1013904223u)) * 0x1p-31f;
  return made;
}

struct Size {
  std::int64_t rows, columns, inner, gap;  // gap: elements between the rows of every matrix
};

void expect_product(const Size& s, Right form) {
  SCOPED_TRACE(testing::Message() << s.rows << " x " << s.inner << " by " << s.inner << " x " << s.columns);
  const bool transposed = form == Right::transposed;
  const std::int64_t left_stride = s.inner + s.gap, right_columns = transposed ? s.inner : s.columns;
  const std::int64_t right_rows = transposed ? s.columns : s.inner, right_stride = right_columns + s.gap;
  const std::int64_t out_stride = s.columns + s.gap;
  const std::vector<float> a = numbers(static_cast<std::size_t>(s.rows * left_stride), 1);
  const std::vector<float> b = numbers(static_cast<std::size_t>(right_rows * right_stride), 2);
  const std::vector<float> before = numbers(static_cast<std::size_t>(s.rows * out_stride), 3);
  std::vector<float> out = before;
  product({a.data(), s.rows, s.inner, left_stride}, {b.data(), right_rows, right_columns, right_stride}, form, 0.5f,
          2.0f, out.data(), out_stride);
  for (std::int64_t i = 0; i < s.rows; ++i) {
    for (std::int64_t j = 0; j < out_stride; ++j) {
      const auto at = static_cast<std::size_t>(i * out_stride + j);
      if (j >= s.columns) {
        ASSERT_EQ(out[at], before[at]) << "between rows";
        continue;
      }
      double exact = 0, size = 0;
      for (std::int64_t k = 0; k < s.inner; ++k) {
        const double x = a[static_cast<std::size_t>(i * left_stride + k)];
        const double y = b[static_cast<std::size_t>(transposed ? j * right_stride + k : k * right_stride + j)];
        exact += x * y;
        size += std::abs(x * y);
      }
      const double kept = 2.0 * before[at];
      const double bound = static_cast<double>(s.inner + 3) * 0x1p-24 * (0.5 * size + std::abs(kept));
      ASSERT_NEAR(out[at], 0.5 * exact + kept, bound) << "[" << i << ", " << j << "]";
    }
  }
}

TEST(Product, IsWithinTheBoundOfAnyOrderOfSummation) {
  for (const Right form : {Right::as_it_is, Right::transposed}) {
    for (const Size& s : {Size{1, 1, 1, 0}, Size{1, 7, 3, 2}, Size{2, 1, 5, 0}, Size{3, 3, 1, 1}, Size{17, 31, 13, 5},
                          Size{64, 64, 64, 0}, Size{1, 300, 129, 0}, Size{127, 65, 257, 3}}) {
      expect_product(s, form);
    }
  }
}

TEST(Product, OfSingleRowsIsWithinTheBoundOnEveryInstructionSet) {
  engine::on_every_target([] {
    for (const Right form : {Right::as_it_is, Right::transposed}) {
      for (const std::int64_t columns : {1, 3, 4, 5, 16, 63, 64, 67, 129}) {
        for (const std::int64_t inner : {1, 2, 7, 8, 15, 16, 17, 64, 101}) expect_product({1, columns, inner, 3}, form);
      }
    }
  });
}

TEST(Product, NothingToSumKeepsOrClears) {
  std::vector<float> out = {1, 2, 3, 4};
  product({nullptr, 2, 0, 0}, {nullptr, 2, 0, 0}, Right::transposed, 1, 1, out.data(), 2);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4}));
  product({nullptr, 2, 0, 0}, {nullptr, 2, 0, 0}, Right::transposed, 1, 0, out.data(), 2);
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0}));
  product({nullptr, 0, 4, 4}, {out.data(), 1, 4, 4}, Right::transposed, 1, 0, nullptr, 1);
}

TEST(Product, ReadsNothingOfWhatItDoesNotKeep) {
  const std::vector<float> ones(140, 1.0f);
  engine::on_every_target([&] {
    for (const Right form : {Right::as_it_is, Right::transposed}) {
      for (const std::int64_t rows : {1, 2}) {
        std::vector<float> out(static_cast<std::size_t>(rows * 70), NAN);
        const Matrix right = form == Right::transposed ? Matrix{ones.data(), 70, 2, 2} : Matrix{ones.data(), 2, 70, 70};
        product({ones.data(), rows, 2, 2}, right, form, 3, 0, out.data(), 70);
        for (const float x : out) EXPECT_EQ(x, 6);
      }
    }
  });
}

}  // namespace
}  // namespace posenc::kernels
