// SPDX-License-Identifier: Apache-2.0
// Models inside a configuration, and the ones among them that are not read.
#include "src/inspect/parts.h"

#include <algorithm>

#include "src/spec/json/json_words.h"

namespace posenc::config {
namespace {

constexpr PartName names_of_parts[] = {
    {"text_config", "text"},         {"llm_config", "text"},      {"language_config", "text"},
    {"thinker_config", "thinker"},   {"talker_config", "talker"}, {"code_predictor_config", "code_predictor"},
    {"code2wav_config", "code2wav"}, {"vision_config", "vision"}, {"audio_config", "audio"},
    {"encoder", "encoder"},          {"decoder", "decoder"}};

constexpr std::string_view ending = "_config";

// Codecs and quantisers of convolutions; the attention that some have is of cells without positions, as that of
// resamplers and of Moshi's depth, whose weights are of a place each.
constexpr std::string_view without_positions[] = {
    "chameleon_vqgan", "emu3_vqgan",        "janus_vqgan",        "dac",
    "encodec",         "idefics_perciever", "idefics2_perceiver", "moshi_depth"};

const std::string* stated_model_type(const JsonTree& value) {
  const JsonTree* type = value.is_object() ? value.find("model_type") : nullptr;
  return type != nullptr && type->is_string() && !type->text().empty() ? &type->text() : nullptr;
}

}  // namespace

std::span<const PartName> part_names() { return names_of_parts; }

bool is_part_key(std::string_view key) {
  return std::ranges::find(names_of_parts, key, &PartName::key) != std::end(names_of_parts);
}

std::string key_of_part(std::string_view name) {
  const auto own = std::ranges::find(names_of_parts, name, &PartName::name);
  return own != std::end(names_of_parts) ? std::string(own->key) : std::string(name) + std::string(ending);
}

bool holds(const io::JsonNode& node, const PartName& part) {
  const JsonTree* inner = node.value.find(part.key);
  return inner != nullptr && inner->is_object() && inner->size() > 0;
}

bool holds_text(const io::JsonNode& node) {
  return std::ranges::any_of(names_of_parts,
                             [&](const PartName& each) { return each.name == "text" && holds(node, each); });
}

bool is_other_model(std::string_view key, const JsonTree& value) {
  if (!value.is_object() || is_part_key(key)) return false;
  if (stated_model_type(value) != nullptr) return !is_without_positions(value);
  constexpr std::string_view of_models[] = {"hidden_size", "d_model", "num_hidden_layers", "num_attention_heads"};
  return key.ends_with(ending) &&
         std::ranges::count_if(of_models, [&](std::string_view name) { return value.contains(name); }) > 1;
}

bool is_without_positions(const JsonTree& value) {
  const std::string* type = stated_model_type(value);
  return type != nullptr && std::ranges::find(without_positions, *type) != std::end(without_positions);
}

std::string part_name(std::string_view outer, std::string_view own) {
  return outer.empty() ? std::string(own) : std::string(outer) + "." + std::string(own);
}

bool is_part_of(std::string_view name, std::string_view whole) {
  return name.size() > whole.size() && name.starts_with(whole) && name[whole.size()] == '.';
}

bool is_asked_for(std::string_view name, const InspectOptions& options) {
  const std::string_view asked = options.part;
  return asked.empty() || asked == name || is_part_of(name, asked) || is_part_of(asked, name);
}

std::vector<std::string> part_list(const io::JsonNode& node, const std::string& outer) {
  std::vector<std::string> names;
  for (const PartName& each : names_of_parts) {
    if (!holds(node, each)) continue;
    const std::string name = part_name(outer, each.name);
    if (std::ranges::find(names, name) != names.end()) continue;
    names.push_back(name);
    if (!outer.empty()) continue;  // deeper ones are not read
    const std::vector<std::string> inner = part_list(node.member(each.key), name);
    names.insert(names.end(), inner.begin(), inner.end());
  }
  return names;
}

void add_missing(ModelPositions& positions, std::string name, std::string why) {
  positions.missing.push_back({std::move(name), std::move(why)});
}

void add_unread_parts(const io::JsonNode& node, std::string_view outer, ModelPositions& positions) {
  for (const PartName& each : names_of_parts) {
    if (!holds(node, each)) continue;
    add_missing(positions, part_name(outer, each.name), node.member(each.key).pointer + " is not read: it is too deep");
  }
}

void add_other_model(const io::JsonNode& node, std::string_view key, std::string_view outer,
                     ModelPositions& positions) {
  const std::string_view own = key.ends_with(ending) ? key.substr(0, key.size() - ending.size()) : key;
  add_missing(positions, part_name(outer, own),
              node.pointer + io::pointer_step(key) + " is not read: its key is none of those of parts");
}

}  // namespace posenc::config
