// SPDX-License-Identifier: Apache-2.0
// The rows of all files, and the one of a model type.
#include <posenc/spec/inspect.h>

#include <algorithm>

#include "src/inspect/family.h"

namespace posenc {
namespace config {

std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> all;
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    all.push_back(words.substr(0, space));
    words = space == words.npos ? std::string_view() : words.substr(space + 1);
  }
  return all;
}

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> all = split_words(words);
  return std::ranges::find(all, word) != all.end();
}

bool is_composite(const Family& family) {
  return family.text.empty() && !family.rotary && family.roles.empty() && !family.parts.empty();
}

LayerKind only_kind(const Family& family) { return {.base = family.base, .base_key = family.base_key}; }

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> rows = rotary_families();
    for (auto* more : {&layered_families, &other_families, &image_families, &composite_families}) {
      for (Family& row : more()) rows.push_back(std::move(row));
    }
    return rows;
  }();
  return all;
}

const Family* find_family(std::string_view type) {
  for (const Family& row : families()) {
    if (has_word(row.types, type)) return &row;
  }
  return nullptr;
}

bool is_key_of_scale(std::string_view key) {
  const auto names = [&](std::string_view path) { return !path.empty() && path.substr(path.rfind('.') + 1) == key; };
  return key == "scale_embedding" || std::ranges::any_of(families(), [&](const Family& row) {
           return names(row.times_key) || names(row.softmax_key);
         });
}

}  // namespace config

std::vector<std::string_view> model_types() {
  std::vector<std::string_view> names;
  for (const config::Family& row : config::families()) {
    const std::vector<std::string_view> types = config::split_words(row.types);
    names.insert(names.end(), types.begin(), types.end());
  }
  return names;
}

}  // namespace posenc
