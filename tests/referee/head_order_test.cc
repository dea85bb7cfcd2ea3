// SPDX-License-Identifier: Apache-2.0
// Orders of heads: known ones, every rotary preset, fused projections, bytes, errors; and attention computed both ways.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/referee/head_order.h>
#include <posenc/rotary.h>

#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;
using Columns = std::vector<std::int64_t>;

const Convention& half_pairs = preset("rope-half").convention;
const Convention& adjacent_pairs = preset("rope-pair").convention;

Convention like(const Convention& convention, std::initializer_list<FieldChange> changes) {
  return with_fields(convention, changes);
}
// Its frequencies over the columns that turn: those of one part in any head.
Convention part_of(const Convention& convention, std::int64_t part, std::string_view where) {
  return like(convention, {{"part", part}, {"where", where}});
}

std::string order_refusal(const Convention& from, const Convention& to, std::int64_t head,
                          const Context& context = {}) {
  return said(check_head_order(from, to, head, {.context = context}));
}

// ---- known orders -----------------------------------------------------------------------------------------------

TEST(HeadOrder, AdjacentToSplitHalfTakesEvenColumnsFirst) {
  const Columns expected = {0, 2, 4, 1, 3, 5};
  EXPECT_EQ(head_order(adjacent_pairs, half_pairs, 6), (HeadOrder{expected, expected}));
  const Columns back = {0, 3, 1, 4, 2, 5};
  EXPECT_EQ(head_order(half_pairs, adjacent_pairs, 6), (HeadOrder{back, back}));
  EXPECT_EQ(head_order(half_pairs, half_pairs, 6).read, (Columns{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(head_order(adjacent_pairs, half_pairs, 2).read, (Columns{0, 1}));
}

TEST(HeadOrder, APartAtEitherEndKeepsTheOtherColumns) {
  const auto read = [](std::string_view old_end, std::string_view new_end) {
    return head_order(part_of(adjacent_pairs, 4, old_end), part_of(half_pairs, 4, new_end), 7).read;
  };
  EXPECT_EQ(read("first", "first"), (Columns{0, 2, 1, 3, 4, 5, 6}));
  EXPECT_EQ(read("last", "last"), (Columns{0, 1, 2, 3, 5, 4, 6}));
  EXPECT_EQ(read("first", "last"), (Columns{4, 5, 6, 0, 2, 1, 3}));
  EXPECT_EQ(read("last", "first"), (Columns{3, 5, 4, 6, 0, 1, 2}));
}

TEST(HeadOrder, HalvesOfEachAxisAreNotHalvesOfTheHead) {
  const Convention& whole = preset("rope2d-qwen-vision").convention;  // y of columns 0 1 | 4 5, x of 2 3 | 6 7
  const Convention by_axis = like(whole, {{"pairing_scope", "run"}});
  EXPECT_EQ(head_order(whole, by_axis, 8).read, (Columns{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(head_order(by_axis, whole, 8).read, (Columns{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(head_order(whole, like(whole, {{"pairing", "adjacent"}}), 8).read, (Columns{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(HeadOrder, WhatIsWrittenElsewhereHasAnOrderOfItsOwn) {
  const Convention deepseek = part_of(preset("deepseek-v3").convention, 4, "last");  // reads pairs, writes halves
  const Convention halves = like(deepseek, {{"pairing", "split_half"}, {"written", "in_place"}});
  EXPECT_EQ(head_order(deepseek, halves, 6), (HeadOrder{{0, 1, 2, 4, 3, 5}, {0, 1, 2, 3, 4, 5}}));
  const Convention pairs = like(deepseek, {{"written", "in_place"}});
  EXPECT_EQ(head_order(pairs, deepseek, 6), (HeadOrder{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 4, 3, 5}}));
}

TEST(HeadOrder, TurningBackIsTurningPairsWithTheirColumnsExchanged) {
  const Convention back = like(half_pairs, {{"turn", "backward"}});
  EXPECT_EQ(head_order(half_pairs, back, 4).read, (Columns{2, 3, 0, 1}));
  EXPECT_EQ(head_order(back, like(back, {{"pairing", "adjacent"}}), 4).read, (Columns{0, 2, 1, 3}));
}

// (u, v) turned by (a, b) is (v, u) turned back by (b, a), which no other pair has.
TEST(HeadOrder, TwoAnglesOfAPairAreNotExchanged) {
  const Convention& two_angles = preset("vjepa2").convention;
  const Convention back = like(two_angles, {{"turn", "backward"}});
  EXPECT_EQ(order_refusal(two_angles, two_angles, 96), "nothing");
  EXPECT_EQ(order_refusal(back, back, 96), "nothing");
  EXPECT_NE(order_refusal(two_angles, back, 96), "nothing");
}

TEST(HeadOrder, TheInverseIsTheOrderOfTheWayBack) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const std::int64_t part = 2 * (1 + static_cast<std::int64_t>(random() % 40));
    const std::int64_t head = part + static_cast<std::int64_t>(random() % 30);
    const Convention a = part_of(adjacent_pairs, part, random() % 2 == 0 ? "first" : "last");
    const Convention b = part_of(half_pairs, part, random() % 2 == 0 ? "first" : "last");
    EXPECT_EQ(inverse(head_order(a, b, head)), head_order(b, a, head));
  }
}

// ---- every preset -----------------------------------------------------------------------------------------------

// A width that the preset takes; those of several axes have sections of their own.
std::optional<std::int64_t> width_of(const Convention& convention, const Context& context) {
  for (const std::int64_t head : {96, 64, 128, 256, 80, 192, 32, 16, 12, 8, 6, 4}) {
    if (!RotaryRows::check(convention, head, {.context = context})) return head;
  }
  return std::nullopt;
}

TEST(HeadOrder, IsProvenForEveryRotaryPresetOfWhichPairsCanBePairedAnew) {
  const Context context = {.length = 9000, .centre = 100};
  const Projection projections[] = {{1, {{Holds::query, 2}}}, {1, {{Holds::key, 1}}}};
  int proven = 0, refused = 0;
  for (const Preset& each : presets()) {
    if (check_use("test", ConventionUse::rotations, each.convention)) continue;
    const auto head = width_of(each.convention, context);
    ASSERT_TRUE(head) << each.name;
    const bool adjacent = std::get<Rotary>(each.convention).pairing == Pairing::adjacent;
    const FieldChange other[] = {{"pairing", adjacent ? "split_half" : "adjacent"}};
    if (check_changes(each.convention, other)) continue;
    const Convention to = with_fields(each.convention, other);
    if (check_head_order(each.convention, to, *head, {.context = context})) {
      ++refused;
      continue;
    }
    const HeadOrder order = head_order(each.convention, to, *head, {.context = context});
    const HeadProof proof = prove_head_order(each.convention, to, order, projections, 3, {.context = context});
    EXPECT_TRUE(proof.holds) << each.name;
    EXPECT_EQ((std::tuple(proof.heads, proof.columns)), (std::tuple(3, *head))) << each.name;
    ++proven;
  }
  EXPECT_GT(proven, 80);
  EXPECT_LT(refused, 4) << "angles by column, which another pairing does not have";
}

TEST(HeadOrder, PresetsThatTurnOneLadderAreOneOrderApart) {
  const auto order = [](std::string_view from, std::string_view to, std::int64_t head) {
    return head_order(preset(from).convention, preset(to).convention, head);
  };
  EXPECT_EQ(order("meta-llama", "llama", 8), order("rope-pair", "rope-half", 8));
  EXPECT_EQ(order("ggml-rope-normal", "ggml-rope-neox", 8), order("rope-pair", "rope-half", 8));
  EXPECT_EQ(order_refusal(preset("llama").convention, preset("qwen2").convention, 8),
            "[head_order] each pair must have one of the other rotation that turns alike, got pairs 1 and 1");
}

// ---- attention, in double, by loops that know nothing of plans ---------------------------------------------------

struct Attention {
  std::int64_t heads, key_heads, head, rotated, inputs;
};
using Matrix = std::vector<double>;

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  Matrix made(static_cast<std::size_t>(rows * columns));
  for (double& each : made) each = std::uniform_real_distribution<double>(-1, 1)(random);
  return made;
}

// [tokens, rows] = x [tokens, n] W^T [rows, n] + b.
Matrix project(const Matrix& x, const Matrix& weights, const Matrix& bias, std::int64_t inputs) {
  const auto n = static_cast<std::size_t>(inputs);
  const std::size_t rows = bias.size(), tokens = x.size() / n;
  Matrix out(tokens * rows);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = bias[r];
      for (std::size_t i = 0; i < n; ++i) sum += x[t * n + i] * weights[r * n + i];
      out[t * rows + r] = sum;
    }
  }
  return out;
}

// Root mean square over each head, then the norm's weight.
void normalise(Matrix& rows, const Matrix& weight) {
  const std::size_t d = weight.size();
  for (std::size_t at = 0; at < rows.size(); at += d) {
    double squares = 0;
    for (std::size_t c = 0; c < d; ++c) squares += rows[at + c] * rows[at + c];
    for (std::size_t c = 0; c < d; ++c) rows[at + c] *= weight[c] / std::sqrt(squares / static_cast<double>(d));
  }
}

void turn(Matrix& rows, const Attention& a, std::int64_t heads, bool adjacent) {
  const std::size_t tokens = rows.size() / static_cast<std::size_t>(heads * a.head);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::int64_t h = 0; h < heads; ++h) {
      double* head = rows.data() + (static_cast<std::int64_t>(t) * heads + h) * a.head;
      for (std::int64_t k = 0; k < a.rotated / 2; ++k) {
        const double angle = 3.0 * static_cast<double>(t + 1) *
                             std::pow(10000.0, -2.0 * static_cast<double>(k) / static_cast<double>(a.rotated));
        double &u = head[adjacent ? 2 * k : k], &v = head[adjacent ? 2 * k + 1 : k + a.rotated / 2];
        const double x = u, y = v;
        u = x * std::cos(angle) - y * std::sin(angle);
        v = x * std::sin(angle) + y * std::cos(angle);
      }
    }
  }
}

struct Weights {
  Matrix q, k, q_bias, k_bias, q_norm, k_norm;
};

Matrix scores(const Matrix& x, const Weights& weights, const Attention& a, bool adjacent) {
  Matrix q = project(x, weights.q, weights.q_bias, a.inputs), k = project(x, weights.k, weights.k_bias, a.inputs);
  normalise(q, weights.q_norm);
  normalise(k, weights.k_norm);
  turn(q, a, a.heads, adjacent);
  turn(k, a, a.key_heads, adjacent);
  const std::int64_t tokens = std::ssize(q) / (a.heads * a.head);
  Matrix out;
  for (std::int64_t h = 0; h < a.heads; ++h) {
    for (std::int64_t i = 0; i < tokens; ++i) {
      for (std::int64_t j = 0; j < tokens; ++j) {
        const double* query = q.data() + (i * a.heads + h) * a.head;
        const double* key = k.data() + (j * a.key_heads + h * a.key_heads / a.heads) * a.head;
        out.push_back(std::inner_product(query, query + a.head, key, 0.0));
      }
    }
  }
  return out;
}

Matrix reordered(const HeadOrder& order, std::int64_t heads, const Matrix& rows) {
  Matrix out(rows.size());
  reorder_rows(order, {1, {{Holds::query, heads}}}, std::as_bytes(std::span(rows)),
               std::as_writable_bytes(std::span(out)));
  return out;
}

double furthest(const Matrix& a, const Matrix& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(HeadOrder, AModelOfReorderedRowsHasTheScoresOfTheFirst) {
  std::mt19937 random(7);
  for (const Attention& a : {Attention{4, 4, 8, 8, 20}, {6, 2, 10, 4, 13}, {3, 1, 16, 12, 5}, {1, 1, 2, 2, 1}}) {
    const std::int64_t q = a.heads * a.head, k = a.key_heads * a.head;
    const Weights old_weights = {random_matrix(q, a.inputs, random), random_matrix(k, a.inputs, random),
                                 random_matrix(q, 1, random),        random_matrix(k, 1, random),
                                 random_matrix(a.head, 1, random),   random_matrix(a.head, 1, random)};
    const Matrix x = random_matrix(5, a.inputs, random);
    for (const bool from_adjacent : {true, false}) {
      const Convention pairs = part_of(adjacent_pairs, a.rotated, "first");
      const Convention halves = part_of(half_pairs, a.rotated, "first");
      const HeadOrder order = from_adjacent ? head_order(pairs, halves, a.head) : head_order(halves, pairs, a.head);
      const Weights new_weights = {
          reordered(order, a.heads, old_weights.q),      reordered(order, a.key_heads, old_weights.k),
          reordered(order, a.heads, old_weights.q_bias), reordered(order, a.key_heads, old_weights.k_bias),
          reordered(order, 1, old_weights.q_norm),       reordered(order, 1, old_weights.k_norm)};
      const Matrix before = scores(x, old_weights, a, from_adjacent);
      EXPECT_LT(furthest(before, scores(x, new_weights, a, !from_adjacent)), 1e-12);
      if (a.rotated == 2) continue;  // one pair is paired alike
      EXPECT_GT(furthest(before, scores(x, old_weights, a, !from_adjacent)), 1e-3) << "rows that were not reordered";
      Weights half_done = new_weights;
      half_done.k_norm = old_weights.k_norm;
      EXPECT_GT(furthest(before, scores(x, half_done, a, !from_adjacent)), 1e-3) << "a norm that was forgotten";
    }
  }
}

// ---- projections ------------------------------------------------------------------------------------------------

// Rows by number; those of heads that `turned` names (group, head of the group) stand as `order` says.
Columns rows_of(std::int64_t groups, std::int64_t heads, std::int64_t d, const Columns& order, auto turned) {
  Columns rows;
  for (std::int64_t g = 0; g < groups; ++g) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t c = 0; c < d; ++c) {
        rows.push_back((g * heads + h) * d + (turned(g, h) ? order[static_cast<std::size_t>(c)] : c));
      }
    }
  }
  return rows;
}

Columns numbered_rows(const HeadOrder& order, const Projection& projection) {
  Columns numbers(static_cast<std::size_t>(head_count(projection)) * order.read.size()), out(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  reorder_rows(order, projection, std::as_bytes(std::span(numbers)), std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(Projection, FusedRowsAreReorderedWhereQueriesAndKeysStand) {
  const HeadOrder order = head_order(adjacent_pairs, half_pairs, 6);
  const auto expected = [&](std::int64_t groups, std::int64_t heads, auto turned) {
    return rows_of(groups, heads, 6, order.read, turned);
  };
  using enum Holds;
  EXPECT_EQ(numbered_rows(order, {5, {{query, 1}, {key, 1}, {value, 1}}}),  // GPT-NeoX, 5 heads
            expected(5, 3, [](auto, auto head) { return head < 2; }));
  EXPECT_EQ(numbered_rows(order, {2, {{query, 4}, {key, 1}, {value, 1}}}),  // Falcon, 8 and 2
            expected(2, 6, [](auto, auto head) { return head < 5; }));
  EXPECT_EQ(numbered_rows(order, {1, {{query, 8}, {key, 2}, {value, 2}}}),  // Phi-3
            expected(1, 12, [](auto, auto head) { return head < 10; }));
  EXPECT_EQ(numbered_rows(order, {4, {{query, 2}, {value, 2}, {key, 2}}}),  // CodeGen, 8 heads
            expected(4, 6, [](auto, auto head) { return head < 2 || head >= 4; }));
  EXPECT_EQ(numbered_rows(order, {1, {{value, 3}}}), expected(1, 3, [](auto, auto) { return false; }));
}

TEST(Projection, RowsOfAnyTypeMoveWhole) {
  const HeadOrder order = head_order(adjacent_pairs, half_pairs, 4);
  for (const std::size_t row : {0u, 1u, 3u, 8u, 4097u}) {
    std::vector<std::byte> in(2 * 4 * row), out(in.size(), std::byte{0xEE}), back = out;
    std::mt19937 random(5);
    for (std::byte& each : in) each = static_cast<std::byte>(random());
    const Projection projection = {1, {{Holds::query, 1}, {Holds::value, 1}}};
    reorder_rows(order, projection, in, out);
    for (std::size_t c = 0; c < 8; ++c) {
      const std::size_t from = c < 4 ? static_cast<std::size_t>(order.read[c]) : c;
      EXPECT_TRUE(std::ranges::equal(std::span(out).subspan(c * row, row), std::span(in).subspan(from * row, row)))
          << row;
    }
    reorder_rows(inverse(order), projection, out, back);
    EXPECT_EQ(back, in);
  }
}

// ---- proof ------------------------------------------------------------------------------------------------------

TEST(HeadProof, FindsTheFirstColumnOfAWrongOrder) {
  const Projection both[] = {{1, {{Holds::query, 3}}}, {1, {{Holds::key, 1}}}};
  HeadOrder order = head_order(adjacent_pairs, half_pairs, 8);
  const HeadProof right = prove_head_order(adjacent_pairs, half_pairs, order, both);
  EXPECT_TRUE(right.holds);
  EXPECT_FALSE(right.parted);
  EXPECT_EQ((std::tuple(right.heads, right.columns, right.positions)), (std::tuple(4, 8, 4)));
  EXPECT_GT(right.difference, 0) << "sums in another order round in other places";
  EXPECT_LE(right.difference, right.bound);
  EXPECT_LT(right.bound, 1e-4);
  std::swap(order.read[2], order.read[3]);
  const HeadProof wrong = prove_head_order(adjacent_pairs, half_pairs, order, both);
  EXPECT_FALSE(wrong.holds);
  EXPECT_EQ(wrong.parted, 2);
  const Columns unmoved = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_FALSE(prove_head_order(adjacent_pairs, half_pairs, {unmoved, unmoved}, both).holds);
}

TEST(HeadProof, AsksForAQueryOrAKeyOfTheOrdersWidth) {
  const HeadOrder order = head_order(adjacent_pairs, half_pairs, 8);
  const auto asked = [&](const HeadOrder& of, std::vector<Projection> projections) {
    return said(check_prove_head_order(adjacent_pairs, half_pairs, of, projections));
  };
  EXPECT_EQ(asked(order, {{1, {{Holds::key, 1}}}}), "nothing");
  EXPECT_EQ(asked(order, {}), "[prove_head_order] there must be a query or a key, got none");
  EXPECT_EQ(asked(order, {{1, {{Holds::value, 1}}}}), "[prove_head_order] there must be a query or a key, got none");
  EXPECT_EQ(asked({{0, 1}, {0, 0}}, {{1, {{Holds::key, 1}}}}),
            "[reorder_rows] an order must have each column once, got another list");
  EXPECT_EQ(asked(order, {{1 << 20, {{Holds::key, 16}}}, {1 << 20, {{Holds::key, 16}}}}),
            "[prove_head_order] heads x columns must be at most 2^26, got 134217728");
}

// ---- errors -----------------------------------------------------------------------------------------------------

TEST(HeadOrder, RefusesWhatDoesNotTurnAlike) {
  const std::string alike = "[head_order] each pair must have one of the other rotation that turns alike, got ";
  EXPECT_EQ(order_refusal(half_pairs, preset("transformer").convention, 8),
            "[head_order] the convention must be rotary, got sinusoid");
  EXPECT_EQ(order_refusal(half_pairs, adjacent_pairs, 7), "[convention] width must be even, got 7");
  EXPECT_EQ(order_refusal(half_pairs, adjacent_pairs, 0), "[convention] width must be 1 to 2^30, got 0");
  EXPECT_EQ(order_refusal(half_pairs, part_of(adjacent_pairs, 4, "first"), 8),
            "[head_order] both rotations must turn as many pairs, got 4 and 2");
  EXPECT_EQ(order_refusal(half_pairs, like(half_pairs, {{"ladder.base", 500000}}), 8), alike + "pairs 1 and 1");
  EXPECT_EQ(order_refusal(half_pairs, like(half_pairs, {{"magnitude", 2}}), 8),
            "[head_order] both rotations must have one magnitude, got two");
  const Convention& xpos = preset("xpos-lucid").convention;
  EXPECT_EQ(order_refusal(xpos, adjacent_pairs, 8),
            "[convention] centre must be stated: the decay counts from it, got none");
  EXPECT_EQ(order_refusal(xpos, adjacent_pairs, 8, {.centre = 0}),
            "[head_order] both rotations must have the same decay, got another");
  EXPECT_EQ(order_refusal(preset("rope-dynamic").convention, preset("rope-dynamic").convention, 8),
            said(RotaryRows::check(preset("rope-dynamic").convention, 8)));
  const Convention& planes = preset("rope2d-qwen-vision").convention;
  EXPECT_EQ(order_refusal(planes, half_pairs, 8),
            "[head_order] both rotations must have the same axes in one order, got others");
  EXPECT_EQ(order_refusal(half_pairs, adjacent_pairs, 8, {.length = -1}), said(check_context({.length = -1})));
}

TEST(Projection, RefusesHeadsAndBytesThatAreNone) {
  using enum Holds;
  const auto of = [](const Projection& projection) { return said(check_projection(projection)); };
  const std::string range = " must be 1 to 16777216, got ";
  EXPECT_EQ(of({1, {}}), "[reorder_rows] a projection must have heads, got none");
  EXPECT_EQ(of({0, {{query, 1}}}), "[reorder_rows] groups" + range + "0");
  EXPECT_EQ(of({1, {{query, -1}}}), "[reorder_rows] heads" + range + "-1");
  EXPECT_EQ(of({1, {{Holds{}, 1}}}), "[reorder_rows] what heads hold must be query, key or value, got none");
  EXPECT_EQ(of({1 << 20, {{query, 1 << 20}}}), "[reorder_rows] heads in all" + range + "1099511627776");
  EXPECT_EQ(of({std::int64_t{1} << 62, {{query, 8}}}), "[reorder_rows] groups" + range + "4611686018427387904");

  const HeadOrder order = head_order(adjacent_pairs, half_pairs, 4);
  std::vector<std::byte> bytes(64);
  const std::span<std::byte> all(bytes);
  const auto head = [&](std::span<const std::byte> in, std::span<std::byte> out) {
    return said(check_reorder_head(order, in, out));
  };
  EXPECT_EQ(head(all.first(16), all.last(16)), "nothing");
  EXPECT_EQ(head(all.first(16), all.last(12)), "[reorder_rows] out must have the 16 bytes of in, got 12");
  EXPECT_EQ(head(all.first(18), all.last(18)), "[reorder_rows] in must be 4 rows of as many bytes each, got 18 bytes");
  EXPECT_EQ(head(all.first(16), all.subspan(12, 16)),
            "[reorder_rows] in and out must share no byte, got some that they share");
  EXPECT_EQ(said(check_reorder_rows(order, {1, {{query, 3}}}, all.first(8), all.last(8))),
            "[reorder_rows] in must be 12 rows of as many bytes each, got 8 bytes");
}

}  // namespace
}  // namespace posenc
