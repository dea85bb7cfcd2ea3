// SPDX-License-Identifier: Apache-2.0
// Numbers of a model that several of its roles ask for.
#include "src/inspect/part.h"

#include "src/inspect/parts.h"
#include "src/inspect/rope.h"
#include "src/inspect/sizes.h"

namespace posenc::config {

void Part::from(const std::string& number, const std::string& key) {
  const auto found = std::ranges::find(all.from, at + number, &NumberSource::number);
  if (found == all.from.end()) {
    all.from.push_back({at + number, key});
  } else {
    found->key = key;
  }
}

void Part::misses(std::string_view role, std::string why) {
  add_missing(all, part_name(result.name, role), std::move(why));
}

std::optional<JsonNode> find_path(Part& part, std::string_view path) {
  const std::size_t dot = path.find('.');
  const bool of_rope = path.substr(0, dot) == "rope";
  const auto node = of_rope ? rope_object(part) : part.keys.find(path.substr(0, dot));
  if (!node || dot == path.npos) return node;
  node->require_object();
  const std::string_view inner = path.substr(dot + 1);
  part.keys.pass_inner(path);
  if (!node->has(inner) || node->member(inner).value.is_null()) return std::nullopt;
  return node->member(inner);
}

Stated<std::int64_t> width_of(Part& part) {
  constexpr std::string_view names[] = {"hidden_size", "n_embd", "d_model", "dim"};
  const std::string_view& own = part.family.width_key;
  const JsonNode node = need_size(part, own.empty() ? Names(names) : Names(&own, 1));
  return {count_of(node, most_width), node.pointer};
}

Stated<std::int64_t> table_width_of(Part& part) {
  const std::string_view key = part.family.table_width_key;
  const auto own = key.empty() ? std::nullopt : part.keys.find(key);
  if (own) return {count_of(*own, most_width), own->pointer};
  if (part.family.table_width != 0) return {part.family.table_width, part.default_source()};
  return width_of(part);
}

Stated<std::int64_t> heads_of(Part& part) {
  constexpr std::string_view names[] = {
      "num_attention_heads",        "n_head", "n_heads", "num_heads", "encoder_num_attention_heads",
      "decoder_num_attention_heads"};
  const JsonNode node = need_size(part, names);
  return {count_of(node, most_width), node.pointer};
}

Stated<std::int64_t> quotient_head(Part& part) {
  const Stated<std::int64_t> width = width_of(part), heads = heads_of(part);
  if (width.value % heads.value != 0) {
    part.keys.node().source.refuse(
        width.from + " must be a multiple of " + heads.from + ", " + std::to_string(heads.value),
        std::to_string(width.value));
  }
  if (width.value / heads.value > most_columns) {
    part.keys.node().source.refuse(
        width.from + " over " + heads.from + " must be at most " + std::to_string(most_columns),
        std::to_string(width.value / heads.value));
  }
  const bool unstated = width.from == heads.from;  // the type's defaults
  return {width.value / heads.value, unstated ? width.from : width.from + " over " + heads.from};
}

std::optional<Stated<std::int64_t>> positions_of(Part& part) {
  constexpr std::string_view names[] = {"max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len"};
  const auto node = part.keys.first(names);
  if (!node) return std::nullopt;
  return Stated<std::int64_t>{count_of(*node, most_positions), node->pointer};
}

}  // namespace posenc::config
