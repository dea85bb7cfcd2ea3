// SPDX-License-Identifier: Apache-2.0
// Numbers beside the positions: the scale of the embedding, and the factor of scores.
#include <cmath>

#include "src/base/quote.h"
#include "src/inspect/measured.h"
#include "src/inspect/rope.h"

namespace posenc::config {
namespace {

constexpr std::string_view dtype_names[] = {"dtype", "torch_dtype"};

DType type_of(const JsonNode& node) {
  constexpr std::pair<std::string_view, DType> names[] = {
      {"bfloat16", DType::bf16}, {"float16", DType::f16}, {"float32", DType::f32}, {"float64", DType::f64}};
  for (const auto& [name, type] : names) {
    if (node.text() == name) return type;
  }
  node.refuse_name("bfloat16, float16, float32, float64");
}

// Gemma rounds sqrt(d) to the type in which the model runs.
Stated<Scale> rounded_scale(Part& part) {
  const auto dtype = part.keys.find(dtype_names);
  const std::string rule = "rule: sqrt of " + width_of(part).from;
  if (!dtype) {
    part.note("the scale of the embedding is rounded to the type of the model, which no key states");
    return {Scale::sqrt_dim, rule};
  }
  return {Scale::sqrt_dim.rounded_to(type_of(*dtype)), rule + ", rounded to " + dtype->pointer};
}

Stated<Scale> scale_of(Part& part) {
  const std::string_view factor = part.family.times_key;
  if (const auto node = factor.empty() ? std::nullopt : part.keys.find(factor)) {
    return {Scale::of(positive_of(*node)), node->pointer};
  }
  switch (part.family.embedding) {
    case Embedding::sqrt_dim_rounded: return rounded_scale(part);
    case Embedding::sqrt_dim_if_scaled:
    case Embedding::sqrt_dim_unless_not:
      if (const auto node = part.keys.find("scale_embedding")) {
        if (!flag_of(*node)) return {Scale::of(1), node->pointer};
        return {Scale::sqrt_dim, "rule: sqrt of " + width_of(part).from + ", as " + node->pointer + " says"};
      }
      if (part.family.embedding == Embedding::sqrt_dim_if_scaled) break;
      return {Scale::sqrt_dim, "rule: sqrt of " + width_of(part).from + ", " + part.default_source()};
    case Embedding::plain:
    case Embedding::patches: break;
  }
  const std::string_view key = part.family.times_under;
  if (const auto node = key.empty() ? std::nullopt : part.keys.find(key)) {
    return {Scale::of(1 / positive_of(*node)), "rule: 1 over " + node->pointer};
  }
  return {Scale::of(part.family.times), part.default_source()};
}

// m(mscale_all_dim)^2.
void read_yarn_factor(Part& part) {
  const auto object = rope_object(part);
  if (!object || !object->has("mscale_all_dim") || !object->has("factor")) return;
  const JsonNode gain = object->member("mscale_all_dim"), factor = object->member("factor");
  if (gain.value.is_null() || factor.value.is_null() || gain.number() == 0) return;
  const double m = yarn_gain(factor_of(factor), positive_of(gain));
  part.result.softmax_factor = m * m;
  part.from("/softmax_factor", "rule: yarn, from " + gain.pointer + " and " + factor.pointer);
}

// Columns of a head: those that a rotation has stated, else what keys say.
double head_of(Part& part) {
  const auto& roles = part.result.roles;
  const auto role = std::ranges::find_if(roles, [](const PositionRole& each) { return each.head.has_value(); });
  if (role != roles.end()) {
    const bool differ = std::ranges::any_of(
        roles, [&](const PositionRole& each) { return each.head.has_value() && each.head != role->head; });
    if (differ) part.note("softmax_factor is that of " + role->name + ": heads differ in width");
    return static_cast<double>(*role->head);
  }
  constexpr std::string_view widths[] = {"head_dim", "d_kv"};
  if (part.family.heads == Heads::quotient) return static_cast<double>(quotient_head(part).value);
  if (const auto node = part.keys.find(widths)) return static_cast<double>(count_of(*node, most_columns));
  return static_cast<double>(part.family.head != 0 ? part.family.head : quotient_head(part).value);
}

// "c2p|p2c", or a list of them.
std::size_t terms_in(const JsonNode& node) {
  std::string text;
  if (node.value.is_array()) {
    for (std::size_t i = 0; i < node.value.size(); ++i) text += node.item(i).text() + "|";
  } else {
    text = node.text();
  }
  return (text.find("c2p") != text.npos ? 1 : 0) + (text.find("p2c") != text.npos ? 1 : 0);
}

std::string source_of(const Part& part, const std::optional<JsonNode>& node) {
  return node ? node->pointer : part.default_source();
}

/// The factor and where it comes from; nothing where it is 1.
std::optional<Stated<double>> softmax_of(Part& part) {
  const Family& family = part.family;
  const auto node = family.softmax_key.empty() ? std::nullopt : find_path(part, family.softmax_key);
  const std::string from = source_of(part, node);
  switch (family.softmax) {
    case Softmax::plain:
    case Softmax::yarn_gain_all: return std::nullopt;
    case Softmax::pre_attention_scalar: {
      const double scalar = node ? positive_of(*node) : family.scalar;
      return Stated<double>{std::sqrt(head_of(part) / scalar), "rule: sqrt of the head over " + from};
    }
    case Softmax::multiplier: {
      if (!node && family.scalar == 0) return std::nullopt;
      const double multiplier = node ? positive_of(*node) : family.scalar;
      return Stated<double>{multiplier * std::sqrt(head_of(part)), "rule: " + from + " times the sqrt of the head"};
    }
    case Softmax::factor:
      if (!node) return std::nullopt;
      return Stated<double>{positive_of(*node), from};
    case Softmax::unscaled_unless:
      if (!node || flag_of(*node)) return std::nullopt;
      [[fallthrough]];
    case Softmax::unscaled: return Stated<double>{std::sqrt(head_of(part)), "rule: sqrt of the head, " + from};
    case Softmax::terms:
      if (!node) return std::nullopt;
      return Stated<double>{1 / std::sqrt(1 + static_cast<double>(terms_in(*node))),
                            "rule: 1 over the sqrt of 1 and the terms of " + from};
  }
  return std::nullopt;
}

void read_softmax(Part& part) {
  if (part.family.softmax == Softmax::yarn_gain_all) {
    if (has_latent_heads(part)) read_yarn_factor(part);
    return;
  }
  if (const auto factor = softmax_of(part)) {
    part.result.softmax_factor = factor->value;
    part.from("/softmax_factor", factor->from);
  }
}

}  // namespace

void read_embedding(Part& part) {
  read_softmax(part);
  part.keys.pass(dtype_names);
  const auto scale = scale_of(part);
  if (part.result.roles.empty() && scale.value == Scale::of(1)) return;
  const auto found = std::ranges::find_if(part.result.roles, [](const PositionRole& role) {
    return role.name == "embedding" || role.name.starts_with("embedding.");
  });
  if (found == part.result.roles.end() && part.family.embedding == Embedding::patches) return;
  if (found == part.result.roles.end()) {
    PositionRole role;
    role.name = "embedding";
    role.scale = scale.value;
    part.result.roles.push_back(role);
    part.from("/roles/embedding/scale", scale.from);
    return;
  }
  for (PositionRole& role : part.result.roles) {
    if (!role.name.starts_with("embedding")) continue;
    role.scale = scale.value;
    part.from("/roles/" + role.name + "/scale", scale.from);
  }
}

}  // namespace posenc::config
