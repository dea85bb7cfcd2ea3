// SPDX-License-Identifier: Apache-2.0
// RowNumbers of stored tables: offsets, ends, several axes, batches, what is refused.
#include <gtest/gtest.h>
#include <posenc/learned.h>
#include <posenc/numbering.h>
#include <posenc/places.h>
#include <posenc/preset.h>

#include <algorithm>

#include "tests/encodings/field.h"
#include "tests/encodings/named.h"
#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::Field;
using test::said;
using RowNumbers = std::vector<std::int64_t>;

RowNumbers rows_at(const Convention& convention, const RowNumbers& positions) {
  RowNumbers out(positions.size());
  learned_rows(convention, Positions::list(view(positions.data(), {std::ssize(positions)})),
               view(out.data(), {std::ssize(out)}));
  return out;
}

std::string refused_rows(const Convention& convention, const RowNumbers& positions) {
  RowNumbers out(positions.size());
  const Positions list = Positions::list(view(positions.data(), {std::ssize(positions)}));
  return said(check_learned_rows(convention, std::span(&list, 1), view(out.data(), {std::ssize(out)})));
}

TEST(LearnedRows, ArePositionsAndAnOffset) {
  EXPECT_EQ(rows_at(test::named("learned"), {0, 5, 511}), (RowNumbers{0, 5, 511}));
  EXPECT_EQ(rows_at(test::named("learned-offset2"), {0, 5, 511}), (RowNumbers{2, 7, 513}));
}

TEST(LearnedRows, PastTheEndAreWhatTheConventionSays) {
  const Convention ten = with_fields(test::named("learned"), {{"rows", 10}, {"offset", 1}});
  EXPECT_EQ(rows_at(ten, {0, 8}), (RowNumbers{1, 9}));
  EXPECT_EQ(refused_rows(ten, {0, 8, 9}), "[learned_rows] rows must be in the table, got position 9 at [2]");
  EXPECT_EQ(rows_at(with_field(ten, "past_end", "clamp"), {8, 9, 1000}), (RowNumbers{9, 9, 9}));
  EXPECT_EQ(rows_at(with_field(ten, "past_end", "zeros"), {8, 9, 1000}), (RowNumbers{9, no_row, no_row}));
  EXPECT_EQ(rows_at(with_field(ten, "past_end", "wrap"), {8, 9, 1000, -1, -2, -12}), (RowNumbers{9, 0, 1, 0, 9, 9}));
}

TEST(LearnedRows, OfAbsentPositionsAreThoseOfTheirNumbers) {
  const RowNumbers mask = {0, 0, 1, 1, 1, 0};
  RowNumbers positions(6), out(6);
  positions_of_mask(view(mask.data(), {1, 6}), {0, -1}, view(positions.data(), {1, 6}));
  learned_rows(test::named("opt"), Positions::list(view(positions.data(), {1, 6})), view(out.data(), {1, 6}));
  EXPECT_EQ(out, (RowNumbers{1, 1, 2, 3, 4, 1}));
}

TEST(LearnedRows, OfSeveralAxesAreARowOfEachTableOrOneOfAll) {
  const Positions cells[] = {Positions::range(3, 4), Positions::range(0, 4)};
  RowNumbers each(8), one(4);
  learned_rows(test::named("detr-learned"), cells, view(each.data(), {4, 2}));
  EXPECT_EQ(each, (RowNumbers{3, 0, 4, 1, 5, 2, 6, 3}));
  learned_rows(test::named("idefics2-patch"), cells, view(one.data(), {4}));
  EXPECT_EQ(one, (RowNumbers{210, 281, 352, 423}));
  const Convention uneven = with_fields(test::named("detr-learned"), {{"rows", "7,3"}, {"past_end", "clamp"}});
  learned_rows(uneven, cells, view(each.data(), {4, 2}));
  EXPECT_EQ(each, (RowNumbers{3, 0, 4, 1, 5, 2, 6, 2}));
}

// RowNumbers of the cells of a line of n, at the places that the preset states.
RowNumbers cells_of_a_line(const Preset& of, std::int64_t n) {
  const std::vector<std::int64_t> extents = {1, n};
  std::vector<double> y(static_cast<std::size_t>(n), 0.0), x(y);
  place_coordinates(*of.places, extents, 1, view(x.data(), {n}));
  const Positions cells[] = {Positions::list(view(y.data(), {n})), Positions::list(view(x.data(), {n}))};
  RowNumbers rows(y.size());
  learned_rows(of.convention, cells, view(rows.data(), {n}));
  return rows;
}

// The original's arithmetic, in f32: i RN(1 / n), at most 1 - 1e-6, and how many boundaries RN(j / 70) are not above.
std::int64_t bucket_of_original(std::int64_t i, std::int64_t n) {
  const float fraction = std::min(static_cast<float>(i) * (1.0f / static_cast<float>(n)), 1.0f - 1e-6f);
  std::int64_t bucket = 0;
  for (int j = 1; j < 70; ++j) bucket += static_cast<float>(j / 70.0) <= fraction ? 1 : 0;
  return bucket;
}

TEST(LearnedRows, OfPatchesOfAnyImageAreSharesOfTheTable) {
  const Preset& idefics = preset("idefics2-patch");
  std::vector<std::int64_t> differ;  // n of a cell that the original has one row or column before
  for (std::int64_t n = 1; n <= 70; ++n) {
    const RowNumbers rows = cells_of_a_line(idefics, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)];
      EXPECT_EQ(row, 70 * i / n) << i << " of " << n;
      if (bucket_of_original(i, n) == row) continue;
      EXPECT_EQ(bucket_of_original(i, n), row - 1) << i << " of " << n;
      EXPECT_EQ(70 * i % n, 0) << i << " of " << n;
      differ.push_back(n);
    }
  }
  EXPECT_EQ(differ.size(), 18u);  // as the note says
  differ.erase(std::ranges::unique(differ).begin(), differ.end());
  EXPECT_EQ(differ, (RowNumbers{25, 49, 50, 55}));
}

