// SPDX-License-Identifier: Apache-2.0
// One type for all tokenizers, and the reader that feeds them.
#include <posenc/text/tokenizer.h>

#include "src/text/text_feed.h"
#include "src/text/unicode/line_column.h"
#include "src/text/vocabulary/check_id.h"

#include <algorithm>

namespace posenc::io {

// ---- any of them --------------------------------------------------------------------------------

std::string_view name(const Tokenizer& tokenizer) {
  constexpr std::array<std::string_view, std::variant_size_v<Tokenizer>> names = {"bytes", "chars", "words",
                                                                                  "ids",   "bpe",   "sentencepiece"};
  return names[tokenizer.index()];
}

namespace {

std::size_t encode_some(const Tokenizer& tokenizer, std::string_view text, Rest rest, std::size_t most,
                        std::vector<std::int32_t>& ids, Unknowns& unknowns) {
  return std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.encode_prefix(text, rest, ids, unknowns, most); }) {
          return one.encode_prefix(text, rest, ids, unknowns, most);
        } else {
          return one.encode_prefix(text, rest, ids);
        }
      },
      tokenizer);
}

// encode_some for the longest part of `text` from its beginning on that can be encoded, taken as a whole text where it
// ends at a fault. Returns the fault that comes first, if there is any.
std::optional<Error> encode_to_fault(const Tokenizer& tokenizer, std::string_view text, Rest rest, std::size_t most,
                                     std::vector<std::int32_t>& ids, Unknowns& unknowns, std::size_t& size) {
  std::optional<Error> fault;
  for (;;) {
    try {
      size = encode_some(tokenizer, text, rest, most, ids, unknowns);
      return fault;
    } catch (const Error& error) {
      const std::vector<std::int64_t>& index = error.problem().index;
      const bool placed = index.size() == 1 && index[0] >= 0 && index[0] < std::ssize(text);
      if (!placed) throw;
      fault = error;
      text = text.substr(0, static_cast<std::size_t>(index[0]));
      rest = Rest::none;
    }
  }
}

}  // namespace

std::size_t encode_prefix(const Tokenizer& tokenizer, std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                          Unknowns& unknowns) {
  return encode_some(tokenizer, text, rest, no_limit, ids, unknowns);
}

std::size_t encode_first(const Tokenizer& tokenizer, std::string_view text, Rest rest, std::size_t most,
                         std::vector<std::int32_t>& ids, Unknowns& unknowns) {
  if (most == no_limit) return encode_prefix(tokenizer, text, rest, ids, unknowns);
  const std::size_t before = ids.size();
  Unknowns found = unknowns;
  std::size_t size = 0;
  const std::optional<Error> fault = encode_to_fault(tokenizer, text, rest, most, ids, found, size);
  if (fault && ids.size() - before < most) {
    ids.resize(before);
    throw *fault;
  }
  unknowns = std::move(found);
  if (ids.size() - before < most) return size;
  ids.resize(before + most);
  return text.size();
}

std::int32_t size(const Tokenizer& tokenizer) {
  return std::visit([](const auto& one) { return one.size(); }, tokenizer);
}

std::string token(const Tokenizer& tokenizer, std::int32_t id) {
  return std::visit([id](const auto& one) { return std::string(one.token(id)); }, tokenizer);
}

std::string decode(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
  require(check_ids("decode", ids, size(tokenizer)));
  if (const auto* model = std::get_if<SentencePiece>(&tokenizer)) return model->decode(ids);
  const bool apart = std::holds_alternative<Words>(tokenizer) || std::holds_alternative<Ids>(tokenizer);
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (apart && i > 0) text += ' ';
    text += token(tokenizer, ids[i]);
  }
  return text;
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

TokenReader::TokenReader(const Tokenizer& tokenizer, Source source, std::string name, const ReadOptions& options)
    : tokenizer_(&tokenizer),
      wanted_(options.most),
      feed_(std::make_unique<TextFeed>(std::move(source), std::move(name),
                                       std::holds_alternative<Bytes>(tokenizer) ? Formats::any : options.formats)),
      ended_(options.most == 0) {}

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
  const std::size_t before = found_.size();
  const bool more = feed_->advance([this](std::string_view text, Rest rest) {
    Unknowns unknowns;
    const std::size_t size = encode_first(*tokenizer_, text, rest, wanted_, found_, unknowns);
    add_unknowns(unknowns_, std::move(unknowns), feed_->consumed(), feed_->place());
    return size;
  });
  if (wanted_ != no_limit) wanted_ -= found_.size() - before;
  ended_ = !more || wanted_ == 0;
}

}  // namespace posenc::io
