// SPDX-License-Identifier: Apache-2.0
// Timestep embeddings: the definition, MPFR at fractional and huge steps, every kind of list, what is refused.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/encodings/field.h"
#include "tests/encodings/plain.h"
#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"
#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using test::ddpm;
using test::Field;
using test::Memory;
using test::said;
using test::thrown;

constexpr Timestep stable_diffusion = {10000, 0, 1, Layout::cosine_first};
constexpr Layout layouts[] = {Layout::sine_first, Layout::cosine_first};

template <class T = double>
std::vector<T> row_of(const Timestep& convention, std::int64_t d, double step, const Recipe& recipe = exact()) {
  std::vector<T> row(static_cast<std::size_t>(d), T(9.0f));
  sinusoid(convention, Positions::at(step), view(row.data(), {1, d}), {.recipe = recipe});
  return row;
}

// ---- the definition -----------------------------------------------------------------------------

TEST(Timestep, IsTheFormulaForEveryShiftScalePeriodAndWidth) {
  int rows = 0;
  for (const double shift : {0.0, 0x1p-16, 0.5, 1.0}) {
    for (const auto& [period, scale] : {std::pair{10000.0, 1.0}, {10000.0, 1000.0}, {2000.0, 0.25}, {0.5, 3.0}}) {
      for (const Layout layout : layouts) {
        const Timestep convention = {period, shift, scale, layout};
        for (std::int64_t d = 1; d <= 41; ++d) {
          if (check_width(convention, d)) continue;
          for (const double step : {0.0, 1.0, 981.0, 0.5, -3.25}) {
            EXPECT_LT(test::distance(row_of(convention, d, step), test::plain_row(convention, d, step)), 1e-12)
                << to_string(Convention(convention)) << ", width " << d << ", step " << step;
            ++rows;
          }
        }
      }
    }
  }
  EXPECT_EQ(rows, 4 * 4 * 2 * 41 * 5 - 4 * 2 * 2 * 5);  // shift 1 has no widths 2 and 3
}

TEST(Timestep, OfShiftOneIsTheSinusoidOverGaps) {
  const Sinusoid row = {Geometric{10000, 1, Spacing::over_gaps}, Layout::sine_first, OddWidth::zero_column};
  for (const std::int64_t d : {4, 5, 64, 321}) {
    std::vector<double> expected(static_cast<std::size_t>(d));
    sinusoid(row, Positions::at(981.5), view(expected.data(), {1, d}));
    EXPECT_EQ(row_of(ddpm, d, 981.5), expected);
    EXPECT_EQ(Rows(ddpm, d).frequencies(), Rows(row, d).frequencies());
  }
}

TEST(Timestep, OfShiftZeroAndEvenWidthIsTheSinusoidOverTheWidth) {
  const Sinusoid row = {Geometric{10000, 1, Spacing::over_width}, Layout::cosine_first, OddWidth::refused};
  for (const std::int64_t d : {2, 4, 64, 320}) {
    std::vector<double> expected(static_cast<std::size_t>(d));
    sinusoid(row, Positions::at(981.5), view(expected.data(), {1, d}));
    EXPECT_EQ(row_of(stable_diffusion, d, 981.5), expected);
  }
}

TEST(Timestep, OfAnOddWidthIsTheEvenRowAndAZeroWhateverTheLayout) {
  for (const Layout layout : layouts) {
    for (const std::int64_t d : {5, 7, 65}) {
      const Timestep convention = {10000, 0.5, 1, layout};
      std::vector<double> even = row_of(convention, d - 1, 77.25);
      even.push_back(0);
      EXPECT_EQ(row_of(convention, d, 77.25), even);
      EXPECT_FALSE(std::signbit(row_of(convention, d, -77.25).back()));
    }
  }
}

