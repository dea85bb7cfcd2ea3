// SPDX-License-Identifier: Apache-2.0
// Numbering: positions of padded and packed batches, whole and in pieces.
#include <gtest/gtest.h>
#include <posenc/numbering.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <random>

#include "tests/encodings/field.h"
#include "tests/encodings/int64_ends.h"
#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::highest;
using test::said;
using Numbers = std::vector<std::int64_t>;

constexpr Numbering fairseq = {2, 1}, opt = {0, -1}, generation = {0, 1};

Numbers of_mask(const std::vector<std::int32_t>& mask, const Numbering& numbering, std::int64_t before = 0) {
  Numbers out(mask.size());
  const auto length = std::ssize(mask);
  positions_of_mask(view(mask.data(), {length}), numbering, view(&before, {}), view(out.data(), {length}));
  return out;
}

TEST(PositionsOfMask, CountThePresentPlacesWhereverTheAbsentOnesStand) {
  EXPECT_EQ(of_mask({1, 1, 1, 0, 0}, fairseq), (Numbers{2, 3, 4, 1, 1}));
  EXPECT_EQ(of_mask({0, 0, 1, 1, 1}, fairseq), (Numbers{1, 1, 2, 3, 4}));
  EXPECT_EQ(of_mask({0, 1, 0, -7, 1}, opt), (Numbers{-1, 0, -1, 1, 2}));
  EXPECT_EQ(of_mask({0, 0, 1, 1}, generation), (Numbers{1, 1, 0, 1}));
  EXPECT_EQ(of_mask({0, 0}, opt), (Numbers{-1, -1}));
  EXPECT_EQ(of_mask({}, opt), Numbers{});
}

TEST(PositionsOfMask, GoOnBehindThePlacesOfEarlierCalls) {
  EXPECT_EQ(of_mask({1}, fairseq, 3), Numbers{5});
  EXPECT_EQ(of_mask({0, 1}, generation, 4097), (Numbers{1, 4097}));
  EXPECT_EQ(of_mask({1}, opt, highest - 1), Numbers{highest - 1});
}

TEST(PositionsOfMask, TakesViewsOfAnyStridesAndItsOwnNumberForEachSequence) {
  const std::int64_t mask[] = {0, 1, 1, 1, 1, 0}, before[] = {10, 20};
  const Numbers expected = {1, 12, 13, 22, 23, 1};
  for (const test::Memory memory : test::memories) {
    test::Field<std::int64_t> in({2, 3}, memory), out({2, 3}, memory);
    in.fill({mask, mask + 6});
    positions_of_mask(in.view(), fairseq, view(before, {2}), out.view());
    EXPECT_EQ(out.values(), expected);
    EXPECT_TRUE(out.rest_is_untouched());
  }
}

TEST(PositionsOfIds, AreAbsentAtThePaddingId) {
  const std::int32_t ids[] = {7, 0, 9, 1, 1, 1, 0, 5};
  Numbers out(8);
  positions_of_ids(view(ids, {2, 4}), 1, fairseq, view(out.data(), {2, 4}));
  EXPECT_EQ(out, (Numbers{2, 3, 4, 1, 1, 1, 2, 3}));
  positions_of_ids(view(ids, {2, 4}), -100, opt, view(out.data(), {2, 4}));  // no place is absent
  EXPECT_EQ(out, (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(PositionsOfEnds, BeginAnewWithEachSequence) {
  const std::int32_t ends[] = {0, 3, 3, 4, 6};
  Numbers out(6);
  positions_of_ends(view(ends, {5}), 0, view(out.data(), {6}));
  EXPECT_EQ(out, (Numbers{0, 1, 2, 0, 0, 1}));
  positions_of_ends(view(ends, {1}), 0, view(out.data(), {0}));
  positions_of_ends(view(ends, {5}), 2, view(out.data(), {6}));
  EXPECT_EQ(out, (Numbers{2, 3, 4, 2, 2, 3}));
}

TEST(PositionsOfEnds, AreTheSameUnderAnyExecutor) {
  Numbers ends = {0, 0}, expected;
  for (const std::int64_t length : {3, 0, 70000, 1, 65532, 0, 0, 65536, 200000, 2, 0}) {
    ends.push_back(ends.back() + length);
    for (std::int64_t t = 0; t < length; ++t) expected.push_back(t - 5);
  }
  for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
    Numbers out(expected.size(), -77);
    positions_of_ends(view(ends.data(), {std::ssize(ends)}), -5, view(out.data(), {std::ssize(out)}), executor);
    EXPECT_EQ(out, expected);
  }
}

// ---- the same bits in one pass, packed, and token by token ------------------------------------------------------

constexpr std::int64_t dim = 10;

std::vector<float> rows_of(const Rows& rows, const Numbers& positions) {
  std::vector<float> out(positions.size() * dim);
  rows.write(Positions::list(view(positions.data(), {std::ssize(positions)})),
             view(out.data(), {std::ssize(positions), dim}));
  return out;
}

// A batch of sequences of random lengths, padded at a random end with id 1.
struct Batch {
  std::int64_t sequences, length;
  Numbers ids, ends = {0};

  explicit Batch(std::mt19937_64& random)
      : sequences(static_cast<std::int64_t>(1 + random() % 4)), length(static_cast<std::int64_t>(1 + random() % 12)) {
    const bool left = random() % 2 == 0;
    for (std::int64_t b = 0; b < sequences; ++b) {
      const auto present = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length + 1));
      for (std::int64_t t = 0; t < length; ++t) {
        const bool is_token = left ? t >= length - present : t < present;
        ids.push_back(is_token ? static_cast<std::int64_t>(2 + random() % 100) : 1);
      }
      ends.push_back(ends.back() + present);
    }
  }
};

