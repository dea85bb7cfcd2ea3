// SPDX-License-Identifier: Apache-2.0
// The vectors as files: the same bytes twice, an index that names every tensor, and numbers that are the operations'.
#include <gtest/gtest.h>
#include <posenc/conformance_vectors.h>
#include <posenc/safetensors.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace posenc::io {
namespace {

TEST(ConformanceVectors, AreTheSameBytesTwiceAndSmall) {
  const ConformanceVectors once = conformance_vectors(), again = conformance_vectors();
  EXPECT_EQ(once.index, again.index);
  EXPECT_EQ(once.numbers, again.numbers);
  EXPECT_LT(once.index.size() + once.numbers.size(), std::size_t{4} << 20);
}

TEST(ConformanceVectors, NameEveryTensorOnceByACase) {
  const ConformanceVectors made = conformance_vectors();
  const auto index = nlohmann::json::parse(made.index);
  const SafetensorsHeader header = parse_safetensors(made.numbers);
  std::set<std::string> named;
  for (const auto& each : index["cases"]) {
    for (const auto& [key, name] : each["tensors"].items()) {
      EXPECT_TRUE(named.insert(name.get<std::string>()).second);
      const auto found = std::ranges::find(header.tensors, name.get<std::string>(), &StoredTensor::name);
      ASSERT_NE(found, header.tensors.end()) << name;
      EXPECT_EQ(found->shape, each["shape"].get<std::vector<std::int64_t>>());
    }
  }
  EXPECT_EQ(named.size(), header.tensors.size());
  EXPECT_EQ(std::ssize(header.tensors), made.tensors);
  EXPECT_EQ(std::ssize(index["cases"]), made.cases);
  EXPECT_EQ(std::ssize(index["without"]), made.without);
  EXPECT_EQ(index["posenc_conformance"], conformance_version);
  EXPECT_EQ(index["vectors"], conformance_numbers_name);
}

}  // namespace
}  // namespace posenc::io