TEST(Timestep, OfWidthsOneToThreeHasNoOrOneFrequency) {
  const double sine = std::sin(2.5), cosine = std::cos(2.5);
  EXPECT_EQ(row_of(ddpm, 1, 2.5), std::vector<double>{0});
  EXPECT_EQ(row_of(stable_diffusion, 1, 2.5), std::vector<double>{0});
  EXPECT_EQ(row_of(stable_diffusion, 2, 2.5), (std::vector<double>{cosine, sine}));
  EXPECT_EQ(row_of(stable_diffusion, 3, 2.5), (std::vector<double>{cosine, sine, 0}));
  EXPECT_EQ(row_of({10000, 1 - 0x1p-16, 1, Layout::sine_first}, 2, 2.5), (std::vector<double>{sine, cosine}));
}

TEST(Timestep, HasTheFrequenciesOfItsScale) {
  const std::vector<double> w = Rows(Timestep{10000, 1, 1000, Layout::sine_first}, 6).frequencies();
  EXPECT_EQ(w, (std::vector<double>{1000, 10, 0.1}));
}

// ---- exactness ----------------------------------------------------------------------------------

struct TimestepDraws {
  std::mt19937_64 bits{20200619};

  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  double number(int least, int exponents) {
    return std::ldexp(1 + static_cast<double>(bits() >> 12) * 0x1p-52,
                      least + static_cast<int>(below(static_cast<std::uint64_t>(exponents))));
  }
  // Whole, fractional, subnormal and huge ones, of both signs.
  double step() {
    const double kinds[] = {static_cast<double>(below(1000)), static_cast<double>(below(1 << 20)) * 0x1p-10,
                            number(-1074, 1074), number(0, 53), 0x1p53};
    return below(2) == 0 ? kinds[below(5)] : -kinds[below(5)];
  }
  Timestep convention() {
    const double shifts[] = {0, 1, static_cast<double>(below(65537)) * 0x1p-16};
    const double scales[] = {1, 1000, number(-40, 80)};
    const double periods[] = {10000, 10000, number(-8, 40)};
    return {periods[below(3)], shifts[below(3)], scales[below(3)], layouts[below(2)]};
  }
};

