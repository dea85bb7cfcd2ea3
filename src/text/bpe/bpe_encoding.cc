// SPDX-License-Identifier: Apache-2.0
// What a text becomes, from its added tokens down to the joined bytes.
#include <posenc/text/bpe.h>

#include "src/base/problem_of.h"
#include "src/text/bpe/bpe_model.h"
#include "src/text/bpe/normal_text.h"
#include "src/text/bpe/pretokenizer.h"
#include "src/text/unicode/line_column.h"
#include "src/text/unicode/segmentation.h"

namespace posenc::io {
namespace {

// A part of a normal text that no merge crosses.
struct PlacedPiece {
  std::string_view bytes;
  const NormalText& text;
  std::size_t begin;
  std::size_t raw_place(std::size_t at) const { return text.raw_place(begin + at); }
};

}  // namespace

// Ids so far, and how far they are certain whatever follows.
class Bpe::Encoding {
 public:
  // `text` is valid UTF-8. Unknown tokens are counted among the first `most` ids.
  Encoding(const Model& model, std::string_view text, std::size_t most)
      : model_(model), text_(text), most_(most), joiner_(model.joins) {}

  // Returns the size of the prefix that has been encoded.
  std::size_t encode(Rest rest) {
    for (std::size_t at = 0;;) {
      const AddedMatch match = model_.in_text.find(text_.substr(at), rest);
      at = encode_stretch(at, at + match.begin, match.id < 0 ? rest : Rest::none);
      if (match.id < 0) return at;
      ids_.push_back(match.id);
      at += match.size;
    }
  }
  const std::vector<std::int32_t>& ids() const { return ids_; }
  const FoundUnknowns& unknowns() const { return unknowns_; }

 private:
  // Encodes [begin, end) and returns how far for good. Ids behind the last certain place are taken back.
  std::size_t encode_stretch(std::size_t begin, std::size_t end, Rest rest) {
    const NormalText normal(text_.substr(0, end), begin, model_.parts.normalization, rest);
    std::size_t certain_ids = ids_.size();
    std::int64_t certain_unknowns = unknowns_.count;
    const auto advance = [&](std::size_t at) {
      const std::optional<std::size_t> raw = normal.cut(at);
      if (raw) begin = *raw, certain_ids = ids_.size(), certain_unknowns = unknowns_.count;
    };
    for (std::size_t at = 0;;) {
      const AddedMatch match = model_.in_normal_text.find(normal.text().substr(at), rest);
      const Rest behind = match.id < 0 ? rest : Rest::none;
      const std::size_t last = at + match.begin;
      while (at < last) {
        const std::size_t size = encode_piece(normal, at, last, behind);
        if (size == 0) break;
        at += size;
        advance(at);
      }
      if (match.id < 0) break;
      ids_.push_back(match.id);
      at += match.size;
      advance(at);
    }
    ids_.resize(certain_ids);
    unknowns_.count = certain_unknowns;  // where that is 0 the next one is the first
    return begin;
  }

  // The size of the first piece of [begin, end), whose ids are appended; 0 where what is behind `end` decides its end.
  std::size_t encode_piece(const NormalText& text, std::size_t begin, std::size_t end, Rest rest) {
    const auto [size, undecided] = first_piece(model_.parts.pattern, text.text().substr(begin, end - begin));
    const bool open = undecided && rest == Rest::follows;
    const PlacedPiece piece = {text.text().substr(begin, size), text, begin};
    if (size > piece_limit + (open ? longest_scalar : 0)) {  // white space may yet leave its last scalar
      require_short("bpe_encode", "a piece", piece.raw_place(0), piece.raw_place(0) + size);
    }
    if (open) return 0;
    const bool taken = model_.parts.whole_pieces == WholePieces::taken;
    const std::int32_t whole = taken ? model_.whole.find(piece.bytes) : -1;
    if (whole >= 0) {
      ids_.push_back(whole);
      return size;
    }
    spell(piece);
    const std::size_t before = ids_.size();
    joiner_.join(symbols_, ids_);
    count_unknowns(piece, before);
    return size;
  }

  bool is_unknown(char byte) const { return model_.byte_ids[static_cast<std::uint8_t>(byte)] < 0; }

  // Where the bytes from `at` on end that are one token before any merge: one byte, or a run of unknown ones.
  std::size_t symbol_end(std::string_view bytes, std::size_t at) const {
    const bool run = model_.parts.unknown_bytes == UnknownBytes::one_a_run && is_unknown(bytes[at]);
    ++at;
    while (run && at < bytes.size() && is_unknown(bytes[at])) ++at;
    return at;
  }

  void spell(const PlacedPiece& piece) {
    symbols_.clear();
    for (std::size_t at = 0; at < piece.bytes.size(); at = symbol_end(piece.bytes, at)) {
      const std::int32_t id = model_.byte_ids[static_cast<std::uint8_t>(piece.bytes[at])];
      if (id < 0 && model_.parts.unknown_bytes == UnknownBytes::refused) {
        throw Error({"bpe_encode",
                     "each byte of a text must be a token of the vocabulary",
                     "byte " + byte_escape(piece.bytes[at]),
                     {static_cast<std::int64_t>(piece.raw_place(at))}});
      }
      symbols_.push_back(id < 0 ? model_.parts.unknown_id : id);
    }
  }

  // The bytes of a piece that its first tokens stand for.
  std::string_view bytes_of(std::span<const std::int32_t> first, std::string_view piece) const {
    std::size_t at = 0;
    for (const std::int32_t id : first) {
      if (at >= piece.size()) break;
      const bool unknown = id == model_.parts.unknown_id && is_unknown(piece[at]);
      at = unknown ? symbol_end(piece, at) : at + model_.parts.tokens[static_cast<std::size_t>(id)].size();
    }
    return piece.substr(0, at);
  }

  // The unknown tokens that spell() made of a piece, whose ids are those from `before` on.
  void count_unknowns(const PlacedPiece& piece, std::size_t before) {
    if (!model_.has_unknown_bytes || before >= most_) return;
    std::string_view bytes = piece.bytes;
    if (ids_.size() > most_) bytes = bytes_of(std::span(ids_).subspan(before, most_ - before), bytes);
    for (std::size_t at = 0, end = 0; at < bytes.size(); at = end) {
      end = symbol_end(bytes, at);
      if (is_unknown(bytes[at])) unknowns_.add(bytes.substr(at, end - at), piece.raw_place(at));
    }
  }

  const Model& model_;
  std::string_view text_;
  std::size_t most_;
  Joiner joiner_;
  std::vector<std::int32_t> ids_ = {};
  FoundUnknowns unknowns_ = {};
  std::vector<std::int32_t> symbols_ = {};  // of one piece
};

std::size_t Bpe::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids, Unknowns& unknowns,
                               std::size_t most) const {
  text = require_utf8("bpe_encode", text, rest);
  Encoding encoding(*model_, text, most);
  const std::size_t size = encoding.encode(rest);
  add_unknowns(unknowns, encoding.unknowns(), text);
  ids.insert(ids.end(), encoding.ids().begin(), encoding.ids().end());
  return size;
}

std::vector<std::int32_t> Bpe::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode_prefix(text, Rest::none, ids);
  return ids;
}

std::optional<Problem> Bpe::check_encode(std::string_view text) const {
  return problem_of([&] { encode(text); });
}

}  // namespace posenc::io
