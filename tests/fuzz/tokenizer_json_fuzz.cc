// SPDX-License-Identifier: Apache-2.0
// Any bytes as a tokenizer.json: refused with a problem, or a tokenizer whose ids give a text back.
#include <posenc/tokenizer_json.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (const std::optional<Problem> problem = io::check_tokenizer_json(json)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const io::Bpe bpe = io::parse_tokenizer_json(json).bpe;
  const std::string_view text = "It's 3 dogs, \xE7\x8B\x97.\n";
  if (bpe.check_encode(text)) return 0;
  for (const std::int32_t id : bpe.encode(text)) {
    if (id < 0) std::abort();
  }
  return 0;
}
