// SPDX-License-Identifier: Apache-2.0
// Widths of tables, factors of scores and pairings that one key turns, as the modules of transformers 5.24.0 have them.
#include <posenc/spec/inspect.h>

#include <cmath>

#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

std::string with_layers(std::string_view type, const std::string& keys) {
  return "{\"model_type\": \"" + std::string(type) + "\", \"num_hidden_layers\": 2, " + keys + "}";
}
ModelPositions read(std::string_view type, const std::string& keys) { return inspect(with_layers(type, keys)); }

using Sides = std::pair<std::int64_t, std::int64_t>;

Sides sides_of(const ModelPositions& found, std::string_view role = "embedding") {
  const PositionRole* table = find_role(found, role);
  return table == nullptr ? Sides{} : Sides{table->rows.value_or(0), table->width.value_or(0)};
}

double factor_of(std::string_view type, const std::string& keys) { return read(type, keys).parts.at(0).softmax_factor; }

const std::string bert = R"("hidden_size": 768, "num_attention_heads": 12, "max_position_embeddings": 512)";
const std::string llama = R"("hidden_size": 1024, "num_attention_heads": 8, "head_dim": 64)";
const std::string latent = R"("qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "max_position_embeddings": 4096)";

// nn.Embedding(max_position_embeddings, embedding_size), mapped to hidden_size behind it.
TEST(Numbers, TablesOfAlbertAndElectraHaveTheWidthOfTheEmbedding) {
  for (const char* type : {"albert", "electra"}) {
    EXPECT_EQ(sides_of(read(type, bert + ", \"embedding_size\": 64")), Sides(512, 64)) << type;
    EXPECT_EQ(sides_of(read(type, bert)), Sides(512, 128)) << type;
  }
  EXPECT_EQ(sides_of(read("bert", bert + ", \"embedding_size\": 64")), Sides(512, 768));
}

// Its default is true; relative_attention is another matter.
TEST(Numbers, DebertaAddsATableToItsInputUnlessItSaysNot) {
  const std::string relative = R"(, "relative_attention": true, "position_buckets": 256)";
  EXPECT_EQ(sides_of(read("deberta-v2", bert)), Sides(512, 768));
  EXPECT_EQ(sides_of(read("deberta-v2", bert + ", \"embedding_size\": 128")), Sides(512, 128));
  const ModelPositions both = read("deberta-v2", bert + relative + ", \"position_biased_input\": true");
  EXPECT_EQ(sides_of(both), Sides(512, 768));
  EXPECT_NE(find_role(both, "bias"), nullptr);
  const ModelPositions biased = read("deberta-v2", bert + relative + ", \"position_biased_input\": false");
  EXPECT_EQ(sides_of(biased), Sides(0, 0));
  EXPECT_NE(find_role(biased, "bias"), nullptr);
}

TEST(Numbers, FurtherTablesAreRolesOfTheirOwn) {
  const ModelPositions boxes = read("layoutlm", bert + ", \"max_2d_position_embeddings\": 256");
  for (const char* role : {"embedding.x", "embedding.y", "embedding.height", "embedding.width"}) {
    EXPECT_EQ(sides_of(boxes, role), Sides(256, 768)) << role;
    EXPECT_EQ(sides_of(read("layoutlm", bert), role), Sides(1024, 768)) << role;
  }
  EXPECT_EQ(sides_of(read("visual_bert", bert), "embedding.visual"), Sides(512, 768));
}

