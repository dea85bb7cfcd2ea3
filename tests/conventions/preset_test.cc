// SPDX-License-Identifier: Apache-2.0
// The presets: that every row states its fields, the widths it admits, its formula, odd widths and one frequency. That
// a row is its original is what the goldens prove.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <bit>
#include <numeric>
#include <set>

#include "tests/encodings/plain_cells.h"
#include "tests/encodings/plain_rotary.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

TEST(Presets, StateEveryFieldTheirSourceAndANote) {
  for (const Preset& preset : presets()) {
    EXPECT_EQ(said(check_convention(preset.convention)), "nothing") << preset.name;
    EXPECT_EQ(said(check_recipe(preset.original)), "nothing") << preset.name;
    EXPECT_GT(preset.source.size(), 20u) << preset.name;
    EXPECT_GT(preset.note.size(), 20u) << preset.name;
    EXPECT_EQ(to_string(preset.convention).find("no "), std::string::npos) << preset.name;
    EXPECT_NE(to_string(preset.stage.axes), "no axes") << preset.name;
    EXPECT_TRUE(preset.stage.dropout >= 0 && preset.stage.dropout < 1) << preset.name;
    EXPECT_GT(preset.stage.max_len.value_or(1), 0) << preset.name;
  }
}

TEST(Presets, AreFoundByTheirNamesAndAliasesWhichAreAllDifferent) {
  for (const Preset& row : presets()) {
    EXPECT_EQ(find_preset(row.name), &row) << "another one has its name";
    EXPECT_EQ(&preset(row.name), &row);
    for (const std::string_view alias : row.aliases) EXPECT_EQ(find_preset(alias), &row) << "not the first " << alias;
  }
  EXPECT_EQ(find_preset("Transformer"), nullptr);
  EXPECT_EQ(find_preset(""), nullptr);
}

TEST(Presets, OfAnotherNameTheNearestAreNamed) {
  const std::string text = said(check_preset("wisper"));
  EXPECT_TRUE(text.starts_with("[preset] name must be that of a preset, of which whisper, ")) << text;
  EXPECT_TRUE(text.ends_with(" are nearest, got 'wisper'")) << text;
  EXPECT_EQ(test::thrown([] { preset("wisper"); }), text);
  EXPECT_EQ(said(check_preset(std::string(100'000, 'x'))).size(), said(check_preset(std::string(200'000, 'x'))).size());
}

TEST(Names, WithoutARowHaveAReasonAndAreNoPresets) {
  std::set<std::string_view> names;
  for (const WithoutPreset& each : names_without_preset()) {
    EXPECT_TRUE(each.reason.starts_with("No convention: ") || each.reason.starts_with("Out of scope: "));
    EXPECT_TRUE(each.reason.ends_with('.'));
    for (const std::string_view name : each.names) {
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(find_preset(name), nullptr) << name;
      EXPECT_EQ(find_without_preset(name), &each);
    }
  }
  EXPECT_EQ(find_without_preset("whisper"), nullptr);
  EXPECT_EQ(
      said(check_preset("rwkv")),
      "[preset] name must be that of a preset, which this one is not (No convention: a recurrence knows the order "
      "of tokens), got 'rwkv'");
}

TEST(Axes, HaveNamesAndZeroHasNone) {
  EXPECT_EQ(to_string(Axes::batch_first), "batch_first");
  EXPECT_EQ(to_string(Axes::sequence_first), "sequence_first");
  EXPECT_EQ(to_string(Axes{}), "no axes");
}

// ---- widths -------------------------------------------------------------------------------------

// What the fields say of a width, and the number that breaks it; empty where it is admitted.
std::string rotary_error(const Rotary& rotary, std::int64_t d) {
  const std::int64_t r = test::plain_turned(rotary, d);
  const std::string got = ", got " + std::to_string(r);
  if (r % 2 == 1) return "width must be even" + got;
  if (r < 2 || r > d) return "part must be 2 to " + std::to_string(d) + " columns of a head" + got;
  const Scaling& scaling = std::get<Geometric>(rotary.ladders[0]).scaling;
  const bool is_ntk = std::holds_alternative<NtkScaling>(scaling) || std::holds_alternative<DynamicNtkScaling>(scaling);
  const auto* lists = std::get_if<LongRopeScaling>(&scaling);
  if (lists != nullptr && std::ssize(lists->short_factors) != r / 2) {
    return "longrope must list " + std::to_string(r / 2) + " factors for width " + std::to_string(r) + ", got " +
           std::to_string(lists->short_factors.size());
  }
  return is_ntk && r == 2 ? "width must be more than 2: the scaling divides by it less 2" + got : "";
}

