// SPDX-License-Identifier: Apache-2.0
// Which object says how frequencies are made, and what its type is.
#include "src/inspect/rope.h"

#include <functional>

#include "src/base/quote.h"
#include "src/spec/json/json_words.h"

namespace posenc::config {
namespace {

/// Keys of every type, and what else reads them than transformers.
struct RopeKey {
  std::string_view name, others = {};
};
constexpr RopeKey common_keys[] = {
    {"rope_type"},
    {"type"},
    {"rope_theta"},
    {"partial_rotary_factor"},
    {"max_position_embeddings"},
    {"finetuned"},
    {"llama_4_scaling_beta"},
    {"attn_factor", "; vLLM multiplies the magnitude with it"},
    {"extrapolation_factor", "; vLLM multiplies the ramp of yarn with it"},
};

// An object that is not empty.
std::optional<JsonNode> object_under(Part& part, std::string_view name) {
  auto node = part.keys.find(name);
  if (!node) return std::nullopt;
  node->require_object();
  return node->value.size() == 0 ? std::nullopt : std::optional<JsonNode>(*node);
}

// What transformers takes where no object is stated; of several kinds of layers there is none.
std::optional<JsonNode> default_object(Part& part) {
  if (part.family.rope.empty()) return std::nullopt;
  const io::JsonSource& source = part.keys.node().source;
  if (!part.default_rope) part.default_rope = io::parse_json(part.family.rope, source);
  return JsonNode{*part.default_rope, part.default_source() + ", rope_parameters", source};
}

void read_type(Part& part, Rope& rope, const LayerKind& kind) {
  std::optional<JsonNode> named;
  if (rope.object) {
    const auto type = rope.object->find("type"), rope_type = rope.object->find("rope_type");
    const auto says = [](const auto& node, std::string_view word) { return node->text() == word; };
    const bool agree = !type || !rope_type || type->text() == rope_type->text() ||
                       (says(type, "mrope") && says(rope_type, "default")) ||
                       (says(type, "default") && says(rope_type, "mrope"));
    if (!agree) type->refuse("as " + rope_type->pointer + " says, " + quote(rope_type->text()), quote(type->text()));
    if (rope_type ? rope_type.has_value() : type.has_value()) named.emplace(rope_type ? *rope_type : *type);
  }
  std::string name(named ? std::string_view(named->text()) : rope.object ? "default" : kind.rope_type);
  rope.type_from = named ? named->pointer : rope.object ? "rule: none is stated" : part.default_source();
  if (name == "mrope") name = "default";
  if (named && has_word(part.family.longrope_names, name)) name = "longrope";
  const auto type = std::ranges::find(rope_types(), name, &RopeType::name);
  if (type == rope_types().end()) named->refuse_name(listed(rope_types(), std::mem_fn(&RopeType::name)) + ", mrope");
  rope.type = &*type;
}

bool is_kind(const Layers& layers, std::string_view key) {
  return std::ranges::any_of(layers.kinds, [&](const LayerKind& kind) { return kind.name == key; });
}

// One object for each kind, under its name. What else stands there is refused, but for a key that others read there.
std::vector<Rope> nested_ropes(Part& part, const Layers& layers, const JsonNode& object) {
  for (const auto& [key, value] : object.value.members()) {
    if (is_kind(layers, key)) continue;
    const JsonNode node = object.member(key);
    if (key == "truncate") {
      part.note(node.pointer + " is not read: it must stand where the layers do");
      continue;
    }
    object.source.refuse(quote(node.pointer, Keep::tail) + " must be one of the kinds of layers, " +
                             listed(layers.kinds, [](const LayerKind& kind) { return std::string(kind.name); }),
                         "no such kind");
  }
  std::vector<Rope> ropes(layers.kinds.size());
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    if (!object.has(layers.kinds[i].name)) continue;
    const JsonNode own = object.member(layers.kinds[i].name);
    ropes[i].nested = true;
    ropes[i].turns = !own.value.is_null();
    if (ropes[i].turns) ropes[i].object.emplace(own);
  }
  return ropes;
}

}  // namespace

std::optional<JsonNode> rope_object(Part& part) {
  if (part.family.objects == RopeObjects::none) return std::nullopt;
  auto scaling = object_under(part, "rope_scaling"), parameters = object_under(part, "rope_parameters");
  if (scaling && parameters && !same(scaling->value, parameters->value)) {
    parameters->refuse("as " + scaling->pointer + " says", "another value");
  }
  if (scaling) return std::optional<JsonNode>(*scaling);
  return parameters ? std::optional<JsonNode>(*parameters) : default_object(part);
}

std::vector<Rope> ropes_of(Part& part, const Layers& layers) {
  std::vector<Rope> ropes(layers.kinds.size());
  if (const auto object = rope_object(part)) {
    const bool nested =
        std::ranges::any_of(object->value.members(), [&](const auto& member) { return is_kind(layers, member.key); });
    if (nested) ropes = nested_ropes(part, layers, *object);
    for (std::size_t i = 0; i < ropes.size(); ++i) {
      if (!nested && layers.kinds[i].scaled == LayerKind::Scaled::yes) ropes[i].object.emplace(*object);
    }
  }
  for (std::size_t i = 0; i < ropes.size(); ++i) read_type(part, ropes[i], layers.kinds[i]);
  return ropes;
}

void check_unread(Part& part, const Rope& rope) {
  if (!rope.object) return;
  const JsonNode& object = rope.object->node();
  for (const auto& [key, value] : object.value.members()) {
    if (rope.object->was_read(key)) continue;
    const auto common = std::ranges::find(common_keys, key, &RopeKey::name);
    const bool is_common = common != std::end(common_keys);
    const auto has_key = [&](const RopeType& type) { return has_word(type.keys, key); };
    if (!is_common && std::ranges::none_of(rope_types(), has_key)) {
      object.source.refuse(quote(object.pointer + io::pointer_step(key), Keep::tail) + " must be a key of rope objects",
                           "an unknown one");
    }
    const bool agrees = key == "interleaved" && part.family.rotary && part.family.rotary->mrope == Mrope::interleaved;
    const std::string_view others = is_common ? common->others : std::string_view();
    const bool of_one = !others.empty() && value.is_number() && value.number() == 1;
    const bool read_over = agrees || of_one || key == "finetuned" || key == "max_position_embeddings" ||
                           value.is_null() || (key == "llama_4_scaling_beta" && !part.family.roles.empty());
    if (read_over) continue;
    const bool of_type = is_common || has_key(*rope.type);
    part.note(object.pointer + io::pointer_step(key) + " is not read" +
              (of_type ? " for " + part.result.model_type : ": the type is " + std::string(rope.type->name)) +
              std::string(others));
  }
}

}  // namespace posenc::config
