// SPDX-License-Identifier: Apache-2.0
// SentencePiece models through their own library.
#include <posenc/tokenizer.h>

#include "src/base/quote.h"
#include "src/text/sentencepiece/sentence_piece_model.h"
#include "src/text/unicode/first_bytes.h"
#include "src/text/unicode/line_column.h"
#include "src/text/unicode/utf8.h"

#include <limits>

#include <sentencepiece_processor.h>

namespace posenc::io {
namespace {

constexpr std::string_view reading = "read_sentence_piece";
constexpr std::string_view encoding = "sentence_piece_encode";

[[noreturn]] void refuse(std::string rule, std::string value, std::vector<std::int64_t> index = {}) {
  throw Error({std::string(reading), std::move(rule), std::move(value), std::move(index)});
}

void require_model(std::string_view model, std::string_view name) {
  const std::string_view format = format_of_list(model);
  if (!format.empty()) {
    refuse("the file must be a SentencePiece model",
           quote(name, Keep::tail) + ", which begins like " + std::string(format));
  }
  if (const auto fault = check_model(model)) {
    refuse("the file must be a SentencePiece model: " + fault->rule, quote(name, Keep::tail),
           {static_cast<std::int64_t>(fault->offset)});
  }
}

}  // namespace

struct SentencePiece::Model {
  sentencepiece::SentencePieceProcessor processor;
};

SentencePiece::SentencePiece(std::string_view model, std::string_view name) {
  require_model(model, name);
  const auto made = std::make_shared<Model>();
  const auto status = made->processor.LoadFromSerializedProto(without_self_test(model));
  if (!status.ok()) {
    refuse("the file must be a SentencePiece model",
           quote(name, Keep::tail) + ", of which its library says " + quote(status.error_message()));
  }
  model_ = made;
}

std::optional<Problem> SentencePiece::check(std::string_view model, std::string_view name) {
  try {
    const SentencePiece made(model, name);
    return std::nullopt;
  } catch (const Error& error) {
    return error.problem();
  }
}

SentencePiece SentencePiece::read(const std::string& path) {
  return SentencePiece(read_file(path, vocabulary_byte_limit), path);
}

std::size_t SentencePiece::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                                         Unknowns& unknowns, std::size_t most) const {
  if (rest == Rest::follows) return 0;
  require(check_utf8(encoding, text));
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error({std::string(encoding), "the text must have at most 2147483647 bytes", std::to_string(text.size())});
  }
  sentencepiece::ImmutableSentencePieceText encoded;
  const auto status = model_->processor.Encode(text, encoded.mutable_proto());
  if (!status.ok()) {
    throw Error({std::string(encoding), "the model must encode the text",
                 "what its library calls " + quote(status.error_message())});
  }
  const int unknown_id = model_->processor.unk_id();
  for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
    const auto piece = encoded.pieces(static_cast<int>(i));
    const auto id = static_cast<std::int32_t>(piece.id());
    ids.push_back(id);
    if (id == unknown_id && i < most) add_unknowns(unknowns, 1, piece.surface(), text, piece.begin());
  }
  return text.size();
}

std::int32_t SentencePiece::size() const { return model_->processor.GetPieceSize(); }

std::optional<std::int32_t> SentencePiece::unknown() const { return model_->processor.unk_id(); }

std::string SentencePiece::token(std::int32_t id) const {
  if (id >= 0 && id < size()) return model_->processor.IdToPiece(id);
  throw Error(
      {"sentence_piece_token", "a token id must be one of 0 to " + std::to_string(size() - 1), std::to_string(id)});
}

std::string SentencePiece::decode(std::span<const std::int32_t> ids) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < size()) continue;
    throw Error({"sentence_piece_decode",
                 "a token id must be one of 0 to " + std::to_string(size() - 1),
                 std::to_string(ids[i]),
                 {static_cast<std::int64_t>(i)}});
  }
  return model_->processor.DecodeIds({ids.begin(), ids.end()});
}

}  // namespace posenc::io
