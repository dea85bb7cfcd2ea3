// SPDX-License-Identifier: Apache-2.0
// Tables, grids, rotations and caches under the recipe `phase`: the bits that its definition gives, the bound at any
// position, and what it refuses.
#include "src/encodings/phase_rows.h"

#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <cmath>

#include "tests/encodings/said.h"
#include "tests/oracle/value.h"
#include "tests/reference/phase.h"

namespace posenc {
namespace {

using oracle::Value;
using test::said;

constexpr std::int64_t two31 = std::int64_t{1} << 31;

template <class T>
std::vector<T> row(const Convention& convention, std::int64_t width, const Positions& position, const Recipe& recipe,
                   const Context& context = {}) {
  const Rows rows(convention, width, {.recipe = recipe, .context = context});
  std::vector<T> made(static_cast<std::size_t>(rows.width()));
  const std::vector<Positions> lists(rows.axes().size(), position);
  rows.write(lists, view(made.data(), {1, std::ssize(made)}));
  return made;
}

// RN(2^64 w / 2 pi) of w = 10000^(-2k / d).
std::uint64_t word(std::int64_t k, std::int64_t d) {
  Value turns = pow(Value(10000), Value(0) - Value(2) * oracle::whole(k) / oracle::whole(d)) / (oracle::pi() * 2);
  turns = turns * Value(0x1p64);
  mpfr_rint(turns.get(), turns.get(), MPFR_RNDN);
  return mpfr_get_ui(turns.get(), MPFR_RNDN);
}

TEST(PhaseRows, AreThoseOfThePositionTimesAWholeNumberOfTurns) {
  constexpr std::int64_t d = 34;
  const Convention& convention = preset("transformer").convention;
  for (const std::int64_t p : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{-1}, std::int64_t{4095},
                               std::int64_t{131071}, std::int64_t{-1048575}, two31 - 1, 1 - two31}) {
    const auto made = row<float>(convention, d, Positions::at(p), phase());
    for (std::int64_t k = 0; k < d / 2; ++k) {
      const reference::Wave wanted = reference::phase_wave(static_cast<std::uint64_t>(p) * word(k, d));
      ASSERT_EQ(made[static_cast<std::size_t>(2 * k)], wanted.sine) << p << " " << k;
      ASSERT_EQ(made[static_cast<std::size_t>(2 * k + 1)], wanted.cosine) << p << " " << k;
    }
  }
}

// Near and far positions, fractions, and what only the certain path knows.
TEST(PhaseRows, AreWithinTheBoundAtAnyPosition) {
  const Convention& convention = preset("transformer").convention;
  const auto expect_within = [&](const Positions& at, double p) {
    const auto made = row<float>(convention, 66, at, phase());
    const auto exactly = row<double>(convention, 66, at, exact());
    for (std::size_t c = 0; c < made.size(); ++c) {
      ASSERT_LE(std::abs(static_cast<double>(made[c]) - exactly[c]), 0x1p-25 + 0x1p-29) << p << " " << c;
    }
  };
  for (const double p : {1.0, -1.0, 0.5, -0.375, 0x1p-40, 131071.0, 0x1p31, -0x1p31, 0x1p31 + 1, 0x1p53 - 1, -0x1p53}) {
    expect_within(Positions::at(p), p);
  }
  for (const std::int64_t p : {two31, -two31, two31 * two31 - 1, INT64_MAX, INT64_MIN}) {
    expect_within(Positions::at(p), static_cast<double>(p));
  }
}

TEST(PhaseRows, OfTinyAndHugeFrequenciesAreWithinTheBound) {
  const Sinusoid extreme = {Listed{{0, 1, 0x1p-1074, 1e-300, 0x1p-149, 6e4, 0x1p70, 1e300}}, Layout::sine_first,
                            OddWidth::refused};
  for (const double p : {0.0, 1.0, -3.0, 0.1, 0x1p-30, 0x1p52}) {
    const auto made = row<float>(extreme, 16, Positions::at(p), phase());
    const auto exactly = row<double>(extreme, 16, Positions::at(p), exact());
    for (std::size_t c = 0; c < made.size(); ++c) {
      ASSERT_LE(std::abs(static_cast<double>(made[c]) - exactly[c]), 0x1p-25 + 0x1p-29) << p << " " << c;
    }
  }
}

// Each axis moves a phase by 2^-31.3 at most; a scale m adds the rounding of m and of a product.
double bound_of(const Convention& convention, double largest) {
  const auto axes = static_cast<double>(axes_of(convention).size());
  return largest * (0x1p-25 + axes * 0x1p-29 + 2 * 0x1p-24);
}

TEST(PhaseRows, OfEveryPresetAreWithinTheBound) {
  const Context context = {.length = 3, .centre = 0, .learned = 0.75};
  int presets_made = 0;
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    const Options options = {.recipe = phase(), .context = context};
    for (const std::int64_t width : {48, 64, 96}) {
      if (check_use("rows", ConventionUse::coordinates, preset.convention) ||
          Rows::check(preset.convention, width, options)) {
        continue;
      }
      ++presets_made;
      for (const std::int64_t p : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-7}, std::int64_t{5003}}) {
        const auto made = row<float>(preset.convention, width, Positions::at(p), phase(), context);
        const auto exactly = row<double>(preset.convention, width, Positions::at(p), exact(), context);
        double largest = 1;
        for (const double each : exactly) largest = std::max(largest, std::abs(each));
        for (std::size_t c = 0; c < made.size(); ++c) {
          ASSERT_LE(std::abs(static_cast<double>(made[c]) - exactly[c]), bound_of(preset.convention, largest))
              << p << " " << c;
        }
      }
      break;
    }
  }
  EXPECT_GE(presets_made, 50);
}

