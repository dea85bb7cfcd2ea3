// SPDX-License-Identifier: Apache-2.0
// The presets: what each row states, the widths it admits, odd widths and one frequency.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "tests/encodings/plain.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

constexpr auto over_width = Spacing::over_width;
constexpr auto batch = Axes::batch_first;
constexpr std::int64_t unlimited = 0;

// The rows again, as the originals are described: a change of a preset is a change of this table. The spacing of a
// timestep is that of its shift.
struct Row {
  std::string_view name, family;
  Spacing spacing;
  Layout layout;
  std::string_view odd_width, original;  // odd width, axis order or pairing
  bool scaled;
  double dropout;
  Axes axes;
  std::int64_t max_len;
};

constexpr Row rows[] = {
    {"transformer", "sinusoid", over_width, Layout::interleaved, "refused", "exact", true, 0.1, batch, unlimited},
    {"opennmt", "sinusoid", over_width, Layout::interleaved, "refused", "f32-exp", true, 0, Axes::sequence_first, 5000},
    {"pytorch-divide", "sinusoid", over_width, Layout::interleaved, "refused", "f32-divide", true, 0.1, batch, 5000},
    {"pytorch", "sinusoid", over_width, Layout::interleaved, "refused", "f32-exp", false, 0, batch, 5000},
    {"tf-official", "sinusoid", Spacing::over_gaps, Layout::sine_first, "short_row", "f32-exp-graph", true, 0.1, batch,
     unlimited},
    {"tensor2tensor", "sinusoid", Spacing::over_gaps_or_one, Layout::sine_first, "zero_column", "f32-exp-graph", true,
     0.1, batch, unlimited},
    {"mae-1d", "sinusoid", over_width, Layout::sine_first, "refused", "f64", false, 0, batch, unlimited},
    {"tf-tutorial", "sinusoid", over_width, Layout::interleaved, "lone_sine", "f64-to-f32", true, 0.1, batch,
     unlimited},
    {"mae-2d", "grid", over_width, Layout::sine_first, "column_first", "f64", false, 0, batch, unlimited},
    {"whisper", "sinusoid", Spacing::over_gaps, Layout::sine_first, "refused", "f64-to-f16", false, 0, batch, 1500},
    {"diffusers-timestep", "timestep", Spacing::over_gaps, Layout::sine_first, "zero_column", "f32-exp-quotient", false,
     0, batch, unlimited},
    {"ddpm", "timestep", Spacing::over_gaps, Layout::sine_first, "zero_column", "f32-exp", false, 0, batch, unlimited},
    {"rope-half", "rotary", over_width, Layout{}, "split_half", "f32-reciprocal", false, 0, batch, unlimited},
    {"rope-pair", "rotary", over_width, Layout{}, "adjacent", "f32-reciprocal", false, 0, batch, unlimited},
    {"alibi", "bias", Spacing{}, Layout{}, "", "exact", false, 0, batch, unlimited},
};

TEST(Presets, StateWhatTheirOriginalsDo) {
  ASSERT_EQ(presets().size(), std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const Preset& preset = presets()[i];
    const Row& row = rows[i];
    SCOPED_TRACE(row.name);
    EXPECT_EQ(preset.name, row.name);
    EXPECT_EQ(family(preset.convention), row.family);
    const Ladder ladder = Geometric{10000, 1, row.spacing};
    if (const auto* sinusoid = std::get_if<Sinusoid>(&preset.convention)) {
      EXPECT_EQ(sinusoid->ladder, ladder);
      EXPECT_EQ(sinusoid->layout, row.layout);
      EXPECT_EQ(to_string(sinusoid->odd_width), row.odd_width);
    } else if (const auto* step = std::get_if<Timestep>(&preset.convention)) {
      EXPECT_EQ(*step, (Timestep{10000, row.spacing == Spacing::over_gaps ? 1.0 : 0.0, 1, row.layout}));
    } else if (const auto* rotary = std::get_if<Rotary>(&preset.convention)) {
      EXPECT_EQ(rotary->ladder, ladder);
      EXPECT_EQ(to_string(rotary->pairing), row.odd_width);
    } else if (const auto* bias = std::get_if<Bias>(&preset.convention)) {
      EXPECT_EQ(bias->octaves, 8);
    } else {
      const Grid& cells = std::get<Grid>(preset.convention);
      EXPECT_EQ(cells.ladder, ladder);
      EXPECT_EQ(cells.layout, row.layout);
      EXPECT_EQ(to_string(cells.axis_order), row.odd_width);
    }
    EXPECT_EQ(preset.original, recipe(row.original));
    EXPECT_EQ(preset.stage.scale, row.scaled ? Scale::sqrt_dim : Scale::none);
    EXPECT_EQ(preset.stage.dropout, row.dropout);
    EXPECT_EQ(preset.stage.axes, row.axes);
    EXPECT_EQ(preset.stage.max_len.value_or(unlimited), row.max_len);
  }
}

