// SPDX-License-Identifier: Apache-2.0
// The index of a model in several files: what it says, and every document that must be refused.
#include <gtest/gtest.h>
#include <posenc/io/shard_index.h>

#include "tests/io/refused_files.h"

namespace posenc::io {
namespace {

std::string weight_map(std::string_view entries) { return R"({"weight_map":{)" + std::string(entries) + "}}"; }

/// `count` tensors, each in a file of its own.
std::string many_shards(int count) {
  std::string entries;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    entries += (i ? ",\"" : "\"") + number + "\":\"" + number + ".safetensors\"";
  }
  return weight_map(entries);
}

std::string index_refusal(std::string_view bytes, std::string_view name) {
  return refusal_by(parse_shard_index, bytes, name);
}

TEST(ShardIndex, SaysWhichFileHasWhichTensor) {
  const ShardIndex index = parse_shard_index(bytes_of(
      R"({"metadata":{"total_size":16,"more":[{"weight_map":1}]},"weight_map":{"b":"2.safetensors","a":"1.safetensors",
          "c":"2.safetensors"},"also":null})"));
  EXPECT_EQ(index.shards, (std::vector<std::string>{"1.safetensors", "2.safetensors"}));
  EXPECT_EQ(index.shard_of, (std::map<std::string, std::size_t, std::less<>>{{"a", 0}, {"b", 1}, {"c", 1}}));
}

TEST(ShardIndex, TakesFilesUpToItsLimit) {
  EXPECT_EQ(parse_shard_index(bytes_of(many_shards(shard_limit))).shards.size(), shard_limit);
}

TEST(ShardIndex, RefusesBrokenDocuments) {
  const std::vector<RefusedFile> cases = {
      {"empty", "", "must be JSON"},
      {"S92", "{}", "must have the key weight_map, got none"},
      {"S92b", R"({"metadata":{"weight_map":{"a":"b"}}})", "must have the key weight_map"},
      {"S93", weight_map(R"("a":3)"), "a file must be named by a string, got another value for tensor 'a'"},
      {"null", weight_map(R"("a":null)"), "a file must be named by a string"},
      {"object", weight_map(R"("a":{})"), "a file must be named by a string"},
      {"list", weight_map(R"("a":[])"), "a file must be named by a string"},
      {"weight_map a list", R"({"weight_map":["a"]})", "weight_map must be an object"},
      {"weight_map a string", R"({"weight_map":"a"})", "weight_map must be an object"},
      {"weight_map empty", weight_map(""), "weight_map must name a tensor"},
      {"weight_map twice", R"({"weight_map":{"a":"b"},"weight_map":{"a":"c"}})", "a key must stand only once"},
      {"a list", "[]", "the index must be an object"},
      {"a number", "5", "the index must be an object"},
      {"S95", weight_map(R"("a":"../other.safetensors")"), "named without separators, got '../other.safetensors'"},
      {"S96", weight_map(R"("a":"/etc/passwd")"), "named without separators"},
      {"backslash", weight_map(R"("a":"..\\b")"), "named without separators"},
      {"folder", weight_map(R"("a":"b/c.safetensors")"), "named without separators"},
      {"dot", weight_map(R"("a":".")"), "named without separators"},
      {"dots", weight_map(R"("a":"..")"), "named without separators"},
      {"no name", weight_map(R"("a":"")"), "named without separators, got ''"},
      {"escaped NUL", weight_map(R"("a":"b\u0000")"), "named without separators, got 'b\\x00'"},
      {"S99", weight_map(R"("a":")" + std::string(5000, 'n') + "\""), "at most 255 bytes, got 5000"},
      {"S101", many_shards(100'000), "at most 512 files"},
      {"one too many", many_shards(513), "at most 512 files"},
      {"tensor twice", weight_map(R"("a":"b","a":"b")"), "a tensor must stand only once, got 'a'"},
      {"tensor without a name", weight_map(R"("":"b")"), "a tensor must have a name"},
      {"trailing comma", weight_map(R"("a":"b",)"), "must be JSON"},
      {"cut", R"({"weight_map":{"a":"b)", "must be JSON"},
      {"more behind it", weight_map(R"("a":"b")") + "x", "must be JSON"},
      {"no UTF-8", weight_map("\"a\xE9\":\"b\""), "must be UTF-8 without NUL, got '\\xE9' at offset 17"},
      {"NUL", weight_map(R"("a":"b")") + std::string(1, '\0'), "must be UTF-8 without NUL"},
      {"deep", "{\"a\":" + std::string(100'000, '['), "must be JSON"},
  };
  for (const RefusedFile& each : cases) {
    SCOPED_TRACE(each.id);
    const std::string message = index_refusal(each.bytes, "i.json");
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("[read_shard_index] ")) << message;
    EXPECT_TRUE(message.ends_with(" of 'i.json'")) << message;
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);
    const auto problem = check_shard_index(bytes_of(each.bytes), "i.json");
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->message(), message);
    EXPECT_LE(index_refusal(each.bytes, std::string(1000, '\x01')).size(), 300u);
  }
}

TEST(ShardIndex, RefusesDocumentsBeyondItsLimitUnread) {
  const std::string large(shard_index_limit + 1, ' ');
  EXPECT_NE(index_refusal(large, "i").find("at most 67108864 bytes, got 67108865"), std::string::npos);
}

}  // namespace
}  // namespace posenc::io
