// SPDX-License-Identifier: Apache-2.0
// Which names a mistyped word is near to: Levenshtein's distance, a row at a time. In a header, as several libraries
// ask.
#pragma once

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace posenc {

/// Insertions, deletions and replacements that turn one word into the other.
inline std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// The `count` names that are nearest: those that hold a word of three letters or more, then those that the fewest
/// edits turn into it; of equal ones in their order. Of a longer word its first 40 bytes are read.
inline std::vector<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& names,
                                             std::size_t count) {
  const std::string_view head = word.substr(0, 40);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view name : names) {
    const bool holds = head.size() > 2 && name.find(head) != name.npos;
    ranked.emplace_back(holds ? 0 : edits(head, name), name);
  }
  std::vector<std::string_view> found;
  for (; count > 0 && !ranked.empty(); --count) {
    const auto first =
        std::min_element(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    found.push_back(first->second);
    ranked.erase(first);
  }
  return found;
}

}  // namespace posenc
