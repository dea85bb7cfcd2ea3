// SPDX-License-Identifier: Apache-2.0
// One type for all tokenizers, and the reader that feeds them.
#include <posenc/tokenizer.h>

#include "src/text/places.h"
#include "src/text/text_feed.h"

#include <algorithm>

namespace posenc::io {

// ---- any of them --------------------------------------------------------------------------------

std::string_view name(const Tokenizer& tokenizer) {
  constexpr std::array<std::string_view, std::variant_size_v<Tokenizer>> names = {"bytes", "chars", "words",
                                                                                  "ids",   "bpe",   "sentencepiece"};
  return names[tokenizer.index()];
}

std::size_t encode_prefix(const Tokenizer& tokenizer, std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                          Unknowns& unknowns) {
  return std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.encode_prefix(text, rest, ids, unknowns); }) {
          return one.encode_prefix(text, rest, ids, unknowns);
        } else {
          return one.encode_prefix(text, rest, ids);
        }
      },
      tokenizer);
}

std::int32_t size(const Tokenizer& tokenizer) {
  return std::visit([](const auto& one) { return one.size(); }, tokenizer);
}

std::string token(const Tokenizer& tokenizer, std::int32_t id) {
  return std::visit([id](const auto& one) { return std::string(one.token(id)); }, tokenizer);
}

std::optional<std::int32_t> unknown(const Tokenizer& tokenizer) {
  return std::visit(
      [](const auto& one) -> std::optional<std::int32_t> {
        if constexpr (requires { one.unknown(); }) return one.unknown();
        return std::nullopt;
      },
      tokenizer);
}

// ---- the reader ---------------------------------------------------------------------------------

TokenReader::TokenReader(const Tokenizer& tokenizer, Source source, std::string name)
    : tokenizer_(&tokenizer),
      feed_(std::make_unique<TextFeed>(std::move(source), std::move(name),
                                       std::holds_alternative<Bytes>(tokenizer) ? Formats::any : Formats::text_only)) {}

TokenReader::~TokenReader() = default;

std::int64_t TokenReader::bytes() const { return feed_->consumed(); }

std::size_t TokenReader::read(std::span<std::int32_t> ids) {
  if (found_.size() - given_ < ids.size()) {
    found_.erase(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(given_));
    given_ = 0;
  }
  while (found_.size() - given_ < ids.size() && !ended_) advance();
  const std::size_t count = std::min(ids.size(), found_.size() - given_);
  std::copy_n(found_.begin() + static_cast<std::ptrdiff_t>(given_), count, ids.begin());
  given_ += count;
  return count;
}

void TokenReader::advance() {
  ended_ = !feed_->advance([this](std::string_view text, Rest rest) {
    Unknowns unknowns;
    const std::size_t size = encode_prefix(*tokenizer_, text, rest, found_, unknowns);
    add_unknowns(unknowns_, std::move(unknowns), feed_->consumed(), feed_->place());
    return size;
  });
}

}  // namespace posenc::io
