// SPDX-License-Identifier: Apache-2.0
// Roundings of recipes against the same steps in plain arithmetic.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <functional>
#include <limits>

#include "tests/encodings/plain_cells.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

// ---- the steps in plain arithmetic ----------------------------------------------------------------

// Rounds to f32 or f64; long double holds every intermediate of these small cases with bits to spare.
long double to(DType type, long double x) {
  return type == DType::f32 ? static_cast<long double>(static_cast<float>(x)) : static_cast<double>(x);
}

long double plain_entry(const Steps& s, const Geometric& ladder, long double numerator, long double denominator) {
  const DType f = s.frequency;
  const long double base = ladder.base, first = ladder.first;
  if (s.ladder == LadderBy::exp) {
    const long double c = to(f, to(s.constant, -to(s.constant, std::log(base)) / denominator));
    return to(f, first * to(f, std::exp(to(f, numerator * c))));
  }
  if (s.ladder == LadderBy::exp2) {
    const long double c = to(f, to(s.constant, -to(s.constant, std::log(base)) / denominator));
    const long double exponent = to(f, to(f, numerator * c) * to(f, 1 / std::log(2.0L)));
    return to(f, first * to(f, std::exp2(exponent)));
  }
  if (s.ladder == LadderBy::exp_blend) {
    const long double c = to(f, to(s.constant, std::log(base)));
    const long double z = to(f, 1 - to(f, numerator / to(f, denominator)));
    return to(f, first * to(f, std::exp(to(f, to(f, z * c) - c))));
  }
  if (s.ladder == LadderBy::exp_quotient) {
    const long double c = to(f, -to(s.constant, std::log(base)));
    return to(f, first * to(f, std::exp(to(f, to(f, numerator * c) / to(f, denominator)))));
  }
  const long double exponent = to(f, numerator / denominator);
  const long double sign = ladder.slope == LadderSlope::rising ? 1 : -1;
  if (s.ladder == LadderBy::power) return to(f, first * to(f, std::pow(to(f, base), sign * exponent)));
  const long double power = to(f, std::pow(to(f, base), exponent));
  return s.ladder == LadderBy::divide ? to(f, power / first) : to(f, first * to(f, 1 / power));
}

// Of the double that an original multiplies by.
long double plain_unit(AngleUnit unit) {
  constexpr double pi = 3.141592653589793;
  return unit == AngleUnit::quarter_turns ? pi / 2
         : unit == AngleUnit::half_turns  ? pi
         : unit == AngleUnit::turns       ? 2 * pi
                                          : 1;
}

struct PlainPair {
  double sine, cosine;
};

// One operation of f32 or of f64.
template <class Operation>
long double in(DType type, long double a, Operation operation, long double b) {
  if (type == DType::f32) return operation(static_cast<float>(a), static_cast<float>(b));
  return operation(static_cast<double>(a), static_cast<double>(b));
}

bool plain_divides(const Steps& s) { return s.ladder == LadderBy::divide || s.ladder == LadderBy::divide_of_linspace; }

long double plain_angle(const Steps& s, long double w, long double scale, long double unit, long double p,
                        long double phase = 0) {
  const std::multiplies<> times;
  const std::plus<> plus;
  if (s.scale_at == ScaleAt::position) p = in(s.angle, scale, times, p), scale = 1;
  if (s.unit_at == UnitAt::position) p = in(s.angle, unit, times, p);
  const long double rounded_unit = to(s.angle, unit);
  const long double unscaled = plain_divides(s) ? in(s.angle, p, std::divides<>(), w) : in(s.angle, p, times, w);
  const long double scaled = in(s.angle, scale, times, unscaled);
  if (s.unit_at != UnitAt::angle) return in(s.angle, scaled, plus, in(s.angle, rounded_unit, times, phase));
  return in(s.angle, unit, times, in(s.angle, scaled, plus, phase));
}

// RN(a + RN(b c)), or RN(a + b c).
long double plain_sum(const Steps& s, DType f, long double a, long double b, long double c) {
  if (s.sums == Sums::rounded) return to(f, a + in(f, b, std::multiplies<>(), c));
  if (f == DType::f32) return std::fma(static_cast<float>(b), static_cast<float>(c), static_cast<float>(a));
  return std::fma(static_cast<double>(b), static_cast<double>(c), static_cast<double>(a));
}

