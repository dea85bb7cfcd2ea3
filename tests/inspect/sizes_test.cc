// SPDX-License-Identifier: Apache-2.0
// Sizes that no key states are those of the model type, and what published files write is read: numbers that
// transformers 5.24.0 computes from the same text.
#include <posenc/spec/inspect.h>

#include <cmath>

#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

const PositionRole& role_called(const ModelPositions& found, std::string_view name) {
  const PositionRole* role = find_role(found, name);
  if (role == nullptr) throw std::runtime_error("no role " + std::string(name));
  return *role;
}

const std::vector<double>& frequencies_of(const ModelPositions& found, std::string_view name) {
  return role_called(found, name).frequencies.at(0).values;
}

std::string source_of(const ModelPositions& found, std::string_view number) {
  const auto own = std::ranges::find(found.from, number, &NumberSource::number);
  return own == found.from.end() ? "nowhere" : own->key;
}

// Two values of f32 that differ by its rounding alone.
void expect_near(double ours, double theirs) { EXPECT_NEAR(ours, theirs, 4 * 0x1p-23 * theirs); }

TEST(Sizes, OfAFileOfDifferencesAreThoseOfTheType) {
  const ModelPositions llava = inspect(R"({"model_type": "llava",
      "text_config": {"model_type": "llama", "max_position_embeddings": 4096, "vocab_size": 32064},
      "vision_config": {"model_type": "clip_vision_model", "hidden_size": 1024, "image_size": 336, "patch_size": 14,
                        "num_attention_heads": 16, "num_hidden_layers": 24}})");
  EXPECT_EQ(frequencies_of(llava, "text.rotary").size(), 64u);
  expect_near(frequencies_of(llava, "text.rotary")[1], 0.8659643530845642);
  EXPECT_EQ(source_of(llava, "/parts/text/roles/rotary/width/head"), "default of llama, not stated");
  EXPECT_EQ(role_called(llava, "vision.embedding").rows, 577);
  EXPECT_EQ(role_called(llava, "vision.embedding").width, 1024);

  const ModelPositions siglip = inspect(R"({"model_type": "siglip", "text_config": {"model_type": "siglip_text_model"},
      "vision_config": {"model_type": "siglip_vision_model"}})");
  EXPECT_EQ(role_called(siglip, "text.embedding").rows, 64);
  EXPECT_EQ(role_called(siglip, "text.embedding").width, 768);
  EXPECT_EQ(role_called(siglip, "vision.embedding").rows, 196);
  EXPECT_EQ(role_called(siglip, "vision.embedding").width, 768);
  EXPECT_EQ(source_of(siglip, "/parts/vision/roles/embedding/width/rows"),
            "default of siglip_vision_model, not stated");
}

TEST(Sizes, OneThatIsStatedGoesBeforeTheDefault) {
  const ModelPositions found = inspect(R"({"model_type": "llama", "num_attention_heads": 64})");
  EXPECT_EQ(role_called(found, "rotary").head, 64);
  EXPECT_EQ(source_of(found, "/roles/rotary/width/head"), "default of llama, not stated over /num_attention_heads");
  EXPECT_TRUE(check_inspect(R"({"model_type": "llama", "hidden_size": null})"));
}

// Its heads are 128 wide whatever its width is; null asks for the quotient.
TEST(Sizes, AHeadThatTheClassStatesIsNoQuotient) {
  const std::string rest = R"("hidden_size": 2048, "num_attention_heads": 32)";
  EXPECT_EQ(role_called(inspect(R"({"model_type": "internlm3", )" + rest + "}"), "rotary").head, 128);
  EXPECT_EQ(role_called(inspect(R"({"model_type": "internlm3", "head_dim": null, )" + rest + "}"), "rotary").head, 64);
  EXPECT_EQ(role_called(inspect(R"({"model_type": "cohere2", )" + rest + "}"), "rotary").head, 64);
}

TEST(Sizes, OfATypeThatIsStatedByHandAreNotGuessed) {
  const auto problem = check_inspect(R"({"num_attention_heads": 32})", {.as = "llama"});
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->rule.find("/hidden_size, /n_embd, /d_model, /dim must be stated"), std::string::npos)
      << problem->message();
}

TEST(Sizes, HaveTheOtherNamesThatTheTypeHas) {
  const ModelPositions mpt = inspect(R"({"model_type": "mpt", "hidden_size": 512, "num_attention_heads": 8,
      "num_hidden_layers": 2, "attn_config": {"alibi": true}})");
  EXPECT_EQ(role_called(mpt, "bias").heads, 8);
  EXPECT_EQ(source_of(mpt, "/roles/bias/width/heads"), "/num_attention_heads");
  const ModelPositions t5 = inspect(R"({"model_type": "t5", "num_attention_heads": 12})");
  EXPECT_EQ(role_called(t5, "bias.encoder").heads, 12);
  const auto twice = check_inspect(R"({"model_type": "mpt", "n_heads": 8, "num_attention_heads": 4,
      "attn_config": {"alibi": true}})");
  EXPECT_FALSE(twice && twice->rule.find("/n_heads") == std::string::npos) << twice->message();
}

