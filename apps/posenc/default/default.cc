// SPDX-License-Identifier: Apache-2.0
// The reader of the embedded file; its layout is in default.h.
#include "apps/posenc/default/default.h"

#include "apps/posenc/default/embedded.h"

#include <cstring>

namespace posenc::tool {
namespace {

using io::Bpe;

constexpr std::string_view magic = "posencDV";
constexpr std::uint32_t version = 1;

[[noreturn]] void refuse(std::string rule, std::string value, std::size_t offset) {
  throw Error({"read_default", std::move(rule), std::move(value), {static_cast<std::int64_t>(offset)}});
}

// Takes bytes from the front of a file; every length is checked before use.
struct Reader {
  std::string_view file;
  std::size_t at = 0;

  std::string_view take(std::size_t size) {
    const std::size_t left = file.size() - at;
    if (size > left) refuse("the file must go on for " + std::to_string(size) + " bytes", std::to_string(left), at);
    at += size;
    return file.substr(at - size, size);
  }
  std::vector<std::uint32_t> take_words(std::size_t count) {  // count < 2^32, so that the bytes fit in 64 bits
    const std::string_view bytes = take(std::size_t{4} * count);
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t byte = 4; byte-- > 0;) {
        words[i] = (words[i] << 8) | static_cast<std::uint8_t>(bytes[4 * i + byte]);
      }
    }
    return words;
  }
};

struct Header {
  std::uint32_t tokens, merges, text_bytes;
};

Header read_header(Reader& reader) {
  if (reader.take(magic.size()) != magic) refuse("the file must begin with posencDV", "other bytes", 0);
  const std::size_t start = reader.at;
  const std::vector<std::uint32_t> words = reader.take_words(5);
  if (words[0] != version) refuse("the version must be 1", std::to_string(words[0]), start);
  if (words[3] != default_width) refuse("the width must be 512", std::to_string(words[3]), start + 12);
  return {words[1], words[2], words[4]};
}

// Ids are ascending and fit in an int32.
std::vector<std::int32_t> read_original_ids(Reader& reader, std::uint32_t count) {
  const std::size_t start = reader.at;
  std::vector<std::int32_t> ids;
  for (const std::uint32_t word : reader.take_words(count)) {
    const auto id = static_cast<std::int32_t>(word);
    const bool ascends = ids.empty() ? id >= 0 : id > ids.back();
    if (!ascends) refuse("original ids must ascend", std::to_string(word), start + 4 * ids.size());
    ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> read_tokens(Reader& reader, const Header& header) {
  const std::vector<std::uint32_t> lengths = reader.take_words(header.tokens);
  const std::size_t end = reader.at + header.text_bytes;
  std::vector<std::string> tokens;
  for (const std::uint32_t length : lengths) tokens.emplace_back(reader.take(length));
  if (reader.at != end) refuse("token lengths must add up to the header's", std::to_string(header.text_bytes), end);
  return tokens;
}

std::vector<Bpe::Merge> read_merges(Reader& reader, std::uint32_t count) {
  std::vector<Bpe::Merge> merges;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::vector<std::uint32_t> pair = reader.take_words(2);
    merges.push_back({static_cast<std::int32_t>(pair[0]), static_cast<std::int32_t>(pair[1])});
  }
  return merges;
}

std::vector<float> read_rows(Reader& reader, std::uint32_t count) {
  const std::size_t start = reader.at;
  const std::vector<std::uint32_t> scales = reader.take_words(count);
  std::vector<float> rows;
  for (std::size_t row = 0; row < count; ++row) {
    const float scale = std::bit_cast<float>(scales[row]);
    if (!(scale > 0 && scale < 1)) refuse("a row's scale must be in (0, 1)", std::to_string(scale), start + 4 * row);
    for (const char entry : reader.take(default_width)) {
      rows.push_back(static_cast<float>(static_cast<std::int8_t>(entry)) * scale);
    }
  }
  return rows;
}

}  // namespace

Default read_default(std::string_view file) {
  Reader reader{file};
  const Header header = read_header(reader);
  std::vector<std::int32_t> original_ids = read_original_ids(reader, header.tokens);
  std::vector<std::string> tokens = read_tokens(reader, header);
  std::vector<Bpe::Merge> merges = read_merges(reader, header.merges);
  std::vector<float> rows = read_rows(reader, header.tokens);
  if (reader.at != file.size()) refuse("the file must end here", std::to_string(file.size()) + " bytes", reader.at);
  return {Bpe(std::move(tokens), std::move(merges)), std::move(rows), std::move(original_ids), embedded_licence()};
}

Default load_default() { return read_default(embedded_default()); }

}  // namespace posenc::tool
