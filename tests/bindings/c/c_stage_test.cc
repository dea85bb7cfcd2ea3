// SPDX-License-Identifier: Apache-2.0
// posenc for C gives the library's own values: pairs, learned tables, numbering, the input stage, configurations.
#include <posenc/backward.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/numbering.h>
#include <posenc/preset.h>
#include <posenc/query_scale.h>
#include <posenc/resize.h>
#include <posenc/spec/inspect.h>

#include "bindings/c/edge.h"
#include "tests/bindings/c/c_calls.h"

namespace posenc {
namespace {

const Convention& named(std::string_view preset_name) { return preset(preset_name).convention; }

// `ours` writes by C, `theirs` by the library, into tensors of one shape.
template <class T, class Ours, class Theirs>
void expect_same(std::vector<std::int64_t> shape, const Ours& ours, const Theirs& theirs) {
  Tensor<T> written(shape), expected(shape);
  const posenc_view out = written.c();
  run([&](auto error) { return ours(&out, error); });
  theirs(expected.own());
  EXPECT_EQ(written.numbers, expected.numbers);
}

TEST(CPairs, HaveBiasesAndSlopes) {
  const posenc_positions queries = range(5, 3), keys = range(0, 8);
  Tensor<std::int64_t> present({8});
  present.numbers = {0, 0, 1, 1, 1, 1, 1, 1};
  const posenc_view mask = present.c();
  const posenc_bias_context context = {sizeof context, 0, 0, &mask};
  expect_same<float>(
      {6, 3, 8},
      [&](auto out, auto error) {
        return posenc_bias(described("bloom").get(), &queries, &keys, &context, out, nullptr, error);
      },
      [&](const View& out) {
        bias(named("bloom"), Positions::range(5, 3), Positions::range(0, 8), out,
             {.context = {.head = 0, .present = present.own()}});
      });
  std::vector<float> slopes(6);
  run([&](auto error) { return posenc_bias_slopes(described("alibi").get(), 6, slopes.data(), error); });
  EXPECT_EQ(slopes, bias_slopes(named("alibi"), 6));
}

TEST(CPairs, HaveClassesAndCoordinates) {
  const posenc_positions queries = range(0, 5), keys = range(-200, 400);
  expect_same<std::int32_t>(
      {5, 400},
      [&](auto out, auto error) {
        return posenc_buckets(described("t5-bucket").get(), &queries, &keys, out, nullptr, error);
      },
      [](const View& out) { buckets(named("t5-bucket"), Positions::range(0, 5), Positions::range(-200, 400), out); });
  expect_same<std::int64_t>(
      {6, 6},
      [](auto out, auto error) {
        return posenc_window_buckets(described("swin-window").get(), 2, 3, out, nullptr, error);
      },
      [](const View& out) { window_buckets(named("swin-window"), {2, 3}, out); });
  expect_same<double>(
      {3, 5, 2}, [](auto out, auto error) { return posenc_log_coordinates(described("swinv2-cpb").get(), out, error); },
      [](const View& out) { log_coordinates(named("swinv2-cpb"), out); });
}

TEST(CPairs, HaveFactorsOfQueries) {
  const posenc_positions positions = range(8190, 5);
  expect_same<double>(
      {5},
      [&](auto out, auto error) {
        return posenc_query_scale(described("llama4-temperature").get(), &positions, out, nullptr, error);
      },
      [](const View& out) { query_scale(named("llama4-temperature"), Positions::range(8190, 5), out); });
}

TEST(CLearned, HasRowsAndTablesOfOtherSizes) {
  const posenc_positions positions = range(2, 4);
  const Positions own = Positions::range(2, 4);
  expect_same<std::int64_t>(
      {4},
      [&](auto out, auto error) { return posenc_learned_rows(described("learned").get(), &positions, 1, out, error); },
      [&](const View& out) { learned_rows(named("learned"), own, out); });
  auto table = Tensor<float>({17, 8}).counted(.25f);
  const posenc_view rows = table.c();
  const std::int64_t from[] = {4, 4}, to[] = {3, 5};
  expect_same<float>(
      {16, 8},
      [&](auto out, auto error) {
        return posenc_resize_table(described("dino-resize").get(), &rows, from, to, out, nullptr, error);
      },
      [&](const View& out) { resize_table(named("dino-resize"), table.own(), {4, 4}, {3, 5}, out); });
}

TEST(CNumbering, CountsPresentPlaces) {
  Tensor<std::int64_t> ids({2, 4}), ends({3}), before({2});
  ids.numbers = {1, 1, 7, 0, 3, 1, 5, 6}, ends.numbers = {0, 3, 7}, before.numbers = {10, 20};
  const posenc_view in = ids.c(), cuts = ends.c(), passed = before.c();
  expect_same<std::int64_t>(
      {2, 4}, [&](auto out, auto error) { return posenc_positions_of_ids(&in, 1, 2, 1, nullptr, out, error); },
      [&](const View& out) { positions_of_ids(ids.own(), 1, {2, 1}, out); });
  expect_same<std::int64_t>(
      {2, 4}, [&](auto out, auto error) { return posenc_positions_of_mask(&in, 0, -1, &passed, out, error); },
      [&](const View& out) { positions_of_mask(ids.own(), {0, -1}, before.own(), out); });
  expect_same<std::int64_t>(
      {7}, [&](auto out, auto error) { return posenc_positions_of_ends(&cuts, 3, out, error); },
      [&](const View& out) { positions_of_ends(ends.own(), 3, out); });
}

class CStage : public testing::Test {
 protected:
  Tensor<float> rows_ = Tensor<float>({16, 8}).counted(.125f), gradient_ = Tensor<float>({2, 5, 8}).counted(.5f);
  Tensor<std::int64_t> ids_ = Tensor<std::int64_t>({2, 5}).counted(1);
  posenc_view rows_view_ = rows_.c(), ids_view_ = ids_.c(), gradient_view_ = gradient_.c();
  posenc_stage_options options_ = {sizeof options_, POSENC_SCALE_NUMBER, 2.3, POSENC_BF16, 1, 3, 0.25, 99, "f32-exp",
                                   nullptr};
  StageOptions own_options_ = {.scale = Scale::of(2.3).rounded_to(DType::bf16),
                               .dropout = 0.25,
                               .seed = 99,
                               .padding_id = 3,
                               .recipe = recipe("f32-exp")};
  posenc_encode_options train_ = {sizeof train_, POSENC_TRAIN, 4, 2, nullptr};
  EncodeOptions own_train_ = {.mode = StageMode::train, .call = 4, .first = 2};
};

TEST_F(CStage, EncodesAndGivesGradients) {
  const auto stage = made<posenc_stage, posenc_stage_free>([&](auto out, auto error) {
    return posenc_stage_new(&rows_view_, described("transformer").get(), nullptr, &options_, out, error);
  });
  const InputStage own(rows_.own(), named("transformer"), own_options_);
  EXPECT_EQ(posenc_stage_factor(stage.get()), own.factor());
  const posenc_positions positions = range(2, 5);
  expect_same<float>(
      {2, 5, 8},
      [&](auto out, auto error) {
        return posenc_stage_encode(stage.get(), &ids_view_, &positions, out, &train_, error);
      },
      [&](const View& out) { own.encode(ids_.own(), Positions::range(2, 5), out, own_train_); });

  const auto backward = made<posenc_backward, posenc_backward_free>(
      [&](auto out, auto error) { return posenc_backward_new(stage.get(), &ids_view_, out, error); });
  const Backward own_backward(own, ids_.own());
  const std::int64_t* touched = nullptr;
  std::size_t count = 0;
  run([&](auto error) { return posenc_backward_touched(backward.get(), &touched, &count, error); });
  ASSERT_EQ(count, own_backward.touched().size());
  EXPECT_TRUE(std::equal(touched, touched + count, own_backward.touched().begin()));
  expect_same<float>(
      {16, 8},
      [&](auto out, auto error) { return posenc_backward_write(backward.get(), &gradient_view_, out, &train_, error); },
      [&](const View& out) { own_backward.write(gradient_.own(), out, own_train_); });
  expect_same<float>(
      {static_cast<std::int64_t>(count), 8},
      [&](auto out, auto error) {
        return posenc_backward_write_touched(backward.get(), &gradient_view_, out, &train_, error);
      },
      [&](const View& out) { own_backward.write_touched(gradient_.own(), out, own_train_); });
}

TEST_F(CStage, EncodesATable) {
  auto table = Tensor<float>({9, 8}).counted(.5f);
  const posenc_view stored = table.c();
  const auto stage = made<posenc_stage, posenc_stage_free>(
      [&](auto out, auto error) { return posenc_stage_new(&rows_view_, nullptr, &stored, &options_, out, error); });
  const posenc_positions positions = range(4, 5);
  expect_same<float>(
      {2, 5, 8},
      [&](auto out, auto error) {
        return posenc_stage_encode(stage.get(), &ids_view_, &positions, out, nullptr, error);
      },
      [&](const View& out) {
        InputStage(rows_.own(), ConstView(table.own()), own_options_).encode(ids_.own(), Positions::range(4, 5), out);
      });
}

TEST_F(CStage, HasItsPieces) {
  expect_same<float>(
      {2, 5, 8}, [&](auto out, auto error) { return posenc_dropout(&gradient_view_, out, 0.5, 7, 1, 2, error); },
      [&](const View& out) { dropout(gradient_.own(), out, 0.5, {7, 1, 2}); });
  const std::int64_t padding = 3;
  expect_same<float>(
      {2, 5, 8}, [&](auto out, auto error) { return posenc_lookup(&rows_view_, &padding, &ids_view_, out, error); },
      [&](const View& out) { Embedding{rows_.own(), 3}.lookup(ids_.own(), out); });
  expect_same<float>(
      {6, 8}, [](auto out, auto error) { return posenc_seeded_rows(out, 5, 1, POSENC_INIT_SCALED, error); },
      [](const View& out) { seeded_rows(out, 5, 1, RowInit::scaled); });
}

TEST(CInspect, ReadsAConfiguration) {
  const std::string_view config =
      R"({"model_type": "phi3", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
          "rope_theta": 10000.0, "max_position_embeddings": 4096, "original_max_position_embeddings": 4096})";
  const posenc_inspect_options options = {sizeof options, 0, "config.json", nullptr, nullptr, 100, 0};
  EXPECT_EQ(text([&](auto... rest) { return posenc_inspect(config.data(), config.size(), &options, rest...); }),
            to_json(inspect(config, {.source = "config.json", .length = 100})));
  const std::string ended(config);
  EXPECT_EQ(text([&](auto... rest) { return posenc_inspect(ended.c_str(), SIZE_MAX, &options, rest...); }),
            to_json(inspect(config, {.source = "config.json", .length = 100})));
}

