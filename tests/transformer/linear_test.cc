// SPDX-License-Identifier: Apache-2.0
// Linear maps against plain loops in f64: every way in which rows lie and work is cut.
#include <posenc/transformer/linear.h>

#include "tests/input/plain.h"
#include "tests/transformer/plain_model.h"

#include <gtest/gtest.h>

#include <thread>

namespace posenc {
namespace {

// Two threads that take jobs in turn.
Executor two_threads() {
  return {[](void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
            const auto every_other = [=](std::int64_t first) {
              for (std::int64_t i = first; i < count; i += 2) job(context, i);
            };
            std::thread other(every_other, 1);
            every_other(0);
            other.join();
          },
          nullptr};
}

// out against the sums of row r of in, each with the bound of any order of summation.
void expect_row(const Linear& weights, const float* in, const float* out) {
  const std::int64_t outputs = weights.weight.size(0), inputs = weights.weight.size(1);
  for (std::int64_t o = 0; o < outputs; ++o) {
    double sum = weights.bias ? plain::at(*weights.bias, {o}) : 0, size = std::abs(sum);
    for (std::int64_t i = 0; i < inputs; ++i) {
      const double term = plain::at(weights.weight, {o, i}) * static_cast<double>(in[i]);
      sum += term;
      size += std::abs(term);
    }
    ASSERT_NEAR(out[o], sum, static_cast<double>(inputs + 2) * 0x1p-24 * size) << "output " << o;
  }
}

TEST(Linear, IsWithinItsBoundForEveryCutOfTheWork) {
  struct Size {
    std::int64_t rows, outputs, inputs;
  };
  for (const Size& s : {Size{1, 1, 1}, Size{1, 9000, 300}, Size{3, 64, 64}, Size{191, 65, 130}, Size{193, 700, 200},
                        Size{400, 63, 31}, Size{130, 200, 1100}, Size{2, 3, 0}}) {
    SCOPED_TRACE(testing::Message() << s.rows << " rows, [" << s.outputs << ", " << s.inputs << "]");
    for (const bool biased : {true, false}) {
      plain::Tensors tensors;
      Linear weights = plain::linear(tensors, s.outputs, s.inputs);
      if (!biased) weights.bias = std::nullopt;
      const View in = tensors.make({s.rows, s.inputs}, 1), out = tensors.make({s.rows, s.outputs}, 1);
      linear(weights, in, out, two_threads());
      for (std::int64_t r = 0; r < s.rows; ++r) {
        expect_row(weights, static_cast<float*>(in.data) + r * s.inputs, static_cast<float*>(out.data) + r * s.outputs);
      }
    }
  }
}

// Rows repeated, backwards, with gaps, of axes in any order.
TEST(Linear, TakesRowsHoweverTheyLie) {
  plain::Tensors tensors;
  const Linear weights = plain::linear(tensors, 5, 8);
  const View memory = tensors.make({4, 3, 8}, 1), gaps = tensors.make({4, 3, 9}, 1);
  View apart = gaps, backwards = memory, repeated = memory;
  apart.shape[2] = 8;
  backwards.data = static_cast<float*>(memory.data) + 3 * 24;
  backwards.strides[0] = -24;
  repeated.strides[1] = 0;
  for (const ConstView& in : {ConstView(memory), ConstView(memory.transposed(0, 1)), ConstView(apart),
                              ConstView(backwards), ConstView(repeated)}) {
    plain::Tensor<float> out({in.size(0), in.size(1), 5}, {1, 0, 2});
    linear(weights, in, out.view);
    for (std::int64_t a = 0; a < in.size(0); ++a) {
      for (std::int64_t b = 0; b < in.size(1); ++b) {
        expect_row(weights, static_cast<const float*>(in.data) + a * in.stride(0) + b * in.stride(1),
                   &out.at({a, b, 0}));
      }
    }
  }
  std::vector<float> one(5);
  linear(weights, view(static_cast<const float*>(memory.data), {8}), view(one.data(), {5}));
  expect_row(weights, static_cast<const float*>(memory.data), one.data());
}

TEST(Linear, PartsOfOneTensorAreMapsOfTheirOwn) {
  plain::Tensors tensors;
  const View stacked = tensors.make({12, 4}, 0.5), in = tensors.make({2, 4}, 1), out = tensors.make({2, 4}, 1);
  View part = stacked;
  part.data = static_cast<float*>(stacked.data) + 16;
  part.shape[0] = 4;
  linear({part}, in, out);
  for (std::int64_t r = 0; r < 2; ++r) {
    expect_row({part}, static_cast<float*>(in.data) + r * 4, static_cast<float*>(out.data) + r * 4);
  }
}

TEST(Linear, NamesWhatIsWrong) {
  plain::Tensors tensors;
  const View weight = tensors.make({3, 4}, 1), in = tensors.make({2, 4}, 1), out = tensors.make({2, 3}, 1);
  const auto error = [&](const Linear& weights, const ConstView& from, const View& to) {
    return plain::error_of([&] { linear(weights, from, to); });
  };
  EXPECT_EQ(error({weight}, in, tensors.make({2, 4}, 1)), "[linear] out must have shape [2, 3], got [2, 4]");
  EXPECT_EQ(error({weight}, tensors.make({2, 5}, 1), out), "[linear] weight must have shape [3, 5], got [3, 4]");
  EXPECT_EQ(error({weight, tensors.make({4}, 1)}, in, out), "[linear] bias must have shape [3], got [4]");
  EXPECT_EQ(error({weight.transposed(0, 1)}, in, out),
            "[linear] weight must have columns next to each other, stride 1, got 4");
  EXPECT_EQ(error({tensors.make({4}, 1)}, in, out), "[linear] weight must have shape [1, 4], got [4]");
  View overlapping = weight;
  overlapping.strides[0] = 3;
  EXPECT_EQ(error({overlapping}, in, out), "[linear] weight must have rows that do not overlap, stride >= 4, got 3");
  View wide = in;
  wide.dtype = DType::i32;
  EXPECT_EQ(error({weight}, wide, out), "[linear] in must be f32, got i32");
  EXPECT_EQ(error({weight}, in.transposed(0, 1), out),
            "[linear] in must have columns next to each other, stride 1, got 4");
  View same = out;
  same.strides[0] = 0;
  EXPECT_NE(error({weight}, in, same).find("[linear] out"), std::string::npos);
  EXPECT_FALSE(check_linear({weight}, in, out));
}

}  // namespace
}  // namespace posenc
