// SPDX-License-Identifier: Apache-2.0
// Model types that add a signal or a bias, and those without positions. Source: transformers 5.23.0.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

RoleRow learned(std::string_view preset, std::string_view rows, std::int64_t further = 0) {
  return {.name = "embedding", .preset = preset, .rows_keys = {rows}, .further_rows = further, .rows_field = "rows"};
}

RoleRow numbered(RoleRow row, Numbered numbered) {
  row.numbered = numbered;
  return row;
}

RoleRow signal(std::string_view preset, std::string_view rows) {
  return {.name = "embedding", .preset = preset, .rows_keys = {rows}};
}

RoleRow t5_bias(std::string_view name, std::string_view preset) {
  return {.name = name,
          .preset = preset,
          .fields = {{"classes.count", {"relative_attention_num_buckets"}, 32},
                     {"classes.reach", {"relative_attention_max_distance"}, 128}},
          .heads_keys = {"num_heads"}};
}

constexpr std::string_view bert_types = "absolute";

}  // namespace

std::vector<Family> other_families() {
  return {
      // ---- signals
      {.types = "marian",
       .roles = {signal("marian-hf", "max_position_embeddings")},
       .embedding = Embedding::sqrt_dim_if_scaled},
      {.types = "pegasus",
       .roles = {signal("marian-hf", "max_position_embeddings")},
       .embedding = Embedding::sqrt_dim_if_scaled},
      {.types = "m2m_100",
       .roles = {numbered(signal("hf-fairseq-offset2", "max_position_embeddings"), Numbered::behind_padding)},
       .embedding = Embedding::sqrt_dim_unless_not},
      {.types = "xglm",
       .roles = {signal("hf-fairseq-offset2", "max_position_embeddings")},
       .embedding = Embedding::sqrt_dim_unless_not},
      {.types = "fsmt",
       .roles = {numbered(signal("fsmt", "max_position_embeddings"), Numbered::behind_padding)},
       .embedding = Embedding::sqrt_dim_unless_not},
      {.types = "whisper",
       .roles = {{.name = "embedding.encoder", .preset = "whisper", .rows_keys = {"max_source_positions"}},
                 {.name = "embedding.decoder",
                  .preset = "learned",
                  .rows_keys = {"max_target_positions"},
                  .rows_field = "rows"}},
       .embedding = Embedding::sqrt_dim_if_scaled},

      // ---- tables
      {.types = "bert electra albert layoutlm visual_bert",
       .roles = {learned("learned", "max_position_embeddings")},
       .position_types = bert_types},
      {.types = "roberta xlm-roberta camembert data2vec-text",
       .roles = {numbered(learned("learned-padding-idx", "max_position_embeddings"), Numbered::behind_padding)},
       .position_types = bert_types},
      {.types = "longformer",
       .roles = {numbered(learned("learned-padding-idx", "max_position_embeddings"), Numbered::behind_padding)}},
      {.types = "mpnet",  // its classes are 32, whatever relative_attention_num_buckets says
       .roles = {numbered(learned("learned-padding-idx", "max_position_embeddings"), Numbered::behind_one),
                 {.name = "bias", .preset = "t5-bucket", .heads_keys = {"num_attention_heads"}}}},
      {.types = "gpt2 gpt_bigcode openai-gpt",
       .roles = {{.name = "embedding",
                  .preset = "learned",
                  .rows_keys = {"n_positions", "max_position_embeddings"},
                  .rows_field = "rows"}}},
      {.types = "gpt_neo clip_text_model siglip_text_model", .roles = {learned("learned", "max_position_embeddings")}},
      {.types = "blenderbot",
       .roles = {learned("learned", "max_position_embeddings")},
       .embedding = Embedding::sqrt_dim_if_scaled},
      {.types = "opt", .roles = {numbered(learned("opt", "max_position_embeddings", 2), Numbered::from_zero)}},
      {.types = "biogpt",
       .roles = {numbered(learned("opt", "max_position_embeddings", 2), Numbered::from_zero)},
       .embedding = Embedding::sqrt_dim_unless_not},
      {.types = "bart mbart mvp",
       .roles = {learned("learned-offset2", "max_position_embeddings", 2)},
       .embedding = Embedding::sqrt_dim_if_scaled},
      {.types = "plbart",
       .roles = {learned("learned-offset2", "max_position_embeddings", 2)},
       .embedding = Embedding::sqrt_dim_unless_not},

      // ---- biases
      {.types = "bloom",
       .roles = {{.name = "bias",
                  .preset = "bloom-alibi",
                  .convention =
                      Slopes{8, BiasValue::key, KeysCounted::present, SlopeRounding::none, 1.0, HeadsBeyond::odd_steps},
                  .heads_keys = {"n_head", "num_attention_heads"}}}},
      {.types = "mpt",
       .roles = {{.name = "bias",
                  .preset = "mpt-alibi",
                  .fields = {{"octaves", {"attn_config.alibi_bias_max"}, 8}},
                  .heads_keys = {"n_heads"},
                  .key = "attn_config.alibi",
                  .value = "true"}}},
      {.types = "t5 mt5 umt5 longt5 switch_transformers pop2piano",
       .roles = {t5_bias("bias.encoder", "t5-bucket"), t5_bias("bias.decoder", "t5-bucket-decoder")}},
      {.types = "deberta-v2",
       .roles = {{.name = "bias",
                  .preset = "deberta-bucket",
                  .fields = {{"classes.count", {"position_buckets"}},
                             {"classes.reach", {"max_relative_positions", "max_position_embeddings"}}},
                  .key = "relative_attention",
                  .value = "true",
                  .otherwise = RoleRow::Absent::absent}}},

      // ---- none
      {.types = "mamba mamba2 rwkv falcon_mamba xlstm"},
  };
}

}  // namespace posenc::config
