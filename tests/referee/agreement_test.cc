// SPDX-License-Identifier: Apache-2.0
// Identify and check agree: they judge a tensor of a preset alike after one entry was moved by some units in the last
// place of its type.
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
      const ConstView tensor = drawn.view();
      const bool right = diagnose(tensor, preset.convention, drawn.options).right;
      EXPECT_EQ(names(tensor, preset), right)
          << preset.name << ", " << drawn.name << ", " << to_string(drawn.dtype) << ", entry " << entry << " by "
          << units << "\n"
          << to_string(identify(tensor)) << to_string(diagnose(tensor, preset.convention, drawn.options));
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

// Runs all tensors, an eighth a test: 10,000 damages.
class Agreement : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Exhaustive, Agreement, testing::Range<std::size_t>(0, 8));
TEST_P(Agreement, OfDamagedEntries) { EXPECT_GE(expect_agreement(GetParam(), 8, 4).drawn, 1250); }

}  // namespace
}  // namespace posenc::agreement
