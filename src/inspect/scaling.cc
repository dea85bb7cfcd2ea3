// SPDX-License-Identifier: Apache-2.0
// What a rope object does to long contexts: its numbers, and where each of them stands.
#include <cmath>
#include <numbers>

#include "src/inspect/rope.h"
#include "src/inspect/sizes.h"
#include "src/spec/write_fields.h"

namespace posenc::config {
namespace {

using Count = Stated<std::int64_t>;
using Real = Stated<double>;

}  // namespace

/// Who reads: the part, the rope object, and where the numbers go.
struct ScalingReader {
  Part& part;
  Rope& rope;
  const std::string at;  // of the convention
  std::int64_t rotated;
  const Real& share;
  double base;

  Keys& keys() { return *rope.object; }
  void scaling_from(std::string_view field, const std::string& key) {
    part.from(at + "/ladders/0/scaling/" + std::string(field), key);
  }
  void magnitude_from(std::string_view field, const std::string& key) {
    part.from(at + "/magnitude/" + std::string(field), key);
  }
};

namespace {

Count needed_positions(Part& part, std::string_view what) {
  if (const auto positions = positions_of(part)) return *positions;
  constexpr std::string_view names[] = {"max_position_embeddings"};
  if (const auto node = default_size(part, names)) return {count_of(*node, most_positions), node->pointer};
  part.keys.node().source.refuse(
      part.keys.pointer("max_position_embeddings") + " must be stated for " + std::string(what), "no such key");
}

// L0: the model's own key, then the object's, then the positions that there are.
Count first_trained(ScalingReader& reader) {
  constexpr std::string_view name = "original_max_position_embeddings";
  Part& part = reader.part;
  const auto inner = reader.rope.object ? reader.keys().find(name) : std::nullopt;
  std::optional<Count> found;
  if (inner) found = {count_of(*inner, most_positions), inner->pointer};
  if (const auto own = reader.rope.nested ? std::nullopt : part.keys.find(name)) {
    const std::int64_t length = count_of(*own, most_positions);
    if (found && found->value != length) {
      part.note(inner->pointer + " is not read: " + own->pointer + " says " + std::to_string(length));
    }
    found = {length, own->pointer};
  }
  if (!found) return needed_positions(part, reader.rope.type->name);
  const auto positions = positions_of(part);
  if (positions && found->value >= positions->value) {
    part.note(found->from + " is " + std::to_string(found->value) + ", no less than " + positions->from + ", " +
              std::to_string(positions->value));
  }
  return *found;
}

// Of yarn and longrope: stated, or how many times the positions are those of first training.
Real stated_or_ratio(ScalingReader& reader, const Count& length) {
  Part& part = reader.part;
  const auto positions = positions_of(part);
  const auto node = reader.rope.object ? reader.keys().find("factor") : std::nullopt;
  if (!node) {
    const Count most = needed_positions(part, "a factor");
    const double ratio = static_cast<double>(most.value) / static_cast<double>(length.value);
    return {ratio, "rule: " + most.from + " over " + length.from};
  }
  const double factor = factor_of(*node);
  const double ratio = positions ? static_cast<double>(positions->value) / static_cast<double>(length.value) : factor;
  if (ratio != factor) {
    part.note(node->pointer + " is " + io::number_text(factor) + "; " + positions->from + " over " + length.from +
              " is " + io::number_text(ratio));
  }
  return {factor, node->pointer};
}

Real needed_factor(ScalingReader& reader) {
  const JsonNode node = reader.keys().need("factor");
  return {factor_of(node), node.pointer};
}

// Null and 0 mean the default.
Real turns_or(ScalingReader& reader, std::string_view name, double otherwise) {
  const auto node = reader.rope.object ? reader.keys().find(name) : std::nullopt;
  if (!node || node->number() == 0) return {otherwise, "rule: yarn"};
  return {positive_of(*node), node->pointer};
}

std::optional<Real> gain_of(ScalingReader& reader, std::string_view name) {
  const auto node = reader.rope.object ? reader.keys().find(name) : std::nullopt;
  if (!node || node->number() == 0) return std::nullopt;
  return Real{positive_of(*node), node->pointer};
}

// attention_factor, where it is stated.
std::optional<Real> stated_magnitude(ScalingReader& reader) {
  const auto node = reader.rope.object ? reader.keys().find("attention_factor") : std::nullopt;
  if (!node) return std::nullopt;
  return Real{positive_of(*node), node->pointer};
}

// ---- a function a type -------------------------------------------------------------------------------

Scaling yarn_of(ScalingReader& reader, Rotary& rotary) {
  const Count length = first_trained(reader);
  const Real factor = stated_or_ratio(reader, length);
  const Real fast = turns_or(reader, "beta_fast", 32), slow = turns_or(reader, "beta_slow", 1);
  if (fast.value < slow.value) {
    reader.keys().node().refuse("with beta_fast no less than beta_slow",
                                io::number_text(fast.value) + " and " + io::number_text(slow.value));
  }
  const auto cut = reader.keys().find("truncate");
  const Truncate truncate = !cut || flag_of(*cut) ? Truncate::whole : Truncate::none;
  reader.scaling_from("factor", factor.from);
  reader.scaling_from("length", length.from);
  reader.scaling_from("fast", fast.from);
  reader.scaling_from("slow", slow.from);
  reader.scaling_from("truncate", cut ? cut->pointer : "rule: yarn");
  const auto gain = gain_of(reader, "mscale"), gain_all = gain_of(reader, "mscale_all_dim");
  if (const auto number = stated_magnitude(reader)) {
    rotary.magnitude = number->value;
    reader.part.from(reader.at + "/magnitude", number->from);
  } else {
    const bool both = gain && gain_all;
    rotary.magnitude = YarnMagnitude{factor.value, both ? gain->value : 1, both ? gain_all->value : 0};
    reader.magnitude_from("factor", factor.from);
    reader.magnitude_from("gain", both ? gain->from : "rule: yarn");
    reader.magnitude_from("gain_all", both ? gain_all->from : "rule: yarn");
  }
  return YarnScaling{factor.value, length.value, fast.value, slow.value, truncate};
}

std::vector<double> factor_list(ScalingReader& reader, std::string_view name) {
  const JsonNode node = reader.keys().need(name);
  node.require_array();
  const std::int64_t wanted = reader.rotated / 2;
  if (static_cast<std::int64_t>(node.value.size()) != wanted) {
    node.refuse(std::to_string(wanted) + " numbers, half of the columns that turn", std::to_string(node.value.size()));
  }
  std::vector<double> list;
  for (std::size_t i = 0; i < node.value.size(); ++i) list.push_back(positive_of(node.item(i)));
  return list;
}

// Phi-3.5 MoE states the magnitudes of short and long contexts.
std::optional<Real> stated_magnitudes(ScalingReader& reader) {
  const auto brief = reader.keys().find("short_mscale"), extended = reader.keys().find("long_mscale");
  if (!brief && !extended) return stated_magnitude(reader);
  const JsonNode one = reader.keys().need("short_mscale"), other = reader.keys().need("long_mscale");
  if (one.number() != other.number()) {
    other.refuse("as " + one.pointer + " says: a rotation has one magnitude", io::number_text(other.number()));
  }
  return Real{positive_of(one), one.pointer};
}

Scaling longrope_of(ScalingReader& reader, Rotary& rotary) {
  LongRopeScaling scaling;
  scaling.short_factors = factor_list(reader, "short_factor");
  scaling.long_factors = factor_list(reader, "long_factor");
  const Count length = first_trained(reader);
  scaling.length = length.value;
  reader.scaling_from("short_factors", reader.keys().pointer("short_factor"));
  reader.scaling_from("long_factors", reader.keys().pointer("long_factor"));
  reader.scaling_from("length", length.from);
  if (const auto number = stated_magnitudes(reader)) {
    rotary.magnitude = number->value;
    reader.part.from(reader.at + "/magnitude", number->from);
  } else if (const Real factor = stated_or_ratio(reader, length); factor.value <= 1 || length.value == 1) {
    rotary.magnitude = 1.0;
    reader.part.from(reader.at + "/magnitude", "rule: longrope, of a factor of at most 1, " + factor.from);
  } else {
    rotary.magnitude = LongRopeMagnitude{factor.value, length.value};
    reader.magnitude_from("factor", factor.from);
    reader.magnitude_from("length", length.from);
  }
  return scaling;
}

Scaling llama3_of(ScalingReader& reader, Rotary&) {
  const Real factor = needed_factor(reader);
  const JsonNode low = reader.keys().need("low_freq_factor"), high = reader.keys().need("high_freq_factor");
  const Count length = first_trained(reader);
  if (positive_of(high) < positive_of(low)) {
    high.refuse("no less than " + low.pointer, io::number_text(high.number()));
  }
  reader.scaling_from("factor", factor.from);
  reader.scaling_from("low", low.pointer);
  reader.scaling_from("high", high.pointer);
  reader.scaling_from("length", length.from);
  return Llama3Scaling{factor.value, low.number(), high.number(), length.value};
}

// Hunyuan calls dynamic what has one base whatever the length.
Scaling dynamic_of(ScalingReader& reader, Rotary&) {
  const std::string_view key = reader.part.family.ntk_key;
  const auto own = key.empty() ? std::nullopt : reader.keys().find(key);
  if (own && own->number() != 0) {
    reader.scaling_from("factor", own->pointer);
    constexpr std::string_view read_over[] = {"factor"};
    reader.keys().pass(read_over);
    return NtkScaling{factor_of(*own)};
  }
  const Real factor = needed_factor(reader);
  const Count length = needed_positions(reader.part, "dynamic");
  reader.scaling_from("factor", factor.from);
  reader.scaling_from("length", length.from);
  return DynamicNtkScaling{factor.value, length.value};
}

Scaling linear_of(ScalingReader& reader, Rotary&) {
  const Real factor = needed_factor(reader);
  reader.scaling_from("factor", factor.from);
  return LinearScaling{factor.value};
}

Scaling proportional_of(ScalingReader& reader, Rotary&) {
  const auto node = reader.rope.object ? reader.keys().find("factor") : std::nullopt;
  reader.scaling_from("factor", node ? node->pointer : "rule: proportional");
  reader.scaling_from("part", reader.share.from);
  return ProportionalScaling{node ? factor_of(*node) : 1, reader.share.value};
}

// Clips as many pairs as are stated, or those whose period is longer than L0.
Scaling cope_of(ScalingReader& reader, Rotary&) {
  const auto stated = reader.rope.object ? reader.keys().find("clip_n") : std::nullopt;
  if (stated) {
    const auto length = reader.keys().find("original_max_position_embeddings");
    if (length) reader.part.note(length->pointer + " is not read: " + stated->pointer + " says how many pairs");
    reader.scaling_from("pairs", stated->pointer);
    return ClippedScaling{count_of(*stated, most_positions)};
  }
  const Count length = first_trained(reader);
  const auto r = static_cast<double>(reader.rotated), longest = static_cast<double>(length.value);
  std::int64_t pairs = 0;
  for (double k = 0; k < r / 2; ++k) {
    pairs += 2 * std::numbers::pi * std::pow(reader.base, 2 * k / r) > longest ? 1 : 0;
  }
  if (pairs == 0) {
    reader.part.note("no pair is clipped: none has a period longer than " + length.from);
    return Nothing{};
  }
  reader.scaling_from("pairs", "rule: cope, pairs whose period is longer than " + length.from);
  return ClippedScaling{pairs};
}

Scaling unscaled(ScalingReader&, Rotary&) { return Nothing{}; }

constexpr RopeType all_types[] = {
    {"default", "mrope_section mrope_interleaved interleaved", unscaled},
    {"linear", "factor", linear_of},
    {"dynamic", "factor alpha", dynamic_of},
    {"yarn",
     "factor original_max_position_embeddings attention_factor beta_fast beta_slow mscale mscale_all_dim truncate",
     yarn_of},
    {"longrope",
     "factor original_max_position_embeddings attention_factor short_factor long_factor short_mscale long_mscale",
     longrope_of},
    {"llama3", "factor original_max_position_embeddings low_freq_factor high_freq_factor", llama3_of},
    {"proportional", "factor", proportional_of, RopeType::ShareOf::frequencies},
    {"cope", "clip_n original_max_position_embeddings", cope_of}};

}  // namespace

std::span<const RopeType> rope_types() { return all_types; }

void read_scaling(Part& part, Rope& rope, const std::string& role, std::int64_t rotated, const Stated<double>& share,
                  Geometric& ladder, Rotary& rotary) {
  ScalingReader reader = {part, rope, role + "/convention", rotated, share, ladder.base};
  rotary.magnitude = 1.0;
  ladder.scaling = rope.type->read(reader, rotary);
  part.from(role + "/convention/ladders/0/scaling", rope.type_from);
}

}  // namespace posenc::config