// build_mpt_alibi_tensor is called whatever attn_config says.
TEST(Numbers, MptHasAlibiWhateverItSays) {
  const std::string mpt = R"("d_model": 2048, "n_heads": 16, "max_seq_len": 4096, "attn_config": {)";
  for (const char* own : {"", R"("alibi": true)", R"("alibi": false)", R"("alibi": false, "rope": true)"}) {
    const ModelPositions found = read("mpt", mpt + own + "}");
    EXPECT_EQ(find_role(found, "bias")->heads, 16) << own;
    EXPECT_EQ(found.notes.size(), std::string(own).find("rope") != std::string::npos    ? 2u
                                  : std::string(own).find("false") != std::string::npos ? 1u
                                                                                        : 0u);
  }
  EXPECT_NE(read("mpt", mpt + R"("alibi": false})").notes[0].find("llm-foundry"), std::string::npos);
  EXPECT_NEAR(factor_of("mpt", mpt + R"("softmax_scale": 0.25})"), 0.25 * std::sqrt(128), 1e-15);
  EXPECT_EQ(factor_of("mpt", mpt + "}"), 1);
}

TEST(Numbers, RopeInterleaveDecidesThePairsWhereItIsRead) {
  const auto turning = [](std::string_view type, const std::string& key) {
    const ModelPositions found = read(type, latent + key);
    const auto& rotary = std::get<Rotary>(*find_role(found, "rotary")->convention);
    return std::pair(rotary.pairing == Pairing::adjacent, rotary.written == Written::split_half);
  };
  for (const char* type : {"deepseek_v3", "glm4_moe_lite", "youtu"}) {
    EXPECT_EQ(turning(type, ""), std::pair(true, true)) << type;
    EXPECT_EQ(turning(type, ", \"rope_interleave\": true"), std::pair(true, true)) << type;
    EXPECT_EQ(turning(type, ", \"rope_interleave\": false"), std::pair(false, false)) << type;
    EXPECT_EQ(turning(type, ", \"rope_interleave\": null"), std::pair(false, false)) << type;
  }
  EXPECT_EQ(turning("longcat_flash", ", \"rope_interleave\": false"), std::pair(true, true));  // which does not read it
}

TEST(Numbers, MultipliersOfKeysAndScoresAreInTheFactor) {
  EXPECT_EQ(factor_of("falcon_h1", llama + ", \"key_multiplier\": 0.390625"), 0.390625);
  EXPECT_EQ(factor_of("falcon_h1", llama), 1);
  EXPECT_TRUE(read("falcon_h1", llama + ", \"attention_in_multiplier\": 1.0").notes.empty());
  EXPECT_EQ(read("falcon_h1", llama + ", \"attention_in_multiplier\": 0.9375").notes,
            std::vector<std::string>{"/attention_in_multiplier multiplies what queries, keys and values are made of, "
                                     "which softmax_factor leaves to whoever makes them"});
  const std::string hybrid = R"("hidden_size": 1536, "num_attention_heads": 12, "embedding_multiplier": 12,
      "attention_multiplier": 0.0078125, "layer_types": ["linear_attention", "full_attention"])";
  const ModelPositions nope = read("granitemoehybrid", hybrid + ", \"position_embedding_type\": \"nope\"");
  EXPECT_EQ(find_role(nope, "rotary"), nullptr);
  EXPECT_EQ(find_role(nope, "embedding")->scale, Scale::of(12));
  EXPECT_NEAR(nope.parts[0].softmax_factor, 0.0078125 * std::sqrt(128), 1e-16);
  const ModelPositions rope = read("granitemoehybrid", hybrid + ", \"position_embedding_type\": \"rope\"");
  EXPECT_EQ(rope.parts[0].softmax_factor, nope.parts[0].softmax_factor);
}

