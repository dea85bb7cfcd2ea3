// SPDX-License-Identifier: Apache-2.0
// The system of docs/transformer.md, letter by letter, on small examples; each claim in full is tested beside its word.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/transformer/attention.h>
#include <posenc/transformer/recurrent.h>

#include "tests/input/paper.h"
#include "tests/transformer/attention_truth.h"
#include "tests/transformer/plain_model.h"

#include <set>

namespace posenc {
namespace {

using plain::paper;
using plain::recurrence;

double distance(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

// The documents' example: a vocabulary of 5, a width of 8, ids [2, 4].
constexpr std::int64_t given_ids[] = {0, 3, 1, 4, 4, 1, 3, 0};
const std::vector<float> embedding_rows = recurrence(5 * 8, 1);
ConstView vocabulary() { return view(embedding_rows.data(), {5, 8}); }

// What stands at place i of rows [2, 4, 8] that are looked up.
float row_value(const std::vector<float>& table, std::size_t i) {
  return table[static_cast<std::size_t>(given_ids[i / 8]) * 8 + i % 8];
}

TEST(System, A_TheEmbeddingLayerLooksUpRowsForIdsOfAnyShape) {
  std::vector<float> flat(4 * 8), nested(2 * 4 * 8);
  const Embedding embedding = {vocabulary()};
  embedding.lookup(view(given_ids, {4}), view(flat.data(), {4, 8}));
  embedding.lookup(view(given_ids, {2, 4}), view(nested.data(), {2, 4, 8}));
  EXPECT_TRUE(std::equal(flat.begin(), flat.end(), nested.begin()));
  for (std::size_t i = 0; i < nested.size(); ++i) {
    EXPECT_EQ(nested[i], row_value(embedding_rows, i));
  }
}

// The documents' own class is PyTorch's, which divides. A probability is a multiple of 2^-16: 6554 of them for 0.1.
TEST(System, B_ThePositionLayerAddsAndThenDrops) {
  const Preset& divides = preset("pytorch-divide");
  const StageOptions options = {.scale = Scale::none, .dropout = 0.1, .recipe = divides.original};
  std::vector<float> table(4 * 8), kept(2 * 4 * 8), dropped(kept);
  sinusoid(divides.convention, Positions::range(0, 4), view(table.data(), {4, 8}), {.recipe = divides.original});
  const InputStage stage(vocabulary(), divides.convention, options);
  stage.encode(view(given_ids, {2, 4}), Positions::range(0, 4), view(kept.data(), {2, 4, 8}));
  stage.encode(view(given_ids, {2, 4}), Positions::range(0, 4), view(dropped.data(), {2, 4, 8}),
               {.mode = StageMode::train});
  int zeros = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i], row_value(embedding_rows, i) + table[i % table.size()]);  // evaluation drops nothing
    if (dropped[i] == 0) {
      ++zeros;
    } else {
      EXPECT_EQ(dropped[i], kept[i] * static_cast<float>(1 / (1 - 6554 * 0x1p-16)));
    }
  }
  EXPECT_GT(zeros, 0);
}

// Encoder and decoder without layers, an output that changes nothing: what is left are the two inputs.
TEST(System, C_TheInputIsScaledEmbeddingPlusPositionOnBothSides) {
  const std::vector<float> others = recurrence(8 * 8, 10);
  std::vector<float> table(4 * 8), same(8 * 8), source(2 * 4 * 8), target(source);
  for (std::size_t c = 0; c < 8; ++c) same[c * 8 + c] = 1;
  sinusoid(paper(), Positions::range(0, 4), view(table.data(), {4, 8}));
  const LayerStyle style = {NormPlace::after, Activation::relu, Score::scaled_dot};
  const StageOptions options = {.scale = Scale::sqrt_dim};
  const Transformer model = {TokenInput{InputStage(vocabulary(), paper(), options)}, Encoder{{}, style},
                             TokenInput{InputStage(view(others.data(), {8, 8}), paper(), options)}, Decoder{{}, style},
                             Linear{view(std::as_const(same).data(), {8, 8})}};
  const View memory = view(source.data(), {2, 4, 8});
  encode_source(model, view(given_ids, {2, 4}), {}, memory);
  logits(model, memory, {}, view(given_ids, {2, 4}), view(target.data(), {2, 4, 8}));
  const float root = std::sqrt(8.0f);
  for (std::size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(source[i], row_value(embedding_rows, i) * root + table[i % table.size()]);
    EXPECT_EQ(target[i], row_value(others, i) * root + table[i % table.size()]);
  }
}

TEST(System, D_FrequenciesFallAndEveryPositionHasARowOfItsOwn) {
  const std::vector<double> w = Rows(paper(), 512).frequencies();
  EXPECT_TRUE(std::is_sorted(w.rbegin(), w.rend()));
  std::vector<float> table(4096 * 8);
  sinusoid(paper(), Positions::range(0, 4096), view(table.data(), {4096, 8}));
  std::set<std::vector<float>> distinct;
  for (auto row = table.begin(); row != table.end(); row += 8) distinct.emplace(row, row + 8);
  EXPECT_EQ(distinct.size(), 4096u);
}