// Value k of n, ends included, as PyTorch makes them.
long double plain_linspace(const Steps& s, double from, double last, std::int64_t n, std::int64_t k) {
  const DType f = s.frequency;
  const long double a = to(f, from), b = to(f, last);
  if (n == 1) return a;
  const long double step = in(f, to(f, b - a), std::divides<>(), static_cast<long double>(n - 1));
  if (2 * k < n - n % 2) return plain_sum(s, f, a, static_cast<long double>(k), step);
  return plain_sum(s, f, b, static_cast<long double>(k + 1 - n), step);
}

// Powers of the base, or of 2, whose exponents are a linspace.
long double plain_linspace_power(const Steps& s, const Geometric& ladder, std::int64_t d, std::int64_t n,
                                 std::int64_t k) {
  const auto last = static_cast<double>(static_cast<long double>(n - 1) / test::plain_divisor(ladder.spacing, d, n));
  const double octaves = s.ladder == LadderBy::octaves ? std::log2(ladder.base) : 1;
  const double sign = ladder.slope == LadderSlope::rising || plain_divides(s) ? 1 : -1;
  const long double base = s.ladder == LadderBy::octaves ? 2 : to(s.frequency, ladder.base);
  const long double power = to(s.frequency, std::pow(base, plain_linspace(s, 0, sign * last * octaves, n, k)));
  return to(s.frequency, plain_divides(s) ? power / ladder.first : power * ladder.first);
}

// Of a ladder of any kind over width d, before its unit.
long double plain_entry(const Steps& s, const Ladder& ladder, std::int64_t d, std::int64_t n, std::int64_t k) {
  const DType f = s.frequency;
  const auto number = static_cast<long double>(k);
  if (const auto* geometric = std::get_if<Geometric>(&ladder)) {
    const bool by_linspace = s.ladder == LadderBy::power_of_linspace || s.ladder == LadderBy::octaves ||
                             s.ladder == LadderBy::divide_of_linspace;
    if (by_linspace) return plain_linspace_power(s, *geometric, d, n, k);
    return plain_entry(s, *geometric, number, test::plain_divisor(geometric->spacing, d, n));
  }
  if (const auto* runaway = std::get_if<RunawayLadder>(&ladder)) {
    const long double log = to(s.constant, std::log(static_cast<long double>(runaway->base)));
    const long double rate = to(f, to(s.constant, log / test::plain_divisor(runaway->spacing, d, n)));
    return -to(f, to(f, std::exp(number)) * rate);
  }
  const auto* own = std::get_if<Listed>(&ladder);
  const auto* linear = std::get_if<LinearLadder>(&ladder);
  const long double w = own != nullptr ? to(f, own->frequencies.at(static_cast<std::size_t>(k)))
                                       : plain_linspace(s, linear->from, linear->to, n, k);
  return plain_divides(s) ? to(f, 1 / w) : w;
}

// Of every pair, each from the one before it.
std::vector<long double> plain_iterated(const Steps& s, const Geometric& ladder, long double denominator,
                                        std::int64_t n, long double scale, long double p) {
  const DType f = s.frequency;
  const long double base = ladder.base, ratio = to(f, std::pow(to(f, base), -to(f, 1 / denominator)));
  std::vector<long double> angles = {in(s.angle, p, std::multiplies<>(), to(f, ladder.first))};
  while (std::ssize(angles) < n) angles.push_back(in(s.angle, angles.back(), std::multiplies<>(), ratio));
  for (long double& angle : angles) angle = in(s.angle, scale, std::multiplies<>(), angle);
  return angles;
}

// A row's scale: a factor, or a divisor.
struct PlainScale {
  bool divides = false;
  double number = 1;
};

PlainPair plain_pair(const Steps& s, long double angle, const PlainScale& scale) {
  angle = to(s.argument, angle);
  long double pair[] = {to(s.sine, std::sin(angle)), to(s.sine, std::cos(angle))};
  const long double number = to(s.sine, scale.number);
  for (long double& value : pair) {
    value =
        scale.divides ? in(s.sine, value, std::divides<>(), number) : in(s.sine, value, std::multiplies<>(), number);
    value += 0.0L;
  }
  for (long double& value : pair) {
    for (const DType type : s.storage) {
      value = type == DType::f16 ? static_cast<float>(half(static_cast<float>(value))) : to(type, value);
    }
  }
  return {static_cast<double>(pair[0]), static_cast<double>(pair[1])};
}

