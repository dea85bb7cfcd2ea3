// SPDX-License-Identifier: Apache-2.0
// The paths of conventions: that a change reads every one of them, and every word that is listed with it.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include <algorithm>

namespace posenc::io {
namespace {

const PathWords* find(const std::vector<PathWords>& paths, std::string_view path) {
  const auto found = std::ranges::find(paths, path, &PathWords::path);
  return found == paths.end() ? nullptr : &*found;
}

// A change may break a rule of its field or of several; it is none only where path or word is none.
void expect_read(const Convention& convention, std::string_view path, std::string_view word) {
  const auto problem = check_changes(convention, std::vector<FieldChange>{{path, word}});
  if (!problem || problem->rule.ends_with("must be one of the axes")) return;  // which are another field
  for (const std::string_view refusal : {"the path must", "must be one of", "end of the path", "followed by"}) {
    EXPECT_EQ(problem->rule.find(refusal), std::string::npos) << path << "=" << word << ": " << problem->rule;
  }
}

TEST(Paths, AreReadWithEveryWordInEveryPreset) {
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    for (const PathWords& each : paths_of(preset.convention)) {
      if (each.words.empty()) expect_read(preset.convention, each.path, "1");
      for (const std::string_view word : each.words) expect_read(preset.convention, each.path, word);
    }
  }
}

TEST(Paths, NameEveryFieldOfAConvention) {
  for (const Preset& preset : presets()) {
    const std::vector<PathWords> paths = paths_of(preset.convention);
    for (const FieldText& field : fields_of(preset.convention)) {
      if (field.name == "deal") continue;  // a list of structs, which is empty in most
      const std::string_view path = field.name == "ladders" ? "ladder" : field.name;
      EXPECT_TRUE(find(paths, path)) << preset.name << " " << path;
    }
  }
}

TEST(Paths, HaveTheWordsOfTheirField) {
  const std::vector<PathWords> paths = paths_of(preset("transformer").convention);
  EXPECT_EQ(find(paths, "layout")->words, (std::vector<std::string_view>{"interleaved", "sine_first", "cosine_first"}));
  EXPECT_EQ(find(paths, "scale")->words,
            (std::vector<std::string_view>{"sqrt_2_over_d", "one_over_sqrt_d", "learned"}));  // or a number
  EXPECT_TRUE(find(paths, "ladder.base")->words.empty());
}

TEST(Paths, AreThoseOfTheChangedConvention) {
  const Convention rotary = preset("rope-half").convention;
  EXPECT_FALSE(find(paths_of(rotary), "ladder.scaling.factor"));
  const std::vector<FieldChange> linear = {{"ladder.scaling", "linear"}};  // its factor is not stated yet
  EXPECT_TRUE(find(paths_of(rotary, linear), "ladder.scaling.factor"));
  const std::vector<FieldChange> wrong = {{"ladder.scaling", "none such"}, {"ladder", "listed"}};
  EXPECT_TRUE(find(paths_of(rotary, wrong), "ladder.base"));
}

TEST(Paths, OfSeveralLaddersGoByNumberToo) {
  Convention waves = preset("transformer").convention;
  EXPECT_FALSE(find(paths_of(waves), "ladders.0.base"));
  const std::vector<FieldChange> second = {{"axes", "x,y"}, {"ladders.1", "listed"}};
  const std::vector<PathWords> paths = paths_of(waves, second);
  EXPECT_TRUE(find(paths, "ladder.base"));
  EXPECT_TRUE(find(paths, "ladders.0.base"));
  EXPECT_TRUE(find(paths, "ladders.1.frequencies"));
}

}  // namespace
}  // namespace posenc::io