// Their modules multiply queries and keys without 1 / sqrt(head).
TEST(Numbers, ScoresThatAreNotScaledHaveTheRootOfTheHead) {
  const std::string t5 = R"("d_model": 512, "num_heads": 8, "relative_attention_num_buckets": 32)";
  EXPECT_EQ(factor_of("t5", t5 + ", \"d_kv\": 16"), 4);
  EXPECT_EQ(factor_of("t5", t5), 8);
  EXPECT_EQ(factor_of("gpt_neo", R"("hidden_size": 512, "num_heads": 8, "max_position_embeddings": 64)"), 8);
  EXPECT_EQ(factor_of("gemma3n_text", llama), 8);
  const std::string gpt2 = R"("n_embd": 512, "n_head": 8, "n_positions": 64)";
  EXPECT_EQ(factor_of("gpt2", gpt2), 1);
  EXPECT_EQ(factor_of("gpt2", gpt2 + ", \"scale_attn_weights\": true"), 1);
  EXPECT_EQ(factor_of("gpt2", gpt2 + ", \"scale_attn_weights\": false"), 8);
  EXPECT_EQ(read("gpt2", gpt2 + ", \"scale_attn_by_inverse_layer_idx\": true").notes.size(), 1u);
  EXPECT_NEAR(factor_of("deberta-v2", bert + R"(, "pos_att_type": ["p2c", "c2p"])"), 1 / std::sqrt(3), 1e-16);
  EXPECT_NEAR(factor_of("deberta-v2", bert + R"(, "pos_att_type": "c2p")"), 1 / std::sqrt(2), 1e-16);
  const std::string yarn = R"(, "rope_scaling": {"type": "yarn", "factor": 40, "mscale_all_dim": 1, "mscale": 1,
      "original_max_position_embeddings": 4096})";
  EXPECT_NEAR(factor_of("minicpm3", latent + yarn), 1.874, 0.0005001);
}

// A base in an object that nobody reads is no secret.
TEST(Numbers, KeysOfPositionsInUnreadObjectsAreNotes) {
  const ModelPositions found = read("dbrx", R"("d_model": 512, "n_heads": 8, "attn_config": {"rope_theta": 500000})");
  EXPECT_EQ(found.notes, std::vector<std::string>{"/attn_config/rope_theta is not read for dbrx"});
}