// Sines and cosines of a row of any ladder, each angle `factor` times as large.
std::vector<double> plain_recipe_row(const Sinusoid& row, double factor, std::int64_t d, const Steps& s, double p,
                                     const PlainScale& scale = {}) {
  const std::int64_t n = test::plain_count(row, d);
  const auto* geometric = std::get_if<Geometric>(&row.ladder);
  const bool iterates = s.ladder == LadderBy::iterated && geometric != nullptr;
  const long double unit = plain_unit(std::visit([](const auto& each) { return each.unit; }, row.ladder));
  std::vector<long double> angles;
  if (iterates && n > 0) {
    angles = plain_iterated(s, *geometric, test::plain_divisor(geometric->spacing, d, n), n, factor, p);
  }
  for (std::int64_t k = 0; k < n && !iterates; ++k) {
    long double w = plain_entry(s, row.ladder, d, n, k);
    if (s.unit_at == UnitAt::ladder) w = in(s.frequency, unit, std::multiplies<>(), w);
    angles.push_back(plain_angle(s, w, factor, s.unit_at == UnitAt::ladder ? 1 : unit, p));
  }
  std::vector<double> sines, cosines;
  for (const long double angle : angles) {
    const PlainPair pair = plain_pair(s, angle, scale);
    sines.push_back(pair.sine);
    cosines.push_back(pair.cosine);
  }
  return test::plain_places(row, d, sines, cosines);
}

std::vector<double> plain_recipe_row(const Convention& convention, std::int64_t d, const Steps& s, double p,
                                     const PlainScale& scale = {}) {
  const auto [row, factor] = test::plain_axis(convention).value();
  return plain_recipe_row(row, factor, d, s, p, scale);
}

TEST(NamedRecipes, OfEveryOneAxisPresetAreTheirStepsAtEveryWidth) {
  std::int64_t entries = 0;
  for (const Preset& preset : presets()) {
    const bool one_axis = test::plain_axis(preset.convention).has_value();
    for (const Recipe& recipe : recipes()) {
      if (!one_axis || !recipe.steps) continue;
      for (const std::int64_t d : {2, 3, 7, 12, 26}) {
        if (check_width(preset.convention, d)) continue;
        const Rows rows(preset.convention, d, {.recipe = recipe});
        std::vector<double> ours(static_cast<std::size_t>(rows.width()));
        for (const std::int64_t p : {0, 1, 77, -4999}) {
          rows.write(Positions::at(p), view(ours.data(), {1, rows.width()}));
          EXPECT_EQ(ours, plain_recipe_row(preset.convention, d, *recipe.steps, static_cast<double>(p)))
              << preset.name << " by " << recipe.name << ", width " << d << ", position " << p;
          entries += rows.width();
        }
      }
    }
  }
  EXPECT_GT(entries, 8000);
}

TEST(NamedRecipes, OfTimestepsMultiplyTheAngleByTheScale) {
  for (const Recipe& recipe : recipes()) {
    if (!recipe.steps) continue;
    for (const Timestep& step :
         {Timestep{10000, 1, 1, Layout::sine_first}, Timestep{10000, 0, 1000, Layout::cosine_first},
          Timestep{2000, 0.5, 0.1, Layout::sine_first}}) {
      for (const std::int64_t d : {1, 4, 5, 26, 27}) {
        std::vector<double> ours(static_cast<std::size_t>(d));
        for (const double t : {0.0, 1.0, 999.0, 0.1, -333.25}) {
          sinusoid(step, Positions::at(t), view(ours.data(), {1, d}), {.recipe = recipe});
          EXPECT_EQ(ours, plain_recipe_row(step, d, *recipe.steps, t))
              << to_string(Convention(step)) << " by " << recipe.name << ", width " << d << ", step " << t;
        }
      }
    }
  }
}

