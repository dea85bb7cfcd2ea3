// SPDX-License-Identifier: Apache-2.0
// The rules of the input stage: each refusal by its text, with outputs as they were.
#include <posenc/input_stage.h>
#include <posenc/preset.h>

#include "tests/input/paper.h"
#include "tests/input/plain.h"

namespace posenc {
namespace {

using plain::error_of;
using plain::paper;
using plain::Tensor;

TEST(InputStage, RefusesStagesThatBreakTheRules) {
  Tensor<float> rows({5, 8}), odd({5, 7}), table({3, 8});
  Tensor<double> wide({3, 8});
  Tensor<std::int32_t> integers({5, 8});
  const auto text = [](const ConstView& of, StageOptions options) {
    return error_of([&] { const InputStage stage(of, paper(), options); });
  };
  const StageOptions good{.scale = Scale::none};
  EXPECT_EQ(text(rows.view, {}), "[input_stage] scale must be stated, got none");
  EXPECT_EQ(text(rows.view, {.scale = Scale::of(std::nan(""))}),
            "[input_stage] scale must be finite, also once rounded, got nan");
  EXPECT_EQ(text(rows.view, {.scale = Scale::of(1e39)}),
            "[input_stage] scale must be finite, also once rounded, got 1e+39");
  EXPECT_EQ(text(rows.view, {.scale = Scale::of(70000).rounded_to(DType::f16)}),
            "[input_stage] scale must be finite, also once rounded, got 70000");
  EXPECT_EQ(text(rows.view, {.scale = Scale::none.rounded_to(DType::i32)}),
            "[input_stage] scale must be rounded to f32, f64, f16 or bf16, got i32");
  EXPECT_EQ(text(rows.view, {.scale = Scale::none, .dropout = 1}),
            "[input_stage] dropout must be a probability in [0, 1), got 1");
  EXPECT_EQ(text(rows.view, {.scale = Scale::none, .dropout = 1e-6}),
            "[input_stage] dropout must round to 1/65536 ... 65535/65536, or be 0, got 1e-06");
  EXPECT_EQ(text(rows.view, {.scale = Scale::none, .padding_id = 5}),
            "[input_stage] padding_id must be in [0, 5), got 5");
  EXPECT_EQ(text(integers.view, good), "[input_stage] rows must be f32, f64, f16 or bf16, got i32");
  EXPECT_EQ(text(view(rows.memory.data(), {40}), good), "[input_stage] rows must have shape [vocabulary, d], got [40]");
  EXPECT_NE(text(odd.view, good), "no error");
  EXPECT_EQ(error_of([&] { const InputStage stage(rows.view, preset("mae-2d").convention, good); }),
            "[sinusoid] the convention must be waves of one axis, as a sinusoid or a timestep is, got grid");
  EXPECT_EQ(error_of([&] { const InputStage stage(odd.view, preset("tf-official").convention, good); }),
            "[input_stage] the convention must give as many columns as rows have, got [5, 7]");

  const auto with_table = [&](const ConstView& of) {
    return error_of([&] { const InputStage stage(rows.view, of, good); });
  };
  EXPECT_EQ(with_table(wide.view), "[input_stage] table must have the type of rows, f32, got f64");
  EXPECT_EQ(with_table(view(table.memory.data(), {4, 6})), "[input_stage] table must have shape [4, 8], got [4, 6]");
  EXPECT_EQ(with_table(view(table.memory.data(), {24})), "[input_stage] table must have shape [n, 8], got [24]");
  EXPECT_EQ(with_table(View{}), "[input_stage] table must have an element type, got no type");
}

class InputStageRefusal : public ::testing::Test {
 protected:
  Tensor<float> rows{{5, 8}}, out{{2, 3, 8}};
  std::int32_t ids[6] = {0, 1, 2, 3, 4, 0};
  StageOptions options{.scale = Scale::none, .dropout = 0.5};
  std::vector<float> before = out.memory;

