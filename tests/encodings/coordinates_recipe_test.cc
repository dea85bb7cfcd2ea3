// SPDX-License-Identifier: Apache-2.0
// Rows at coordinates under recipes, against the steps of the originals in plain f32 and f64.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rows.h>

#include <cmath>

namespace posenc {
namespace {

constexpr double pi = 3.141592653589793;

float sine(float angle) { return static_cast<float>(std::sin(static_cast<double>(angle))); }
float cosine(float angle) { return static_cast<float>(std::cos(static_cast<double>(angle))); }

// The row of one place.
std::vector<float> row_at(const Convention& convention, std::int64_t width, const Recipe& recipe,
                          const std::vector<double>& place) {
  const Rows rows(convention, width, {.recipe = recipe});
  std::vector<Positions> lists;
  for (const double x : place) lists.push_back(Positions::at(x));
  std::vector<float> out(static_cast<std::size_t>(rows.width()));
  rows.write(lists, view(out.data(), {1, rows.width()}));
  return out;
}
std::vector<float> row_of(std::string_view name, std::int64_t width, const std::vector<double>& place) {
  return row_at(preset(name).convention, width, preset(name).original, place);
}

TEST(RecipesOfCoordinates, AddTheProductsOfAxesBeforeTheUnit) {
  Waves waves = std::get<Waves>(preset("sam-gaussian").convention);
  const std::vector<double> of_x = {0.3, -1.7, 0.011}, of_y = {2.9, 0.63, -0.77};
  Listed x(of_x), y(of_y);
  x.unit = y.unit = AngleUnit::turns;
  waves.ladders = {x, y};
  for (const auto& [u, v] : {std::pair{0.1, -0.7}, {0.0, 0.0}, {-0.999, 0.333}}) {
    std::vector<float> sines, cosines;
    for (std::size_t k = 0; k < of_x.size(); ++k) {
      const float left = static_cast<float>(u) * static_cast<float>(of_x[k]);
      const float right = static_cast<float>(v) * static_cast<float>(of_y[k]);
      const float angle = static_cast<float>(2 * pi) * (left + right);
      sines.push_back(sine(angle)), cosines.push_back(cosine(angle));
    }
    sines.insert(sines.end(), cosines.begin(), cosines.end());
    EXPECT_EQ(row_at(waves, 6, preset("sam-gaussian").original, {u, v}), sines) << u;
  }
}

TEST(RecipesOfCoordinates, AddProductsThatAreNotRoundedWhereSumsAreFused) {
  Waves waves = std::get<Waves>(preset("sam-gaussian").convention);
  const std::vector<double> of_x = {0.3, -1.7, 0.011, 5.3}, of_y = {2.9, 0.63, -0.77, 0.1};
  waves.ladders = {Listed(of_x), Listed(of_y)};
  int other = 0;
  for (const auto& [u, v] : {std::pair{0.1, -0.7}, {0.0, 0.0}, {-0.999, 0.333}, {77.7, 1234.5}}) {
    std::vector<float> sines, cosines;
    for (std::size_t k = 0; k < of_x.size(); ++k) {
      const float left = static_cast<float>(u) * static_cast<float>(of_x[k]);
      // The product of two f32 is exact in f64, and a long double has bits to spare for these sums.
      const double right =
          static_cast<double>(static_cast<float>(v)) * static_cast<double>(static_cast<float>(of_y[k]));
      const auto angle = static_cast<float>(static_cast<long double>(left) + static_cast<long double>(right));
      sines.push_back(sine(angle)), cosines.push_back(cosine(angle));
      other += angle != left + static_cast<float>(right);
    }
    sines.insert(sines.end(), cosines.begin(), cosines.end());
    EXPECT_EQ(row_at(waves, 8, recipe("f32-reciprocal-fused"), {u, v}), sines) << u;
  }
  EXPECT_GE(other, 2);  // angles that rounded products change
}

TEST(RecipesOfCoordinates, AddPhasesBeforeAUnitAtTheAngle) {
  const float w[] = {0.5f, -1.25f, 0.8125f, 2}, b[] = {0.125f, -0.75f, 0.3125f, 1.5f};
  for (const double t : {0.0, 0.1, -7.3, 1234.567}) {
    const auto at = static_cast<float>(t);
    std::vector<float> turned, plain = {at}, in_ladder;
    for (std::size_t k = 0; k < 4; ++k) {
      turned.push_back(cosine(static_cast<float>(2 * pi) * (at * w[k] + b[k])));
      plain.push_back(sine(at * w[k] + b[k]));
      in_ladder.push_back(cosine(at * (static_cast<float>(2 * pi) * w[k]) + static_cast<float>(2 * pi) * b[k]));
    }
    EXPECT_EQ(row_of("esmfold2-fourier", 8, {t}), turned) << t;
    EXPECT_EQ(row_of("time2vec", 9, {t}), plain) << t;
    EXPECT_EQ(row_at(preset("esmfold2-fourier").convention, 8, recipe("f32-reciprocal"), {t}), in_ladder) << t;
  }
}

TEST(RecipesOfCoordinates, KeepTheCoordinatesThatStandBeforeTheWaves) {
  const double place[] = {0.1, -0.7, 0.3333333333333333};
  std::vector<float> wanted;
  for (const double x : place) wanted.push_back(static_cast<float>(x));
  for (const float w : {1.0f, 2.0f, 4.0f}) {
    for (const double x : place) wanted.push_back(sine(static_cast<float>(x) * w));
    for (const double x : place) wanted.push_back(cosine(static_cast<float>(x) * w));
  }
  EXPECT_EQ(row_of("nerf", 21, {place[0], place[1], place[2]}), wanted);
}

TEST(RecipesOfCoordinates, PutTheUnitWhereTheOriginalHasIt) {
  const double y = 0.3, x = -0.9;
  std::vector<float> anchors;
  for (const double each : {y, x}) {
    const float turned = static_cast<float>(each) * static_cast<float>(2 * pi);
    for (const float divisor : {1.0f, static_cast<float>(std::sqrt(20.0))}) {
      anchors.push_back(sine(turned / divisor)), anchors.push_back(cosine(turned / divisor));
    }
  }
  EXPECT_EQ(row_of("dab-detr-image", 8, {y, x}), anchors);
  std::vector<float> features = {static_cast<float>(y), static_cast<float>(x)}, cosines;
  for (const double each : {y, x}) {
    for (const float band : {1.0f, 112.0f}) {
      const float angle = static_cast<float>(pi) * (static_cast<float>(each) * band);
      features.push_back(sine(angle)), cosines.push_back(cosine(angle));
    }
  }
  features.insert(features.end(), cosines.begin(), cosines.end());
  EXPECT_EQ(row_of("perceiver-fourier", 10, {y, x}), features);
}

TEST(RecipesOfCoordinates, OfLaddersThatRunAwayAndOfOneByColumn) {
  const double p = 77;
  std::vector<float> away, cosines, columns;
  for (int k = 0; k < 4; ++k) {
    const double angle = p * (std::exp(static_cast<double>(k)) * -(std::log(10000.0) / 3));
    away.push_back(static_cast<float>(std::sin(angle))), cosines.push_back(static_cast<float>(std::cos(angle)));
  }
  away.insert(away.end(), cosines.begin(), cosines.end());
  EXPECT_EQ(row_of("paddle-fluid-bug", 8, {p}), away);
  for (int c = 0; c < 6; ++c) {
    const double angle = p / std::pow(10000.0, 2.0 * c / 6);
    columns.push_back(static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
  }
  EXPECT_EQ(row_of("double-exponent-legacy", 6, {p}), columns);
}

}  // namespace
}  // namespace posenc
