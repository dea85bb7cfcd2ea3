// SPDX-License-Identifier: Apache-2.0
// Models of a text and what sees or hears for it, and of an encoder and a decoder: all positions are those of the
// parts. A part whose type has no row is missing of the model. Source: sub_configs of transformers 5.24.0, and the
// parameters and buffers of each model outside its parts, none of which is of positions.
#include "src/inspect/family.h"

namespace posenc::config {
namespace {

Family seeing(std::string_view types, std::string_view text, std::string_view vision) {
  return {.types = types, .parts = {{"text", text}, {"vision", vision}}};
}

Family hearing(std::string_view types, std::string_view text, std::string_view audio) {
  return {.types = types, .parts = {{"text", text}, {"audio", audio}}};
}

Family two_stacks(std::string_view types, std::string_view encoder, std::string_view decoder) {
  return {.types = types, .parts = {{"encoder", encoder}, {"decoder", decoder}}};
}

// A Q-Former has query tokens of its own, which attend to the vision's output.
Family asking(Family family, std::string_view qformer) {
  family.parts.push_back({"qformer", qformer});
  return family;
}

constexpr std::string_view must_be_stated = {};  // the type of a part: the model may have any

}  // namespace

std::vector<Family> composite_families() {
  return {
      // ---- both parts have rows
      seeing("deepseek_vl", "llama", "siglip_vision_model"),
      seeing("llava_onevision", "qwen2", "siglip_vision_model"),
      seeing("paligemma", "gemma", "siglip_vision_model"),
      seeing("shieldgemma2", "gemma3_text", "siglip_vision_model"),
      seeing("t5gemma2_encoder", "t5gemma2_text", "siglip_vision_model"),
      seeing("aya_vision cohere2_vision", "cohere2", "siglip_vision_model"),
      seeing("modernvbert", "modernbert", "siglip_vision_model"),
      seeing("cosmos3_omni", "qwen3_vl_text", "qwen3_vl_vision"),
      seeing("glm46v glmga", "glm4v_text", "glm4v_vision"),
      seeing("glm_ocr", "glm_ocr_text", "glm_ocr_vision"),
      seeing("hyperclovax_vision_v2", "hyperclovax", "qwen2_5_vl_vision"),
      seeing("vision-text-dual-encoder", must_be_stated, must_be_stated),
      two_stacks("encoder-decoder vision-encoder-decoder speech-encoder-decoder", must_be_stated, must_be_stated),
      two_stacks("t5gemma", "t5_gemma_module", "t5_gemma_module"),
      two_stacks("t5gemma2", "t5gemma2_encoder", "t5gemma2_decoder"),

      // ---- the text has one
      seeing("aria", "aria_text", "idefics3_vision"),
      asking(seeing("blip-2", "opt", "blip_2_vision_model"), "blip_2_qformer"),
      seeing("deepseek_ocr2", "deepseek_ocr2_text", "deepseek_ocr2_vision"),
      {.types = "emu3", .parts = {{"text", "emu3_text_model"}}},
      seeing("exaone4_5", "exaone4", "exaone4_5_vision"),
      seeing("fast_vlm", "qwen2", "timm_wrapper"),
      seeing("got_ocr2", "qwen2", "got_ocr2_vision"),
      seeing("idefics2", "mistral", "idefics2_vision"),
      seeing("idefics3", "llama", "idefics3_vision"),
      asking(seeing("instructblip", "opt", "instructblip_vision_model"), "instructblip_qformer"),
      asking(seeing("instructblipvideo", "opt", "instructblipvideo_vision_model"), "instructblipvideo_qformer"),
      seeing("internvl", "qwen2", "internvl_vision"),
      seeing("janus", "llama", "janus_vision_model"),
      seeing("kimi_k25", "deepseek_v3", "kimi_k25_vision"),
      seeing("lfm2_vl", "lfm2", "siglip2_vision_model"),
      seeing("lighton_ocr", "qwen3", "pixtral"),
      seeing("minicpmv4_6", "qwen3_5_text", "minicpmv4_6_vision"),
      seeing("mistral3", "mistral", "pixtral"),
      seeing("ovis2", "qwen2", "ovis2_vision"),
      seeing("paddleocr_vl", "paddleocr_vl_text", "paddleocr_vl_vision"),
      seeing("perception_lm", "llama", "timm_wrapper"),
      seeing("qianfan_ocr", "qwen3", "qianfan_ocr_vision"),
      seeing("qwen3_5", "qwen3_5_text", "qwen3_5_vision"),
      seeing("qwen3_5_moe", "qwen3_5_moe_text", "qwen3_5_moe_vision"),
      seeing("smolvlm", "llama", "smolvlm_vision"),
      seeing("video_llama_3", "qwen2", "video_llama_3_vision"),
      hearing("audioflamingo3", "qwen2", "audioflamingo3_encoder"),
      hearing("fun_asr_nano", "qwen3", "fun_asr_nano_encoder"),
      hearing("glmasr", "llama", "glmasr_encoder"),
      hearing("qwen2_audio", "qwen2", "qwen2_audio_encoder"),
      hearing("qwen3_asr", "qwen3", "qwen3_asr_encoder"),
      hearing("voxtral", "llama", "voxtral_encoder"),
      {.types = "qwen2_5_omni",
       .parts = {{"thinker", "qwen2_5_omni_thinker"},
                 {"talker", "qwen2_5_omni_talker", "enable_audio_output"},
                 {"token2wav", "qwen2_5_omni_token2wav", "enable_audio_output"}}},
      {.types = "qwen2_5_omni_thinker",
       .parts = {{"text", "qwen2_5_omni_text"},
                 {"vision", "qwen2_5_omni_vision_encoder"},
                 {"audio", "qwen2_5_omni_audio_encoder"}}},
      two_stacks("nougat", "donut-swin", "mbart"),
  };
}

}  // namespace posenc::config
