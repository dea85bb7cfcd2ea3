// SPDX-License-Identifier: Apache-2.0
// SentencePiece against its Python package (tests/text/goldens/sentence_piece.json), and models that are broken.
#include "tests/text/cut_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <fstream>
#include <limits>
#include <sstream>

namespace {

using namespace posenc::io;
using nlohmann::json;
using posenc::test::encode_whole;

std::string golden_path(const std::string& name) {
  return std::string(POSENC_SOURCE_DIR) + "/tests/text/goldens/" + name;
}

std::string bytes_of(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(golden_path(name), std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

const json& golden() {
  static const json value = json::parse(std::ifstream(golden_path("sentence_piece.json")));
  return value;
}

// ---- protocol buffers, written plainly ----

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
  return bytes += static_cast<char>(value);
}

std::string field(std::uint64_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((value >> shift) & 0xFF);
  return bytes;
}

std::string piece(const std::string& text, float score, std::uint64_t type) {
  return field(1, field(1, text) + varint(2 << 3 | 5) + little_endian(std::bit_cast<std::uint32_t>(score)) +
                      varint(3 << 3) + varint(type));
}

std::string normalizer(const std::string& map) { return field(3, field(2, map)); }

// A double array of `units` and strings behind it.
std::string character_map(const std::vector<std::uint32_t>& units, const std::string& strings) {
  std::string bytes = little_endian(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t unit : units) bytes += little_endian(unit);
  return bytes + strings;
}

std::vector<std::uint32_t> empty_array(std::size_t blocks) {
  return std::vector<std::uint32_t>(256 * blocks, 0x80000000u);
}

std::string message_of(const std::string& model) {
  const std::optional<posenc::Problem> problem = SentencePiece::check(model, "m");
  return problem ? problem->message() : "nothing";
}

TEST(SentencePiece, GivesTheIdsOfThePackage) {
  ASSERT_EQ(golden().at("models").size(), 2u);
  for (const json& entry : golden().at("models")) {
    const Tokenizer tokenizer = SentencePiece::read(golden_path(entry.at("model").get<std::string>()));
    const json& tokens = entry.at("tokens");
    ASSERT_EQ(size(tokenizer), static_cast<std::int32_t>(tokens.size()));
    for (std::int32_t id = 0; id < size(tokenizer); ++id) {
      EXPECT_EQ(token(tokenizer, id), tokens.at(static_cast<std::size_t>(id)).get<std::string>());
    }
    ASSERT_GT(golden().at("strings").size(), 20u);
    for (std::size_t i = 0; i < golden().at("strings").size(); ++i) {
      const auto text = golden().at("strings").at(i).get<std::string>();
      const auto ids = entry.at("ids").at(i).get<std::vector<std::int32_t>>();
      const posenc::test::Encoded encoded = encode_whole(tokenizer, text);
      EXPECT_EQ(encoded.ids, ids) << text;
      EXPECT_EQ(encoded.unknowns.count, std::count(ids.begin(), ids.end(), entry.at("unknown").get<std::int32_t>()));
    }
  }
}

TEST(SentencePiece, NamesTheFirstUnknownWithItsOffset) {
  const SentencePiece model = SentencePiece::read(golden_path("unigram.model"));
  EXPECT_EQ(encode_whole(model, "the ЖЖ and Ю").unknowns, (Unknowns{2, "ЖЖ", 4, 1, 5}));
}

TEST(SentencePiece, LeavesATextThatGoesOnOver) {
  const SentencePiece model = SentencePiece::read(golden_path("pairs.model"));
  std::vector<std::int32_t> ids;
  EXPECT_EQ(model.encode_prefix("the words", Rest::follows, ids), 0u);
  EXPECT_TRUE(ids.empty());
}

TEST(SentencePiece, RefusesInvalidUtf8) {
  const SentencePiece model = SentencePiece::read(golden_path("pairs.model"));
  std::vector<std::int32_t> ids = {7};
  EXPECT_THROW(model.encode_prefix("ab\xFF", Rest::none, ids), posenc::Error);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{7}));
  EXPECT_THROW(model.token(-1), posenc::Error);
  EXPECT_THROW(model.token(model.size()), posenc::Error);
}

TEST(SentencePiece, RefusesFilesThatAreNoModel) {
  const std::string no_model = "[read_sentence_piece] the file must be a SentencePiece model";
  EXPECT_EQ(message_of(""), no_model + ": a model must have pieces, got 'm' at [0]");
  EXPECT_EQ(message_of("\x1F\x8B\x08"), no_model + ", got 'm', which begins like gzip");
  EXPECT_EQ(message_of("plain text"),
            no_model + ": fields must be whole, of types 0, 1, 2 or 5, and end with what holds them, got 'm' at [2]");
  EXPECT_EQ(message_of(piece("a", 0, 1)), no_model + ", got 'm', of which its library says 'unk is not defined.'");
  EXPECT_THROW(SentencePiece::read(golden_path("missing.model")), posenc::Error);
}