// What the fields say of a width of several axes, with what was got where that is not the width.
std::string width_error_of_cells(const Waves& waves, std::int64_t d) {
  const std::int64_t all = d / 2, columns = 2 * std::ssize(waves.axes);
  const std::vector<std::int64_t> pairs = test::plain_pairs(waves, d);
  const bool filled = waves.rest == RestColumns::refused;
  if (std::holds_alternative<Equal>(waves.sections) && filled && d % columns != 0) {
    return "width must be a multiple of " + std::to_string(columns) + ": each axis has as many pairs";
  }
  if (*std::ranges::max_element(pairs) > all) {  // more pairs than a row has
    return "sections must have " + std::to_string(all) + " pairs for width " + std::to_string(d) + ", got " +
           std::to_string(*std::ranges::max_element(pairs));
  }
  for (std::size_t axis = 0; axis < pairs.size(); ++axis) {
    const auto& ladder = std::get<Geometric>(waves.ladders[waves.ladders.size() == 1 ? 0 : axis]);
    if (pairs[axis] == 1 && ladder.spacing == Spacing::over_gaps) {
      return std::string(waves.axes.size() == 2 ? "half width" : "width of an axis") +
             " must give 2 frequencies or more: the spacing divides by n - 1, got " + std::to_string(2 * pairs[axis]);
    }
  }
  return filled && d % 2 != 0 ? "runs must fill the width, or rest must be zero_columns: width " + std::to_string(d) +
                                    ", got " + std::to_string(2 * all) + " columns"
                              : "";
}

// The same without a scale of its entries.
Convention unscaled(Convention convention) {
  if (auto* waves = std::get_if<Waves>(&convention)) waves->scale = 1.0;
  return convention;
}
long double plain_scale(const Convention& convention, std::int64_t d) {
  const bool scaled = std::get<Waves>(convention).scale == OutputScale(WidthScale::one_over_sqrt_d);
  return scaled ? 1 / std::sqrt(static_cast<long double>(d)) : 1;
}

bool has_angles(const Convention& convention) {
  return std::holds_alternative<Waves>(convention) || std::holds_alternative<Rotary>(convention);
}

// What the fields say of a width of any other family; empty where it is admitted.
std::string width_error(const Convention& convention, std::int64_t d) {
  if (!has_angles(convention)) return "";  // any number of heads, or of columns
  if (!check_use("test", ConventionUse::cells, convention)) return width_error_of_cells(std::get<Waves>(convention), d);
  const auto axis = test::plain_axis(unscaled(convention));
  if (d % 2 == 1 && axis->row.odd_width == OddWidth::refused) return "width must be even";
  if (d % 2 == 1 && axis->row.odd_width == OddWidth::zero_row) {
    return "odd_width zero_row adds a row that no position has: width must be even";
  }
  if (d == 1 && axis->row.odd_width == OddWidth::short_row) return "width must give at least one column";
  if (d == 1 && axis->row.odd_width == OddWidth::repeated_cosine) {
    return "width must give 1 frequency or more: the last column repeats a cosine";
  }
  const Spacing spacing = std::get<Geometric>(axis->row.ladder).spacing;
  const std::int64_t count = test::plain_count(axis->row, d);
  if (count == 0 || test::plain_divisor(spacing, d, count) > 0) return "";
  return spacing == Spacing::over_gaps ? "width must give 2 frequencies or more: the spacing divides by n - 1"
                                       : "width must give a spacing that divides by more than 0";
}