// Values against MPFR's, rounded once: 12 steps, 20 columns each, for every ladder. w and the angle are kept to
// `precision` bits, which covers twice the exponents of the format.
template <class T>
void expect_exact_timesteps(int ladders, oracle::Format format, mpfr_prec_t precision) {
  TimestepDraws draw;
  int wrong = 0;
  for (int i = 0; i < ladders; ++i) {
    const Timestep convention = draw.convention();
    const auto n = 2 + draw.below(512);
    const auto d = static_cast<std::int64_t>(2 * n + draw.below(2));
    double steps[12];
    for (double& step : steps) step = draw.step();
    std::vector<T> table(12 * static_cast<std::size_t>(d));
    sinusoid(convention, Positions::list(view(steps, {12})), view(table.data(), {12, d}));

    oracle::Number w(precision), angle(precision + 64);
    for (int column = 0; column < 20; ++column) {
      const std::uint64_t k = draw.below(n), units = static_cast<std::uint64_t>(convention.shift * 65536);
      oracle::set_frequency(w, convention.max_period, k * 65536, n * 65536 - units);
      mpfr_mul_d(w.get(), w.get(), convention.scale, MPFR_RNDN);
      for (std::size_t j = 0; j < 12; ++j) {
        mpfr_mul_d(angle.get(), w.get(), steps[j], MPFR_RNDN);
        const bool first = draw.below(2) == 0;
        const bool sine = first == (convention.layout == Layout::sine_first);
        const auto wave = sine ? oracle::Wave::sine : oracle::Wave::cosine;
        wrong += numerics::widened(table[j * static_cast<std::size_t>(d) + (first ? k : n + k)]) !=
                 oracle::rounded_wave(wave, angle, format);
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << ladders * 240;
}

TEST(Timestep, IsRoundedOnceToF32AtRandomStepsShiftsScalesAndPeriods) {
  expect_exact_timesteps<float>(400, oracle::f32, 900);
}
TEST(Timestep, IsRoundedOnceToF64AtRandomStepsShiftsScalesAndPeriods) {
  expect_exact_timesteps<double>(80, oracle::f64, 2700);
}
TEST(Timestep, IsRoundedOnceToHalfTypesAtRandomStepsShiftsScalesAndPeriods) {
  expect_exact_timesteps<half>(40, oracle::f16, 900);
  expect_exact_timesteps<bfloat16>(40, oracle::bf16, 900);
}

TEST(Timestep, IsExactOverAllOfInt64) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t steps[] = {most, -most - 1, (std::int64_t{1} << 53) + 1};
  double table[3][6];
  const Timestep convention = {10000, 0.5, 1000, Layout::sine_first};
  sinusoid(convention, Positions::list(view(steps, {3})), view(&table[0][0], {3, 6}));
  oracle::Number w(400), angle(500);
  for (std::size_t k = 0; k < 3; ++k) {
    oracle::set_frequency(w, 10000, 2 * k, 5);
    mpfr_mul_ui(w.get(), w.get(), 1000, MPFR_RNDN);
    for (std::size_t i = 0; i < 3; ++i) {
      mpfr_mul_si(angle.get(), w.get(), steps[i], MPFR_RNDN);
      EXPECT_EQ(table[i][k], oracle::rounded_wave(oracle::Wave::sine, angle, oracle::f64));
      EXPECT_EQ(table[i][3 + k], oracle::rounded_wave(oracle::Wave::cosine, angle, oracle::f64));
    }
  }
}

// ---- lists, memories, surroundings ----------------------------------------------------------------

TEST(Timestep, OfAListIsTheRowsOfItsStepsInEveryTypeAndOfARange) {
  const std::int32_t i32[] = {999, 0, 20, 20};
  const std::int64_t i64[] = {999, 0, 20, 20};
  const float f32[] = {999, 0, 20, 20};
  const double f64[] = {999, 0, 20, 20};
  std::vector<float> expected;
  for (const double step : f64) {
    for (const float value : row_of<float>(ddpm, 6, step)) expected.push_back(value);
  }
  for (const ConstView& list : {view(i32, {4}), view(i64, {4}), view(f32, {4}), view(f64, {4})}) {
    std::vector<float> out(24);
    sinusoid(ddpm, Positions::list(list), view(out.data(), {4, 6}));
    EXPECT_EQ(out, expected) << to_string(list.dtype);
  }
  std::vector<float> all(1000 * 6);
  sinusoid(ddpm, Positions::range(0, 1000), view(all.data(), {1000, 6}));
  EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 6, all.begin() + 999 * 6));
  EXPECT_TRUE(std::equal(expected.begin() + 12, expected.begin() + 18, all.begin() + 20 * 6));
  std::vector<float> quarters(41 * 6);
  sinusoid(ddpm, Positions::range(10.0, 41, -0.25), view(quarters.data(), {41, 6}));
  EXPECT_EQ(std::vector<float>(quarters.begin() + 39 * 6, quarters.begin() + 40 * 6), row_of<float>(ddpm, 6, 0.25));
}

TEST(Timestep, HasTheSameBitsInEveryMemoryExecutorAndRoundingMode) {
  const Timestep convention = {10000, 0, 1000, Layout::cosine_first};
  std::vector<float> steps;
  for (int i = 0; i < 300; ++i) steps.push_back(static_cast<float>(i) * 3.33f);
  const auto count = std::ssize(steps);
  const Positions list = Positions::list(view(std::as_const(steps).data(), {count}));
  std::vector<float> expected(static_cast<std::size_t>(count) * 33);
  sinusoid(convention, list, view(expected.data(), {count, 33}));
  for (const Memory memory : test::memories) {
    Field<float> field({count, 33}, memory);
    sinusoid(convention, list, field.view(), {.executor = test::two_threads});
    EXPECT_TRUE(test::same_bits(field.values(), expected));
    EXPECT_TRUE(field.rest_is_untouched());
  }
  for (const int mode : test::rounding_modes) {
    std::vector<float> out(expected.size());
    EXPECT_TRUE(test::survives(
        mode, [&] { sinusoid(convention, list, view(out.data(), {count, 33}), {.executor = test::reversed}); }));
    EXPECT_TRUE(test::same_bits(out, expected)) << mode;
  }
}