std::vector<std::vector<double>> cache(const Convention& convention, std::int64_t head, const Recipe& recipe,
                                       std::int64_t p, DType type) {
  const RotaryCache made(convention, head, {.recipe = recipe, .context = {.length = 8192}});
  const std::vector<Positions> lists(made.axes().size(), Positions::at(p));
  std::vector<std::vector<double>> all;
  for (const std::string& tensor : made.tensors()) {
    std::vector<double>& row = all.emplace_back(static_cast<std::size_t>(made.width()));
    std::vector<float> narrow(row.size());
    const std::int64_t columns = made.width();
    made.write(tensor, lists, type == DType::f64 ? view(row.data(), {1, columns}) : view(narrow.data(), {1, columns}));
    if (type == DType::f32) std::ranges::copy(narrow, row.begin());
  }
  return all;
}

TEST(PhaseRows, OfEveryRotationAreWithinTheBound) {
  int presets_made = 0;
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    if (check_use("rotary_cache", ConventionUse::rotations, preset.convention)) continue;
    Convention convention = preset.convention;
    std::get<Rotary>(convention).stored = StoredAs::complex;
    const Options options = {.recipe = phase(), .context = {.length = 8192}};
    const std::int64_t heads[] = {96, 128, 64};
    const auto* const head =
        std::ranges::find_if(heads, [&](std::int64_t each) { return !RotaryCache::check(convention, each, options); });
    if (head == std::end(heads)) continue;  // decays, angles by column
    ++presets_made;
    for (const std::int64_t p : {std::int64_t{0}, std::int64_t{-3}, std::int64_t{8191}, two31 - 1, two31}) {
      const auto made = cache(convention, *head, phase(), p, DType::f32);
      const auto exactly = cache(convention, *head, exact(), p, DType::f64);
      for (std::size_t i = 0; i < made.size(); ++i) {
        for (std::size_t c = 0; c < made[i].size(); ++c) {
          ASSERT_LE(std::abs(made[i][c] - exactly[i][c]), bound_of(convention, 2)) << p << " " << i << " " << c;
        }
      }
    }
  }
  EXPECT_GE(presets_made, 60);
}

// A rotation turns by the coefficients that its cache holds.
TEST(PhaseRows, OfACacheTurnPairs) {
  const Convention& llama = preset("llama").convention;
  constexpr std::int64_t head = 8;
  std::vector<float> x(head);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f + static_cast<float>(i) / 3;
  std::vector<float> turned(head);
  RotaryRows(llama, head, {.recipe = phase()})
      .rotate(Positions::at(131071),
              {view(x.data(), {1, head}), view(turned.data(), {1, head}), TokenAxis::before_columns});
  for (std::size_t k = 0; k < head / 2; ++k) {
    const reference::Wave by = reference::phase_wave(131071 * word(static_cast<std::int64_t>(k), head));
    EXPECT_EQ(turned[k], x[k] * by.cosine - x[k + 4] * by.sine);
    EXPECT_EQ(turned[k + 4], x[k] * by.sine + x[k + 4] * by.cosine);
  }
}

TEST(PhaseRows, OfOtherTypesAreThoseOfF32) {
  const Convention& convention = preset("transformer").convention;
  const Positions at = Positions::at(70001);
  const auto f32 = row<float>(convention, 64, at, phase());
  const auto f64 = row<double>(convention, 64, at, phase());
  const auto bf16 = row<bfloat16>(convention, 64, at, phase());
  const auto f16 = row<half>(convention, 64, at, phase());
  for (std::size_t c = 0; c < f32.size(); ++c) {
    EXPECT_EQ(f64[c], static_cast<double>(f32[c]));
    EXPECT_EQ(bf16[c].bits, bfloat16(f32[c]).bits);
    EXPECT_EQ(f16[c].bits, half(f32[c]).bits);
  }
}

TEST(PhaseRows, AreNotSaidForDecaysAndNumbers) {
  EXPECT_EQ(said(RotaryRows::check(preset("xpos-lucid").convention, 64, {.recipe = phase(), .context = {.centre = 0}})),
            "[rotary] the recipe must be exact for such pairs, or f32-reciprocal, f32-reciprocal-unit-position, "
            "f32-reciprocal-unit-angle or 2 more, got phase");
}

}  // namespace
}  // namespace posenc
