// SPDX-License-Identifier: Apache-2.0
// Models of images and models of several models. The numbers are those of transformers 5.23.0's own modules, as
// model_types_test.py compares them.
#include <posenc/preset.h>
#include <posenc/spec/inspect.h>

#include <numbers>

#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

std::string with_keys(std::string_view type, std::string_view keys) {
  return "{\"model_type\": \"" + std::string(type) + "\", \"hidden_size\": 768, \"num_attention_heads\": 12, " +
         "\"num_hidden_layers\": 12, \"patch_size\": 16, " + std::string(keys) + "}";
}

const PositionRole& role_of(const ModelPositions& positions, std::string_view name) {
  const PositionRole* role = find_role(positions, name);
  if (role == nullptr) throw std::runtime_error("no role " + std::string(name));
  return *role;
}

using Cells = std::vector<std::int64_t>;

TEST(Images, PatchesHaveARowEachBehindThoseOfFurtherTokens) {
  const auto rows = [](std::string_view type, std::string_view image) {
    return role_of(inspect(with_keys(type, "\"image_size\": " + std::string(image))), "embedding");
  };
  EXPECT_EQ(rows("vit", "224").rows, 197);
  EXPECT_EQ(rows("vit", "224").preset, "learned");
  EXPECT_EQ(rows("clip_vision_model", "224").rows, 197);
  EXPECT_EQ(rows("siglip_vision_model", "224").rows, 196);
  EXPECT_EQ(rows("deit", "224").rows, 198);
  EXPECT_EQ(rows("vit", "[96, 170]").cells, (Cells{6, 10}));
  EXPECT_EQ(rows("vit", "[96, 170]").rows, 61);
}

TEST(Images, BeitHasTheBiasesAndRowsThatItsKeysName) {
  const ModelPositions none = inspect(with_keys("beit", "\"image_size\": 224"));
  EXPECT_TRUE(none.parts[0].roles.empty());
  const ModelPositions all = inspect(with_keys(
      "beit", R"("image_size": 224, "use_relative_position_bias": true, "use_absolute_position_embeddings": true)"));
  EXPECT_EQ(role_of(all, "embedding").rows, 197);
  EXPECT_EQ(role_of(all, "bias").preset, "beit-window");
  EXPECT_EQ(role_of(all, "bias").cells, (Cells{14, 14}));
  EXPECT_EQ(role_of(all, "bias").heads, 12);
  EXPECT_EQ(role_of(all, "bias").layers.size(), 12u);
  const ModelPositions shared =
      inspect(with_keys("beit", R"("image_size": 224, "use_shared_relative_position_bias": true)"));
  EXPECT_EQ(role_of(shared, "bias.shared").preset, "beit-window");
}