TEST(Timestep, OfNoStepsWritesNothing) {
  float none = 7;
  sinusoid(ddpm, Positions::range(0, 0), view(&none, {0, 8}));
  EXPECT_EQ(none, 7);
}

// ---- what is refused ----------------------------------------------------------------------------

struct TimestepCall {
  std::string text;
  Convention convention = ddpm;
  Positions steps = Positions::range(0, 3);
  Recipe recipe = exact();
};

void expect_timestep_refused(const TimestepCall& call, std::vector<std::int64_t> shape) {
  SCOPED_TRACE(call.text);
  Field<float> field(std::move(shape), Memory::dense);
  EXPECT_EQ(said(check_sinusoid(call.convention, call.steps, field.view(), {.recipe = call.recipe})), call.text);
  EXPECT_EQ(thrown([&] { sinusoid(call.convention, call.steps, field.view(), {.recipe = call.recipe}); }), call.text);
  EXPECT_TRUE(field.is_untouched());
}

TEST(CheckTimestep, RefusesAnotherWidthOrRecipe) {
  expect_timestep_refused({"[convention] width must give 2 frequencies or more: the spacing divides by n - 1, got 2"},
                          {3, 2});
  expect_timestep_refused(
      {"[convention] scale must be finite and > 0, got 0", Timestep{10000, 1, 0, Layout::sine_first}}, {3, 8});
  expect_timestep_refused({"[recipe] ladder must be stated, got none", ddpm, Positions::range(0, 3), {"mine", Steps{}}},
                          {3, 8});
  expect_timestep_refused({"[sinusoid] out must have 4 columns, got [3, 8]", with_field(ddpm, "parts", "sine")},
                          {3, 8});
}

TEST(CheckTimestep, RefusesOutputsOfAnotherShape) {
  expect_timestep_refused({"[sinusoid] out must have shape [L, d] or [B, L, d], got []"}, {});
  expect_timestep_refused({"[sinusoid] out must have shape [L, d] or [B, L, d], got [8]"}, {8});
  expect_timestep_refused({"[sinusoid] out must have a row for each of 3 positions, got [4, 8]"}, {4, 8});
}

TEST(CheckTimestep, RefusesOutputsOfAnotherType) {
  std::int32_t integers[8] = {};
  EXPECT_EQ(said(check_sinusoid(ddpm, Positions::at(1), view(integers, {1, 8}))),
            "[sinusoid] out must be f32, f64, f16 or bf16, got i32");
  View nowhere = view(static_cast<float*>(nullptr), {1, 8});
  EXPECT_EQ(said(check_sinusoid(ddpm, Positions::at(1), nowhere)),
            "[sinusoid] out must have data, got a null pointer for shape [1, 8]");
}

TEST(CheckTimestep, RefusesBadSteps) {
  const double bad[] = {0, std::nan(""), 1};
  const half narrow[] = {half(1.0f), half(2.0f), half(3.0f)};
  const std::int64_t batches[6] = {};
  expect_timestep_refused({"[sinusoid] real positions must be finite and at most 2^53 in size, got nan at [1]", ddpm,
                           Positions::list(view(bad, {3}))},
                          {3, 8});
  expect_timestep_refused(
      {"[sinusoid] positions must be i32, i64, f32 or f64, got f16", ddpm, Positions::list(view(narrow, {3}))}, {3, 8});
  expect_timestep_refused({"[sinusoid] out must have shape [B, L, d] for positions [2, 3], got [3, 8]", ddpm,
                           Positions::list(view(batches, {2, 3}))},
                          {3, 8});
}

}  // namespace
}  // namespace posenc
