// SPDX-License-Identifier: Apache-2.0
// Which row is that of a part.
#include "src/inspect/part_type.h"

#include <algorithm>

namespace posenc::config {
namespace {

// The type of a part that states none.
std::string_view default_type(const Family* family, std::string_view name, std::string_view whole) {
  if (family == nullptr) return whole;
  if (name == "text" && !family->text.empty()) return family->text;
  const auto own = std::ranges::find(family->parts, name, &InnerType::part);
  return own == family->parts.end() ? whole : own->type;
}

}  // namespace

std::string_view stated_type(const io::JsonNode& node, std::string_view otherwise) {
  if (!node.has("model_type")) return otherwise;
  const std::string& stated = node.member("model_type").text();
  return stated.empty() && !otherwise.empty() ? otherwise : std::string_view(stated);
}

// What a part that is no text says of its whole is no type of its own.
std::string_view type_of_part(const io::JsonNode& node, std::string_view name, const Family* family,
                              std::string_view whole) {
  const std::string_view otherwise = default_type(family, name, whole), stated = stated_type(node, otherwise);
  return name != "text" && stated == whole ? otherwise : stated;
}

bool is_of_whole(std::string_view type, const std::vector<std::string>& wholes) {
  return std::ranges::find(wholes, type) != wholes.end();
}

const Family* family_of(std::string_view type, std::string_view part, const std::vector<std::string>& wholes) {
  if (part.empty()) return find_family(type);
  const Family* own = find_family(std::string(type) + "_" + std::string(part));
  if (own != nullptr && !is_composite(*own)) return own;  // qwen2_audio is no audio part of qwen2
  const Family* family = find_family(type);
  if (part == "text" || family == nullptr) return family;
  return is_of_whole(type, wholes) || !family->text.empty() ? nullptr : family;
}

}  // namespace posenc::config
