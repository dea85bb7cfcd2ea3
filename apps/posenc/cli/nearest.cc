// SPDX-License-Identifier: Apache-2.0
// The distance of words by typing errors (optimal string alignment), three rows at a time.
#include "apps/posenc/cli/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "apps/posenc/cli/words.h"

namespace posenc::tool {
namespace {

std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;  // of the letter before the last, the last and this one
  for (std::vector<std::size_t>& row : rows) row.resize(b.size() + 1);
  std::iota(rows[1].begin(), rows[1].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    rows[2][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[2][j] = std::min({replaced, rows[1][j] + 1, rows[2][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
    }
    std::ranges::rotate(rows, rows.begin() + 1);
  }
  return rows[1].back();
}

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

// An option or a type, and what other tools call it; a word that stands twice means the first that a verb has.
struct Elsewhere {
  std::string_view ours, theirs;
};
constexpr Elsewhere options_elsewhere[] = {
    {"--in", "i input file"},
    {"--out", "o output save outfile output-file output-path out-file"},
    {"--out", "file"},
    {"--max-length", "l n length max-len seq-len max-seq-len max-tokens"},
    {"--positions", "l n length max-len max-length seq-len"},
    {"--steps", "l n length"},
    {"--extent", "l n length"},
    {"--height", "l n length"},
    {"--rows", "l n length"},
    {"--dim", "d d-model embed-dim hidden-size width"},
    {"--dtype", "type precision"},
    {"--preset", "p name convention model"},
    {"--set", "base theta rope-theta"},
    {"--threads", "j jobs"},
    {"--plot", "image png"},
};
constexpr Elsewhere types_elsewhere[] = {
    {"f32", "float float32 fp32 single"},
    {"f64", "double float64 fp64"},
    {"f16", "half float16 fp16"},
    {"bf16", "bfloat16"},
};

bool has_word(std::string_view words, std::string_view word) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

// Letters in lower case, hyphens for _, and no library's name before a type.
std::string plain_word(std::string_view word) {
  std::string plain = in_lower_case(without_dashes(word).substr(0, 40));
  std::ranges::replace(plain, '_', '-');
  return plain.substr(plain.rfind('.') + 1);
}

std::string known_elsewhere(std::string_view word, std::span<const std::string> names,
                            std::span<const Elsewhere> elsewhere) {
  const std::string plain = plain_word(word);
  if (const auto same = std::ranges::find(names, plain); same != names.end()) return *same;
  for (const auto& [ours, theirs] : elsewhere) {
    if (has_word(theirs, plain) && std::ranges::find(names, ours) != names.end()) return std::string(ours);
  }
  return "";
}

std::string nearest_of(std::string_view word, std::span<const std::string> names,
                       std::span<const Elsewhere> elsewhere) {
  const std::string known = known_elsewhere(word, names, elsewhere);
  return known.empty() ? nearest_words(word, names) : fmt::format(" (nearest: {})", known);
}

}  // namespace

std::string nearest_option(std::string_view option, std::span<const std::string> names) {
  return nearest_of(option, names, options_elsewhere);
}

bool stands_for(std::string_view option, std::string_view ours) {
  const std::string plain = plain_word(option);
  const auto row = std::ranges::find(options_elsewhere, ours, &Elsewhere::ours);
  return plain == without_dashes(ours) || (row != std::end(options_elsewhere) && has_word(row->theirs, plain));
}

std::string nearest_type(std::string_view type, std::span<const std::string> names) {
  return nearest_of(type, names, types_elsewhere);
}

std::string nearest_words(std::string_view word, std::span<const std::string> names) {
  const std::string_view head = without_dashes(word).substr(0, 40);  // bounds the work on absurd words
  const std::string* best = nullptr;
  std::size_t least = head.size() * 2 / 5;
  for (const std::string& name : names) {
    const std::string_view bare = without_dashes(name);
    const bool begun = head.size() > 2 && bare.starts_with(head);  // as one that was not typed to its end
    const std::size_t errors = begun ? 0 : typing_errors(head, bare);
    if (errors > least || (best != nullptr && errors == least)) continue;
    best = &name;
    least = errors;
  }
  return best == nullptr ? "" : fmt::format(" (nearest: {})", *best);
}

}  // namespace posenc::tool
