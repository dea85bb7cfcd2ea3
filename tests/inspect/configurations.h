// SPDX-License-Identifier: Apache-2.0
// The configurations of this folder, and trees of JSON.
#pragma once

#include <gtest/gtest.h>
#include <posenc/spec/inspect.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/spec/json/json_text.h"

namespace posenc {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline JsonTree tree_of(std::string_view text) { return io::parse_json(text, {"test"}); }

/// NAME of every NAME.json with a NAME.expected.json in a folder below configs.
inline std::vector<std::filesystem::path> configurations(const std::string& folder = "") {
  std::vector<std::filesystem::path> found;
  const auto root = std::filesystem::path(POSENC_SOURCE_DIR) / "tests/inspect/configs" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    std::filesystem::path expected = entry.path();
    if (expected.extension() != ".json" || expected.stem().extension() == ".expected") continue;
    found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

inline JsonTree expectation(std::filesystem::path path) {
  return tree_of(text_of(path.replace_extension(".expected.json")));
}

}  // namespace posenc
