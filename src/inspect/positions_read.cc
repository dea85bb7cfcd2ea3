// SPDX-License-Identifier: Apache-2.0
// Model positions from their JSON: every key that the writer writes, and no other.
#include "src/inspect/keys.h"
#include "src/inspect/positions_json.h"
#include "src/spec/json/convention_node.h"
#include "src/spec/places_json.h"

namespace posenc::config {
namespace {

std::optional<std::int64_t> count_or_none(const JsonNode& node, std::string_view key, std::int64_t most) {
  if (!node.has(key) || node.member(key).value.is_null()) return std::nullopt;
  return count_of(node.member(key), most);
}

std::vector<std::int64_t> whole_numbers(const JsonNode& node, std::int64_t least, std::int64_t most) {
  node.require_array();
  std::vector<std::int64_t> list;
  for (std::size_t i = 0; i < node.value.size(); ++i) {
    const std::int64_t number = list.emplace_back(node.item(i).integer());
    if (number < least || number > most) {
      node.item(i).refuse("from " + std::to_string(least) + " to " + std::to_string(most), std::to_string(number));
    }
  }
  return list;
}

std::vector<std::string> texts(const JsonNode& node) {
  node.require_array();
  std::vector<std::string> list;
  for (std::size_t i = 0; i < node.value.size(); ++i) list.push_back(node.item(i).text());
  return list;
}

Scale scale_of_json(const JsonNode& node) {
  constexpr std::string_view keys[] = {"by", "number", "rounding"};
  node.require_only(keys);
  node.require_all(keys);
  const bool by_dim = node.member("by").one_of<bool>({{"sqrt_dim", true}, {"number", false}});
  Scale scale = by_dim ? Scale::sqrt_dim : Scale::of(positive_of(node.member("number")));
  if (const JsonNode rounding = node.member("rounding"); !rounding.value.is_null()) {
    scale.rounding =
        rounding.one_of<DType>({{"f32", DType::f32}, {"f64", DType::f64}, {"f16", DType::f16}, {"bf16", DType::bf16}});
  }
  return scale;
}

Numbering numbering_of_json(const JsonNode& node) {
  constexpr std::string_view keys[] = {"first", "absent"};
  node.require_only(keys);
  return {node.member("first").integer(), node.member("absent").integer()};
}

void read_width(const JsonNode& node, PositionRole& role) {
  constexpr std::string_view keys[] = {"head", "rotated", "heads", "columns", "rows", "cells"};
  node.require_only(keys);
  role.head = count_or_none(node, "head", 2 * most_columns);
  role.rotated = count_or_none(node, "rotated", most_columns);
  role.heads = count_or_none(node, "heads", most_width);
  role.width = count_or_none(node, "columns", most_width);
  role.rows = count_or_none(node, "rows", most_positions);
  if (!node.has("cells")) return;
  const JsonNode cells = node.member("cells");
  role.cells = whole_numbers(cells, 1, most_positions);
  if (role.cells.size() != 2) cells.refuse("a list of height and width", std::to_string(role.cells.size()));
}

PositionRole role_of_json(const JsonNode& node, const std::string& name) {
  constexpr std::string_view keys[] = {"preset", "convention", "scale",       "numbering",
                                       "places", "width",      "frequencies", "magnitude"};
  node.require_only(keys);
  node.require_all(keys);
  PositionRole role;
  role.name = name;
  const auto stated = [&](std::string_view key) { return !node.member(key).value.is_null(); };
  if (stated("preset")) role.preset = node.member("preset").text();
  if (stated("convention")) {
    role.convention = io::convention_of(node.member("convention"));
    require(check_convention(*role.convention));
  }
  if (stated("scale")) role.scale = scale_of_json(node.member("scale"));
  if (stated("numbering")) role.numbering = numbering_of_json(node.member("numbering"));
  if (stated("places")) {
    role.places = io::places_of(node.member("places"));
    require(check_places(*role.places));
  }
  read_width(node.member("width"), role);
  if (stated("magnitude")) role.magnitude = positive_of(node.member("magnitude"));
  if (!stated("frequencies")) return role;
  const JsonNode frequencies = node.member("frequencies");
  frequencies.require_object();
  for (const auto& [lengths, values] : frequencies.value.members()) {
    LengthFrequencies& each = role.frequencies.emplace_back(lengths);
    const JsonNode list = frequencies.member(lengths);
    list.require_array();
    for (std::size_t i = 0; i < list.value.size(); ++i) each.values.push_back(list.item(i).number());
  }
  return role;
}

void read_layers(const JsonNode& node, ModelPart& part) {
  node.require_object();
  part.layers = count_or_none(node, "count", most_layers);
  const std::int64_t last = part.layers.value_or(most_layers) - 1;
  part.without = whole_numbers(node.member("without"), 0, last);
  std::vector<std::string_view> known = {"count", "without"};
  for (PositionRole& role : part.roles) {
    known.push_back(role.name);
    if (!node.has(role.name)) continue;
    const JsonNode list = node.member(role.name);
    if (!list.value.is_string()) {
      role.layers = whole_numbers(list, 0, last);
      continue;
    }
    (void)list.one_of<bool>({{"all", true}});
    for (std::int64_t layer = 0; layer <= last && part.layers; ++layer) role.layers.push_back(layer);
  }
  node.require_only(known);
}

ModelPart part_of_json(const JsonNode& node, const std::string& name, const std::string& type) {
  ModelPart part;
  part.name = name;
  part.model_type = type;
  const JsonNode roles = node.member("roles");
  roles.require_object();
  for (const auto& [role, value] : roles.value.members()) {
    check_name(roles, role);
    part.roles.push_back(role_of_json(roles.member(role), role));
  }
  read_layers(node.member("layers"), part);
  part.softmax_factor = positive_of(node.member("softmax_factor"));
  return part;
}

// A document from before this key was there says nothing of it.
std::vector<MissingPositions> missing_of_json(const JsonNode& document) {
  std::vector<MissingPositions> missing;
  if (!document.has("missing")) return missing;
  const JsonNode list = document.member("missing");
  list.require_array();
  for (std::size_t i = 0; i < list.value.size(); ++i) {
    const JsonNode item = list.item(i);
    item.require_only({"name", "why"});
    missing.push_back({item.member("name").text(), item.member("why").text()});
  }
  return missing;
}

}  // namespace

ModelPositions positions_of_json(const JsonNode& document) {
  constexpr std::string_view keys[] = {"posenc_model_positions", "source", "model_type", "context", "roles",  "layers",
                                       "softmax_factor",         "parts",  "from",       "missing", "unread", "notes"};
  document.require_only(keys);
  const JsonNode version = document.member("posenc_model_positions");
  if (version.integer() != 1) version.refuse("1, the version that is supported", std::to_string(version.integer()));
  ModelPositions positions;
  positions.source = document.member("source").text();
  positions.model_type = document.member("model_type").text();
  const JsonNode context = document.member("context");
  constexpr std::string_view of_context[] = {"length", "regimes"};
  context.require_only(of_context);
  positions.length = count_or_none(context, "length", most_positions);
  positions.regimes = whole_numbers(context.member("regimes"), 1, most_positions);
  if (document.has("roles")) positions.parts.push_back(part_of_json(document, "", positions.model_type));
  if (document.has("parts")) {
    const JsonNode parts = document.member("parts");
    parts.require_object();
    constexpr std::string_view of_part[] = {"model_type", "roles", "layers", "softmax_factor"};
    for (const auto& [name, value] : parts.value.members()) {
      check_name(parts, name);
      const JsonNode part = parts.member(name);
      part.require_only(of_part);
      positions.parts.push_back(part_of_json(part, name, part.member("model_type").text()));
    }
  }
  const JsonNode from = document.member("from");
  from.require_object();
  for (const auto& [number, key] : from.value.members()) positions.from.push_back({number, from.member(number).text()});
  positions.missing = missing_of_json(document);
  positions.unread = texts(document.member("unread"));
  positions.notes = texts(document.member("notes"));
  return positions;
}

}  // namespace posenc::config
