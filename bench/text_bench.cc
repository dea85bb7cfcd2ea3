// SPDX-License-Identifier: Apache-2.0
// Text to ids, by each kind of tokenizer: the pages of this documentation, 0.6 MB of English and code.
#include <posenc/text/tokenizer.h>

#include <algorithm>
#include <filesystem>

#include "apps/posenc/default/default.h"
#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

const std::string source = POSENC_BENCH_SOURCE;

std::string pages() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source + "/docs")) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::string text;
  for (const std::string& path : paths) text += io::read_file(path, std::uint64_t{1} << 30);
  return text;
}

Work encode(const std::function<io::Tokenizer(const std::string& text)>& make) {
  const std::string text = pages();
  const auto tokenizer = std::make_shared<const io::Tokenizer>(make(text));
  const auto bytes = buffer(std::ssize(text));
  std::ranges::copy(text, bytes->as<char>());
  return {.run =
              [=, size = text.size()](const Executor&) {
                std::vector<std::int32_t> ids;
                io::Unknowns unknowns;
                io::encode_prefix(*tokenizer, {bytes->as<char>(), size}, io::Rest::none, ids, unknowns);
              },
          .out = bytes->bytes().first(text.size()),
          .owns = {tokenizer, bytes}};
}

io::Vocabulary vocabulary(io::Unit unit, const std::string& text) {
  return io::build_vocabulary(unit, io::text_source(text), "pages");
}

Row row(const std::string& kind, std::function<io::Tokenizer(const std::string& text)> make) {
  return {"tokenizer, " + kind, "docs/*.md", Ceiling::none, no_floor, no_floor, [=] { return encode(make); }, {1}};
}

}  // namespace

std::vector<Row> text_rows(const Scope&) {
  return {row("bpe of 3072", [](const std::string&) { return tool::load_default().bpe; }),
          row("sentencepiece",
              [](const std::string&) { return io::SentencePiece::read(source + "/tests/text/goldens/unigram.model"); }),
          row("words", [](const std::string& text) { return io::Words(vocabulary(io::Unit::word, text)); }),
          row("chars", [](const std::string& text) { return io::Chars(vocabulary(io::Unit::character, text)); })};
}

}  // namespace posenc::bench