// The cell of a recipe: each wave from the row of its own axis.
std::vector<double> plain_recipe_cell(const Waves& cells, std::int64_t d, const Steps& s,
                                      const std::vector<std::int64_t>& at) {
  const std::vector<std::int64_t> pairs = test::plain_pairs(cells, d);
  std::vector<std::vector<double>> rows;  // of each axis its sines, then its cosines
  for (std::size_t axis = 0; axis < pairs.size(); ++axis) {
    const Ladder& ladder = cells.ladders[cells.ladders.size() == 1 ? 0 : axis];
    const Sinusoid row = {ladder, Layout::sine_first, OddWidth::refused};
    rows.push_back(plain_recipe_row(row, 1.0, 2 * pairs[axis], s, static_cast<double>(at[axis])));
  }
  std::vector<double> cell;
  for (const test::PlainColumn& column : test::plain_columns(cells, d)) {
    const std::int64_t place = !column.axis ? 0 : column.k + (column.is_cosine ? pairs[*column.axis] : 0);
    cell.push_back(column.axis ? rows[*column.axis][static_cast<std::size_t>(place)] : 0);
  }
  return cell;
}

TEST(NamedRecipes, OfEveryPresetOfSeveralAxesAreTheirStepsInEveryCell) {
  std::int64_t grids = 0;
  for (const Preset& preset : presets()) {
    if (check_use("test", ConventionUse::cells, preset.convention)) continue;
    const Waves& cells = std::get<Waves>(preset.convention);
    if (cells.lead != Lead::nothing || cells.rungs != Rungs::own) continue;  // coordinates_recipe_test.cc
    const std::vector<std::int64_t> extents(cells.axes.size(), 2);
    const std::int64_t count = std::int64_t{1} << extents.size();
    for (const Recipe& recipe : recipes()) {
      for (const std::int64_t d : {8, 12, 15, 32}) {
        if (!recipe.steps || Rows::check(cells, d, {.recipe = recipe})) continue;
        std::vector<double> out(static_cast<std::size_t>(count * d));
        GridChunks(Rows(cells, d, {.recipe = recipe}), extents, DType::f64).write(0, view(out.data(), {count, d}));
        for (std::int64_t cell = 0; cell < count; ++cell) {
          const std::vector<std::int64_t> at = test::plain_coordinates(cells, extents, cell);
          EXPECT_EQ(std::vector(out.begin() + cell * d, out.begin() + (cell + 1) * d),
                    plain_recipe_cell(cells, d, *recipe.steps, at))
              << preset.name << " by " << recipe.name << ", width " << d << ", cell " << cell;
        }
        ++grids;
      }
    }
  }
  EXPECT_GE(grids, 18);  // two widths of mae-2d alone, by nine recipes
}

TEST(Scale, IsAnOperationOnTheRoundedWaves) {
  const Sinusoid rows[] = {
      {Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, OddWidth::refused},
      {Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::lone_sine},
      {Geometric{10000, 1, Spacing::over_gaps_or_one}, Layout::cosine_first, OddWidth::zero_column}};
  for (const Sinusoid& row : rows) {
    for (const std::int64_t d : {1, 2, 7, 12, 26}) {
      const auto width = static_cast<double>(d);
      const std::pair<OutputScale, PlainScale> scales[] = {{0.3, {false, 0.3}},
                                                           {-3.0, {false, -3}},
                                                           {WidthScale::one_over_sqrt_d, {true, std::sqrt(width)}},
                                                           {WidthScale::sqrt_2_over_d, {false, std::sqrt(2 / width)}}};
      for (const auto& [stated, plain] : scales) {
        Waves waves = row;
        waves.scale = stated;
        if (check_width(waves, d)) continue;
        for (const Recipe& recipe : recipes()) {
          if (!recipe.steps) continue;
          const Rows made(waves, d, {.recipe = recipe});
          for (const std::int64_t p : {0, 1, 77, -4999}) {
            std::vector<double> ours(static_cast<std::size_t>(made.width()));
            made.write(Positions::at(p), view(ours.data(), {1, made.width()}));
            EXPECT_EQ(ours, plain_recipe_row(row, d, *recipe.steps, static_cast<double>(p), plain))
                << recipe.name << ", width " << d << ", position " << p << ", scale " << plain.number;
          }
        }
      }
    }
  }
}

TEST(Scale, ThatIsLearnedHasARecipeOnceItIsStated) {
  Waves waves = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};
  waves.scale = LearnedScale{1};
  EXPECT_EQ(said(Rows::check(waves, 8, {.recipe = recipe("f32-exp")})),
            "[convention] learned must be stated: the scale is a factor of the caller's, got none");
}

