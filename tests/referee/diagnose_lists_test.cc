// SPDX-License-Identifier: Apache-2.0
// Lists of frequencies and slopes, and classes of pairs: faults that are planted there are named with their cures.
#include <gtest/gtest.h>
#include <posenc/buckets.h>
#include <posenc/referee/diagnose.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <cmath>

namespace posenc {
namespace {

// Lists say so as tables do: of slopes and of frequencies.
TEST(Diagnose, AListThatWentThroughATypeIsRightAndSaysSo) {
  std::vector<float> slopes, frequencies;
  for (int h = 1; h <= 8; ++h) slopes.push_back(static_cast<float>(std::exp2(-h)));
  for (int h = 0; h < 4; ++h) slopes.push_back(static_cast<float>(bfloat16(static_cast<float>(std::exp2(-0.5 - h)))));
  for (int k = 0; k < 32; ++k) {
    frequencies.push_back(static_cast<float>(bfloat16(static_cast<float>(std::pow(10000.0, -k / 32.0)))));
  }
  const Diagnosis of_slopes = diagnose(view(std::as_const(slopes).data(), {12}), preset("alibi").convention);
  ASSERT_TRUE(of_slopes.right && of_slopes.found) << to_string(of_slopes);
  EXPECT_EQ(of_slopes.found->storage, DType::bf16);
  const Diagnosis of_list = diagnose(view(std::as_const(frequencies).data(), {32}), preset("rope-half").convention);
  ASSERT_TRUE(of_list.right && of_list.found) << to_string(of_list);
  EXPECT_EQ(of_list.found->storage, DType::bf16);
  EXPECT_EQ(of_list.found->exact.share(), 1);
  EXPECT_NE(to_string(of_list).find("stored as bf16"), std::string::npos);
}

// Lists: what divides all of them is a scaling, no factor; ramps are found as identify finds them.
TEST(Diagnose, ListsOfScaledFrequencies) {
  constexpr std::int64_t pairs = 64;
  std::vector<float> divided, yarn;
  for (std::int64_t k = 0; k < pairs; ++k) {
    const double w = std::pow(10000.0, -static_cast<double>(k) / pairs);
    divided.push_back(static_cast<float>(w / 4));
    const auto place = [](double turns) {
      return pairs * std::log(4096 / (6.283185307179586 * turns)) / std::log(10000.0);
    };
    const double low = std::floor(place(32)), high = std::ceil(place(1));
    const double kept = 1 - std::clamp((static_cast<double>(k) - low) / (high - low), 0.0, 1.0);
    yarn.push_back(static_cast<float>(w * (kept + (1 - kept) / 16)));
  }
  const auto said = [](const std::vector<float>& list, std::string_view asked) {
    return to_string(diagnose(view(list.data(), {std::ssize(list)}), preset(asked).convention));
  };
  EXPECT_NE(said(divided, "llama").find("scaling is linear {factor 4}, none asked"), std::string::npos)
      << said(divided, "llama");
  EXPECT_NE(said(yarn, "llama").find("yarn {factor 16, length 4096"), std::string::npos) << said(yarn, "llama");
}

// Of what is asked: the factor that is there, not what is left of it.
TEST(Diagnose, ListsOfALinearScalingUnderAnother) {
  const Convention& linear = preset("rope-linear").convention;  // of factor 4
  for (const auto& [factor, words] : {std::pair(8.0, "scaling: factor is 8, 4 asked"),
                                      {1.0, "scaling is none"},
                                      {0.25, "scaling: factor is 0.25, 4 asked"}}) {
    std::vector<float> list;
    for (int k = 0; k < 64; ++k) list.push_back(static_cast<float>(std::pow(10000, -k / 64.0) / factor));
    const std::string said = to_string(diagnose(view(std::as_const(list).data(), {64}), linear));
    EXPECT_NE(said.find(words), std::string::npos) << factor << "\n" << said;
  }
  std::vector<float> other;
  for (int k = 0; k < 64; ++k) other.push_back(static_cast<float>(std::pow(40000, -k / 64.0)));
  const std::string said = to_string(diagnose(view(std::as_const(other).data(), {64}), preset("rope-ntk").convention));
  EXPECT_NE(said.find("base is 40000, not 10000"), std::string::npos) << said;
  EXPECT_NE(said.find("scaling is none"), std::string::npos) << said;
}

TEST(Diagnose, ListsOfALadderOfThePartThatTurns) {
  std::vector<float> list(64);
  for (std::size_t k = 0; k < 16; ++k) list[k] = static_cast<float>(std::pow(1e6, -static_cast<double>(k) / 16));
  const std::string said =
      to_string(diagnose(view(std::as_const(list).data(), {64}), preset("rope-proportional").convention));
  EXPECT_NE(said.find("over 32, not over the 128 of the head"), std::string::npos) << said;
}

TEST(Diagnose, ListsWithTheEndPointOrEachNumberTwice) {
  const Convention& llama = preset("llama").convention;
  const auto ladder = [](double gaps) {
    std::vector<float> list;
    for (int k = 0; k < 64; ++k) list.push_back(static_cast<float>(std::pow(10000, -k / gaps)));
    return list;
  };
  std::vector<float> list = ladder(63);
  std::string said = to_string(diagnose(view(std::as_const(list).data(), {64}), llama));
  EXPECT_NE(said.find("ladder includes its end point"), std::string::npos) << said;
  list = ladder(64);
  std::vector<float> blocks = list, pairs;
  blocks.insert(blocks.end(), list.begin(), list.end());
  for (const float w : list) pairs.insert(pairs.end(), 2, w);
  for (const std::vector<float>& each : {blocks, pairs}) {
    for (const std::int64_t dim : {0, 128}) {
      const Diagnosis found = diagnose(view(each.data(), {128}), llama, {.dim = dim});
      EXPECT_TRUE(found.right) << to_string(found);
      ASSERT_TRUE(found.found);
      EXPECT_EQ(found.found->copies, 2);
    }
  }
}

// DINOv3 keeps the periods of one of its two axes.
TEST(Diagnose, ListsOfPeriodsOfOneAxis) {
  std::vector<float> periods;
  for (int k = 0; k < 16; ++k) periods.push_back(static_cast<float>(std::pow(100, k / 16.0)));
  const std::string said =
      to_string(diagnose(view(std::as_const(periods).data(), {16}), preset("rope2d-dinov3").convention));
  EXPECT_NE(said.find("entries are periods, 2 pi / frequency"), std::string::npos) << said;
}

TEST(Diagnose, EntriesOfPairsThatAreOthers) {
  std::vector<std::int64_t> classes(40 * 40);
  const Positions both = Positions::range(0, 40);
  buckets(preset("t5").convention, both, both, view(classes.data(), {40, 40}));
  classes[5 * 40 + 6] = 99;
  EXPECT_NE(to_string(diagnose(view(std::as_const(classes).data(), {40, 40}), preset("t5").convention))
                .find("[5, 6] is 99, not "),
            std::string::npos);
  std::vector<float> slopes;
  for (int h = 1; h <= 12; ++h) slopes.push_back(static_cast<float>(std::pow(2, -8 * h / 12.0)));
  const std::string said = to_string(diagnose(view(std::as_const(slopes).data(), {12}), preset("alibi").convention));
  EXPECT_NE(said.find("the formula of powers of two, which 12 is none of"), std::string::npos) << said;
}

TEST(Diagnose, ListsOfWhichEntriesAreOthers) {
  std::vector<float> list;
  for (int k = 0; k < 32; ++k) list.push_back(static_cast<float>(std::pow(10000.0, -k / 32.0)));
  const auto said = [](const std::vector<float>& of) {
    return to_string(diagnose(view(of.data(), {std::ssize(of)}), preset("llama").convention));
  };
  std::vector<float> moved = list, damaged = list;
  std::swap(moved[7], moved[9]);
  EXPECT_NE(said(moved).find("entries are permuted: entry 7 holds entry 9, entry 9 holds entry 7"), std::string::npos)
      << said(moved);
  damaged[5] *= 1.25F;
  EXPECT_NE(said(damaged).find("1 entry is another: 5"), std::string::npos) << said(damaged);
}

// Lists that were cut, and those of what divides positions.
TEST(Diagnose, ListsOfAnotherLengthOrInverted) {
  const auto said = [](const std::vector<double>& of, std::int64_t dim) {
    const std::vector<float> list(of.begin(), of.end());
    return to_string(diagnose(view(list.data(), {std::ssize(list)}), preset("rope-half").convention, {.dim = dim}));
  };
  std::vector<double> list, divisors, periods;
  for (int k = 0; k < 32; ++k) {
    list.push_back(std::pow(10000.0, -k / 32.0));
    divisors.push_back(1 / list.back()), periods.push_back(2 * std::acos(-1.0) / list.back());
  }
  EXPECT_EQ(said(list, 64).find("right"), 0u);
  EXPECT_EQ(said(divisors, 0).find("right\n  entries are 1 / frequency: positions are divided by them"), 0u);
  EXPECT_EQ(said(periods, 0).find("right\n  entries are periods, 2 pi / frequency"), 0u);
  periods[3] *= 1.25;
  EXPECT_NE(said(periods, 0).find("wrong\n  1 entry is another: 3"), std::string::npos) << said(periods, 0);
  std::vector<double> cut(list.begin(), list.begin() + 20);
  EXPECT_NE(said(cut, 64).find("20 frequencies, 32 asked: the last ones are missing"), std::string::npos);
  EXPECT_NE(said(cut, 0).find("frequencies are the first 20 of 32, those of width 64"), std::string::npos);
  list.push_back(1);
  EXPECT_NE(said(list, 64).find("33 frequencies, 32 asked: those behind are none of them"), std::string::npos);
  cut[3] = 0.9;
  EXPECT_NE(said(cut, 64).find("20 frequencies, 32 asked\n"), std::string::npos) << said(cut, 64);
}

TEST(Diagnose, SlopesOfHeadsInReverseOrder) {
  std::vector<float> slopes;
  for (int h = 8; h > 0; --h) slopes.push_back(std::ldexp(1.0F, -h));
  const ConstView list = view(std::as_const(slopes).data(), {8});
  const Diagnosis found = diagnose(list, preset("alibi").convention);
  EXPECT_FALSE(found.right);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0], "heads are in reverse order");
}

}  // namespace
}  // namespace posenc
