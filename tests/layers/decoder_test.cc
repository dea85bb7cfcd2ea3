// SPDX-License-Identifier: Apache-2.0
// The decoder against plain loops in f64; a call a token against one call for all.
#include <posenc/decoder.h>

#include "tests/layers/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

struct Case {
  NormPlace norm;
  Activation activation;
  plain::Shape shape;
  std::int64_t source, layers, batch, length, memory;
};

const Case cases[] = {
    {NormPlace::after, Activation::relu, {16, 32, 4, 4}, 16, 2, 3, 7, 5},
    {NormPlace::before, Activation::gelu, {24, 96, 3, 3}, 24, 3, 2, 5, 9},
    {NormPlace::before, Activation::gelu_tanh, {12, 20, 6, 2}, 20, 1, 1, 9, 4},
    {NormPlace::after, Activation::gelu, {32, 8, 4, 1}, 32, 2, 4, 1, 1},
};

struct Sample {
  Case c;
  plain::Tensors tensors;
  Decoder decoder;
  View in, out, memory;
  std::vector<std::int64_t> lengths;

  explicit Sample(const Case& of)
      : c(of),
        decoder(plain::decoder(tensors, c.shape, c.source, c.layers, {c.norm, c.activation, Score::scaled_dot})),
        in(tensors.make({c.batch, c.length, c.shape.width}, 1)),
        out(tensors.make({c.batch, c.length, c.shape.width}, 1)),
        memory(tensors.make({c.batch, c.memory, c.source}, 1)) {
    for (std::int64_t b = 0; b < c.batch; ++b) lengths.push_back(std::max<std::int64_t>(1, c.memory - b));
  }
  DecoderCache cache() const { return {decoder, memory, view(lengths.data(), {c.batch}), c.length}; }
  void expect_plain() {
    for (std::int64_t b = 0; b < c.batch; ++b) {
      const plain::Rows expected = plain::decode(decoder, plain::rows_of(in, b), plain::rows_of(memory, b),
                                                 lengths[static_cast<std::size_t>(b)]);
      EXPECT_LT(plain::difference(out, b, expected, c.length), 0x1p-19) << "sequence " << b;
    }
  }
};

// Tokens [first, first + count) of [B, L, d].
View tokens(View rows, std::int64_t first, std::int64_t count) {
  rows.data = static_cast<float*>(rows.data) + first * rows.stride(1);
  rows.shape[1] = count;
  return rows;
}

TEST(Decoder, IsItsLayersInPlainLoops) {
  for (const Case& c : cases) {
    Sample run(c);
    DecoderCache cache = run.cache();
    decode(run.decoder, run.in, cache, run.out);
    EXPECT_EQ(cache.length(), c.length);
    run.expect_plain();
  }
}

TEST(Decoder, GivesTheSameRowsACallAToken) {
  for (const Case& c : cases) {
    Sample run(c);
    DecoderCache cache = run.cache();
    for (std::int64_t t = 0; t < c.length; ++t) decode(run.decoder, tokens(run.in, t, 1), cache, tokens(run.out, t, 1));
    run.expect_plain();
  }
}

TEST(Decoder, RunsOnForBeamsThatSwap) {
  Sample run(cases[0]);
  DecoderCache cache = run.cache();
  const std::int64_t two[] = {0, 0, 1, 1, 2, 2}, swapped[] = {1, 0, 2, 3, 5, 4};
  decode(run.decoder, tokens(run.in, 0, 1), cache, tokens(run.out, 0, 1));
  cache.reorder(two);
  // Beam 0 takes the tokens of the input, beam 1 others, and they change places after the second.
  plain::Tensors others(500);
  View rows = others.make({6, 1, 16}, 1);
  for (std::int64_t t = 1; t < 4; ++t) {
    const std::int64_t real = t < 2 ? 0 : 1;
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t place = b == 1 ? 0 : real;
      for (std::int64_t i = 0; i < 16; ++i) {
        static_cast<float*>(rows.data)[(2 * b + place) * 16 + i] = static_cast<float>(plain::at(run.in, {b, t, i}));
      }
    }
    decode(run.decoder, rows, cache, rows);
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t place = b == 1 ? 0 : real;
      const plain::Rows expected = plain::decode(run.decoder, plain::rows_of(run.in, b), plain::rows_of(run.memory, b),
                                                 run.lengths[static_cast<std::size_t>(b)]);
      for (std::int64_t i = 0; i < 16; ++i) {
        EXPECT_NEAR(plain::at(rows, {2 * b + place, 0, i}),
                    expected[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)], 0x1p-19);
      }
    }
    if (t == 1) cache.reorder(swapped);
  }
}

}  // namespace
}  // namespace posenc