TEST_F(CStage, TakesTheRecipeOfAPresetByTheWordOriginal) {
  options_.recipe = "original", options_.dropout = 0;
  const auto stage_of = [&](const char* named, posenc_stage** out, posenc_error* error) {
    return posenc_stage_new(&rows_view_, described(named).get(), nullptr, &options_, out, error);
  };
  const auto stage = made<posenc_stage, posenc_stage_free>(
      [&](auto out, auto error) { return stage_of("annotated-transformer", out, error); });
  own_options_.recipe = preset("annotated-transformer").original, own_options_.dropout = 0;
  const InputStage own(rows_.own(), named("annotated-transformer"), own_options_);
  const posenc_positions positions = range(1000, 5);
  expect_same<float>(
      {2, 5, 8},
      [&](auto out, auto error) {
        return posenc_stage_encode(stage.get(), &ids_view_, &positions, out, nullptr, error);
      },
      [&](const View& out) { own.encode(ids_.own(), Positions::range(1000, 5), out); });
  posenc_stage* none = nullptr;
  posenc_error error = {};
  EXPECT_EQ(posenc_stage_new(&rows_view_, nullptr, &gradient_view_, &options_, &none, &error), POSENC_INPUT);
  EXPECT_STREQ(error.rule, "recipe original is that of a preset, by whose name the convention must be asked");
}

