// SPDX-License-Identifier: Apache-2.0
// Which rotation the metadata of a GGUF file mean.
#include <posenc/io/gguf.h>
#include <posenc/preset.h>

#include <algorithm>

#include "src/base/environment.h"
namespace posenc::io {
namespace {

// Of which llama.cpp turns columns 2k and 2k + 1 together.
constexpr std::string_view adjacent[] = {
    "arcee",      "arctic",        "baichuan",  "bailingmoe", "chameleon",    "chatglm", "cohere2",
    "command-r",  "deci",          "deepseek",  "ernie4_5",   "ernie4_5-moe", "glm4",    "granite",
    "granitemoe", "granitehybrid", "internlm2", "llada",      "llama",        "llama4",  "minicpm",
    "mistral3",   "neo-bert",      "olmo",      "smollm3",    "starcoder",    "xverse"};
// Of which it turns columns k and k + r / 2 together.
constexpr std::string_view halves[] = {
    "apertus",       "bailingmoe2",     "bitnet",       "codeshell", "dbrx",         "dots1",     "dream",
    "exaone",        "exaone4",         "falcon",       "falcon-h1", "gemma",        "gemma2",    "gemma3",
    "gemma3n",       "gemma-embedding", "glm4moe",      "gpt-oss",   "gptneox",      "grok",      "grovemoe",
    "hunyuan-dense", "hunyuan-moe",     "jina-bert-v3", "lfm2",      "lfm2moe",      "llada-moe", "nemotron",
    "nomic-bert",    "nomic-bert-moe",  "olmo2",        "olmoe",     "openelm",      "orion",     "phi2",
    "phi3",          "phimoe",          "plamo",        "plamo2",    "qwen",         "qwen2",     "qwen2moe",
    "qwen3",         "qwen3moe",        "qwen3next",    "seed_oss",  "smallthinker", "stablelm",  "starcoder2"};

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Nothing where these fields do not make a convention.
std::optional<Convention> changed(const Convention& convention, const std::vector<FieldChange>& changes) {
  if (check_changes(convention, changes)) return std::nullopt;
  return with_fields(convention, changes);
}

// The scaling, as fields; false where the keys do not state it whole.
bool add_scaling(const GgufRope& rope, std::vector<FieldChange>& changes) {
  const double attention = rope.attn_factor.value_or(1);
  if (rope.scaling == "longrope") return false;
  if (rope.scaling == "yarn") {
    const auto length = rope.original_context_length ? rope.original_context_length : rope.context_length;
    if (!rope.factor || !length || attention != 1) return false;
    const std::vector<FieldChange> yarn = {{"ladder.scaling", "yarn"},
                                           {"ladder.scaling.factor", *rope.factor},
                                           {"ladder.scaling.length", *length},
                                           {"ladder.scaling.fast", rope.fast.value_or(32)},
                                           {"ladder.scaling.slow", rope.slow.value_or(1)},
                                           {"ladder.scaling.truncate", "whole"},
                                           {"magnitude", "yarn"},
                                           {"magnitude.factor", *rope.factor},
                                           {"magnitude.gain", 1},
                                           {"magnitude.gain_all", rope.gain_all.value_or(0)}};
    changes.insert(changes.end(), yarn.begin(), yarn.end());
    return true;
  }
  // Files from before the key have a factor alone, which is linear.
  if (rope.scaling != "none" && rope.factor && *rope.factor != 1) {
    changes.push_back({"ladder.scaling", "linear"});
    changes.push_back({"ladder.scaling.factor", *rope.factor});
  }
  if (attention != 1) changes.push_back({"magnitude", attention});
  return true;
}

}  // namespace

std::optional<Convention> rotation_of(const GgufRope& rope) {
  const DefaultEnvironment environment;
  const bool neighbours = has(adjacent, rope.architecture);
  if ((!neighbours && !has(halves, rope.architecture)) || !rope.sections.empty()) return std::nullopt;
  std::vector<FieldChange> changes;
  if (rope.freq_base) changes.push_back({"ladder.base", *rope.freq_base});
  if (rope.dimension_count && rope.dimension_count != rope.head) changes.push_back({"part", *rope.dimension_count});
  if (!add_scaling(rope, changes)) return std::nullopt;
  return changed(preset(neighbours ? "rope-pair" : "rope-half").convention, changes);
}

std::optional<Convention> sliding_rotation_of(const GgufRope& rope) {
  if (!rope.sliding_base) return std::nullopt;
  GgufRope own = rope;
  own.freq_base = rope.sliding_base;
  own.scaling.clear();
  own.factor.reset();
  return rotation_of(own);
}

}  // namespace posenc::io