TEST(System, E_LongerSequencesStayInRange) {
  std::vector<float> row(512);
  for (const std::int64_t p : {std::int64_t{0}, std::int64_t{5000}, std::int64_t{1} << 40, INT64_MAX}) {
    sinusoid(paper(), Positions::at(p), view(row.data(), {1, 512}));
    for (const float x : row) EXPECT_LE(std::abs(x), 1);
  }
}

// A sine of slope w moves by w 2^-10 at most, and each of the two is rounded by 2^-25 at most.
TEST(System, E_SignalsOfNeighbouringRealPositionsAreNeighbours) {
  const std::vector<double> w = Rows(paper(), 512).frequencies();
  std::vector<float> two(2 * 512);
  double most = 0;
  for (const double p : {-3.5, 0.0, 0.7, 5000.25, 0x1p30, 0x1p40}) {
    sinusoid(paper(), Positions::range(p, 2, 0x1p-10), view(two.data(), {2, 512}));
    for (std::size_t c = 0; c < 512; ++c) {
      const double moved = std::abs(double{two[512 + c]} - double{two[c]});
      EXPECT_LE(moved, w[c / 2] * 0x1p-10 + 0x1p-24) << p << " column " << c;
      most = std::max(most, moved);
    }
  }
  EXPECT_GT(most, 0x1p-11);  // they do move
}

TEST(System, F_MovingAlongIsARotationOfEveryPair) {
  std::vector<float> table(65 * 64);
  sinusoid(paper(), Positions::range(0, 65), view(table.data(), {65, 64}));
  const float* turn = table.data() + 7 * 64;  // T(7)
  for (std::size_t t = 0; t + 7 < 65; ++t) {
    for (std::size_t c = 0; c < 64; c += 2) {
      const double s = table[t * 64 + c], k = table[t * 64 + c + 1];
      EXPECT_NEAR(table[(t + 7) * 64 + c], s * turn[c + 1] + k * turn[c], 0x1p-22);
      EXPECT_NEAR(table[(t + 7) * 64 + c + 1], k * turn[c + 1] - s * turn[c], 0x1p-22);
    }
  }
}

// ---- attention ----------------------------------------------------------------------------------

std::vector<float> attended(const std::vector<float>& from, const std::vector<float>& source, Score score) {
  const auto count = [](const std::vector<float>& of) { return static_cast<std::int64_t>(of.size() / 8); };
  std::vector<float> out(from.size());
  const auto keys = view(source.data(), {1, 1, count(source), 8});
  attention(view(from.data(), {1, 1, count(from), 8}), keys, keys, view(out.data(), {1, 1, count(from), 8}),
            {.score = score, .sight = Sight::all});
  return out;
}

TEST(System, G_SelfAttentionReadsOneSourceAndCrossAttentionTwo) {
  const std::vector<float> decoder = recurrence(3 * 8, 2), encoder = recurrence(5 * 8, 3);
  const std::vector<float> self = attended(decoder, decoder, Score::scaled_dot);
  const std::vector<float> cross = attended(decoder, encoder, Score::scaled_dot);
  EXPECT_EQ(self.size(), cross.size());
  EXPECT_GT(distance(self, cross), 0.1);
  EXPECT_EQ(attended(encoder, std::vector<float>(8, 0.5f), Score::dot), std::vector<float>(40, 0.5f));
}

TEST(System, H_ScoresAreDotsScaledDotsOrANetworks) {
  const std::vector<float> x = recurrence(4 * 8, 4), w = recurrence(2 * 8 * 8, 5), v = recurrence(8, 6);
  std::vector<float> doubled = x;
  for (float& y : doubled) y *= std::sqrt(8.0f);  // what the scale takes off
  std::vector<float> network(x.size());
  const auto own = view(x.data(), {1, 4, 8});
  additive_attention({{view(w.data(), {8, 8})}, {view(w.data() + 64, {8, 8})}, view(v.data(), {8})}, own, own, own,
                     view(network.data(), {1, 4, 8}), {.sight = Sight::all});
  EXPECT_LT(distance(attended(doubled, x, Score::scaled_dot), attended(x, x, Score::dot)), 1e-6);
  EXPECT_GT(distance(attended(x, x, Score::scaled_dot), attended(x, x, Score::dot)), 1e-2);
  EXPECT_GT(distance(network, attended(x, x, Score::dot)), 1e-2);
}

