// SPDX-License-Identifier: Apache-2.0
// Neighbours of every preset differ from it in one field and keep the rules; those that ports make are among them.
#include "src/conventions/neighbours.h"

#include <gtest/gtest.h>
#include <posenc/preset.h>

#include <algorithm>
#include <regex>
#include <set>

namespace posenc {
namespace {

bool is_neighbour(std::string_view preset_name, std::string_view path, const FieldValue& value) {
  const Convention& convention = preset(preset_name).convention;
  const std::vector<Convention> all = neighbours(convention);
  return std::ranges::find(all, with_field(convention, path, value)) != all.end();
}

// "ladders.scaling" of "ladders.1.scaling: none, not linear {factor 8}".
std::string field_of(const std::string& difference) {
  return std::regex_replace(difference.substr(0, difference.find(':')), std::regex(R"(\.\d+)"), "");
}

TEST(Neighbours, DifferInOneFieldAndKeepTheRules) {
  std::size_t count = 0;
  for (const Preset& each : presets()) {
    const std::vector<Convention> all = neighbours(each.convention);
    EXPECT_EQ(all.empty(), each.name == "swin-cr-cpb") << each.name;  // it states no number
    for (const Convention& other : all) {
      EXPECT_FALSE(check_convention(other)) << each.name;
      std::set<std::string> changed;
      for (const std::string& line : differences(other, each.convention)) changed.insert(field_of(line));
      EXPECT_EQ(changed.size(), 1u) << each.name << ": " << differences(other, each.convention)[0];
    }
    count += all.size();
  }
  EXPECT_GT(count, 3000u);
}

TEST(Neighbours, OfATable) {
  for (const std::string_view layout : {"sine_first", "cosine_first"}) {
    EXPECT_TRUE(is_neighbour("transformer", "layout", layout));
  }
  EXPECT_TRUE(is_neighbour("transformer", "ladder.base", 500000));
  EXPECT_TRUE(is_neighbour("transformer", "ladder.unit", "half_turns"));
  EXPECT_TRUE(is_neighbour("transformer", "odd_width", "lone_sine"));
  EXPECT_TRUE(is_neighbour("mae-2d", "ladder.base", 100000));  // of both axes
}

TEST(Neighbours, OfARotation) {
  EXPECT_TRUE(is_neighbour("rope-half", "pairing", "adjacent"));
  EXPECT_TRUE(is_neighbour("rope-yarn", "ladder.scaling.factor", 40));
  EXPECT_TRUE(is_neighbour("rope-yarn", "ladder.scaling.length", 8192));
  EXPECT_TRUE(is_neighbour("rope-yarn", "ladder.scaling.truncate", "none"));
  EXPECT_TRUE(is_neighbour("rope-llama3", "ladder.scaling", "none"));
}

TEST(Neighbours, OfPairs) {
  EXPECT_TRUE(is_neighbour("alibi", "octaves", 16));
  EXPECT_TRUE(is_neighbour("alibi", "slope_rounding", "bf16"));
  EXPECT_TRUE(is_neighbour("alibi", "value", "key"));
  EXPECT_TRUE(is_neighbour("t5-bucket", "classes.sign", "query_minus_key"));
  EXPECT_TRUE(is_neighbour("t5-bucket", "classes.reach", 256));
  EXPECT_TRUE(is_neighbour("llama4-temperature", "factor.origin", 0));
  EXPECT_TRUE(is_neighbour("alibi", "scale", "one_over_sqrt_head"));
  EXPECT_TRUE(is_neighbour("falcon-alibi", "scale", 1));
  EXPECT_TRUE(is_neighbour("swinv2-cpb", "coordinates.pretrained", "12,12"));
}

}  // namespace
}  // namespace posenc
