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
  constexpr std::string_view numbers[] = {"embedding_multiplier", "scale_emb", "embedding_scale"};
  if (const auto node = part.keys.find(numbers)) return {Scale::of(positive_of(*node)), node->pointer};
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

void read_softmax(Part& part) {
  const auto& roles = part.result.roles;
  const auto role = std::ranges::find_if(roles, [](const PositionRole& each) { return each.head.has_value(); });
  if (role == roles.end()) return;
  const auto head = static_cast<double>(*role->head);
  if (part.family.softmax == Softmax::yarn_gain_all) {
    if (has_latent_heads(part)) read_yarn_factor(part);
    return;
  }
  if (part.family.softmax == Softmax::pre_attention_scalar) {
    const auto node = part.keys.find("query_pre_attn_scalar");
    const double scalar = node ? positive_of(*node) : part.family.scalar;
    part.result.softmax_factor = std::sqrt(head / scalar);
    part.from("/softmax_factor", "rule: sqrt of the head over " + (node ? node->pointer : part.default_source()));
  }
  if (part.family.softmax == Softmax::multiplier) {
    const auto node = part.keys.find("attention_multiplier");
    if (!node && part.family.scalar == 0) return;
    const double multiplier = node ? positive_of(*node) : part.family.scalar;
    part.result.softmax_factor = multiplier * std::sqrt(head);
    part.from("/softmax_factor",
              "rule: " + (node ? node->pointer : part.default_source()) + " times the sqrt of the head");
  }
}

}  // namespace

void read_embedding(Part& part) {
  read_softmax(part);
  part.keys.pass(dtype_names);
  if (part.result.roles.empty()) return;
  const auto scale = scale_of(part);
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
