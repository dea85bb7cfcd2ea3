// SPDX-License-Identifier: Apache-2.0
// The reader of the embedded vocabulary.
#include "apps/posenc/default/default_tokens.h"

#include "apps/posenc/default/default.h"
#include "apps/posenc/default/default_reader.h"

namespace posenc::tool {
namespace {

using io::Bpe;

constexpr std::string_view magic = "posencDV";
constexpr std::uint32_t version = 1;

struct Header {
  std::uint32_t tokens, merges, text_bytes;
};

Header read_header(DefaultReader& reader) {
  if (reader.take(magic.size()) != magic) refuse_default("the file must begin with posencDV", "other bytes", 0);
  const std::size_t start = reader.at;
  const std::vector<std::uint32_t> words = reader.take_words(5);
  if (words[0] != version) refuse_default("the version must be 1", std::to_string(words[0]), start);
  if (words[3] != default_width) refuse_default("the width must be 512", std::to_string(words[3]), start + 12);
  return {words[1], words[2], words[4]};
}

// Ids are ascending and fit in an int32.
std::vector<std::int32_t> read_original_ids(DefaultReader& reader, std::uint32_t count) {
  const std::size_t start = reader.at;
  std::vector<std::int32_t> ids;
  for (const std::uint32_t word : reader.take_words(count)) {
    const auto id = static_cast<std::int32_t>(word);
    const bool ascends = ids.empty() ? id >= 0 : id > ids.back();
    if (!ascends) refuse_default("original ids must ascend", std::to_string(word), start + 4 * ids.size());
    ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> read_tokens(DefaultReader& reader, const Header& header) {
  const std::vector<std::uint32_t> lengths = reader.take_words(header.tokens);
  const std::size_t end = reader.at + header.text_bytes;
  std::vector<std::string> tokens;
  for (const std::uint32_t length : lengths) tokens.emplace_back(reader.take(length));
  if (reader.at != end)
    refuse_default("token lengths must add up to the header's", std::to_string(header.text_bytes), end);
  return tokens;
}

std::vector<Bpe::Merge> read_merges(DefaultReader& reader, std::uint32_t count) {
  std::vector<Bpe::Merge> merges;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::vector<std::uint32_t> pair = reader.take_words(2);
    merges.push_back({static_cast<std::int32_t>(pair[0]), static_cast<std::int32_t>(pair[1])});
  }
  return merges;
}

}  // namespace

DefaultTokens read_default_tokens(std::string_view file) {
  DefaultReader reader{file};
  const Header header = read_header(reader);
  std::vector<std::int32_t> original_ids = read_original_ids(reader, header.tokens);
  std::vector<std::string> tokens = read_tokens(reader, header);
  std::vector<Bpe::Merge> merges = read_merges(reader, header.merges);
  return {Bpe(std::move(tokens), std::move(merges)), std::move(original_ids), reader.at};
}

}  // namespace posenc::tool