// 384 cells over 4: stages of 96, 48, 24 and 12 lines.
TEST(Images, StagesOfSwinHaveWindowsOfTheirOwn) {
  const std::string keys = R"("image_size": 384, "embed_dim": 96, "depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24],
      "window_size": 24, "pretrained_window_sizes": [12, 12, 12, 6], "num_layers": 4)";
  const ModelPositions found = inspect("{\"model_type\": \"swinv2\", \"patch_size\": 4, " + keys + "}");
  const PositionRole &third = role_of(found, "bias.stage3"), &last = role_of(found, "bias.stage4");
  EXPECT_EQ(found.parts[0].layers, 12);
  EXPECT_EQ(third.cells, (Cells{24, 24}));
  EXPECT_EQ(third.heads, 12);
  EXPECT_EQ(third.layers, (Cells{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(last.cells, (Cells{12, 12}));
  const auto pretrained = [](const PositionRole& role) {
    const auto& logarithm = std::get<NormalisedLogarithm>(std::get<LogCoordinates>(*role.convention).coordinates);
    return std::get<std::vector<std::int64_t>>(logarithm.pretrained);
  };
  EXPECT_EQ(pretrained(third), (Cells{12, 12}));
  EXPECT_EQ(pretrained(last), (Cells{6, 6}));
  EXPECT_EQ(inspect(to_json(found)), found);
}

TEST(Images, DinoV3TurnsByTheCentresOfPatches) {
  const ModelPositions found = inspect(with_keys("dinov3_vit", "\"image_size\": 224"));
  const PositionRole& role = role_of(found, "rotary");
  EXPECT_EQ(role.preset, "rope2d-dinov3");
  EXPECT_EQ(role.head, 64);
  ASSERT_EQ(role.frequencies[0].values.size(), 32u);
  EXPECT_EQ(role.frequencies[0].values[0], 2 * std::numbers::pi);
  EXPECT_EQ(role.frequencies[0].values[16], 2 * std::numbers::pi);
  EXPECT_NEAR(role.frequencies[0].values[8], 2 * std::numbers::pi / 10, 1e-15);  // 100^(-8 / 16) turns
  EXPECT_EQ(role.magnitude, 1);
  EXPECT_EQ(role.layers.size(), 12u);
  const ModelPositions other = inspect(with_keys("dinov3_vit", "\"image_size\": 224, \"rope_theta\": 50"));
  EXPECT_EQ(role_of(other, "rotary").preset, "");
  for (const ModelPositions& each : {found, other}) {
    EXPECT_EQ(role_of(each, "rotary").places, preset("rope2d-dinov3").places);
    EXPECT_NE(to_string(each).find("first 0.5, divisor count"), std::string::npos);
    EXPECT_EQ(inspect(to_json(each)), each);
  }
}

TEST(Images, ClipIsAModelOfTextsAndOneOfImages) {
  const ModelPositions clip = inspect(R"({"model_type": "clip",
      "text_config": {"hidden_size": 512, "max_position_embeddings": 77},
      "vision_config": {"hidden_size": 768, "image_size": 224, "patch_size": 32}})");
  ASSERT_EQ(clip.parts.size(), 2u);
  EXPECT_EQ(clip.parts[0].model_type, "clip_text_model");
  EXPECT_EQ(clip.parts[1].model_type, "clip_vision_model");
  EXPECT_EQ(role_of(clip, "text.embedding").rows, 77);
  EXPECT_EQ(role_of(clip, "vision.embedding").rows, 50);
}

const std::string omni_text = R"({"hidden_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 2,
    "max_position_embeddings": 32768, "head_dim": 128, "rope_scaling":
    {"mrope_section": [24, 20, 20], "interleaved": true, "rope_type": "default", "type": "default"}, )";

const std::string omni = R"({"model_type": "qwen3_omni_moe",
    "thinker_config": {"model_type": "qwen3_omni_moe_thinker", "position_id_per_seconds": 13,
      "text_config": )" + omni_text +
                         R"("model_type": "qwen3_omni_moe_text"},
      "vision_config": {"hidden_size": 1152, "num_heads": 16, "depth": 27, "num_position_embeddings": 2304},
      "audio_config": {"d_model": 1280, "max_source_positions": 1500, "encoder_layers": 32}},
    "talker_config": {"text_config": )" +
                         omni_text + R"("model_type": "qwen3_omni_moe_talker_text"},
      "code_predictor_config": {"hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 5}},
    "code2wav_config": {"model_type": "", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 8}})";

TEST(Images, PartsOfPartsOfQwen3OmniHaveBothNames) {
  const ModelPositions found = inspect(omni);
  std::vector<std::string> names, types;
  for (const ModelPart& part : found.parts) names.push_back(part.name), types.push_back(part.model_type);
  EXPECT_EQ(names, (std::vector<std::string>{"thinker.text", "thinker.vision", "thinker.audio", "talker.text",
                                             "talker.code_predictor", "code2wav"}));
  EXPECT_EQ(types, (std::vector<std::string>{"qwen3_omni_moe_text", "qwen3_omni_moe_vision_encoder",
                                             "qwen3_omni_moe_audio_encoder", "qwen3_omni_moe_talker_text",
                                             "qwen3_omni_moe_talker_code_predictor", "qwen3_omni_moe_code2wav"}));
  EXPECT_EQ(std::get<Rotary>(*role_of(found, "thinker.text.rotary").convention).axes.size(), 3u);
  const auto base = [&](std::string_view role) {
    return std::get<Geometric>(std::get<Rotary>(*role_of(found, role).convention).ladders[0]).base;
  };
  EXPECT_EQ(base("thinker.text.rotary"), 1e6);
  EXPECT_EQ(base("talker.text.rotary"), 10000);
  EXPECT_EQ(role_of(found, "thinker.vision.rotary").preset, "rope2d-qwen-vision");
  EXPECT_EQ(role_of(found, "thinker.vision.embedding").rows, 2304);
  EXPECT_EQ(role_of(found, "thinker.audio.embedding").preset, "whisper");
  EXPECT_TRUE(found.notes.empty()) << found.notes[0];
  EXPECT_EQ(inspect(to_json(found)), found);
  EXPECT_EQ(inspect(omni, {.part = "talker"}).parts.size(), 2u);
  EXPECT_EQ(inspect(omni, {.part = "talker.text"}).parts.size(), 1u);
}

