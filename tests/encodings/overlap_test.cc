// SPDX-License-Identifier: Apache-2.0
// Every call that reads one view and writes another refuses to write over what it reads.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/numbering.h>
#include <posenc/places.h>
#include <posenc/query_scale.h>
#include <posenc/rerotate.h>
#include <posenc/resize.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <functional>
#include <numeric>

#include "tests/encodings/presets.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::rope;
using test::said;
using test::transformer;

// Memory that is read as any type.
alignas(64) std::byte shared_memory[std::size_t{1} << 14];

template <class T>
View at_byte(std::int64_t byte, std::initializer_list<detail::Size> shape) {
  return view(reinterpret_cast<T*>(shared_memory + byte), shape);
}
Positions list_at(std::int64_t byte, std::int64_t count) {
  return Positions::list(at_byte<std::int32_t>(byte, {count}));
}

// Outputs lie at 0, and what is read at `byte`: nowhere near, or on the last elements of the output.
struct OverlapCall {
  std::string name, in;
  std::int64_t last;  // the byte of an element of the output
  std::function<std::optional<Problem>(std::int64_t byte)> check;
};

void expect_overlap_refused(const OverlapCall& call) {
  SCOPED_TRACE(call.name + " of " + call.in);
  EXPECT_EQ(said(call.check(8192)), "nothing");
  const std::string rule = "[" + call.name + "] " + call.in + " and out must share no element";
  EXPECT_EQ(said(call.check(call.last)).substr(0, rule.size()), rule);
}

TEST(Overlap, OfPositionsAndRowsIsRefused) {
  const Convention& steps = preset("diffusers-timestep").convention;
  const Rows rows(transformer, 8);
  const RotaryCache cache(with_field(rope, "stored", "complex"), 8);
  const View out = at_byte<float>(0, {3, 8});
  for (const OverlapCall& call : std::vector<OverlapCall>{
           {"sinusoid", "positions", 84, [&](auto b) { return check_sinusoid(transformer, list_at(b, 3), out); }},
           {"sinusoid", "positions", 84, [&](auto b) { return check_sinusoid(steps, list_at(b, 3), out); }},
           {"sinusoid", "positions", 84,
            [&](auto b) {
              const Positions lists[] = {list_at(b, 3)};
              return rows.check_write(lists, out);
            }},
           {"rotary_cache", "positions", 84, [&](auto b) { return cache.check_write("cos_sin", list_at(b, 3), out); }},
           {"rotary", "positions", 84, [&](auto b) { return check_rotary(rope, list_at(b, 3), {out}); }},
           {"rotary", "positions", 84,
            [&](auto b) { return RotaryRows(rope, 8).check_rotate(list_at(b, 3), out, out); }}}) {
    expect_overlap_refused(call);
  }
}

TEST(Overlap, OfPositionsAndNumbersIsRefused) {
  const Convention& alibi = preset("alibi").convention;
  const Convention& bloom = preset("bloom-alibi").convention;
  const Convention& t5 = preset("t5-bucket").convention;
  const Convention& steps = preset("llama4-temperature").convention;
  const Convention& learned = preset("learned").convention;
  const Positions two = Positions::range(0, 2);
  const View out = at_byte<float>(0, {4, 2, 2}), scores = at_byte<std::int32_t>(0, {2, 2});
  for (const OverlapCall& call : std::vector<OverlapCall>{
           {"bias", "positions", 56, [&](auto b) { return check_bias(alibi, list_at(b, 2), two, out); }},
           {"bias", "positions", 56, [&](auto b) { return check_bias(alibi, two, list_at(b, 2), out); }},
           {"bias", "present", 56,
            [&](auto b) {
              return check_bias(bloom, two, two, out, {.context = {.present = at_byte<std::int32_t>(b, {2})}});
            }},
           {"buckets", "positions", 12, [&](auto b) { return check_buckets(t5, list_at(b, 2), two, scores); }},
           {"buckets", "positions", 12, [&](auto b) { return check_buckets(t5, two, list_at(b, 2), scores); }},
           {"query_scale", "positions", 12,
            [&](auto b) { return check_query_scale(steps, list_at(b, 4), at_byte<float>(0, {4})); }},
           {"learned_rows", "positions", 12, [&](auto b) {
              const Positions lists[] = {list_at(b, 4)};
              return check_learned_rows(learned, lists, at_byte<std::int32_t>(0, {4}));
            }}}) {
    expect_overlap_refused(call);
  }
}

