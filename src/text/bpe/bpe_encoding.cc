// SPDX-License-Identifier: Apache-2.0
// What a text becomes, from its added tokens down to the joined bytes.
#include <posenc/bpe.h>

#include "src/text/bpe/bpe_model.h"
#include "src/text/bpe/normal_text.h"
#include "src/text/bpe/pretokenizer.h"
#include "src/text/unicode/line_column.h"
#include "src/text/unicode/utf8.h"

#include <functional>

namespace posenc::io {
namespace {

std::string byte_name(char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto value = static_cast<std::uint8_t>(byte);
  return {'b', 'y', 't', 'e', ' ', '\\', 'x', digits[value >> 4], digits[value & 15]};
}

// As Unknowns, before the line and the column are known.
struct FoundUnknowns {
  std::int64_t count = 0;
  std::string first = {};
  std::size_t offset = 0;
};

}  // namespace

// Ids so far, and how far they are certain whatever follows.
class Bpe::Encoding {
 public:
  // Unknown tokens are counted among the first `most` ids.
  Encoding(const Model& model, std::size_t most)
      : model_(model), most_(most), joiner_(model.joins, {model.parts.tokens, model.byte_ids}) {}

  // Returns the size of the prefix that has been encoded.
  std::size_t encode(std::string_view text, Rest rest) {
    for (std::size_t at = 0;;) {
      const AddedMatch match = model_.in_text.find(text.substr(at), rest);
      at += encode_stretch(text.substr(at, match.begin), at, match.id < 0 ? rest : Rest::none);
      if (match.id < 0) return at;
      ids_.push_back(match.id);
      at += match.size;
    }
  }
  std::vector<std::int32_t> ids() && { return std::move(ids_); }
  void add_unknowns_to(Unknowns& all, std::string_view text) const {
    if (unknowns_.count > 0) add_unknowns(all, unknowns_.count, unknowns_.first, text, unknowns_.offset);
  }

 private:
  std::size_t encode_stretch(std::string_view text, std::size_t offset, Rest rest) {
    offset_ = offset;
    if (model_.parts.normalization == Normalization::none) {
      return encode_normal(text, rest, [](std::size_t at) { return std::optional(at); }, std::identity{});
    }
    NormalText normal(text, offset, rest);
    return encode_normal(
        normal.text(), rest, [&](std::size_t at) { return normal.cut(at); },
        [&](std::size_t at) { return normal.raw_place(at); });
  }

  // Ids that come after the last cut may change with what follows, and are taken back.
  template <class Cut, class Place>
  std::size_t encode_normal(std::string_view text, Rest rest, Cut cut, Place place) {
    Certain certain = {0, ids_.size(), unknowns_.count};
    const auto advance = [&](std::size_t at) {
      const std::optional<std::size_t> raw = cut(at);
      if (raw) certain = {*raw, ids_.size(), unknowns_.count};
    };
    for (std::size_t at = 0;;) {
      const AddedMatch match = model_.in_normal_text.find(text.substr(at), rest);
      const std::string_view before = text.substr(0, at + match.begin);
      while (at < before.size()) {
        const Piece piece = first_piece(model_.parts.pattern, before.substr(at));
        const bool open = piece.seen > before.size() - at && match.id < 0 && rest == Rest::follows;
        const std::size_t end = at + (open ? piece.sure : piece.size);
        const auto cut_in_piece = [&](std::size_t i) { return cut(at + i).has_value(); };
        const auto place_in_piece = [&](std::size_t i) { return place(at + i); };
        if (piece.wait > piece_limit) refuse_length(place(at));
        while (const std::size_t size = encode_start(before.substr(at, end - at), cut_in_piece, place_in_piece)) {
          at += size;
          advance(at);
        }
        if (open) return take_back_to(certain);
        encode_piece(before.substr(at, end - at), place_in_piece);
        at = end;
        advance(at);
      }
      if (match.id < 0) break;
      ids_.push_back(match.id);
      at += match.size;
      advance(at);
    }
    return take_back_to(certain);
  }

  // How far a stretch has been encoded for good.
  struct Certain {
    std::size_t size, ids;
    std::int64_t unknowns;
  };
  std::size_t take_back_to(const Certain& certain) {
    ids_.resize(certain.ids);
    unknowns_.count = certain.unknowns;  // where that is 0 the next one is the first
    return certain.size;
  }

  // Encodes the beginning of a long piece, so that it is never needed as a whole. Returns how many bytes; 0 where at
  // most one window is left. The windows, and so the errors, depend on the piece alone, however the text comes.
  template <class Cut, class Place>
  std::size_t encode_start(std::string_view piece, Cut cut, Place place) {
    for (std::size_t window = model_.window; piece.size() > window; window *= 2) {
      if (window == piece_limit) refuse_length(place(0));
      spell(piece.substr(0, window), place);
      std::span<const PlacedToken> tokens = joiner_.join_start(symbols_);
      // The rest must not be taken for a token as a whole.
      const auto may_end = [&](const PlacedToken& token) {
        return token.end + model_.longest_whole <= window && may_cut(model_.parts.pattern, piece, token.end) &&
               cut(token.end);
      };
      while (!tokens.empty() && !may_end(tokens.back())) tokens = tokens.first(tokens.size() - 1);
      if (tokens.empty()) continue;
      const std::size_t before = ids_.size();
      for (const PlacedToken& token : tokens) ids_.push_back(token.id);
      count_unknowns(piece.substr(0, tokens.back().end), before, place);
      return tokens.back().end;
    }
    return 0;
  }

