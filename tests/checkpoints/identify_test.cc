// SPDX-License-Identifier: Apache-2.0
// What identify_file says of the models of others: the tables that they store are named, what they have learned is not.
#include <gtest/gtest.h>
#include <posenc/io/identify_file.h>

#include <algorithm>

#include "tests/checkpoints/reference.h"

namespace posenc::checkpoints {
namespace {

io::FileIdentification said_of(const std::string& model) {
  return io::identify_file(model_folder(model) + "/model.safetensors");
}

const io::TensorIdentification& tensor_of(const io::FileIdentification& said, std::string_view name) {
  const auto found = std::ranges::find(said.tensors, name, &io::TensorIdentification::name);
  EXPECT_NE(found, said.tensors.end()) << name;
  return *found;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

TEST(IdentifyModels, NamesTheTransliteratorsTableAndItsArithmetic) {
  const io::FileIdentification said = said_of("tg2fa");
  const Identification& found = *tensor_of(said, "positional_encoding.pos_embedding").found;
  ASSERT_FALSE(found.candidates.empty());
  const Candidate& table = found.candidates.front();
  EXPECT_TRUE(has(table.presets, "pytorch"));
  EXPECT_EQ(table.form, "table");
  EXPECT_EQ(table.width, 64);
  EXPECT_EQ(table.extents, (std::vector<std::int64_t>{5000}));
  EXPECT_EQ(table.places.at(0).first, 0);
  // By exp in f32; its PyTorch has two frequencies a last place off, which is 2.4e-4 in row 4999.
  EXPECT_EQ(table.recipe, "f32-exp");
  EXPECT_GT(table.by_recipe.share(), 0.9);
  EXPECT_LT(table.exact.share(), 0.2);
  EXPECT_LT(table.exact.difference, 5e-4);
}

TEST(IdentifyModels, NamesWhispersTableToTheBitAndNotWhatItsDecoderHasLearned) {
  const io::FileIdentification said = said_of("whisper");
  const Identification& encoder = *tensor_of(said, "encoder/position_encodings/encodings").found;
  ASSERT_FALSE(encoder.candidates.empty());
  EXPECT_TRUE(has(encoder.candidates.front().presets, "whisper"));
  EXPECT_EQ(encoder.candidates.front().by_recipe.share(), 1);
  EXPECT_EQ(encoder.candidates.front().extents, (std::vector<std::int64_t>{1500}));
  EXPECT_TRUE(tensor_of(said, "decoder/position_encodings/encodings").found->candidates.empty());
}

TEST(IdentifyModels, SaysOfALearnedTableThatItIsNone) {
  const io::FileIdentification said = said_of("minilm");
  for (const io::TensorIdentification& each : said.tensors) {
    EXPECT_TRUE(!each.found || each.found->candidates.empty()) << each.name;
  }
}

}  // namespace
}  // namespace posenc::checkpoints
