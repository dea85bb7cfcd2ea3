// SPDX-License-Identifier: Apache-2.0
// The embedded vocabulary against the `tokenizers` package (tests/text/goldens/bpe.json), and the Unicode version.
#include "apps/posenc/default/default.h"
#include "tests/text/digest.h"
#include "tests/text/mixed_text.h"

#include <gtest/gtest.h>
#include <utf8proc.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using nlohmann::json;

const json& bpe_golden() {
  static const json value = json::parse(std::ifstream(std::string(POSENC_SOURCE_DIR) + "/tests/text/goldens/bpe.json"));
  return value;
}

const posenc::io::Bpe& bpe() {
  static const posenc::io::Bpe value = posenc::tool::load_default().bpe;
  return value;
}

char class_of(char32_t scalar) {
  const std::string text = posenc::test::utf8_of(scalar);
  for (const auto& [mark, name] : {std::pair{'a', 'L'}, std::pair{'1', 'N'}, std::pair{'!', 'O'}}) {
    if (posenc::io::gpt2_piece(mark + text) == text.size() + 1) return name;
  }
  return 'S';
}

TEST(Unicode, IsVersion15ByUtf8proc2_8) {
  EXPECT_STREQ(utf8proc_unicode_version(), "15.0.0");
  EXPECT_STREQ(utf8proc_version(), "2.8.0");
}

TEST(Unicode, EveryScalarValueHasTheClassThatTokenizersHas) {
  std::string classes;
  for (char32_t scalar = 0; scalar < 0x110000; ++scalar) {
    if (scalar < 0xD800 || scalar > 0xDFFF) classes += class_of(scalar);
  }
  EXPECT_EQ(posenc::test::sha256(classes), bpe_golden().at("classes_sha256").get<std::string>());
}

// The package knows a later Unicode; what 15.0 does not assign is neither letter nor number here.
TEST(Unicode, ScalarsOfALaterVersionAreNoLetters) {
  int count = 0;
  for (const json& range : bpe_golden().at("later")) {
    for (auto scalar = range.at(0).get<char32_t>(); scalar <= range.at(1).get<char32_t>(); ++scalar, ++count) {
      EXPECT_EQ(utf8proc_category(static_cast<utf8proc_int32_t>(scalar)), UTF8PROC_CATEGORY_CN);
      EXPECT_EQ(class_of(scalar), 'O');
    }
  }
  EXPECT_EQ(count, 5004);
}

TEST(Tokenizers, AgreesOnShortTexts) {
  ASSERT_GE(bpe_golden().at("strings").size(), 20u);
  for (const json& entry : bpe_golden().at("strings")) {
    const auto text = entry.at("text").get<std::string>();
    EXPECT_EQ(bpe().encode(text), entry.at("ids").get<std::vector<std::int32_t>>()) << text;
  }
}

TEST(Tokenizers, AgreesOnAMegabyteOfMixedText) {
  std::size_t total = 0;
  for (const json& section : bpe_golden().at("sections")) {
    const std::string text = posenc::test::mixed_text(section.at("seed").get<std::uint64_t>(),
                                                      bpe_golden().at("section_size").get<std::size_t>());
    ASSERT_EQ(text.size(), section.at("text_bytes").get<std::size_t>());
    ASSERT_EQ(posenc::test::sha256(text), section.at("text_sha256").get<std::string>());
    const std::vector<std::int32_t> ids = bpe().encode(text);
    EXPECT_EQ(ids.size(), section.at("ids").get<std::size_t>());
    EXPECT_EQ(posenc::test::sha256_of_ids(ids), section.at("ids_sha256").get<std::string>());
    EXPECT_EQ(bpe().decode(ids), text);
    total += text.size();
  }
  EXPECT_GE(total, std::size_t{1} << 20);
}

}  // namespace