TEST(LearnedRows, AreWrittenIntoAnyMemoryAndBothTypes) {
  const std::vector<std::int32_t> positions = {0, 3, 1, 7, 7, 2};
  const Positions batch = Positions::list(view(positions.data(), {2, 3}));
  const Positions both[] = {batch, batch};
  for (const test::Memory memory : test::memories) {
    Field<std::int32_t> plain({2, 3}, memory);
    learned_rows(test::named("learned-offset2"), batch, plain.view());
    EXPECT_EQ(plain.values(), (std::vector<std::int32_t>{2, 5, 3, 9, 9, 4}));
    Field<std::int64_t> tables({2, 3, 2}, memory);
    learned_rows(test::named("detr-learned"), both, tables.view());
    EXPECT_EQ(tables.values(), (RowNumbers{0, 0, 3, 3, 1, 1, 7, 7, 7, 7, 2, 2}));
    EXPECT_TRUE(plain.rest_is_untouched() && tables.rest_is_untouched());
  }
}

TEST(LearnedRows, AreTheSameUnderAnyExecutor) {
  constexpr std::int64_t length = 25000;
  const Positions cells[] = {Positions::range(7, length), Positions::range(-3, length)};
  const Convention any = with_fields(test::named("detr-learned"), {{"rows", "11,6"}, {"past_end", "wrap"}});
  RowNumbers expected;
  for (std::int64_t t = 0; t < length; ++t) expected.insert(expected.end(), {(7 + t) % 11, (t + 3) % 6});
  for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
    RowNumbers out(2 * length, -7);
    learned_rows(any, cells, view(out.data(), {length, 2}), {.executor = executor});
    EXPECT_EQ(out, expected);
  }
}

TEST(LearnedRows, AreRefusedByTheFirstPlaceThatIsWrong) {
  RowNumbers positions(60000, 511), out(positions.size(), -7);
  positions[20001] = 512, positions[20002] = -1, positions[59999] = 600;
  const Positions lists = Positions::list(view(positions.data(), {3, 20000}));
  for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
    EXPECT_EQ(said(check_learned_rows(with_field(test::named("learned"), "rows", 512.0), std::span(&lists, 1),
                                      view(out.data(), {3, 20000}), {.executor = executor})),
              "[learned_rows] rows must be in the table, got position 512 at [1, 1]");
  }
}

TEST(LearnedRows, AreRefusedByWhatIsWrong) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refused_rows(test::named("t5-bucket"), {0}),
            "[learned_rows] the convention must be learned: rows of a stored table, got buckets");
  EXPECT_EQ(refused_rows(test::named("learned"), {4, -1}),
            "[learned_rows] rows must be 0 or more, got position -1 at [1]");
  EXPECT_EQ(refused_rows(test::named("learned-offset2"), {most}),
            "[learned_rows] rows must be int64, got position " + std::to_string(most) + " at [0]");
  EXPECT_EQ(refused_rows(with_field(test::named("learned"), "past_end", "clamp"), {0}),
            "[learned_rows] rows must be stated where past_end is no error, got none");
  EXPECT_EQ(refused_rows(test::named("detr-learned"), {0}),
            "[learned_rows] there must be a list of positions for each of 2 axes, got 1");
  const Positions cells[] = {Positions::range(0, 4), Positions::range(67, 4)};
  RowNumbers out(8);
  EXPECT_EQ(said(check_learned_rows(test::named("idefics2-patch"), cells, view(out.data(), {4}))),
            "[learned_rows] second coordinates must be within the columns, got position [3, 70] at [3]");
  EXPECT_EQ(said(check_learned_rows(test::named("detr-learned"), cells, view(out.data(), {8}))),
            "[learned_rows] out must have the shape of the positions and a last axis of 2 tables, got [8]");
  const Positions unlike[] = {Positions::range(0, 4), Positions::range(0, 3)};
  EXPECT_EQ(said(check_learned_rows(test::named("detr-learned"), unlike, view(out.data(), {4, 2}))),
            "[learned_rows] the lists of all axes must have one shape, got 3");
  const Positions half = Positions::range(0.5, 1);
  EXPECT_EQ(said(check_learned_rows(test::named("learned"), std::span(&half, 1), view(out.data(), {1}))),
            "[learned_rows] positions must be integers, got another at [0]");
  EXPECT_EQ(check_learned_rows(test::named("learned"), half, view(out.data(), {1})),
            check_learned_rows(test::named("learned"), std::span(&half, 1), view(out.data(), {1})));
  std::int32_t narrow = 0;
  const Positions far = Positions::at(std::int64_t{1} << 40);
  EXPECT_EQ(said(check_learned_rows(test::named("learned"), std::span(&far, 1), view(&narrow, {1}))),
            "[learned_rows] out must be i64 for rows beyond int32, got 1099511627776 at [0]");
  EXPECT_EQ(test::thrown([&] { learned_rows(test::named("learned"), half, view(out.data(), {1})); }),
            said(check_learned_rows(test::named("learned"), std::span(&half, 1), view(out.data(), {1}))));
}

}  // namespace
}  // namespace posenc
