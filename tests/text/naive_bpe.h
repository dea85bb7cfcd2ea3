// SPDX-License-Identifier: Apache-2.0
// The rule of merging as it is told, on strings: look at all pairs, join the one of lowest rank, leftmost, and repeat.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace posenc::test {

using Ranks = std::map<std::pair<std::string, std::string>, std::size_t>;

inline std::vector<std::string> naive_merge(const Ranks& ranks, std::string_view piece) {
  std::vector<std::string> parts;
  for (const char byte : piece) parts.emplace_back(1, byte);
  for (;;) {
    std::size_t best = ranks.size(), at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find({parts[i], parts[i + 1]});
      if (found != ranks.end() && found->second < best) best = found->second, at = i;
    }
    if (best == ranks.size()) return parts;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

}  // namespace posenc::test
