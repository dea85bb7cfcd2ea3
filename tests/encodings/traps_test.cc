// SPDX-License-Identifier: Apache-2.0
// Traps: pairs of conventions that look alike, and by how much they differ. Whoever ports a checkpoint and takes the
// one for the other gets no error, only these numbers. Unless said, width 512 and positions 0 to 511.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/grid.h>
#include <posenc/log_coordinates.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <numbers>

namespace posenc {
namespace {

const Convention& named(std::string_view name) { return preset(name).convention; }

// ---- tables -------------------------------------------------------------------------------------

std::vector<double> rows(const Convention& convention, std::int64_t width, const Positions& positions) {
  std::vector<double> out(static_cast<std::size_t>(positions.count_ * columns(convention, width)));
  sinusoid(convention, positions, view(out.data(), {positions.count_, columns(convention, width)}));
  return out;
}

std::vector<double> cells(const Convention& convention, std::int64_t height, std::int64_t width, std::int64_t dim) {
  std::vector<double> out(static_cast<std::size_t>(height * width * dim));
  grid(convention, view(out.data(), {height, width, dim}));
  return out;
}

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b.at(i)));
  return most;
}

double mean(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b.at(i));
  return sum / static_cast<double>(a.size());
}

double largest(const Convention& a, const Convention& b, std::int64_t positions = 512, std::int64_t width = 512) {
  const Positions all = Positions::range(0, positions);
  return largest(rows(a, width, all), rows(b, width, all));
}

// The numbers are written to three places.
void expect_near(double found, double written) { EXPECT_NEAR(found, written, 0.0005001); }

TEST(Traps, PaperLadderAndEndPoint) {
  expect_near(largest(named("mae-1d"), named("whisper-published"), 128), 0.180);
  expect_near(largest(named("mae-1d"), named("whisper-published"), 512), 0.712);
  expect_near(largest(named("mae-1d"), named("whisper-published"), 2048), 1.989);
}

TEST(Traps, MarianTrainsOnTheEndPointAndItsPortComputesThePapers) {
  expect_near(largest(named("marian-native"), named("marian-hf")), 0.712);
}

TEST(Traps, InterleavedAndSineFirstHaveEqualSimilarities) {
  expect_near(largest(named("transformer"), named("mae-1d")), 2.000);
  const Positions two = Positions::range(3, 2, 90);
  const std::vector<double> a = rows(named("transformer"), 512, two), b = rows(named("mae-1d"), 512, two);
  double in_a = 0, in_b = 0;
  for (std::size_t c = 0; c < 512; ++c) in_a += a[c] * a[512 + c], in_b += b[c] * b[512 + c];
  EXPECT_NEAR(in_a, in_b, 1e-12);
}

TEST(Traps, SineFirstAndCosineFirst) { expect_near(largest(named("whisper-published"), named("musicgen")), 1.414); }

TEST(Traps, PositionsFromZeroFromOneAndFromPaddingPlusOne) {
  const auto from = [](int first) { return rows(named("whisper-published"), 512, Positions::range(first, 512)); };
  expect_near(largest(from(0), from(1)), 0.959);
  expect_near(largest(from(0), from(2)), 1.683);
}

TEST(Traps, OddWidthSevenHasTwoLadders) {
  expect_near(largest(named("positional-encodings-1d"), named("xlm"), 128, 7), 1.998);
}

TEST(Traps, MinTimescaleFourMakesTimescalesFromAQuarter) {
  const Convention meant = with_fields(named("tensor2tensor"), {{"ladder.first", 0.25}, {"ladder.base", 2500}});
  const Convention made = with_fields(named("tensor2tensor"), {{"ladder.first", 4}, {"ladder.base", 2500}});
  const double first = std::abs(rows(made, 512, Positions::at(1))[0] - rows(meant, 512, Positions::at(1))[0]);
  expect_near(first, 1.004);
}

TEST(Traps, MlxMultipliesByTheRootOfTwoOverTheWidth) {
  const Convention scaled = with_field(named("whisper-published"), "scale", "sqrt_2_over_d");
  EXPECT_NEAR(largest(scaled, named("whisper-published")), 0.9375, 1e-15);
}