TEST(System, I_ARecurrentNetworkAttendsToItsOwnStates) {
  const std::vector<float> x = recurrence(6 * 3, 7), in = recurrence(4 * 3, 8), back = recurrence(4 * 4, 9);
  std::vector<float> states(6 * 4), contexts(6 * 4), literal(6 * 4);
  const Recurrent network = {Cell::rnn, {view(in.data(), {4, 3})}, {view(back.data(), {4, 4})}, Score::scaled_dot};
  const auto source = view(x.data(), {1, 6, 3});
  const View h = view(states.data(), {1, 6, 4});
  recurrent(network, source, {h, view(literal.data(), {1, 6, 4})}, {.remembered = Remembered::contexts});
  recurrent(network, source, {h, view(contexts.data(), {1, 6, 4})}, {.remembered = Remembered::states});
  const std::span<const float> first(contexts.data(), 4), last(contexts.data() + 20, 4);
  EXPECT_EQ(distance(first, std::span<const float>(states).first(4)), 0);  // c_1 = h_1
  EXPECT_GT(distance(first, last), 0.01);
  EXPECT_LT(distance(std::span<const float>(literal).first(4), std::span<const float>(literal).last(4)), 1e-6);
}

// ---- the whole ----------------------------------------------------------------------------------

// A layer each of weights from a counter; inputs of their own.
struct Small {
  plain::Tensors tensors;
  InputStage source = InputStage(vocabulary(), paper(), {.scale = Scale::sqrt_dim});
  InputStage target = InputStage(tensors.make({5, 8}, 1), paper(), {.scale = Scale::sqrt_dim});
  LayerStyle style = {NormPlace::after, Activation::relu, Score::scaled_dot};
  Encoder encoder = plain::encoder(tensors, {8, 16, 2, 2}, 1, style);
  Decoder decoder = plain::decoder(tensors, {8, 16, 2, 2}, 8, 1, style);
  Linear output = plain::linear(tensors, 5, 8);
  Transformer model = {TokenInput{source}, encoder, TokenInput{target}, decoder, output};
  std::vector<float> memory = std::vector<float>(2 * 4 * 8), scores = std::vector<float>(2 * 4 * 5);

  ConstView states() const { return view(memory.data(), {2, 4, 8}); }
  void run() {
    encode_source(model, view(given_ids, {2, 4}), {}, view(memory.data(), {2, 4, 8}));
    logits(model, states(), {}, view(given_ids, {2, 4}), view(scores.data(), {2, 4, 5}));
  }
  std::vector<float> input(const InputStage& stage) const {
    std::vector<float> out(2 * 4 * 8);
    stage.encode(view(given_ids, {2, 4}), Positions::range(0, 4), view(out.data(), {2, 4, 8}));
    return out;
  }
};

TEST(System, J_InputEncoderDecoderAndOutputAreFourValuesThatCompose) {
  Small small;
  small.run();
  std::vector<float> from = small.input(small.source), made = small.input(small.target), expected(2 * 4 * 5);
  const std::vector<float> before = from;
  const View states = view(from.data(), {2, 4, 8}), decoded = view(made.data(), {2, 4, 8});
  encode(small.encoder, states, {}, states);
  EXPECT_EQ(small.memory, from);
  EXPECT_GT(distance(before, from), 0.1);
  DecoderCache cache(small.decoder, states, {}, 4);
  decode(small.decoder, decoded, cache, decoded);
  linear(small.output, decoded, view(expected.data(), {2, 4, 5}));
  EXPECT_EQ(small.scores, expected);
}

// Products of other shapes may be summed in another order. 2^-18 of the largest is what docs/transformer.md allows.
TEST(System, K_AllTokensAtOnceGiveWhatTokenByTokenGives) {
  Small small;
  small.run();
  std::vector<float> made = small.input(small.target), expected(2 * 4 * 5);
  DecoderCache cache(small.decoder, small.states(), {}, 4);
  for (std::int64_t token = 0; token < 4; ++token) {
    const View one = {made.data() + token * 8, DType::f32, 3, {2, 1, 8}, {32, 8, 1}};
    decode(small.decoder, one, cache, one);
    linear(small.output, one, {expected.data() + token * 5, DType::f32, 3, {2, 1, 5}, {20, 5, 1}});
  }
  EXPECT_LE(distance(small.scores, expected), 0x1p-18 * distance(expected, std::vector<float>(expected.size())));
}

TEST(System, K_AnyTwoTokensAreRelatedDirectly) {
  // The first query sees the last of 1000 keys in one step, however far it is.
  std::vector<float> keys(1000 * 8), out(8);
  std::fill_n(keys.end() - 8, 8, 30.0f);
  const std::vector<float> query(8, 30.0f);
  const auto source = view(std::as_const(keys).data(), {1, 1, 1000, 8});
  attention(view(query.data(), {1, 1, 1, 8}), source, source, view(out.data(), {1, 1, 1, 8}),
            {.score = Score::scaled_dot, .sight = Sight::all});
  EXPECT_EQ(out, std::vector<float>(8, 30.0f));
}

}  // namespace
}  // namespace posenc
