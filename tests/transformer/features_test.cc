// SPDX-License-Identifier: Apache-2.0
// Convolutions over time against plain loops in f64.
#include <posenc/preset.h>
#include <posenc/transformer/features.h>

#include "tests/input/plain.h"
#include "tests/transformer/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

// [T, channels] of one sequence of [B, channels, T].
plain::Rows columns_of(const ConstView& in, std::int64_t b) {
  plain::Rows rows(static_cast<std::size_t>(in.size(2)), plain::Row(static_cast<std::size_t>(in.size(1))));
  for (std::int64_t t = 0; t < in.size(2); ++t) {
    for (std::int64_t c = 0; c < in.size(1); ++c) {
      rows[static_cast<std::size_t>(t)][static_cast<std::size_t>(c)] = plain::at(in, {b, c, t});
    }
  }
  return rows;
}

plain::Rows convolved(const Convolution& c, const plain::Rows& in) {
  plain::Rows out;
  const auto length = static_cast<std::int64_t>(in.size()), taps = c.weight.size(2);
  for (std::int64_t t = 0; t * c.stride - c.padding + taps <= length + c.padding; ++t) {
    plain::Row row;
    for (std::int64_t o = 0; o < c.weight.size(0); ++o) {
      double sum = plain::at(c.bias, {o});
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        const std::int64_t from = t * c.stride + tap - c.padding;
        for (std::int64_t i = 0; i < c.weight.size(1) && from >= 0 && from < length; ++i) {
          sum += plain::at(c.weight, {o, i, tap}) * in[static_cast<std::size_t>(from)][static_cast<std::size_t>(i)];
        }
      }
      row.push_back(plain::curve(Activation::gelu, sum));
    }
    out.push_back(row);
  }
  return out;
}

struct Front {
  plain::Tensors tensors;
  FeatureInput input;

  explicit Front(std::int64_t width, std::int64_t rows)
      : input{{convolution(width, 5, 3, 1, 1), convolution(width, width, 3, 2, 1)},
              ConstView(tensors.make({rows, width}, 1))} {}
  Convolution convolution(std::int64_t outputs, std::int64_t channels, std::int64_t taps, std::int64_t stride,
                          std::int64_t padding) {
    const ConstView weight = tensors.make({outputs, channels, taps}, plain::unit(channels * taps));
    return {weight, tensors.make({outputs}, 0.25), stride, padding};
  }
};

TEST(Features, AreWhispersConvolutionsInPlainLoops) {
  for (const std::int64_t length : {1, 2, 7, 10, 401}) {
    Front front(12, 300);
    const std::int64_t rows = rows_of_features(front.input, length);
    EXPECT_EQ(rows, (length + 1) / 2);
    const View in = front.tensors.make({2, 5, length}, 1), out = front.tensors.make({2, rows, 12}, 1);
    features(front.input, in, out);
    for (std::int64_t b = 0; b < 2; ++b) {
      plain::Rows wanted =
          convolved(front.input.convolutions[1], convolved(front.input.convolutions[0], columns_of(in, b)));
      ASSERT_EQ(wanted.size(), static_cast<std::size_t>(rows));
      for (std::size_t t = 0; t < wanted.size(); ++t) {
        for (std::size_t c = 0; c < 12; ++c) {
          wanted[t][c] += plain::at(std::get<ConstView>(front.input.table),
                                    {static_cast<std::int64_t>(t), static_cast<std::int64_t>(c)});
        }
      }
      EXPECT_LT(plain::difference(out, b, wanted, rows), 0x1p-20) << length;
    }
  }
}

