// SPDX-License-Identifier: Apache-2.0
// Unknown types are refused; unread parts of known ones are data.
#include <posenc/spec/inspect.h>

#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

const std::string usual = R"("hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
    "max_position_embeddings": 32)";
const std::string image = R"("hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "image_size": 32,
    "patch_size": 8)";

std::string text_part(std::string_view type) {
  return R"("text_config": {"model_type": ")" + std::string(type) + "\", " + usual + "}";
}
std::string vision_part(std::string_view type) {
  return R"("vision_config": {"model_type": ")" + std::string(type) + "\", " + image + "}";
}
std::string of_type(std::string_view type, const std::string& keys) {
  return "{\"model_type\": \"" + std::string(type) + "\", " + keys + "}";
}

std::vector<std::string> names_of_missing(const ModelPositions& found) {
  std::vector<std::string> names;
  for (const MissingPositions& each : found.missing) names.push_back(each.name);
  return names;
}

using Names = std::vector<std::string>;

// Each was once answered without its text, by its images alone, or by nothing.
TEST(Missing, AnUnknownTypeIsRefusedWhateverPartsItHas) {
  for (const char* type : {"minicpmv", "something_new", "git", "sam", "sam2", "sam3_tracker", "sam_hq", "edgetam",
                           "musicgen", "musicgen_melody", "slanext", "omniasr_ctc", "nemotron3_diarization",
                           "pe_video_encoder", "pe_audio_video_encoder"}) {
    for (const std::string& part : {vision_part("siglip_vision_model"), vision_part("no_such"),
                                    R"("audio_config": {"hidden_size": 8})" + std::string(),
                                    R"("decoder": {"model_type": "bert", )" + usual + "}"}) {
      const auto problem = check_inspect(of_type(type, usual + ", \"rope_theta\": 1000000.0, " + part));
      ASSERT_TRUE(problem) << type << part;
      EXPECT_TRUE(problem->rule.starts_with("/model_type must be one that has a row")) << problem->message();
    }
  }
}

// A part that is asked for by name is read by its own type.
TEST(Missing, APartOfAnUnknownTypeIsReadWhereItIsAskedFor) {
  const std::string config = of_type("minicpmv", usual + ", " + vision_part("siglip_vision_model"));
  const ModelPositions found = inspect(config, {.part = "vision"});
  EXPECT_EQ(find_role(found, "vision.embedding")->rows, 16);
  EXPECT_TRUE(found.missing.empty());
}

TEST(Missing, OfAnUnknownTypeWithATextTheWholeIsMissing) {
  const ModelPositions found = inspect(of_type("something_new", text_part("llama")));
  EXPECT_NE(find_role(found, "text.rotary"), nullptr);
  ASSERT_EQ(names_of_missing(found), Names{""});
  EXPECT_EQ(found.missing[0].why, "model type 'something_new' has no row: its parts alone are read");
}

TEST(Missing, AKnownModelWhosePartsAreReadIsWhole) {
  const ModelPositions llava = inspect(of_type("llava", text_part("llama") + ", " + vision_part("clip_vision_model")));
  EXPECT_TRUE(llava.missing.empty());
  EXPECT_EQ(find_role(llava, "vision.embedding")->rows, 17);
  const std::string stack = R"({"model_type": "bert", )" + usual + "}";
  const ModelPositions two = inspect(of_type("encoder-decoder", "\"encoder\": " + stack + ", \"decoder\": " + stack));
  EXPECT_TRUE(two.missing.empty());
  EXPECT_EQ(two.parts.size(), 2u);
}

TEST(Missing, AnUnreadPartIsNamedAndARoleOfAnotherIsAnswered) {
  const ModelPositions found = inspect(of_type("mistral3", text_part("mistral") + ", " + vision_part("pixtral")));
  ASSERT_EQ(names_of_missing(found), Names{"vision"});
  EXPECT_EQ(found.missing[0].why, "/vision_config is not read: model type 'pixtral' has no row for vision");
  EXPECT_NE(find_role(found, "rotary"), nullptr);
  const auto problem = check_role(found, "vision.rotary");
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->rule.find("text.embedding, as /vision_config is not read"), std::string::npos) << problem->rule;
  EXPECT_NE(to_string(found).find("\nmissing: vision: /vision_config is not read"), std::string::npos);
  const ModelPositions text =
      inspect(of_type("mistral3", text_part("mistral") + ", " + vision_part("pixtral")), {.part = "text"});
  EXPECT_TRUE(text.missing.empty());
}

