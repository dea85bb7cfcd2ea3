// SPDX-License-Identifier: Apache-2.0
// The input stage and its parts refuse to write over what they read.
#include <posenc/backward.h>
#include <posenc/embedding.h>
#include <posenc/input_stage.h>

#include "tests/encodings/said.h"
#include "tests/input/plain.h"

namespace posenc {
namespace {

using test::said;

// Rows [5, 8], a table [6, 8], three ids and their output [3, 8] in one memory, in that order.
struct OneMemory {
  std::vector<float> floats = std::vector<float>(5 * 8 + 6 * 8 + 3 * 8 + 8);
  std::vector<std::int32_t> ids = {4, 0, 2};

  View rows() { return view(floats.data(), {5, 8}); }
  View table() { return view(floats.data() + 40, {6, 8}); }
  View out(std::int64_t moved = 0) { return view(floats.data() + 88 + moved, {3, 8}); }
  View of_ids() { return view(ids.data(), {3}); }
  // Ids that stand in the output, or one of them.
  View ids_at(std::int64_t element, std::int64_t count) {
    auto* const at = reinterpret_cast<std::int32_t*>(floats.data() + 88 + element);
    return view(at, {count});
  }
};

std::string expected(const std::string& operation, const std::string& in, const std::string& got) {
  return "[" + operation + "] " + in + " and out must share no element, got " + got;
}

TEST(Overlap, OfAnEmbeddingsViewsIsRefused) {
  OneMemory m;
  const Embedding embedding = {m.table()};
  EXPECT_EQ(said(embedding.check_lookup(m.of_ids(), m.out())), "nothing");
  EXPECT_EQ(said(embedding.check_lookup(m.of_ids(), m.out(-1))),
            expected("embedding", "rows", "out 188 bytes behind rows"));
  EXPECT_EQ(said(embedding.check_lookup(m.ids_at(21, 3), m.out())),
            expected("embedding", "ids", "out 84 bytes before ids"));
}

TEST(Overlap, OfAStagesViewsIsRefused) {
  OneMemory m;
  const Convention paper = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};
  const Positions three = Positions::range(0, 3);
  std::vector<std::int64_t> list = {3, 4, 5};
  const View own = view(list.data(), {3});
  const InputStage stage(m.rows(), paper, {.scale = Scale::sqrt_dim}),
      table(m.rows(), m.table(), {.scale = Scale::sqrt_dim});
  EXPECT_EQ(said(stage.check_encode(m.of_ids(), three, m.out())), "nothing");
  EXPECT_EQ(said(stage.check_encode(m.of_ids(), three, m.out(-1))), "nothing");  // there is no table
  EXPECT_EQ(said(stage.check_encode(m.of_ids(), three, m.out(-49))),
            expected("input_stage", "rows", "out 156 bytes behind rows"));
  EXPECT_EQ(said(stage.check_encode(m.ids_at(0, 3), three, m.out())),
            expected("input_stage", "ids", "both at one address"));
  EXPECT_EQ(said(table.check_encode(m.of_ids(), three, m.out())), "nothing");
  EXPECT_EQ(said(table.check_encode(m.of_ids(), three, m.out(-1))),
            expected("input_stage", "table", "out 188 bytes behind table"));
  EXPECT_EQ(said(table.check_encode(m.of_ids(), Positions::list(own), m.out())), "nothing");
  const View between = {m.floats.data() + 90, DType::i64, 1, {3}, {1}};
  EXPECT_EQ(said(stage.check_encode(m.of_ids(), Positions::list(between), m.out())),
            expected("input_stage", "positions", "bytes that overlap, out 8 bytes before positions"));
}

// A token at a time has a check of its own.
TEST(Overlap, OfAStepsViewsIsRefused) {
  OneMemory m;
  const Convention paper = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};
  const InputStage stage(m.rows(), paper, {.scale = Scale::sqrt_dim}),
      table(m.rows(), m.table(), {.scale = Scale::sqrt_dim});
  const auto one = [&](std::int64_t at) { return view(m.floats.data() + at, {1, 8}); };
  const auto at = [](const InputStage& of, const View& ids, const View& out) {
    return said(of.check_encode(ids, Positions::at(1), out));
  };
  const View id = view(m.ids.data(), {1});
  EXPECT_EQ(at(stage, id, one(40)), "nothing");
  EXPECT_EQ(at(stage, id, one(39)), expected("input_stage", "rows", "out 156 bytes behind rows"));
  EXPECT_EQ(at(stage, id, one(0)), expected("input_stage", "rows", "both at one address"));  // though row 4 is read
  EXPECT_EQ(at(table, id, one(88)), "nothing");
  EXPECT_EQ(at(table, id, one(87)), expected("input_stage", "table", "out 188 bytes behind table"));
  EXPECT_EQ(at(table, id, one(39)), expected("input_stage", "rows", "out 156 bytes behind rows"));
  EXPECT_EQ(at(table, m.ids_at(7, 1), one(88)), expected("input_stage", "ids", "out 28 bytes before ids"));
  EXPECT_EQ(at(table, m.ids_at(8, 1), one(88)), "nothing");
}

TEST(Overlap, OfRowsBetweenColumnsThatAreLeftOutIsNone) {
  std::vector<float> packed(5 * 16);
  std::vector<std::int32_t> ids = {4};
  const View rows = {packed.data(), DType::f32, 2, {5, 8}, {16, 1}};
  const View out = {packed.data() + 40, DType::f32, 2, {1, 8}, {16, 1}};
  const Convention paper = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};
  const InputStage stage(rows, paper, {.scale = Scale::sqrt_dim});
  EXPECT_EQ(said(stage.check_encode(view(ids.data(), {1}), Positions::at(0), out)), "nothing");
}

TEST(Overlap, OfDropoutIsRefusedUnlessItIsInPlace) {
  OneMemory m;
  EXPECT_EQ(said(check_dropout(m.out(), m.out(), 0.1, {})), "nothing");
  EXPECT_EQ(said(check_dropout(m.out(1), m.out(), 0.1, {})),
            "[dropout] in and out must share no element, or be the same view, got out 4 bytes before in");
}

TEST(Overlap, OfGradientsIsRefused) {
  OneMemory m;
  std::vector<float> gradients(5 * 8 + 3 * 8);
  const Convention paper = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};
  const InputStage stage(m.rows(), paper, {.scale = Scale::sqrt_dim});
  const Backward backward(stage, m.of_ids());
  const auto at = [&](std::int64_t element) {
    return said(backward.check_write(view(gradients.data(), {3, 8}), view(gradients.data() + element, {5, 8})));
  };
  EXPECT_EQ(at(24), "nothing");
  EXPECT_EQ(at(23), "[backward] grad_out and grad_rows must share no element, got grad_rows 92 bytes behind grad_out");
  EXPECT_EQ(said(backward.check_write_touched(view(gradients.data(), {3, 8}), view(gradients.data(), {3, 8}))),
            "[backward] grad_out and grad_rows must share no element, got the same view");
}

}  // namespace
}  // namespace posenc
