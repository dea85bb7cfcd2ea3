// SPDX-License-Identifier: Apache-2.0
// Conventions as values: stated in every field, comparable, printable, and the widths they admit.
#include <gtest/gtest.h>
#include <posenc/convention.h>

#include <limits>
#include <set>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::alibi;
using test::ddpm;
using test::half_rotary;
using test::paper;
using test::paper_grid;
using test::paper_sinusoid;
using test::said;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr Spacing spacings[] = {Spacing::over_width, Spacing::over_gaps, Spacing::over_gaps_or_one};
constexpr Layout layouts[] = {Layout::interleaved, Layout::sine_first, Layout::cosine_first};
constexpr OddWidth odd_widths[] = {OddWidth::refused, OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine};

template <class Family, class Change>
Convention altered(Family family, const Change& change) {
  change(family);
  return family;
}

// Every convention that differs from `paper_sinusoid`, `paper_grid`, `ddpm` or `half_rotary` in one field.
std::vector<Convention> changed() {
  return {
      altered(paper_sinusoid, [](Sinusoid& s) { s.ladder = Geometric{9999, 1, Spacing::over_width}; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.ladder = Geometric{10000, 0.5, Spacing::over_width}; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.ladder = Geometric{10000, 1, Spacing::over_gaps}; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.ladder = Geometric{10000, 1, Spacing::over_gaps_or_one}; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.ladder = Listed{{1, 0.1}}; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.ladder = Listed{{1, 0x1.999999999999bp-4}}; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.layout = Layout::cosine_first; }),
      altered(paper_sinusoid, [](Sinusoid& s) { s.odd_width = OddWidth::lone_sine; }),
      altered(paper_grid, [](Grid& g) { g.ladder = Geometric{9999, 1, Spacing::over_width}; }),
      altered(paper_grid, [](Grid& g) { g.layout = Layout::cosine_first; }),
      altered(paper_grid, [](Grid& g) { g.axis_order = AxisOrder::row_first; }),
      altered(ddpm, [](Timestep& t) { t.max_period = 9999; }),
      altered(ddpm, [](Timestep& t) { t.shift = 0; }),
      altered(ddpm, [](Timestep& t) { t.scale = 1000; }),
      altered(ddpm, [](Timestep& t) { t.layout = Layout::cosine_first; }),
      altered(half_rotary, [](Rotary& r) { r.ladders.front() = Geometric{500000, 1, Spacing::over_width}; }),
      altered(half_rotary, [](Rotary& r) { r.ladders.front() = Listed{{1, 0.1}}; }),
      altered(half_rotary, [](Rotary& r) { r.pairing = Pairing::adjacent; }),
      altered(alibi, [](Bias& b) { b.octaves = 16; }),
      paper_sinusoid,
      paper_grid,
      ddpm,
      half_rotary,
      alibi,
  };
}

TEST(Convention, IsEqualOnlyWhereEveryFieldIs) {
  const std::vector<Convention> all = changed();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) EXPECT_EQ(all[i] == all[j], i == j) << i << " " << j;
  }
}

TEST(Convention, PrintsEveryFieldSoThatNoTwoReadTheSame) {
  std::set<std::string> texts;
  for (const Convention& convention : changed()) texts.insert(to_string(convention));
  EXPECT_EQ(texts.size(), changed().size());
  EXPECT_EQ(to_string(paper_sinusoid),
            "sinusoid: base 10000, first 1, spacing over_width, layout interleaved, odd width refused");
  EXPECT_EQ(to_string(paper_grid),
            "grid: base 10000, first 1, spacing over_width, layout sine_first, axis order column_first");
  EXPECT_EQ(to_string(Sinusoid{Listed{{1, 0.1}}, Layout::sine_first, OddWidth::short_row}),
            "sinusoid: listed frequencies [1, 0.1], layout sine_first, odd width short_row");
  EXPECT_EQ(to_string(Timestep{10000, 0.5, 1000, Layout::cosine_first}),
            "timestep: max_period 10000, shift 0.5, scale 1000, layout cosine_first");
  EXPECT_EQ(to_string(half_rotary), "rotary: base 10000, first 1, spacing over_width, pairing split_half");
}

