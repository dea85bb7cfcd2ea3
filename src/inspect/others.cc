// SPDX-License-Identifier: Apache-2.0
// Roles that are rows of data: a preset's convention, and what keys change of it.
#include <posenc/preset.h>

#include "src/base/quote.h"
#include "src/inspect/measured.h"
#include "src/inspect/rope.h"
#include "src/inspect/sizes.h"

namespace posenc::config {
namespace {

std::optional<JsonNode> find_first(Part& part, const std::vector<std::string_view>& paths) {
  std::optional<JsonNode> found;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto node = find_path(part, paths[i]);
    const auto* negative = node ? node->value.as<std::int64_t>() : nullptr;  // -1 leaves it to the next key
    if (!found && node && (negative == nullptr || i + 1 == paths.size())) found.emplace(*node);
  }
  return found;
}

// The first that is stated, a size under its other names too, or the type's default.
std::optional<JsonNode> find_size(Part& part, const std::vector<std::string_view>& paths) {
  if (const auto node = find_first(part, paths)) return std::optional<JsonNode>(*node);
  if (const auto node = find_first(part, size_names(part, paths))) return std::optional<JsonNode>(*node);
  return default_size(part, paths);
}

// What a key says: "true", "false", or its word.
std::string word_of(const JsonNode& node) {
  if (node.value.is_boolean()) return flag_of(node) ? "true" : "false";
  return node.text();
}

bool is_there(Part& part, const RoleRow& row) {
  if (row.key.empty()) return true;
  const auto node = find_path(part, row.key);
  if (!node) return row.otherwise == RoleRow::Absent::present;
  if (row.value == "number") return node->value.is_number();
  if (row.value == "true" && node->value.is_integer()) return node->integer() != 0;  // Llama 4's first files say 4
  if (row.value == "true" || row.value == "false") return flag_of(*node) == (row.value == "true");
  return has_word(row.value, word_of(*node));
}

// A path of a convention as a pointer.
std::string pointer_of(std::string_view path) {
  std::string text(path);
  std::ranges::replace(text, '.', '/');
  return text;
}

struct Fields {
  Part& part;
  const RoleRow& row;
  const std::string at;

  // The convention with what keys say of it.
  Convention read() const {
    Convention convention = preset(row.preset).convention;
    for (const KeyedField& field : row.fields) {
      const auto node = field.otherwise ? find_first(part, field.keys) : find_size(part, field.keys);
      if (!node && !field.otherwise) {
        part.keys.node().source.refuse(part.keys.pointer(field.keys.front()) + " must be stated", "no such key");
      }
      const bool whole = node && node->value.is_integer();
      const FieldValue value =
          whole ? FieldValue(node->integer()) : FieldValue(node ? node->number() : *field.otherwise);
      convention = change(convention, {field.path, value}, node);
      part.from(at + "/convention/" + pointer_of(field.path), node ? node->pointer : part.default_source());
    }
    return convention;
  }

