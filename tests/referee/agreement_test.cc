// SPDX-License-Identifier: Apache-2.0
// Identify and check agree: they judge a tensor of a preset alike after one entry was moved by some units in the last
// place of its type, or several.
#include <gtest/gtest.h>
#include <posenc/referee/diagnose.h>

#include <algorithm>
#include <cmath>

#include "tests/referee/drawn.h"
#include "tests/referee/draws.h"

namespace posenc::agreement {
namespace {

using test::Drawn;
using test::Draws;

bool names(const ConstView& tensor, const Preset& preset) {
  const Identification found = identify(tensor);
  return std::ranges::any_of(found.candidates, [&](const Candidate& each) {
    return each.differences.empty() && std::ranges::count(each.presets, preset.name) > 0;
  });
}

// Moves an entry by so many units in the last place: the order of its bits is that of numbers.
template <class Bits>
void move_bits(std::byte* at, std::int64_t units) {
  Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  bits = static_cast<Bits>(static_cast<std::int64_t>(bits) + units);
  std::memcpy(at, &bits, sizeof(bits));
}
void damage(Drawn& drawn, std::size_t entry, std::int64_t units) {
  const std::size_t size = size_of(drawn.dtype);
  std::byte* at = drawn.bytes.data() + entry * size;
  if (size == 2) return move_bits<std::uint16_t>(at, units);
  if (drawn.dtype == DType::f64) units *= std::int64_t{1} << 29;  // those of f32, which bounds are made of
  return size == 4 ? move_bits<std::uint32_t>(at, units) : move_bits<std::uint64_t>(at, units);
}

// Expects one judgement. Returns that of check.
bool expect_alike(const Preset& preset, Drawn& drawn, const std::string& damage) {
  const ConstView tensor = drawn.view();
  const Diagnosis checked = diagnose(tensor, preset.convention, drawn.options);
  EXPECT_EQ(names(tensor, preset), checked.right)
      << preset.name << ", " << drawn.name << ", " << to_string(drawn.dtype) << ", " << damage << "\n"
      << to_string(identify(tensor)) << to_string(checked);
  return checked.right;
}

struct Tally {
  int drawn = 0, right = 0, wrong = 0, unnamed = 0;  // unnamed: tensors that tell too little, of small or plain numbers
};

// Damages every `stride`-th tensor from `first` on `each` times.
Tally expect_agreement(std::size_t first, std::size_t stride, int each) {
  Tally tally;
  std::size_t count = 0;
  Draws draw(static_cast<unsigned>(42 + first));
  test::for_every_preset([&](const Preset& preset, Drawn& drawn) {
    if (count++ % stride != first) return;
    if (!names(drawn.view(), preset)) {
      ++tally.unnamed;
      return;
    }
    const std::vector<std::byte> bytes = drawn.bytes;
    for (int i = 0; i < each; ++i) {
      const std::size_t entry = draw.below(std::ssize(bytes) / static_cast<std::int64_t>(size_of(drawn.dtype)));
      const std::int64_t units = draw.of({1, -1, 2, -3, 5, -9, 17, -20, 34, -100, 1000});
      damage(drawn, entry, units);
      const bool right = expect_alike(preset, drawn, "entry " + std::to_string(entry) + " by " + std::to_string(units));
      ++tally.drawn, ++(right ? tally.right : tally.wrong);
      drawn.bytes = bytes;
    }
  });
  std::printf("%d damages, %d right, %d wrong, %d tensors unnamed\n", tally.drawn, tally.right, tally.wrong,
              tally.unnamed);
  EXPECT_LE(20 * tally.unnamed, tally.drawn + 20);
  return tally;
}

TEST(AgreementOfSome, DamagedEntries) {
  const Tally tally = expect_agreement(0, 151, 1);
  EXPECT_GT(tally.right, 3);
  EXPECT_GT(tally.wrong, 3);
}

// Moves these entries, each by so many units, in the tensor of the preset whose name ends so.
void expect_alike_moved(std::string_view name, std::string_view ending, const std::vector<std::size_t>& entries,
                        std::int64_t units, bool right) {
  const Preset& preset = posenc::preset(name);
  int count = 0;
  const test::Each each = [&](Drawn& drawn) {
    if (!drawn.name.ends_with(ending)) return;
    for (const std::size_t entry : entries) damage(drawn, entry, units);
    EXPECT_EQ(expect_alike(preset, drawn, "entries moved: " + std::to_string(entries.size())), right);
    ++count;
  };
  test::draw_rows(preset, 0, DType::f32, each);
  test::draw_factors(preset, 0, DType::f32, each);
  EXPECT_EQ(count, 1);
}
// Whisper's table went through f16 and is kept in f32: a moved entry is no number of f16 any more.
TEST(AgreementOfSome, EntriesOfANarrowerType) {
  expect_alike_moved("whisper", "rows of 64, original", {1503}, 1, true);
  expect_alike_moved("whisper", "rows of 64, original", {1576}, -1, true);
  expect_alike_moved("whisper", "rows of 64, original", {1503}, 5000, false);
}
TEST(AgreementOfSome, SeveralDamagedRows) {
  expect_alike_moved("tensor2tensor", "rows of 64, original", {323, 777, 1503, 1989, 2411}, 1, true);
  expect_alike_moved("tensor2tensor", "rows of 64, original", {323, 777, 1503, 1989, 2411}, 1000, false);
}

// Factors do not fall, but for their tolerance.
TEST(AgreementOfSome, AFactorBesideItsNeighbours) {
  for (const std::int64_t units : {1, 3, -3, 1000, -1000}) {
    expect_alike_moved("ministral3-temperature", "factors from 0", {9}, units, std::abs(units) < 1000);
  }
}

// Runs all tensors, an eighth a test: 10,000 damages.
class Agreement : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Exhaustive, Agreement, testing::Range<std::size_t>(0, 8));
TEST_P(Agreement, OfDamagedEntries) { EXPECT_GE(expect_agreement(GetParam(), 8, 4).drawn, 1250); }

}  // namespace
}  // namespace posenc::agreement
