// SPDX-License-Identifier: Apache-2.0
// The decoder against plain loops in f64; a call a token against one call for all.
#include <posenc/transformer/decoder.h>

#include "tests/input/plain.h"
#include "tests/transformer/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

using plain::tokens;

struct DecoderCase {
  NormPlace norm;
  Activation activation;
  plain::Shape shape;
  std::int64_t source, layers, batch, length, memory;
};

const DecoderCase decoder_cases[] = {
    {NormPlace::after, Activation::relu, {16, 32, 4, 4}, 16, 2, 3, 7, 5},
    {NormPlace::before, Activation::gelu, {24, 96, 3, 3}, 24, 3, 2, 5, 9},
    {NormPlace::before, Activation::gelu_tanh, {12, 20, 6, 2}, 20, 1, 1, 9, 4},
    {NormPlace::after, Activation::gelu, {32, 8, 4, 1}, 32, 2, 4, 1, 1},
};

struct Sample {
  DecoderCase c;
  plain::Tensors tensors;
  Decoder decoder;
  View in, out, memory;
  std::vector<std::int64_t> lengths;

  explicit Sample(const DecoderCase& of)
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

TEST(Decoder, IsItsLayersInPlainLoops) {
  for (const DecoderCase& c : decoder_cases) {
    Sample run(c);
    DecoderCache cache = run.cache();
    decode(run.decoder, run.in, cache, run.out);
    EXPECT_EQ(cache.length(), c.length);
    run.expect_plain();
  }
}

TEST(Decoder, GivesTheSameRowsACallAToken) {
  for (const DecoderCase& c : decoder_cases) {
    Sample run(c);
    DecoderCache cache = run.cache();
    for (std::int64_t t = 0; t < c.length; ++t) decode(run.decoder, tokens(run.in, t, 1), cache, tokens(run.out, t, 1));
    run.expect_plain();
  }
}

TEST(Decoder, RunsOnForBeamsThatSwap) {
  Sample run(decoder_cases[0]);
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

TEST(Decoder, HasPositionsInsideItsSelfAttentionAlone) {
  const RotaryRows rotary(Rotary{Geometric{10000, 1, Spacing::over_width}, Pairing::adjacent}, 4);
  for (const LayerStyle& style : {LayerStyle{NormPlace::before, Activation::relu, Score::scaled_dot, rotary},
                                  LayerStyle{NormPlace::after, Activation::gelu, Score::dot, {}, {0.5f, 0.25f}}}) {
    plain::Tensors tensors;
    const Decoder decoder = plain::decoder(tensors, {16, 24, 2, 2}, 16, 2, style);
    const View in = tensors.make({2, 7, 16}, 1), out = tensors.make({2, 7, 16}, 1),
               memory = tensors.make({2, 5, 16}, 1);
    DecoderCache cache(decoder, memory, {}, 7);
    decode(decoder, tokens(in, 0, 3), cache, tokens(out, 0, 3));
    decode(decoder, tokens(in, 3, 4), cache, tokens(out, 3, 4));
    for (std::int64_t b = 0; b < 2; ++b) {
      const plain::Rows wanted = plain::decode(decoder, plain::rows_of(in, b), plain::rows_of(memory, b), 5);
      EXPECT_LT(plain::difference(out, b, wanted, 7), 0x1p-18);
    }
  }
}

TEST(Decoder, ShowsHowALayerLooksAtTheMemory) {
  for (const NormPlace place : {NormPlace::before, NormPlace::after}) {
    plain::Tensors tensors;
    const Decoder decoder =
        plain::decoder(tensors, {16, 24, 2, 2}, 16, 2, {place, Activation::relu, Score::scaled_dot});
    const View in = tensors.make({2, 4, 16}, 1), memory = tensors.make({2, 5, 16}, 1),
               out = tensors.make({2, 2, 4, 5}, 1);
    const std::int64_t lengths[] = {5, 2};
    memory_weights(decoder, in, memory, view(lengths, {2}), 1, out);
    // What layer 1 attends with: the rows after layer 0 and its own self attention.
    for (std::int64_t b = 0; b < 2; ++b) {
      const DecoderLayer& layer = decoder.layers[1];
      plain::Rows rows = plain::decode({{decoder.layers[0]}, decoder.style, {}}, plain::rows_of(in, b),
                                       plain::rows_of(memory, b), lengths[b]);
      plain::Inside past;
      past.sees = [](std::int64_t query, std::int64_t key) { return key <= query; };
      rows = plain::sub_layer(rows, place, layer.self_norm, [&](const plain::Rows& read) {
        return plain::multi_head(layer.self_attention, read, read, past);
      });
      for (std::int64_t h = 0; h < 2; ++h) {
        for (std::int64_t t = 0; t < 4; ++t) {
          const plain::Row& row = rows[static_cast<std::size_t>(t)];
          const plain::Row query = plain::linear(
              layer.cross_attention.query, place == NormPlace::before ? plain::normalize(layer.cross_norm, row) : row);
          plain::Row weights;
          double sum = 0;
          for (std::int64_t s = 0; s < lengths[b]; ++s) {
            const plain::Row key =
                plain::linear(layer.cross_attention.key, plain::rows_of(memory, b)[static_cast<std::size_t>(s)]);
            double score = 0;
            for (std::size_t c = 0; c < 8; ++c)
              score += query[static_cast<std::size_t>(h) * 8 + c] * key[static_cast<std::size_t>(h) * 8 + c];
            weights.push_back(std::exp(score / std::sqrt(8.0)));
            sum += weights.back();
          }
          for (std::int64_t s = 0; s < 5; ++s) {
            const double wanted = s < lengths[b] ? weights[static_cast<std::size_t>(s)] / sum : 0;
            EXPECT_NEAR(plain::at(out, {b, h, t, s}), wanted, 0x1p-19);
          }
        }
      }
    }
  }
}

TEST(Decoder, NamesWhatIsWrong) {
  Sample sample(decoder_cases[0]);
  DecoderCache cache = sample.cache();
  const auto with = [&](auto change) {
    Decoder decoder = sample.decoder;
    change(decoder);
    return plain::error_of([&] { decode(decoder, sample.in, cache, sample.out); });
  };
  EXPECT_EQ(with([](Decoder& d) { d.layers.pop_back(); }),
            "[decode] cache must be of this decoder, got one of other layers or heads");
  EXPECT_EQ(with([](Decoder& d) { d.layers[1].cross_attention.heads = d.layers[1].cross_attention.key_heads = 2; }),
            "[decode] cache must be of this decoder, got one of other layers or heads");
  EXPECT_EQ(with([](Decoder& d) { d.style.norm = {}; }), "[decode] norm must be stated, got none");
  EXPECT_EQ(with([&](Decoder& d) { d.layers[1].cross_norm.epsilon = 0; }),
            "[decode] layer 1 cross_norm epsilon must be finite and above 0, got 0");
  EXPECT_EQ(with([&](Decoder& d) { d.layers[0].self_attention.out = plain::linear(sample.tensors, 15, 16); }),
            "[decode] layer 0 self_attention out weight must have shape [16, 16], got [15, 16]");
  const auto error = [&](const View& in, const View& out) {
    return plain::error_of([&] { decode(sample.decoder, in, cache, out); });
  };
  const View two = sample.tensors.make({2, 1, 16}, 1), long_in = sample.tensors.make({3, 8, 16}, 1);
  EXPECT_EQ(error(two, two), "[decode] in must have as many sequences as the cache, 3, got 2");
  EXPECT_EQ(error(long_in, long_in), "[decode] there must be room in the cache for the tokens, 7 of 7, got 8");
  EXPECT_EQ(error(sample.in, two), "[decode] out must have shape [3, 7, 16], got [2, 1, 16]");
  EXPECT_EQ(cache.length(), 0);

  const std::int64_t lengths[] = {1, 2, 6}, four[] = {0, 1, 2, 0}, wrong[] = {0, 2, 2};
  const auto made = [&](const ConstView& memory, const std::optional<ConstView>& seen, std::int64_t capacity) {
    return plain::error_of([&] { DecoderCache(sample.decoder, memory, seen, capacity); });
  };
  EXPECT_EQ(made(sample.memory, view(lengths, {3}), 1), "[decoder_cache] lengths must be in [0, 5], got 6 at [2]");
  EXPECT_EQ(made(sample.memory, {}, -1), "[decoder_cache] capacity must not be negative, got -1");
  EXPECT_EQ(made(sample.tensors.make({3, 5, 15}, 1), {}, 1),
            "[decoder_cache] layer 0 cross_attention key weight must have shape [16, 15], got [16, 16]");
  EXPECT_EQ(plain::error_of([&] { cache.reorder(four); }),
            "[decoder_cache] from must have a multiple of 3 entries, got 4");
  EXPECT_EQ(plain::error_of([&] { cache.reorder(wrong); }),
            "[decoder_cache] from must stay within a sequence of the memory, in [1, 2), got 2 at [1]");
  EXPECT_EQ(plain::error_of([&] { memory_weights(sample.decoder, sample.in, sample.memory, {}, 7, sample.out); }),
            "[memory_weights] layer must be in [0, 2), got 7");
  EXPECT_EQ(check_decoder(sample.decoder, 16, 17)->message(),
            "[decoder] layer 0 cross_attention key weight must have shape [16, 17], got [16, 16]");
}

}  // namespace
}  // namespace posenc
