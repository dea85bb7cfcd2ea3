// SPDX-License-Identifier: Apache-2.0
// Recipes: their names, and what each of their fields may be.
#include <gtest/gtest.h>
#include <posenc/recipe.h>

#include <set>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

TEST(Recipes, AreFoundByNameAndExactIsTheFirst) {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) {
    names.push_back(recipe.name);
    EXPECT_EQ(find_recipe(recipe.name), &recipe);
    EXPECT_EQ(posenc::recipe(recipe.name), recipe);
    EXPECT_EQ(said(check_recipe(recipe)), "nothing");
    EXPECT_EQ(recipe.exact(), recipe.name == "exact");
    EXPECT_EQ(recipe.real_by == RealBy::phase, recipe.name == "phase");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"exact",
                                             "f32-exp",
                                             "f32-exp-graph",
                                             "f32-exp-quotient",
                                             "f32-divide",
                                             "f32-reciprocal",
                                             "f32-reciprocal-unit-position",
                                             "f32-reciprocal-unit-angle",
                                             "f32-reciprocal-fused",
                                             "f32-reciprocal-decay-quotient",
                                             "f32-divide-unit-position",
                                             "f32-divide-of-linspace-unit-position",
                                             "f32-power",
                                             "f32-power-of-linspace",
                                             "f32-power-of-linspace-fused",
                                             "f32-octaves",
                                             "f32-exp2",
                                             "f32-exp-blend",
                                             "f32-iterated",
                                             "f32-exp-scaled-position",
                                             "f32-exp-quotient-scaled-position",
                                             "f64",
                                             "f64-exp",
                                             "f64-divide",
                                             "f64-to-f32",
                                             "f64-exp-to-f32",
                                             "f64-divide-to-f32",
                                             "f64-angle-to-f32",
                                             "f64-to-f16",
                                             "phase"}));
  const std::string text =
      "[recipe] name must be that of a recipe, of which f64, exact, f64-exp are nearest, got 'F64'";
  EXPECT_EQ(find_recipe("F64"), nullptr);
  EXPECT_EQ(said(check_recipe("F64")), text);
  EXPECT_EQ(test::thrown([] { recipe("F64"); }), text);
}

TEST(Recipes, PrintTheirRoundingsSoThatNoTwoReadTheSame) {
  EXPECT_EQ(to_string(exact()), "exact: the real number, rounded once");
  EXPECT_EQ(to_string(recipe("f32-exp")),
            "f32-exp: ladder by exp with its constant in f64, frequency f32, angle f32, sine f32");
  EXPECT_EQ(to_string(recipe("f32-exp-quotient")),
            "f32-exp-quotient: ladder by exp_quotient with its constant in f64, frequency f32, angle f32, sine f32");
  EXPECT_EQ(
      to_string(recipe("f64-to-f16")),
      "f64-to-f16: ladder by exp with its constant in f64, frequency f64, angle f64, sine f64, stored as f32, f16");
  EXPECT_EQ(
      to_string(recipe("f32-reciprocal")),
      "f32-reciprocal: ladder by reciprocal, frequency f32, scaled as transformers, angle f32, sine f32, decay of "
      "keys by reciprocal");
  EXPECT_EQ(to_string(recipe("f32-power-of-linspace-fused")),
            "f32-power-of-linspace-fused: ladder by power_of_linspace, frequency f32, angle f32, sums fused, sine f32");
  EXPECT_EQ(to_string(recipe("f64-angle-to-f32")),
            "f64-angle-to-f32: ladder by reciprocal, frequency f64, angle f64, rounded to f32, sine f32");
  EXPECT_EQ(to_string(recipe("f32-exp-scaled-position")),
            "f32-exp-scaled-position: ladder by exp with its constant in f64, frequency f32, angle f32 of the scaled "
            "position, sine f32");
  EXPECT_EQ(to_string(recipe("f32-divide-unit-position")),
            "f32-divide-unit-position: ladder by divide, frequency f32, the unit at the position, angle f32, sine f32");
  EXPECT_EQ(to_string(recipe("f64-divide")), "f64-divide: ladder by divide, frequency f64, angle f64, sine f64");
  EXPECT_EQ(to_string(recipe("f64-divide-to-f32")),
            "f64-divide-to-f32: ladder by divide, frequency f64, angle f64, sine f64, stored as f32");
  EXPECT_EQ(
      to_string(recipe("f64-exp-to-f32")),
      "f64-exp-to-f32: ladder by exp with its constant in f64, frequency f64, angle f64, sine f64, stored as f32");
  std::set<std::string> texts;
  for (Recipe recipe : recipes()) {
    recipe.name = "same";
    texts.insert(to_string(recipe));
  }
  EXPECT_EQ(texts.size(), recipes().size());
  EXPECT_EQ(to_string(LadderBy{}), "no ladder");
  EXPECT_EQ(to_string(ScalingBy{}), "no scaling");
  EXPECT_EQ(to_string(UnitAt{}), "no place");
  EXPECT_EQ(to_string(UnitAt::ladder), "ladder");
  EXPECT_EQ(to_string(ScaleAt{}), "no place");
  EXPECT_EQ(to_string(ScalingBy::none), "none");
  EXPECT_EQ(to_string(ScaleAt::angle), "angle");
  EXPECT_EQ(to_string(Sums{}), "no sums");
  EXPECT_EQ(to_string(Sums::rounded), "rounded");
  EXPECT_EQ(to_string(DecayBy{}), "no decay");
  EXPECT_EQ(to_string(DecayBy::none), "none");
}