TEST(Recipe, OfOnesOwnStepsMixesTypes) {
  const Sinusoid row = {Geometric{500, 2, Spacing::over_gaps}, Layout::cosine_first, OddWidth::lone_sine};
  const DType types[] = {DType::f32, DType::f64};
  for (const LadderBy by : {LadderBy::exp, LadderBy::reciprocal, LadderBy::divide, LadderBy::exp_quotient,
                            LadderBy::power, LadderBy::iterated, LadderBy::exp2, LadderBy::divide_of_linspace}) {
    for (int bits = 0; bits < 64; ++bits) {
      const Recipe mine = {"mine", Steps{by,
                                         types[bits & 1],
                                         types[bits >> 1 & 1],
                                         ScalingBy::none,
                                         UnitAt::ladder,
                                         types[bits >> 2 & 1],
                                         ScaleAt::angle,
                                         (bits >> 5 & 1) != 0 ? Sums::fused : Sums::rounded,
                                         types[bits >> 4 & 1],
                                         DecayBy::none,
                                         types[bits >> 3 & 1],
                                         {}}};
      std::vector<double> ours(9);
      Rows(row, 9, {.recipe = mine}).write(Positions::at(31), view(ours.data(), {1, 9}));
      EXPECT_EQ(ours, plain_recipe_row(row, 9, *mine.steps, 31)) << to_string(mine);
    }
  }
}

// ---- storage ------------------------------------------------------------------------------------

// docs/goldens.md: of Whisper's table of width 64, 6 entries are not the real number rounded once, because its files
// hold f64 rounded to f32, then to f16.
TEST(Storage, OfWhisperRoundsToF32ThenToF16) {
  const Convention& whisper = preset("whisper").convention;
  constexpr std::int64_t count = 1500, d = 64;
  std::vector<double> unstored(count * d);
  std::vector<half> twice(count * d), once(count * d), real(count * d);
  const Positions positions = Positions::range(0, count);
  sinusoid(whisper, positions, view(unstored.data(), {count, d}), {.recipe = recipe("f64-exp")});
  sinusoid(whisper, positions, view(once.data(), {count, d}), {.recipe = recipe("f64-exp")});
  sinusoid(whisper, positions, view(twice.data(), {count, d}), {.recipe = preset("whisper").original});
  sinusoid(whisper, positions, view(real.data(), {count, d}));
  int of_two = 0, of_one = 0;
  for (std::size_t i = 0; i < twice.size(); ++i) {
    ASSERT_EQ(twice[i], half(static_cast<float>(unstored[i])));
    of_two += twice[i] != real[i];
    of_one += once[i] != real[i];
  }
  EXPECT_EQ(of_two, 6);
  EXPECT_EQ(of_one, 0);  // rounded from f64 to f16 at once
}

TEST(Storage, RoundsBeforeTheOutputTypeWidens) {
  std::vector<double> stored(12), unstored(12);
  Steps narrow = *recipe("f64-exp").steps;
  narrow.storage = {DType::bf16};
  sinusoid(preset("pytorch").convention, Positions::at(5), view(stored.data(), {1, 12}),
           {.recipe = Recipe{"mine", narrow}});
  sinusoid(preset("pytorch").convention, Positions::at(5), view(unstored.data(), {1, 12}),
           {.recipe = recipe("f64-exp")});
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(stored[i], static_cast<double>(static_cast<float>(bfloat16(static_cast<float>(unstored[i])))));
  }
}

// ---- positions ----------------------------------------------------------------------------------

std::vector<double> row_at(std::int64_t p, const Recipe& recipe) {
  std::vector<double> row(8);
  sinusoid(preset("pytorch").convention, Positions::at(p), view(row.data(), {1, 8}), {.recipe = recipe});
  return row;
}

TEST(RecipePositions, AreRoundedToF32FromInt64AtOnce) {
  const Recipe f32 = recipe("f32-exp");
  constexpr std::int64_t m = std::int64_t{1} << 24, far = std::int64_t{1} << 62;
  EXPECT_EQ(row_at(m + 1, f32), row_at(m, f32));
  EXPECT_EQ(row_at(m + 3, f32), row_at(m + 4, f32));
  EXPECT_EQ(row_at(-m - 1, f32), row_at(-m, f32));
  EXPECT_NE(row_at(m - 1, f32), row_at(m, f32));
  EXPECT_NE(row_at(m + 1, exact()), row_at(m, exact()));
  // 2^62 + 2^38 is half-way between two f32; one more rounds up, although f64 would lose the one.
  EXPECT_EQ(row_at(far + (std::int64_t{1} << 38), f32), row_at(far, f32));
  EXPECT_EQ(row_at(far + (std::int64_t{1} << 38) + 1, f32), row_at(far + (std::int64_t{1} << 39), f32));
}

