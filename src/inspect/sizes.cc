// SPDX-License-Identifier: Apache-2.0
// The row of sizes of a part, and what it says.
#include "src/inspect/sizes.h"

#include <algorithm>

#include "src/spec/json/json_text.h"

namespace posenc::config {
namespace {

const DefaultSizes* row_called(std::string_view type) {
  const auto rows = default_sizes();
  const auto row = std::ranges::find(rows, type, &DefaultSizes::type);
  return row == rows.end() ? nullptr : &*row;
}

// Look up the row of TYPE_PART (the vision of qwen2_vl), then of the type, then of its text where a file states that
// alone.
const DefaultSizes* row_of(const Part& part) {
  const ModelPart& model = part.result;
  const std::string own = model.name.substr(model.name.rfind('.') + 1);
  if (!own.empty()) {
    if (const DefaultSizes* row = row_called(model.model_type + "_" + own)) return row;
  }
  if (const DefaultSizes* row = row_called(model.model_type)) return row;
  const Family* family = find_family(model.model_type);
  return family == nullptr || family->text.empty() ? nullptr : row_called(family->text);
}

bool is_told(const Part& part) { return part.result.name.empty() && !part.options.as.empty(); }

}  // namespace

std::vector<std::string_view> size_names(const Part& part, Names names) {
  std::vector<std::string_view> all(names.begin(), names.end());
  const DefaultSizes* row = row_of(part);
  if (row == nullptr) return all;
  for (const std::string_view pair : split_words(row->aliases)) {
    const std::string_view alias = pair.substr(0, pair.find('=')), own = pair.substr(pair.find('=') + 1);
    const bool has_alias = std::ranges::find(all, alias) != all.end();
    const bool has_own = std::ranges::find(all, own) != all.end();
    if (has_alias != has_own) all.push_back(has_alias ? own : alias);
  }
  return all;
}

std::optional<JsonNode> default_size(Part& part, Names names) {
  const DefaultSizes* row = row_of(part);
  if (row == nullptr || is_told(part)) return std::nullopt;
  const io::JsonSource& source = part.keys.node().source;
  if (!part.default_sizes) part.default_sizes = io::parse_json(row->sizes, source);
  for (const std::string_view name : size_names(part, names)) {
    const JsonTree* value = part.default_sizes->find(name);
    if (value != nullptr && !part.keys.node().has(name))
      return JsonNode{*value, part.default_source() + ", not stated", source};
  }
  return std::nullopt;
}

JsonNode need_size(Part& part, Names names) {
  if (const auto node = part.keys.find(names)) return *node;
  if (const auto node = part.keys.find(size_names(part, names))) return *node;
  if (const auto node = default_size(part, names)) return *node;
  return part.keys.need(names);
}

JsonNode need_size(Part& part, std::string_view name) { return need_size(part, Names(&name, 1)); }

}  // namespace posenc::config
