// SPDX-License-Identifier: Apache-2.0
// Tables whose entries were scaled, shifted or quantised are told so, with what undoes it.
#include <gtest/gtest.h>
#include <posenc/referee/diagnose.h>
#include <posenc/referee/identify.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace posenc {
namespace {

constexpr std::int64_t mapped_rows = 100, mapped_width = 32;

std::vector<float> mapped_table(std::string_view name, const std::function<double(double)>& map) {
  std::vector<float> entries(mapped_rows * mapped_width);
  sinusoid(preset(name).convention, Positions::range(0, mapped_rows),
           view(entries.data(), {mapped_rows, mapped_width}));
  for (float& x : entries) x = static_cast<float>(map(static_cast<double>(x)));
  return entries;
}

// Both identify, which has `name` for the nearest, and diagnose, beside it, say all of these words.
void expect_told(std::string_view name, const std::function<double(double)>& map,
                 std::initializer_list<std::string_view> words) {
  const std::vector<float> entries = mapped_table(name, map);
  const ConstView tensor = view(entries.data(), {mapped_rows, mapped_width});
  const Identification told = identify(tensor);
  EXPECT_TRUE(told.candidates.empty());
  ASSERT_TRUE(told.nearest) << to_string(told);
  EXPECT_NE(std::ranges::find(told.nearest->presets, name), told.nearest->presets.end()) << to_string(told);
  const Diagnosis diagnosis = diagnose(tensor, preset(name).convention);
  EXPECT_FALSE(diagnosis.right);
  for (const std::string_view each : words) {
    EXPECT_NE(told.kind.find(each), std::string::npos) << each << "\n" << to_string(told);
    EXPECT_NE(to_string(diagnosis).find(each), std::string::npos) << each << "\n" << to_string(diagnosis);
  }
}

TEST(MappedEntries, ANumberWasAdded) {
  expect_told("transformer", [](double x) { return x - 3; }, {"-3 was added: subtract it"});
  expect_told("whisper", [](double x) { return (x + 1) / 2; }, {"scaled by 0.5", "0.5 was added: subtract it"});
}

TEST(MappedEntries, AreQuantised) {
  expect_told("transformer", [](double x) { return std::rint(127 * x) / 127; },
              {"rounded to multiples of 1/127: quantised"});
  expect_told("whisper", [](double x) { return std::rint(x * 512) / 512; },
              {"rounded to multiples of 1/512: quantised"});
}

TEST(MappedEntries, AreQuantisedAndStillScaled) {
  const std::vector<float> entries = mapped_table("transformer", [](double x) { return std::rint(127 * x); });
  const ConstView tensor = view(entries.data(), {mapped_rows, mapped_width});
  const Identification told = identify(tensor);
  ASSERT_TRUE(told.nearest) << to_string(told);
  EXPECT_NE(told.kind.find("rounded to multiples of 1: quantised"), std::string::npos) << to_string(told);
  const std::string said = to_string(diagnose(tensor, preset("transformer").convention));
  EXPECT_NE(said.find("scaled by 127"), std::string::npos) << said;
  EXPECT_NE(said.find("rounded to multiples of 1: quantised"), std::string::npos) << said;
}

// Numbers that are multiples of something, and numbers that a convention's nearly are by a factor.
TEST(MappedEntries, OfNothingElse) {
  std::mt19937 random(3);
  std::vector<float> entries(mapped_rows * mapped_width);
  for (float& x : entries) x = static_cast<float>(static_cast<int>(random() % 255) - 127);
  const Identification told = identify(view(entries.data(), {mapped_rows, mapped_width}));
  EXPECT_FALSE(told.nearest) << to_string(told);
  EXPECT_EQ(told.kind.find("quantised"), std::string::npos) << to_string(told);
  std::normal_distribution<double> normal(0, 0.01);
  entries = mapped_table("transformer", [&](double x) { return 0.5 * x + 0.5 + normal(random); });
  const Identification noisy = identify(view(entries.data(), {mapped_rows, mapped_width}));
  EXPECT_EQ(noisy.kind.find("was added"), std::string::npos) << to_string(noisy);
}

}  // namespace
}  // namespace posenc