TEST(Convention, HasAFamily) {
  EXPECT_EQ(family(paper_sinusoid), "sinusoid");
  EXPECT_EQ(family(paper_grid), "grid");
  EXPECT_EQ(family(ddpm), "timestep");
  EXPECT_EQ(family(half_rotary), "rotary");
}

TEST(Enumerators, HaveNamesAndZeroHasNone) {
  std::set<std::string_view> names;
  for (const Spacing s : spacings) names.insert(to_string(s));
  for (const Layout l : layouts) names.insert(to_string(l));
  for (const OddWidth o : odd_widths) names.insert(to_string(o));
  for (const AxisOrder a : {AxisOrder::column_first, AxisOrder::row_first}) names.insert(to_string(a));
  for (const Pairing p : {Pairing::adjacent, Pairing::split_half}) names.insert(to_string(p));
  EXPECT_EQ(names, (std::set<std::string_view>{"over_width", "over_gaps", "over_gaps_or_one", "interleaved",
                                               "sine_first", "cosine_first", "refused", "zero_column", "short_row",
                                               "lone_sine", "column_first", "row_first", "adjacent", "split_half"}));
  EXPECT_EQ(to_string(Spacing{}), "no spacing");
  EXPECT_EQ(to_string(Layout{}), "no layout");
  EXPECT_EQ(to_string(OddWidth{}), "no rule");
  EXPECT_EQ(to_string(AxisOrder{}), "no order");
  EXPECT_EQ(to_string(Pairing{}), "no pairing");
}

// ---- fields that are not stated or out of range -----------------------------------------------------

TEST(CheckConvention, NamesTheFieldThatIsNotStated) {
  const std::pair<Convention, std::string> rows[] = {
      {altered(paper_sinusoid, [](Sinusoid& s) { s.layout = {}; }), "layout must be stated, got none"},
      {altered(paper_sinusoid, [](Sinusoid& s) { s.odd_width = {}; }), "odd_width must be stated, got none"},
      {altered(paper_sinusoid, [](Sinusoid& s) { std::get<Geometric>(s.ladder).base = {}; }),
       "base must be finite and > 0, got 0"},
      {altered(paper_sinusoid, [](Sinusoid& s) { std::get<Geometric>(s.ladder).first = {}; }),
       "first must be finite and > 0, got 0"},
      {altered(paper_sinusoid, [](Sinusoid& s) { std::get<Geometric>(s.ladder).spacing = {}; }),
       "spacing must be stated, got none"},
      {altered(paper_grid, [](Grid& g) { g.layout = {}; }), "layout must be stated, got none"},
      {altered(paper_grid, [](Grid& g) { g.axis_order = {}; }), "axis_order must be stated, got none"},
      {altered(paper_grid, [](Grid& g) { std::get<Geometric>(g.ladder).base = {}; }),
       "base must be finite and > 0, got 0"},
      {altered(half_rotary, [](Rotary& r) { r.pairing = {}; }), "pairing must be stated, got none"},
      {altered(half_rotary, [](Rotary& r) { std::get<Geometric>(r.ladders.front()).base = {}; }),
       "base must be finite and > 0, got 0"},
      {altered(paper_grid, [](Grid& g) { g.layout = static_cast<Layout>(4); }), "layout must be stated, got none"},
      {altered(paper_sinusoid, [](Sinusoid& s) { s.odd_width = static_cast<OddWidth>(255); }),
       "odd_width must be stated, got none"},
      {altered(ddpm, [](Timestep& t) { t.max_period = {}; }), "max_period must be finite and > 0, got 0"},
      {altered(ddpm, [](Timestep& t) { t.scale = {}; }), "scale must be finite and > 0, got 0"},
      {altered(ddpm, [](Timestep& t) { t.layout = {}; }), "layout must be stated, got none"},
      {altered(alibi, [](Bias& b) { b.octaves = {}; }), "octaves must be > 0 and at most 1024, got 0"},
  };
  for (const auto& [convention, rule] : rows) {
    EXPECT_EQ(said(check_convention(convention)), "[convention] " + rule);
    EXPECT_EQ(said(check_width(convention, 8)), "[convention] " + rule);
  }
  EXPECT_NE(check_convention(Sinusoid{}), std::nullopt);
  EXPECT_NE(check_convention(Grid{}), std::nullopt);
  EXPECT_NE(check_convention(Timestep{}), std::nullopt);
  EXPECT_NE(check_convention(Rotary{}), std::nullopt);
  EXPECT_NE(check_convention(Bias{}), std::nullopt);
}

