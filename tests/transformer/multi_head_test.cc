// SPDX-License-Identifier: Apache-2.0
// Heads and their cache against plain loops in f64.
#include <posenc/preset.h>
#include <posenc/transformer/multi_head.h>

#include "tests/input/plain.h"
#include "tests/transformer/attention_truth.h"
#include "tests/transformer/plain_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

using plain::seeing_all;
using plain::tokens;

struct HeadsCase {
  std::int64_t width, source, heads, key_heads, batch, queries, keys;
};
const HeadsCase heads_cases[] = {
    {16, 16, 4, 4, 2, 5, 5}, {24, 10, 6, 2, 3, 4, 9}, {32, 32, 8, 1, 1, 130, 7}, {8, 8, 1, 1, 2, 1, 1}};

TEST(MultiHead, IsItsFormulaForGroupedHeadsAndOtherSources) {
  for (const HeadsCase& c : heads_cases) {
    for (const Score score : {Score::scaled_dot, Score::dot}) {
      plain::Tensors tensors;
      const MultiHead weights = plain::heads(tensors, c.width, c.source, c.heads, c.key_heads);
      const View in = tensors.make({c.batch, c.queries, c.width}, 1),
                 out = tensors.make({c.batch, c.queries, c.width}, 1);
      const View from = tensors.make({c.batch, c.keys, c.source}, 1);
      KeyValues cache(weights, c.batch, c.keys + 3);
      cache.append(weights, from);
      multi_head(weights, in, cache, out, {.score = score, .sight = Sight::all});
      plain::Inside inside;
      inside.score = score;
      for (std::int64_t b = 0; b < c.batch; ++b) {
        const plain::Rows wanted = plain::multi_head(weights, plain::rows_of(in, b), plain::rows_of(from, b), inside);
        EXPECT_LT(plain::difference(out, b, wanted, c.queries), 0x1p-20);
      }
    }
  }
}

TEST(MultiHead, ProjectionsMayBePartsOfOneTensorAndHaveNoBias) {
  plain::Tensors tensors;
  const View stacked = tensors.make({48, 16}, 0.25), biases = tensors.make({48}, 0.25);
  const auto part = [&](std::int64_t index) {
    View weight = stacked, bias = biases;
    weight.data = static_cast<float*>(stacked.data) + index * 256;
    bias.data = static_cast<float*>(biases.data) + index * 16;
    weight.shape[0] = bias.shape[0] = 16;
    return Linear{weight, bias};
  };
  MultiHead weights = {part(0), part(1), part(2), plain::linear(tensors, 16, 16), 4, 4};
  weights.key.bias = weights.out.bias = std::nullopt;
  const View rows = tensors.make({2, 6, 16}, 1), out = tensors.make({2, 6, 16}, 1);
  KeyValues cache(weights, 2, 6);
  cache.append(weights, rows);
  multi_head(weights, rows, cache, out, seeing_all);
  for (std::int64_t b = 0; b < 2; ++b) {
    const plain::Rows wanted = plain::multi_head(weights, plain::rows_of(rows, b), plain::rows_of(rows, b), {});
    EXPECT_LT(plain::difference(out, b, wanted, 6), 0x1p-20);
  }
}

// Positions in parts: keys appended a few at a time, queries from the middle on.
TEST(MultiHead, TurnsQueriesAndKeysToTheirPositionsInTheCache) {
  plain::Tensors tensors;
  const MultiHead weights = plain::heads(tensors, 24, 24, 3, 3);
  const RotaryRows rotary(Rotary{Geometric{10000, 1, Spacing::over_width}, Pairing::adjacent}, 6);
  const View rows = tensors.make({2, 9, 24}, 1), out = tensors.make({2, 9, 24}, 1);
  KeyValues cache(weights, 2, 9);
  for (std::int64_t first = 0; first < 9; first += 3) {
    cache.append(weights, tokens(rows, first, 3), &rotary);
    multi_head(weights, tokens(rows, first, 3), cache, tokens(out, first, 3),
               {.score = Score::scaled_dot, .sight = Sight::past, .first = first}, &rotary);
  }
  plain::Inside past;
  past.rotated = 6;
  past.sees = [](std::int64_t query, std::int64_t key) { return key <= query; };
  for (std::int64_t b = 0; b < 2; ++b) {
    const plain::Rows wanted = plain::multi_head(weights, plain::rows_of(rows, b), plain::rows_of(rows, b), past);
    EXPECT_LT(plain::difference(out, b, wanted, 9), 0x1p-20);
  }
}

TEST(MultiHead, WeightsAreThoseOfItsAttention) {
  plain::Tensors tensors;
  const MultiHead weights = plain::heads(tensors, 16, 16, 4, 2);
  const View rows = tensors.make({2, 5, 16}, 1), out = tensors.make({2, 5, 16}, 1),
             shares = tensors.make({2, 4, 5, 5}, 1);
  KeyValues cache(weights, 2, 5);
  cache.append(weights, rows);
  multi_head(weights, rows, cache, out, seeing_all);
  multi_head_weights(weights, rows, cache, shares, seeing_all);
  const ConstView values = cache.values();
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t i = 0; i < 5; ++i) {
      plain::Row attended(16);
      for (std::int64_t h = 0; h < 4; ++h) {
        double sum = 0;
        for (std::int64_t j = 0; j < 5; ++j) {
          sum += plain::at(shares, {b, h, i, j});
          for (std::int64_t c = 0; c < 4; ++c) {
            attended[static_cast<std::size_t>(4 * h + c)] +=
                plain::at(shares, {b, h, i, j}) * plain::at(values, {b, h / 2, j, c});
          }
        }
        EXPECT_NEAR(sum, 1, 0x1p-21);
      }
      const plain::Row wanted = plain::linear(weights.out, attended);
      for (std::int64_t c = 0; c < 16; ++c) {
        EXPECT_NEAR(plain::at(out, {b, i, c}), wanted[static_cast<std::size_t>(c)], 0x1p-20);
      }
    }
  }
}