TEST(Features, TakeAnyTapsStridesAndPadding) {
  struct Shape {
    std::int64_t taps, stride, padding, length;
  };
  for (const Shape& s :
       {Shape{1, 1, 0, 5}, Shape{5, 3, 2, 20}, Shape{4, 2, 3, 9}, Shape{7, 1, 0, 7}, Shape{7, 1, 0, 6}}) {
    Front front(6, 100);
    front.input.convolutions = {front.convolution(6, 5, s.taps, s.stride, s.padding)};
    front.input.table = Rows(preset("whisper").convention, 6);
    const View in = front.tensors.make({1, 5, s.length}, 1);
    const plain::Rows wanted = convolved(front.input.convolutions[0], columns_of(in, 0));
    const std::int64_t rows = rows_of_features(front.input, s.length);
    ASSERT_EQ(static_cast<std::size_t>(rows), wanted.size());
    const View out = front.tensors.make({1, rows, 6}, 1), signal = front.tensors.make({rows, 6}, 1);
    features(front.input, in, out);
    sinusoid(preset("whisper").convention, Positions::range(0, rows), signal);
    for (std::int64_t t = 0; t < rows; ++t) {
      for (std::int64_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(plain::at(out, {0, t, c}),
                    wanted[static_cast<std::size_t>(t)][static_cast<std::size_t>(c)] + plain::at(signal, {t, c}),
                    0x1p-20);
      }
    }
  }
}

TEST(Features, TakeOneSequenceAndColumnsInAnyOrder) {
  Front front(4, 10);
  const View in = front.tensors.make({5, 12}, 1), turned = front.tensors.make({12, 5}, 1);
  for (std::int64_t t = 0; t < 12; ++t) {
    for (std::int64_t c = 0; c < 5; ++c) {
      static_cast<float*>(turned.data)[t * 5 + c] = static_cast<float>(plain::at(in, {c, t}));
    }
  }
  std::vector<float> a(24), b(24);
  features(front.input, in, view(a.data(), {6, 4}));
  features(front.input, turned.transposed(0, 1), view(b.data(), {6, 4}));
  EXPECT_EQ(a, b);
}

TEST(Features, NamesWhatIsWrong) {
  Front front(4, 6);
  const View in = front.tensors.make({1, 5, 12}, 1), out = front.tensors.make({1, 6, 4}, 1);
  const auto error = [&] { return plain::error_of([&] { features(front.input, in, out); }); };
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(plain::error_of([&] { features(front.input, front.tensors.make({1, 5, 13}, 1), out); }),
            "[features] in must give no more rows than the table has, 6, got 7 of 13 columns");
  EXPECT_EQ(plain::error_of([&] { features(front.input, front.tensors.make({1, 4, 12}, 1), out); }),
            "[features] in must have shape [1, 5, 12], got [1, 4, 12]");
  EXPECT_EQ(plain::error_of([&] { features(front.input, in, front.tensors.make({1, 5, 4}, 1)); }),
            "[features] out must have shape [1, 6, 4], got [1, 5, 4]");
  const FeatureInput good = front.input;
  const auto with = [&](auto change) {
    front.input = good;
    change(front.input);
    return error();
  };
  EXPECT_EQ(with([](FeatureInput& f) { f.convolutions.clear(); }), "[features] there must be a convolution, got none");
  EXPECT_EQ(with([](FeatureInput& f) { f.convolutions[1] = f.convolutions[0]; }),
            "[features] convolution 1 must read the 4 channels that the one before it gives, got 5");
  EXPECT_EQ(with([](FeatureInput& f) { f.convolutions[0].stride = 0; }),
            "[features] convolution 0 stride must be at least 1, got 0");
  EXPECT_EQ(with([](FeatureInput& f) { f.convolutions[0].padding = 3; }),
            "[features] convolution 0 padding must be in [0, 3), got 3");
  EXPECT_EQ(with([](FeatureInput& f) { f.convolutions[0].bias.shape[0] = 3; }),
            "[features] convolution 0 bias must have shape [4], got [3]");
  EXPECT_EQ(with([&](FeatureInput& f) { f.table = ConstView(front.tensors.make({6, 5}, 1)); }),
            "[features] table must have shape [6, 4], got [6, 5]");
  EXPECT_EQ(with([](FeatureInput& f) { f.table = Rows(preset("whisper").convention, 6); }),
            "[features] the convention must give rows of 4 columns, got 6");
}

}  // namespace
}  // namespace posenc