TEST(Presets, StateEveryFieldTheirSourceAndANote) {
  for (const Preset& preset : presets()) {
    EXPECT_EQ(said(check_convention(preset.convention)), "nothing") << preset.name;
    EXPECT_EQ(said(check_recipe(preset.original)), "nothing") << preset.name;
    EXPECT_GT(preset.source.size(), 20u) << preset.name;
    EXPECT_GT(preset.note.size(), 20u) << preset.name;
    EXPECT_EQ(to_string(preset.convention).find("no "), std::string::npos) << preset.name;
    EXPECT_NE(to_string(preset.stage.axes), "no axes") << preset.name;
  }
}

TEST(Presets, AreFoundByName) {
  for (const Row& row : rows) {
    EXPECT_EQ(find_preset(row.name), &preset(row.name));
    EXPECT_EQ(preset(row.name).name, row.name);
  }
  EXPECT_EQ(find_preset("Transformer"), nullptr);
  EXPECT_EQ(find_preset(""), nullptr);
  const std::string text =
      "[preset] name must be one of transformer, opennmt, pytorch-divide, pytorch, tf-official, tensor2tensor, mae-1d, "
      "tf-tutorial, mae-2d, whisper, diffusers-timestep, ddpm, rope-half, rope-pair, alibi, got 'bert'";
  EXPECT_EQ(said(check_preset("bert")), text);
  EXPECT_EQ(test::thrown([] { preset("bert"); }), text);
}

TEST(Axes, HaveNamesAndZeroHasNone) {
  EXPECT_EQ(to_string(Axes::batch_first), "batch_first");
  EXPECT_EQ(to_string(Axes::sequence_first), "sequence_first");
  EXPECT_EQ(to_string(Axes{}), "no axes");
}

// ---- widths -------------------------------------------------------------------------------------

std::string width_error(std::string_view name, std::int64_t d) {
  if (name == "mae-2d") return d % 4 == 0 ? "" : "width of a grid must be a multiple of 4";
  if (name == "diffusers-timestep" || name == "ddpm") {
    return d / 2 == 1 ? "width must not give 1 frequency: shift 1 divides by n - 1" : "";
  }
  if (name == "alibi") return "";  // any number of heads
  const bool gaps = name == "tf-official" || name == "whisper";
  if (name != "tf-official" && name != "tensor2tensor" && name != "tf-tutorial" && d % 2 == 1)
    return "width must be even";
  return gaps && d < 4 ? "width must give 2 frequencies or more: the spacing divides by n - 1" : "";
}

TEST(Presets, AdmitTheWidthsOfTheirPage) {
  for (const Preset& preset : presets()) {
    for (std::int64_t d = 1; d <= 40; ++d) {
      const std::string rule = width_error(preset.name, d);
      EXPECT_EQ(said(check_width(preset.convention, d)),
                rule.empty() ? "nothing" : "[convention] " + rule + ", got " + std::to_string(d))
          << preset.name;
    }
  }
}

std::vector<long double> plain_row_of(const Convention& convention, std::int64_t d, std::int64_t p) {
  const auto position = static_cast<long double>(p);
  if (const auto* step = std::get_if<Timestep>(&convention)) return test::plain_row(*step, d, position);
  return test::plain_row(std::get<Sinusoid>(convention), d, position);
}

TEST(Presets, OneAxisRowsAreTheFormulaAtEveryAdmittedWidth) {
  for (const Preset& preset : presets()) {
    if (family(preset.convention) != "sinusoid" && family(preset.convention) != "timestep") continue;
    for (std::int64_t d = 1; d <= 40; ++d) {
      if (check_width(preset.convention, d)) continue;
      const SinusoidRows rows_of(preset.convention, d);
      ASSERT_EQ(rows_of.width(), columns(preset.convention, d));
      std::vector<double> row(static_cast<std::size_t>(rows_of.width()));
      for (const std::int64_t p : {1, 17, -250}) {
        rows_of.write(Positions::at(p), view(row.data(), {1, rows_of.width()}));
        EXPECT_LT(test::distance(row, plain_row_of(preset.convention, d, p)), 1e-13)
            << preset.name << ", width " << d << ", position " << p;
      }
    }
  }
}

std::vector<float> row_of(std::string_view name, std::int64_t d, std::int64_t p) {
  const SinusoidRows rows_of(preset(name).convention, d);
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
  Sinusoid convention = std::get<Sinusoid>(preset("tensor2tensor").convention);
  convention.ladder = Geometric{1000.0 / 2, 2, Spacing::over_gaps_or_one};
  const std::vector<double> w = SinusoidRows(convention, 8).frequencies();
  EXPECT_EQ(w.front(), 2);
  EXPECT_EQ(w.back(), 2 * (2.0 / 1000));  // as the original: its timescales run from 1 / 2 to 1000 / 4
}

}  // namespace
}  // namespace posenc