TEST(CheckConvention, RefusesNumbersThatAreNoTimescale) {
  for (const auto& [value, name] : {std::pair{-1.0, "-1"},
                                    {0.0, "0"},
                                    {-0.0, "-0"},
                                    {not_a_number, "nan"},
                                    {-not_a_number, "nan"},
                                    {infinity, "inf"}}) {
    const auto base = altered(paper_sinusoid, [&](Sinusoid& s) { std::get<Geometric>(s.ladder).base = value; });
    const auto first = altered(paper_sinusoid, [&](Sinusoid& s) { std::get<Geometric>(s.ladder).first = value; });
    EXPECT_EQ(said(check_convention(base)), std::string("[convention] base must be finite and > 0, got ") + name);
    EXPECT_EQ(said(check_convention(first)), std::string("[convention] first must be finite and > 0, got ") + name);
    const auto period = altered(ddpm, [&](Timestep& t) { t.max_period = value; });
    const auto scale = altered(ddpm, [&](Timestep& t) { t.scale = value; });
    EXPECT_EQ(said(check_convention(period)),
              std::string("[convention] max_period must be finite and > 0, got ") + name);
    EXPECT_EQ(said(check_convention(scale)), std::string("[convention] scale must be finite and > 0, got ") + name);
  }
  for (const double value : {0x1p-1074, 0.5, 1.0, 0x1.FFFFFFFFFFFFFp1023}) {
    EXPECT_EQ(check_convention(Sinusoid{Geometric{value, value, Spacing::over_gaps}, paper_sinusoid.layout,
                                        paper_sinusoid.odd_width}),
              std::nullopt);
    EXPECT_EQ(check_convention(Timestep{value, 1, value, Layout::cosine_first}), std::nullopt);
  }
}

TEST(CheckConvention, AdmitsShiftsInSixtyFiveThousandthsUpToOne) {
  for (const double shift : {0.0, -0.0, 0x1p-16, 0.5, 1 - 0x1p-16, 1.0}) {
    EXPECT_EQ(check_convention(altered(ddpm, [&](Timestep& t) { t.shift = shift; })), std::nullopt) << shift;
  }
  for (const auto& [shift, name] : {std::pair{-0x1p-16, "-1.52587890625e-05"},
                                    {0x1p-17, "7.62939453125e-06"},
                                    {0.1, "0.1"},
                                    {0x1p-1074, "5e-324"},
                                    {1 + 0x1p-16, "1.0000152587890625"},
                                    {2.0, "2"},
                                    {1e300, "1e+300"},
                                    {infinity, "inf"},
                                    {not_a_number, "nan"}}) {
    EXPECT_EQ(said(check_convention(altered(ddpm, [&](Timestep& t) { t.shift = shift; }))),
              std::string("[convention] shift must be a multiple of 2^-16 from 0 to 1, got ") + name);
  }
}