TEST(Numbering, GivesTheSameRowsWholePackedAndTokenByTokenIn1000RandomCases) {
  std::mt19937_64 random(20);
  const Rows rows(preset("whisper").convention, dim);
  for (int round = 0; round < 1000; ++round) {
    const Batch batch(random);
    const auto [b, l] = std::pair(batch.sequences, batch.length);
    Numbers whole(batch.ids.size()), packed(static_cast<std::size_t>(batch.ends.back())), stepped(batch.ids.size());
    positions_of_ids(view(batch.ids.data(), {b, l}), 1, fairseq, view(whole.data(), {b, l}));
    positions_of_ends(view(batch.ends.data(), {b + 1}), fairseq.first, view(packed.data(), {batch.ends.back()}));
    Numbers before(static_cast<std::size_t>(b), 0);
    for (std::int64_t t = 0; t < l; ++t) {
      const ConstView column = {batch.ids.data() + t, DType::i64, 2, {b, 1}, {l, 1}};
      const View to = {stepped.data() + t, DType::i64, 2, {b, 1}, {l, 1}};
      positions_of_ids(column, 1, fairseq, view(before.data(), {b}), to);
      for (std::size_t i = 0; i < before.size(); ++i) {
        before[i] += batch.ids[i * static_cast<std::size_t>(l) + static_cast<std::size_t>(t)] != 1;
      }
    }
    ASSERT_EQ(whole, stepped);
    Numbers present;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (batch.ids[i] != 1) present.push_back(whole[i]);
    }
    ASSERT_EQ(present, packed);
    ASSERT_EQ(rows_of(rows, present), rows_of(rows, packed));
    for (const std::int64_t position : packed) {  // and of a token alone
      std::vector<float> alone(dim), expected = rows_of(rows, {position});
      rows.write(Positions::at(position), view(alone.data(), {1, dim}));
      ASSERT_EQ(alone, expected);
    }
  }
}

// ---- what is wrong ------------------------------------------------------------------------------

TEST(Numbering, SaysWhatIsWrong) {
  std::int64_t numbers[6] = {0, 1, 1, 1, 0, 0}, zero = 0, minus = -1, most = highest;
  float reals[6] = {};
  const View out = view(numbers, {2, 3});
  const ConstView none = view(&zero, {});
  const auto mask = [&](const ConstView& of, const ConstView& before, const View& to) {
    return said(check_positions_of_mask(of, fairseq, before, to));
  };
  EXPECT_EQ(mask(out, none, out), said(std::nullopt));
  EXPECT_EQ(said(check_positions_of_mask(view(reals, {2, 3}), fairseq, out)), mask(view(reals, {2, 3}), none, out));
  EXPECT_EQ(said(check_positions_of_ids(view(reals, {2, 3}), opt, out)),
            said(check_positions_of_ids(view(reals, {2, 3}), opt, none, out)));
  EXPECT_EQ(mask(view(reals, {2, 3}), none, out), "[positions_of_mask] mask must be i32 or i64, got f32");
  EXPECT_EQ(mask(view(&zero, {}), none, out), "[positions_of_mask] mask must have shape [L] or [B, L], got []");
  EXPECT_EQ(mask(out, none, view(reals, {2, 3})), "[positions_of_mask] out must be i64, got f32");
  EXPECT_EQ(mask(out, none, view(numbers, {3, 2})),
            "[positions_of_mask] out must have the shape of mask, [2, 3], got [3, 2]");
  EXPECT_EQ(mask(out, view(numbers, {3}), out),
            "[positions_of_mask] before must have shape [], or [B] beside [B, L], got [3]");
  EXPECT_EQ(mask(out, view(&minus, {}), out), "[positions_of_mask] numbers of before must be 0 or more, got -1");
  EXPECT_EQ(mask(out, view(&most, {}), out),
            "[positions_of_mask] positions must be int64, got 2 + 9223372036854775807 + 3");
  EXPECT_EQ(said(check_positions_of_ids(view(reals, {2, 3}), opt, none, out)),
            "[positions_of_ids] ids must be i32 or i64, got f32");

  const auto ends = [&](const Numbers& of, std::int64_t size, std::int64_t first = 0) {
    return said(check_positions_of_ends(view(of.data(), {std::ssize(of)}), first, view(numbers, {size})));
  };
  EXPECT_EQ(ends({0, 2, 5}, 5), said(std::nullopt));
  EXPECT_EQ(ends({}, 0), "[positions_of_ends] ends must have shape [N + 1], got [0]");
  EXPECT_EQ(ends({1, 2}, 2), "[positions_of_ends] ends must begin with 0, got 1");
  EXPECT_EQ(ends({0, 3, 2}, 2), "[positions_of_ends] ends must not fall, got 2 after 3");
  EXPECT_EQ(ends({0, 3}, 2), "[positions_of_ends] out must have shape [3], the last of ends, got [2]");
  EXPECT_EQ(ends({0, 3}, 3, highest), "[positions_of_ends] positions must be int64, got 9223372036854775807 + 0 + 3");
}

}  // namespace
}  // namespace posenc
