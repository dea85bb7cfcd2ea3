// SPDX-License-Identifier: Apache-2.0
// Model types whose layers all turn alike. Source: transformers 5.23.0, configuration and modeling files of each type.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

constexpr Turning neighbours = {.pairing = Pairing::adjacent};
constexpr Turning latent_halves = {.pairing = Pairing::adjacent, .written = Written::split_half};

}  // namespace

std::vector<Family> rotary_families() {
  return {
      // ---- two halves
      {.types =
           "llama mistral ministral qwen2 qwen2_moe qwen3_moe olmo olmo2 olmoe starcoder2 diffllama doge dots1 dbrx "
           "aria_text chameleon granite4_vision_text granite_docling_text glm_image_text hunyuan_v1_dense "
           "hunyuan_v1_moe hrm_text hyperclovax idefics internlm3 iquestcoder jais2 jetmoe arcee eurobert "
           "moshi kyutai_speech_to_text deepseek_ocr2_text qwen3_omni_moe_talker_code_predictor "
           "voxtral_realtime_text falcon_h1 seed_oss timesfm2_5",
       .rotary = halves},
      {.types = "qwen3", .rotary = halves, .head = 128},
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
                  .value = "absolute",
                  .otherwise = RoleRow::Absent::absent}},
       .rotary_key = "position_embedding_type",
       .rotary_value = "rotary",
       .position_types = "rotary absolute"},
      {.types = "esmc", .rotary = halves},
      {.types = "phi persimmon", .rotary = halves, .share = 0.5},
      {.types = "nemotron glm4_moe bamba", .rotary = halves, .share = 0.5},
      {.types = "stablelm gpt_neox", .rotary = halves, .share = 0.25},
      {.types = "gpt_neox_japanese", .rotary = halves},
      {.types = "qwen3_next", .rotary = halves, .share = 0.25, .head = 256},
      {.types = "mixtral lfm2 lfm2_moe minimax emu3_text_model solar_open", .rotary = halves, .base = 1e6},
      {.types = "cwm", .rotary = halves, .base = 1e6, .head = 128},
      {.types = "bitnet csm mllama_text_model flex_olmo paddleocr_vl_text evolla", .rotary = halves, .base = 500000},
      {.types = "apertus", .rotary = halves, .base = 1.2e7},
      {.types = "minimax_m2", .rotary = halves, .base = 5e6, .head = 128},
      {.types = "hy_v3", .rotary = halves, .base = 11158840, .head = 128},
      {.types = "nomic_bert", .rotary = halves, .base = 1000, .position_types = "rotary rope"},
      {.types = "jina_embeddings_v3", .rotary = halves, .base = 20000, .position_types = "rotary rope"},
      {.types = "gte", .rotary = halves, .base = 160000, .position_types = "rotary rope"},
      {.types = "fuyu", .rotary = halves, .base = 25000, .share = 0.5},
      {.types = "granite granitemoe granitemoeshared",
       .rotary = halves,
       .softmax = Softmax::multiplier,
       .position_types = "rope"},
      {.types = "granitemoehybrid",
       .rotary = halves,
       .softmax = Softmax::multiplier,
       .rotary_key = "position_embedding_type",
       .rotary_value = "rope",
       .position_types = "rope nope"},
      {.types = "gpt_oss openai_privacy_filter", .rotary = halves, .base = 150000, .head = 64, .rope_type = "yarn"},
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
      {.types = "ernie4_5 ernie4_5_moe", .rotary = neighbours, .base = 500000},
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
      {.types = "minicpm3", .rotary = halves, .heads = Heads::latent},

      // ---- text among images
      {.types = "qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text",
       .rotary = Turning{.mrope = Mrope::chunked},
       .base = 1e6},
      {.types = "qwen2_vl", .text = "qwen2_vl_text"},
      {.types = "qwen2_5_vl", .text = "qwen2_5_vl_text"},
      {.types = "qwen3_vl_text qwen3_vl_moe_text", .rotary = Turning{.mrope = Mrope::interleaved}, .base = 500000},
      {.types = "qwen3_omni_moe_text", .rotary = Turning{.mrope = Mrope::interleaved}, .base = 1e6},
      {.types = "qwen3_omni_moe_talker_text", .rotary = Turning{.mrope = Mrope::interleaved}},
      {.types = "qwen3_5_text qwen3_5_moe_text",
       .rotary = Turning{.mrope = Mrope::interleaved},
       .share = 0.25,
       .head = 256},
      {.types = "glm4v_text glm_ocr_text", .rotary = Turning{.pairing = Pairing::adjacent, .mrope = Mrope::chunked}},
      {.types = "glm4v_moe_text", .rotary = Turning{.mrope = Mrope::chunked}, .share = 0.5},
      {.types = "ernie4_5_vl_moe_text",
       .rotary = Turning{.pairing = Pairing::adjacent, .mrope = Mrope::images_first},
       .base = 500000},
      {.types = "qwen3_vl", .text = "qwen3_vl_text", .parts = {{"vision", "qwen3_vl_vision"}}},
      {.types = "qwen3_vl_moe", .text = "qwen3_vl_moe_text", .parts = {{"vision", "qwen3_vl_moe_vision"}}},
      {.types = "glm4v", .text = "glm4v_text"},
      {.types = "glm4v_moe", .text = "glm4v_moe_text"},
      {.types = "ernie4_5_vl_moe", .text = "ernie4_5_vl_moe_text"},
      {.types = "gemma3", .text = "gemma3_text"},
      {.types = "gemma3n", .text = "gemma3n_text"},
      {.types = "gemma4", .text = "gemma4_text"},
      {.types = "llama4", .text = "llama4_text"},
      {.types = "mllama", .text = "mllama_text_model"},
  };
}

}  // namespace posenc::config