// The published file, and as transformers wrote it for a while: with the type of the whole in its part, or its own.
std::vector<std::string> spellings_of(const std::filesystem::path& path, const std::string& own) {
  const std::string text = text_of(path), key = "\"vision_config\": {";
  const std::string whole = tree_of(text).find("model_type")->text();
  std::vector<std::string> all = {text};
  for (const std::string& type : {whole, own}) {
    std::string typed = text;
    all.push_back(typed.insert(text.find(key) + key.size(), "\"model_type\": \"" + type + "\","));
  }
  return all;
}

void expect_turned(const ModelPositions& found, const JsonTree& wanted) {
  const PositionRole& role = role_of(found, "vision.rotary");
  const Rotary& rotary = std::get<Rotary>(*role.convention);
  EXPECT_EQ(role.preset, "rope2d-qwen-vision");
  EXPECT_EQ(rotary.axes, (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(std::get<Geometric>(rotary.ladders[0]).base, wanted.find("base")->number());
  EXPECT_EQ(static_cast<double>(*role.head), wanted.find("head")->number());
  EXPECT_EQ(role.rotated, role.head);
  EXPECT_EQ(static_cast<double>(role.layers.size()), wanted.find("layers")->number());
  const JsonTree& axis = *wanted.find("inv_freq");
  const std::vector<double>& ours = role.frequencies[0].values;
  ASSERT_EQ(ours.size(), 2 * axis.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {  // of y, then of x, within 4 steps of f32
    EXPECT_NEAR(ours[i], axis.items()[i % axis.size()].number(), 4 * 0x1p-23 * ours[i]);
  }
}

TEST(Images, TowersOfPublishedModelsTurnAsTheirOwnModulesDo) {
  std::size_t files = 0;
  for (const auto& path : configurations("images")) {
    SCOPED_TRACE(path.filename());
    const JsonTree wanted = expectation(path);
    const std::string type = wanted.find("model_type")->text();
    for (const std::string& text : spellings_of(path, type)) {
      const ModelPositions found = inspect(text);
      ASSERT_EQ(found.parts.size(), 2u);
      EXPECT_EQ(found.parts[1].model_type, type);
      expect_turned(found, wanted);
      EXPECT_TRUE(found.notes.empty()) << found.notes[0];
      EXPECT_EQ(inspect(to_json(found)), found);
      ++files;
    }
  }
  EXPECT_EQ(files, 9u);
}

// hidden_size of Qwen2-VL's part is the text's width, which need not be there; that of Qwen2.5-VL's is its own.
TEST(Images, TheWidthOfAQwenTowerIsItsOwn) {
  const std::string text = R"("hidden_size": 3584, "num_attention_heads": 28, "num_hidden_layers": 28,
      "max_position_embeddings": 32768, "vision_config": )";
  const ModelPositions found =
      inspect(R"({"model_type": "qwen2_vl", )" + text + R"({"depth": 32, "embed_dim": 1280, "num_heads": 16}})");
  EXPECT_EQ(role_of(found, "vision.rotary").head, 80);
  EXPECT_EQ(role_of(found, "rotary").head, 128);
  // An unstated size is the default of the class, embed_dim 1280 and hidden_size 3584.
  for (const auto& [type, head] : {std::pair("qwen2_vl", 80), std::pair("qwen2_5_vl", 224)}) {
    const ModelPositions unstated =
        inspect("{\"model_type\": \"" + std::string(type) + "\", " + text + "{\"num_heads\": 16}}");
    EXPECT_EQ(role_of(unstated, "vision.rotary").head, head);
  }
}

std::string whole_of(std::string_view type, std::string_view part_key, std::string_view part) {
  std::string text = "{\"model_type\": \"" + std::string(type) + "\", \"" + std::string(part_key) + "\": {";
  text += part;
  return text +
         R"("depth": 2}, "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 2, "image_size": 224,
      "max_position_embeddings": 512, "patch_size": 16, "max_source_positions": 8, "max_target_positions": 8,
      "qk_rope_head_dim": 32, "qk_nope_head_dim": 32, "n_heads": 16, "d_model": 1024, "num_heads": 16, "n_head": 16,
      "position_buckets": 32})";
}

// A part without a row has no role, and is missing: what the text has is no guess of it.
void expect_no_role(const ModelPositions& found, const std::string& part, const std::string& pointer) {
  for (const ModelPart& each : found.parts) EXPECT_NE(each.name, part);
  const auto missing = std::ranges::find(found.missing, part, &MissingPositions::name);
  ASSERT_NE(missing, found.missing.end());
  EXPECT_TRUE(missing->why.starts_with(pointer + " is not read: ")) << missing->why;
  EXPECT_TRUE(missing->why.ends_with(" has no row for " + part)) << missing->why;
}

