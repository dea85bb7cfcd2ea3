// SPDX-License-Identifier: Apache-2.0
// Lists of frequencies: the ladders of rows of presets, and scalings with other parameters than a row states.
#include <gtest/gtest.h>
#include <posenc/identify.h>
#include <posenc/preset.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace posenc {
namespace {

constexpr double whole_turn = 6.283185307179586;

// base^(-2 k / (2 n)), in f32 as programs have it; the oracle is libm's pow.
std::vector<float> ladder(double base, std::size_t n) {
  std::vector<float> list;
  for (std::size_t k = 0; k < n; ++k) {
    list.push_back(static_cast<float>(std::pow(base, -static_cast<double>(k) / static_cast<double>(n))));
  }
  return list;
}

Identification of(const std::vector<float>& list) { return identify(view(list.data(), {std::ssize(list)})); }
bool has(const Candidate& candidate, std::string_view preset) {
  return std::ranges::find(candidate.presets, preset) != candidate.presets.end();
}
double fitted(const Candidate& candidate, std::string_view name) {
  const auto found = std::ranges::find(candidate.fitted, name, &Fitted::name);
  return found == candidate.fitted.end() ? 0 : found->value;
}

TEST(IdentifyFrequencies, OfUsualBases) {
  for (const std::size_t n : {4, 5, 32, 64, 127}) {
    const Identification found = of(ladder(10000, n));
    ASSERT_EQ(found.candidates.size(), 1) << n;
    EXPECT_TRUE(has(found.candidates[0], "rope-half")) << n;
    EXPECT_TRUE(has(found.candidates[0], "transformer")) << n;
    EXPECT_EQ(found.candidates[0].form, "frequencies");
    EXPECT_EQ(found.candidates[0].exact.equal, static_cast<std::int64_t>(n));
    EXPECT_TRUE(found.candidates[0].places.empty()) << "a list has none";
  }
}

TEST(IdentifyFrequencies, OfOtherBases) {
  for (const double base : {123456.0, 7.5e5, 350.0}) {
    const Identification found = of(ladder(base, 64));
    ASSERT_FALSE(found.candidates.empty()) << base;
    EXPECT_EQ(fitted(found.candidates[0], "base"), base);
  }
}

TEST(IdentifyFrequencies, OfLinearScaling) {
  std::vector<float> list = ladder(500000, 64);
  for (float& w : list) w /= 2.5F;
  const Identification found = of(list);
  ASSERT_EQ(found.candidates.size(), 1);
  EXPECT_TRUE(has(found.candidates[0], "rope-linear"));
  EXPECT_EQ(fitted(found.candidates[0], "factor"), 2.5);
  EXPECT_EQ(fitted(found.candidates[0], "base"), 500000);
}

TEST(IdentifyFrequencies, OfYarn) {
  constexpr std::size_t n = 64;
  constexpr double base = 1e6, factor = 6, length = 32768;
  std::vector<float> list = ladder(base, n);
  const auto place = [&](double turns) { return n * std::log(length / (whole_turn * turns)) / std::log(base); };
  const double low = std::floor(place(32)), high = std::ceil(place(1));
  for (std::size_t k = 0; k < n; ++k) {
    const double ramp = std::clamp((static_cast<double>(k) - low) / (high - low), 0.0, 1.0);
    list[k] = static_cast<float>(list[k] / factor * ramp + list[k] * (1 - ramp));
  }
  const Identification found = of(list);
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_TRUE(has(found.candidates[0], "rope-yarn"));
  EXPECT_EQ(fitted(found.candidates[0], "factor"), factor);
  EXPECT_EQ(fitted(found.candidates[0], "base"), base);
}

TEST(IdentifyFrequencies, OfLlama3) {
  std::vector<float> list = ladder(500000, 64);
  constexpr double length = 8192, low = 1, high = 4, factor = 32;
  for (float& w : list) {
    const double kept = std::clamp((length * w / whole_turn - low) / (high - low), 0.0, 1.0);
    w = static_cast<float>((1 - kept) * w / factor + kept * w);
  }
  const Identification found = of(list);
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_TRUE(has(found.candidates[0], "rope-llama3"));
  EXPECT_EQ(fitted(found.candidates[0], "factor"), factor);
}

TEST(IdentifyFrequencies, OfPairsThatDoNotTurn) {
  std::vector<float> list = ladder(10000, 64);
  std::fill(list.begin() + 32, list.end(), 0.0F);
  const Identification found = of(list);
  ASSERT_EQ(found.candidates.size(), 1);
  EXPECT_TRUE(has(found.candidates[0], "rope-proportional"));
}

TEST(IdentifyFrequencies, OfDivisorsOfTheirOwn) {
  std::vector<float> list = ladder(10000, 48);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double divisor = 1 + std::rint(static_cast<double>(k * k) * 12.3) / 1e5;
    list[k] = static_cast<float>(list[k] / divisor);
  }
  const Identification found = of(list);
  ASSERT_EQ(found.candidates.size(), 1);
  EXPECT_TRUE(has(found.candidates[0], "rope-longrope"));
}

TEST(IdentifyFrequencies, OfNoLadder) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(0.01F, 1);
  std::vector<float> list(64);
  for (float& w : list) w = any(random);
  EXPECT_TRUE(of(list).candidates.empty());
  list = ladder(10000, 64);
  list[17] *= 1.01F;  // one is damaged
  EXPECT_TRUE(of(list).candidates.empty());
  EXPECT_TRUE(of({0.5F}).candidates.empty());
  EXPECT_TRUE(of(std::vector<float>(8, 0.0F)).candidates.empty());
}

}  // namespace
}  // namespace posenc
