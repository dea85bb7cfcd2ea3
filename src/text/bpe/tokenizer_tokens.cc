// SPDX-License-Identifier: Apache-2.0
// The spelling of bytes in a vocabulary, and the rules of ids.
#include "src/text/bpe/tokenizer_tokens.h"

#include "src/base/quote.h"
#include "src/text/unicode/utf8.h"

#include <algorithm>

namespace posenc::io {
namespace {

// A vocabulary spells bytes as characters: printable Latin-1 as itself, the others in order from U+0100 on.
constexpr std::array<std::int16_t, 324> byte_of_character = [] {
  std::array<std::int16_t, 324> bytes = {};
  bytes.fill(-1);
  std::size_t next = 256;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    bytes[printable ? byte : next++] = static_cast<std::int16_t>(byte);
  }
  return bytes;
}();

std::string bytes_of(std::string_view token) {
  std::string bytes;
  for (std::size_t at = 0; at < token.size();) {
    const Scalar scalar = scalar_at(token, at);
    if (scalar.value >= byte_of_character.size() || byte_of_character[scalar.value] < 0) return {};
    bytes += static_cast<char>(byte_of_character[scalar.value]);
    at += scalar.size;
  }
  return bytes;
}

}  // namespace

TokenizerTokens::TokenizerTokens(const TokenizerDocument& document, const TokenizerSource& source)
    : document_(document), source_(source) {
  for (std::int32_t number = 0; number < document.tokens.size(); ++number) {
    ids_.emplace_back(document.ids[static_cast<std::size_t>(number)], number);
  }
  std::ranges::sort(ids_);
  const auto twice = std::ranges::adjacent_find(ids_, {}, &std::pair<std::int32_t, std::int32_t>::first);
  if (twice == ids_.end()) return;
  source.refuse("the ids of tokens must differ", std::to_string(twice->first) + " for " +
                                                     quote(document.tokens.token(twice->second)) + " and " +
                                                     quote(document.tokens.token(std::next(twice)->second)));
}

std::optional<std::int32_t> TokenizerTokens::id(std::string_view token) const {
  const std::optional<std::int32_t> number = document_.tokens.find(token);
  return number ? std::optional(document_.ids[static_cast<std::size_t>(*number)]) : std::nullopt;
}

const std::pair<std::int32_t, std::int32_t>* TokenizerTokens::by_id(std::int32_t id) const {
  const auto found = std::ranges::lower_bound(ids_, id, {}, &std::pair<std::int32_t, std::int32_t>::first);
  return found != ids_.end() && found->first == id ? &*found : nullptr;
}

Bpe::AddedToken TokenizerTokens::read_added(const TokenizerNode& node) const {
  node.require_keys({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
  for (const char* const key : {"single_word", "lstrip", "rstrip"}) {
    if (node[key].flag()) node[key].refuse("false");
  }
  static_cast<void>(node["special"].flag());  // special or not, the text is the token
  const TokenizerNode number = node["id"];
  const auto* whole = number.value.as<std::uint64_t>();
  if (whole == nullptr || *whole >= tokenizer_json_entry_limit) {
    number.refuse("an integer of 0 to " + std::to_string(tokenizer_json_entry_limit - 1));
  }
  const auto token_id = static_cast<std::int32_t>(*whole);
  const std::string& text = node["content"].text();
  if (text.empty() || text.size() > tokenizer_json_token_limit) {
    node["content"].refuse("1 to " + std::to_string(tokenizer_json_token_limit) + " bytes long");
  }
  const std::optional<std::int32_t> known = id(text);
  const auto* const owner = by_id(token_id);
  if (known && *known != token_id)
    number.refuse("the id of " + quote(text) + " in the vocabulary, " + std::to_string(*known));
  if (!known && owner) number.refuse("an id that is free, not that of " + quote(document_.tokens.token(owner->second)));
  return {token_id, text, node["normalized"].flag() ? Bpe::Sought::in_normal_text : Bpe::Sought::in_text};
}

std::vector<Bpe::AddedToken> TokenizerTokens::added(const TokenizerNode& list) const {
  if (!list.value.is_array()) list.refuse("an array");
  std::vector<Bpe::AddedToken> tokens;
  for (std::size_t i = 0; i < list.value.size(); ++i) tokens.push_back(read_added(list[i]));
  return tokens;
}

std::vector<std::string> TokenizerTokens::bytes(const std::vector<Bpe::AddedToken>& added) const {
  std::vector<std::int32_t> more;
  for (const Bpe::AddedToken& token : added) more.push_back(token.id);
  std::ranges::sort(more);
  std::int32_t next = 0;  // ids below are taken
  std::vector<std::string> tokens;
  for (const auto& [id, number] : ids_) {
    while (next < id && std::ranges::binary_search(more, next)) ++next;
    if (next < id)
      source_.refuse("the ids of tokens must have no gap", std::to_string(id) + " but no " + std::to_string(next));
    tokens.resize(static_cast<std::size_t>(id));
    tokens.push_back(bytes_of(document_.tokens.token(number)));
    next = id + 1;
  }
  return tokens;
}

std::vector<Bpe::Merge> TokenizerTokens::merges() const {
  std::vector<Bpe::Merge> merges;
  const auto half = [&](std::size_t i) {
    const std::optional<std::int32_t> found = id(document_.merges[i]);
    if (found) return *found;
    source_.refuse("merges must join tokens of the vocabulary", quote(document_.merges[i]),
                   {static_cast<std::int64_t>(i / 2)});
  };
  for (std::size_t i = 0; i < document_.merges.size(); i += 2) merges.push_back({half(i), half(i + 1)});
  return merges;
}

}  // namespace posenc::io
