// SPDX-License-Identifier: Apache-2.0
// A configuration to the positions of its models: its parts, the row of each, and keys that nobody reads.
#include <posenc/inspect.h>
#include <posenc/preset.h>

#include "src/base/environment.h"
#include "src/base/json_write.h"
#include "src/base/nearest.h"
#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/inspect/names.h"
#include "src/inspect/part.h"
#include "src/inspect/part_type.h"
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
    {"text_config", "text"},         {"llm_config", "text"},      {"language_config", "text"},
    {"thinker_config", "thinker"},   {"talker_config", "talker"}, {"code_predictor_config", "code_predictor"},
    {"code2wav_config", "code2wav"}, {"vision_config", "vision"}, {"audio_config", "audio"},
    {"encoder", "encoder"},          {"decoder", "decoder"}};

struct Reading {
  const InspectOptions& options;
  ModelPositions& all;
  std::vector<std::string> wholes = {};  ///< types of the configurations that hold the one that is read
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

bool holds(const JsonNode& node, const PartName& part) {
  if (!node.has(part.key) || !node.member(part.key).value.is_object()) return false;
  return node.member(part.key).value.size() > 0;
}

bool has_text(const JsonNode& node) {
  return std::ranges::any_of(part_names,
                             [&](const PartName& each) { return each.name == "text" && holds(node, each); });
}

// Of several models, none of which is the configuration itself.
bool is_of_several(const JsonNode& node, const Family* family) {
  if (has_text(node)) return true;
  return family != nullptr && family->text.empty() && !family->parts.empty();
}

// Parts of parts have both names: thinker.text. Deeper ones are not read.
std::string part_name(const std::string& outer, std::string_view own) {
  return outer.empty() ? std::string(own) : outer + "." + std::string(own);
}

// thinker.text is a part of thinker.
bool is_part_of(std::string_view name, std::string_view whole) {
  return name.size() > whole.size() && name.starts_with(whole) && name[whole.size()] == '.';
}

// A text inside a part without a type would have that of the whole, of whose text it is none.
bool is_other_of_several(const JsonNode& part, std::string_view type, const Reading& reading) {
  return has_text(part) && !is_of_whole(type, reading.wholes);
}

bool read_parts(const JsonNode& node, const std::string& outer, std::string_view type, const Family* family,
                const Reading& reading) {
  std::vector<std::string> found;
  const std::string_view wanted = reading.options.part;
  for (const PartName& each : part_names) {
    if (!holds(node, each)) continue;
    const JsonNode inner = node.member(each.key);
    const std::string name = part_name(outer, each.name);
    if (!wanted.empty() && wanted != name && !is_part_of(name, wanted) && !is_part_of(wanted, name)) continue;
    if (std::ranges::find(found, name) != found.end()) {
      inner.refuse("the one configuration of " + name + ", which another key holds", "a second one");
    }
    found.push_back(name);
    const bool is_text = each.name == "text";
    if (is_text) check_same_width(node, inner);
    const std::string_view own = type_of_part(inner, each.name, family, type);
    if (outer.find('.') != outer.npos) {
      reading.all.notes.push_back(inner.pointer + " is not read: it is a part of a part of a part");
    } else if (is_text || family_of(own, each.name, reading.wholes) != nullptr ||
               is_other_of_several(inner, own, reading)) {
      read_object(inner, name, own, reading);
    } else {
      reading.all.notes.push_back(inner.pointer + " is not read: its model type has no row");
    }
  }
  return !found.empty();
}

// Its parts and theirs, in their order; two keys may hold one.
std::vector<std::string> part_list(const JsonNode& node, const std::string& outer) {
  std::vector<std::string> names;
  for (const PartName& each : part_names) {
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

[[noreturn]] void refuse_part(const JsonNode& node, std::string_view part) {
  const std::string names = listed(part_list(node, ""), [](const std::string& name) { return name; });
  node.source.refuse("the part must be one of the configuration's, " + (names.empty() ? "which has none" : names),
                     quote(part));
}

// A model of several without any of them.
[[noreturn]] void refuse_empty(const JsonNode& node, const Family& family) {
  const auto key = [&](const InnerType& inner) {
    return node.pointer + "/" + std::string(std::ranges::find(part_names, inner.part, &PartName::name)->key);
  };
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

void read_object(const JsonNode& node, const std::string& name, std::string_view type, const Reading& reading) {
  node.require_object();
  const bool told = name.empty() && !reading.options.as.empty();
  if (!told && name.empty()) (void)node.member("model_type").text();
  const std::string stated(told || !name.empty() ? type : stated_type(node, type));
  const std::string own_name = name.substr(name.rfind('.') + 1);
  const Family* family = family_of(stated, own_name, reading.wholes);
  if (name.empty()) reading.all.model_type = stated;
  const bool is_whole = is_of_several(node, family) || (family == nullptr && name.empty());
  const Family* own = family;
  if (own != nullptr && !own->text.empty() && !is_whole) own = find_family(own->text);
  if (own == nullptr && !is_whole) refuse_type(node, stated, reading.options);
  const std::string_view asked = reading.options.part;
  const bool wanted = asked.empty() || asked == name || is_part_of(name, asked);
  if (!is_whole && wanted) read_part(node, name, stated, *own, reading);
  if (is_whole) check_keys(node, nullptr, stated, reading);
  if (!name.empty() && !is_whole) return;
  const bool parts = read_parts(node, name, stated, family, within(node, stated, reading));
  if (!name.empty()) return;
  if (parts) return;
  if (!asked.empty()) refuse_part(node, asked);
  if (!is_whole) return;
  if (family == nullptr) refuse_type(node, stated, reading.options);
  refuse_empty(node, *family);
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
  const DefaultEnvironment environment;
  return problem_of([&] { inspect(json, options); });
}

}  // namespace posenc
