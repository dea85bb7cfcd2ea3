// SPDX-License-Identifier: Apache-2.0
// Tokenizer files against the `tokenizers` package: the small ones of tests/text/goldens, and, for the label
// `regenerate`, real ones.
#include <posenc/text/tokenizer_json.h>

#include "tests/text/digest.h"
#include "tests/text/mixed_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

using nlohmann::json;
using posenc::io::Bpe;
using posenc::io::parse_tokenizer_json;
using posenc::io::Rest;

const std::string goldens = std::string(POSENC_SOURCE_DIR) + "/tests/text/goldens/";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const json& golden() {
  static const json value = json::parse(read(goldens + "tokenizers.json"));
  return value;
}

// The same as tagged_text of tools/goldens/tokenizer_files.py.
std::string tagged_text(std::uint64_t seed, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) {
    text += posenc::test::mixed_text(seed * 1000000 + i, 48);
    text += golden().at("tags").at(i % golden().at("tags").size()).get_ref<const std::string&>();
  }
  return text;
}

// The ids that chunks of random sizes give, of 1 to `most` bytes.
std::vector<std::int32_t> ids_in_chunks(const Bpe& bpe, std::string_view text, std::uint64_t seed, std::size_t most) {
  std::vector<std::int32_t> ids;
  std::size_t done = 0;
  for (std::size_t end = 0; done < text.size();) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    end = std::min(text.size(), end + 1 + (seed >> 33) % most);
    const Rest rest = end == text.size() ? Rest::none : Rest::follows;
    done += bpe.encode_prefix(text.substr(done, end - done), rest, ids);
  }
  return ids;
}

void expect_sections(const Bpe& bpe, const json& entry) {
  for (std::size_t i = 0; i < golden().at("texts").size(); ++i) {
    const json& made = golden().at("texts").at(i);
    const json& section = entry.at("sections").at(i);
    const std::string text =
        tagged_text(made.at("seed").get<std::uint64_t>(), golden().at("section_size").get<std::size_t>());
    ASSERT_EQ(text.size(), made.at("bytes").get<std::size_t>());
    ASSERT_EQ(posenc::test::sha256(text), made.at("sha256").get<std::string>());
    const std::vector<std::int32_t> ids = bpe.encode(text);
    EXPECT_EQ(ids.size(), section.at("ids").get<std::size_t>());
    EXPECT_EQ(posenc::test::sha256_of_ids(ids), section.at("sha256").get<std::string>());
    EXPECT_EQ(ids_in_chunks(bpe, text, i, 3000), ids);
  }
}

void expect_strings(const Bpe& bpe, const json& entry) {
  ASSERT_EQ(golden().at("strings").size(), entry.at("strings").size());
  for (std::size_t i = 0; i < golden().at("strings").size(); ++i) {
    const auto text = golden().at("strings").at(i).get<std::string>();
    const auto expected = entry.at("strings").at(i).get<std::vector<std::int32_t>>();
    EXPECT_EQ(bpe.encode(text), expected) << text;
    EXPECT_EQ(ids_in_chunks(bpe, text, 0, 1), expected) << text;
  }
}

class SmallFile : public testing::TestWithParam<std::string> {
 protected:
  const json& entry() const {
    for (const json& each : golden().at("small")) {
      if (each.at("name") == GetParam()) return each;
    }
    throw std::invalid_argument(GetParam());
  }
  std::string file() const { return read(goldens + GetParam() + ".json"); }
};

TEST_P(SmallFile, IsTheFileThatTheGoldenIsOf) {
  EXPECT_EQ(posenc::test::sha256(file()), entry().at("sha256").get<std::string>());
}

TEST_P(SmallFile, GivesTheIdsOfTokenizersOnShortTexts) { expect_strings(parse_tokenizer_json(file()).bpe, entry()); }

TEST_P(SmallFile, GivesTheIdsOfTokenizersOnAMegabyteInAnyChunks) {
  expect_sections(parse_tokenizer_json(file()).bpe, entry());
}

TEST_P(SmallFile, GivesTheSameIdsByteByByte) {
  const Bpe bpe = parse_tokenizer_json(file()).bpe;
  const std::string text = tagged_text(5, 1 << 13);
  EXPECT_EQ(ids_in_chunks(bpe, text, 0, 1), bpe.encode(text));
  EXPECT_EQ(ids_in_chunks(bpe, text, 1, 7), bpe.encode(text));
}

INSTANTIATE_TEST_SUITE_P(Goldens, SmallFile, testing::Values("gpt2", "llama3", "qwen", "unknown"),
                         [](const auto& each) { return each.param; });

// POSENC_TOKENIZER_FILES is the folder that tools/goldens/tokenizer_files.py --fetch has filled.
TEST(RealTokenizerFiles, RegenerateTheIdsOfTokenizers) {
  const char* const folder = std::getenv("POSENC_TOKENIZER_FILES");
  if (folder == nullptr) GTEST_SKIP() << "POSENC_TOKENIZER_FILES names no folder";
  ASSERT_EQ(golden().at("real").size(), 3u);
  for (const json& entry : golden().at("real")) {
    SCOPED_TRACE(entry.at("from"));
    const std::string path = std::string(folder) + "/" + entry.at("name").get<std::string>() + ".json";
    ASSERT_EQ(posenc::test::sha256(read(path)), entry.at("sha256").get<std::string>());
    const Bpe bpe = posenc::io::read_tokenizer_json(path).bpe;
    expect_strings(bpe, entry);
    expect_sections(bpe, entry);
  }
}

}  // namespace