// ---- what published files write ------------------------------------------------------------------------

TEST(PublishedFiles, KeysOfTrainingSayNothing) {
  const ModelPositions bloom =
      inspect(R"({"model_type": "bloom", "hidden_size": 1024, "n_head": 16, "n_layer": 24, "offset_alibi": 100})");
  EXPECT_EQ(role_called(bloom, "bias").heads, 16);
  EXPECT_TRUE(bloom.notes.empty());
  for (const std::string key : {"reset_position_ids", "dropout_positions", "memory_attention_rope_dropout"}) {
    EXPECT_TRUE(inspect("{\"model_type\": \"llama\", \"" + key + "\": 1}").notes.empty()) << key;
  }
}

TEST(PublishedFiles, KeysOfOtherTypesAreNotes) {
  for (const std::string key : {"positional_encoding_temperature", "out_point_positions2D", "use_rotary_embedding"}) {
    const std::vector<std::string> wanted = {"/" + key + " is not read for llama"};
    EXPECT_EQ(inspect("{\"model_type\": \"llama\", \"" + key + "\": 20}").notes, wanted);
  }
  const auto unknown = check_inspect(R"({"model_type": "llama", "rope_condense_ratio": 8})");
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->rule.find("/rope_condense_ratio"), std::string::npos) << unknown->message();
}

TEST(PublishedFiles, KeysOfInnerObjectsAreChecked) {
  const auto mpt = [](const std::string& keys) {
    return R"({"model_type": "mpt", "attn_config": {"alibi": true, )" + keys + "}}";
  };
  const auto unknown = check_inspect(mpt(R"("rope_dail_config": {"type": "original"})"));
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->rule.find("/attn_config/rope_dail_config"), std::string::npos) << unknown->message();
  const auto notes = inspect(mpt(R"("alibi_bias_max": 8, "rope_theta": 10000)")).notes;
  EXPECT_EQ(notes, std::vector<std::string>{"/attn_config/rope_theta is not read for mpt"});
  // A name of weights is no key of positions.
  EXPECT_FALSE(check_inspect(R"({"model_type": "llama", "quantization_config": {"rotary_emb": {"bits": 4}}})"));
}

TEST(PublishedFiles, NomicsKeysOfItsOwnCodeAreRead) {
  const std::string text = R"({"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_layer": 12,
      "n_positions": 8192, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0, "max_trained_positions": 2048)";
  const ModelPositions found = inspect(text + "}");
  EXPECT_EQ(frequencies_of(found, "rotary").size(), 32u);
  expect_near(frequencies_of(found, "rotary")[1], std::pow(1000.0, -1 / 32.0));
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(inspect(text + R"(, "rotary_scaling_factor": 2})").notes,
            std::vector<std::string>{"/rotary_scaling_factor is not read for nomic_bert"});
}

TEST(PublishedFiles, HunyuansAlphaIsOfTheBase) {
  const auto text = [](const std::string& type, const std::string& alpha) {
    return "{\"model_type\": \"" + type + R"(", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128,
      "max_position_embeddings": 262144, "rope_theta": 10000.0, "rope_scaling": {"type": "dynamic", "alpha": )" +
           alpha + R"(, "factor": 1.0}})";
  };
  for (const std::string type : {"hunyuan_v1_dense", "hunyuan_v1_moe"}) {
    const ModelPositions found = inspect(text(type, "1000.0"));
    expect_near(frequencies_of(found, "rotary")[1], 0.7760343551635742);
    expect_near(frequencies_of(found, "rotary").back(), 1.1547820122e-07);
    EXPECT_EQ(role_called(found, "rotary").magnitude, 1);
    EXPECT_TRUE(found.notes.empty() && found.regimes.empty());
    EXPECT_EQ(source_of(found, "/roles/rotary/convention/ladders/0/scaling/factor"), "/rope_scaling/alpha");
  }
  EXPECT_EQ(inspect(text("hunyuan_v1_dense", "null")).regimes, std::vector<std::int64_t>{262144});
  EXPECT_EQ(inspect(text("llama", "1000.0")).notes,
            std::vector<std::string>{"/rope_scaling/alpha is not read for llama"});
}

TEST(PublishedFiles, LayersHaveTheirNamesOfBefore) {
  const ModelPositions granite = inspect(R"({"model_type": "granitemoehybrid", "hidden_size": 1536,
      "num_attention_heads": 12, "num_hidden_layers": 4, "position_embedding_type": "rope",
      "layer_types": ["mamba", "attention", "mamba", "attention"]})");
  EXPECT_EQ(role_called(granite, "rotary").layers, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(granite.parts[0].without, (std::vector<std::int64_t>{0, 2}));
}

