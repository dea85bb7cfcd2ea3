// SPDX-License-Identifier: Apache-2.0
// Any bytes as a tokenizer.json: refused with a problem, or a tokenizer with the same ids for any cutting of a text,
// whose ids give the text back where nothing is normalized and every byte is a token.
#include <posenc/text/tokenizer_json.h>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace posenc;
using Ids = std::vector<std::int32_t>;

Ids encode_in_pieces(const io::Bpe& bpe, std::string_view text, std::size_t size) {
  Ids ids;
  std::size_t start = 0;
  for (std::size_t end = std::min(size, text.size()); end < text.size(); end = std::min(end + size, text.size())) {
    start += bpe.encode_prefix(text.substr(start, end - start), io::Rest::follows, ids);
  }
  start += bpe.encode_prefix(text.substr(start), io::Rest::none, ids);
  if (start != text.size()) std::abort();
  return ids;
}

// By what each byte alone is, so that nothing is asked of the reader.
bool has_every_byte(const io::Bpe& bpe, std::string_view text) {
  return std::ranges::all_of(text, [&](char byte) {
    for (std::int32_t id = 0; id < bpe.size(); ++id) {
      if (bpe.token(id) == std::string_view(&byte, 1)) return true;
    }
    return false;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (const std::optional<Problem> problem = io::check_tokenizer_json(json)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const io::Bpe bpe = io::parse_tokenizer_json(json).bpe;
  const std::string_view text = "It's 3 dogs,  \xE7\x8B\x97 e\xCC\x81 \xE1\x84\x80\xE1\x85\xA1.\n\nI'LL<s> 1234 ab";
  if (bpe.check_encode(text)) return 0;
  const Ids ids = bpe.encode(text);
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= bpe.size()) std::abort();
  }
  if (encode_in_pieces(bpe, text, 1) != ids || encode_in_pieces(bpe, text, 7) != ids) std::abort();
  const bool normalized = json.find("NFC") != json.npos;  // or a token of that name: then less is asked
  if (!normalized && has_every_byte(bpe, text) && bpe.decode(ids) != text) std::abort();
  return 0;
}
