// SPDX-License-Identifier: Apache-2.0
// Model types that add a signal or a bias, and those without positions. Source: transformers 5.23.0.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

RoleRow learned(std::string_view preset, std::string_view rows, std::int64_t further = 0) {
  return {.name = "embedding", .preset = preset, .rows_keys = {rows}, .further_rows = further, .rows_field = "rows"};
}

// LayoutLM has a table for each side of a box.
RoleRow of_boxes(std::string_view name) {
  RoleRow row = learned("learned", "max_2d_position_embeddings");
  row.name = name;
  row.rows = 1024;
  return row;
}

// VisualBERT has a table for what stands in images.
RoleRow of_images() {
  RoleRow row = learned("learned", "max_position_embeddings");
  row.name = "embedding.visual";
  return row;
}

RoleRow numbered(RoleRow row, Numbered numbered) {
  row.numbered = numbered;
  return row;
}

RoleRow signal(std::string_view preset, std::string_view rows) {
  return {.name = "embedding", .preset = preset, .rows_keys = {rows}};
}

RoleRow of_gpt() {
  return {.name = "embedding",
          .preset = "learned",
          .rows_keys = {"n_positions", "max_position_embeddings"},
          .rows_field = "rows"};
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
      {.types = "bert", .roles = {learned("learned", "max_position_embeddings")}, .position_types = bert_types},
      {.types = "electra albert",
       .roles = {learned("learned", "max_position_embeddings")},
       .table_width_key = "embedding_size",
       .table_width = 128,
       .position_types = bert_types},
      {.types = "layoutlm",
       .roles = {learned("learned", "max_position_embeddings"), of_boxes("embedding.x"), of_boxes("embedding.y"),
                 of_boxes("embedding.height"), of_boxes("embedding.width")},
       .position_types = bert_types},
      {.types = "visual_bert",
       .roles = {learned("learned", "max_position_embeddings"), of_images()},
       .position_types = bert_types},
      {.types = "roberta xlm-roberta camembert data2vec-text",
       .roles = {numbered(learned("learned-padding-idx", "max_position_embeddings"), Numbered::behind_padding)},
       .position_types = bert_types},
      {.types = "longformer",
       .roles = {numbered(learned("learned-padding-idx", "max_position_embeddings"), Numbered::behind_padding)}},
      {.types = "mpnet",  // its classes are 32, whatever relative_attention_num_buckets says
       .roles = {numbered(learned("learned-padding-idx", "max_position_embeddings"), Numbered::behind_one),
                 {.name = "bias", .preset = "t5-bucket", .heads_keys = {"num_attention_heads"}}}},
      {.types = "gpt_bigcode",
       .heads = Heads::quotient,
       .roles = {of_gpt()},
       .softmax = Softmax::unscaled_unless,
       .softmax_key = "scale_attn_weights"},
      {.types = "gpt2",
       .heads = Heads::quotient,
       .roles = {of_gpt()},
       .softmax = Softmax::unscaled_unless,
       .softmax_key = "scale_attn_weights",
       .remarks = {{"scale_attn_by_inverse_layer_idx", "true",
                    "divides the scores of layer i by i + 1 too, which softmax_factor does not say"}}},
      {.types = "openai-gpt", .roles = {of_gpt()}},
      {.types = "gpt_neo",
       .heads = Heads::quotient,
       .roles = {learned("learned", "max_position_embeddings")},
       .softmax = Softmax::unscaled},
      {.types = "clip_text_model siglip_text_model", .roles = {learned("learned", "max_position_embeddings")}},
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
       .heads = Heads::quotient,
       .roles = {{.name = "bias",
                  .preset = "mpt-alibi",
                  .fields = {{"octaves", {"attn_config.alibi_bias_max"}, 8}},
                  .heads_keys = {"n_heads"}}},
       .softmax = Softmax::multiplier,
       .softmax_key = "attn_config.softmax_scale",
       .remarks = {{"attn_config.alibi", "false",
                    "is not read by transformers, which adds ALiBi all the same; llm-foundry adds none, but has the "
                    "table of /learned_pos_emb, /max_seq_len rows"},
                   {"attn_config.rope", "true",
                    "is not read by transformers; llm-foundry turns queries and keys by it, and has neither ALiBi nor "
                    "a table"}}},
      {.types = "t5 mt5 umt5 switch_transformers pop2piano",
       .head = 64,
       .roles = {t5_bias("bias.encoder", "t5-bucket"), t5_bias("bias.decoder", "t5-bucket-decoder")},
       .softmax = Softmax::unscaled},
      {.types = "longt5",
       .head = 64,
       .roles = {t5_bias("bias.encoder", "t5-bucket"), t5_bias("bias.decoder", "t5-bucket-decoder")},
       .softmax = Softmax::unscaled,
       .remarks = {{"encoder_attention_type", "transient-global",
                    "is not read: blocks of tokens have a bias of their own", "bias.global"}}},
      {.types = "deberta-v2",
       .roles = {{.name = "embedding",
                  .preset = "learned",
                  .rows_keys = {"max_position_embeddings"},
                  .rows_field = "rows",
                  .key = "position_biased_input",
                  .value = "true"},
                 {.name = "bias",
                  .preset = "deberta-bucket",
                  .fields = {{"classes.count", {"position_buckets"}},
                             {"classes.reach", {"max_relative_positions", "max_position_embeddings"}}},
                  .key = "relative_attention",
                  .value = "true",
                  .otherwise = RoleRow::Absent::absent}},
       .softmax = Softmax::terms,
       .softmax_key = "pos_att_type",
       .table_width_key = "embedding_size"},

      // ---- none
      {.types = "mamba mamba2 rwkv falcon_mamba xlstm"},
  };
}

}  // namespace posenc::config
