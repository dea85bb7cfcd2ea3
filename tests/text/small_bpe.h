// SPDX-License-Identifier: Apache-2.0
// Vocabularies of bytes and a few tokens more.
#pragma once

#include <posenc/text/bpe.h>

#include <map>
#include <set>

namespace posenc::test {

inline std::vector<std::string> all_bytes() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  return tokens;
}

/// The bytes, and a token for each further text.
inline std::vector<std::string> bytes_and(const std::vector<std::string>& more) {
  std::vector<std::string> tokens = all_bytes();
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

/// GPT-2's pattern, nothing normalized, unknown bytes refused.
inline io::Bpe::Parts parts_of(std::vector<std::string> tokens, std::vector<io::Bpe::Merge> merges = {}) {
  return {.tokens = std::move(tokens),
          .merges = std::move(merges),
          .pattern = io::Pattern::gpt2,
          .normalization = io::Bpe::Normalization::none,
          .whole_pieces = io::Bpe::WholePieces::merged,
          .unknown_bytes = io::Bpe::UnknownBytes::refused};
}

/// The bytes, and merges of the pairs in their order, each once; what they join and make is a token.
inline io::Bpe::Parts joined_parts(const std::vector<std::pair<std::string, std::string>>& pairs) {
  io::Bpe::Parts parts = parts_of(all_bytes());
  std::map<std::string, std::int32_t> ids;
  for (const std::string& token : parts.tokens) ids.emplace(token, static_cast<std::int32_t>(ids.size()));
  const auto id_of = [&](const std::string& token) {
    const auto [at, added] = ids.emplace(token, static_cast<std::int32_t>(parts.tokens.size()));
    if (added) parts.tokens.push_back(token);
    return at->second;
  };
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& [left, right] : pairs) {
    if (!seen.emplace(left, right).second) continue;
    parts.merges.push_back({id_of(left), id_of(right)});
    id_of(left + right);
  }
  return parts;
}

/// Every pair of bytes of the texts is a token, so that each cut shows in the ids.
inline io::Bpe::Parts paired_parts(std::string_view bytes) {
  io::Bpe::Parts parts = parts_of(all_bytes());
  for (const char left : bytes) {
    for (const char right : bytes) {
      parts.tokens.push_back({left, right});
      parts.merges.push_back({left & 0xFF, right & 0xFF});
    }
  }
  return parts;
}

}  // namespace posenc::test
