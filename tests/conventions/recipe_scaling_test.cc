// SPDX-License-Identifier: Apache-2.0
// Scaled ladders under f32-reciprocal: transformers 5.23's operations, one by one in plain f32 and f64 arithmetic, with
// powers and logarithms of MPFR.
#include <gtest/gtest.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "tests/encodings/said.h"
#include "tests/oracle/value.h"

namespace posenc {
namespace {

using oracle::Value;

float power32(double x, double y) { return static_cast<float>(oracle::rounded(pow(Value(x), Value(y)), oracle::f32)); }
double power64(double x, double y) { return oracle::rounded(pow(Value(x), Value(y)), oracle::f64); }
double log64(double x) { return oracle::rounded(log(Value(x)), oracle::f64); }

// B^RN(2k / r).
std::vector<float> powers(double base, int r) {
  std::vector<float> all;
  for (int k = 0; k < r / 2; ++k) {
    all.push_back(power32(static_cast<float>(base), static_cast<float>(2 * k) / static_cast<float>(r)));
  }
  return all;
}
std::vector<float> inverse(std::vector<float> of) {
  for (float& value : of) value = 1.0f / value;
  return of;
}

using Ladder32 = std::vector<float>;
Ladder32 plain(double base, int r, const LinearScaling& by) {
  Ladder32 w = inverse(powers(base, r));
  for (float& value : w) value = value / static_cast<float>(by.factor);
  return w;
}
Ladder32 plain(double base, int r, const BaseScaling& by) { return inverse(powers(base * by.factor, r)); }
Ladder32 plain(double base, int r, const NtkScaling& by) {
  return inverse(powers(base * power64(by.factor, r / (r - 2.0)), r));
}
Ladder32 plain(double base, int r, const ProportionalScaling& by) {
  Ladder32 w = plain(base, r, LinearScaling{by.factor});
  for (std::size_t k = static_cast<std::size_t>(by.part * r / 2); k < w.size(); ++k) w[k] = 0;
  return w;
}
// torch.linspace, whose second half counts from its end, and the mask of CoPE. On AVX2 PyTorch fuses the sum.
Ladder32 clipped(double base, int r, const ClippedScaling& by, Sums sums) {
  Ladder32 w = inverse(powers(base, r));
  const auto n = static_cast<int>(w.size()), c = static_cast<int>(std::min<std::int64_t>(by.pairs, n));
  const auto pi = static_cast<float>(std::numbers::pi);
  const float step = c > 1 ? pi / static_cast<float>(c - 1) : 0;
  for (int j = 0; j < c; ++j) {
    const auto before_end = static_cast<float>(c - 1 - j);
    const float product = before_end * step;
    const float from_end = sums == Sums::fused ? std::fma(-before_end, step, pi) : pi - product;
    const float angle = j < c / 2 || c == 1 ? static_cast<float>(j) * step : from_end;
    const float cosine = static_cast<float>(oracle::rounded(cos(Value(angle)), oracle::f32));
    const float mask = 0.5f * (1.0f + cosine);
    w[static_cast<std::size_t>(n - c + j)] *= mask;
  }
  return w;
}
Ladder32 plain(double base, int r, const ClippedScaling& by) { return clipped(base, r, by, Sums::rounded); }
Ladder32 plain(double base, int r, const YarnScaling& by) {
  const auto pair = [&](double t) {
    return r * log64(static_cast<double>(by.length) / (t * 2 * std::numbers::pi)) / (2 * log64(base));
  };
  double low = pair(by.fast), high = pair(by.slow);
  if (by.truncate == Truncate::whole) low = std::floor(low), high = std::ceil(high);
  low = low < 0 ? 0 : low;
  high = high > r - 1 ? r - 1 : high;
  if (low == high) high += 0.001;
  Ladder32 w = powers(base, r);
  for (std::size_t k = 0; k < w.size(); ++k) {
    float ramp = (static_cast<float>(k) - static_cast<float>(low)) / static_cast<float>(high - low);
    ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
    const float kept = 1.0f - ramp, slowed = 1.0f - kept;
    const float scaled = static_cast<float>(by.factor) * w[k];
    const float a = (1.0f / scaled) * slowed, b = (1.0f / w[k]) * kept;
    w[k] = a + b;
  }
  return w;
}
Ladder32 plain(double base, int r, const Llama3Scaling& by) {
  Ladder32 all = inverse(powers(base, r));
  const auto s = static_cast<float>(by.factor), length = static_cast<float>(by.length);
  for (float& w : all) {
    const float one_over_w = 1.0f / w;
    const float wave = one_over_w * static_cast<float>(2 * std::numbers::pi);
    if (wave > static_cast<float>(static_cast<double>(by.length) / by.low)) {
      w = w / s;
    } else if (!(wave < static_cast<float>(static_cast<double>(by.length) / by.high))) {
      const float one_over_wave = 1.0f / wave;
      const float turns = one_over_wave * length;
      const float t = (turns - static_cast<float>(by.low)) / static_cast<float>(by.high - by.low);
      const float rest = 1.0f - t;
      const float slow = rest * w;
      const float divided = slow / s, kept = t * w;
      w = divided + kept;
    }
  }
  return all;
}

Sinusoid row_of(double base, const Scaling& scaling, double first = 1) {
  Geometric ladder(base, first, Spacing::over_width);
  ladder.scaling = scaling;
  return {ladder, Layout::cosine_first, OddWidth::refused};
}

std::vector<double> ladder_of(double base, int r, const Scaling& scaling, const Recipe& recipe) {
  return Rows(row_of(base, scaling), r, {.recipe = recipe}).frequencies();
}

// The base, the width and the factors of published models, and others: a factor that is no f32, less than 1, 1.
template <class By>
void expect_ladders(const std::vector<By>& scalings) {
  const Recipe& f32 = recipe("f32-reciprocal");
  std::int64_t unequal = 0;
  for (const By& by : scalings) {
    for (const double base : {10000.0, 500000.0, 7.3}) {
      for (const int r : {4, 6, 14, 64, 128}) {
        const Ladder32 expected = plain(base, r, by);
        EXPECT_EQ(ladder_of(base, r, by, f32), std::vector<double>(expected.begin(), expected.end()))
            << to_string(Convention(row_of(base, by))) << ", width " << r;
        unequal += ladder_of(base, r, by, exact()) != std::vector<double>(expected.begin(), expected.end());
      }
    }
  }
  EXPECT_GT(unequal, 0);  // the roundings are seen
}

TEST(ScaledLadder, IsRoundedAsTransformersDoes) {
  expect_ladders<LinearScaling>({{4}, {8}, {0.7}, {1}, {3.3}});
  expect_ladders<BaseScaling>({{2}, {0.7}, {3.3}});
  expect_ladders<NtkScaling>({{4}, {0.7}, {3.3}});
  expect_ladders<ProportionalScaling>({{1, 0.25}, {3.3, 0.5}, {2, 1}});
  expect_ladders<ClippedScaling>({{20}, {1}, {2}, {7}, {64}, {1000}});
  expect_ladders<YarnScaling>({{16, 4096, 32, 1, Truncate::whole},
                               {32, 4096, 32, 1, Truncate::none},
                               {40, 4096, 32, 1, Truncate::whole},
                               {3.3, 100, 2, 2, Truncate::none},
                               {4, 32768, 32, 1, Truncate::whole}});
  expect_ladders<Llama3Scaling>({{8, 1, 4, 8192}, {32, 1, 4, 8192}, {3.3, 0.7, 2.1, 1000}, {8, 2, 2, 8192}});
}

// The sum of a linspace is seen by some counts alone, as by 29 and 32 pairs.
TEST(ScaledLadder, IsClippedByAFusedLinspaceWhereTheStepsFuseSums) {
  int unequal = 0;
  for (const std::int64_t pairs : {1, 2, 7, 17, 20, 25, 29, 32, 33, 64}) {
    const ClippedScaling by = {pairs};
    const Ladder32 fused = clipped(500000, 128, by, Sums::fused), rounded = clipped(500000, 128, by, Sums::rounded);
    EXPECT_EQ(ladder_of(500000, 128, by, recipe("f32-reciprocal-fused")),
              std::vector<double>(fused.begin(), fused.end()))
        << pairs;
    unequal += fused != rounded ? 1 : 0;
  }
  EXPECT_GT(unequal, 3);
}

TEST(ScaledLadder, IsOverItsFactorWhereTheStepsSayAQuotient) {
  for (const double factor : {2.0, 3.3, 0.7, 4.088994243248622}) {
    for (const std::int64_t d : {8, 64, 130}) {
      const std::vector<double> ours =
          Rows(row_of(10000, LinearScaling{factor}), d, {.recipe = recipe("f32-power")}).frequencies();
      for (std::size_t k = 0; k < ours.size(); ++k) {
        const float e = static_cast<float>(2 * k) / static_cast<float>(d);
        const auto power = static_cast<float>(std::pow(10000.0L, -static_cast<long double>(e)));
        EXPECT_EQ(ours[k], power / static_cast<float>(factor)) << d << " " << k;
      }
    }
  }
  EXPECT_EQ(
      test::said(Rows::check(row_of(10000, NtkScaling{2}), 8, {.recipe = recipe("f32-power")})),
      "[convention] the recipe must be exact for a scaled ladder, or f32-reciprocal, f32-reciprocal-unit-position, "
      "f32-reciprocal-unit-angle or 2 more, got f32-power");
}

TEST(ScaledLadder, IsRefusedWhereNoStepsAreSaid) {
  const auto refused = [](const Sinusoid& row, std::string_view name) {
    return test::said(Rows::check(row, 8, {.recipe = recipe(name)}));
  };
  const std::string scaled = "[convention] the recipe must be exact for a scaled ladder";
  EXPECT_EQ(refused(row_of(10000, LinearScaling{2}), "f32-reciprocal"), "nothing");
  for (const std::string name :
       {"f32-exp", "f32-divide", "f32-power-of-linspace", "f32-iterated", "f64", "f64-divide"}) {
    EXPECT_EQ(
        refused(row_of(10000, LinearScaling{2}), name),
        scaled + ", or f32-reciprocal, f32-reciprocal-unit-position, f32-reciprocal-unit-angle or 3 more, got " + name);
    EXPECT_EQ(refused(row_of(10000, Nothing{}), name), "nothing");
  }
  EXPECT_EQ(refused(row_of(10000, LinearScaling{2}, 3), "f32-reciprocal"),
            scaled + " whose first is not 1, got f32-reciprocal");
}

}  // namespace
}  // namespace posenc
