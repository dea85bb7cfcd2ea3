// SPDX-License-Identifier: Apache-2.0
// Which layers are of which kind: layer_types, no_rope_layers, or a period.
#include "src/base/quote.h"
#include "src/inspect/part.h"
#include "src/spec/json/json_words.h"

namespace posenc::config {
namespace {

// Layers that have no attention, or one without positions.
constexpr std::string_view without_attention =
    "linear_attention lightning_attention lightning mamba mamba2 conv recurrent";

// Names of files before transformers 5.
std::string_view present_name(std::string_view name) {
  if (name == "mamba") return "linear_attention";
  return name == "attention" ? "full_attention" : name;
}

std::optional<Stated<std::int64_t>> layer_count(Part& part) {
  if (!part.family.layers_key.empty()) {
    const auto own = part.keys.find(part.family.layers_key);
    if (!own) return std::nullopt;
    const bool stages = own->value.is_array();
    return Stated<std::int64_t>{stages ? total_of(*own) : count_of(*own, most_layers), own->pointer};
  }
  constexpr std::string_view names[] = {"num_hidden_layers", "n_layer", "n_layers", "num_layers"};
  const auto node = part.keys.find(names);
  if (!node) return std::nullopt;
  return Stated<std::int64_t>{count_of(*node, most_layers), node->pointer};
}

// A list with an item for each layer; an empty one is none.
std::optional<JsonNode> layer_list(Part& part, const Layers& layers, std::string_view key, std::string_view also = {}) {
  const std::string_view keys[] = {key, also};
  auto node = part.keys.find(Names(keys, also.empty() ? 1 : 2));
  if (!node) return std::nullopt;
  node->require_array();
  const auto size = static_cast<std::int64_t>(node->value.size());
  if (size == 0 && key == "no_rope_layers") return std::nullopt;
  if (layers.count && size != *layers.count) {
    node->refuse("a list of " + std::to_string(*layers.count) + " items, one for each layer", std::to_string(size));
  }
  if (size < 1 || size > most_layers) {
    node->refuse("a list of 1 to " + std::to_string(most_layers) + " items", std::to_string(size));
  }
  return node;
}

// By names: a family's own kinds, or where it has none every name that stands there.
void by_names(Part& part, const JsonNode& list, Layers& layers) {
  const bool own = part.family.kinds.size() > 1;
  if (!own) layers.kinds.clear();
  for (std::size_t i = 0; i < list.value.size(); ++i) {
    const JsonNode item = list.item(i);
    const std::string_view name = present_name(item.text());
    if (has_word(without_attention, name)) continue;
    const bool known = std::ranges::any_of(layers.kinds, [&](const LayerKind& kind) { return kind.name == name; });
    if (!known && own) {
      item.refuse_name(listed(layers.kinds, [](const LayerKind& kind) { return std::string(kind.name); }));
    }
    if (known) continue;
    check_name(list, name);
    if (layers.kinds.size() == 8) item.refuse("one of 8 kinds", quote(name));
    layers.kinds.push_back(only_kind(part.family));
    layers.kinds.back().name = name;
  }
  if (layers.kinds.empty()) layers.kinds.push_back(only_kind(part.family));
  layers.of.resize(layers.kinds.size());
  for (std::size_t i = 0; i < list.value.size(); ++i) {
    const auto layer = static_cast<std::int64_t>(i);
    const auto kind = std::ranges::find(layers.kinds, present_name(list.item(i).text()), &LayerKind::name);
    if (kind == layers.kinds.end()) {
      layers.others.push_back(layer);
    } else {
      layers.of[static_cast<std::size_t>(kind - layers.kinds.begin())].push_back(layer);
    }
  }
}

// By numbers: 1 for the first kind, though no_rope_layers is the list's name, 0 for the second.
void by_numbers(const JsonNode& list, Layers& layers) {
  for (std::size_t i = 0; i < list.value.size(); ++i) {
    const std::int64_t number = list.item(i).integer();
    if (number != 0 && number != 1) list.item(i).refuse("0 or 1", std::to_string(number));
    layers.of[number == 1 ? 0 : 1].push_back(static_cast<std::int64_t>(i));
  }
}

// By the layers of the second kind, in any order; without a list, or under an empty one, all are of the first.
void by_indices(Part& part, Layers& layers) {
  const auto list = part.keys.find(part.family.layering.indices);
  layers.from = list ? list->pointer : part.default_source();
  if (list) list->require_array();
  const std::size_t size = list ? list->value.size() : 0;
  if (size == 0) {
    layers.kinds.resize(1);
    layers.of.resize(1);
  }
  std::vector<bool> second(static_cast<std::size_t>(layers.count.value_or(0)));
  for (std::size_t i = 0; i < size; ++i) {
    const JsonNode item = list->item(i);
    const std::int64_t layer = item.integer();
    if (layer < 0 || (layers.count && layer >= *layers.count)) {
      item.refuse("a layer of " + std::to_string(layers.count.value_or(0)), std::to_string(layer));
    }
    if (layers.count) second[static_cast<std::size_t>(layer)] = true;
  }
  for (std::size_t i = 0; i < second.size(); ++i) layers.of[second[i] ? 1 : 0].push_back(static_cast<std::int64_t>(i));
}

// By names that repeat: recurrent ones, and attention.
void by_pattern(const JsonNode& list, Layers& layers) {
  list.require_array();
  if (list.value.size() == 0) list.refuse("a list of names", "an empty one");
  layers.from = list.pointer;
  for (std::int64_t i = 0; i < layers.count.value_or(0); ++i) {
    const JsonNode item = list.item(static_cast<std::size_t>(i) % list.value.size());
    const bool second = present_name(item.text()) == "full_attention";
    if (!second && !has_word(without_attention, item.text())) item.refuse_name("recurrent, attention");
    layers.of[second ? 1 : 0].push_back(i);
  }
}

// "LLLG": as long as the period, its last letter stands for the second kind.
std::int64_t period_of(const JsonNode& node) {
  if (!node.value.is_string()) return count_of(node, most_layers);
  const std::string& text = node.text();
  const bool is_pattern = !text.empty() && text.size() <= 64 && text.find_first_not_of('L') == text.size() - 1;
  if (!is_pattern) node.refuse("a number, or L .. L and one other letter", quote(text));
  return static_cast<std::int64_t>(text.size());
}

void by_period(Part& part, Layers& layers) {
  const Layering& layering = part.family.layering;
  std::int64_t period = layering.period;
  layers.from = part.default_source();
  if (const auto node = layering.key.empty() ? std::nullopt : part.keys.find(layering.key)) {
    period = period_of(*node);
    layers.from = node->pointer;
  }
  for (std::int64_t i = 0; i < layers.count.value_or(0); ++i) {
    const bool second = layers.kinds.size() > 1 && period > 0 && (i + layering.phase) % period == 0;
    layers.of[second ? 1 : 0].push_back(i);
  }
}

// Kinds that no rope object tells apart are one.
bool tells_kinds(Part& part, const Layers& layers) {
  if (part.family.kinds.size() > 1) return true;
  for (const std::string_view name : {"rope_scaling", "rope_parameters"}) {
    const JsonTree* object = part.keys.node().value.find(name);
    for (const LayerKind& kind : layers.kinds) {
      if (object != nullptr && !kind.name.empty() && object->contains(kind.name)) return true;
    }
  }
  return false;
}

void unite(Layers& layers) {
  for (std::size_t i = 1; i < layers.of.size(); ++i) {
    layers.of[0].insert(layers.of[0].end(), layers.of[i].begin(), layers.of[i].end());
  }
  std::ranges::sort(layers.of[0]);
  layers.of.resize(1);
  layers.kinds = {{.base = layers.kinds[0].base, .base_key = layers.kinds[0].base_key}};
}

}  // namespace

Layers layers_of(Part& part) {
  const Layering& layering = part.family.layering;
  Layers layers;
  layers.kinds = part.family.kinds;
  if (layers.kinds.empty()) layers.kinds.push_back(only_kind(part.family));
  layers.of.resize(layers.kinds.size());
  const auto count = layer_count(part);
  if (count) layers.count = count->value;
  const bool numbered = layering.list == "no_rope_layers";
  // No kind differs without rotations, and without a role of one kind.
  const bool differ = part.family.rotary || part.family.kinds.size() > 1;
  const auto names = differ ? layer_list(part, layers, "layer_types", layering.also) : std::nullopt;
  const auto list = numbered ? layer_list(part, layers, layering.list) : names;
  const auto pattern = layering.pattern.empty() ? std::nullopt : part.keys.find(layering.pattern);
  if (list) {
    layers.from = list->pointer;
    if (!layers.count) layers.count = static_cast<std::int64_t>(list->value.size());
    numbered ? by_numbers(*list, layers) : by_names(part, *list, layers);
  } else if (pattern) {
    by_pattern(*pattern, layers);
  } else if (!layering.indices.empty()) {
    by_indices(part, layers);
  } else {
    by_period(part, layers);
  }
  if (!tells_kinds(part, layers)) unite(layers);
  if (!layering.key.empty()) part.keys.pass(Names(&layering.key, 1));
  part.result.layers = layers.count;
  if (layers.count) part.from("/layers/count", count ? count->from : layers.from);
  if (layers.kinds.size() > 1) part.from("/layers", layers.from);
  return layers;
}

}  // namespace posenc::config
