// SPDX-License-Identifier: Apache-2.0
// Activations and sums of exponentials against libm in f64, on every instruction set.
#include "src/transformer/kernels/activations.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/engine/every_target.h"

namespace posenc::kernels {
namespace {

double exact(Curve curve, double x) {
  if (curve == Curve::none) return x;
  if (curve == Curve::relu) return std::max(x, 0.0);
  if (curve == Curve::gelu) return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
  const double u = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

// Floats of every size and sign, most of them where the curves bend.
std::vector<float> samples() {
  std::vector<float> all;
  for (std::uint32_t bits = 0; bits < 0x7F800000u; bits += 4999) {
    all.push_back(std::bit_cast<float>(bits));
    all.push_back(-all.back());
  }
  for (float x = -12; x < 12; x += 0x1p-14f) all.push_back(x);
  return all;
}

// |error| <= near max(1, |x|), and at most `share` of |x|.
void expect_within(Curve curve, double near, double share) {
  static const std::vector<float> from = samples();
  std::vector<double> wanted;
  for (const float x : from) wanted.push_back(exact(curve, static_cast<double>(x)));
  engine::on_every_target([&] {
    std::vector<float> to = from;
    finish_rows(curve, nullptr, 1, static_cast<std::int64_t>(to.size()), to.data(), 0);
    double most_near = 0, most_share = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const double size = std::abs(static_cast<double>(from[i])),
                   error = std::abs(static_cast<double>(to[i]) - wanted[i]);
      ASSERT_FALSE(std::isnan(error)) << from[i];
      most_near = std::max(most_near, error / std::max(size, 1.0));
      most_share = std::max(most_share, error / std::max(size, 0x1p-126));
    }
    std::printf("largest error: 2^%.2f max(1, |x|), 2^%.2f |x|\n", std::log2(most_near), std::log2(most_share));
    EXPECT_LE(most_near, near);
    EXPECT_LE(most_share, share);
  });
}

TEST(Curves, GeluIsWithinItsBoundOnEveryTarget) { expect_within(Curve::gelu, 0x1p-23, 0x1p-21); }
TEST(Curves, GeluTanhIsWithinItsBoundOnEveryTarget) { expect_within(Curve::gelu_tanh, 0x1p-22, 0x1p-21); }
TEST(Curves, ReluIsExactOnEveryTarget) { expect_within(Curve::relu, 0, 0); }

TEST(Curves, AddTheBiasToEveryWidthAndNothingBesideOnEveryTarget) {
  engine::on_every_target([] {
    for (const Curve curve : {Curve::none, Curve::relu, Curve::gelu}) {
      for (std::int64_t width = 0; width < 70; ++width) {
        const std::int64_t stride = width + 3;
        std::vector<float> data(static_cast<std::size_t>(3 * stride)), bias(static_cast<std::size_t>(width));
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 13) * 0.37f - 2;
        for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i % 7) * 0.11f - 0.3f;
        const std::vector<float> before = data;
        finish_rows(curve, bias.data(), 3, width, data.data(), stride);
        for (std::size_t i = 0; i < data.size(); ++i) {
          const auto column = i % static_cast<std::size_t>(stride);
          if (column >= bias.size()) {
            ASSERT_EQ(data[i], before[i]) << "between rows";
          } else {
            ASSERT_NEAR(data[i], exact(curve, static_cast<double>(before[i] + bias[column])), 0x1p-21) << width;
          }
        }
      }
    }
  });
}

TEST(Curves, KeepNaNAndInfinitiesAsPyTorchDoesOnEveryTarget) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  engine::on_every_target([&] {
    for (const Curve curve : {Curve::relu, Curve::gelu, Curve::gelu_tanh}) {
      std::vector<float> data = {nan, inf, -inf, 3e38f, -3e38f};
      finish_rows(curve, nullptr, 1, 5, data.data(), 5);
      EXPECT_TRUE(std::isnan(data[0]));
      EXPECT_EQ(data[1], inf);
      EXPECT_TRUE(curve == Curve::relu ? data[2] == 0 : std::isnan(data[2])) << data[2];
      EXPECT_EQ(data[3], 3e38f);
      EXPECT_EQ(data[4], 0);
    }
  });
}

TEST(Curves, LogSumExpIsTheSumOfExponentialsOnEveryTarget) {
  engine::on_every_target([] {
    for (const std::int64_t count : {1, 2, 7, 8, 9, 31, 51864}) {
      for (const float spread : {0.0f, 1.0f, 30.0f}) {
        std::vector<float> row(static_cast<std::size_t>(count));
        double largest = -HUGE_VAL, sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
          row[i] = 100 + spread * static_cast<float>(std::sin(static_cast<double>(i) * 1.7));
          largest = std::max(largest, static_cast<double>(row[i]));
        }
        for (const float x : row) sum += std::exp(static_cast<double>(x) - largest);
        EXPECT_NEAR(log_sum_exp(row.data(), count), largest + std::log(sum), 0x1p-21) << count << " " << spread;
      }
    }
  });
  const float hidden[] = {-HUGE_VALF, 2, -HUGE_VALF};
  EXPECT_NEAR(log_sum_exp(hidden, 3), 2, 0x1p-22);
  EXPECT_EQ(log_sum_exp(hidden, 1), -HUGE_VAL);
  EXPECT_EQ(log_sum_exp(hidden, 0), -HUGE_VAL);
}

TEST(Curves, LogSumExpCountsNoNaNWhereverItStandsOnEveryTarget) {
  engine::on_every_target([] {
    for (const std::size_t count : {2, 8, 45}) {
      std::vector<float> row(count);
      for (std::size_t i = 0; i < count; ++i) row[i] = static_cast<float>(i % 7) * 0.5f;
      for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
        std::vector<float> hidden = row, broken = row;
        hidden[place] = -HUGE_VALF;
        broken[place] = std::nanf("");
        EXPECT_EQ(log_sum_exp(broken.data(), std::ssize(broken)), log_sum_exp(hidden.data(), std::ssize(hidden)));
      }
      const std::vector<float> nothing(count, std::nanf(""));
      EXPECT_EQ(log_sum_exp(nothing.data(), std::ssize(nothing)), -HUGE_VAL);
    }
  });
}

}  // namespace
}  // namespace posenc::kernels