TEST(CheckConvention, RefusesATimestepWhosePairsAreInterleaved) {
  EXPECT_EQ(said(check_convention(altered(ddpm, [](Timestep& t) { t.layout = Layout::interleaved; }))),
            "[convention] layout must be sine_first or cosine_first, got interleaved");
}

TEST(CheckConvention, RefusesListedFrequenciesByTheirIndex) {
  const auto listed = [](double third) {
    return Sinusoid{Listed{{1, 0, third}}, Layout::interleaved, OddWidth::refused};
  };
  const std::string rule = "[convention] frequencies must be finite and >= 0, got ";
  EXPECT_EQ(said(check_convention(listed(not_a_number))), rule + "nan at [2]");
  EXPECT_EQ(said(check_convention(listed(infinity))), rule + "inf at [2]");
  EXPECT_EQ(said(check_convention(listed(-0x1p-1074))), rule + "-5e-324 at [2]");
  EXPECT_EQ(said(check_convention(listed(-0.0))), "nothing");
  EXPECT_EQ(said(check_convention(listed(0x1p1023))), "nothing");
}

// ---- widths -------------------------------------------------------------------------------------

struct Width {
  Spacing spacing;
  OddWidth odd_width;
};

// The rules once more: an odd width must not be refused, there must be a column, and over_gaps divides by n - 1.
bool admits(const Width& w, std::int64_t d) {
  if (d % 2 == 1 && w.odd_width == OddWidth::refused) return false;
  if (d == 1 && w.odd_width == OddWidth::short_row) return false;
  const std::int64_t n = w.odd_width == OddWidth::lone_sine ? (d + 1) / 2 : d / 2;
  return w.spacing != Spacing::over_gaps || n != 1;
}

TEST(CheckWidth, AdmitsTheWidthsOfEverySpacingAndOddRule) {
  for (const Spacing spacing : spacings) {
    for (const OddWidth odd : odd_widths) {
      for (const Layout layout : layouts) {
        const Sinusoid convention = {Geometric{10000, 1, spacing}, layout, odd};
        for (std::int64_t d = 1; d <= 40; ++d) {
          EXPECT_EQ(check_width(convention, d) == std::nullopt, admits({spacing, odd}, d))
              << to_string(convention) << ", width " << d << ": " << said(check_width(convention, d));
        }
      }
    }
  }
}

TEST(CheckWidth, SaysWhichRuleAWidthBreaks) {
  const Sinusoid gaps = {Geometric{10000, 1, Spacing::over_gaps}, Layout::sine_first, OddWidth::short_row};
  const Sinusoid cut = {paper, Layout::sine_first, OddWidth::short_row};
  EXPECT_EQ(said(check_width(paper_sinusoid, 7)), "[convention] width must be even, got 7");
  EXPECT_EQ(said(check_width(gaps, 3)),
            "[convention] width must give 2 frequencies or more: the spacing divides by n - 1, got 3");
  EXPECT_EQ(said(check_width(cut, 1)), "[convention] width must give at least one column, got 1");
  for (const std::int64_t d : {std::int64_t{0}, std::int64_t{-2}, (std::int64_t{1} << 30) + 2}) {
    EXPECT_EQ(said(check_width(paper_sinusoid, d)), "[convention] width must be 1 to 2^30, got " + std::to_string(d));
  }
  EXPECT_EQ(said(check_width(paper_sinusoid, std::int64_t{1} << 30)), "nothing");
}