TEST(Overlap, OfMasksIdsAndTheirNumbersIsRefused) {
  const Numbering numbering = {0, 1};
  const View out = at_byte<std::int64_t>(0, {4});
  const auto four = [](std::int64_t b) { return at_byte<std::int32_t>(b, {4}); };
  const auto one = [](std::int64_t b) { return at_byte<std::int64_t>(b, {}); };
  static constexpr std::int64_t ends[] = {0, 3, 4};
  for (const OverlapCall& call : std::vector<OverlapCall>{
           {"positions_of_mask", "mask", 24,
            [&](auto b) { return check_positions_of_mask(four(b), numbering, view(&none_before, {}), out); }},
           {"positions_of_ids", "ids", 24,
            [&](auto b) { return check_positions_of_ids(four(b), numbering, view(&none_before, {}), out); }},
           {"positions_of_ids", "before", 24,
            [&](auto b) { return check_positions_of_ids(four(8192), numbering, one(b), out); }},
           {"positions_of_ends", "ends", 24,
            [&](auto b) {
              std::ranges::copy(ends, reinterpret_cast<std::int64_t*>(shared_memory + b));
              return check_positions_of_ends(at_byte<std::int64_t>(b, {3}), 0, out);
            }},
           {"masked_place_coordinates", "mask", 24, [&](auto b) {
              return check_masked_place_coordinates(whole_places, four(b), 0, at_byte<double>(0, {4}));
            }}}) {
    expect_overlap_refused(call);
  }
}

TEST(Overlap, OfAMaskWithItsNumbersIsNoneWhereTheyAreTheSameView) {
  std::int64_t places[] = {1, 0, 1, 1, 0};
  positions_of_mask(view(places, {5}), {0, -1}, view(places, {5}));
  EXPECT_EQ(std::vector<std::int64_t>(std::begin(places), std::end(places)),
            (std::vector<std::int64_t>{0, -1, 1, 2, -1}));
}

TEST(Overlap, OfTensorsIsRefusedUnlessTheyAreTheSameView) {
  const Convention& vit = preset("vit-resize").convention;
  const View out = at_byte<float>(0, {3, 8});
  const Positions three = Positions::range(0, 3), moved = Positions::range(5, 3);
  const Standing from = {std::span(&three, 1)}, to = {std::span(&moved, 1)};
  for (const OverlapCall& call : std::vector<OverlapCall>{
           {"sinusoid", "in", 92,
            [&](auto b) { return check_add_sinusoid(transformer, three, at_byte<float>(b, {3, 8}), out); }},
           {"sinusoid", "in", 4,
            [&](auto b) { return Rows(transformer, 8).check_add(three, at_byte<float>(b, {3, 8}), out); }},
           {"rotary", "in", 92, [&](auto b) { return check_rotary(rope, three, {at_byte<float>(b, {3, 8}), out}); }},
           {"rerotate", "in", 92,
            [&](auto b) { return check_rerotate(rope, from, to, at_byte<float>(b, {3, 8}), out); }},
           {"resize_table", "table", 156, [&](auto b) {
              return check_resize_table(vit, at_byte<float>(b, {5, 8}), {2, 2}, {2, 2}, at_byte<float>(0, {5, 8}));
            }}}) {
    expect_overlap_refused(call);
  }
  EXPECT_EQ(said(check_add_sinusoid(transformer, three, out, out)), "nothing");
  EXPECT_EQ(said(check_rotary(rope, three, out, out)), "nothing");
  EXPECT_EQ(said(check_rerotate(rope, from, to, out, out)), "nothing");
  EXPECT_EQ(said(check_rotary(rope, three, at_byte<float>(32, {3, 8}), out)),
            "[rotary] in and out must share no element, or be the same view, got out 32 bytes before in");
  EXPECT_EQ(said(check_resize_table(vit, at_byte<float>(0, {5, 8}), {2, 2}, {2, 2}, at_byte<float>(0, {5, 8}))),
            "[resize_table] table and out must share no element, got the same view");
}

