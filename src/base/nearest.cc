// SPDX-License-Identifier: Apache-2.0
// Levenshtein's distance, a row at a time.
#include "src/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace posenc {
namespace {

// Insertions, deletions and replacements that turn one word into the other.
std::size_t edits(std::string_view a, std::string_view b) {
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

}  // namespace

std::vector<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& names,
                                      std::size_t count) {
  const std::string_view head = word.substr(0, 40);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view name : names) ranked.emplace_back(edits(head, name), name);
  std::ranges::stable_sort(ranked, {}, &std::pair<std::size_t, std::string_view>::first);
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) found.push_back(ranked[i].second);
  return found;
}

}  // namespace posenc