TEST(CheckWidth, OfAListedLadderIsItsNumberOfFrequencies) {
  const auto listed = [](std::size_t n, OddWidth odd) {
    return Sinusoid{Listed{std::vector<double>(n, 1.0)}, Layout::sine_first, odd};
  };
  EXPECT_EQ(said(check_width(listed(3, OddWidth::refused), 6)), "nothing");
  EXPECT_EQ(said(check_width(listed(3, OddWidth::zero_column), 7)), "nothing");
  EXPECT_EQ(said(check_width(listed(4, OddWidth::lone_sine), 7)), "nothing");
  EXPECT_EQ(said(check_width(listed(0, OddWidth::zero_column), 1)), "nothing");
  EXPECT_EQ(said(check_width(listed(3, OddWidth::refused), 8)),
            "[convention] the ladder must list 4 frequencies for width 8, got 3");
  EXPECT_EQ(said(check_width(Grid{Listed{{1, 2}}, Layout::sine_first, AxisOrder::row_first}, 8)), "nothing");
  EXPECT_EQ(said(check_width(Grid{Listed{{1, 2}}, Layout::sine_first, AxisOrder::row_first}, 4)),
            "[convention] the ladder must list 1 frequencies for half width 2, got 2");
}

TEST(CheckWidth, OfAGridIsAMultipleOfFour) {
  for (std::int64_t d = -4; d <= 40; ++d) {
    EXPECT_EQ(
        said(check_width(paper_grid, d)),
        d > 0 && d % 4 == 0 ? "nothing"
        : d < 1 ? "[convention] width must be 1 to 2^30, got " + std::to_string(d)
                : "[convention] width must be a multiple of 4: each axis has as many pairs, got " + std::to_string(d));
  }
  const Grid gaps = {Geometric{10000, 1, Spacing::over_gaps}, Layout::sine_first, AxisOrder::column_first};
  EXPECT_EQ(said(check_width(gaps, 4)),
            "[convention] half width must give 2 frequencies or more: the spacing divides by n - 1, got 2");
  EXPECT_EQ(said(check_width(gaps, 8)), "nothing");
}

TEST(CheckWidth, OfATimestepIsAnyThatDoesNotDivideByZero) {
  for (const double shift : {0.0, 0.5, 1 - 0x1p-16, 1.0}) {
    const Convention shifted = altered(ddpm, [&](Timestep& t) { t.shift = shift; });
    for (std::int64_t d = 1; d <= 40; ++d) {
      EXPECT_EQ(said(check_width(shifted, d)),
                d / 2 == 1 && shift == 1
                    ? "[convention] width must give 2 frequencies or more: the spacing divides by n - 1, got " +
                          std::to_string(d)
                    : "nothing");
    }
  }
  for (const std::int64_t d : {std::int64_t{0}, std::int64_t{-2}, (std::int64_t{1} << 30) + 1}) {
    EXPECT_EQ(said(check_width(ddpm, d)), "[convention] width must be 1 to 2^30, got " + std::to_string(d));
  }
}

TEST(CheckWidth, OfARotationIsEven) {
  for (std::int64_t d = 1; d <= 40; ++d) {
    EXPECT_EQ(said(check_width(half_rotary, d)),
              d % 2 == 0 ? "nothing" : "[convention] width must be even, got " + std::to_string(d));
  }
  EXPECT_EQ(said(check_width(half_rotary, 0)), "[convention] width must be 1 to 2^30, got 0");
  EXPECT_EQ(said(check_width(Rotary{Listed{{1, 2}}, Pairing::adjacent}, 4)), "nothing");
  EXPECT_EQ(said(check_width(Rotary{Listed{{1, 2}}, Pairing::adjacent}, 6)),
            "[convention] the ladder must list 3 frequencies for width 6, got 2");
}

TEST(Columns, AreTheWidthExceptForShortRows) {
  for (const OddWidth odd : odd_widths) {
    for (std::int64_t d = 1; d <= 9; ++d) {
      const std::int64_t expected = odd == OddWidth::short_row && d % 2 == 1 ? d - 1 : d;
      EXPECT_EQ(columns(Sinusoid{paper, Layout::sine_first, odd}, d), expected);
    }
  }
  EXPECT_EQ(columns(paper_grid, 8), 8);
  EXPECT_EQ(columns(ddpm, 7), 7);
  EXPECT_EQ(columns(half_rotary, 8), 8);
}

}  // namespace
}  // namespace posenc
