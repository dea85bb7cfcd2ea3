// SPDX-License-Identifier: Apache-2.0
// A walk over the wire format of protocol buffers, as far as a SentencePiece model goes.
#include "src/text/sentencepiece/sentence_piece_model.h"

#include <posenc/text/vocabulary.h>

#include "src/text/unicode/utf8.h"

#include <algorithm>
#include <cmath>

namespace posenc::io {
namespace {

// Field numbers of sentencepiece_model.proto.
enum ModelField : std::uint64_t { pieces = 1, normalizer = 3, self_test = 4, denormalizer = 5 };
enum PieceField : std::uint64_t { piece_text = 1, piece_score = 2, piece_type = 3 };
constexpr std::uint64_t character_map = 2;
constexpr std::uint64_t user_defined = 4;
constexpr std::size_t longest_piece = 7999;  // the library's own
constexpr std::size_t nesting_limit = 64;    // the library's array of matches

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
  std::uint64_t number;
  Wire wire;
  std::uint64_t value;     // of a varint
  std::string_view bytes;  // of the others
  std::size_t start;       // of the field in its message
  std::size_t end;
};

// A base-128 number, lowest digits first; nothing when it is cut short or longer than 64 bits.
std::optional<std::uint64_t> varint_at(std::string_view message, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && at < message.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(message[at++]);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<Field> field_at(std::string_view message, std::size_t at) {
  const std::size_t start = at;
  const auto key = varint_at(message, at);
  if (!key || *key >> 3 == 0 || *key >> 32 != 0) return std::nullopt;
  Field field = {*key >> 3, static_cast<Wire>(*key & 7), 0, {}, start, 0};
  std::uint64_t size = 0;
  switch (field.wire) {
    case Wire::varint:
    case Wire::bytes: {
      const auto number = varint_at(message, at);
      if (!number) return std::nullopt;
      field.value = *number;
      size = field.wire == Wire::bytes ? *number : 0;
      break;
    }
    case Wire::fixed64: size = 8; break;
    case Wire::fixed32: size = 4; break;
    default: return std::nullopt;
  }
  if (size > message.size() - at) return std::nullopt;
  field.bytes = message.substr(at, size);
  field.end = at + field.bytes.size();
  return field;
}

// Calls visit(field) until it returns a fault. `base`: where the message begins in the model.
template <class Visit>
std::optional<ModelFault> for_each_field(std::string_view message, std::size_t base, Visit visit) {
  for (std::size_t at = 0; at < message.size();) {
    const std::optional<Field> field = field_at(message, at);
    if (!field)
      return ModelFault{"fields must be whole, of types 0, 1, 2 or 5, and end with what holds them", base + at};
    if (std::optional<ModelFault> fault = visit(*field)) return fault;
    at = field->end;
  }
  return std::nullopt;
}

std::optional<ModelFault> check_piece(std::string_view message, std::size_t base,
                                      std::vector<std::string_view>& nested) {
  std::string_view text;
  bool may_nest = false;
  auto fault = for_each_field(message, base, [&](const Field& field) -> std::optional<ModelFault> {
    const std::size_t at = base + field.start;
    if (field.number == piece_score && field.wire == Wire::fixed32 &&
        !std::isfinite(std::bit_cast<float>(number_at(field.bytes, 0)))) {
      return ModelFault{"the score of a piece must be finite", at};
    }
    if (field.number == piece_type) may_nest = field.value == user_defined;
    if (field.number == piece_text && field.wire == Wire::bytes) text = field.bytes;
    return std::nullopt;
  });
  if (fault) return fault;
  if (text.empty() || text.size() > longest_piece || text.find('\0') != text.npos || find_utf8_fault(text)) {
    return ModelFault{"a piece must be 1 to 7999 bytes of UTF-8 without NUL", base};
  }
  if (may_nest) nested.push_back(text);
  return std::nullopt;
}

std::optional<ModelFault> check_normalizer(std::string_view message, std::size_t base) {
  return for_each_field(message, base, [&](const Field& field) -> std::optional<ModelFault> {
    if (field.number != character_map || field.wire != Wire::bytes) return std::nullopt;
    const std::string_view rule = check_character_map(field.bytes);
    return rule.empty() ? std::nullopt : std::optional(ModelFault{std::string(rule), base + field.start});
  });
}

// Whether some piece has more others as beginnings than the library has room for.
bool nests_too_deep(std::vector<std::string_view> nested) {
  std::ranges::sort(nested);
  std::vector<std::string_view> open;  // each the beginning of the next
  for (const std::string_view piece : nested) {
    while (!open.empty() && !piece.starts_with(open.back())) open.pop_back();
    open.push_back(piece);
    if (open.size() > nesting_limit) return true;
  }
  return false;
}

}  // namespace

std::optional<ModelFault> check_model(std::string_view bytes) {
  std::int32_t count = 0;
  std::vector<std::string_view> nested;
  auto fault = for_each_field(bytes, 0, [&](const Field& field) -> std::optional<ModelFault> {
    const std::size_t base = field.end - field.bytes.size();
    if (field.number == pieces && ++count > vocabulary_token_limit) {
      return ModelFault{"a model must have at most " + std::to_string(vocabulary_token_limit) + " pieces", field.start};
    }
    if (field.number == pieces) return check_piece(field.bytes, base, nested);
    if (field.number == normalizer || field.number == denormalizer) return check_normalizer(field.bytes, base);
    return std::nullopt;
  });
  if (fault) return fault;
  if (count == 0) return ModelFault{"a model must have pieces", 0};
  if (nests_too_deep(std::move(nested))) {
    return ModelFault{"at most 64 pieces defined by the user may begin one another", 0};
  }
  return std::nullopt;
}

std::string without_self_test(std::string_view bytes) {
  std::string model;
  model.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::optional<Field> field = field_at(bytes, at);
    if (!field) break;
    if (field->number != self_test) model += bytes.substr(at, field->end - at);
    at = field->end;
  }
  return model;
}

}  // namespace posenc::io