TEST(Traps, GridsWithTheColumnOrTheRowFirst) {
  const std::vector<double> mae = cells(named("mae-2d"), 14, 14, 768);
  const std::vector<double> row_first = cells(named("d-fine-2d"), 14, 14, 768);
  expect_near(largest(mae, row_first), 2.000);
  expect_near(mean(mae, row_first), 0.194);
  expect_near(largest(mae, cells(named("timm-2d"), 14, 14, 768)), 2.000);
  expect_near(largest(mae, cells(named("bigvision-2d"), 14, 14, 768)), 0.025);
}

TEST(Traps, TimestepsWithTheDefaultsOfTheSameFunction) {
  const Convention& stable = named("stable-diffusion-timestep");
  const auto last = [](const Convention& convention) { return rows(convention, 320, Positions::at(999)); };
  expect_near(largest(last(stable), last(named("diffusers-timestep"))), 1.994);
  expect_near(largest(last(stable), last(with_field(stable, "ladder.spacing.shift", 1))), 1.813);
}

TEST(Traps, DetrCountsCellsFromOneAndDeformableDetrFromAHalf) {
  const auto at_25_by_34 = [](double first) {
    const PlaceNumbering places = {first, Divisor::count, 1e-6, 2 * std::numbers::pi, 0, WholePlaces::none};
    std::vector<double> out(25 * 34 * 256);
    Rows(named("detr-sine"), 256).write_cells(view(out.data(), {25, 34, 256}), places);
    return out;
  };
  expect_near(largest(at_25_by_34(1), at_25_by_34(0.5)), 0.126);
}

// 512 points from -1 to 1, ten octaves, 3 axes.
TEST(Traps, NerfsCodeHasNoPi) {
  std::vector<double> points;
  for (int i = 0; i < 512; ++i) points.push_back(-1 + i * 2.0 / 511);
  const Positions list = Positions::list(view(points.data(), {512}));
  const auto waves = [&](const Convention& convention) {
    std::vector<double> out(512 * 60);
    Rows(convention, 60).write(std::vector(3, list), view(out.data(), {512, 60}));
    return out;
  };
  expect_near(largest(waves(with_field(named("nerf"), "lead", "nothing")), waves(named("nerf-pi"))), 1.998);
}

// ---- frequencies of rotations -------------------------------------------------------------------

// w_k of a rotation of one axis, rounded once.
std::vector<double> frequencies(const Convention& rotary, std::int64_t width) {
  const Ladder ladder = std::get<Rotary>(rotary).ladders.at(0);
  return Rows(Sinusoid{ladder, Layout::sine_first, OddWidth::refused}, width).frequencies();
}

std::size_t unlike(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += a[k] != b.at(k);
  return count;
}

TEST(Traps, YarnsLengthIsThatOfTheRopeObject) {
  const Convention& own = named("deepseek-v3");
  const Convention taken = with_field(own, "ladder.scaling.length", 163840);
  const std::vector<double> w = frequencies(own, 64), other = frequencies(taken, 64);
  double ratio = 0;
  for (std::size_t k = 0; k < w.size(); ++k) ratio = std::max(ratio, other[k] / w[k]);
  EXPECT_NEAR(ratio, 40, 1e-12);
  EXPECT_NEAR(4096 * largest(w, other), 21.9, 0.05001);
}

TEST(Traps, GptOssDoesNotRoundYarnsEnds) {
  const Convention& own = named("gpt-oss");
  const std::vector<double> w = frequencies(own, 64);
  const std::vector<double> rounded = frequencies(with_field(own, "ladder.scaling.truncate", "whole"), 64);
  double most = 0;
  for (std::size_t k = 0; k < w.size(); ++k) most = std::max(most, std::abs(rounded[k] / w[k] - 1));
  EXPECT_NEAR(most, 0.76, 0.005001);
  EXPECT_NEAR(4096 * largest(w, rounded), 0.90, 0.005001);
}

TEST(Traps, Llama3ScalingLeftOutChangesThirtyFiveOfSixtyFourFrequencies) {
  const Convention& own = named("rope-llama3");
  const std::vector<double> w = frequencies(own, 128),
                            plain = frequencies(with_field(own, "ladder.scaling", "none"), 128);
  EXPECT_EQ(unlike(w, plain), 35u);
  EXPECT_NEAR(8191 * largest(w, plain), 7.28, 0.005001);
}

