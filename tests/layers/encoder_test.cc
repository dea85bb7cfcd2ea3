// SPDX-License-Identifier: Apache-2.0
// The encoder against plain loops in f64.
#include <posenc/encoder.h>

#include "tests/layers/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

struct Case {
  NormPlace norm;
  Activation activation;
  plain::Shape shape;
  std::int64_t layers, batch, length;
};

const Case cases[] = {
    {NormPlace::after, Activation::relu, {16, 32, 4, 4}, 2, 3, 7},
    {NormPlace::before, Activation::gelu, {24, 96, 3, 3}, 3, 2, 5},
    {NormPlace::before, Activation::gelu_tanh, {12, 20, 6, 2}, 1, 1, 9},
    {NormPlace::after, Activation::gelu, {32, 8, 4, 1}, 2, 4, 1},
};

TEST(Encoder, IsItsLayersInPlainLoops) {
  for (const Case& c : cases) {
    plain::Tensors tensors;
    const Encoder encoder = plain::encoder(tensors, c.shape, c.layers, {c.norm, c.activation, Score::scaled_dot});
    const View in = tensors.make({c.batch, c.length, c.shape.width}, 1),
               out = tensors.make({c.batch, c.length, c.shape.width}, 1);
    encode(encoder, in, {}, out);
    for (std::int64_t b = 0; b < c.batch; ++b) {
      const double away = plain::difference(out, b, plain::encode(encoder, plain::rows_of(in, b), c.length), c.length);
      EXPECT_LT(away, 0x1p-19) << "sequence " << b;
    }
  }
}

}  // namespace
}  // namespace posenc
