// SPDX-License-Identifier: Apache-2.0
// Feed-forward layers against plain loops in f64.
#include <posenc/transformer/feed_forward.h>

#include "tests/input/plain.h"
#include "tests/transformer/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

// The bound of each product, and between them that of the curve (2^-21 of what it takes), whose slope is below 1.13.
plain::Row bound(const FeedForward& weights, Activation activation, const plain::Row& in) {
  const auto magnitudes = [](const Linear& of, const plain::Row& sizes, double each) {
    plain::Row out(static_cast<std::size_t>(of.weight.size(0)));
    for (std::size_t o = 0; o < out.size(); ++o) {
      const auto row = static_cast<std::int64_t>(o);
      out[o] = each * std::abs(of.bias ? plain::at(*of.bias, {row}) : 0);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        out[o] += std::abs(plain::at(of.weight, {row, static_cast<std::int64_t>(i)})) * sizes[i];
      }
    }
    return out;
  };
  plain::Row sizes = in;
  for (double& x : sizes) x = std::abs(x);
  const plain::Row wide = plain::linear(weights.wide, in), largest = magnitudes(weights.wide, sizes, 1);
  plain::Row errors = wide, inner = wide;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const double product = static_cast<double>(in.size() + 2) * 0x1p-24 * largest[i];
    errors[i] = 1.13 * product + 0x1p-21 * (std::abs(wide[i]) + product);
    inner[i] = std::abs(plain::curve(activation, wide[i])) + errors[i];
  }
  const plain::Row carried = magnitudes(weights.narrow, errors, 0);
  plain::Row made = magnitudes(weights.narrow, inner, 1);
  for (std::size_t o = 0; o < made.size(); ++o) {
    made[o] = carried[o] + static_cast<double>(inner.size() + 6) * 0x1p-24 * made[o];
  }
  return made;
}

TEST(FeedForward, IsWithinTheBoundsOfItsParts) {
  struct Size {
    std::int64_t rows, width, inner;
  };
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
    for (const Size& s :
         {Size{1, 1, 1}, Size{1, 64, 64}, Size{5, 12, 400}, Size{200, 16, 1000}, Size{70, 33, 384}, Size{3, 4, 0}}) {
      SCOPED_TRACE(testing::Message() << to_string(activation) << " of " << s.rows << " x " << s.width << ", "
                                      << s.inner);
      plain::Tensors tensors;
      const FeedForward weights = plain::feed_forward(tensors, s.width, s.inner);
      const View in = tensors.make({1, s.rows, s.width}, 2), out = tensors.make({1, s.rows, s.width}, 1);
      feed_forward(weights, activation, in, out);
      for (std::int64_t r = 0; r < s.rows; ++r) {
        const plain::Row row = plain::rows_of(in, 0)[static_cast<std::size_t>(r)];
        const plain::Row wanted = plain::feed_forward(weights, activation, row), most = bound(weights, activation, row);
        for (std::size_t c = 0; c < wanted.size(); ++c) {
          ASSERT_NEAR(plain::at(out, {0, r, static_cast<std::int64_t>(c)}), wanted[c], most[c]) << "row " << r;
        }
      }
    }
  }
}

TEST(FeedForward, NamesWhatIsWrong) {
  plain::Tensors tensors;
  const FeedForward good = plain::feed_forward(tensors, 4, 6);
  const View rows = tensors.make({2, 4}, 1);
  const auto error = [&](const FeedForward& weights, Activation activation) {
    return plain::error_of([&] { feed_forward(weights, activation, rows, rows); });
  };
  EXPECT_EQ(error({good.wide, good.wide}, Activation::relu),
            "[feed_forward] narrow weight must have shape [4, 6], got [6, 4]");
  EXPECT_EQ(error({good.narrow, good.narrow}, Activation::relu),
            "[feed_forward] wide weight must have shape [4, 4], got [4, 6]");
  EXPECT_EQ(error(good, Activation{}), "[feed_forward] activation must be stated, got none");
  EXPECT_EQ(error(good, Activation{9}), "[feed_forward] activation must be stated, got none");
  EXPECT_EQ(plain::error_of([&] { feed_forward(good, Activation::relu, rows, tensors.make({3, 4}, 1)); }),
            "[feed_forward] out must have shape [2, 4], got [3, 4]");
  EXPECT_FALSE(check_feed_forward(good, Activation::gelu, rows, tensors.make({2, 4}, 1)));
}

}  // namespace
}  // namespace posenc