// Whatever the object is called, and however deep it stands; names of labels and of weights are words of their own.
TEST(Numbers, UnknownKeysOfPositionsAreRefusedInEveryObject) {
  for (const char* const object : {"attn_config", "attention", "decoder_layers"}) {
    const std::string own = "\"" + std::string(object) + "\": ";
    const auto problem = check_inspect(with_layers("llama", llama + ", " + own + R"({"ropes_per_head": 2})"));
    ASSERT_TRUE(problem) << object;
    EXPECT_EQ(problem->rule,
              "'/" + std::string(object) + "/ropes_per_head' must be a known key, as it reads like one of positions");
    const auto deep = check_inspect(with_layers("llama", llama + ", " + own + R"({"inner": {"theta_of": 2}})"));
    ASSERT_TRUE(deep) << object;
    EXPECT_TRUE(deep->rule.starts_with("'/" + std::string(object) + "/inner/theta_of' must be")) << deep->rule;
  }
  for (const char* const object : {"id2label", "label2id", "task_specific_params", "quantization_config"}) {
    EXPECT_FALSE(check_inspect(
        with_layers("llama", llama + ", \"" + std::string(object) + R"(": {"position": 1, "a": {"theta": 2}})")))
        << object;
  }
}

// As Python's json writes them; a key that is read needs a number that ends.
TEST(Numbers, InfinityAndNanAreNumbersThatNobodyCanUse) {
  const ModelPositions plain = read("mamba2", R"("time_step_limit": [0.0, 1.0], "note": "Infinity, NaN")");
  const ModelPositions found =
      read("mamba2", R"("time_step_limit": [0.0, Infinity], "note": "Infinity, NaN", "a": [-Infinity,NaN], "b": 7)");
  EXPECT_EQ(differences(plain, found), std::vector<std::string>{});
  EXPECT_EQ(
      *find_role(read("llama", R"("a": NaN, "hidden_size": 64, "b": -Infinity, "num_attention_heads": 4)"), "rotary")
           ->head,
      16);
  const std::pair<std::string, std::string> cases[] = {
      {"\"rope_theta\": Infinity", "/rope_theta must be a finite number, got inf"},
      {"\"rope_theta\": -Infinity", "/rope_theta must be a finite number, got -inf"},
      {"\"partial_rotary_factor\": NaN", "/partial_rotary_factor must be a finite number, got nan"},
      {"\"num_hidden_layer\": 5NaN", "must be JSON"},
      {"\"a\": Infinitys", "must be JSON"},
      {"\"a\": nan", "must be JSON"},
      {"\"a\": +Infinity", "must be JSON"},
      {"\"a\": Infinity 1", "must be JSON"}};
  for (const auto& [key, words] : cases) {
    const auto problem = check_inspect(with_layers("llama", llama + ", " + key));
    ASSERT_TRUE(problem) << key;
    EXPECT_NE(problem->message().find(words), std::string::npos) << problem->message();
  }
}

// Keys of other classes: transformers leaves them, whatever they say.
TEST(Numbers, AKeyThatTheClassDoesNotReadIsSaid) {
  const std::string base = R"("hidden_size": 512, "num_attention_heads": 4, "max_position_embeddings": 32)";
  const auto expect_unread = [&](std::string_view type, const std::string& key, const std::string& value) {
    SCOPED_TRACE(std::string(type) + " " + key);
    const ModelPositions plain = read(type, base);
    const ModelPositions found = read(type, base + ", \"" + key + "\": " + value);
    EXPECT_EQ(found.parts, plain.parts);
    EXPECT_EQ(found.notes.size(), plain.notes.size() + 1);
    EXPECT_NE(std::ranges::find(found.notes, "/" + key + " is not read for " + std::string(type)), found.notes.end());
  };
  for (const std::string_view type : {"llama", "qwen2", "bert", "gpt2", "bloom", "gemma2"}) {
    for (const char* key : {"embedding_multiplier", "scale_emb", "embedding_scale", "attention_multiplier",
                            "key_multiplier", "scale_embedding", "softmax_scale"}) {
      expect_unread(type, key, "12");
    }
  }
  for (const std::string_view type : {"llama", "qwen2", "bert", "gpt2", "bloom", "granite"}) {
    expect_unread(type, "query_pre_attn_scalar", "12");
  }
  for (const std::string_view type : {"gptj", "codegen", "esm"}) {
    expect_unread(type, "rope_scaling", R"({"type": "linear", "factor": 2})");
    expect_unread(type, "rope_parameters", R"({"rope_type": "linear", "factor": 2, "rope_theta": 7})");
  }
  expect_unread("gptj", "rope_theta", "7");
  expect_unread("codegen", "rope_theta", "7");
  expect_unread("llama", "rotary_dim", "8");
  expect_unread("llama", "no_rope_layer_interval", "2");
}

// Their classes divide the width by the heads.
TEST(Numbers, SomeClassesReadNoHead) {
  const std::string base = R"("hidden_size": 64, "num_attention_heads": 4,
      "max_position_embeddings": 32, "rotary_dim": 8, "scale_attn_weights": false, "alibi": false,
      "attn_config": {"softmax_scale": 0.5}, "n_heads": 4)";
  for (const std::string_view type : {"gptj", "codegen", "falcon", "gpt_neo", "gpt2", "gpt_bigcode", "mpt"}) {
    SCOPED_TRACE(type);
    const ModelPositions found = read(type, base + ", \"head_dim\": 32, \"kv_channels\": 32");
    EXPECT_EQ(found.parts, read(type, base).parts);
    EXPECT_NE(std::ranges::find(found.unread, "head_dim"), found.unread.end());
  }
  EXPECT_EQ(find_role(read("llama", base + ", \"head_dim\": 32"), "rotary")->head, 32);
  EXPECT_EQ(find_role(read("jetmoe", base + ", \"kv_channels\": 32"), "rotary")->head, 32);
  EXPECT_EQ(find_role(read("llama", base + ", \"kv_channels\": 32"), "rotary")->head, 16);
}

}  // namespace
}  // namespace posenc