TEST(KeyValues, HoldWhatWasAppendedAndGoOnInAnyOrder) {
  plain::Tensors tensors;
  const MultiHead weights = plain::heads(tensors, 8, 8, 2, 2);
  const View rows = tensors.make({3, 4, 8}, 1);
  KeyValues whole(weights, 3, 4), parts(weights, 3, 10);
  whole.append(weights, rows);
  parts.append(weights, tokens(rows, 0, 1));
  parts.append(weights, tokens(rows, 1, 3));
  EXPECT_EQ(parts.length(), 4);
  const std::int64_t from[] = {2, 0, 0, 1};
  parts.reorder(from);
  EXPECT_EQ(parts.batch(), 4);
  const ConstView held = parts.keys(), first = whole.keys();
  ASSERT_EQ(held.shape, (std::array<std::int64_t, max_rank>{4, 2, 4, 4}));
  for (std::int64_t b = 0; b < 4; ++b) {
    for (std::int64_t t = 0; t < 4; ++t) {
      for (std::int64_t c = 0; c < 8; ++c) {
        EXPECT_NEAR(plain::at(held, {b, c / 4, t, c % 4}), plain::at(first, {from[b], c / 4, t, c % 4}), 0x1p-20);
      }
    }
  }
  parts.clear();
  EXPECT_EQ(parts.length(), 0);
  EXPECT_EQ(parts.capacity(), 10);
}

TEST(MultiHead, NamesWhatIsWrong) {
  plain::Tensors tensors;
  const MultiHead good = plain::heads(tensors, 16, 16, 4, 4), other = plain::heads(tensors, 16, 16, 2, 2);
  const View rows = tensors.make({2, 3, 16}, 1), out = tensors.make({2, 3, 16}, 1);
  KeyValues cache(good, 2, 4);
  cache.append(good, rows);
  const auto error = [&](const MultiHead& weights, const KeyValues& held, const AttentionOptions& options,
                         const RotaryRows* rotary = nullptr) {
    return plain::error_of([&] { multi_head(weights, rows, held, out, options, rotary); });
  };
  EXPECT_EQ(error(other, cache, seeing_all), "[multi_head] cache must have shape [2, 2, 3, 8], got [2, 4, 3, 4]");
  EXPECT_EQ(error(good, KeyValues(good, 1, 4), seeing_all),
            "[multi_head] cache must have shape [2, 4, 0, 4], got [1, 4, 0, 4]");
  EXPECT_EQ(error(good, cache, {}), "[multi_head] score must be stated, got none");
  const RotaryRows rotary(preset("rope-half").convention, 8);
  EXPECT_EQ(error(good, cache, seeing_all, &rotary),
            "[multi_head] rotary must turn at most the columns of a head, 4, got 8");
  const RotaryRows last(with_fields(preset("rope-half").convention, {{"part", 2}, {"where", "last"}}), 8);
  EXPECT_EQ(error(good, cache, seeing_all, &last),
            "[multi_head] rotary must be made for heads of at most 4 columns, got more");
  MultiHead bad = good;
  bad.heads = 3;
  EXPECT_EQ(error(bad, cache, seeing_all),
            "[multi_head] heads must be a multiple of key_heads, both at least 1, got 3 and 4");
  bad.key_heads = 3;
  EXPECT_EQ(error(bad, cache, seeing_all), "[multi_head] query must have rows for 3 heads alike, got 16");
  bad = good;
  bad.value = plain::linear(tensors, 12, 16);
  EXPECT_EQ(error(bad, cache, seeing_all), "[multi_head] value weight must have shape [16, 16], got [12, 16]");
  EXPECT_EQ(plain::error_of([&] { multi_head(good, rows, cache, tensors.make({2, 3, 8}, 1), seeing_all); }),
            "[multi_head] out must have shape [2, 3, 16], got [2, 3, 8]");
  EXPECT_EQ(plain::error_of([&] { cache.append(good, rows); }),
            "[key_values] there must be room for the tokens, 1 of 4, got 3");
  EXPECT_EQ(plain::error_of([&] { cache.append(other, tokens(rows, 0, 1)); }),
            "[key_values] weights must have the heads of the cache, [4, 4], got [2, 8]");
  EXPECT_EQ(plain::error_of([&] { cache.append(good, tensors.make({1, 1, 16}, 1)); }),
            "[key_values] source must have as many sequences as the cache, 2, got 1");
  const std::int64_t from[] = {0, 2};
  EXPECT_EQ(plain::error_of([&] { cache.reorder(from); }), "[key_values] from must be in [0, 2), got 2 at [1]");
  EXPECT_EQ(plain::error_of([&] { KeyValues(good, 2, -1); }),
            "[key_values] batch and capacity must not be negative, nor beyond memory, got 2 and -1");
  EXPECT_EQ(plain::error_of([&] { multi_head_weights(good, rows, cache, out, seeing_all); }),
            "[multi_head_weights] out must have shape [2, 4, 3, 3], got [2, 3, 16]");
  EXPECT_EQ(cache.length(), 3);
}

}  // namespace
}  // namespace posenc
