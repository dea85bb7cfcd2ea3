// SPDX-License-Identifier: Apache-2.0
// Model types whose layers all turn alike. Source: transformers 5.23.0, configuration and modeling files of each type.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

constexpr Turning neighbours = {.pairing = Pairing::adjacent};
constexpr Turning chunked = {.mrope = Mrope::chunked, .sections = {16, 24, 24}};
constexpr Turning by_turns = {.mrope = Mrope::interleaved, .sections = {24, 20, 20}};
constexpr Turning latent_halves = {.pairing = Pairing::adjacent, .written = Written::split_half};

}  // namespace

std::vector<Family> rotary_families() {
  return {
      // ---- two halves
      {.types =
           "llama mistral ministral qwen2 qwen2_moe qwen3_moe olmo olmo2 olmoe starcoder2 diffllama doge dots1 dbrx "
           "aria_text chameleon hunyuan_v1_dense "
           "hunyuan_v1_moe idefics internlm3 iquestcoder jais2 arcee eurobert "
           "moshi kyutai_speech_to_text deepseek_ocr2_text "
           "voxtral_realtime_text falcon_h1 seed_oss timesfm2_5",
       .rotary = halves},
      {.types = "qwen3 jetmoe qwen3_omni_moe_talker_code_predictor", .rotary = halves, .head = 128},
      {.types = "hrm_text", .rotary = halves, .times = 50},
      {.types = "hyperclovax", .rotary = halves, .softmax = Softmax::multiplier},
      {.types = "phi3 phi4_multimodal", .rotary = halves, .longrope_names = "su yarn"},
      {.types = "phimoe", .rotary = halves, .base = 1e6, .longrope_names = "su yarn"},
      {.types = "falcon",
       .rotary = halves,
       .roles = {{.name = "bias",
                  .preset = "falcon-alibi",
                  .heads_keys = {"num_attention_heads", "n_head"},
                  .key = "alibi",
                  .value = "true",
                  .otherwise = RoleRow::Absent::absent}},
       .rotary_key = "alibi",
       .rotary_value = "false"},
      {.types = "esm",
       .rotary = halves,
       .roles = {{.name = "embedding",
                  .preset = "learned-padding-idx",
                  .rows_keys = {"max_position_embeddings"},
                  .rows_field = "rows",
                  .numbered = Numbered::behind_padding,
                  .key = "position_embedding_type",
                  .value = "absolute"}},
       .rotary_key = "position_embedding_type",
       .rotary_value = "rotary",
       .rotary_otherwise = RoleRow::Absent::absent,
       .position_types = "rotary absolute"},
      {.types = "esmc", .rotary = halves},
      {.types = "phi persimmon", .rotary = halves, .share = 0.5},
      {.types = "nemotron glm4_moe bamba", .rotary = halves, .share = 0.5},
      {.types = "stablelm gpt_neox", .rotary = halves, .share = 0.25},
      {.types = "gpt_neox_japanese", .rotary = halves},
      {.types = "mixtral lfm2 lfm2_moe emu3_text_model", .rotary = halves, .base = 1e6},
      {.types = "solar_open", .rotary = halves, .base = 1e6, .head = 128},
      {.types = "cwm",
       .rotary = halves,
       .base = 1e6,
       .head = 128,
       .rope = R"({"rope_type": "llama3", "factor": 16, "original_max_position_embeddings": 8192,
                   "low_freq_factor": 1, "high_freq_factor": 4})"},
      {.types = "bitnet csm mllama_text_model flex_olmo evolla", .rotary = halves, .base = 500000},
      {.types = "apertus",
       .rotary = halves,
       .base = 1.2e7,
       .rope = R"({"rope_type": "llama3", "factor": 8, "original_max_position_embeddings": 8192,
                   "low_freq_factor": 1, "high_freq_factor": 4})"},
      {.types = "minimax_m2", .rotary = halves, .base = 5e6, .head = 128},
      {.types = "hy_v3", .rotary = halves, .base = 11158840, .head = 128},
      {.types = "nomic_bert", .rotary = halves, .base = 1000, .position_types = "rotary rope"},
      {.types = "jina_embeddings_v3", .rotary = halves, .base = 20000, .position_types = "rotary rope"},
      {.types = "gte", .rotary = halves, .base = 160000, .position_types = "rotary rope"},
      {.types = "fuyu", .rotary = halves, .base = 25000, .share = 0.5},
      {.types = "granite granitemoe granitemoeshared granite4_vision_text",
       .rotary = halves,
       .softmax = Softmax::multiplier,
       .scalar = 1,
       .position_types = "rope"},
      {.types = "granite_docling_text",
       .rotary = halves,
       .softmax = Softmax::multiplier,
       .scalar = 0.015625,
       .times = 12},
      {.types = "gpt_oss openai_privacy_filter",
       .rotary = halves,
       .base = 150000,
       .head = 64,
       .rope = R"({"rope_type": "yarn", "factor": 32, "original_max_position_embeddings": 4096, "truncate": false})"},
      {.types = "nanochat", .rotary = Turning{.turn = TurnTo::backward}},
      {.types = "gemma", .rotary = halves, .head = 256, .embedding = Embedding::sqrt_dim_rounded},
      {.types = "gemma2 vaultgemma t5_gemma_module",
       .rotary = halves,
       .head = 256,
       .embedding = Embedding::sqrt_dim_rounded,
       .softmax = Softmax::pre_attention_scalar,
       .scalar = 256},
      {.types = "recurrent_gemma", .rotary = halves, .share = 0.5, .embedding = Embedding::sqrt_dim_rounded},

      // ---- neighbours
      {.types = "gptj codegen",
       .rotary = Turning{.pairing = Pairing::adjacent, .stored = StoredAs::sine_cosine},
       .columns = 64,
       .rotary_key = "rotary",
       .rotary_value = "true"},
      {.types = "glm glm4", .rotary = neighbours, .share = 0.5, .head = 128},
      {.types = "ernie4_5", .rotary = neighbours, .base = 500000, .head = 128},
      {.types = "ernie4_5_moe", .rotary = neighbours, .base = 500000},
      {.types = "helium", .rotary = neighbours, .base = 100000, .head = 128},
      {.types = "moonshine", .rotary = neighbours, .share = 0.9},
      {.types = "cohere",
       .rotary = Turning{.pairing = Pairing::adjacent, .stored = StoredAs::pairs_twice},
       .base = 500000},

      // ---- latent attention
      {.types = "deepseek_v2",
       .rotary = Turning{.pairing = Pairing::adjacent, .stored = StoredAs::complex},
       .heads = Heads::latent,
       .softmax = Softmax::yarn_gain_all},
      {.types = "deepseek_v3 kimi_k2 glm_moe_dsa glm4_moe_lite youtu deepseek_v32",
       .rotary = latent_halves,
       .heads = Heads::latent,
       .softmax = Softmax::yarn_gain_all},
      {.types = "longcat_flash",
       .rotary = latent_halves,
       .base = 1e7,
       .heads = Heads::latent,
       .softmax = Softmax::yarn_gain_all},
      {.types = "minicpm3", .rotary = halves, .heads = Heads::latent, .times = 12},

      // ---- text among images
      {.types = "qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text", .rotary = chunked, .base = 1e6},
      {.types = "paddleocr_vl_text", .rotary = chunked, .base = 500000, .head = 128},
      {.types = "qwen2_vl", .text = "qwen2_vl_text", .parts = {{"vision", "qwen2_vl_vision"}}},
      {.types = "qwen2_5_vl", .text = "qwen2_5_vl_text", .parts = {{"vision", "qwen2_5_vl_vision"}}},
      {.types = "qwen3_vl_text qwen3_vl_moe_text", .rotary = by_turns, .base = 500000},
      {.types = "qwen3_omni_moe_text", .rotary = by_turns, .base = 1e6},
      {.types = "qwen3_omni_moe_talker_text", .rotary = by_turns},
      {.types = "glm4v_text glm_ocr_text",
       .rotary = Turning{.pairing = Pairing::adjacent, .mrope = Mrope::chunked, .sections = {8, 12, 12}}},
      {.types = "glm_image_text", .rotary = Turning{.mrope = Mrope::chunked, .sections = {8, 12, 12}}},
      {.types = "glm4v_moe_text", .rotary = Turning{.mrope = Mrope::chunked, .sections = {8, 12, 12}}, .share = 0.5},
      {.types = "ernie4_5_vl_moe_text",
       .rotary = Turning{.pairing = Pairing::adjacent, .mrope = Mrope::images_first, .sections = {22, 22, 20}},
       .base = 500000},
      {.types = "qwen3_vl", .text = "qwen3_vl_text", .parts = {{"vision", "qwen3_vl_vision"}}},
      {.types = "qwen3_vl_moe", .text = "qwen3_vl_moe_text", .parts = {{"vision", "qwen3_vl_moe_vision"}}},
      {.types = "glm4v", .text = "glm4v_text", .parts = {{"vision", "glm4v_vision"}}},
      {.types = "glm4v_moe", .text = "glm4v_moe_text", .parts = {{"vision", "glm4v_moe_vision"}}},
      {.types = "ernie4_5_vl_moe", .text = "ernie4_5_vl_moe_text"},
      {.types = "gemma3", .text = "gemma3_text"},
      {.types = "gemma3n", .text = "gemma3n_text"},
      {.types = "gemma4", .text = "gemma4_text"},
      {.types = "llama4", .text = "llama4_text"},
      {.types = "mllama", .text = "mllama_text_model"},
  };
}

}  // namespace posenc::config
