// SPDX-License-Identifier: Apache-2.0
// The encoder against plain loops in f64.
#include <posenc/transformer/encoder.h>

#include "tests/input/plain.h"
#include "tests/transformer/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

struct EncoderCase {
  NormPlace norm;
  Activation activation;
  plain::Shape shape;
  std::int64_t layers, batch, length;
};

const EncoderCase encoder_cases[] = {
    {NormPlace::after, Activation::relu, {16, 32, 4, 4}, 2, 3, 7},
    {NormPlace::before, Activation::gelu, {24, 96, 3, 3}, 3, 2, 5},
    {NormPlace::before, Activation::gelu_tanh, {12, 20, 6, 2}, 1, 1, 9},
    {NormPlace::after, Activation::gelu, {32, 8, 4, 1}, 2, 4, 1},
};

TEST(Encoder, IsItsLayersInPlainLoops) {
  for (const EncoderCase& c : encoder_cases) {
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

TEST(Encoder, HasPositionsInsideItsAttention) {
  const RotaryRows rotary(Rotary{Geometric{10000, 1, Spacing::over_width}, Pairing::adjacent}, 4);
  for (const LayerStyle& style :
       {LayerStyle{NormPlace::before, Activation::relu, Score::scaled_dot, rotary},
        LayerStyle{NormPlace::after, Activation::gelu, Score::dot, {}, {0.5f, 0.25f, 0.125f}}}) {
    plain::Tensors tensors;
    const Encoder encoder = plain::encoder(tensors, {24, 32, 3, 3}, 2, style);
    const View in = tensors.make({2, 8, 24}, 1), out = tensors.make({2, 8, 24}, 1);
    encode(encoder, in, {}, out);
    for (std::int64_t b = 0; b < 2; ++b) {
      EXPECT_LT(plain::difference(out, b, plain::encode(encoder, plain::rows_of(in, b), 8), 8), 0x1p-18);
    }
  }
}

TEST(Encoder, DoesNotSeePaddingAndWorksInPlace) {
  plain::Tensors tensors;
  const Encoder encoder =
      plain::encoder(tensors, {16, 32, 4, 4}, 2, {NormPlace::before, Activation::gelu, Score::scaled_dot});
  const View rows = tensors.make({3, 6, 16}, 1);
  const std::int32_t lengths[] = {6, 2, 4};
  std::vector<plain::Rows> wanted;
  for (std::int64_t b = 0; b < 3; ++b) {
    plain::Rows real = plain::rows_of(rows, b);
    real.resize(static_cast<std::size_t>(lengths[b]));
    wanted.push_back(plain::encode(encoder, real, lengths[b]));
    for (std::int64_t t = lengths[b]; t < 6; ++t) {
      std::fill_n(static_cast<float*>(rows.data) + (b * 6 + t) * 16, 16, 1e6f);
    }
  }
  encode(encoder, rows, view(lengths, {3}), rows);
  for (std::int64_t b = 0; b < 3; ++b) {
    EXPECT_LT(plain::difference(rows, b, wanted[static_cast<std::size_t>(b)], lengths[b]), 0x1p-19);
  }
}

TEST(Encoder, OfNoLayersIsItsFinalNormOrNothing) {
  plain::Tensors tensors;
  Encoder encoder = plain::encoder(tensors, {8, 8, 2, 2}, 0, {NormPlace::after, Activation::relu, Score::dot});
  const View in = tensors.make({1, 3, 8}, 1), out = tensors.make({1, 3, 8}, 1);
  encode(encoder, in, {}, out);
  EXPECT_LT(plain::difference(out, 0, plain::encode(encoder, plain::rows_of(in, 0), 3), 3), 0x1p-20);
  encoder.final_norm = std::nullopt;
  encode(encoder, in, {}, out);
  EXPECT_EQ(plain::difference(out, 0, plain::rows_of(in, 0), 3), 0);
  const View empty = tensors.make({0, 3, 8}, 1), none = tensors.make({2, 0, 8}, 1);
  encode(encoder, empty, {}, empty);
  encode(encoder, none, {}, none);
}

// Layers may have heads of their own number; the style's slopes may not.
TEST(Encoder, TakesLayersOfOtherHeads) {
  plain::Tensors tensors;
  Encoder encoder =
      plain::encoder(tensors, {16, 32, 4, 4}, 3, {NormPlace::before, Activation::gelu, Score::scaled_dot});
  encoder.layers[1].attention = plain::heads(tensors, 16, 16, 8, 2);
  const View in = tensors.make({1, 5, 16}, 1), out = tensors.make({1, 5, 16}, 1);
  encode(encoder, in, {}, out);
  EXPECT_LT(plain::difference(out, 0, plain::encode(encoder, plain::rows_of(in, 0), 5), 5), 0x1p-19);
}

TEST(Encoder, ShowsTheWeightsOfALayer) {
  for (const NormPlace place : {NormPlace::before, NormPlace::after}) {
    plain::Tensors tensors;
    const Encoder encoder = plain::encoder(tensors, {16, 32, 2, 2}, 2, {place, Activation::gelu, Score::scaled_dot});
    const View in = tensors.make({2, 4, 16}, 1), rows = tensors.make({2, 4, 16}, 1);
    const View found = tensors.make({2, 2, 4, 4}, 1), wanted = tensors.make({2, 2, 4, 4}, 1);
    const std::int64_t lengths[] = {4, 3};
    encoder_weights(encoder, in, view(lengths, {2}), 1, found);
    // Layer 1 reads what an encoder of layer 0 alone gives.
    const Encoder first = {{encoder.layers[0]}, encoder.style, {}};
    encode(first, in, view(lengths, {2}), rows);
    if (place == NormPlace::before) normalize(encoder.layers[1].attention_norm, rows, rows);
    KeyValues cache(encoder.layers[1].attention, 2, 4);
    cache.append(encoder.layers[1].attention, rows);
    multi_head_weights(encoder.layers[1].attention, rows, cache, wanted,
                       {.score = Score::scaled_dot, .sight = Sight::all, .lengths = view(lengths, {2})});
    for (std::int64_t i = 0; i < 64; ++i) {
      EXPECT_EQ(static_cast<float*>(found.data)[i], static_cast<float*>(wanted.data)[i]);
    }
  }
}

TEST(Encoder, NamesWhatIsWrong) {
  plain::Tensors tensors;
  const Encoder good = plain::encoder(tensors, {8, 12, 2, 2}, 2, {NormPlace::after, Activation::relu, Score::dot});
  const View rows = tensors.make({2, 3, 8}, 1);
  const auto with = [&](auto change) {
    Encoder encoder = good;
    change(encoder);
    return plain::error_of([&] { encode(encoder, rows, {}, rows); });
  };
  EXPECT_EQ(with([](Encoder&) {}), "no error");
  EXPECT_EQ(with([](Encoder& e) { e.style.norm = {}; }), "[encode] norm must be stated, got none");
  EXPECT_EQ(with([](Encoder& e) { e.style.activation = {}; }), "[encode] activation must be stated, got none");
  EXPECT_EQ(with([](Encoder& e) { e.style.score = {}; }), "[encode] score must be stated, got none");
  EXPECT_EQ(with([](Encoder& e) { e.style.slopes = {1}; }),
            "[encode] layer 0 slopes must be as many as heads, 2, got 1");
  EXPECT_EQ(with([](Encoder& e) { e.style.slopes = {1, HUGE_VALF}; }),
            "[encode] slopes must be finite, got inf at [1]");
  EXPECT_EQ(with([](Encoder& e) {
              e.style.rotary = RotaryRows(Rotary{Geometric{10000, 1, Spacing::over_width}, Pairing::adjacent}, 6);
            }),
            "[encode] layer 0 rotary must turn at most the columns of a head, 4, got 6");
  EXPECT_EQ(with([&](Encoder& e) { e.layers[1].attention.query = plain::linear(tensors, 8, 9); }),
            "[encode] layer 1 attention query weight must have shape [8, 8], got [8, 9]");
  EXPECT_EQ(with([&](Encoder& e) { e.layers[0].feed_forward.narrow = plain::linear(tensors, 8, 11); }),
            "[encode] layer 0 feed_forward narrow weight must have shape [8, 12], got [8, 11]");
  EXPECT_EQ(with([&](Encoder& e) { e.layers[1].attention_norm = plain::norm(tensors, 9); }),
            "[encode] layer 1 attention_norm weight must have shape [8], got [9]");
  EXPECT_EQ(with([](Encoder& e) { e.layers[1].feed_forward_norm.epsilon = -1; }),
            "[encode] layer 1 feed_forward_norm epsilon must be finite and above 0, got -1");
  EXPECT_EQ(with([&](Encoder& e) { e.final_norm->bias = tensors.make({7}, 1); }),
            "[encode] final_norm bias must have shape [8], got [7]");
  const auto error = [&](const ConstView& in, const std::optional<ConstView>& lengths, const View& out) {
    return plain::error_of([&] { encode(good, in, lengths, out); });
  };
  const std::int64_t lengths[] = {3, 4};
  EXPECT_EQ(error(rows, view(lengths, {2}), rows), "[encode] lengths must be in [0, 3], got 4 at [1]");
  EXPECT_EQ(error(rows, view(lengths, {1}), rows), "[encode] lengths must have shape [2], got [1]");
  EXPECT_EQ(error(rows, rows, rows), "[encode] lengths must be i32 or i64, got f32");
  EXPECT_EQ(error(tensors.make({3, 8}, 1), {}, rows), "[encode] in must have shape [B, L, d], got [3, 8]");
  EXPECT_EQ(error(rows, {}, tensors.make({2, 3, 9}, 1)), "[encode] out must have shape [2, 3, 8], got [2, 3, 9]");
  EXPECT_EQ(plain::error_of([&] { encoder_weights(good, rows, {}, 2, rows); }),
            "[encoder_weights] layer must be in [0, 2), got 2");
  EXPECT_EQ(plain::error_of([&] { encoder_weights(good, rows, {}, 1, rows); }),
            "[encoder_weights] out must have shape [2, 2, 3, 3], got [2, 3, 8]");
  EXPECT_EQ(check_encoder(good, 9)->message(),
            "[encoder] layer 0 attention query weight must have shape [8, 9], got [8, 8]");
}

}  // namespace
}  // namespace posenc
