// SPDX-License-Identifier: Apache-2.0
// tanh in lanes and what is made of it, within their bounds, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "src/transformer/kernels/softmax.h"
#include "src/transformer/kernels/tanh.h"
#include "tests/engine/every_target.h"

namespace posenc::kernels {
namespace {

constexpr std::size_t room = widest_lanes;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Every 997th f32 and what is special.
std::vector<float> arguments() {
  std::vector<float> made = {0.0f,
                             -0.0f,
                             9.02f,
                             9.0199995f,
                             0x1p-149f,
                             -0x1p-126f,
                             3e38f,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity()};
  for (std::uint32_t bits = 1; bits < 0x7F800000u; bits += 997) {
    made.push_back(std::bit_cast<float>(bits));
    made.push_back(-made.back());
  }
  return made;
}

TEST(RnnCell, IsTanhWithin2ToTheMinus21OfItself) {
  std::vector<float> sums = arguments();
  const std::size_t count = sums.size();
  sums.resize(count + room);
  std::vector<float> state(count + room);
  engine::on_every_target([&] {
    rnn_cell(sums.data(), static_cast<std::int64_t>(count), state.data());
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double exact = std::tanh(static_cast<double>(sums[i])), got = static_cast<double>(state[i]);
      ASSERT_LE(std::abs(got - exact), 0x1p-21 * std::abs(exact) + 0x1p-149) << sums[i];
      ASSERT_LE(std::abs(got), 1);
      ASSERT_EQ(std::signbit(got), std::signbit(exact));
      if (std::abs(exact) > 0x1p-120) worst = std::max(worst, std::abs(got / exact - 1));
    }
    std::printf("tanh is at most 2^%.2f of itself off, of %zu\n", std::log2(worst), count);
  });
}

TEST(RnnCell, KeepsNan) {
  const std::vector<float> sums(1 + room, NAN);
  std::vector<float> state(1 + room);
  engine::on_every_target([&] {
    rnn_cell(sums.data(), 1, state.data());
    EXPECT_TRUE(std::isnan(state[0]));
  });
}

TEST(LstmCell, IsTheFormulaForEveryWidth) {
  engine::on_every_target([&] {
    for (std::int64_t width = 1; width <= 40; ++width) {
      const auto n = static_cast<std::size_t>(width);
      std::vector<float> sums(4 * n + room), memory(n + room), state(n + room), before;
      for (std::size_t i = 0; i < 4 * n; ++i) sums[i] = static_cast<float>((i * 37 + 11) % 201) / 10.0f - 10;
      for (std::size_t i = 0; i < n; ++i) memory[i] = static_cast<float>(i % 7) / 2.0f - 1.5f;
      before = memory;
      lstm_cell(sums.data(), width, memory.data(), state.data());
      for (std::size_t c = 0; c < n; ++c) {
        const auto z = [&](std::size_t gate) { return static_cast<double>(sums[gate * n + c]); };
        const double kept = sigmoid(z(1)) * static_cast<double>(before[c]);
        const double exact = kept + sigmoid(z(0)) * std::tanh(z(2));
        const double error = 0x1p-22 * (1 + std::abs(static_cast<double>(before[c]))) + 0x1p-21 + 0x1p-22;
        ASSERT_NEAR(static_cast<double>(memory[c]), exact, error);
        ASSERT_NEAR(static_cast<double>(state[c]), sigmoid(z(3)) * std::tanh(exact), error + 0x1p-21 + 0x1p-22);
      }
    }
  });
}

TEST(LstmCell, HasGatesWithin2ToTheMinus22) {
  const std::vector<float> x = arguments();
  std::vector<float> sums(4 + room), memory(1 + room), state(1 + room);
  engine::on_every_target([&] {
    for (std::size_t i = 0; i < x.size(); i += 10) {
      sums[0] = -100;  // a closed input gate: the memory is s(f) alone
      sums[1] = x[i];
      sums[2] = 0;
      memory[0] = 1;
      lstm_cell(sums.data(), 1, memory.data(), state.data());
      ASSERT_NEAR(static_cast<double>(memory[0]), sigmoid(static_cast<double>(x[i])), 0x1p-22) << x[i];
    }
  });
}

TEST(TanhScores, AreTheSumsForEveryShape) {
  engine::on_every_target([&] {
    for (const std::int64_t rows : {1, 2, 3, 5}) {
      for (const std::int64_t width : {0, 1, 7, 33}) {
        for (const std::int64_t columns : {1, 15, 16, 17, 50}) {
          const std::int64_t stride = (columns + widest_lanes - 1) / widest_lanes * widest_lanes + 16;
          std::vector<float> queries(static_cast<std::size_t>(rows * width)),
              direction(static_cast<std::size_t>(width)), keys(static_cast<std::size_t>(width * stride)),
              scores(static_cast<std::size_t>(rows * stride), 7.0f);
          for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = static_cast<float>(i * 13 % 41) / 10.0f - 2;
          for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i * 29 % 83) / 20.0f - 2;
          for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = static_cast<float>(i * 7 % 11) - 5;
          tanh_scores(
              {queries.data(), rows, width, direction.data(), keys.data(), stride, columns, scores.data(), stride});
          for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) {
              double exact = 0, size = 0;
              for (std::int64_t c = 0; c < width; ++c) {
                const float sum =
                    queries[static_cast<std::size_t>(i * width + c)] + keys[static_cast<std::size_t>(c * stride + j)];
                const auto v = static_cast<double>(direction[static_cast<std::size_t>(c)]);
                exact += v * std::tanh(static_cast<double>(sum));
                size += std::abs(v);
              }
              ASSERT_NEAR(static_cast<double>(scores[static_cast<std::size_t>(i * stride + j)]), exact,
                          static_cast<double>(width + 10) * 0x1p-24 * size);
            }
            EXPECT_EQ(scores[static_cast<std::size_t>(i * stride + stride - 1)], 7.0f);
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace posenc::kernels
