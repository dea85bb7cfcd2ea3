// SPDX-License-Identifier: Apache-2.0
// Models inside a configuration: the keys that hold them, and what each is called.
#pragma once

#include <posenc/spec/inspect.h>

#include "src/spec/json/json_node.h"

namespace posenc::config {

/// The key under which a configuration holds another one, and the name of that part.
struct PartName {
  std::string_view key, name;
};
std::span<const PartName> part_names();

/// The key is one of part_names.
bool is_part_key(std::string_view key);
/// The key of the part with that name: the first of several; NAME_config for an unlisted name.
std::string key_of_part(std::string_view name);
/// The part is there, as an object that is not empty.
bool holds(const io::JsonNode& node, const PartName& part);
bool holds_text(const io::JsonNode& node);
/// An object under another key that is the configuration of a model with positions all the same: it states a model
/// type, or its key ends in _config and it states two of layers, heads and a width, as ffn_config does not.
bool is_other_model(std::string_view key, const JsonTree& value);
/// Tells whether the object states a model type that has no positions.
bool is_without_positions(const JsonTree& value);

/// Parts of parts have both names: thinker.text.
std::string part_name(std::string_view outer, std::string_view own);
/// thinker.text is a part of thinker.
bool is_part_of(std::string_view name, std::string_view whole);
/// True where the options ask for the part, for one that holds it, or for one inside it; without a part, always.
bool is_asked_for(std::string_view name, const InspectOptions& options);
/// Parts and their parts in the order of part_names; two keys may hold one.
std::vector<std::string> part_list(const io::JsonNode& node, const std::string& outer);

/// Missing are a part that is not read, and parts of a part that has none here.
void add_missing(ModelPositions& positions, std::string name, std::string why);
void add_unread_parts(const io::JsonNode& node, std::string_view outer, ModelPositions& positions);
/// The same of models under other keys than those of parts.
void add_other_model(const io::JsonNode& node, std::string_view key, std::string_view outer, ModelPositions& positions);

}  // namespace posenc::config