  static Convention change(const Convention& convention, const FieldChange& change,
                           const std::optional<JsonNode>& node) {
    if (auto problem = check_changes(convention, std::span(&change, 1))) {
      if (node) node->refuse("one that the convention takes: " + problem->rule, problem->value);
      require(problem);
    }
    return with_field(convention, change.path, change.value);
  }
};

std::optional<Stated<std::int64_t>> count_under(Part& part, const std::vector<std::string_view>& keys,
                                                std::int64_t most) {
  if (keys.empty()) return std::nullopt;
  const auto node = find_size(part, keys);
  if (!node) {
    part.keys.node().source.refuse(part.keys.pointer(keys.front()) + " must be stated", "no such key");
  }
  return Stated<std::int64_t>{count_of(*node, most), node->pointer};
}

std::optional<Numbering> numbering_of(Part& part, const RoleRow& row, const std::string& at) {
  if (row.numbered == Numbered::places) return std::nullopt;
  if (row.numbered == Numbered::from_zero) {
    part.from(at + "/numbering", part.default_source());
    return Numbering{0, -1};
  }
  const bool fixed = row.numbered == Numbered::behind_one;
  const auto node = fixed ? std::nullopt : part.keys.find("pad_token_id");
  const std::int64_t padding = node ? node->integer() : row.padding;
  if (padding < 0 || padding > most_positions) node->refuse("0 or more", std::to_string(padding));
  const JsonNode& model = part.keys.node();
  if (node && model.has("vocab_size") && model.member("vocab_size").integer() <= padding) {
    node->refuse("below " + model.member("vocab_size").pointer, std::to_string(padding));
  }
  part.from(at + "/numbering", node ? node->pointer : part.default_source());
  return Numbering{padding + 1, padding};
}

std::optional<Stated<std::int64_t>> rows_of(Part& part, const RoleRow& row) {
  if (row.rows != 0 && !find_first(part, row.rows_keys)) {
    return Stated<std::int64_t>{row.rows, part.default_source()};
  }
  return count_under(part, row.rows_keys, most_positions - row.further_rows);
}

// Rows of the model's own table: as many as a key says, or as there are cells.
void read_rows(Part& part, const RoleRow& row, const std::string& at, PositionRole& role) {
  if (row.cells == Cells::image) {
    const ImageCells cells = cells_of(part);
    role.cells = {cells.height, cells.width};
    part.from(at + "/width/cells", cells.from);
    if (row.rows_field.empty()) return;
    role.rows = cells.height * cells.width + row.further_rows;
    part.from(at + "/width/rows", cells.from);
  } else if (const auto rows = rows_of(part, row)) {
    role.rows = rows->value + row.further_rows;
    part.from(at + "/width/rows", rows->from);
  } else {
    return;
  }
  if (!row.rows_field.empty()) role.convention = with_field(*role.convention, row.rows_field, *role.rows);
}

// Qwen's images have a rope object whose type is axial, or none.
void check_axial(Part& part) {
  const auto object = rope_object(part);
  if (!object) return;
  object->require_only({"rope_type", "type", "rope_theta"});
  for (const std::string_view name : {"rope_type", "type"}) {
    if (object->has(name)) (void)object->member(name).one_of<bool>({{"axial", true}, {"default", true}});
  }
}

// A rotation by the axes of an image: whole heads, half of the columns of each for an axis.
void read_turned(Part& part, const std::string& at, PositionRole& role) {
  const auto head = quotient_head(part);
  if (const auto problem = check_measure(*role.convention, head.value)) {
    part.keys.node().source.refuse(head.from + " must give a head that turns: " + problem->rule, problem->value);
  }
  role.head = role.rotated = head.value;
  part.from(at + "/width/head", head.from);
  part.from(at + "/width/rotated", head.from);
  check_axial(part);
  measure(part, *role.convention, role);
}

std::vector<std::int64_t> all_layers(const Part& part) {
  std::vector<std::int64_t> layers;
  for (std::int64_t i = 0; i < part.result.layers.value_or(0); ++i) layers.push_back(i);
  return layers;
}

std::vector<std::int64_t> layers_of_kind(const Layers& layers, std::string_view name) {
  const auto kind = std::ranges::find(layers.kinds, name, &LayerKind::name);
  if (kind == layers.kinds.end()) return {};
  return layers.of[static_cast<std::size_t>(kind - layers.kinds.begin())];
}
bool is_of_no_layer(const Layers& layers, const RoleRow& row) {
  return row.of == RoleRow::Of::layers_of_kind && layers.count && layers_of_kind(layers, row.kind).empty();
}

PositionRole role_of(Part& part, const Layers& layers, const RoleRow& row) {
  PositionRole role;
  role.name = row.name;
  const std::string at = "/roles/" + role.name;
  role.convention = Fields{part, row, at}.read();
  if (const auto heads = count_under(part, row.heads_keys, most_width)) {
    role.heads = heads->value;
    part.from(at + "/width/heads", heads->from);
  }
  read_rows(part, row, at, role);
  role.preset = preset_of(*role.convention);
  if (row.cells == Cells::turning) read_turned(part, at, role);
  if (role.name.starts_with("embedding")) {
    const auto width = table_width_of(part);
    role.width = width.value;
    part.from(at + "/width/columns", width.from);
  }
  role.numbering = numbering_of(part, row, at);
  role.places = preset(row.preset).places;  // the family's, whatever keys change of the convention
  if (role.places) part.from(at + "/places", part.default_source());
  if (row.of == RoleRow::Of::layers_that_do_not_turn) role.layers = part.result.without;
  if (row.of == RoleRow::Of::every_layer) role.layers = all_layers(part);
  if (row.of == RoleRow::Of::layers_of_kind) role.layers = layers_of_kind(layers, row.kind);
  return role;
}

void add_remarks(Part& part) {
  for (const Remark& each : part.family.remarks) {
    if (each.key.empty()) {
      part.misses(each.missing, std::string(each.words));
      continue;
    }
    const auto node = find_path(part, each.key);
    const bool has_word = node && (node->value.is_boolean() || node->value.is_string());
    const bool is_factor = node && node->value.is_number() && each.value.empty() && node->value.number() != 1;
    if (!is_factor && (!has_word || word_of(*node) != each.value)) continue;
    const std::string words = node->pointer + " " + std::string(each.words);
    each.missing.empty() ? part.note(words) : part.misses(each.missing, words);
  }
}

}  // namespace

void read_others(Part& part, const Layers& layers) {
  for (const RoleRow& row : part.family.roles) {
    if (!is_there(part, row) || is_of_no_layer(layers, row)) continue;
    if (row.cells == Cells::stages) {
      read_stages(part, row);
    } else {
      part.result.roles.push_back(role_of(part, layers, row));
    }
  }
  add_remarks(part);
}

}  // namespace posenc::config
