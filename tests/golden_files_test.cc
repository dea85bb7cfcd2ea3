// SPDX-License-Identifier: Apache-2.0
// The reader of tests/goldens: what it takes, and that it refuses anything else.
#include "tests/golden_files.h"

#include <gtest/gtest.h>

#include <cstring>

namespace posenc::test {
namespace {

// A header, padded to 8 bytes, and `size` bytes of data: 0, 1, 2, ...
std::string file_of(std::string header, std::size_t size) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += header;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

constexpr std::string_view good =
    R"({"__metadata__":{"a":"{\"n\": -3, \"x\": 0.5, \"s\": \"t\", \"l\": [1, 2], \"y\": true, \"z\": null}"},)"
    R"("a/b":{"dtype":"I64","shape":[2,1],"data_offsets":[0,16]},"a/c":{"dtype":"BF16","shape":[],"data_offsets":[16,18]}})";

TEST(GoldenFile, GivesTensorsMetadataAndFields) {
  const GoldenFile file("f", file_of(std::string(good), 18));
  EXPECT_EQ(file.cases(), std::vector<std::string>{"a"});
  EXPECT_EQ(file["a/b"].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(file["a/b"].values<std::int64_t>()[0], 0x0706050403020100);
  EXPECT_EQ(file["a/c"].dtype, DType::bf16);
  EXPECT_EQ(file["a/c"].values<bfloat16>().size(), 1u);
  const GoldenFields fields = file.fields("a");
  EXPECT_EQ(fields.integer("n"), -3);
  EXPECT_EQ(fields.real("x"), 0.5);
  EXPECT_EQ(fields.text("s"), "t");
  EXPECT_EQ(fields.integers("l"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(fields.yes("y"));
  EXPECT_FALSE(fields.has("z"));
  EXPECT_FALSE(fields.has("w"));
}

TEST(GoldenFile, RefusesWhatTheScriptsDoNotWrite) {
  const auto refused = [](std::string header, std::size_t size) {
    try {
      GoldenFile("f", file_of(std::move(header), size));
    } catch (const std::runtime_error&) {
      return true;
    }
    return false;
  };
  const auto with = [](std::string_view before, std::string_view after) {
    std::string header(good);
    return header.replace(header.find(before), before.size(), after);
  };
  EXPECT_FALSE(refused(std::string(good), 18));
  EXPECT_TRUE(refused(std::string(good), 17)) << "cut short";
  EXPECT_TRUE(refused(std::string(good), 19)) << "bytes after the tensors";
  EXPECT_TRUE(refused(std::string(good.substr(0, 200)), 18)) << "half a header";
  EXPECT_TRUE(refused(std::string(good) + "}", 18)) << "text after the header";
  EXPECT_TRUE(refused(with("[0,16]", "[0,15]"), 18)) << "a size that the shape does not give";
  EXPECT_TRUE(refused(with("[16,18]", "[0,2]"), 18)) << "two tensors in one place";
  EXPECT_TRUE(refused(with("I64", "U64"), 18)) << "a type that no script writes";
  EXPECT_TRUE(refused(with("\"shape\":[2,1],", ""), 18)) << "no shape";
  EXPECT_TRUE(refused(with("a/c", "a/b"), 18)) << "a name twice";
  EXPECT_TRUE(refused(with("a/c", "a\\n"), 18)) << "an escape";
  EXPECT_TRUE(refused(with("[2,1]", "[2,x]"), 18)) << "a size that is no number";
  EXPECT_THROW(GoldenFile("f", "short"), std::runtime_error);
  EXPECT_THROW(GoldenFile("no such file"), std::runtime_error);
  EXPECT_THROW(GoldenFile("f", file_of(std::string(good), 18))["a/d"], std::runtime_error);
}

}  // namespace
}  // namespace posenc::test