TEST(SentencePiece, RefusesWhatTheLibraryWouldTripOver) {
  const std::string rule = "[read_sentence_piece] the file must be a SentencePiece model: ";
  const std::string model = bytes_of("pairs.model");
  const std::string at = ", got 'm' at [" + std::to_string(model.size() + 2) + "]";
  const std::string bad_piece = rule + "a piece must be 1 to 7999 bytes of UTF-8 without NUL";
  EXPECT_EQ(message_of(model), "nothing");
  EXPECT_EQ(message_of(model + piece("Q", 0, 1)), "nothing");
  EXPECT_EQ(message_of(model + piece("", 0, 1)), bad_piece + at);
  EXPECT_EQ(message_of(model + piece("\xFF", 0, 1)), bad_piece + at);
  EXPECT_EQ(message_of(model + piece(std::string("a\0b", 3), 0, 1)), bad_piece + at);
  EXPECT_TRUE(message_of(model + piece(std::string(8000, 'q'), 0, 1)).starts_with(bad_piece));
  for (const float score : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(message_of(model + piece("Q", score, 1)).starts_with(rule + "the score of a piece must be finite"));
  }
  std::string nested = model;
  for (std::size_t length = 1; length <= 65; ++length) {
    EXPECT_EQ(message_of(nested), "nothing") << length;
    nested += piece(std::string(length, 'z'), 0, 4);
  }
  EXPECT_EQ(message_of(nested), rule + "at most 64 pieces defined by the user may begin one another, got 'm' at [0]");
}

TEST(SentencePiece, RefusesCharacterMapsThatPointAstray) {
  const std::string model = bytes_of("pairs.model");
  const std::string rule = "[read_sentence_piece] the file must be a SentencePiece model: ";
  const std::string at = ", got 'm' at [" + std::to_string(model.size()) + "]";
  const std::string sizes = "the character map must hold whole blocks of its array, and strings behind them";
  const std::string astray = "the character map must point within itself";
  const std::string strings = "the character map must point at strings of at most 1024 bytes";
  const auto check = [&](const std::string& map) {
    const std::string message = message_of(model + normalizer(map));
    return message.starts_with(rule) ? message.substr(rule.size(), message.find(", got") - rule.size()) : message;
  };
  const auto offset = [](std::uint32_t by) { return by << 10; };
  constexpr std::uint32_t has_value = 1u << 8, value = 1u << 31;
  const std::string end(1, '\0');

  std::vector<std::uint32_t> one = empty_array(2);  // 'a' becomes the string at 0
  one[0] = offset(256);
  one[256 + 'a'] = 'a' | has_value | offset(1);
  one[(256 + 'a') ^ 1] = value | 0;
  EXPECT_EQ(check(character_map(one, "b" + end)), "nothing");
  EXPECT_EQ(token(SentencePiece(model + normalizer(character_map(one, "b" + end))), 0), "<unk>");
  EXPECT_EQ(check(character_map(one, "b")), strings);
  EXPECT_EQ(check(character_map(one, std::string(1024, 'b') + end)), "nothing");
  EXPECT_EQ(check(character_map(one, std::string(1025, 'b') + end)), strings);
  EXPECT_EQ(check("abc"), sizes);
  EXPECT_EQ(check(character_map({}, "b" + end)), sizes);
  EXPECT_EQ(check(character_map({1, 2, 3}, "b" + end)), sizes);
  EXPECT_EQ(check(character_map(one, "")), sizes);

  std::vector<std::uint32_t> changed = one;
  changed[(256 + 'a') ^ 1] = value | 2;
  EXPECT_EQ(check(character_map(changed, "b" + end)), strings);
  changed = one;
  changed[0] = offset(512);
  EXPECT_EQ(check(character_map(changed, "b" + end)), astray);
  changed = one;
  changed[256 + 'a'] = 'a' | offset(1 << 20);
  EXPECT_EQ(check(character_map(changed, "b" + end)), astray);

  std::vector<std::uint32_t> cycle = empty_array(2);  // "aaa..." without end
  cycle[0] = offset(256);
  cycle[256 + 'a'] = 'a' | offset('a');
  EXPECT_EQ(check(character_map(cycle, "b" + end)), "the character map must have no cycles");

  for (const std::size_t depth : {32u, 33u}) {  // a, aa, aaa, ...
    std::vector<std::uint32_t> deep = empty_array(depth + 2);
    deep[0] = 0;
    std::size_t from = 0;
    for (std::size_t level = 1; level <= depth; ++level) {
      const std::size_t to = 256 * level + 'a';
      deep[from] |= offset(static_cast<std::uint32_t>(from ^ (256 * level)));
      if (level > 1) deep[256 * level] = value | 0;
      deep[to] = 'a' | has_value;
      from = to;
    }
    deep[from] |= offset(static_cast<std::uint32_t>(from ^ (256 * (depth + 1))));
    deep[256 * (depth + 1)] = value | 0;
    EXPECT_EQ(check(character_map(deep, "b" + end)),
              depth == 32 ? "nothing" : "no text may match more than 32 entries of the character map");
  }
}

TEST(SentencePiece, NormalizesByTheCharacterMap) {
  const SentencePiece model = SentencePiece::read(golden_path("unigram.model"));
  EXPECT_EQ(encode_whole(model, "the\u3000words").ids, encode_whole(model, "the words").ids);
}

// What the library would say of a self test that fails goes to standard error.
TEST(SentencePiece, IsQuietAboutAModelsSelfTest) {
  const std::string model = bytes_of("unigram.model") + field(4, field(1, field(1, "hello") + field(2, "x y")));
  testing::internal::CaptureStderr();
  EXPECT_EQ(message_of(model), "nothing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SentencePiece, EveryProperPrefixIsRefusedOrAModel) {
  for (const char* name : {"unigram.model", "pairs.model"}) {
    const std::string model = bytes_of(name);
    testing::internal::CaptureStderr();
    std::size_t taken = 0;
    for (std::size_t size = 0; size < model.size(); size += size < 64 ? 1 : 13) {
      if (SentencePiece::check(model.substr(0, size))) continue;
      ++taken;  // cut between fields behind the pieces that the type of model needs
      EXPECT_GT(SentencePiece(model.substr(0, size)).size(), 0);
    }
    EXPECT_LT(taken, 20u);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

}  // namespace