TEST(Traps, AProportionalPartIsOfFrequenciesAndAPartOfColumns) {
  const std::vector<double> part_of_ladder = frequencies(named("rope-proportional"), 256);
  const std::vector<double> part_of_head = frequencies(with_field(named("rope-half"), "ladder.base", 1e6), 64);
  expect_near(part_of_ladder[1], 0.898);
  expect_near(part_of_head[1], 0.649);
  EXPECT_NEAR(part_of_ladder[31], 0.0352, 0.00005001);
  EXPECT_EQ(part_of_ladder[32], 0);
  EXPECT_NEAR(part_of_head[31], 1.5e-6, 0.05001e-6);
}

// ---- turns --------------------------------------------------------------------------------------

// A head of ones and their column number over 128 at position 7.
std::vector<float> turned(const Convention& convention, std::int64_t head = 128) {
  std::vector<float> columns(static_cast<std::size_t>(head));
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = 1 + static_cast<float>(c) / 128;
  const View both = view(columns.data(), {1, head});
  rotary(convention, Positions::at(7), both, both);
  return columns;
}

TEST(Traps, PairingsAndTurnsOfOneShape) {
  EXPECT_NE(turned(named("rope-half")), turned(named("rope-pair")));
  EXPECT_NE(turned(named("rope-half")), turned(named("nanochat")));
}

// Cosines at position 0 are the magnitude.
float magnitude(const Convention& convention, std::int64_t head) {
  std::vector<float> columns(static_cast<std::size_t>(head), 1.0F);
  const View both = view(columns.data(), {1, head});
  rotary(convention, Positions::at(0), both, both);
  return columns.back();
}

TEST(Traps, MagnitudesThatReadersOfOneKeyForget) {
  const float gpt_oss = magnitude(named("gpt-oss"), 64);
  EXPECT_NEAR(gpt_oss, 1.3466, 0.00005001);
  expect_near(static_cast<double>(gpt_oss) * gpt_oss, 1.813);
  EXPECT_NEAR(magnitude(named("deepseek-v2"), 192), 0.9210, 0.00005001);
  EXPECT_EQ(magnitude(with_field(named("deepseek-v2"), "magnitude.gain_all", 0.707), 192), 1.0F);
}

// ---- pairs --------------------------------------------------------------------------------------

TEST(Traps, FalconsSlopesAreOfBf16) {
  const Convention falcon = with_field(named("alibi"), "slope_rounding", "bf16");
  const std::vector<float> rounded = bias_slopes(falcon, 64), slopes = bias_slopes(named("alibi"), 64);
  double ratio = 0, most = 0;
  for (std::size_t h = 0; h < slopes.size(); ++h) {
    const double difference = std::abs(static_cast<double>(rounded[h]) - static_cast<double>(slopes[h]));
    ratio = std::max(ratio, difference / static_cast<double>(slopes[h]));
    most = std::max(most, 2047 * difference);
  }
  EXPECT_NEAR(ratio, 0.0030, 0.00005001);
  EXPECT_NEAR(most, 3.3, 0.05001);
}

std::int64_t bucket(const Convention& convention, std::int64_t query, std::int64_t key) {
  std::int64_t found = 0;
  buckets(convention, Positions::at(query), Positions::at(key), view(&found, {1, 1}));
  return found;
}

TEST(Traps, T5sAndDebertasSignsExchangeBothSides) {
  const Convention swapped = with_field(named("t5-bucket"), "classes.sign", "query_minus_key");
  EXPECT_EQ(bucket(named("t5-bucket"), 100, 140), 28);
  EXPECT_EQ(bucket(named("t5-bucket"), 140, 100), 12);
  EXPECT_EQ(bucket(swapped, 100, 140), 12);
  EXPECT_EQ(bucket(swapped, 140, 100), 28);
}

TEST(Traps, SwinV2TunedAtAnotherWindowKeepsTheSidesOfTheOldOne) {
  const auto at_24 = [](const Convention& convention) {
    std::vector<double> out(47 * 47 * 2);
    log_coordinates(convention, view(out.data(), {47, 47, 2}));
    return out;
  };
  const Convention tuned = with_field(named("swinv2-cpb"), "coordinates.pretrained", "12,12");
  expect_near(largest(at_24(named("swinv2-cpb")), at_24(tuned)), 0.326);
}

}  // namespace
}  // namespace posenc