TEST(Missing, APartThatNoKeyHoldsIsMissingUnlessItIsSwitchedOff) {
  EXPECT_EQ(names_of_missing(inspect(of_type("llava", text_part("llama")))), Names{"vision"});
  EXPECT_EQ(names_of_missing(inspect(of_type("paligemma", vision_part("siglip_vision_model")))), Names{"text"});
  const std::string thinker = R"("thinker_config": {"model_type": "qwen3_omni_moe_thinker",
      "text_config": {)" + usual +
                              R"(, "model_type": "qwen3_omni_moe_text"}})";
  EXPECT_EQ(names_of_missing(inspect(of_type("qwen3_omni_moe", thinker))),
            (Names{"thinker.vision", "thinker.audio", "talker", "code2wav"}));
  EXPECT_EQ(names_of_missing(inspect(of_type("qwen3_omni_moe", thinker + ", \"enable_audio_output\": false"))),
            (Names{"thinker.vision", "thinker.audio"}));
}

TEST(Missing, ModelsUnderOtherKeysAreMissing) {
  const auto missing = [](const std::string& keys, std::string_view type = "llama") {
    return names_of_missing(inspect(of_type(type, usual + ", " + keys)));
  };
  EXPECT_EQ(missing(R"("depth_decoder_config": {"model_type": "csm_depth_decoder_model"})", "csm"),
            (Names{"depth_decoder", "codec"}));
  EXPECT_EQ(missing(R"("tower_config": {"hidden_size": 8, "num_attention_heads": 2})"), Names{"tower"});
  EXPECT_EQ(missing(R"("text_encoder": {"model_type": "t5"})"), Names{"text_encoder"});
  EXPECT_EQ(missing(R"("vq_config": {"model_type": "chameleon_vqgan", "hidden_size": 8, "d_model": 8})", "chameleon"),
            Names{});
  EXPECT_EQ(missing(R"("ffn_config": {"model_type": "", "hidden_size": 8}, "quantization_config": {"bits": 4})"),
            Names{});
  EXPECT_EQ(missing(R"("text_config": {"model_type": "llama", )" + usual +
                        R"(, "speech_config": {"model_type": "x"}, "vision_config": {"hidden_size": 8}})",
                    "gemma3"),
            (Names{"text.speech", "text.vision", "vision"}));
}

TEST(Missing, ARoleThatIsNotReadIsMissing) {
  const ModelPositions found = inspect(R"({"model_type": "swin", "image_size": 16, "patch_size": 4, "depths": [1],
      "num_heads": [1], "window_size": 3, "use_absolute_embeddings": true})");
  EXPECT_EQ(names_of_missing(found), Names{"embedding"});
  const std::string t5 = R"("num_heads": 8, "d_model": 512, "encoder_attention_type": )";
  EXPECT_EQ(names_of_missing(inspect(of_type("longt5", t5 + "\"transient-global\""))), Names{"bias.global"});
  EXPECT_EQ(names_of_missing(inspect(of_type("longt5", t5 + "\"local\""))), Names{});
}

TEST(Missing, StandsInTheJsonAndInWhatDiffers) {
  const ModelPositions found = inspect(of_type("mistral3", text_part("mistral") + ", " + vision_part("pixtral")));
  const std::string json = to_json(found);
  EXPECT_NE(json.find(R"("missing": [{"name": "vision", "why": "/vision_config is not read)"), std::string::npos)
      << json;
  EXPECT_EQ(inspect(json), found);
  ModelPositions whole = found;
  whole.missing.clear();
  EXPECT_EQ(differences(found, whole).size(), 1u);
  // A document from before the key was there says nothing of it.
  std::string old = json;
  const std::size_t begin = old.find("\"missing\": "), end = old.find("\"unread\": ");
  EXPECT_EQ(inspect(old.erase(begin, end - begin)), whole);
  EXPECT_TRUE(check_inspect(R"({"posenc_model_positions": 1, "missing": [{"name": "a"}]})"));
}

// Its pairs and defaults are those of its own code.
TEST(Missing, ParamsOfAModelsOwnCodeAreNoConfiguration) {
  for (const char* text : {R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "head_dim": 128})",
                           R"({"dim": 7168, "n_heads": 128, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64})"}) {
    for (const char* as : {"", "llama", "mistral", "deepseek_v3"}) {
      const auto problem = check_inspect(text, {.as = as});
      ASSERT_TRUE(problem) << text << as;
      EXPECT_EQ(problem->rule, "must be a config.json of transformers, not the params.json of the model's own code");
    }
  }
}

}  // namespace
}  // namespace posenc
