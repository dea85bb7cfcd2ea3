// SPDX-License-Identifier: Apache-2.0
// Explanations: digits against MPFR, bits against the tables, steps that end where the tables do.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/preset.h>
#include <posenc/referee/explain.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/value.h"

namespace posenc {
namespace {

using oracle::Value;

constexpr Context any_context = {.length = 8192, .centre = 3, .learned = 1.25};

// The number to so many significant digits, without its sign, point and exponent, by MPFR alone.
std::string digits_of(const Value& x, std::size_t count) {
  mpfr_exp_t exponent = 0;
  char* text = mpfr_get_str(nullptr, &exponent, 10, count, x.get(), MPFR_RNDN);
  std::string digits = text[0] == '-' ? text + 1 : text;
  mpfr_free_str(text);
  return digits;
}

// Those of a decimal as it is printed.
std::string digits_of(const Decimal& decimal) {
  std::string digits;
  for (const char c : decimal.text.substr(0, decimal.text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

Value value_of(const Decimal& decimal) {
  Value x(0);
  EXPECT_EQ(0, mpfr_set_str(x.get(), decimal.text.c_str(), 10, MPFR_RNDN)) << decimal.text;
  return x;
}

Explanation at(std::string_view name, std::int64_t dim, std::int64_t column, Positions position,
               const Recipe& recipe = exact()) {
  return explain(preset(name).convention, {.dim = dim, .column = column, .at = {position}}, {.recipe = recipe});
}

// ---- digits -------------------------------------------------------------------------------------

TEST(Explain, FortyDigitsOfTheFrequencyTheAngleTheTurnsAndTheEntry) {
  for (const std::int64_t p : std::initializer_list<std::int64_t>{1, 7, 1000000, 2147483649, INT64_MAX}) {
    for (const int k : {1, 18, 100, 255}) {
      const Explanation told = at("transformer", 512, 2 * k + 1, Positions::at(p));
      const Value w = pow(Value(10000), Value(-2 * k) / Value(512)), x = oracle::whole(p) * w;
      ASSERT_EQ(1u, told.entries.size());
      const ExplainedEntry& entry = told.entries[0];
      ASSERT_TRUE(entry.angle);
      EXPECT_EQ(digits_of(w, 40), digits_of(entry.angle->terms[0].w));
      EXPECT_EQ(digits_of(x, 40), digits_of(entry.angle->radians));
      EXPECT_EQ(digits_of(x / (Value(2) * oracle::pi()), 40), digits_of(entry.angle->turns));
      EXPECT_EQ(digits_of(cos(x), 40), digits_of(entry.exact));
      EXPECT_EQ(40, entry.exact.digits);
      EXPECT_FALSE(entry.exact.exact);
      Value reduced(0);
      mpfr_remainder(reduced.get(), x.get(), (Value(2) * oracle::pi()).get(), MPFR_RNDN);
      EXPECT_EQ(digits_of(reduced, 40), digits_of(entry.angle->reduced));
    }
  }
}

TEST(Explain, WhatIsRationalIsToldInFull) {
  const Explanation zero = at("transformer", 512, 37, Positions::at(0));
  EXPECT_EQ((Decimal{"1", 40, true}), zero.entries[0].exact);
  EXPECT_EQ("0", zero.entries[0].angle->radians.text);
  EXPECT_EQ("0", zero.entries[0].angle->reduced.text);
  const Explanation first = at("transformer", 512, 0, Positions::at(2.5));
  EXPECT_EQ("1", first.entries[0].angle->terms[0].formula);
  EXPECT_EQ("2.5", first.entries[0].angle->radians.text);
  EXPECT_TRUE(first.entries[0].angle->radians.exact);
}

TEST(Explain, TheRuleIsTheLaddersAndTheFormulaInLowestTerms) {
  const Explanation told = at("transformer", 512, 37, Positions::at(1000000));
  EXPECT_EQ("10000^(-36/512)", told.entries[0].angle->terms[0].rule);
  EXPECT_EQ("10^(-9/32)", told.entries[0].angle->terms[0].formula);
  EXPECT_EQ("the cosine of frequency 18 of axis position", told.entries[0].what);
  EXPECT_EQ("column 37 of 512 at position 1000000", told.title);
}

TEST(Explain, NegativeAndSubnormalPositions) {
  const Explanation negative = at("transformer", 8, 2, Positions::at(-3));
  EXPECT_EQ(digits_of(sin(Value(3) / Value(10)), 40), digits_of(negative.entries[0].exact));
  EXPECT_EQ('-', negative.entries[0].exact.text[0]);
  const Explanation tiny = at("transformer", 8, 0, Positions::at(0x1p-1074));
  EXPECT_EQ(digits_of(sin(Value(0x1p-1074)), 40), digits_of(tiny.entries[0].exact));
  EXPECT_EQ(1u, tiny.entries[0].rounded[1].bits);
}

// ---- bits ---------------------------------------------------------------------------------------

double rounded_to(DType type, const Value& x) {
  switch (type) {
    case DType::f64: return oracle::rounded(x, oracle::f64);
    case DType::f16: return oracle::rounded(x, oracle::f16);
    case DType::bf16: return oracle::rounded(x, oracle::bf16);
    default: return oracle::rounded(x, oracle::f32);
  }
}

double rounded_to(DType type, double x) {
  if (type == DType::f32) return static_cast<double>(static_cast<float>(x));
  if (type == DType::f64 || std::isnan(x)) return x;
  return rounded_to(type, Value(x));
}

// The least width from 12 on that it admits, or one below.
std::optional<std::int64_t> dim_of(const Convention& convention, EntryAsked asked, const Recipe& recipe) {
  constexpr std::int64_t most = 512;
  for (std::int64_t i = 0; i < most; ++i) {
    asked.dim = (11 + i) % most + 1;
    if (!check_explain(convention, asked, {.recipe = recipe, .context = any_context})) return asked.dim;
  }
  return std::nullopt;
}

// Columns from the first to the last, as many as tell every kind apart.
std::vector<std::int64_t> some_columns(std::int64_t width) {
  std::vector<std::int64_t> columns = {0, 1, width / 4, width / 2, width - 2, width - 1};
  std::erase_if(columns, [&](std::int64_t c) { return c < 0 || c >= width; });
  return columns;
}

std::vector<Positions> on_every_axis(const Convention& convention, double first) {
  std::vector<Positions> lists;
  for (std::size_t axis = 0; axis < axes_of(convention).size(); ++axis) {
    lists.push_back(Positions::at(first + static_cast<double>(axis)));
  }
  return lists;
}

template <class T>
std::vector<double> row_of(const Rows& rows, const std::vector<Positions>& lists) {
  std::vector<T> row(static_cast<std::size_t>(rows.width()));
  rows.write(lists, view(row.data(), {1, rows.width()}));
  std::vector<double> wide;
  for (const T value : row) {
    if constexpr (std::is_same_v<T, double>) wide.push_back(value);
    if constexpr (!std::is_same_v<T, double>) wide.push_back(static_cast<double>(static_cast<float>(value)));
  }
  return wide;
}

std::vector<double> row_of(DType type, const Rows& rows, const std::vector<Positions>& lists) {
  switch (type) {
    case DType::f64: return row_of<double>(rows, lists);
    case DType::f16: return row_of<half>(rows, lists);
    case DType::bf16: return row_of<bfloat16>(rows, lists);
    default: return row_of<float>(rows, lists);
  }
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(Explain, TheDigitsOfEveryPresetRoundToTheBitsOfItsTable) {
  int entries = 0;
  for (const Preset& each : presets()) {
    if (!std::holds_alternative<Waves>(each.convention)) continue;
    EntryAsked asked = {.at = on_every_axis(each.convention, 5)};
    const auto dim = dim_of(each.convention, asked, exact());
    ASSERT_TRUE(dim) << each.name;
    asked.dim = *dim;
    const Rows rows(each.convention, *dim, {.context = any_context});
    for (const std::int64_t column : some_columns(rows.width())) {
      asked.column = column;
      const Explanation told = explain(each.convention, asked, {.context = any_context});
      const Value exact_value = value_of(told.entries[0].exact);
      ASSERT_EQ(4u, told.entries[0].rounded.size());
      for (const RoundedValue& value : told.entries[0].rounded) {
        EXPECT_EQ(row_of(value.type, rows, asked.at)[static_cast<std::size_t>(column)], value.value) << each.name;
        EXPECT_EQ(rounded_to(value.type, exact_value), value.value) << each.name << " column " << column;
        ASSERT_TRUE(value.units) << each.name;
        EXPECT_LE(std::abs(*value.units), 0.5) << each.name;
        ++entries;
      }
    }
  }
  EXPECT_GT(entries, 500);
}

TEST(Explain, TheStepsOfEveryRecipeAndPresetEndAtTheBitsOfItsTable) {
  int checked = 0;
  for (const Preset& each : presets()) {
    if (!std::holds_alternative<Waves>(each.convention)) continue;
    for (const Recipe& recipe : recipes()) {
      for (const double first : {70001.0, 0.0}) {
        if (first == 0 && !(recipe == each.original)) continue;
        EntryAsked asked = {.at = on_every_axis(each.convention, first)};
        const auto dim = recipe.exact() ? std::nullopt : dim_of(each.convention, asked, recipe);
        if (!dim) continue;
        asked.dim = *dim;
        const Rows rows(each.convention, *dim, {.recipe = recipe, .context = any_context});
        for (const std::int64_t column : {std::int64_t{0}, rows.width() / 2, rows.width() - 1}) {
          asked.column = column;
          const ExplainedEntry entry =
              explain(each.convention, asked, {.recipe = recipe, .context = any_context}).entries[0];
          ASSERT_EQ(entry.steps.empty(), !recipe.steps) << each.name << " " << recipe.name;
          for (const RoundedValue& value : entry.recipe) {
            const double table = row_of(value.type, rows, asked.at)[static_cast<std::size_t>(column)];
            EXPECT_TRUE(same_number(table, value.value)) << each.name << " " << recipe.name;
            if (!recipe.steps) continue;
            EXPECT_TRUE(same_number(table, rounded_to(value.type, entry.steps.back().value)))
                << each.name << " " << recipe.name << " column " << column << " at " << first << ": "
                << entry.steps.back().value << ", not " << table;
            ++checked;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 5000);
}

TEST(Explain, AStepSaysWhatItLost) {
  const Explanation told = at("transformer", 512, 37, Positions::at(1000000), recipe("f32-exp"));
  const std::vector<ExplainedStep>& steps = told.entries[0].steps;
  const auto step = [&](std::string_view name) {
    const auto found = std::ranges::find(steps, name, &ExplainedStep::name);
    EXPECT_NE(steps.end(), found) << name;
    return *found;
  };
  const Value w = pow(Value(10000), Value(-36) / Value(512)), x = Value(1000000) * w;
  const ExplainedStep frequency = step("frequency"), angle = step("angle");
  const auto relative = [](double made, const Value& meant) {
    return oracle::rounded(Value(made) / meant - Value(1), oracle::f64);
  };
  EXPECT_EQ(relative(frequency.value, w), *frequency.relative);
  EXPECT_NEAR(*frequency.relative * 1e6 * oracle::rounded(w, oracle::f64), *frequency.angle, 1e-9);
  EXPECT_EQ(oracle::rounded(Value(angle.value) - x, oracle::f64), *angle.angle);
  EXPECT_EQ(static_cast<float>(angle.value), static_cast<float>(frequency.value) * 1e6f);
  EXPECT_GT(std::abs(*told.entries[0].recipe[0].units), 1000);  // at a million f32 angles are worth little
}

// First order is told; an error in the logarithm of the base is what it makes of the frequency.
TEST(Explain, EveryStepOfTheLadderSaysWhatItMakesOfTheAngle) {
  for (const std::string_view name : {"f32-exp", "f32-exp-quotient", "f32-reciprocal", "f32-power", "f32-divide"}) {
    const Explanation told = at("transformer", 512, 301, Positions::at(1000), recipe(name));
    const std::vector<ExplainedStep>& steps = told.entries[0].steps;
    const auto last = std::ranges::find_if(steps, [](const auto& s) { return s.name == "angle"; });
    ASSERT_NE(steps.end(), last) << name;
    double so_far = 0;
    for (auto step = steps.begin(); step != last; ++step) {
      if (step->name == "position") continue;
      if (step->angle) so_far = *step->angle;
    }
    // What the product itself rounds off is at most half a unit of an f32 of that size.
    EXPECT_NEAR(*last->angle, so_far, std::ldexp(1.0, std::ilogb(last->value) - 23)) << name;
  }
}

// ---- rotations ----------------------------------------------------------------------------------

TEST(Explain, ARotationTellsItsPairBeforeAndAfter) {
  const Convention half = preset("rope-half").convention;
  const Explanation told = explain(half, {.dim = 64, .column = 37, .at = {Positions::at(10)}, .before = {3, -4}});
  ASSERT_EQ(2u, told.entries.size());
  ASSERT_TRUE(told.pair);
  EXPECT_EQ(5, told.pair->pair);
  EXPECT_EQ((std::array<std::int64_t, 2>{5, 37}), told.pair->read);
  const Value x = Value(10) * pow(Value(10000), Value(-10) / Value(64));
  EXPECT_EQ(digits_of(Value(3) * cos(x) + Value(4) * sin(x), 40), digits_of(told.pair->exact[0]));
  EXPECT_EQ(digits_of(Value(3) * sin(x) - Value(4) * cos(x), 40), digits_of(told.pair->exact[1]));
  const auto c = static_cast<float>(oracle::rounded(cos(x), oracle::f32));
  const auto s = static_cast<float>(oracle::rounded(sin(x), oracle::f32));
  EXPECT_EQ(3 * c - -4 * s, told.pair->after[0]);
  EXPECT_EQ(static_cast<double>(c), told.entries[0].rounded[0].value);
  EXPECT_EQ(static_cast<double>(s), told.entries[1].rounded[0].value);
}

TEST(Explain, EveryRotationUnderItsRecipeEndsAtTheBitsOfItsPair) {
  int checked = 0;
  for (const Preset& each : presets()) {
    if (!std::holds_alternative<Rotary>(each.convention)) continue;
    for (const Recipe& recipe : {exact(), each.original}) {
      EntryAsked asked = {.at = on_every_axis(each.convention, 77)};
      const auto dim = dim_of(each.convention, asked, recipe);
      if (!dim) continue;
      asked.dim = *dim;
      for (const std::int64_t column : some_columns(*dim)) {
        asked.column = column;
        const Explanation told = explain(each.convention, asked, {.recipe = recipe, .context = any_context});
        if (!told.pair) continue;
        std::vector<float> head(static_cast<std::size_t>(*dim));
        head[static_cast<std::size_t>(told.pair->read[0])] = 1;
        const View all = view(head.data(), {1, *dim});
        const Rotated one[] = {Rotated(all, RotatedSide::query)};
        RotaryRows(each.convention, *dim, {.recipe = recipe, .context = any_context}).rotate(asked.at, one);
        for (std::size_t i = 0; i < 2; ++i) {
          const float turned = head[static_cast<std::size_t>(told.pair->written[i])];
          EXPECT_EQ(turned, told.pair->after[i]) << each.name;
          const ExplainedEntry& entry = told.entries[i];
          if (recipe.exact()) {
            EXPECT_EQ(rounded_to(DType::f32, value_of(entry.exact)), static_cast<double>(turned)) << each.name;
          } else {
            EXPECT_EQ(entry.steps.back().value, static_cast<double>(turned)) << each.name << " " << recipe.name;
          }
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 300);
}

TEST(Explain, AColumnThatDoesNotTurnIsCopied) {
  const Explanation told = at("gpt-neox", 64, 40, Positions::at(3));
  EXPECT_FALSE(told.pair);
  EXPECT_EQ("no pair has the column: it is copied", told.entries[0].what);
}

// ---- other families -----------------------------------------------------------------------------

TEST(Explain, ASlopeAndItsBias) {
  const Convention alibi = preset("alibi").convention;
  const EntryAsked asked = {.dim = 12, .column = 8, .at = {Positions::at(10), Positions::at(3)}};
  const Explanation told = explain(alibi, asked);
  ASSERT_EQ(2u, told.entries.size());
  EXPECT_EQ(digits_of(pow(Value(2), Value(-0.5)), 40), digits_of(told.entries[0].exact));
  EXPECT_EQ(digits_of(Value(7) * pow(Value(2), Value(-0.5)), 40), digits_of(told.entries[1].exact));
  std::vector<float> out(12);
  bias(alibi, asked.at[0], asked.at[1], view(out.data(), {12, 1, 1}));
  EXPECT_EQ(static_cast<double>(out[8]), told.entries[1].rounded[0].value);
}

TEST(Explain, AClassOfAPair) {
  const Convention t5 = preset("t5").convention;
  const EntryAsked asked = {.at = {Positions::at(100), Positions::at(3)}};
  std::int64_t found = -1;
  buckets(t5, asked.at[0], asked.at[1], view(&found, {1, 1}));
  EXPECT_EQ(std::to_string(found), explain(t5, asked).entries[0].exact.text);
}

TEST(Explain, AFactorOfAQuery) {
  const Explanation told = explain(preset("llama4-temperature").convention, {.at = {Positions::at(100000)}});
  const Value factor = Value(1) + Value(0.1) * log(Value(1) + Value(12));  // floor(100001 / 8192) steps
  EXPECT_EQ(digits_of(factor, 40), digits_of(told.entries[0].exact));
}

TEST(Explain, AStoredRow) {
  EXPECT_EQ("9", explain(preset("bart").convention, {.at = {Positions::at(7)}}).entries[0].exact.text);
}

// ---- what is refused ----------------------------------------------------------------------------

std::string refused(std::string_view name, const EntryAsked& asked, const Recipe& recipe = exact()) {
  const auto problem = check_explain(preset(name).convention, asked, {.recipe = recipe});
  return problem ? problem->message() : "";
}

TEST(Explain, ErrorsNameTheRule) {
  EXPECT_EQ("[explain] column must be 0 to 511, got 512",
            refused("transformer", {.dim = 512, .column = 512, .at = {Positions::at(1)}}));
  EXPECT_EQ("[explain] column must be 0 to 511, got -1",
            refused("transformer", {.dim = 512, .column = -1, .at = {Positions::at(1)}}));
  EXPECT_EQ("[explain] a position must be given for each of position, got 0",
            refused("transformer", {.dim = 512, .column = 1}));
  EXPECT_EQ("[explain] one position must be given for each of position, got 2",
            refused("transformer", {.dim = 512, .column = 1, .at = {Positions::range(0, 2)}}));
  EXPECT_EQ("[explain] the recipe must be exact for slopes, got f32-exp",
            refused("alibi", {.dim = 8, .at = {Positions::at(1), Positions::at(0)}}, recipe("f32-exp")));
  EXPECT_EQ("[explain] the head must be 0 to 7, got 8",
            refused("alibi", {.dim = 8, .column = 8, .at = {Positions::at(1), Positions::at(0)}}));
  EXPECT_NE("", refused("swinv2-cpb", {.dim = 8, .at = {Positions::at(1), Positions::at(0)}}));
  EXPECT_NE("", refused("swin-window", {.dim = 8, .at = {Positions::at(1), Positions::at(0)}}));
  EXPECT_NE("", refused("transformer", {.dim = 511, .at = {Positions::at(1)}}));
  EXPECT_NE("", refused("transformer", {.dim = 0, .at = {Positions::at(1)}}));
  EXPECT_NE("", refused("transformer", {.dim = 8, .at = {Positions::at(std::nan(""))}}));
}

TEST(Explain, TheTextHasEveryNumber) {
  const std::string text = to_string(at("transformer", 512, 37, Positions::at(1000000), recipe("f32-exp")));
  for (const std::string_view part :
       {"10000^(-36/512) = 10^(-9/32)", "the cosine of frequency 18", "reduced", "exact", "0x",
        "units in the last place", "rounding by rounding", "under it the entry is"}) {
    EXPECT_NE(std::string::npos, text.find(part)) << part << "\n" << text;
  }
}

// ---- partings -----------------------------------------------------------------------------------

TEST(Parting, OfAxesInAnotherOrder) {
  const auto found = parting(preset("mae-2d").convention, preset("mocov3-2d").convention, 64, 100);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column, 0);
  EXPECT_NE(found->a.find("of axis x"), std::string::npos) << found->a;
  EXPECT_NE(found->b.find("of axis y"), std::string::npos) << found->b;
  EXPECT_EQ(found->position, 0);
  EXPECT_NE(to_string(*found).find("first in f32 at x 0, y 1, column 0"), std::string::npos) << to_string(*found);
}

TEST(Parting, EqualConventionsDoNotPart) {
  EXPECT_FALSE(parting(preset("transformer").convention, preset("transformer").convention, 64, 100));
}

TEST(Parting, TwoSpacingsPartAtTheSecondFrequency) {
  const Convention a = preset("transformer").convention;
  const Convention b = with_field(a, "ladder.spacing", "over_gaps");
  const auto found = parting(a, b, 8, 100);
  ASSERT_TRUE(found);
  EXPECT_EQ(2, found->column);
  EXPECT_EQ("sine, w = 1/10", found->a);
  EXPECT_EQ("sine, w = 1/10 10^(-1/3)", found->b);
  EXPECT_EQ(1, found->position);
  EXPECT_EQ(2, found->at_column);
  EXPECT_EQ(static_cast<double>(static_cast<float>(std::sin(0.1))), found->in_a);
}

TEST(Parting, ABasePartsLateInF32) {
  const Convention a = preset("transformer").convention;
  const auto found = parting(a, with_field(a, "ladder.base", 10000.0001), 8, 4096);
  ASSERT_TRUE(found);
  EXPECT_EQ(2, found->column);
  ASSERT_TRUE(found->position);
  EXPECT_GT(*found->position, 1);
}

TEST(Parting, PairingsPartAtTheFirstColumn) {
  const Convention a = preset("rope-half").convention;
  const auto found = parting(a, with_field(a, "pairing", "adjacent"), 8, 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(0, found->column);
  EXPECT_EQ(1, found->position);
}

TEST(Parting, WhatCannotBeComparedIsRefused) {
  EXPECT_TRUE(check_parting(preset("transformer").convention, preset("rope-half").convention, 8, 10));
  EXPECT_TRUE(check_parting(preset("transformer").convention, preset("transformer").convention, 8, 0));
  EXPECT_TRUE(check_parting(preset("alibi").convention, preset("alibi").convention, 8, 10));
}

}  // namespace
}  // namespace posenc
