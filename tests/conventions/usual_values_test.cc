// SPDX-License-Identifier: Apache-2.0
// Usual values of a field by its path: validation admits them in the presets that have the field.
#include "src/conventions/usual_values.h"

#include <gtest/gtest.h>
#include <posenc/preset.h>

namespace posenc {
namespace {

std::span<const double> usual(std::string_view preset_name, std::string_view path) {
  return usual_values(preset(preset_name).convention, path);
}

TEST(UsualValues, OfAFieldByItsPath) {
  EXPECT_EQ(usual("transformer", "ladder.base")[0], 10000);
  EXPECT_EQ(usual("transformer", "ladders.0.base").size(), usual("transformer", "ladder.base").size());
  EXPECT_EQ(usual("rope-yarn", "ladder.scaling.length")[0], 1024);
  EXPECT_EQ(usual("rope-llama3", "ladder.scaling.factor")[0], 8);
  EXPECT_EQ(usual("rope-yarn", "magnitude.factor").size(), usual("rope-yarn", "ladder.scaling.factor").size());
  EXPECT_EQ(usual("alibi", "octaves").size(), 3u);
  EXPECT_EQ(usual("t5-bucket", "classes.reach").back(), 1024);
}

TEST(UsualValues, NoneWhereThereAreNone) {
  EXPECT_TRUE(usual("transformer", "").empty());
  EXPECT_TRUE(usual("transformer", "layout").empty());
  EXPECT_TRUE(usual("transformer", "ladder").empty());
  EXPECT_TRUE(usual("transformer", "ladder.scaling.factor").empty());  // it has no scaling
  EXPECT_TRUE(usual("transformer", "ladder.base.x").empty());
  EXPECT_TRUE(usual("transformer", "nonsense").empty());
  EXPECT_TRUE(usual("alibi", "ladder.base").empty());
}

// Rules that join fields may refuse some beside the others of a preset, as a reach below half of the classes.
TEST(UsualValues, AreAdmittedInEveryPreset) {
  int count = 0;
  for (const Preset& each : presets()) {
    for (const std::string_view path : {"ladder.base", "ladder.scaling.factor", "ladder.scaling.length", "octaves",
                                        "classes.reach", "classes.count"}) {
      const std::span<const double> values = usual_values(each.convention, path);
      int refused = 0;
      for (const double value : values) {
        const FieldChange change = {path, value};
        const auto problem = check_changes(each.convention, {&change, 1});
        refused += problem ? 1 : 0, ++count;
        if (problem && path.substr(0, 7) != "classes") ADD_FAILURE() << each.name << " " << problem->message();
      }
      EXPECT_LE(2 * refused, std::ssize(values)) << each.name << " " << path;
    }
  }
  EXPECT_GT(count, 1000);
}

}  // namespace
}  // namespace posenc