TEST(RecipePositions, AreRoundedToF64FromInt64) {
  const Recipe f64 = recipe("f64");
  constexpr std::int64_t m = std::int64_t{1} << 53, most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(row_at(m + 1, f64), row_at(m, f64));
  EXPECT_EQ(row_at(m + 3, f64), row_at(m + 4, f64));
  EXPECT_NE(row_at(m - 1, f64), row_at(m, f64));
  EXPECT_EQ(row_at(most, f64), row_at(most - 255, f64));  // both are 2^63
  std::vector<double> mirrored = row_at(-most - 1, f64);
  for (std::size_t i = 0; i < mirrored.size(); i += 2) mirrored[i] = -mirrored[i];
  EXPECT_EQ(row_at(most, f64), mirrored);
}

// ---- listed ladders -----------------------------------------------------------------------------

TEST(ListedLadder, IsUsedToTheBit) {
  const Listed own = {{1, 0x1.23456789ABCDEp-3, 0x1.8p-20, 0}};
  const Sinusoid row = {own, Layout::sine_first, OddWidth::refused};
  for (const std::string_view name : {"exact", "f64", "f64-exp"}) {
    EXPECT_EQ(Rows(row, 8, {.recipe = recipe(name)}).frequencies(), own.frequencies) << name;
  }
  std::vector<double> ours(8);
  sinusoid(row, Positions::at(-37), view(ours.data(), {1, 8}));
  EXPECT_LT(test::distance(ours, test::plain_row(row, 8, -37)), 1e-15);
  EXPECT_EQ(ours[3], 0);
  EXPECT_FALSE(std::signbit(ours[3]));
  EXPECT_EQ(ours[7], 1);
}

TEST(ListedLadder, IsRoundedToTheFrequencyTypeOfARecipe) {
  const Sinusoid row = {Listed{{0.1}}, Layout::sine_first, OddWidth::refused};
  EXPECT_EQ(Rows(row, 2, {.recipe = recipe("f32-exp")}).frequencies()[0], static_cast<double>(0.1f));
}

TEST(ListedLadder, KeepsADivisorOfADividingRecipeToTheBit) {
  float divisor = 1;
  for (int i = 0; i < 1000; ++i, divisor = std::nextafter(divisor * 1.0123f, HUGE_VALF)) {
    const Sinusoid row = {Listed{{1 / static_cast<double>(divisor)}}, Layout::sine_first, OddWidth::refused};
    double out[2];
    sinusoid(row, Positions::at(4999), view(out, {1, 2}), {.recipe = recipe("f32-divide")});
    const float angle = 4999.0f / divisor;
    ASSERT_EQ(out[0], static_cast<double>(static_cast<float>(std::sin(static_cast<long double>(angle))))) << divisor;
  }
}

// ---- beyond a type's range ------------------------------------------------------------------------

TEST(RecipeAngle, BeyondItsTypeIsNoNumberAsInTheOriginalArithmetic) {
  const Sinusoid steep = {Listed{{0x1p120, 1}}, Layout::sine_first, OddWidth::refused};
  const auto check = [&]<class T>(T, const Recipe& recipe) {
    T out[4];
    sinusoid(steep, Positions::at(1000), view(out, {1, 4}), {.recipe = recipe});
    EXPECT_TRUE(std::isnan(static_cast<float>(out[0]))) << recipe.name;
    EXPECT_FALSE(std::isnan(static_cast<float>(out[1])));
    EXPECT_TRUE(std::isnan(static_cast<float>(out[2])));
  };
  Steps steps = *recipe("f32-exp").steps;
  steps.storage = {DType::f16, DType::bf16};
  const Recipe stored = {"mine", steps};
  check(float{}, recipe("f32-exp"));
  check(double{}, recipe("f32-exp"));
  check(half{}, stored);
  check(bfloat16{}, stored);
  float out[4];
  sinusoid(steep, Positions::at(1000), view(out, {1, 4}), {.recipe = recipe("f64")});
  EXPECT_FALSE(std::isnan(out[0]));  // within f64
}

}  // namespace
}  // namespace posenc