// Of several axes: whether r columns give each axis its pairs.
bool fills_its_axes(const Rotary& rotary, std::int64_t d) {
  const std::int64_t r = test::plain_turned(rotary, d), axes = std::ssize(rotary.axes);
  if (r % 2 != 0 || r < 2 || r > d) return false;
  if (std::holds_alternative<Equal>(rotary.sections)) {
    const auto* geometric = std::get_if<Geometric>(&rotary.ladders[0]);
    const bool ends = geometric != nullptr && geometric->spacing == Spacing::over_gaps;  // of two frequencies or more
    return r % (2 * axes) == 0 && !(ends && r == 2 * axes);
  }
  if (const auto* counts = std::get_if<std::vector<std::int64_t>>(&rotary.sections)) {
    return std::accumulate(counts->begin(), counts->end(), std::int64_t{0}) == r / 2;
  }
  if (const auto* listed = std::get_if<Listed>(&rotary.ladders[0])) return std::ssize(listed->frequencies) == r / 2;
  std::int64_t dealt = 0;
  for (const Stretch& stretch : rotary.deal) dealt += stretch.pairs;
  return dealt == r / 2;
}

// All small widths, and those of heads of which a stated number of columns turns.
std::vector<std::int64_t> widths_of(const Convention& convention) {
  std::vector<std::int64_t> widths(40);
  std::iota(widths.begin(), widths.end(), 1);
  if (std::holds_alternative<Rotary>(convention)) widths.insert(widths.end(), {63, 64, 65, 80, 96, 128, 192, 256, 257});
  return widths;
}

// Waves that plain.h and plain_cells.h cannot say; coordinates_goldens_test.cc proves them at their own widths.
bool is_of_places(const Convention& convention) {
  const auto* waves = std::get_if<Waves>(&convention);
  return waves != nullptr &&
         (!test::is_plain_ladder(waves->ladders[0]) || std::holds_alternative<LearnedScale>(waves->scale) ||
          waves->scale == OutputScale(WidthScale::sqrt_2_over_d));
}

TEST(Presets, AdmitTheWidthsOfTheirFields) {
  for (const Preset& preset : presets()) {
    if (is_of_places(preset.convention)) continue;
    for (const std::int64_t d : widths_of(preset.convention)) {
      const auto* rotary = std::get_if<Rotary>(&preset.convention);
      if (rotary != nullptr && rotary->axes.size() > 1) {
        if (std::holds_alternative<AxisShares>(rotary->sections)) continue;
        EXPECT_EQ(!check_width(preset.convention, d), fills_its_axes(*rotary, d)) << preset.name << " " << d;
        continue;
      }
      std::string rule = rotary != nullptr ? rotary_error(*rotary, d) : width_error(preset.convention, d);
      if (!rule.empty() && rule.find(", got ") == rule.npos) rule += ", got " + std::to_string(d);
      EXPECT_EQ(said(check_width(preset.convention, d)), rule.empty() ? "nothing" : "[convention] " + rule)
          << preset.name;
    }
  }
}

std::vector<long double> plain_row_of(const Convention& convention, std::int64_t d, std::int64_t p) {
  const test::PlainAxis axis = test::plain_axis(unscaled(convention)).value();
  std::vector<long double> row = test::plain_row(axis.row, d, axis.angle_factor * static_cast<long double>(p));
  for (long double& entry : row) entry *= plain_scale(convention, d);
  return row;
}

// The largest distance of the cells of a grid of 3 x 5, 2 x 3 x 5, .. from the formula.
double distance_of_cells(const Waves& waves, std::int64_t d) {
  const std::vector<std::int64_t> sides = {2, 2, 2, 2, 2, 2, 3, 5};
  const std::vector<std::int64_t> extents(sides.end() - std::ssize(waves.axes), sides.end());
  const std::int64_t count = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies());
  std::vector<double> out(static_cast<std::size_t>(count * d));
  GridChunks(Rows(waves, d), extents, DType::f64).write(0, view(out.data(), {count, d}));
  double most = 0;
  for (std::int64_t cell = 0; cell < count; ++cell) {
    const std::vector<std::int64_t> at = test::plain_coordinates(waves, extents, cell);
    const std::vector<double> row(out.begin() + cell * d, out.begin() + (cell + 1) * d);
    most = std::max(most, test::distance(row, test::plain_cell(waves, d, {at.begin(), at.end()})));
  }
  return most;
}

// The largest distance of the rows at 1, 17 and -250, or of a grid's cells, from the formula.
double distance_from_formula(const Convention& convention, std::int64_t d) {
  double most = 0;
  if (!check_use("test", ConventionUse::cells, convention)) return distance_of_cells(std::get<Waves>(convention), d);
  const Rows rows_of(convention, d);
  std::vector<double> row(static_cast<std::size_t>(columns(convention, d)));
  for (const std::int64_t p : {1, 17, -250}) {
    rows_of.write(Positions::at(p), view(row.data(), {1, rows_of.width()}));
    most = std::max(most, test::distance(row, plain_row_of(convention, d, p)));
  }
  return most;
}