TEST(PublishedFiles, BambasLayersOfAttentionAreListed) {
  const std::string text = R"({"model_type": "bamba", "hidden_size": 4096, "num_attention_heads": 32,
      "num_hidden_layers": 32, "attn_rotary_emb": 64, "rope_theta": 10000.0)";
  const ModelPositions found = inspect(text + R"(, "attn_layer_indices": [9, 18, 27]})");
  EXPECT_EQ(frequencies_of(found, "rotary").size(), 32u);
  EXPECT_EQ(role_called(found, "rotary").layers, (std::vector<std::int64_t>{9, 18, 27}));
  EXPECT_EQ(found.parts[0].without.size(), 29u);
  EXPECT_EQ(find_role(inspect(text + "}"), "rotary"), nullptr);
  EXPECT_TRUE(check_inspect(text + R"(, "attn_layer_indices": [32]})"));
}

TEST(PublishedFiles, MlxTurnsNeighboursUnderRopeTraditional) {
  const auto pairing = [](const std::string& keys) {
    const ModelPositions found = inspect(R"({"model_type": "qwen2", "rope_theta": 1000000.0)" + keys + "}");
    return std::get<Rotary>(*role_called(found, "rotary").convention).pairing;
  };
  EXPECT_EQ(pairing(""), Pairing::split_half);
  EXPECT_EQ(pairing(R"(, "rope_traditional": false)"), Pairing::split_half);
  EXPECT_EQ(pairing(R"(, "rope_traditional": true)"), Pairing::adjacent);
  EXPECT_TRUE(inspect(R"({"model_type": "qwen2", "rope_traditional": false})").notes.empty());
}

TEST(PublishedFiles, FactorsOfOtherReadersAreNotesUnlessTheyAreOne) {
  const auto yarn = [](const std::string& keys) {
    return inspect(R"({"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
        "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
        "original_max_position_embeddings": 32768)" +
                   keys + "}}");
  };
  const ModelPositions found = yarn(R"(, "attn_factor": 1.0, "extrapolation_factor": 1.0)");
  EXPECT_NEAR(*role_called(found, "rotary").magnitude, 1.138629436111989, 1e-15);
  EXPECT_TRUE(found.notes.empty());
  const std::vector<std::string> noted = yarn(R"(, "attn_factor": 2)").notes;
  EXPECT_EQ(noted, std::vector<std::string>{
                       "/rope_scaling/attn_factor is not read for qwen2; vLLM multiplies the magnitude with it"});
}

TEST(PublishedFiles, DeepSeekWithoutLatentAttentionHasPlainHeads) {
  const ModelPositions found = inspect(R"({"model_type": "deepseek_v2", "hidden_size": 1280,
      "num_attention_heads": 10, "num_hidden_layers": 12, "use_mla": false, "qk_nope_head_dim": 0,
      "qk_rope_head_dim": 0, "v_head_dim": 0, "max_position_embeddings": 4096})");
  EXPECT_EQ(role_called(found, "rotary").head, 128);
  EXPECT_EQ(role_called(found, "rotary").rotated, 128);
  EXPECT_EQ(std::get<Rotary>(*role_called(found, "rotary").convention).pairing, Pairing::split_half);
  EXPECT_EQ(source_of(found, "/roles/rotary/convention/pairing"), "/use_mla");
}

// Every third pair up to 3 x 11 is y, and so is x up to 3 x 10: of 16 pairs there are 5 of each, and 6 of t.
TEST(PublishedFiles, SectionsThatGoByTurnsAreCutAtTheEnd) {
  for (const std::string sections : {R"("mrope_section": [11, 11, 10], )", ""}) {
    const ModelPositions found = inspect(R"({"model_type": "qwen3_5_text", "hidden_size": 256, "head_dim": 128,
        "num_attention_heads": 2, "rope_parameters": {)" +
                                         sections +
                                         R"("rope_type": "default", "rope_theta": 10000000,
        "mrope_interleaved": true, "partial_rotary_factor": 0.25}})");
    const auto& deal = std::get<Rotary>(*role_called(found, "rotary").convention).deal;
    ASSERT_EQ(deal.size(), 1u);
    EXPECT_EQ(deal[0].pairs, 16);
    const std::vector<std::string> turns = {"t", "y", "x", "t", "y", "x", "t", "y",
                                            "x", "t", "y", "x", "t", "y", "x", "t"};
    EXPECT_EQ(deal[0].axes, turns);
  }
}

TEST(PublishedFiles, LlavaOf2023IsItsText) {
  const ModelPositions found = inspect(R"({"model_type": "llava", "hidden_size": 5120, "num_attention_heads": 40,
      "num_hidden_layers": 40, "max_position_embeddings": 4096, "mm_vision_tower": "openai/clip-vit-large-patch14-336"})");
  EXPECT_EQ(role_called(found, "rotary").head, 128);
  expect_near(frequencies_of(found, "rotary")[1], 0.8659643530845642);
}

}  // namespace
}  // namespace posenc
