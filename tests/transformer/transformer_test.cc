// SPDX-License-Identifier: Apache-2.0
// The four parts together: what goes in, what comes out, and which part a message names.
#include <posenc/preset.h>
#include <posenc/transformer/transformer.h>

#include "tests/input/plain.h"
#include "tests/transformer/small_model.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

const plain::ModelShape whole_shape = {
    {16, 24, 4, 4}, 2, 1, 11, 9, 12, {NormPlace::after, Activation::relu, Score::scaled_dot}};

TEST(Transformer, InputRowsAreTheStagesThenWhatAFamilyAdds) {
  plain::Model model(whole_shape);
  TokenInput input = std::get<TokenInput>(model.transformer.source);
  const std::int64_t ids[] = {3, 1, 4, 1, 5, 9};
  const View out = model.tensors.make({2, 3, 16}, 1), added = model.tensors.make({16}, 1);
  input_rows(input, view(ids, {2, 3}), 4, out);
  const ConstView& table = model.source.table;
  const auto wanted = [&](std::int64_t b, std::int64_t t, std::int64_t position, std::int64_t c) {
    return 4 * plain::at(model.source.rows, {ids[b * 3 + t], c}) + plain::at(table, {position, c});
  };
  const auto expect_rows = [&](std::int64_t first, bool more) {
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t t = 0; t < 3; ++t) {
        plain::Row row;
        for (std::int64_t c = 0; c < 16; ++c)
          row.push_back(wanted(b, t, first + t, c) + (more ? plain::at(added, {c}) : 0));
        if (more) row = plain::normalize(*input.norm, row);
        for (std::int64_t c = 0; c < 16; ++c)
          EXPECT_NEAR(plain::at(out, {b, t, c}), row[static_cast<std::size_t>(c)], 0x1p-20);
      }
    }
  };
  expect_rows(4, false);
  input.added = added;
  input.norm = plain::norm(model.tensors, 16);
  input.origin = 2;
  input_rows(input, view(ids, {2, 3}), 4, out);
  expect_rows(6, true);
  EXPECT_EQ(plain::error_of([&] { input_rows(input, view(ids, {2, 3}), 8, out); }),
            "[input_stage] positions must be rows of the table, integers in [0, 12), got 12 at [2]");
  EXPECT_EQ(plain::error_of([&] { input_rows(input, view(ids, {6}), 0, out); }),
            "[input_rows] ids must have shape [B, n], got [6]");
  EXPECT_EQ(plain::error_of([&] { input_rows(input, view(ids, {2, 3}), INT64_MAX - 1, out); }),
            "[input_rows] positions must fit in 63 bits, got 2 + 9223372036854775806");
  const std::int64_t outside[] = {3, 11};
  EXPECT_EQ(plain::error_of([&] { input_rows(input, view(outside, {1, 2}), 0, out); }).find("[input_stage] out must"),
            0u);
  EXPECT_EQ(plain::error_of([&] { input_rows(input, view(outside, {1, 2}), 0, model.tensors.make({1, 2, 16}, 1)); }),
            "[input_stage] ids must be in [0, 11), got 11 at [0, 1]");
}

TEST(Transformer, ReadsFeaturesAsASource) {
  plain::Model model(whole_shape);
  const auto tensor = [&](std::vector<std::int64_t> shape) {
    return ConstView(model.tensors.make(std::move(shape), 0.25));
  };
  const FeatureInput input = {{{tensor({16, 5, 3}), tensor({16}), 2, 1}}, tensor({10, 16})};
  model.transformer.source = input;
  const View in = model.tensors.make({2, 5, 9}, 1), rows = model.tensors.make({2, 5, 16}, 1),
             out = model.tensors.make({2, 5, 16}, 1);
  ASSERT_EQ(source_rows(model.transformer, in), 5);
  ASSERT_EQ(source_width(model.transformer), 16);
  const std::int64_t lengths[] = {5, 3};
  encode_source(model.transformer, in, view(lengths, {2}), out);
  features(input, in, rows);
  for (std::int64_t b = 0; b < 2; ++b) {
    const plain::Rows wanted = plain::encode(model.transformer.encoder, plain::rows_of(rows, b), lengths[b]);
    EXPECT_LT(plain::difference(out, b, wanted, lengths[b]), 0x1p-19);
  }
  EXPECT_EQ(plain::error_of([&] { encode_source(model.transformer, model.tensors.make({2, 5, 30}, 1), {}, out); }),
            "[features] in must give no more rows than the table has, 10, got 15 of 30 columns");
  const View one = model.tensors.make({5, 9}, 1), two_axes = model.tensors.make({5, 16}, 1);
  EXPECT_EQ(plain::error_of([&] { encode_source(model.transformer, one, {}, two_axes); }),
            "[encode_source] source must have shape [B, channels, T], got [5, 9]");
}

