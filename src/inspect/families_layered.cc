// SPDX-License-Identifier: Apache-2.0
// Model types whose layers are of two kinds: two rotations, or one and none. Source: transformers 5.23.0.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

using Turns = LayerKind::Turns;
using Scaled = LayerKind::Scaled;

constexpr Turning pairs_twice = {.pairing = Pairing::adjacent, .stored = StoredAs::pairs_twice};

// Gemma 3's one rope object is of the layers that see everything.
std::vector<LayerKind> gemma_kinds(double full) {
  return {{.name = "sliding_attention", .base = 10000, .base_key = "rope_local_base_freq", .scaled = Scaled::no},
          {.name = "full_attention", .base = full}};
}

// Nothing turns where everything is seen.
std::vector<LayerKind> sliding_turns(double base) {
  return {{.name = "sliding_attention", .base = base}, {.name = "full_attention", .base = base, .turns = Turns::never}};
}

// Layers of linear attention have no positions.
std::vector<LayerKind> some_turn(double base) {
  return {{.name = "linear_attention", .base = base, .turns = Turns::never}, {.name = "full_attention", .base = base}};
}

// Of every fourth layer nothing turns.
std::vector<LayerKind> most_turn(double base) {
  return {{.name = "rotary", .base = base}, {.name = "none", .base = base, .turns = Turns::never}};
}

}  // namespace

std::vector<Family> layered_families() {
  return {
      {.types = "gemma3_text t5gemma2_text t5gemma2_decoder",
       .rotary = halves,
       .head = 256,
       .kinds = gemma_kinds(1e6),
       .layering = {.key = "sliding_window_pattern", .period = 6},
       .embedding = Embedding::sqrt_dim_rounded,
       .softmax = Softmax::pre_attention_scalar,
       .softmax_key = "query_pre_attn_scalar",
       .scalar = 256},
      {.types = "gemma3n_text",
       .rotary = halves,
       .head = 256,
       .kinds = gemma_kinds(1e6),
       .layering = {.period = 5},
       .embedding = Embedding::sqrt_dim_rounded,
       .softmax = Softmax::unscaled},
      {.types = "gemma4_text",
       .rotary = halves,
       .head = 256,
       .kinds = {{.name = "sliding_attention", .base = 10000, .scaled = Scaled::no},
                 {.name = "full_attention",
                  .base = 1e6,
                  .rope_type = "proportional",
                  .share = 0.25,
                  .head_key = "global_head_dim",
                  .head = 512}},
       .layering = {.period = 6},
       .embedding = Embedding::sqrt_dim_rounded,
       .softmax = Softmax::unscaled},
      {.types = "olmo3",
       .rotary = halves,
       .kinds = {{.name = "sliding_attention", .base = 500000, .scaled = Scaled::no},
                 {.name = "full_attention", .base = 500000}},
       .layering = {.period = 4}},
      {.types = "modernbert modernbert-decoder",
       .rotary = halves,
       .kinds = {{.name = "sliding_attention", .base = 10000, .base_key = "local_rope_theta"},
                 {.name = "full_attention", .base = 160000, .base_key = "global_rope_theta"}},
       .layering = {.key = "global_attn_every_n_layers", .period = 3, .phase = 0},
       .position_types = "rope absolute sans_pos"},
      {.types = "cohere2 cohere2_moe",
       .rotary = pairs_twice,
       .kinds = sliding_turns(10000),
       .layering = {.key = "sliding_window_pattern", .period = 4}},
      {.types = "exaone4 exaone_moe",
       .rotary = halves,
       .kinds = {{.name = "sliding_attention"}, {.name = "full_attention", .turns = Turns::unless_windowed}},
       .layering = {.key = "sliding_window_pattern", .period = 4}},
      {.types = "qwen3_next",
       .rotary = halves,
       .share = 0.25,
       .head = 256,
       .kinds = some_turn(10000),
       .layering = {.key = "full_attention_interval", .period = 4}},
      {.types = "qwen3_5_text qwen3_5_moe_text",
       .rotary = Turning{.mrope = Mrope::interleaved, .sections = {11, 11, 10}},
       .share = 0.25,
       .head = 256,
       .kinds = some_turn(10000),
       .layering = {.key = "full_attention_interval", .period = 4}},
      {.types = "minimax", .rotary = halves, .kinds = some_turn(1e6), .layering = {.period = 2, .phase = 0}},
      {.types = "recurrent_gemma",
       .rotary = halves,
       .share = 0.5,
       .kinds = some_turn(10000),
       .layering = {.pattern = "block_types", .period = 3},
       .embedding = Embedding::sqrt_dim_rounded},
      {.types = "bamba",
       .rotary = halves,
       .share = 0.5,
       .kinds = some_turn(10000),
       .layering = {.indices = "attn_layer_indices"}},
      {.types = "granitemoehybrid",
       .rotary = halves,
       .kinds = some_turn(10000),
       .layering = {.also = "layers_block_type"},
       .softmax = Softmax::multiplier,
       .softmax_key = "attention_multiplier",
       .scalar = 1,
       .times_key = "embedding_multiplier",
       .rotary_key = "position_embedding_type",
       .rotary_value = "rope",
       .rotary_otherwise = RoleRow::Absent::absent,
       .position_types = "rope nope"},
      {.types = "smollm3",
       .rotary = halves,
       .base = 2e6,
       .kinds = most_turn(2e6),
       .layering = {.list = "no_rope_layers", .key = "no_rope_layer_interval", .period = 4}},
      {.types = "llama4_text",
       .rotary = Turning{.pairing = Pairing::adjacent, .stored = StoredAs::complex},
       .head = 128,
       .kinds = most_turn(500000),
       .layering = {.list = "no_rope_layers", .key = "no_rope_layer_interval", .period = 4},
       .roles = {{.name = "query_scale",
                  .preset = "llama4-temperature",
                  .fields = {{"factor.gain", {"attn_scale"}, 0.1}, {"factor.every", {"floor_scale"}, 8192}},
                  .of = RoleRow::Of::layers_that_do_not_turn,
                  .key = "attn_temperature_tuning",
                  .value = "true"}}},
      {.types = "inkling2_text",
       .kinds = {{.name = "hybrid_sliding", .turns = LayerKind::Turns::never},
                 {.name = "hybrid", .turns = LayerKind::Turns::never}},
       .layering = {.list = "layer_types", .period = 6},
       .roles = {{.name = "query_scale",
                  .preset = "inkling-temperature",
                  .fields = {{"factor.gain", {"log_scaling_alpha"}, 0.1},
                             {"factor.every", {"log_scaling_n_floor"}, 128000}},
                  .of = RoleRow::Of::layers_of_kind,
                  .kind = "hybrid"}},
       .remarks = {{"", "", "a token's hidden state and a trained table make the biases of its distances", "bias"}}},
      {.types = "ministral3",
       .rotary = halves,
       .base = 1e6,
       .head = 128,
       .roles = {{.name = "query_scale",
                  .preset = "ministral3-temperature",
                  .fields = {{"factor.gain", {"rope.llama_4_scaling_beta"}},
                             {"factor.every", {"rope.original_max_position_embeddings", "max_position_embeddings"}}},
                  .key = "rope.llama_4_scaling_beta",
                  .value = "number",
                  .otherwise = RoleRow::Absent::absent}},
       .rope = R"({"rope_type": "yarn", "factor": 16, "original_max_position_embeddings": 16384,
                   "mscale": 1, "mscale_all_dim": 1, "llama_4_scaling_beta": 0.1})"},
  };
}

}  // namespace posenc::config