// All of a struct may be 0: the fields that stand in posenc.h are written, and nothing behind them.
TEST(CErrors, AreToldToAStructThatStatesNoSize) {
  struct {
    posenc_error error;
    unsigned char behind[64];
  } held = {};
  std::fill(std::begin(held.behind), std::end(held.behind), std::uint8_t{0x5A});
  posenc_convention* none = nullptr;
  EXPECT_EQ(posenc_convention_new("wisper", SIZE_MAX, &none, &held.error), POSENC_INPUT);
  posenc_error sized = fresh();
  EXPECT_EQ(posenc_convention_new("wisper", SIZE_MAX, &none, &sized), POSENC_INPUT);
  EXPECT_EQ(held.error.cause, POSENC_INPUT);
  EXPECT_NE(std::string(held.error.rule), "");
  EXPECT_STREQ(held.error.operation, sized.operation);
  EXPECT_STREQ(held.error.rule, sized.rule);
  EXPECT_STREQ(held.error.value, sized.value);
  EXPECT_EQ(held.error.size, 0u);
  for (const unsigned char byte : held.behind) EXPECT_EQ(byte, 0x5A);
  EXPECT_EQ(sizeof(posenc_error), 976u) << "the fields of ABI 1";
}

// Structs that are read must say how long they are: a forgotten size is told, not taken for one.
TEST(CErrors, NameTheSizeThatAStructOfOptionsForgot) {
  const posenc_context context = {};
  posenc_rows* rows = nullptr;
  posenc_error error = {};
  EXPECT_EQ(posenc_rows_new(described("transformer").get(), 8, nullptr, &context, &rows, &error), POSENC_INPUT);
  EXPECT_STREQ(error.rule, "context must begin with its size in bytes");
  EXPECT_STREQ(error.value, "0");
}

