// SPDX-License-Identifier: Apache-2.0
// Rows that stand again along axes of batches and heads are one table; what is no table stays none.
#include <gtest/gtest.h>
#include <posenc/referee/diagnose.h>
#include <posenc/referee/identify.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <limits>

namespace posenc {
namespace {

constexpr std::int64_t row_count = 24, row_width = 32;

std::vector<float> some_rows() {
  std::vector<float> all(static_cast<std::size_t>(row_count * row_width));
  sinusoid(preset("transformer").convention, Positions::range(3, row_count), view(all.data(), {row_count, row_width}));
  return all;
}

// [before, row_count, between, row_width].
std::vector<float> repeated_rows(std::int64_t before, std::int64_t between) {
  const std::vector<float> one = some_rows();
  std::vector<float> all;
  for (std::int64_t b = 0; b < before; ++b) {
    for (std::int64_t i = 0; i < row_count; ++i) {
      for (std::int64_t h = 0; h < between; ++h)
        all.insert(all.end(), &one[i * row_width], &one[i * row_width] + row_width);
    }
  }
  return all;
}

bool names_row(const Identification& found, std::string_view preset) {
  return std::ranges::any_of(found.candidates, [&](const Candidate& each) {
    return std::ranges::find(each.presets, preset) != each.presets.end();
  });
}

TEST(Copies, AlongBatchesAndHeadsAreCounted) {
  for (const auto& [before, between] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 1}, {1, 3}, {2, 3}, {5, 1}}) {
    const std::vector<float> all = repeated_rows(before, between);
    const ConstView tensor = view(all.data(), {before, row_count, between, row_width});
    const Identification found = identify(tensor);
    ASSERT_TRUE(names_row(found, "transformer")) << before << " " << between << to_string(found);
    for (const Candidate& each : found.candidates) {
      EXPECT_EQ(each.copies, before * between);
      EXPECT_EQ(each.places[0].first, 3);
      EXPECT_EQ(each.exact.entries, row_count * row_width) << "one of them is compared";
    }
    EXPECT_TRUE(diagnose(tensor, preset("transformer").convention,
                         {.identify = {.positions = {Positions::range(3, row_count)}}})
                    .right);
    EXPECT_FALSE(diagnose(tensor, preset("whisper").convention).right);
  }
}

// Strides of 0, as broadcasting makes them.
TEST(Copies, ThatShareTheirElements) {
  const std::vector<float> one = some_rows();
  ConstView tensor = view(one.data(), {row_count, row_width});
  tensor.rank = 3, tensor.shape = {7, row_count, row_width}, tensor.strides = {0, row_width, 1};
  const Identification found = identify(tensor);
  ASSERT_TRUE(names_row(found, "transformer"));
  EXPECT_EQ(found.candidates[0].copies, 7);
}

TEST(Copies, ButForOneEntryAreToldWithThatEntry) {
  std::vector<float> all = repeated_rows(2, 1);
  all[static_cast<std::size_t>((row_count + 20) * row_width + 5)] += 0.5F;
  const ConstView tensor = view(std::as_const(all).data(), {2, row_count, row_width});
  const Identification found = identify(tensor);
  EXPECT_TRUE(found.candidates.empty());
  EXPECT_NE(found.kind.find("axis 0 repeats its first slice but for 1 entry: [1, 20, 5] is "), std::string::npos)
      << found.kind;
  ASSERT_TRUE(found.nearest.has_value());
  EXPECT_EQ(found.nearest->presets[0], "transformer");
  const Diagnosis diagnosis =
      diagnose(tensor, preset("transformer").convention, {.identify = {.positions = {Positions::range(3, row_count)}}});
  EXPECT_FALSE(diagnosis.right);
  EXPECT_NE(to_string(diagnosis).find("axis 0 repeats its first slice"), std::string::npos) << to_string(diagnosis);
}

// Rows of equal positions are what a caller may have asked for.
TEST(Copies, AreRowsWherePositionsSaySo) {
  const std::vector<float> one = some_rows();
  std::vector<float> all;
  for (int i = 0; i < 6; ++i) all.insert(all.end(), &one[2 * row_width], &one[2 * row_width] + row_width);
  const std::vector<double> positions(6, 5.0);
  const Identification found = identify(view(std::as_const(all).data(), {6, row_width}),
                                        {.positions = {Positions::list(view(positions.data(), {6}))}});
  ASSERT_TRUE(names_row(found, "transformer"));
  EXPECT_EQ(found.candidates[0].copies, 1);
  EXPECT_EQ(found.candidates[0].extents, std::vector<std::int64_t>{6});
}

// Position ids of a batch as floats, the row of position 0, a mask.
TEST(Copies, OfNumbersThatSayNothingAreNotNamed) {
  for (const std::int64_t count : {1, 2, 3, 8}) {
    std::vector<float> ids, first, mask;
    for (std::int64_t b = 0; b < count; ++b) {
      for (std::int64_t i = 0; i < 64; ++i) {
        ids.push_back(static_cast<float>(i)), first.push_back(static_cast<float>(i % 2));
        mask.push_back(i < 40 ? 0 : -std::numeric_limits<float>::infinity());
      }
    }
    for (const std::vector<float>* each : {&ids, &first, &mask}) {
      const Identification found = identify(view(std::as_const(*each).data(), {count, 64}));
      EXPECT_TRUE(found.candidates.empty()) << count << "\n" << to_string(found);
      EXPECT_FALSE(found.kind.empty());
    }
  }
}

}  // namespace
}  // namespace posenc