  template <class Place>
  void encode_piece(std::string_view piece, Place place) {
    if (model_.parts.whole_pieces == WholePieces::taken) {
      const std::int32_t whole = model_.whole.find(piece);
      if (whole >= 0) return ids_.push_back(whole);
    }
    spell(piece, place);
    const std::size_t before = ids_.size();
    joiner_.join(symbols_, ids_);
    count_unknowns(piece, before, place);
  }

  // The tokens of single bytes.
  template <class Place>
  void spell(std::string_view piece, Place place) {
    symbols_.clear();
    bool in_unknown_run = false;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      std::int32_t id = model_.byte_ids[static_cast<std::uint8_t>(piece[i])];
      const bool unknown = id < 0;
      if (unknown) {
        if (model_.parts.unknown_bytes == UnknownBytes::refused) refuse_byte(piece[i], place(i));
        id = model_.parts.unknown_id;
      }
      const bool fused = unknown && in_unknown_run && model_.parts.unknown_bytes == UnknownBytes::one_a_run;
      if (!fused) symbols_.push_back(id);
      in_unknown_run = unknown;
    }
  }

  bool is_unknown(char byte) const { return model_.byte_ids[static_cast<std::uint8_t>(byte)] < 0; }

  // Where the bytes end that became one unknown token.
  std::size_t unknown_end(std::string_view piece, std::size_t at) const {
    const bool fused = model_.parts.unknown_bytes == UnknownBytes::one_a_run;
    ++at;
    while (fused && at < piece.size() && is_unknown(piece[at])) ++at;
    return at;
  }

  // The bytes of a piece that its first tokens stand for.
  std::string_view bytes_of(std::span<const std::int32_t> first, std::string_view piece) const {
    std::size_t at = 0;
    for (const std::int32_t id : first) {
      if (at >= piece.size()) break;
      const bool unknown = id == model_.parts.unknown_id && is_unknown(piece[at]);
      at = unknown ? unknown_end(piece, at) : at + model_.parts.tokens[static_cast<std::size_t>(id)].size();
    }
    return piece.substr(0, at);
  }

  // The unknown tokens that spell() made of these bytes, whose ids are those from `before` on.
  template <class Place>
  void count_unknowns(std::string_view piece, std::size_t before, Place place) {
    if (!model_.has_unknown_bytes || before >= most_) return;
    if (ids_.size() > most_) piece = bytes_of(std::span(ids_).subspan(before, most_ - before), piece);
    for (std::size_t at = 0, end = 0; at < piece.size(); at = end) {
      const bool unknown = is_unknown(piece[at]);
      end = unknown ? unknown_end(piece, at) : at + 1;
      if (!unknown || unknowns_.count++ > 0) continue;
      unknowns_.first = piece.substr(at, end - at);
      unknowns_.offset = offset_ + place(at);
    }
  }

  [[noreturn]] void refuse_length(std::size_t at) const {
    throw Error({"bpe_encode",
                 "a stretch that cannot be cut must have at most " + std::to_string(piece_limit) + " bytes",
                 "more",
                 {static_cast<std::int64_t>(offset_ + at)}});
  }
  [[noreturn]] void refuse_byte(char byte, std::size_t at) const {
    throw Error({"bpe_encode",
                 "each byte of a text must be a token of the vocabulary",
                 byte_name(byte),
                 {static_cast<std::int64_t>(offset_ + at)}});
  }

  const Model& model_;
  std::size_t most_;
  Joiner joiner_;
  std::vector<std::int32_t> ids_ = {};
  FoundUnknowns unknowns_ = {};
  std::vector<std::int32_t> symbols_ = {};  // of one piece
  std::size_t offset_ = 0;                  // of the stretch in the text
};

std::size_t Bpe::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids, Unknowns& unknowns,
                               std::size_t most) const {
  if (rest == Rest::follows) text = text.substr(0, complete_size(text));
  require(check_utf8("bpe_encode", text));
  Encoding encoding(*model_, most);
  const std::size_t size = encoding.encode(text, rest);
  encoding.add_unknowns_to(unknowns, text);
  const std::vector<std::int32_t> found = std::move(encoding).ids();
  ids.insert(ids.end(), found.begin(), found.end());
  return size;
}

std::vector<std::int32_t> Bpe::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode_prefix(text, Rest::none, ids);
  return ids;
}

std::optional<Problem> Bpe::check_encode(std::string_view text) const {
  try {
    encode(text);
    return std::nullopt;
  } catch (const Error& error) {
    return error.problem();
  }
}

}  // namespace posenc::io