std::string check(const Steps& steps) { return said(check_recipe(Recipe{"mine", steps})); }

TEST(CheckRecipe, NamesTheStepThatIsNotStatedOrOfNoAllowedType) {
  const Steps good = *recipe("f32-exp").steps;
  Steps bad = good;
  bad.ladder = {};
  EXPECT_EQ(check(bad), "[recipe] ladder must be stated, got none");
  for (DType Steps::* field : {&Steps::constant, &Steps::frequency, &Steps::angle, &Steps::argument, &Steps::sine}) {
    for (const auto& [type, name] : {std::pair{DType{}, "no type"}, {DType::f16, "f16"}, {DType::i64, "i64"}}) {
      bad = good;
      bad.*field = type;
      EXPECT_EQ(check(bad), std::string("[recipe] steps must be f32 or f64, got ") + name);
    }
  }
  for (const auto& [type, name] : {std::pair{DType{}, "no type"}, {DType::i32, "i32"}}) {
    bad = good;
    bad.storage = {DType::bf16, type};
    EXPECT_EQ(check(bad), std::string("[recipe] storage must be f32, f64, f16 or bf16, got ") + name);
  }
  bad = good;
  bad.scaling = {};
  EXPECT_EQ(check(bad), "[recipe] scaling must be stated, got none");
  bad.scaling = ScalingBy::transformers;
  EXPECT_EQ(check(bad), "[recipe] scaling as transformers must have ladder reciprocal, got exp");
  bad = good;
  bad.unit_at = {};
  EXPECT_EQ(check(bad), "[recipe] unit_at must be stated, got none");
  bad = good;
  bad.scale_at = {};
  EXPECT_EQ(check(bad), "[recipe] scale_at must be stated, got none");
  bad = good;
  bad.sums = {};
  EXPECT_EQ(check(bad), "[recipe] sums must be stated, got none");
  bad = good;
  bad.decay = {};
  EXPECT_EQ(check(bad), "[recipe] decay must be stated, got none");
  bad = good;
  bad.scaling = ScalingBy::quotient;
  EXPECT_EQ(check(bad), "nothing");
  bad.ladder = LadderBy::divide;
  EXPECT_EQ(check(bad), "[recipe] scaling by a quotient must have a ladder of frequencies, got divide");
  EXPECT_NE(check_recipe(Recipe{"mine", Steps{}}), std::nullopt);
  EXPECT_EQ(said(check_recipe(Recipe{"mine", recipe("f32-exp").steps, RealBy::phase})),
            "[recipe] real_by must be rounding beside steps, got phase");
  EXPECT_EQ(said(check_recipe(Recipe{"mine", std::nullopt, RealBy{}})),
            "[recipe] real_by must be rounding or phase, got none");
}

}  // namespace
}  // namespace posenc