// ---- several tensors of one call ----------------------------------------------------------------

TEST(Overlap, OfTheTensorsOfOneRotationIsRefused) {
  const RotaryRows rows(rope, 8);
  const Positions three = Positions::range(0, 3);
  const auto tensor = [](std::int64_t byte) { return at_byte<float>(byte, {3, 8}); };
  const auto refused = [&](const std::vector<Rotated>& tensors) { return said(rows.check_rotate(three, tensors)); };
  const View a = tensor(0), b = tensor(96), c = tensor(192), d = tensor(288);
  EXPECT_EQ(refused({{a}, {b}, {c}}), "nothing");
  EXPECT_EQ(refused({{a, b}, {a, c}}), "nothing");  // one input, turned twice
  EXPECT_EQ(refused({{a}, {a}}),
            "[rotary] out of tensor 0 and out of tensor 1 must share no element, got the same view");
  EXPECT_EQ(refused({{a}, {c}, {tensor(92)}}),
            "[rotary] out of tensor 0 and out of tensor 2 must share no element, got out of tensor 2 92 bytes behind "
            "out of tensor 0");
  EXPECT_EQ(refused({{a, c}, {b, a}}),
            "[rotary] in of tensor 0 and out of tensor 1 must share no element, got the same view");
  EXPECT_EQ(refused({{a, b}, {b, d}}),
            "[rotary] in of tensor 1 and out of tensor 0 must share no element, got the same view");
  std::vector<Rotated> layers;
  for (std::int64_t i = 0; i < 80; ++i) layers.push_back({tensor(96 * (i * 37 % 80))});
  EXPECT_EQ(refused(layers), "nothing");
  layers.push_back({tensor(96 * 41 + 4), tensor(8192)});
  EXPECT_NE(refused(layers), "nothing");
}

TEST(Overlap, IsNoneOfQueriesAndKeysInOneTensorWhichTurnAsAlone) {
  constexpr std::int64_t length = 6, width = 8;
  std::vector<float> packed(length * 3 * width);
  std::iota(packed.begin(), packed.end(), 1.0f);
  const std::vector<float> before = packed;
  const auto slice = [&](std::vector<float>& of, std::int64_t i) {
    return View{of.data() + i * width, DType::f32, 2, {length, width}, {3 * width, 1}};
  };
  const RotaryRows rows(rope, width);
  const Positions positions = Positions::range(3, length);
  std::vector<float> alone = before;
  for (std::int64_t i = 0; i < 2; ++i) rows.rotate(positions, Rotated{slice(alone, i), TokenAxis::before_columns});
  const Rotated both[] = {{slice(packed, 0)}, {slice(packed, 1)}};
  rows.rotate(positions, both);
  EXPECT_EQ(packed, alone);

  packed = before;  // from the first part to the third
  rows.rotate(positions, Rotated{slice(packed, 0), slice(packed, 2), TokenAxis::before_columns});
  for (std::int64_t t = 0; t < length; ++t) {
    const auto row = [&](const std::vector<float>& of, std::int64_t i) {
      return std::vector<float>(of.begin() + (3 * t + i) * width, of.begin() + (3 * t + i + 1) * width);
    };
    EXPECT_EQ(row(packed, 0), row(before, 0));
    EXPECT_EQ(row(packed, 1), row(before, 1));
    EXPECT_EQ(row(packed, 2), row(alone, 0));
  }
}

}  // namespace
}  // namespace posenc
