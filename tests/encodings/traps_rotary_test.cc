// SPDX-License-Identifier: Apache-2.0
// Traps of rotations, as in traps_test.cc: pairs that look alike, and by how much they differ.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include <algorithm>
#include <cmath>

namespace posenc {
namespace {

Convention with_angles(std::string_view name) { return with_field(preset(name).convention, "stored", "angles_twice"); }

std::vector<double> frequencies_at(const Convention& convention, std::int64_t head, std::int64_t length = 0) {
  return RotaryCache(convention, head, {.context = {.length = length, .centre = {}, .learned = {}}}).frequencies();
}

// The angles of places, rows of two for each pair: one list of coordinates for each axis.
std::vector<double> angles_at(const Convention& convention, std::int64_t head,
                              const std::vector<std::vector<double>>& coordinates) {
  const RotaryCache cache(convention, head);
  const std::int64_t places = std::ssize(coordinates[0]);
  std::vector<Positions> lists;
  for (const std::vector<double>& list : coordinates) lists.push_back(Positions::list(view(list.data(), {places})));
  std::vector<double> angles(static_cast<std::size_t>(places * cache.width()));
  cache.write("angles", lists, view(angles.data(), {places, cache.width()}));
  return angles;
}

struct Unlike {
  double most = 0;
  std::int64_t pairs = 0;  // that differ anywhere
};

// At the corners of an image, where what is linear in y and x is largest; axis t, if there is one, stands at 0.
Unlike over_patches(const Convention& a, const Convention& b, std::int64_t head, double side) {
  const double last = side - 1;
  std::vector<std::vector<double>> places = {{0, 0, last, last}, {0, last, 0, last}};
  if (std::get<Rotary>(a).axes.size() == 3) places.insert(places.begin(), {0, 0, 0, 0});
  const std::vector<double> one = angles_at(a, head, places), other = angles_at(b, head, places);
  std::vector<bool> differ(static_cast<std::size_t>(head / 2));
  Unlike found;
  for (std::size_t i = 0; i < one.size(); ++i) {
    found.most = std::max(found.most, std::abs(one[i] - other[i]));
    if (one[i] != other[i]) differ[i % differ.size()] = true;
  }
  found.pairs = std::ranges::count(differ, true);
  return found;
}

TEST(Traps, DynamicNtkIsAnotherRotationAtEveryLength) {
  const Convention dynamic = with_angles("rope-dynamic");
  const double w = frequencies_at(dynamic, 128, 4096).back();
  EXPECT_NEAR(w / frequencies_at(dynamic, 128, 16384).back(), 13, 1e-12);
  const Convention plain = with_angles("rope-half");
  const Convention ntk = with_fields(plain, {{"ladder.scaling", "ntk"}, {"ladder.scaling.factor", 4}});
  EXPECT_NEAR(w / frequencies_at(ntk, 128).back(), 4, 1e-12);
  EXPECT_NEAR(w / frequencies_at(with_field(plain, "ladder.base", 40000), 128).back(), 3.91, 0.005001);
}

TEST(Traps, LongRopesMagnitudeIsOfItsFactor) {
  const Convention table = with_field(preset("rope-longrope").convention, "stored", "sine_cosine");
  const RotaryCache cache(table, 96, {.context = {.length = 4096, .centre = {}, .learned = {}}});
  std::vector<double> row(96);
  cache.write("sin_cos", Positions::at(0), view(row.data(), {1, 96}));
  EXPECT_NEAR(row.back(), 1.1902, 0.00005001);
  EXPECT_NEAR(row.back() * row.back(), 1.4167, 0.00005001);
  const std::vector<double> brief = frequencies_at(table, 96, 4096), extended = frequencies_at(table, 96, 4097);
  for (std::size_t k = 0; k < brief.size(); ++k) EXPECT_NE(brief[k], extended[k]) << k;
}

// [16, 24, 24] pairs of t, y and x; images differ, text does not.
TEST(Traps, MropeInChunksAndByTurns) {
  const Convention chunks = with_angles("mrope-chunk");
  const Convention turns =
      with_fields(with_angles("mrope-interleaved"), {{"ladder.base", 1e6}, {"deal.0.pairs", 63}, {"deal.1.pairs", 1}});
  EXPECT_EQ(angles_at(chunks, 128, {{5}, {5}, {5}}), angles_at(turns, 128, {{5}, {5}, {5}}));
  const Unlike found = over_patches(chunks, turns, 128, 16);
  EXPECT_EQ(found.pairs, 42);
  EXPECT_NEAR(found.most, 12.1, 0.05001);
}

TEST(Traps, PixtralDealsOneLadderAndQwenHasOneForEachAxis) {
  const Unlike found = over_patches(with_angles("rope2d-pixtral"), with_angles("rope2d-qwen-vision"), 64, 14);
  EXPECT_NEAR(found.most, 3.25, 0.005001);
}

// The norm of a pair of a key of ones at position 0, and of a query, which decays the other way.
double norm_of(const Convention& convention, double centre, RotatedSide side) {
  std::vector<float> head(128, 1.0F);
  const Rotated one[] = {{view(head.data(), {1, 128}), side}};
  const Positions at[] = {Positions::at(0)};
  RotaryRows(convention, 128, {.context = {.length = 0, .centre = centre, .learned = {}}}).rotate(at, one);
  return std::hypot(head[0], head[1]);
}

TEST(Traps, XPosCountsFromTheMiddleOfACallOrOfItsCache) {
  const Convention& xpos = preset("xpos-lucid").convention;
  const double keys = norm_of(xpos, 32, RotatedSide::key) / norm_of(xpos, 1024, RotatedSide::key);
  EXPECT_NEAR(std::max(keys, 1 / keys), 11.3, 0.05001);
  EXPECT_NEAR(keys * norm_of(xpos, 32, RotatedSide::query) / norm_of(xpos, 1024, RotatedSide::query), 1, 1e-6);
}

TEST(Traps, VJepa2sPairsHaveTwoAnglesAndOtherNorms) {
  const Convention tiled = preset("vjepa2").convention, turned = with_field(tiled, "angles", "by_pair");
  const auto norm = [](const Convention& convention) {
    std::vector<float> head(64, 1.0F);
    const Rotated one[] = {{view(head.data(), {1, 64}), RotatedSide::query}};
    const Positions at[] = {Positions::at(3), Positions::at(2), Positions::at(1)};
    RotaryRows(convention, 64).rotate(at, one);
    double squares = 0;
    for (const float x : head) squares += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(squares);
  };
  EXPECT_NEAR(norm(turned), 8, 1e-5);
  EXPECT_GT(std::abs(norm(tiled) - 8), 0.1);
}

}  // namespace
}  // namespace posenc
