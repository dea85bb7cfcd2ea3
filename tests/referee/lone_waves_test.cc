// SPDX-License-Identifier: Apache-2.0
// Cosines or sines that stand alone: their frequencies, wherever they begin and however large they are, beside those
// that made them. The waves are made by the C++ library in double.
#include "src/referee/lone_waves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace posenc::referee {
namespace {

struct Made {
  std::vector<float> entries;
  std::vector<double> frequencies;
  std::int64_t rows, width;

  Reading reading() const {
    Reading all;
    all.tensor = view(entries.data(), {rows, width});
    all.extents = {rows}, all.steps = {width};
    all.width = width, all.outer_step = 1;
    return all;
  }
  // Each column is a wave of its own.
  std::vector<WaveColumns> waves(bool sines) const {
    std::vector<WaveColumns> all;
    for (std::int64_t c = 0; c < width; ++c) {
      all.push_back({0, static_cast<std::uint32_t>(c), sines ? c : -1, sines ? -1 : c});
    }
    return all;
  }
};

// Rows of base^(-k / width).
Made made(bool sines, double base, double first, std::int64_t rows, std::int64_t width, double size) {
  Made all = {{}, {}, rows, width};
  for (std::int64_t k = 0; k < width; ++k) {
    all.frequencies.push_back(std::pow(base, -static_cast<double>(k) / static_cast<double>(width)));
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (const double w : all.frequencies) {
      const double angle = w * (first + static_cast<double>(i));
      all.entries.push_back(static_cast<float>(size * (sines ? std::sin(angle) : std::cos(angle))));
    }
  }
  return all;
}

TEST(LoneWaves, FrequenciesLieWithinWhatTheySay) {
  const Tolerance tolerance = tolerance_of(DType::f32);
  for (const bool sines : {false, true}) {
    for (const double first : {0.0, 1.0, 2.0, 100.0, 5000.0}) {
      for (const double size : {1.0, 1.1, 0.25}) {
        const Made table = made(sines, 10000, first, 64, 24, size);
        const std::vector<Frequency> found = lone_frequencies(table.reading(), table.waves(sines), 0, 1, tolerance);
        ASSERT_EQ(found.size(), table.frequencies.size());
        std::size_t well = 0;
        for (std::size_t k = 0; k < found.size(); ++k) {
          const double right = table.frequencies[k];
          if (std::isnan(found[k].value)) continue;
          EXPECT_LE(std::abs(found[k].value - right), 2 * found[k].off)
              << (sines ? "sine " : "cosine ") << k << " from " << first << " of size " << size;
          well += found[k].off < 1e-3 * right ? 1 : 0;
        }
        EXPECT_GE(well, found.size() / 2) << (sines ? "sines" : "cosines") << " from " << first << " of size " << size;
      }
    }
  }
}

TEST(LoneWaves, SizeIsThatOfTheWaves) {
  const Tolerance tolerance = tolerance_of(DType::f32);
  for (const double size : {1.0, 1.0427, 0.25, 3.0}) {
    const Made table = made(true, 10000, 7, 50, 16, size);
    const auto measured = lone_amplitude(table.reading(), table.waves(true), 0, tolerance);
    ASSERT_TRUE(measured.has_value()) << size;
    EXPECT_NEAR(*measured, size, 1e-5 * size);
  }
}

TEST(LoneWaves, RandomNumbersAndFewRowsAreNone) {
  Made random = {{}, std::vector<double>(20), 60, 20};
  for (std::uint64_t i = 0, x = 1; i < 1200; ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    random.entries.push_back(static_cast<float>(static_cast<double>(x >> 11) * 0x1p-52 - 1));
  }
  const Tolerance tolerance = tolerance_of(DType::f32);
  for (const Frequency& w : lone_frequencies(random.reading(), random.waves(true), 0, 1, tolerance)) {
    EXPECT_TRUE(std::isnan(w.value));
  }
  EXPECT_FALSE(lone_amplitude(random.reading(), random.waves(true), 0, tolerance).has_value());
  for (const std::int64_t rows : {1, 2}) {
    const Made table = made(true, 100, 0, rows, 4, 1);
    for (const Frequency& w : lone_frequencies(table.reading(), table.waves(true), 0, 1, tolerance)) {
      EXPECT_TRUE(std::isnan(w.value) || std::abs(w.value) <= w.off) << rows;
    }
  }
}

TEST(LoneWaves, ZerosAreSinesThatStand) {
  const Made table = {std::vector<float>(40), std::vector<double>(4), 10, 4};
  for (const Frequency& w : lone_frequencies(table.reading(), table.waves(true), 0, 1, tolerance_of(DType::f32))) {
    EXPECT_EQ(w.value, 0);
  }
}

}  // namespace
}  // namespace posenc::referee
