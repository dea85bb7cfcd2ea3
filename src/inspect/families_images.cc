// SPDX-License-Identifier: Apache-2.0
// Model types of images, and models of several models. Source: transformers 5.23.0.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

// A row for each patch, line by line, behind those of `further` tokens.
RoleRow of_patches(std::int64_t further) {
  return {
      .name = "embedding", .preset = "learned", .further_rows = further, .rows_field = "rows", .cells = Cells::image};
}

RoleRow of_patches_if(std::int64_t further, std::string_view key) {
  RoleRow row = of_patches(further);
  row.key = key;
  row.value = "true";
  row.otherwise = RoleRow::Absent::absent;
  return row;
}

RoleRow beit_bias(std::string_view name, std::string_view key) {
  return {.name = name,
          .preset = "beit-window",
          .heads_keys = {"num_attention_heads"},
          .cells = Cells::image,
          .of = RoleRow::Of::every_layer,
          .key = key,
          .value = "true",
          .otherwise = RoleRow::Absent::absent};
}

RoleRow turned_patches(std::string_view preset, std::vector<std::string_view> base_keys, double base) {
  return {.name = "rotary",
          .preset = preset,
          .fields = {{"ladders.0.base", std::move(base_keys), base}},
          .cells = Cells::turning,
          .of = RoleRow::Of::every_layer};
}

RoleRow qwen_rotary() { return turned_patches("rope2d-qwen-vision", {"rope.rope_theta", "rope_theta"}, 10000); }

Family of_images(std::string_view types, std::vector<RoleRow> roles) {
  return {.types = types, .roles = std::move(roles), .embedding = Embedding::patches};
}

Family named_layers(Family family, std::string_view key) {
  family.layers_key = key;
  return family;
}

// Its hidden_size is the width of the text, to which patches are mapped in the end.
Family named_width(Family family, std::string_view key) {
  family.width_key = key;
  return family;
}

}  // namespace

std::vector<Family> image_families() {
  return {
      // ---- images
      of_images("vit vit_msn dinov2 clip_vision_model", {of_patches(1)}),
      of_images("deit", {of_patches(2)}),
      of_images("siglip_vision_model", {of_patches(0)}),
      of_images("beit data2vec-vision",
                {of_patches_if(1, "use_absolute_position_embeddings"), beit_bias("bias", "use_relative_position_bias"),
                 beit_bias("bias.shared", "use_shared_relative_position_bias")}),
      named_layers(of_images("swinv2", {{.name = "bias", .preset = "swinv2-cpb", .cells = Cells::stages}}), "depths"),
      named_layers(of_images("swin", {{.name = "bias", .preset = "swin-window", .cells = Cells::stages}}), "depths"),
      of_images("dinov3_vit", {turned_patches("rope2d-dinov3", {"rope_theta"}, 100)}),
      named_layers(of_images("qwen3_omni_moe_vision_encoder qwen3_vl_vision qwen3_vl_moe_vision",
                             {{.name = "embedding",
                               .preset = "learned",
                               .rows_keys = {"num_position_embeddings"},
                               .rows_field = "rows"},
                              qwen_rotary()}),
                   "depth"),
      named_width(named_layers(of_images("qwen2_vl_vision", {qwen_rotary()}), "depth"), "embed_dim"),
      named_layers(of_images("qwen2_5_vl_vision glm_ocr_vision", {qwen_rotary()}), "depth"),
      named_layers(of_images("glm4v_vision glm4v_moe_vision", {of_patches(0), qwen_rotary()}), "depth"),

      // ---- sound
      named_layers(
          {.types = "qwen3_omni_moe_audio_encoder qwen2_5_omni_audio_encoder",
           .roles = {{.name = "embedding", .preset = "whisper-published", .rows_keys = {"max_source_positions"}}},
           .embedding = Embedding::sqrt_dim_if_scaled},
          "encoder_layers"),

      // ---- models of several
      {.types = "clip", .text = "clip_text_model", .parts = {{"vision", "clip_vision_model"}}},
      {.types = "siglip", .text = "siglip_text_model", .parts = {{"vision", "siglip_vision_model"}}},
      {.types = "qwen3_omni_moe",
       .parts = {{"thinker", "qwen3_omni_moe_thinker"},
                 {"talker", "qwen3_omni_moe_talker", "enable_audio_output"},
                 {"code2wav", "qwen3_omni_moe_code2wav", "enable_audio_output"}}},
      {.types = "qwen3_omni_moe_thinker",
       .parts = {{"text", "qwen3_omni_moe_text"},
                 {"vision", "qwen3_omni_moe_vision_encoder"},
                 {"audio", "qwen3_omni_moe_audio_encoder"}}},
      {.types = "qwen3_omni_moe_talker",
       .parts = {{"text", "qwen3_omni_moe_talker_text"}, {"code_predictor", "qwen3_omni_moe_talker_code_predictor"}}},
      {.types = "qwen3_omni_moe_code2wav", .rotary = halves},
  };
}

}  // namespace posenc::config
