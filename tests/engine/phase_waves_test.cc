// SPDX-License-Identifier: Apache-2.0
// The recipe `phase` on every instruction set: the bits of the reference, and how far they are from the sine.
#include "src/engine/tables/phase_waves.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/engine/every_target.h"
#include "tests/oracle/sines.h"
#include "tests/reference/phase.h"

namespace posenc::engine {
namespace {

constexpr std::uint64_t quarter_turn = std::uint64_t{1} << 62, eighth_turn = quarter_turn / 2;

struct MadeWaves {
  float sine[block], cosine[block];

  explicit MadeWaves(const std::vector<std::uint64_t>& phases) {
    std::uint64_t whole[block] = {};
    std::ranges::copy(phases, whole);
    phase_waves(whole, phases.size(), sine, cosine);
  }
};

// Of every size, from either side of each eighth_turn of a turn.
std::vector<std::uint64_t> drawn(std::mt19937_64& random) {
  std::vector<std::uint64_t> phases;
  while (phases.size() < block) {
    const std::uint64_t rest = random() >> random() % 64;
    phases.push_back((random() % 8) * eighth_turn + (random() % 2 == 0 ? rest : 0 - rest));
  }
  return phases;
}

void expect_reference(const std::vector<std::uint64_t>& phases) {
  const MadeWaves waves(phases);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const reference::Wave wanted = reference::phase_wave(phases[i]);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(waves.sine[i]), std::bit_cast<std::uint32_t>(wanted.sine)) << phases[i];
    ASSERT_EQ(std::bit_cast<std::uint32_t>(waves.cosine[i]), std::bit_cast<std::uint32_t>(wanted.cosine)) << phases[i];
  }
}

TEST(PhaseWaves, HaveTheBitsOfTheReferenceOnEveryInstructionSet) {
  on_every_target([] {
    std::mt19937_64 random(7);
    for (int i = 0; i < 1000; ++i) expect_reference(drawn(random));
    for (std::uint64_t k = 0; k < 8; ++k) {
      for (const std::uint64_t edge : {std::uint64_t{1} << 30, std::uint64_t{1} << 48, std::uint64_t{1} << 55}) {
        expect_reference({k * eighth_turn, k * eighth_turn + 1, k * eighth_turn - 1, k * eighth_turn + edge,
                          k * eighth_turn + edge - 1, k * eighth_turn - edge, k * eighth_turn - edge - 1});
      }
    }
  });
}

TEST(PhaseWaves, OfAnyCountAreThoseOfTheirPhases) {
  std::mt19937_64 random(8);
  std::vector<std::uint64_t> phases = drawn(random);
  for (const std::size_t count : {0, 1, 2, 3, 7, 17, 127, 128}) {
    phases.resize(count);
    expect_reference(phases);
    phases = drawn(random);
  }
}

TEST(PhaseWaves, AreWholeAtQuarterTurnsAndZerosHaveNoSign) {
  const MadeWaves waves({0, quarter_turn, 2 * quarter_turn, 3 * quarter_turn});
  const float sines[] = {0, 1, 0, -1}, cosines[] = {1, 0, -1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(waves.sine[i], sines[i]) << i;
    EXPECT_EQ(waves.cosine[i], cosines[i]) << i;
    EXPECT_FALSE(std::signbit(waves.sine[i]) && waves.sine[i] == 0) << i;
    EXPECT_FALSE(std::signbit(waves.cosine[i]) && waves.cosine[i] == 0) << i;
  }
}

// sin(-x) = -sin(x), cos(-x) = cos(x), so that a graph may take the sign of a position out of its phase.
TEST(PhaseWaves, OfTheOppositePhaseAreMirrored) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<std::uint64_t> phases = drawn(random);
    std::vector<std::uint64_t> opposite;
    for (const std::uint64_t phase : phases) opposite.push_back(0 - phase);
    const MadeWaves a(phases), b(opposite);
    for (std::size_t j = 0; j < phases.size(); ++j) {
      ASSERT_EQ(a.sine[j], -b.sine[j]) << phases[j];
      ASSERT_EQ(a.cosine[j], b.cosine[j]) << phases[j];
    }
  }
}

// How far a value is from the real number, and that in units of the number's last place.
struct Apart {
  double absolute = 0, places = 0;
  void add(float value, mpfr_srcptr real) {
    oracle::Number error(200);
    mpfr_sub_d(error.get(), real, static_cast<double>(value), MPFR_RNDA);
    const double off = std::abs(mpfr_get_d(error.get(), MPFR_RNDA));
    absolute = std::max(absolute, off);
    if (mpfr_zero_p(real)) return;
    places = std::max(places, off / std::ldexp(1.0, static_cast<int>(mpfr_get_exp(real)) - 24));
  }
};

TEST(PhaseWaves, AreWithinTheirBoundOfTheRealNumber) {
  std::mt19937_64 random(10);
  oracle::Number angle(200), sine(200), cosine(200), turn(200);
  mpfr_const_pi(turn.get(), MPFR_RNDN);
  mpfr_div_2ui(turn.get(), turn.get(), 63, MPFR_RNDN);
  Apart apart;
  for (int i = 0; i < 400; ++i) {
    const std::vector<std::uint64_t> phases = drawn(random);
    const MadeWaves waves(phases);
    for (std::size_t j = 0; j < phases.size(); ++j) {
      mpfr_mul_ui(angle.get(), turn.get(), phases[j], MPFR_RNDN);
      mpfr_sin_cos(sine.get(), cosine.get(), angle.get(), MPFR_RNDN);
      if (phases[j] % eighth_turn != 0 ||
          phases[j] / eighth_turn % 2 == 1) {  // otherwise one is 0, which the oracle's is not
        apart.add(waves.sine[j], sine.get());
        apart.add(waves.cosine[j], cosine.get());
      }
    }
  }
  std::printf("within 2^%.2f, and %.3f units in the last place\n", std::log2(apart.absolute), apart.places);
  EXPECT_LE(apart.absolute, 0x1p-25 + 0x1p-29);
  EXPECT_LE(apart.places, 2);
}

// Every upper word of a phase, with other lower words: what is within the bound, and the share that is not the nearest
// number of f32. f64's sine is off by 2^-53, which moves a nearest number once in 2^28.
TEST(PhaseWaves, ExhaustiveUpperWords) {
  std::uint64_t others = 0;
  double most = 0;
  std::vector<std::uint64_t> phases(block);
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += block) {
    for (std::uint64_t i = 0; i < block; ++i) phases[i] = (first + i) << 32 | ((first + i) * 0x9E3779B1u & 0xFFFFFFFFu);
    const MadeWaves waves(phases);
    for (std::size_t i = 0; i < block; ++i) {
      const double angle = static_cast<double>(static_cast<std::int64_t>(phases[i])) * (std::numbers::pi * 0x1p-63);
      const double sine = std::sin(angle), cosine = std::cos(angle);
      most = std::max({most, std::abs(static_cast<double>(waves.sine[i]) - sine),
                       std::abs(static_cast<double>(waves.cosine[i]) - cosine)});
      others += (waves.sine[i] != static_cast<float>(sine)) + (waves.cosine[i] != static_cast<float>(cosine));
    }
  }
  const double share = static_cast<double>(others) / 0x1p33;
  std::printf("within 2^%.3f; %.3f %% are not the nearest\n", std::log2(most), 100 * share);
  EXPECT_LE(most, 0x1p-25 + 0x1p-29);
  EXPECT_LE(share, 0.02);
}

}  // namespace
}  // namespace posenc::engine