// A pair (x, y) = (1, 0) of every frequency turned at position 17: the cosines and sines of its angles, times the
// magnitude.
double distance_from_rotation(const Rotary& rotary, std::int64_t d) {
  const std::int64_t r = test::plain_turned(rotary, d);
  const auto n = static_cast<std::size_t>(r / 2);
  const auto first = static_cast<std::size_t>(rotary.where == HeadEnd::last ? d - r : 0);
  const auto at = [&](bool adjacent, std::size_t k, std::size_t member) {
    return first + (adjacent ? 2 * k + member : k + member * n);
  };
  const bool reads_adjacent = rotary.pairing == Pairing::adjacent;
  const bool writes_adjacent = reads_adjacent && rotary.written == Written::in_place;
  std::vector<float> q(static_cast<std::size_t>(d));
  for (std::size_t k = 0; k < n; ++k) q[at(reads_adjacent, k, 0)] = 1;
  const View row = view(q.data(), {1, 1, 1, d});
  RotaryRows(rotary, d, {.context = {.length = 1}}).rotate(Positions::at(17), Rotated{row, TokenAxis::before_columns});
  std::vector<long double> turned(q.size());
  const std::vector<long double> w = test::plain_frequencies(rotary, r);
  const long double m = test::plain_magnitude(rotary), sign = rotary.turn == TurnTo::backward ? -1 : 1;
  for (std::size_t k = 0; k < n; ++k) {
    turned[at(writes_adjacent, k, 0)] = m * std::cos(17 * w[k]);
    turned[at(writes_adjacent, k, 1)] = m * std::sin(17 * w[k]) * sign;
  }
  return test::distance(q, turned);
}

// What multiplies a slope, for a query at q and a key at k.
long double multiplier(BiasValue value, std::int64_t q, std::int64_t k, std::int64_t last) {
  const std::int64_t by = value == BiasValue::key             ? k
                          : value == BiasValue::key_from_last ? k - last
                          : value == BiasValue::causal        ? k - q
                                                              : -std::abs(q - k);
  return static_cast<long double>(by);
}

// Slopes 2^(-octaves (h + 1) / power); heads beyond the power of two take every second slope of twice as many. Queries
// 2 to 5 and keys -3 to 6.
double distance_from_slopes(const Slopes& slopes, std::int64_t heads) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  std::vector<double> ours(static_cast<std::size_t>(heads * 4 * 10));
  std::vector<long double> plain;
  const std::vector<std::int64_t> all_present(10, 1);
  const bool counts = slopes.over == KeysCounted::present;
  bias(slopes, Positions::range(2, 4), Positions::range(-3, 10), view(ours.data(), {heads, 4, 10}),
       {.context = {.present = counts ? view(all_present.data(), {10}) : ConstView{}}});
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto step = static_cast<long double>(h < power ? 2 * (h + 1) : 2 * (h - power) + 1);
    const long double slope = std::exp2(-slopes.octaves * step / static_cast<long double>(2 * power));
    for (std::int64_t q = 2; q < 6; ++q) {
      for (std::int64_t k = -3; k < 7; ++k) plain.push_back(slope * multiplier(slopes.value, q, k, 6));
    }
  }
  return test::distance(ours, plain);
}

// Tests of their operations have those of other families, and of slopes that are rounded.
bool has_formula_here(const Convention& convention) {
  const auto* slopes = std::get_if<Slopes>(&convention);
  return has_angles(convention) || (slopes != nullptr && slopes->slope_rounding == SlopeRounding::none);
}

