// SPDX-License-Identifier: Apache-2.0
// SentencePiece models through their own library.
#include <posenc/text/tokenizer.h>

#include "src/base/environment.h"
#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/text/sentencepiece/sentence_piece_model.h"
#include "src/text/unicode/first_bytes.h"
#include "src/text/unicode/line_column.h"
#include "src/text/unicode/utf8.h"
#include "src/text/vocabulary/check_id.h"

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
  const DefaultEnvironment environment;
  return problem_of([&] { SentencePiece(model, name); });
}

SentencePiece SentencePiece::read(const std::string& path) {
  const DefaultEnvironment environment;
  return SentencePiece(read_file(path, vocabulary_byte_limit), path);
}

std::size_t SentencePiece::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                                         Unknowns& unknowns, std::size_t most) const {
  const DefaultEnvironment environment;
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
  FoundUnknowns found;
  for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
    const auto piece = encoded.pieces(static_cast<int>(i));
    const auto id = static_cast<std::int32_t>(piece.id());
    ids.push_back(id);
    if (id == unknown_id && i < most) found.add(piece.surface(), piece.begin());
  }
  add_unknowns(unknowns, found, text);
  return text.size();
}

std::int32_t SentencePiece::size() const { return model_->processor.GetPieceSize(); }

std::optional<std::int32_t> SentencePiece::unknown() const { return model_->processor.unk_id(); }

std::string SentencePiece::token(std::int32_t id) const {
  require(check_id("sentence_piece_token", id, size()));
  return model_->processor.IdToPiece(id);
}

std::string SentencePiece::decode(std::span<const std::int32_t> ids) const {
  const DefaultEnvironment environment;
  require(check_ids("sentence_piece_decode", ids, size()));
  return model_->processor.DecodeIds({ids.begin(), ids.end()});
}

}  // namespace posenc::io