TEST(CErrors, NameTheElement) {
  auto rows = Tensor<float>({4, 8}).counted(1);
  Tensor<std::int64_t> ids({2, 2});
  ids.numbers = {0, 1, 9, 2};
  Tensor<float> looked({2, 2, 8});
  const posenc_view table = rows.c(), in = ids.c(), out = looked.c();
  posenc_error error = fresh();
  EXPECT_EQ(posenc_lookup(&table, nullptr, &in, &out, &error), POSENC_INPUT);
  EXPECT_EQ(error.rank, 2u);
  EXPECT_EQ(error.index[0], 1);
  EXPECT_EQ(error.index[1], 0);
  EXPECT_STREQ(error.value, "9");
  EXPECT_EQ(error.truncated, 0u);
}

TEST(CErrors, SayWhatTheSystemRefuses) {
  posenc_error error = fresh();
  EXPECT_EQ(c::call("operation", &error, [] { throw std::bad_alloc(); }), POSENC_SYSTEM);
  EXPECT_STREQ(error.operation, "operation");
  EXPECT_STREQ(error.rule, "memory must be had");
  EXPECT_EQ(c::call("operation", &error, [] { throw std::length_error("too long"); }), POSENC_SYSTEM);
  EXPECT_STREQ(error.value, "too long");
}

TEST(CErrors, AreCutWhereTheyDoNotFit) {
  const std::string rule(1000, 'x');
  posenc_error error = fresh();
  EXPECT_EQ(c::told(&error, {"operation", rule, "value", {}, Cause::system}), POSENC_SYSTEM);
  EXPECT_EQ(error.cause, POSENC_SYSTEM);
  EXPECT_EQ(error.truncated, 1u);
  EXPECT_EQ(error.rule, rule.substr(0, sizeof error.rule - 1));
  EXPECT_STREQ(error.value, "value");
}

}  // namespace
}  // namespace posenc
