// SPDX-License-Identifier: Apache-2.0
// A configuration to the positions of its models: its parts, the row of each, and keys that nobody reads.
#include <posenc/inspect.h>
#include <posenc/preset.h>

#include "src/base/json_write.h"
#include "src/base/nearest.h"
#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/inspect/names.h"
#include "src/inspect/part.h"
#include "src/inspect/positions_json.h"
#include "src/spec/json/json_text.h"
#include "src/spec/json/json_words.h"

namespace posenc {
namespace config {
namespace {

/// Where a configuration holds another one, and what that part is called.
struct PartName {
  std::string_view key, name;
};
constexpr PartName part_names[] = {
    {"text_config", "text"},     {"llm_config", "text"},    {"language_config", "text"}, {"thinker_config", "thinker"},
    {"vision_config", "vision"}, {"audio_config", "audio"}, {"encoder", "encoder"},      {"decoder", "decoder"}};

struct Reading {
  const InspectOptions& options;
  ModelPositions& all;
};

void read_object(const JsonNode& node, const std::string& name, std::string_view type, const Reading& reading);

// ---- keys that nobody read ---------------------------------------------------------------------------------

void check_keys(const JsonNode& node, const Keys* keys, std::string_view type, const Reading& reading) {
  for (const auto& [key, value] : node.value.members()) {
    const bool is_part = std::ranges::find(part_names, key, &PartName::key) != std::end(part_names);
    if (key == "auto_map") reading.all.notes.push_back(node.pointer + "/auto_map names code, which is not run");
    if (key == "model_type" || is_part || (keys != nullptr && keys->was_read(key))) continue;
    reading.all.unread.push_back(node.pointer.empty() ? key : node.pointer.substr(1) + "/" + key);
    if (!speaks_of_positions(key) || value.is_null()) continue;
    const std::string pointer = node.pointer + io::pointer_step(key);
    if (!is_known_key(key)) {
      node.source.refuse(quote(pointer, Keep::tail) + " must be a known key, as it reads like one of positions",
                         "an unknown one");
    }
    if (!is_passed_key(key)) reading.all.notes.push_back(pointer + " is not read for " + std::string(type));
  }
}

// ---- parts -----------------------------------------------------------------------------------------------------

[[noreturn]] void refuse_type(const JsonNode& node, std::string_view type) {
  const std::vector<std::string_view> near = nearest(type, model_types(), 3);
  node.source.refuse(node.pointer + "/model_type must be one that has a row, such as " +
                         listed(near, [](std::string_view name) { return std::string(name); }) + ", or stated by --as",
                     quote(type));
}

// A part of a type may share the type of the whole: the vision_config of qwen2_vl.
const Family* family_of(std::string_view type, const std::string& part) {
  if (!part.empty()) {
    if (const Family* own = find_family(std::string(type) + "_" + part)) return own;
  }
  return find_family(type);
}

void check_position_type(Part& part) {
  const auto node = part.keys.find("position_embedding_type");
  if (!node) return;
  const std::string& name = node->text();
  const std::string_view words = part.family.position_types;
  if (words.empty() || has_word(words, name)) return;
  std::string list(words);
  for (char& c : list) c = c == ' ' ? ',' : c;
  node->refuse_name(list);
}

bool is_rotary(Part& part) {
  const Family& family = part.family;
  if (!family.rotary || family.rotary_key.empty()) return family.rotary.has_value();
  const auto node = part.keys.find(family.rotary_key);
  if (!node) return true;
  if (node->value.is_boolean()) return flag_of(*node) == (family.rotary_value == "true");
  return has_word(family.rotary_value, node->text());
}

void read_part(const JsonNode& node, const std::string& name, const std::string& type, const Family& family,
               const Reading& reading) {
  Part part = {Keys(node), family, name.empty() ? "" : "/parts/" + name, reading.options, reading.all, {}};
  part.result.name = name;
  part.result.model_type = type;
  check_position_type(part);
  const Layers layers = layers_of(part);
  if (is_rotary(part)) read_rotations(part, layers);
  read_others(part);
  read_embedding(part);
  check_keys(node, &part.keys, type, reading);
  reading.all.parts.push_back(std::move(part.result));
}

// Width of the whole and of its text, where both are stated.
void check_same_width(const JsonNode& whole, const JsonNode& text) {
  constexpr std::string_view name = "hidden_size";
  if (!whole.has(name) || !text.has(name)) return;
  const JsonNode own = whole.member(name), inner = text.member(name);
  if (!own.value.is_null() && !same(own.value, inner.value)) {
    own.refuse("as " + inner.pointer + " says", json_text(own.value));
  }
}

// Whether a part that is no text can be read.
bool has_row(const JsonNode& part, std::string_view type, std::string_view name) {
  const bool stated = part.has("model_type");
  return family_of(stated ? std::string_view(part.member("model_type").text()) : type, std::string(name)) != nullptr;
}

bool read_parts(const JsonNode& node, std::string_view type, const Family* family, const Reading& reading) {
  bool found = false;
  for (const PartName& each : part_names) {
    if (!node.has(each.key) || !node.member(each.key).value.is_object()) continue;
    const JsonNode inner = node.member(each.key);
    if (inner.value.size() == 0) continue;
    if (!reading.options.part.empty() && reading.options.part != each.name) continue;
    found = true;
    const bool is_text = each.name == "text";
    if (is_text) check_same_width(node, inner);
    const std::string_view own = is_text && family != nullptr && !family->text.empty() ? family->text : type;
    if (is_text || has_row(inner, own, each.name)) {
      read_object(inner, std::string(each.name), own, reading);
    } else {
      reading.all.notes.push_back(inner.pointer + " is not read: its model type has no row");
    }
  }
  return found;
}

bool has_text(const JsonNode& node) {
  return std::ranges::any_of(part_names, [&](const PartName& each) {
    return each.name == "text" && node.has(each.key) && node.member(each.key).value.is_object() &&
           node.member(each.key).value.size() > 0;
  });
}

void read_object(const JsonNode& node, const std::string& name, std::string_view type, const Reading& reading) {
  node.require_object();
  std::string stated(type);
  const bool told = name.empty() && !reading.options.as.empty();
  if (!told && (name.empty() || node.has("model_type"))) stated = node.member("model_type").text();
  const Family* family = family_of(stated, name);
  if (name.empty()) reading.all.model_type = stated;
  const bool is_whole = has_text(node) || (family == nullptr && name.empty());
  if (family != nullptr && !family->text.empty() && !is_whole) family = find_family(family->text);
  if (family == nullptr && !is_whole) refuse_type(node, stated);
  const bool wanted = reading.options.part.empty() || reading.options.part == name;
  if (!is_whole && wanted) read_part(node, name, stated, *family, reading);
  if (is_whole) check_keys(node, nullptr, stated, reading);
  if (name.size() > 0) return;
  const bool parts = read_parts(node, stated, family, reading);
  if (!parts && is_whole && family == nullptr && reading.options.part.empty()) refuse_type(node, stated);
  if (!parts && !reading.options.part.empty()) {
    node.source.refuse("the part must be one of the configuration's", quote(reading.options.part));
  }
}

}  // namespace

std::string preset_of(const Convention& convention) {
  const auto is_stored = [](const std::string& difference) {
    return difference.starts_with("stored:") || difference.starts_with("rows:");
  };
  for (const Preset& preset : presets()) {
    if (std::ranges::all_of(differences(preset.convention, convention), is_stored)) return std::string(preset.name);
  }
  return {};
}

}  // namespace config

ModelPositions inspect(std::string_view json, const InspectOptions& options) {
  const io::JsonSource source = {"inspect", options.source};
  if (options.length && *options.length < 1) {
    source.refuse("the length must be at least 1", std::to_string(*options.length));
  }
  if (json.starts_with('<')) source.refuse("must be JSON, not a page of HTML", quote(json.substr(0, 20)));
  if (json.starts_with("version https://git-lfs")) {
    source.refuse("must be the file itself, not a pointer of Git LFS to it", quote(json.substr(0, 20)));
  }
  const JsonTree document = io::parse_json(json, source);
  const io::JsonNode node = {document, "", source};
  node.require_object();
  if (node.has("posenc_model_positions")) return config::positions_of_json(node);
  ModelPositions positions;
  positions.source = options.source;
  positions.length = options.length;
  config::read_object(node, "", options.as, {options, positions});
  std::ranges::sort(positions.regimes);
  positions.regimes.erase(std::unique(positions.regimes.begin(), positions.regimes.end()), positions.regimes.end());
  return positions;
}

std::optional<Problem> check_inspect(std::string_view json, const InspectOptions& options) {
  return problem_of([&] { inspect(json, options); });
}

}  // namespace posenc
