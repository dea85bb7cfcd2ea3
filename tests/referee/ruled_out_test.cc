// SPDX-License-Identifier: Apache-2.0
// What an identification rules out: the rows of presets that are nearest to what was found, and where they part. The
// oracle is the tables themselves, written by the public calls.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/referee/identify.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>

namespace posenc {
namespace {

std::vector<float> sinusoid_rows(std::string_view name, std::int64_t rows, std::int64_t width, std::int64_t first = 0) {
  std::vector<float> all(static_cast<std::size_t>(rows * width));
  sinusoid(preset(name).convention, Positions::range(first, rows), view(all.data(), {rows, width}));
  return all;
}
void through_bf16(std::vector<float>& rows) {
  for (float& x : rows) x = static_cast<float>(bfloat16(x));
}

const RuledOut* row_of(const Identification& found, std::string_view name) {
  const auto at = std::ranges::find(found.ruled_out, name, &RuledOut::preset);
  return at == found.ruled_out.end() ? nullptr : &*at;
}

// The places in front at which all entries of two tables lie within `off`.
std::int64_t equal_places(const std::vector<float>& a, const std::vector<float>& b, std::int64_t width, float off) {
  std::size_t at = 0;
  while (at < a.size() && std::abs(a[at] - b[at]) <= off) ++at;
  return static_cast<std::int64_t>(at) / width;
}

TEST(RuledOut, TheEndPointOfALadder) {
  const std::vector<float> rows = sinusoid_rows("transformer", 100, 64),
                           others = sinusoid_rows("tensor2tensor", 100, 64);
  const Identification found = identify(view(rows.data(), {100, 64}));
  ASSERT_FALSE(found.candidates.empty());
  ASSERT_FALSE(found.ruled_out.empty());
  EXPECT_LE(found.ruled_out.size(), 3u);
  for (const RuledOut& each : found.ruled_out) {
    ASSERT_EQ(each.place.size(), 2u) << each.preset;
    EXPECT_EQ(each.place[0], each.equal_places) << each.preset;
    EXPECT_GT(each.difference, 0) << each.preset;
    EXPECT_FALSE(each.differences.empty()) << each.preset;
    for (const Candidate& candidate : found.candidates) {
      EXPECT_EQ(std::ranges::find(candidate.presets, each.preset), candidate.presets.end()) << each.preset;
    }
  }
}

// The row that the entries rule out parts from them where its own table does, in f32 and in bf16.
TEST(RuledOut, PartsWhereItsTableDoes) {
  for (const bool narrow : {false, true}) {
    std::vector<float> rows = sinusoid_rows("mae-1d", 200, 256);
    if (narrow) through_bf16(rows);
    const Identification found = identify(view(std::as_const(rows).data(), {200, 256}));
    ASSERT_FALSE(found.ruled_out.empty());
    for (const RuledOut& each : found.ruled_out) {
      if (check_sinusoid(preset(each.preset).convention, Positions::range(0, 200), view(rows.data(), {200, 256})))
        continue;
      const std::vector<float> others = sinusoid_rows(each.preset, 200, 256);
      const auto at = static_cast<std::size_t>(each.place[0] * 256 + each.place[1]);
      const float off = narrow ? 0x1p-7f : 0x1p-19f;
      EXPECT_NEAR(std::abs(rows[at] - others[at]), each.difference, static_cast<double>(off)) << each.preset;
      EXPECT_GE(each.equal_places, equal_places(rows, others, 256, 0)) << each.preset;
      EXPECT_LE(each.equal_places, equal_places(rows, others, 256, narrow ? 0x1p-5f : 0x1p-13f)) << each.preset;
    }
  }
}

// The first row cannot tell 2k / d from k / (n - 1).
TEST(RuledOut, CountsTheRowsThatCannotTell) {
  std::vector<float> rows = sinusoid_rows("whisper", 400, 1024), others = sinusoid_rows("mae-1d", 400, 1024);
  through_bf16(rows), through_bf16(others);
  const Identification found = identify(view(std::as_const(rows).data(), {400, 1024}));
  const RuledOut* other = row_of(found, "mae-1d");
  ASSERT_NE(other, nullptr) << to_string(found);
  EXPECT_GE(other->equal_places, 1);  // small angles keep their digits in bf16
  EXPECT_TRUE(std::ranges::any_of(other->differences, [](const std::string& each) {
    return each.find("spacing") != each.npos;
  })) << to_string(found);
  const std::string last = std::to_string(other->equal_places - 1);
  const std::string words = "mae-1d: " + (last == "0" ? "row 0" : "rows 0 to " + last) + " cannot tell it, row " +
                            std::to_string(other->place[0]) + ", column " + std::to_string(other->place[1]) +
                            " does, by ";
  EXPECT_NE(to_string(found).find(words), std::string::npos) << to_string(found);
}

TEST(RuledOut, OfARotation) {
  const RotaryCache cache(with_field(preset("rope-llama3").convention, "stored", "halves_twice"), 128);
  std::vector<float> rows(64 * 128);
  cache.write("cos", Positions::range(0, 64), view(rows.data(), {64, 128}));
  const Identification found = identify(view(std::as_const(rows).data(), {64, 128}));
  ASSERT_FALSE(found.ruled_out.empty());
  for (const RuledOut& each : found.ruled_out) EXPECT_EQ(each.place[0], each.equal_places);
}

// Rows beside this one number their axes in another order, along extents of other lengths.
TEST(RuledOut, OfCellsWhoseScaleIsFitted) {
  const Preset& row = preset("timm-fourier-octaves");
  std::vector<float> cells(15 * 18 * 8);
  Rows(row.convention, 8, {.recipe = row.original}).write_cells(view(cells.data(), {15, 18, 8}), *row.places);
  for (float& x : cells) x *= std::sqrt(8.0F);
  through_bf16(cells);
  const Identification found = identify(view(std::as_const(cells).data(), {15 * 18, 8}));
  ASSERT_FALSE(found.candidates.empty()) << found.kind;
  EXPECT_EQ(found.candidates[0].presets[0], row.name);
}

TEST(RuledOut, OfFrequencies) {
  std::vector<float> list;
  for (int k = 0; k < 32; ++k) list.push_back(static_cast<float>(std::pow(10000.0, -k / 32.0)));
  const Identification found = identify(view(std::as_const(list).data(), {32}));
  ASSERT_FALSE(found.ruled_out.empty()) << to_string(found);
  for (const RuledOut& each : found.ruled_out) EXPECT_EQ(each.equal_places, 0);
}

TEST(RuledOut, AnotherBaseRulesOutTheRowsOwn) {
  const Convention convention = with_field(preset("whisper").convention, "ladder.base", 12345.5);
  std::vector<float> rows(200 * 64);
  sinusoid(convention, Positions::range(0, 200), view(rows.data(), {200, 64}));
  const Identification found = identify(view(std::as_const(rows).data(), {200, 64}));
  ASSERT_FALSE(found.candidates.empty());
  const RuledOut* own = row_of(found, found.candidates[0].presets[0]);
  EXPECT_TRUE(own != nullptr || !found.ruled_out.empty()) << to_string(found);
}

TEST(RuledOut, NothingIsRuledOutOfWhatIsNotIdentified) {
  const std::vector<float> zeros(64 * 32);
  EXPECT_TRUE(identify(view(zeros.data(), {64, 32})).ruled_out.empty());
}

}  // namespace
}  // namespace posenc