// Their towers have rows.
constexpr std::string_view of_several[] = {"qwen2_vl",     "qwen2_5_vl", "qwen3_vl",
                                           "qwen3_vl_moe", "glm4v",      "glm4v_moe",
                                           "clip",         "siglip",     "qwen3_omni_moe_thinker",
                                           "llava",        "llava_next", "llava_next_video",
                                           "video_llava",  "vipllava",   "gemma3"};

TEST(Images, APartHasNoRoleOfTheText) {
  const std::string usual = R"("hidden_size": 768, "num_attention_heads": 12, "image_size": 224, "patch_size": 16, )";
  std::size_t checked = 0;
  for (const std::string_view type : model_types()) {
    if (std::ranges::find(of_several, type) != std::end(of_several)) continue;
    SCOPED_TRACE(type);
    if (check_inspect(whole_of(type, "other", ""))) continue;  // it needs other keys
    const std::string own = "\"model_type\": \"" + std::string(type) + "\", ";
    for (const std::string& part : {std::string(), usual, own, own + usual}) {
      expect_no_role(inspect(whole_of(type, "vision_config", part)), "vision", "/vision_config");
      expect_no_role(inspect(whole_of(type, "audio_config", part)), "audio", "/audio_config");
    }
    ++checked;
  }
  EXPECT_GE(checked, 190u);
}

TEST(Images, ATypeThatIsStatedByHandIsNoneOfItsParts) {
  const std::string text = R"({"model_type": "idefics", "hidden_size": 4096, "num_attention_heads": 32,
      "vision_config": {"model_type": "idefics", "hidden_size": 1280, "num_attention_heads": 16}})";
  expect_no_role(inspect(text), "vision", "/vision_config");
  expect_no_role(inspect(text, {.as = "llama"}), "vision", "/vision_config");
  std::string nested = text;  // a text in it is none of the whole's
  expect_no_role(inspect(nested.insert(nested.rfind('}') - 1, ", \"text_config\": {\"hidden_size\": 768}")), "vision",
                 "/vision_config");
  // A model of several is no row of a part: gemma3's is that of its text.
  std::string other = text;
  expect_no_role(inspect(other.replace(other.rfind("idefics"), 7, "gemma3")), "vision", "/vision_config");
}

TEST(Images, WhatIsWrongIsNamed) {
  const std::pair<std::string, std::string_view> cases[] = {
      {with_keys("vit", "\"image_size\": 8"), "/patch_size must be no more than /image_size"},
      {with_keys("vit", "\"image_size\": [224]"), "/image_size must be a number, or a list of height and width"},
      {with_keys("vit", "\"image_size\": 0"), "/image_size must be from 1"},
      {with_keys("swinv2", R"("image_size": 224, "window_size": 7, "depths": [2, 2], "num_heads": [3])"),
       "/num_heads must be a list of 2 numbers, as /depths is"},
      {with_keys("swinv2", R"("image_size": 16, "window_size": 7, "depths": [2, 2], "num_heads": [3, 6])"),
       "/depths must be of stages to which /image_size over /patch_size leaves cells"},
      {with_keys("swinv2", R"("image_size": 224, "window_size": 7, "depths": [2], "num_heads": [3],
                 "pretrained_window_sizes": [1])"),
       "/pretrained_window_sizes/0 must be 0, or 2 or more"},
      {with_keys("dinov3_vit", R"("image_size": 224, "rope_theta": 0)"), "/rope_theta must be"},
      {R"({"model_type": "dinov3_vit", "hidden_size": 72, "num_attention_heads": 12})",
       "/hidden_size over /num_attention_heads must give a head that turns"},
      {R"({"model_type": "qwen3_omni_moe"})", "/thinker_config, /talker_config, /code2wav_config must be stated"},
      {R"({"model_type": "clip", "text_config": {"hidden_size": 8, "max_position_embeddings": 7},
           "llm_config": {"hidden_size": 8, "max_position_embeddings": 7}})",
       "/llm_config must be the one configuration of text"}};
  for (const auto& [text, words] : cases) {
    const auto problem = check_inspect(text);
    ASSERT_TRUE(problem) << text;
    EXPECT_NE(problem->message().find(words), std::string::npos) << problem->message();
  }
}

}  // namespace
}  // namespace posenc
