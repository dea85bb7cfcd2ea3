// SPDX-License-Identifier: Apache-2.0
// Entries are counted one by one, whatever runs the blocks of a table and wherever its elements stand.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/referee/diagnose.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <cstring>

namespace posenc {
namespace {

std::vector<float> rows_of(std::string_view name, std::int64_t count, std::int64_t width) {
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  sinusoid(preset(name).convention, Positions::range(0, count), view(rows.data(), {count, width}));
  return rows;
}
ConstView view_of(const std::vector<float>& rows, std::int64_t width) {
  return view(rows.data(), {std::ssize(rows) / width, width});
}

/// Runs the last job first, and counts its calls.
struct Backward {
  std::int64_t calls = 0;
  Executor executor() {
    return {[](void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
              ++static_cast<Backward*>(self)->calls;
              for (std::int64_t i = count; i-- > 0;) job(context, i);
            },
            this};
  }
};

/// Rows of an odd number of places: wide, narrow, of an odd width. What has more than 2^16 of them is read by rows
/// alone.
struct Size {
  std::string_view preset;
  std::int64_t places, width;
};
constexpr Size sizes[] = {
    {"whisper", 257, 96}, {"transformer", 65537, 16}, {"tf-tutorial", 65539, 17}, {"whisper", 37, 514}};

TEST(Entries, OfATableThatIsExactAreAllEqual) {
  for (const auto& [name, places, width] : sizes) {
    const std::vector<float> rows = rows_of(name, places, width);
    const Identification found = identify(view_of(rows, width));
    ASSERT_FALSE(found.candidates.empty()) << width;
    EXPECT_EQ(found.candidates[0].exact.entries, places * width);
    EXPECT_EQ(found.candidates[0].exact.equal, places * width);
    EXPECT_TRUE(found.candidates[0].exact.first.empty());
  }
}

TEST(Entries, ThatDifferByAUnitAreCountedAndTheFirstIsTold) {
  for (const auto& [name, places, width] : sizes) {
    std::vector<float> rows = rows_of(name, places, width);
    // Every 977th from one behind the middle of a row on, but those next to 0, whose units are small.
    std::int64_t planted = 0, first = -1;
    for (std::int64_t i = width + width / 2; i < std::ssize(rows); i += 977) {
      float& entry = rows[static_cast<std::size_t>(i)];
      if (std::abs(entry) < 0.25f) continue;
      entry = std::nextafter(entry, 0.f);
      ++planted;
      if (first < 0) first = i;
    }
    const Identification found = identify(view_of(rows, width));
    ASSERT_FALSE(found.candidates.empty()) << width;
    const Agreement& exact = found.candidates[0].exact;
    EXPECT_EQ(exact.entries, places * width);
    EXPECT_EQ(exact.equal, places * width - planted) << width;
    EXPECT_EQ(exact.first, (std::vector<std::int64_t>{first / width, first % width}));
    EXPECT_EQ(exact.largest, 1);
    EXPECT_EQ(exact.median, 0);
  }
}

TEST(Entries, ThatAreWrongAreCountedAndTheFirstIsTold) {
  for (const auto& [name, places, width] : sizes) {
    std::vector<float> rows = rows_of(name, places, width);
    std::int64_t planted = 0;
    const std::int64_t start = std::ssize(rows) - 5 * width - 1;
    for (std::int64_t i = start; i < std::ssize(rows); i += width + 1, ++planted)
      rows[static_cast<std::size_t>(i)] += 3;
    const Diagnosis diagnosis = diagnose(view_of(rows, width), preset(name).convention);
    EXPECT_FALSE(diagnosis.right);
    EXPECT_EQ(diagnosis.entries, places * width);
    EXPECT_EQ(diagnosis.wrong, planted) << width;
    EXPECT_EQ(diagnosis.first, (std::vector<std::int64_t>{start / width, start % width}));
  }
}

TEST(Entries, AreTheSameOnAnyExecutor) {
  for (const auto& [name, places, width] : sizes) {
    std::vector<float> rows = rows_of(name, places, width);
    rows[rows.size() / 2] = std::nextafter(rows[rows.size() / 2], 2.f), rows[rows.size() / 3] += 1e-7f;
    const ConstView tensor = view_of(rows, width);
    Backward backward;
    EXPECT_EQ(identify(tensor, {.executor = backward.executor()}), identify(tensor));
    EXPECT_GT(backward.calls, 0);
    const Convention& other = preset("mae-1d").convention;
    EXPECT_EQ(diagnose(tensor, other, {.identify = {.executor = backward.executor()}}), diagnose(tensor, other));
  }
}

TEST(Entries, StandAtAnyAddress) {
  const std::vector<float> rows = rows_of("whisper", 257, 66);
  const ConstView tensor = view_of(rows, 66);
  const Identification identified = identify(tensor);
  const Diagnosis diagnosed = diagnose(tensor, preset("transformer").convention);
  std::vector<std::byte> memory(rows.size() * 4 + 8);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::memcpy(memory.data() + shift, rows.data(), rows.size() * 4);
    ConstView moved = tensor;
    moved.data = memory.data() + shift;
    EXPECT_EQ(identify(moved), identified) << shift;
    EXPECT_EQ(diagnose(moved, preset("transformer").convention), diagnosed) << shift;
  }
}

TEST(Entries, StandInAnyStrides) {
  const std::int64_t places = 301, width = 66, apart = 71;
  const std::vector<float> rows = rows_of("whisper", places, width);
  const Identification identified = identify(view_of(rows, width));
  std::vector<float> spread(static_cast<std::size_t>(places * apart)), backward(rows.size()), columns(rows.size());
  for (std::int64_t i = 0; i < places; ++i) {
    for (std::int64_t c = 0; c < width; ++c) {
      const float entry = rows[static_cast<std::size_t>(i * width + c)];
      spread[static_cast<std::size_t>(i * apart + c)] = entry;
      backward[static_cast<std::size_t>((places - 1 - i) * width + width - 1 - c)] = entry;
      columns[static_cast<std::size_t>(c * places + i)] = entry;
    }
  }
  ConstView with_gaps = view(std::as_const(spread).data(), {places, width});
  with_gaps.strides[0] = apart;
  ConstView turned = view(std::as_const(backward).data(), {places, width});
  turned.data = &backward.back();
  turned.strides[0] = -width, turned.strides[1] = -1;
  const ConstView by_columns = view(std::as_const(columns).data(), {width, places}).transposed(0, 1);
  for (const ConstView& tensor : {with_gaps, turned, by_columns}) EXPECT_EQ(identify(tensor), identified);
}

TEST(Entries, OfCellsAreCountedAsThoseOfRows) {
  constexpr std::int64_t height = 61, width = 53, columns = 64;
  std::vector<float> cells(height * width * columns);
  const Convention& convention = preset("mae-2d").convention;
  grid(convention, View(view(cells.data(), {height, width, columns})));
  const std::size_t planted = 7 * width * columns + 11 * columns + 5;
  cells[planted] += 1;
  const Diagnosis diagnosis = diagnose(view(std::as_const(cells).data(), {height, width, columns}), convention);
  EXPECT_EQ(diagnosis.entries, height * width * columns);
  EXPECT_EQ(diagnosis.wrong, 1);
  EXPECT_EQ(diagnosis.first, (std::vector<std::int64_t>{7 * width + 11, 5}));
}

TEST(Entries, OfANarrowerTypeAreLookedAtToTheLast) {
  for (const auto& [name, places, width] : sizes) {
    std::vector<float> rows = rows_of(name, places, width);
    for (float& each : rows) each = static_cast<float>(bfloat16(each));
    EXPECT_EQ(identify(view_of(rows, width)).candidates.at(0).storage, DType::bf16);
    if (places > 1000) continue;  // what is none is searched for long
    rows.back() = std::nextafter(rows.back(), 0.f);
    for (const Candidate& each : identify(view_of(rows, width)).candidates) EXPECT_EQ(each.storage, DType::f32);
  }
}

}  // namespace
}  // namespace posenc
