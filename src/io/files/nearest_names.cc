// SPDX-License-Identifier: Apache-2.0
// Names ordered by how many letters must change until one stands in the other.
#include "src/io/files/nearest_names.h"

#include <algorithm>
#include <compare>
#include <numeric>

#include "src/base/quote.h"

namespace posenc::io {
namespace {

/// The fewest insertions, deletions and replacements that turn `part` into some stretch of `whole` (P. Sellers, 1980).
std::size_t distance(std::string_view part, std::string_view whole) {
  std::vector<std::size_t> row(part.size() + 1);  // of part's first j letters, in a stretch that ends here
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::size_t least = part.size();
  for (const char letter : whole) {
    std::size_t diagonal = row[0];
    for (std::size_t j = 1; j <= part.size(); ++j) {
      const std::size_t replaced = diagonal + (part[j - 1] != letter ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
    least = std::min(least, row.back());
  }
  return least;
}

}  // namespace

std::vector<std::string_view> nearest_names(std::span<const std::string_view> names, std::string_view wanted) {
  constexpr std::size_t longest = 128, most_names = 4, most_steps = std::size_t{1} << 26;
  struct Candidate {
    std::size_t distance;
    std::size_t more;  // letters that only one of the two has
    std::string_view name;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;
  std::size_t steps = 0;
  for (const std::string_view name : names) {
    const bool longer = name.size() >= wanted.size();
    const std::string_view part = longer ? wanted : name, whole = longer ? name : wanted;
    steps += part.size() * whole.size();
    if (whole.size() > longest || steps > most_steps) continue;
    const std::size_t letters = part.size() < 6 ? 0 : std::min<std::size_t>(3, part.size() / 3);
    const std::size_t found = distance(part, whole);
    if (!part.empty() && found <= letters) candidates.push_back({found, whole.size() - part.size(), name});
  }
  std::ranges::sort(candidates);
  std::vector<std::string_view> nearest;
  for (const Candidate& candidate : candidates) nearest.push_back(candidate.name);
  for (std::size_t i = 0; candidates.empty() && i < std::min(names.size(), most_names); ++i) {
    nearest.push_back(names[i]);
  }
  nearest.resize(std::min(nearest.size(), most_names));
  return nearest;
}

std::string such_as(std::span<const std::string_view> names, std::string_view wanted) {
  constexpr std::size_t shown = 40, room = 100;
  std::string list;
  for (const std::string_view name : nearest_names(names, wanted)) {
    const std::string next = (list.empty() ? ", such as " : ", ") + quote(name, Keep::head, shown);
    if (list.size() + next.size() <= room) list += next;
  }
  return list;
}

}  // namespace posenc::io
