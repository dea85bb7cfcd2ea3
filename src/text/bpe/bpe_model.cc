// SPDX-License-Identifier: Apache-2.0
// The parts of a Bpe judged, and its tables made.
#include "src/text/bpe/bpe_model.h"

#include "src/text/unicode/segmentation.h"
#include "src/text/unicode/utf8.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace posenc::io {
namespace {

constexpr auto id_limit = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

std::string with_number(std::string_view text, std::size_t number) {
  return std::string(text).append(std::to_string(number));
}

Problem problem(std::string rule, std::string value, std::size_t index) {
  return {"bpe", std::move(rule), std::move(value), {static_cast<std::int64_t>(index)}};
}

std::optional<Problem> check_stated(const Bpe::Parts& parts) {
  const std::pair<std::string_view, bool> fields[] = {
      {"pattern", parts.pattern >= Pattern::gpt2 && parts.pattern <= Pattern::qwen},
      {"normalization",
       parts.normalization == Bpe::Normalization::none || parts.normalization == Bpe::Normalization::nfc},
      {"whole_pieces", parts.whole_pieces == Bpe::WholePieces::merged || parts.whole_pieces == Bpe::WholePieces::taken},
      {"unknown_bytes",
       parts.unknown_bytes >= Bpe::UnknownBytes::refused && parts.unknown_bytes <= Bpe::UnknownBytes::one_a_run},
  };
  for (const auto& [name, stated] : fields) {
    if (!stated) return Problem{"bpe", std::string(name) + " must be stated", "no such value"};
  }
  return std::nullopt;
}

std::optional<Problem> check_tokens(const std::vector<std::string>& tokens, const TokenIds& ids) {
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].empty()) continue;
    const auto first = static_cast<std::size_t>(ids.find(tokens[id]));
    if (first != id) return problem("tokens must differ", with_number("the bytes of token ", first), id);
  }
  return std::nullopt;
}

bool is_token(std::int32_t id, const std::vector<std::string>& tokens) {
  return id >= 0 && static_cast<std::size_t>(id) < tokens.size() && !tokens[static_cast<std::size_t>(id)].empty();
}

std::string joined(const Bpe::Merge& merge, const std::vector<std::string>& tokens) {
  return tokens[static_cast<std::size_t>(merge.left)] + tokens[static_cast<std::size_t>(merge.right)];
}

std::optional<Problem> check_merges(const Bpe::Parts& parts, const TokenIds& ids) {
  std::vector<std::pair<std::uint64_t, std::size_t>> pairs;  // and their ranks
  for (std::size_t rank = 0; rank < parts.merges.size(); ++rank) {
    const Bpe::Merge merge = parts.merges[rank];
    const auto wrong = [&](std::string rule) {
      return problem(std::move(rule), std::to_string(merge.left) + " and " + std::to_string(merge.right), rank);
    };
    if (!is_token(merge.left, parts.tokens) || !is_token(merge.right, parts.tokens)) {
      return wrong("a merge must join two tokens");
    }
    if (ids.find(joined(merge, parts.tokens)) < 0) return wrong("the bytes of a merge in a row must be a token");
    pairs.emplace_back(
        (std::uint64_t{static_cast<std::uint32_t>(merge.left)} << 32) | static_cast<std::uint32_t>(merge.right), rank);
  }
  std::ranges::sort(pairs);
  const auto twice = std::ranges::adjacent_find(pairs, {}, &std::pair<std::uint64_t, std::size_t>::first);
  if (twice == pairs.end()) return std::nullopt;
  const std::size_t rank = std::next(twice)->second;
  return problem("merges must differ",
                 std::to_string(parts.merges[rank].left) + " and " + std::to_string(parts.merges[rank].right), rank);
}

// What an added token is looked for as.
std::string sought_text(const Bpe::AddedToken& token, const Bpe::Parts& parts) {
  const bool normal = token.sought == Bpe::Sought::in_normal_text && parts.normalization == Bpe::Normalization::nfc;
  return normal ? nfc(token.text) : token.text;
}

std::optional<Problem> check_added(const Bpe::Parts& parts) {
  std::unordered_map<std::string, std::size_t> texts;
  std::unordered_map<std::int32_t, std::size_t> ids;
  for (std::size_t i = 0; i < parts.added_tokens.size(); ++i) {
    const Bpe::AddedToken& token = parts.added_tokens[i];
    if (token.sought != Bpe::Sought::in_text && token.sought != Bpe::Sought::in_normal_text) {
      return problem("where an added token is sought must be stated", "no such value", i);
    }
    if (token.text.empty()) return problem("an added token must have at least one byte", "none", i);
    if (find_utf8_fault(token.text)) return problem("an added token must be valid UTF-8", "other bytes", i);
    if (token.id < 0 || static_cast<std::size_t>(token.id) >= id_limit) {
      return problem("the id of an added token must be one of 0 to 2^31 - 2", std::to_string(token.id), i);
    }
    for (const std::string& text : {token.text, sought_text(token, parts)}) {
      const auto [first, is_new] = texts.emplace(text, i);
      if (!is_new && first->second != i) {
        return problem("the texts of added tokens must differ", with_number("the text of added token ", first->second),
                       i);
      }
    }
    const auto [first, is_new] = ids.emplace(token.id, i);
    if (!is_new)
      return problem("the ids of added tokens must differ", with_number("the id of added token ", first->second), i);
  }
  return std::nullopt;
}

}  // namespace

