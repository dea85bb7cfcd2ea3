// SPDX-License-Identifier: Apache-2.0
// Layers refuse to write over what they read, and to read what they have written over.
#include <gtest/gtest.h>
#include <posenc/transformer/additive.h>
#include <posenc/transformer/attention.h>
#include <posenc/transformer/feed_forward.h>
#include <posenc/transformer/linear.h>
#include <posenc/transformer/norm.h>
#include <posenc/transformer/recurrent.h>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

struct LayerMemory {
  std::vector<float> floats = std::vector<float>(1024);
  View at(std::int64_t element, std::initializer_list<detail::Size> shape) {
    return view(floats.data() + element, shape);
  }
};

TEST(Overlap, OfALinearMapAndANormIsRefused) {
  LayerMemory m;
  const Linear weights = {m.at(0, {8, 8}), m.at(64, {8})};
  EXPECT_EQ(said(check_linear(weights, m.at(72, {3, 8}), m.at(96, {3, 8}))), "nothing");
  EXPECT_EQ(said(check_linear(weights, m.at(72, {3, 8}), m.at(95, {3, 8}))),
            "[linear] in and out must share no element, got out 92 bytes behind in");
  EXPECT_EQ(said(check_linear(weights, m.at(72, {3, 8}), m.at(72, {3, 8}))),
            "[linear] in and out must share no element, got the same view");
  EXPECT_EQ(said(check_linear(weights, m.at(200, {3, 8}), m.at(71, {3, 8}))),
            "[linear] bias and out must share no element, got out 28 bytes behind bias");
  EXPECT_EQ(said(check_linear(weights, m.at(200, {3, 8}), m.at(40, {3, 8}))),
            "[linear] weight and out must share no element, got out 160 bytes behind weight");
  const Norm norm = {m.at(0, {8}), m.at(8, {8}), 1e-5};
  EXPECT_EQ(said(check_normalize(norm, m.at(16, {3, 8}), m.at(16, {3, 8}))), "nothing");
  EXPECT_EQ(said(check_normalize(norm, m.at(16, {3, 8}), m.at(24, {3, 8}))),
            "[normalize] in and out must share no element, or be the same view, got out 32 bytes behind in");
  EXPECT_EQ(said(check_normalize(norm, m.at(16, {8}), m.at(8, {8}))),
            "[normalize] bias and out must share no element, got the same view");
}

TEST(Overlap, OfAttentionIsRefused) {
  LayerMemory m;
  AttentionOptions options = {.score = Score::scaled_dot, .sight = Sight::all};
  const auto rows = [&](std::int64_t element) { return m.at(element, {1, 2, 3, 8}); };
  EXPECT_EQ(said(check_attention(rows(0), rows(48), rows(96), rows(144), options)), "nothing");
  EXPECT_EQ(said(check_attention(rows(0), rows(0), rows(0), rows(144), options)), "nothing");
  EXPECT_EQ(said(check_attention(rows(0), rows(48), rows(96), rows(96), options)),
            "[attention] values and out must share no element, got the same view");
  EXPECT_EQ(said(check_attention(rows(0), rows(48), rows(144), rows(40), options)).substr(0, 49),
            "[attention] queries and out must share no element");
  options.mask = m.at(150, {1, 2, 3, 3});
  EXPECT_EQ(said(check_attention(rows(0), rows(48), rows(96), rows(144), options)).substr(0, 46),
            "[attention] mask and out must share no element");
  EXPECT_EQ(said(check_attention_weights(rows(0), rows(48), m.at(150, {1, 2, 3, 3}), options)),
            "[attention_weights] mask and out must share no element, got the same view");
}

TEST(Overlap, OfTheOutputsOfARecurrentNetworkIsRefused) {
  LayerMemory m;
  const Recurrent weights = {
      .cell = Cell::rnn, .input = {m.at(0, {4, 4})}, .context = {m.at(16, {4, 4})}, .score = Score::dot};
  const auto check = [&](std::int64_t contexts, std::int64_t of_weights) {
    const RecurrentSteps out = {m.at(300, {1, 3, 4}), m.at(contexts, {1, 3, 4}), m.at(of_weights, {1, 3, 3})};
    return said(check_recurrent(weights, m.at(200, {1, 3, 4}), out, {.remembered = Remembered::states}));
  };
  EXPECT_EQ(check(312, 324), "nothing");
  EXPECT_EQ(check(311, 324),
            "[recurrent] states and contexts must share no element, got contexts 44 bytes behind states");
  EXPECT_EQ(
      check(312, 292),
      "[recurrent] states and weights must share no element, got bytes that overlap, weights 32 bytes before states");
  EXPECT_EQ(check(211, 324), "[recurrent] in and contexts must share no element, got contexts 44 bytes behind in");
}

}  // namespace
}  // namespace posenc
