// SPDX-License-Identifier: Apache-2.0
// The system of docs/transformer.md, letter by letter, on small examples; each claim in full is tested beside its word.
#include <gtest/gtest.h>
#include <posenc/attention.h>
#include <posenc/decoding.h>
#include <posenc/preset.h>
#include <posenc/recurrent.h>

#include <cmath>
#include <set>

namespace posenc {
namespace {

const Convention& paper() { return preset("transformer").convention; }

// Numbers in [-1, 1) from an integer recurrence.
std::vector<float> numbers(std::int64_t count, std::uint32_t seed) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (float& x : made) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<std::int32_t>(seed) >> 8) * 0x1p-23f;
  }
  return made;
}

double distance(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

// The documents' example: a vocabulary of 5, a width of 8, ids [2, 4].
constexpr std::int64_t ids[] = {0, 3, 1, 4, 4, 1, 3, 0};
const std::vector<float> rows = numbers(5 * 8, 1);
ConstView vocabulary() { return view(rows.data(), {5, 8}); }

std::vector<float> encoded(const StageOptions& options, const EncodeOptions& how = {}) {
  std::vector<float> out(2 * 4 * 8);
  InputStage(vocabulary(), paper(), options)
      .encode(view(ids, {2, 4}), Positions::range(0, 4), view(out.data(), {2, 4, 8}), how);
  return out;
}

TEST(System, A_TheEmbeddingLayerLooksUpRowsForIdsOfAnyShape) {
  std::vector<float> flat(4 * 8), nested(2 * 4 * 8);
  const Embedding embedding = {vocabulary()};
  embedding.lookup(view(ids, {4}), view(flat.data(), {4, 8}));
  embedding.lookup(view(ids, {2, 4}), view(nested.data(), {2, 4, 8}));
  EXPECT_TRUE(std::equal(flat.begin(), flat.end(), nested.begin()));
  for (std::size_t i = 0; i < nested.size(); ++i) {
    EXPECT_EQ(nested[i], rows[static_cast<std::size_t>(ids[i / 8]) * 8 + i % 8]);
  }
}

TEST(System, B_ThePositionLayerAddsAndThenDrops) {
  const std::vector<float> kept = encoded({.scale = Scale::none, .dropout = 0.1});
  const std::vector<float> dropped = encoded({.scale = Scale::none, .dropout = 0.1}, {.mode = Mode::train});
  EXPECT_EQ(kept, encoded({.scale = Scale::none}));  // evaluation drops nothing
  int zeros = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (dropped[i] == 0) {
      ++zeros;
    } else {
      EXPECT_NEAR(dropped[i], kept[i] / 0.9, 1e-4);
    }
  }
  EXPECT_GT(zeros, 0);
}

TEST(System, C_TheInputIsScaledEmbeddingPlusPosition) {
  std::vector<float> table(4 * 8);
  sinusoid(paper(), Positions::range(0, 4), view(table.data(), {4, 8}));
  const std::vector<float> out = encoded({.scale = Scale::sqrt_dim});
  const float root = std::sqrt(8.0f);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float scaled = rows[static_cast<std::size_t>(ids[i / 8]) * 8 + i % 8] * root;
    EXPECT_EQ(out[i], scaled + table[i % table.size()]);
  }
}

TEST(System, D_FrequenciesFallAndEveryPositionHasARowOfItsOwn) {
  const std::vector<double> w = SinusoidRows(paper(), 512).frequencies();
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
  const std::vector<float> decoder = numbers(3 * 8, 2), encoder = numbers(5 * 8, 3);
  const std::vector<float> self = attended(decoder, decoder, Score::scaled_dot);
  const std::vector<float> cross = attended(decoder, encoder, Score::scaled_dot);
  EXPECT_EQ(self.size(), cross.size());
  EXPECT_GT(distance(self, cross), 0.1);
  EXPECT_EQ(attended(encoder, std::vector<float>(8, 0.5f), Score::dot), std::vector<float>(40, 0.5f));
}

TEST(System, H_ScoresAreDotsScaledDotsOrANetworks) {
  const std::vector<float> x = numbers(4 * 8, 4), w = numbers(2 * 8 * 8, 5), v = numbers(8, 6);
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
  const std::vector<float> x = numbers(6 * 3, 7), in = numbers(4 * 3, 8), back = numbers(4 * 4, 9);
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

TEST(System, J_InputEncoderDecoderAndOutputAreFourValuesThatCompose) {
  const InputStage stage(vocabulary(), paper(), {.scale = Scale::sqrt_dim});
  const LayerStyle style = {NormPlace::after, Activation::relu, Score::scaled_dot};
  const Transformer model = {TokenInput{stage}, Encoder{{}, style}, TokenInput{stage}, Decoder{{}, style},
                             Linear{vocabulary()}};
  // Without layers the output scores the input's own rows.
  std::vector<float> memory(2 * 4 * 8), scores(2 * 4 * 5), expected(5);
  const auto words = view(ids, {2, 4});
  encode_source(model, words, {}, view(memory.data(), {2, 4, 8}));
  logits(model, view(std::as_const(memory).data(), {2, 4, 8}), {}, words, view(scores.data(), {2, 4, 5}));
  const std::vector<float> input = encoded({.scale = Scale::sqrt_dim});
  EXPECT_EQ(memory, input);
  linear({vocabulary()}, view(input.data() + 5 * 8, {1, 8}), view(expected.data(), {1, 5}));
  EXPECT_LT(distance(expected, std::span<const float>(scores).subspan(5 * 5, 5)), 1e-5);
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