std::string nfc(std::string_view text) {
  std::string all, run;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = nfc_run_end(text, at);
    all += nfc_of_run(text.substr(at, end - at), run);
  }
  return all;
}

TokenIds::TokenIds(const std::vector<std::string>& tokens) {
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (!tokens[id].empty() && table_.add(tokens[id]).is_new) ids_.push_back(static_cast<std::int32_t>(id));
  }
}

std::int32_t TokenIds::find(std::string_view bytes) const {
  const std::optional<std::int32_t> number = table_.find(bytes);
  return number ? ids_[static_cast<std::size_t>(*number)] : -1;
}

std::optional<Problem> Bpe::check(const Parts& parts) {
  if (std::optional<Problem> wrong = check_stated(parts)) return wrong;
  const std::size_t most = std::max(parts.tokens.size(), parts.merges.size());
  if (most >= id_limit) {
    return Problem{"bpe", "tokens and merges must number less than 2^31 - 1", std::to_string(most)};
  }
  const TokenIds ids(parts.tokens);
  if (std::optional<Problem> wrong = check_tokens(parts.tokens, ids)) return wrong;
  if (std::optional<Problem> wrong = check_merges(parts, ids)) return wrong;
  if (parts.unknown_bytes != UnknownBytes::refused && !is_token(parts.unknown_id, parts.tokens)) {
    return Problem{"bpe", "the unknown id must be that of a token", std::to_string(parts.unknown_id)};
  }
  return check_added(parts);
}

std::optional<Problem> Bpe::check(const std::vector<std::string>& tokens, const std::vector<Merge>& merges) {
  const auto empty = std::ranges::find(tokens, std::string());
  if (empty != tokens.end()) {
    return problem("a token must have at least one byte", "none", static_cast<std::size_t>(empty - tokens.begin()));
  }
  std::array<bool, 256> found = {};
  for (const std::string& token : tokens) {
    if (token.size() == 1) found[static_cast<std::uint8_t>(token.front())] = true;
  }
  const auto missing = std::ranges::find(found, false);
  if (missing != found.end()) {
    return Problem{"bpe", "each of the 256 bytes must be a token",
                   with_number("none for byte ", static_cast<std::size_t>(missing - found.begin()))};
  }
  return check(plain(std::vector(tokens), std::vector(merges)));
}

Bpe::Parts Bpe::plain(std::vector<std::string>&& tokens, std::vector<Merge>&& merges) {
  return {.tokens = std::move(tokens),
          .merges = std::move(merges),
          .pattern = Pattern::gpt2,
          .normalization = Normalization::none,
          .whole_pieces = WholePieces::merged,
          .unknown_bytes = UnknownBytes::refused};
}

Bpe::Model::Model(Parts&& all) : parts(std::move(all)), added_by_id(parts.added_tokens) {
  TokenIds ids(parts.tokens);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    byte_ids[byte] = ids.find(std::string_view(&text, 1));
  }
  std::vector<Joins::Join> all_joins;
  for (const Merge& merge : parts.merges) {
    const auto rank = static_cast<std::int32_t>(all_joins.size());
    all_joins.push_back({merge.left, merge.right, rank, ids.find(joined(merge, parts.tokens))});
  }
  joins = Joins(std::move(all_joins), parts.tokens.size());
  has_unknown_bytes = std::ranges::any_of(byte_ids, [](std::int32_t id) { return id < 0; });
  if (parts.whole_pieces == WholePieces::taken) whole = std::move(ids);

  std::ranges::sort(added_by_id, {}, &AddedToken::id);
  size = static_cast<std::int32_t>(parts.tokens.size());
  if (!added_by_id.empty()) size = std::max(size, added_by_id.back().id + 1);
  std::vector<AddedToken> first, later;
  for (AddedToken& token : parts.added_tokens) {
    token.text = sought_text(token, parts);
    (token.sought == Sought::in_text ? first : later).push_back(std::move(token));
  }
  parts.added_tokens.clear();
  in_text = AddedTokens(std::move(first));
  in_normal_text = AddedTokens(std::move(later));
}

Bpe::Bpe(Checked, Parts&& parts) : model_(std::make_shared<const Model>(std::move(parts))) {}

}  // namespace posenc::io