  std::string text(const ConstView& of, const Positions& positions, const View& to, const EncodeOptions& how = {}) {
    plain::fill(rows.memory, 1);
    const InputStage stage(rows.view, paper(), options);
    const std::string message = error_of([&] { stage.encode(of, positions, to, how); });
    EXPECT_EQ(out.memory, before);
    return message;
  }
};

TEST_F(InputStageRefusal, NamesTheSequenceAndTheTokenOfABadId) {
  ids[4] = 5;
  EXPECT_EQ(text(view(ids, {2, 3}), Positions::range(0, 3), out.view),
            "[input_stage] ids must be in [0, 5), got 5 at [1, 1]");
  ids[4] = -3;
  EXPECT_EQ(text(view(ids, {6}), Positions::range(0, 6), view(out.memory.data(), {6, 8})),
            "[input_stage] ids must be in [0, 5), got -3 at [4]");
}

TEST_F(InputStageRefusal, OfIdsAndOutputsOfOtherShapesAndTypes) {
  const auto positions = Positions::range(0, 3);
  const ConstView good = view(ids, {2, 3});
  EXPECT_EQ(text(view(ids, {}), positions, out.view), "[input_stage] ids must have shape [L] or [B, L], got []");
  EXPECT_EQ(text(view(ids, {1, 2, 3}), positions, out.view),
            "[input_stage] ids must have shape [L] or [B, L], got [1, 2, 3]");
  ConstView ninth = good;
  ninth.rank = 99;
  EXPECT_EQ(text(ninth, positions, out.view), "[input_stage] ids must have 0 to 8 axes, got 99");
  EXPECT_EQ(text(rows.view, positions, out.view), "[input_stage] ids must be i32 or i64, got f32");
  EXPECT_EQ(text(good, positions, view(out.memory.data(), {3, 2, 8})),
            "[input_stage] out must have shape [2, 3, 8], got [3, 2, 8]");
  EXPECT_EQ(text(good, positions, view(out.memory.data(), {6, 8})),
            "[input_stage] out must have shape [2, 3, 8], got [6, 8]");
  std::vector<double> wide(48);
  EXPECT_EQ(text(good, positions, view(wide.data(), {2, 3, 8})),
            "[input_stage] out must have the type of rows, f32, got f64");
  EXPECT_EQ(text(good, positions, view(out.memory.data(), {3, 8}).repeated(2)),
            "[input_stage] out must have no stride 0, got 0 for axis 0 of shape [2, 3, 8]");
}

TEST_F(InputStageRefusal, OfPositionsThatDoNotFit) {
  const ConstView good = view(ids, {2, 3});
  const double list[] = {0, 1, 2, 3, 4, std::nan("")};
  const std::string rule = "[input_stage] positions must be [L] or [B, L] for ids [2, 3], got ";
  EXPECT_EQ(text(good, Positions::range(0, 2), out.view), rule + "[2]");
  EXPECT_EQ(text(good, Positions::at(0), out.view), rule + "[1]");
  EXPECT_EQ(text(good, Positions::list(view(list, {1, 3})), out.view), rule + "[1, 3]");
  EXPECT_EQ(text(good, Positions::list(view(list, {3, 1})), out.view), rule + "[3, 1]");
  EXPECT_EQ(text(good, Positions::list(view(list, {2, 3})), out.view),
            "[input_stage] real positions must be finite and at most 2^53 in size, got nan at [1, 2]");
  EXPECT_EQ(text(good, Positions::range(std::numeric_limits<std::int64_t>::max() - 1, 3), out.view),
            "[input_stage] positions must fit in 64 bits, got 9223372036854775806 + 2 * 1");
  EXPECT_EQ(text(good, Positions::range(0, -3), out.view), "[input_stage] the count of positions must be >= 0, got -3");
}

TEST_F(InputStageRefusal, OfPositionsOutsideATable) {
  plain::fill(rows.memory, 1);
  Tensor<float> table({4, 8});
  const InputStage stage(rows.view, table.view, options);
  const ConstView good = view(ids, {2, 3});
  const auto message = [&](const Positions& positions) {
    return error_of([&] { stage.encode(good, positions, out.view); });
  };
  const std::string rule = "[input_stage] positions must be rows of the table, integers in [0, 4), got ";
  EXPECT_EQ(message(Positions::range(2, 3)), rule + "4 at [2]");
  EXPECT_EQ(message(Positions::range(1, 3, -1)), rule + "-1 at [2]");
  EXPECT_EQ(message(Positions::range(0.0, 3, 0.5)), rule + "0.5 at [1]");
  const std::int64_t list[] = {0, 1, 2, 3, std::int64_t{1} << 40, 0};
  EXPECT_EQ(message(Positions::list(view(list, {2, 3}))), rule + "1099511627776 at [1, 1]");
  EXPECT_EQ(out.memory, before);
}

// A step is asked for all its rules at once; what breaks one reads as in any call.
TEST_F(InputStageRefusal, OfADecodingStep) {
  plain::fill(rows.memory, 1);
  Tensor<float> table({4, 8});
  const InputStage stage(rows.view, table.view, options);
  std::int64_t id = 4;
  const ConstView token = view(static_cast<const std::int64_t*>(&id), {1, 1});
  const View to = view(out.memory.data(), {1, 1, 8});
  const auto message = [&](const ConstView& of, const Positions& at, const View& into,
                           StageMode mode = StageMode::evaluate) {
    return error_of([&] { stage.encode(of, at, into, {.mode = mode}); });
  };
  const auto moved = [](auto wrong, std::uintptr_t bytes) {
    wrong.data = reinterpret_cast<decltype(wrong.data)>(reinterpret_cast<std::uintptr_t>(wrong.data) + bytes);
    return wrong;
  };
  const Positions third = Positions::at(3);
  const float* no_data = nullptr;
  EXPECT_EQ(message(view(no_data, {1, 1}), third, to),
            "[input_stage] ids must have data, got a null pointer for shape [1, 1]");
  EXPECT_EQ(message(moved(token, 4), third, to),
            "[input_stage] ids must be aligned to its 8-byte elements, got an address that is not");
  EXPECT_EQ(message(view(rows.memory.data(), {1, 1}), third, to), "[input_stage] ids must be i32 or i64, got f32");
  EXPECT_EQ(message(token, third, moved(to, 2)),
            "[input_stage] out must be aligned to its 4-byte elements, got an address that is not");
  EXPECT_EQ(message(token, third, view(static_cast<float*>(nullptr), {1, 1, 8})),
            "[input_stage] out must have data, got a null pointer for shape [1, 1, 8]");
  EXPECT_EQ(message(token, third, view(out.memory.data(), {1, 1, 8}).transposed(1, 2)),
            "[input_stage] out must have shape [1, 1, 8], got [1, 8, 1]");
  EXPECT_EQ(message(token, third, view(out.memory.data(), {1, 1, 7})),
            "[input_stage] out must have shape [1, 1, 8], got [1, 1, 7]");
  EXPECT_EQ(message(token, third, view(out.memory.data(), {1, 8})),
            "[input_stage] out must have shape [1, 1, 8], got [1, 8]");
  EXPECT_EQ(message(token, third, view(out.memory.data(), {2, 1, 8})),
            "[input_stage] out must have shape [1, 1, 8], got [2, 1, 8]");
  std::vector<double> wide(8);
  EXPECT_EQ(message(token, third, view(wide.data(), {1, 1, 8})),
            "[input_stage] out must have the type of rows, f32, got f64");
  View still = to;
  still.strides[2] = 0;
  EXPECT_EQ(message(token, third, still),
            "[input_stage] out must have no stride 0, got 0 for axis 2 of shape [1, 1, 8]");
  const std::string rule = "[input_stage] positions must be rows of the table, integers in [0, 4), got ";
  EXPECT_EQ(message(token, Positions::at(4), to), rule + "4 at [0]");
  EXPECT_EQ(message(token, Positions::at(-1), to), rule + "-1 at [0]");
  EXPECT_EQ(message(token, Positions::at(0.5), to), rule + "0.5 at [0]");
  EXPECT_EQ(message(token, Positions::range(0, 2), to),
            "[input_stage] positions must be [L] or [B, L] for ids [1, 1], got [2]");
  EXPECT_EQ(message(token, third, to, StageMode{}), "[input_stage] mode must be stated, got none");
  for (const std::int64_t outside : {-1, 5}) {
    id = outside;
    EXPECT_EQ(message(token, third, to),
              "[input_stage] ids must be in [0, 5), got " + std::to_string(outside) + " at [0, 0]");
  }
  EXPECT_EQ(out.memory, before);
  id = 4;
  EXPECT_EQ(stage.check_encode(token, third, to), std::nullopt);
}

TEST_F(InputStageRefusal, OfModesAndMaskIndices) {
  const ConstView good = view(ids, {2, 3});
  const auto positions = Positions::range(0, 3);
  EXPECT_EQ(text(good, positions, out.view, {.mode = StageMode{}}), "[input_stage] mode must be stated, got none");
  EXPECT_EQ(text(good, positions, out.view, {.mode = StageMode::train, .first = 0xFFFFFFFE}),
            "[input_stage] dropout counts tokens and sequences in 32 bits, got tokens 4294967294 + 3, sequences 2");
  const InputStage stage(rows.view, paper(), options);
  EXPECT_EQ(stage.check_encode(good, positions, out.view, {.mode = StageMode::train, .first = 0xFFFFFFFD}),
            std::nullopt);
  EXPECT_EQ(stage.check_encode(good, positions, out.view, {.first = 0xFFFFFFFE}), std::nullopt);
}

}  // namespace
}  // namespace posenc