TEST(Transformer, IsAnEncoderAloneWithoutTheOtherParts) {
  plain::Model model(whole_shape);
  Transformer alone = {model.transformer.source, model.transformer.encoder};
  const std::int32_t ids[] = {1, 2, 3};
  const View out = model.tensors.make({1, 3, 16}, 1);
  EXPECT_FALSE(check_transformer(alone));
  encode_source(alone, view(ids, {1, 3}), {}, out);
  const std::int64_t wide[] = {1, 2, 3};
  EXPECT_LT(plain::difference(out, 0, plain::encode(alone.encoder, model.source_rows(wide), 3), 3), 0x1p-19);
  EXPECT_EQ(plain::error_of([&] { logits(alone, out, {}, view(wide, {1, 3}), out); }),
            "[logits] the model must have a decoder, got none");
}

TEST(Transformer, TiesItsOutputToTheEmbeddingOfTheTarget) {
  plain::Model model(whole_shape);
  model.transformer.output = Linear{model.target.rows};
  const std::int64_t ids[] = {1, 2, 3, 4, 5, 6};
  const View memory = model.tensors.make({2, 4, 16}, 1), out = model.tensors.make({2, 3, 9}, 1);
  logits(model.transformer, memory, {}, view(ids, {2, 3}), out);
  for (std::int64_t b = 0; b < 2; ++b) {
    const plain::Rows rows = plain::decode(
        *model.transformer.decoder, model.target_rows(std::span(ids).subspan(static_cast<std::size_t>(3 * b), 3)),
        plain::rows_of(memory, b), 4);
    const plain::Rows wanted =
        plain::each(rows, [&](const plain::Row& row) { return plain::linear({model.target.rows}, row); });
    EXPECT_LT(plain::difference(out, b, wanted, 3), 0x1p-19);
  }
}

TEST(Transformer, NamesThePartThatDoesNotFit) {
  plain::Model model(whole_shape);
  const auto with = [&](auto change) {
    Transformer changed = model.transformer;
    change(changed);
    const std::optional<Problem> found = check_transformer(changed);
    return found ? found->message() : "no error";
  };
  plain::Tensors& tensors = model.tensors;
  EXPECT_EQ(with([](Transformer&) {}), "no error");
  EXPECT_EQ(with([&](Transformer& t) { t.encoder.layers[1].attention.key = plain::linear(tensors, 16, 15); }),
            "[transformer] encoder layer 1 attention key weight must have shape [16, 16], got [16, 15]");
  EXPECT_EQ(with([&](Transformer& t) { t.decoder->layers[0].cross_attention.value = plain::linear(tensors, 16, 8); }),
            "[transformer] decoder layer 0 cross_attention value weight must have shape [16, 16], got [16, 8]");
  EXPECT_EQ(with([&](Transformer& t) { t.decoder->final_norm = plain::norm(tensors, 4); }),
            "[transformer] decoder final_norm weight must have shape [16], got [4]");
  EXPECT_EQ(with([&](Transformer& t) { t.output = plain::linear(tensors, 9, 15); }),
            "[transformer] output weight must have shape [9, 16], got [9, 15]");
  EXPECT_EQ(with([&](Transformer& t) { t.output = plain::linear(tensors, 10, 16); }),
            "[transformer] output must have rows for tokens that the target's embedding has, 9, got 10");
  EXPECT_EQ(
      with([](Transformer& t) { t.output = std::nullopt; }),
      "[transformer] target, decoder and output must all be there, or none of them, got target there, decoder there, "
      "output missing");
  EXPECT_EQ(with([&](Transformer& t) { std::get<TokenInput>(t.source).added = tensors.make({15}, 1); }),
            "[transformer] source added row must have shape [16], got [15]");
  EXPECT_EQ(with([&](Transformer& t) { t.target->norm = plain::norm(tensors, 15); }),
            "[transformer] target norm weight must have shape [16], got [15]");
  EXPECT_EQ(with([](Transformer& t) { t.source = FeatureInput{{}, ConstView{}}; }),
            "[features] there must be a convolution, got none");
  std::vector<double> wide(32);
  EXPECT_EQ(with([&](Transformer& t) {
              t.source = TokenInput{
                  InputStage(view(wide.data(), {2, 16}), preset("transformer").convention, {.scale = Scale::none})};
            }),
            "[transformer] source rows must be f32, got f64");

  const View memory = tensors.make({2, 4, 15}, 1), good = tensors.make({2, 4, 16}, 1), out = tensors.make({2, 3, 9}, 1);
  const std::int64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto error = [&](const ConstView& from, const ConstView& made, const View& to) {
    return plain::error_of([&] { logits(model.transformer, from, {}, made, to); });
  };
  EXPECT_EQ(error(memory, view(ids, {2, 3}), out), "[logits] memory must have the encoder's columns, 16, got 15");
  EXPECT_EQ(error(good, view(ids, {1, 3}), out), "[logits] ids must have shape [2, 3], got [1, 3]");
  EXPECT_EQ(error(good, view(ids, {2, 4}), out), "[logits] out must have shape [2, 4, 9], got [2, 3, 9]");
}

}  // namespace
}  // namespace posenc
