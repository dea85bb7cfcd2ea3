// SPDX-License-Identifier: Apache-2.0
// Words in the letters of the lists that they are found in.
#include "apps/posenc/cli/letter_case.h"

#include <algorithm>
#include <filesystem>
#include <ranges>

#include "apps/posenc/cli/words.h"

namespace posenc::tool {

std::vector<std::string> placeholder_words(std::string_view placeholder) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(placeholder, '|')) {
    const std::string_view each(part.begin(), part.end());
    if (!each.empty() && each[0] >= 'a' && each[0] <= 'z') words.emplace_back(each);
  }
  return words;
}

bool takes_file(std::string_view placeholder) {
  constexpr std::string_view files[] = {"FILE", "DIR", "FOLDER", "X.", "P."};
  return std::ranges::any_of(std::views::split(placeholder, '|'), [&](const auto part) {
    const std::string_view each(part.begin(), part.end());
    return std::ranges::any_of(files, [&](std::string_view start) { return each.starts_with(start); });
  });
}

std::string in_listed_case(const std::string& text, std::span<const std::string> words) {
  const std::string folded = in_lower_case(text);
  for (const std::string& word : words) {
    if (in_lower_case(word) == folded) return word;
    if (word.ends_with(':') && folded.starts_with(in_lower_case(word))) return word + text.substr(word.size());
  }
  return text;
}

std::string setting_in_lower_case(const std::string& setting) {
  const std::size_t end =
      setting.find('[') == setting.npos ? setting.size() : std::min(setting.find('='), setting.size());
  return in_lower_case(setting.substr(0, end)) + setting.substr(end);
}

bool names_file(const std::string& text) {
  std::error_code ignored;
  return std::filesystem::exists(text, ignored);
}

}  // namespace posenc::tool
