// SPDX-License-Identifier: Apache-2.0
// A configuration to the positions of its models: its parts, the row of each, and keys that nobody reads.
#include <posenc/preset.h>
#include <posenc/spec/inspect.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/json_write.h"
#include "src/base/nearest.h"
#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/inspect/names.h"
#include "src/inspect/part.h"
#include "src/inspect/part_type.h"
#include "src/inspect/parts.h"
#include "src/inspect/positions_json.h"
#include "src/spec/json/json_text.h"
#include "src/spec/json/json_words.h"

namespace posenc {
namespace config {
namespace {

struct Reading {
  const InspectOptions& options;
  ModelPositions& all;
  std::vector<std::string> wholes = {};  ///< types of the configurations that hold the one that is read
};

void read_object(const JsonNode& node, const std::string& name, std::string_view type, const Reading& reading);

// ---- keys that nobody read ---------------------------------------------------------------------------------

// Validates an unread key: a scale of other families becomes a note, an unknown key about positions is refused.
void check_unread(const JsonNode& node, const std::string& key, std::string_view type, const Reading& reading) {
  if (node.member(key).value.is_null()) return;
  if (is_key_of_scale(key)) {
    reading.all.notes.push_back(node.pointer + io::pointer_step(key) + " is not read for " + std::string(type));
    return;
  }
  if (!speaks_of_positions(key)) return;
  const std::string pointer = node.pointer + io::pointer_step(key);
  if (!is_known_key(key)) {
    node.source.refuse(quote(pointer, Keep::tail) + " must be a known key, as it reads like one of positions",
                       "an unknown one");
  }
  if (!is_passed_key(key)) reading.all.notes.push_back(pointer + " is not read for " + std::string(type));
}

// An object of keys of the model itself, as MPT's attn_config. Names that quantization knows are of weights, those of
// labels, tasks and code are words of their own, and an object such as rope_scaling is judged by its own name.
bool is_inner(std::string_view key, const JsonTree& value) {
  constexpr std::string_view of_others[] = {
      "quantization_config",   "compression_config", "id2label", "label2id", "task_specific_params", "auto_map",
      "transformers.js_config"};
  if (!value.is_object() || std::ranges::find(of_others, key) != std::end(of_others)) return false;
  return key.ends_with("_config") || !speaks_of_positions(key);
}

// `path` is that of the object, as keys of it were read by.
void check_inner(const JsonNode& inner, const std::string& path, const Keys* keys, std::string_view type,
                 const Reading& reading) {
  for (const auto& [name, value] : inner.value.members()) {
    const std::string own = path + "." + name;
    if (keys != nullptr && keys->was_read(own)) continue;
    check_unread(inner, name, type, reading);
    if (is_inner(name, value) && !is_part_key(name)) check_inner(inner.member(name), own, keys, type, reading);
  }
}

void check_keys(const JsonNode& node, const Keys* keys, std::string_view name, std::string_view type,
                const Reading& reading) {
  for (const auto& [key, value] : node.value.members()) {
    if (key == "auto_map") reading.all.notes.push_back(node.pointer + "/auto_map names code, which is not run");
    const bool was_read = keys != nullptr && keys->was_read(key);
    const bool is_whole = !key.ends_with("_config") && was_read;  // a rope object, whose reader knows every key of it
    if (!is_part_key(key) && !is_whole && is_inner(key, value)) {
      check_inner(node.member(key), key, keys, type, reading);
    }
    if (key == "model_type" || is_part_key(key) || was_read) continue;
    reading.all.unread.push_back(node.pointer.empty() ? key : node.pointer.substr(1) + "/" + key);
    if (is_other_model(key, value)) add_other_model(node, key, name, reading.all);
    check_unread(node, key, type, reading);
  }
}

// ---- parts -----------------------------------------------------------------------------------------------------

[[noreturn]] void refuse_type(const JsonNode& node, std::string_view type, const InspectOptions& options) {
  const std::string near =
      listed(nearest(type, model_types(), 3), [](std::string_view name) { return std::string(name); });
  if (type == options.as) {  // no file says it
    require(Problem{"inspect", "as must be a model type that has a row, such as " + near, quote(type)});
  }
  node.source.refuse(
      node.pointer + "/model_type must be one that has a row, such as " + near + ", or stated by the option as",
      quote(type));
}

void check_position_type(Part& part) {
  const std::string_view words = part.family.position_types;
  const auto node = words.empty() ? std::nullopt : part.keys.find("position_embedding_type");
  if (!node) return;
  const std::string& name = node->text();
  if (has_word(words, name)) return;
  std::string list(words);
  for (char& c : list) c = c == ' ' ? ',' : c;
  node->refuse_name(list);
}

bool is_rotary(Part& part) {
  const Family& family = part.family;
  if (!family.rotary || family.rotary_key.empty()) return family.rotary.has_value();
  const auto node = part.keys.find(family.rotary_key);
  if (!node) return family.rotary_otherwise == RoleRow::Absent::present;
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
  read_others(part, layers);
  read_embedding(part);
  check_keys(node, &part.keys, name, type, reading);
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

// Of several models, none of which is the configuration itself.
bool is_of_several(const JsonNode& node, const Family* family) {
  return holds_text(node) || (family != nullptr && is_composite(*family));
}

// A text inside a part without a type would have that of the whole, of whose text it is none.
bool is_other_of_several(const JsonNode& part, const Reading& reading) {
  return holds_text(part) && !is_of_whole(stated_type(part, reading.wholes.front()), reading.wholes);
}

// A part that some key holds, of the whole whose row is `family`.
void read_held(const JsonNode& inner, const std::string& name, std::string_view own_name, std::string_view type,
               const Reading& reading) {
  const bool is_deep = std::ranges::count(name, '.') > 1;
  const bool has_row = own_name == "text" || family_of(type, own_name, reading.wholes) != nullptr;
  if (is_deep) {
    add_missing(reading.all, name, inner.pointer + " is not read: it is a part of a part of a part");
  } else if (has_row || is_other_of_several(inner, reading)) {
    read_object(inner, name, type, reading);
  } else {
    add_missing(reading.all, name,
                inner.pointer + " is not read: model type " + quote(type) + " has no row for " + std::string(own_name));
  }
}

// Returns why a part that the row names is missing; "" if the part has no positions.
std::string why_unread(const JsonNode& node, const InnerType& part) {
  const std::string key = key_of_part(part.part), pointer = node.pointer + "/" + key;
  const JsonTree* held = node.value.find(key);
  if (held == nullptr) return part.otherwise == RoleRow::Absent::present ? pointer + " is not stated" : "";
  if (held->is_null()) return part.otherwise == RoleRow::Absent::present ? pointer + " is null" : "";
  if (!held->is_object()) node.member(key).require_object();
  return is_without_positions(*held) ? "" : pointer + " is not read: its key is none of those of parts";
}

bool is_switched_off(const JsonNode& node, const InnerType& part) {
  return !part.only_if.empty() && node.has(part.only_if) && node.member(part.only_if).value.is_boolean() &&
         !flag_of(node.member(part.only_if));
}

// Parts that the row of the whole names and no key holds: transformers makes them of its own defaults.
void add_unstated(const JsonNode& node, const std::string& outer, const Family& family,
                  const std::vector<std::string>& found, const Reading& reading) {
  for (const InnerType& each : family.parts) {
    const std::string name = part_name(outer, each.part);
    const bool is_named =
        std::ranges::find(found, name) != found.end() ||
        std::ranges::find(reading.all.missing, name, &MissingPositions::name) != reading.all.missing.end();
    if (is_named || is_switched_off(node, each) || !is_asked_for(name, reading.options)) continue;
    if (const std::string why = why_unread(node, each); !why.empty()) add_missing(reading.all, name, why);
  }
}

// An empty object states the defaults of a part that the row of the whole names.
bool is_stated(const JsonNode& node, const PartName& part, const Family* family) {
  if (holds(node, part)) return true;
  const JsonTree* held = node.value.find(part.key);
  return held != nullptr && held->is_object() && family != nullptr &&
         std::ranges::find(family->parts, part.name, &InnerType::part) != family->parts.end();
}

bool read_parts(const JsonNode& node, const std::string& outer, std::string_view type, const Family* family,
                const Reading& reading) {
  std::vector<std::string> found;
  for (const PartName& each : part_names()) {
    if (!is_stated(node, each, family)) continue;
    const JsonNode inner = node.member(each.key);
    const std::string name = part_name(outer, each.name);
    if (!is_asked_for(name, reading.options)) continue;
    if (std::ranges::find(found, name) != found.end()) {
      inner.refuse("the one configuration of " + name + ", which another key holds", "a second one");
    }
    found.push_back(name);
    if (each.name == "text") check_same_width(node, inner);
    read_held(inner, name, each.name, type_of_part(inner, each.name, family, type), reading);
  }
  if (family != nullptr) add_unstated(node, outer, *family, found, reading);
  return !found.empty();
}

[[noreturn]] void refuse_part(const JsonNode& node, std::string_view part) {
  const std::string names = listed(part_list(node, ""), [](const std::string& name) { return name; });
  node.source.refuse("the part must be one of the configuration's, " + (names.empty() ? "which has none" : names),
                     quote(part));
}

// A model of several without any of them.
[[noreturn]] void refuse_empty(const JsonNode& node, const Family& family) {
  const auto key = [&](const InnerType& inner) { return node.pointer + "/" + key_of_part(inner.part); };
  node.source.refuse("one of " + listed(family.parts, key) + " must be stated", "no such key");
}

// How its parts are read. `as` does not make the type that it states one of a part.
Reading within(const JsonNode& node, const std::string& type, const Reading& reading) {
  Reading inner = reading;
  inner.wholes.push_back(type);
  if (node.has("model_type") && node.member("model_type").value.is_string()) {
    inner.wholes.push_back(node.member("model_type").text());
  }
  return inner;
}

// The file that Meta, Mistral and DeepSeek publish beside their own code. With a type that is stated by hand its keys
// would be read: dim is a width, and n_heads are heads. But Meta's and Mistral's checkpoints of it turn adjacent
// columns where config.json of the same model says halves, and an absent key means another default.
void refuse_params(const JsonNode& node) {
  if (node.has("model_type") || node.has("hidden_size") || !node.has("dim") || !node.has("n_heads")) return;
  node.source.refuse("must be a config.json of transformers, not the params.json of the model's own code",
                     "the keys /dim and /n_heads");
}

std::string stated_type_of(const JsonNode& node, const std::string& name, std::string_view type,
                           const Reading& reading) {
  if (!name.empty() || !reading.options.as.empty()) return std::string(type);
  (void)node.member("model_type").text();
  return std::string(stated_type(node, type));
}

// Its own roles, of a configuration that is a model itself.
void read_own(const JsonNode& node, const std::string& name, const std::string& type, const Family* family,
              const Reading& reading) {
  const Family* own = family != nullptr && !family->text.empty() ? find_family(family->text) : family;
  if (own == nullptr) refuse_type(node, type, reading.options);
  const std::string_view asked = reading.options.part;
  if (asked.empty() || asked == name || is_part_of(name, asked)) read_part(node, name, type, *own, reading);
  if (name.empty()) return;
  add_unread_parts(node, name, reading.all);
  const bool is_whole_again = is_of_whole(type, reading.wholes);  // a text that has the type of its whole
  if (family->text.empty() && !is_whole_again) add_unstated(node, name, *family, {}, reading);
}

// A model of several. Of an unknown one the parts alone are read, where one of them is its text, or one is asked for.
void read_whole(const JsonNode& node, const std::string& name, const std::string& type, const Family* family,
                const Reading& reading) {
  check_keys(node, nullptr, name, type, reading);
  if (family == nullptr && reading.options.part.empty()) {
    add_missing(reading.all, name, "model type " + quote(type) + " has no row: its parts alone are read");
  }
}

void read_object(const JsonNode& node, const std::string& name, std::string_view type, const Reading& reading) {
  node.require_object();
  if (name.empty()) refuse_params(node);
  const std::string stated = stated_type_of(node, name, type, reading);
  const Family* family = family_of(stated, name.substr(name.rfind('.') + 1), reading.wholes);
  if (name.empty()) reading.all.model_type = stated;
  const std::string_view asked = reading.options.part;
  const bool is_whole = is_of_several(node, family) || (family == nullptr && name.empty() && !asked.empty());
  is_whole ? read_whole(node, name, stated, family, reading) : read_own(node, name, stated, family, reading);
  if (!is_whole && !name.empty()) return;
  const bool parts = read_parts(node, name, stated, family, within(node, stated, reading));
  if (parts || !name.empty()) return;
  if (!asked.empty()) refuse_part(node, asked);
  if (is_whole) refuse_empty(node, *family);
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
  const DefaultEnvironment environment;
  const io::JsonSource source = {"inspect", options.source};
  if (options.length && *options.length < 1) {
    source.refuse("the length must be at least 1", std::to_string(*options.length));
  }
  if (json.starts_with('<')) source.refuse("must be JSON, not a page of HTML", quote(json.substr(0, 20)));
  if (json.starts_with("version https://git-lfs")) {
    source.refuse("must be the file itself, not a pointer of Git LFS to it", quote(json.substr(0, 20)));
  }
  const JsonTree document = io::parse_json(json, source, io::NonFinite::read);
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
  const DefaultEnvironment environment;
  return problem_of([&] { inspect(json, options); });
}

}  // namespace posenc
