// SPDX-License-Identifier: Apache-2.0
// Lists of frequencies: the ladders of rows of presets, and scalings with other parameters than a row states.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/referee/identify.h>

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
double number_of(const Candidate& candidate, std::string_view name) {
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

// Rates of learning are such lists as well.
TEST(IdentifyFrequencies, FewNumbersAreNotNamed) {
  for (const std::size_t n : {2, 3}) {
    const Identification found = of(ladder(10000, n));
    EXPECT_TRUE(found.candidates.empty()) << to_string(found);
    EXPECT_EQ(found.kind, std::to_string(n) + " numbers are too few to tell a ladder from others");
    ASSERT_TRUE(found.nearest);
    EXPECT_TRUE(has(*found.nearest, "rope-half")) << to_string(found);
  }
}

TEST(IdentifyFrequencies, OfOtherBases) {
  for (const double base : {123456.0, 7.5e5, 350.0}) {
    const Identification found = of(ladder(base, 64));
    ASSERT_FALSE(found.candidates.empty()) << base;
    EXPECT_EQ(number_of(found.candidates[0], "base"), base);
  }
}

// Twelve numbers are near a ladder of every spacing, and near dynamic NTK of some length: a base of one digit is meant,
// whatever a program's arithmetic made of the numbers.
TEST(IdentifyFrequencies, OfABaseOfOneDigitInFewNumbers) {
  std::vector<float> list;
  for (int k = 0; k < 12; ++k) {
    list.push_back(1.0F / static_cast<float>(std::pow(3e6, static_cast<double>(static_cast<float>(k) / 12.0F))));
  }
  const Identification found = of(list);
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_TRUE(has(found.candidates[0], "rope-half"));
  EXPECT_EQ(number_of(found.candidates[0], "base"), 3e6);
}

// Positions are divided by timescales in the code of some, and periods are what pages about the subject plot.
TEST(IdentifyFrequencies, OfNumbersThatDividePositions) {
  for (const auto& [times, form] : {std::pair{1.0, "divisors"}, std::pair{whole_turn, "periods"}}) {
    for (const double base : {10000.0, 500000.0}) {
      std::vector<float> list;
      for (int k = 0; k < 32; ++k) list.push_back(static_cast<float>(times * std::pow(base, k / 32.0)));
      const Identification found = of(list);
      ASSERT_EQ(found.candidates.size(), 1) << to_string(found);
      EXPECT_EQ(found.candidates[0].form, form) << base;
      EXPECT_TRUE(found.candidates[0].differences.empty()) << to_string(found);
      EXPECT_TRUE(has(found.candidates[0], base == 10000 ? "rope-half" : "ernie-4.5")) << to_string(found);
    }
  }
}

// DINOv3's periods are the frequencies of gligen-box at another count, and what positions are divided by in rotations
// of two axes with base 100; no entry tells them apart.
TEST(IdentifyFrequencies, OfPeriodsThatAreFrequenciesOfAnother) {
  std::vector<float> list;
  for (int k = 0; k < 16; ++k) list.push_back(static_cast<float>(std::pow(100.0, k / 16.0)));
  const Identification found = of(list);
  const auto is_told = [&](std::string_view preset, std::string_view form) {
    return std::ranges::any_of(found.candidates,
                               [&](const Candidate& each) { return has(each, preset) && each.form == form; });
  };
  EXPECT_TRUE(is_told("gligen-box", "frequencies")) << to_string(found);
  EXPECT_TRUE(is_told("rope2d-dinov3", "periods")) << to_string(found);
  EXPECT_EQ(found.candidates.size(), 3) << to_string(found);
}

// Zeros for the pairs that stand still say nothing about the ladder before them: it is that of the part which turns.
TEST(IdentifyFrequencies, OfThePartThatTurns) {
  for (const auto& [base, preset] : {std::pair{10000.0, "rope-half"}, std::pair{1e6, "qwen2"}}) {
    for (const std::size_t turning : {13, 16}) {
      std::vector<float> list = ladder(base, turning);
      list.resize(64);
      const Identification found = of(list);
      ASSERT_EQ(found.candidates.size(), 1) << to_string(found);
      EXPECT_TRUE(has(found.candidates[0], preset)) << to_string(found);
      EXPECT_EQ(found.candidates[0].reading, "[n | zeros]") << to_string(found);
    }
  }
}

TEST(IdentifyFrequencies, AMaskIsNoLadder) {
  for (const std::size_t ones : {3, 16, 32}) {
    std::vector<float> mask(64, 0);
    std::fill_n(mask.begin(), ones, 1.0F);
    EXPECT_TRUE(of(mask).candidates.empty()) << ones;
    EXPECT_EQ(of(mask).kind.find("permuted"), std::string::npos) << of(mask).kind;
  }
}

TEST(IdentifyFrequencies, OfLinearScaling) {
  std::vector<float> list = ladder(500000, 64);
  for (float& w : list) w /= 2.5F;
  const Identification found = of(list);
  ASSERT_EQ(found.candidates.size(), 1);
  EXPECT_TRUE(has(found.candidates[0], "rope-linear"));
  EXPECT_EQ(number_of(found.candidates[0], "factor"), 2.5);
  EXPECT_EQ(number_of(found.candidates[0], "base"), 500000);
}

// The factor divides what a ramp does not keep.
struct Ramp {
  double base, factor, length, fast, slow;
};

std::vector<float> yarn(const Ramp& ramp, std::size_t n) {
  std::vector<float> list = ladder(ramp.base, n);
  const auto count = static_cast<double>(n);
  const auto place = [&](double turns) {
    return count * std::log(ramp.length / (whole_turn * turns)) / std::log(ramp.base);
  };
  const double low = std::floor(place(ramp.fast)), high = std::ceil(place(ramp.slow));
  for (std::size_t k = 0; k < n; ++k) {
    const double divided = std::clamp((static_cast<double>(k) - low) / (high - low), 0.0, 1.0);
    list[k] = static_cast<float>(list[k] / ramp.factor * divided + list[k] * (1 - divided));
  }
  return list;
}

TEST(IdentifyFrequencies, OfYarn) {
  const Ramp cases[] = {
      {1e6, 6, 32768, 32, 1},    //
      {10000, 8, 3000, 32, 1},   // a length that is no power of two
      {500000, 4, 8192, 16, 2},  // other turns
      {5000, 8, 32768, 32, 1},   // the ramp ends beyond the last frequency
  };
  for (const Ramp& ramp : cases) {
    const Identification found = of(yarn(ramp, 40));
    ASSERT_FALSE(found.candidates.empty()) << ramp.base;
    const Candidate& first = found.candidates[0];  // half the length and half the turns are the same ramp
    EXPECT_TRUE(has(first, "rope-yarn") || has(first, "kerashub-yarn")) << ramp.base;
    EXPECT_EQ(number_of(first, "factor"), ramp.factor) << ramp.base;
    EXPECT_EQ(number_of(first, "base"), ramp.base);
  }
}

TEST(IdentifyFrequencies, OfLlama3) {
  for (const Ramp& ramp : {Ramp{500000, 32, 8192, 4, 1}, {5e7, 2, 3000, 3, 0.5}}) {
    std::vector<float> list = ladder(ramp.base, 64);
    for (float& w : list) {
      const double kept = std::clamp((ramp.length * w / whole_turn - ramp.slow) / (ramp.fast - ramp.slow), 0.0, 1.0);
      w = static_cast<float>((1 - kept) * w / ramp.factor + kept * w);
    }
    const Identification found = of(list);
    ASSERT_FALSE(found.candidates.empty()) << ramp.base;
    EXPECT_TRUE(has(found.candidates[0], "rope-llama3")) << ramp.base;
    EXPECT_EQ(number_of(found.candidates[0], "factor"), ramp.factor) << ramp.base;
  }
}

// In bf16 an odd base has the bits of dynamic NTK at some length, and those of another spacing with a rounder base.
TEST(IdentifyFrequencies, OfAnOddBaseInBf16) {
  std::vector<float> list = ladder(606600, 32);
  for (float& w : list) w = static_cast<float>(bfloat16(w));
  const Identification found = of(list);
  const auto of_row = [&](std::string_view row) {
    return std::ranges::any_of(found.candidates, [&](const Candidate& each) { return has(each, row); });
  };
  EXPECT_TRUE(of_row("rope-half") && of_row("rope-dynamic")) << to_string(found);
  for (const Candidate& each : found.candidates) EXPECT_EQ(each.exact.equal, each.exact.entries);
}

// base 10000 a^(r / (r - 2)): NTK by a, and dynamic NTK by 4 at a length of (a + 3) 1024, where that is whole.
TEST(IdentifyFrequencies, OfALongerBaseForAFactorAndForALength) {
  struct Case {
    double factor, length;  // 0: none
  };
  for (const Case& each : {Case{8, 11264}, {4, 7168}, {13, 16384}, {3.7, 0}}) {
    const Identification found = of(ladder(10000 * std::pow(each.factor, 128 / 126.0), 64));
    const auto of_row = [&](std::string_view row) {
      return std::ranges::find_if(found.candidates, [&](const Candidate& some) { return has(some, row); });
    };
    const auto ntk = of_row("rope-ntk"), dynamic = of_row("rope-dynamic");
    ASSERT_NE(ntk, found.candidates.end()) << to_string(found);
    if (each.factor != 4) {  // the row's own is not fitted
      EXPECT_EQ(number_of(*ntk, "factor"), each.factor);
    }
    ASSERT_EQ(dynamic != found.candidates.end(), each.length != 0) << to_string(found);
    if (each.length != 0) {
      EXPECT_EQ(number_of(*dynamic, "length"), each.length);
    }
    EXPECT_EQ(found.candidates.size(), each.length != 0 ? 2 : 1) << to_string(found);
  }
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

// The slowest are divided by so much that f32 leaves nothing of the fifth digit.
TEST(IdentifyFrequencies, OfDivisorsUpTo64) {
  std::vector<float> list = ladder(5e6, 24);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double divisor = std::rint((1.08 + 62.92 * static_cast<double>(k * k) / (23 * 23)) * 1e5) / 1e5;
    list[k] = static_cast<float>(list[k] / divisor);
  }
  const Identification found = of(list);
  ASSERT_EQ(found.candidates.size(), 1);
  EXPECT_TRUE(has(found.candidates[0], "rope-longrope"));
}

// Each one twice, for both columns of its pair.
TEST(IdentifyFrequencies, OfListsThatHoldEachTwice) {
  const std::vector<float> once = ladder(350, 12);
  std::vector<float> blocks = once, pairs;
  blocks.insert(blocks.end(), once.begin(), once.end());
  for (const float w : once) pairs.insert(pairs.end(), {w, w});
  for (const auto& [list, reading] : {std::pair{blocks, "[2 n]"}, {pairs, "[n 2]"}}) {
    const Identification found = of(list);
    ASSERT_FALSE(found.candidates.empty()) << reading;
    EXPECT_EQ(number_of(found.candidates[0], "base"), 350);
    EXPECT_EQ(found.candidates[0].reading, reading);
    EXPECT_EQ(found.candidates[0].copies, 2);
    EXPECT_EQ(found.candidates[0].exact.entries, 12);
  }
  blocks.back() *= 1.001F;
  EXPECT_TRUE(of(blocks).candidates.empty()) << "the second time another one";
}

// Rates of learning fall by a quotient: of base 11 and a first number that nobody divides by.
TEST(IdentifyFrequencies, RatesOfLearningAreNone) {
  for (const double last : {0.1, 0.01}) {
    std::vector<float> rates;
    for (int k = 0; k < 24; ++k) rates.push_back(static_cast<float>(3e-4 * std::pow(last, k / 23.0)));
    EXPECT_TRUE(of(rates).candidates.empty()) << to_string(of(rates));
  }
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

// Any list of quotients has a base and a first frequency: learning rates are none of a model's ladders.
TEST(IdentifyFrequencies, OfListsThatAreMerelyGeometricAreNotNamed) {
  const auto geometric = [](double first, double quotient, int count) {
    std::vector<float> list;
    for (int k = 0; k < count; ++k) list.push_back(static_cast<float>(first * std::pow(quotient, k)));
    return list;
  };
  for (const std::vector<float>& list :
       {geometric(0.1, 0.5, 8), geometric(3e-4, 0.9, 50), geometric(0.1, std::pow(10.0, -4.0 / 9), 10),
        geometric(1, 0.95, 20), geometric(1, std::pow(10.0, 0.2), 16), geometric(0.3, 2, 12)}) {
    EXPECT_TRUE(of(list).candidates.empty()) << list[0] << " " << list[1] << "\n" << to_string(of(list));
  }
}

// Numbers that every type has are read as the widest has them.
TEST(IdentifyFrequencies, OfPowersOfTwoAreThoseOfOctaves) {
  std::vector<float> octaves, of_pi, halves;
  for (int k = 0; k < 10; ++k) {
    octaves.push_back(std::ldexp(1.0F, k));
    of_pi.push_back(std::ldexp(static_cast<float>(whole_turn / 2), k));
    halves.push_back(std::ldexp(1.0F, -k));
  }
  ASSERT_EQ(of(octaves).candidates.size(), 1);
  EXPECT_TRUE(has(of(octaves).candidates[0], "nerf"));
  EXPECT_EQ(of(octaves).candidates[0].storage, DType::f32);
  ASSERT_FALSE(of(of_pi).candidates.empty());
  EXPECT_TRUE(has(of(of_pi).candidates[0], "nerf-pi"));
  ASSERT_FALSE(of(halves).candidates.empty());
  EXPECT_EQ(number_of(of(halves).candidates[0], "base"), 1024);
}

// What a candidate has, then what the row has.
TEST(IdentifyFrequencies, DifferencesSayWhatIsThereFirst) {
  const Identification found = of(ladder(777, 32));
  ASSERT_FALSE(found.candidates.empty());
  EXPECT_EQ(found.candidates[0].differences, std::vector<std::string>{"ladders.0.base: 777, not 10000"});
}

}  // namespace
}  // namespace posenc
