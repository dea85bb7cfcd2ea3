// SPDX-License-Identifier: Apache-2.0
// The vectors as files: the same bytes twice, an index that names every tensor, and numbers that are the operations'.
#include <gtest/gtest.h>
#include <posenc/io/conformance_vectors.h>
#include <posenc/io/safetensors.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "src/spec/json/json_node.h"

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
  const JsonSource source = {"index"};
  const JsonTree tree = parse_json(made.index, source);
  const JsonNode index = {tree, "", source};
  const SafetensorsHeader header = parse_safetensors(made.numbers);
  std::set<std::string> named;
  const JsonNode cases = index.member("cases");
  for (std::size_t i = 0; i < cases.value.size(); ++i) {
    const JsonNode each = cases.item(i), shape = each.member("shape");
    std::vector<std::int64_t> sizes;
    for (std::size_t axis = 0; axis < shape.value.size(); ++axis) sizes.push_back(shape.item(axis).integer());
    for (const auto& [key, name] : each.member("tensors").value.members()) {
      EXPECT_TRUE(named.insert(name.text()).second);
      const auto found = std::ranges::find(header.tensors, name.text(), &StoredTensor::name);
      ASSERT_NE(found, header.tensors.end()) << name.text();
      EXPECT_EQ(found->shape, sizes);
    }
  }
  EXPECT_EQ(named.size(), header.tensors.size());
  EXPECT_EQ(std::ssize(header.tensors), made.tensors);
  EXPECT_EQ(static_cast<std::int64_t>(cases.value.size()), made.cases);
  EXPECT_EQ(static_cast<std::int64_t>(index.member("without").value.size()), made.without);
  EXPECT_EQ(index.member("posenc_conformance").integer(), conformance_version);
  EXPECT_EQ(index.member("vectors").text(), conformance_numbers_name);
}

}  // namespace
}  // namespace posenc::io