TEST(Presets, AreTheFormulaOfTheirFieldsAtEveryAdmittedWidth) {
  for (const Preset& preset : presets()) {
    if (is_of_places(preset.convention)) continue;
    for (const std::int64_t d : widths_of(preset.convention)) {
      if (check_width(preset.convention, d) || !has_formula_here(preset.convention)) continue;
      SCOPED_TRACE(std::string(preset.name) + ", width " + std::to_string(d));
      if (const auto* rotary = std::get_if<Rotary>(&preset.convention)) {
        if (rotary->axes.size() > 1 || !std::holds_alternative<Nothing>(rotary->decay)) continue;  // AxesGoldens
        // Cosine and sine are rounded to f32: those that a magnitude makes 1 or more to a coarser one.
        const bool greater = test::plain_magnitude(*rotary) > 1;
        EXPECT_LE(distance_from_rotation(*rotary, d), (greater ? 2 : 1) * 0x1.0001p-25);
      } else if (const auto* slopes = std::get_if<Slopes>(&preset.convention)) {
        EXPECT_LT(distance_from_slopes(*slopes, d), 1e-14);
      } else {
        EXPECT_LT(distance_from_formula(preset.convention, d), 1e-13);
      }
    }
  }
}

std::vector<float> row_of(std::string_view name, std::int64_t d, std::int64_t p) {
  const Rows rows_of(preset(name).convention, d);
  std::vector<float> row(static_cast<std::size_t>(rows_of.width()), 9.0f);
  rows_of.write(Positions::at(p), view(row.data(), {1, rows_of.width()}));
  return row;
}

const auto sine = [](double x) { return static_cast<float>(std::sin(x)); };
const auto cosine = [](double x) { return static_cast<float>(std::cos(x)); };

TEST(OneFrequency, IsTheFirstWhereTheOriginalWorks) {
  const std::vector<float> pair = {sine(3), cosine(3)};
  for (const std::string_view name :
       {"transformer", "opennmt", "pytorch", "pytorch-divide", "mae-1d", "tf-tutorial", "tensor2tensor"}) {
    EXPECT_EQ(row_of(name, 2, 3), pair) << name;
  }
  EXPECT_EQ(row_of("tf-tutorial", 1, 3), std::vector<float>{sine(3)});
  float cells[2][3][4];
  grid(preset("mae-2d").convention, view(&cells[0][0][0], {2, 3, 4}));
  EXPECT_EQ((std::vector<float>(cells[1][2], cells[1][2] + 4)),
            (std::vector<float>{sine(2), cosine(2), sine(1), cosine(1)}));
}

TEST(OneFrequency, IsAnErrorWhereTheOriginalDividesByZero) {
  for (const auto& [name, d] : {std::pair{"tf-official", 2}, {"tf-official", 3}, {"whisper", 2}}) {
    EXPECT_EQ(
        test::thrown([&] { row_of(name, d, 3); }),
        "[convention] width must give 2 frequencies or more: the spacing divides by n - 1, got " + std::to_string(d));
  }
}

TEST(OddWidth, OfTfTutorialEndsWithASineOfALadderOverTheOddWidth) {
  const std::vector<float> row = row_of("tf-tutorial", 7, 3);
  ASSERT_EQ(row.size(), 7u);
  EXPECT_EQ(row[6], sine(3 * std::pow(10000.0, -6.0 / 7)));
  EXPECT_EQ(row[5], cosine(3 * std::pow(10000.0, -4.0 / 7)));
}

TEST(OddWidth, OfTensor2tensorEndsWithAZeroAfterTheRowOfTheEvenWidth) {
  std::vector<float> even = row_of("tensor2tensor", 6, 3);
  even.push_back(0);
  EXPECT_EQ(row_of("tensor2tensor", 7, 3), even);
  EXPECT_EQ(row_of("tensor2tensor", 1, 3), std::vector<float>{0});
  EXPECT_EQ(row_of("tensor2tensor", 3, 3), (std::vector<float>{sine(3), cosine(3), 0}));
}

TEST(OddWidth, OfTfOfficialIsTheRowOfTheEvenWidth) {
  EXPECT_EQ(row_of("tf-official", 7, 3), row_of("tf-official", 6, 3));
  EXPECT_EQ(row_of("tf-official", 5, 3).size(), 4u);
}

TEST(MinimumTimescale, OfTensor2tensorIsFirstAndBase) {  // min_timescale 2, max_timescale 1000
  Sinusoid convention = *short_form<Sinusoid>(preset("tensor2tensor").convention);
  convention.ladder = Geometric{1000.0 / 2, 2, Spacing::over_gaps_or_one};
  const std::vector<double> w = Rows(convention, 8).frequencies();
  EXPECT_EQ(w.front(), 2);
  EXPECT_EQ(w.back(), 2 * (2.0 / 1000));  // as the original: its timescales run from 1 / 2 to 1000 / 4
}

}  // namespace
}  // namespace posenc
