// SPDX-License-Identifier: Apache-2.0
// Conformance: every preset has a case or a reason, values are the operations' own, scores say what was planted.
#include <gtest/gtest.h>
#include <posenc/referee/conformance.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/oracle/value.h"

namespace posenc {
namespace {

const ConformanceCases& all_cases() {
  static const ConformanceCases all = conformance_cases();
  return all;
}

const ConformanceCase& case_named(std::string_view name) {
  return *std::ranges::find(all_cases().cases, name, &ConformanceCase::name);
}

std::size_t count_of(const ConformanceCase& of) {
  std::size_t count = 1;
  for (const std::int64_t size : of.shape) count *= static_cast<std::size_t>(size);
  return count;
}

View shaped(void* data, DType type, const std::vector<std::int64_t>& shape) {
  View made{data, type, static_cast<int>(shape.size()), {}, {}};
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    made.shape[axis] = shape[axis], made.strides[axis] = stride;
    stride *= shape[axis];
  }
  return made;
}

template <class T>
std::vector<T> values_of(const ConformanceCase& of, const Recipe& recipe, DType type) {
  std::vector<T> values(count_of(of));
  const View out = shaped(values.data(), type, of.shape);
  EXPECT_FALSE(check_conformance_values(of, recipe, out)) << of.name;
  EXPECT_FALSE(write_conformance_values(of, recipe, out)) << of.name;
  return values;
}

template <class T>
ConformanceScore score_of(const ConformanceCase& of, std::vector<T>& answer, DType type) {
  return conformance_score(of, shaped(answer.data(), type, of.shape));
}

ConformanceScore score_of(const ConformanceCase& of, std::vector<float>& answer) {
  return score_of(of, answer, DType::f32);
}

// ---- cases --------------------------------------------------------------------------------------

TEST(ConformanceCase, EveryPresetHasOneOrAReason) {
  const ConformanceCases& all = all_cases();
  EXPECT_EQ(presets().size(), all.cases.size() + all.without.size());
  EXPECT_TRUE(all.without.empty());
  for (const WithoutCase& without : all.without) {
    EXPECT_NE("", without.reason) << without.name;
  }
}

TEST(ConformanceCase, PositionsReachBeyondF32AndBetweenWholeNumbers) {
  for (const std::string_view name : {"transformer", "rope-half", "mae-2d"}) {
    for (const std::vector<double>& list : case_named(name).positions) {
      for (const double p : {0.0, 1.0, 0.5, 16777217.0, 2147483649.0}) {
        EXPECT_NE(list.end(), std::ranges::find(list, p)) << name << " " << p;
      }
    }
  }
  for (const double p : case_named("xpos-lucid").positions[0]) EXPECT_LE(p, 4097);
}

TEST(ConformanceCase, TheyAreTheSameTwice) {
  const ConformanceCases again = conformance_cases();
  EXPECT_EQ(all_cases().cases, again.cases);
  EXPECT_EQ(all_cases().without, again.without);
}

// ---- values -------------------------------------------------------------------------------------

TEST(ConformanceValues, ThoseOfThePaperAreMpfrs) {
  const ConformanceCase& of = case_named("transformer");
  const std::vector<float> values = values_of<float>(of, exact(), DType::f32);
  const auto width = static_cast<std::size_t>(of.shape[1]);
  for (std::size_t i = 0; i < of.positions[0].size(); ++i) {
    for (std::size_t c = 0; c < width; ++c) {
      const oracle::Value w = pow(oracle::Value(10000), oracle::Value(-static_cast<double>(c / 2 * 2)) /
                                                            oracle::Value(static_cast<double>(width)));
      const oracle::Value x = oracle::Value(of.positions[0][i]) * w;
      const double wanted = oracle::rounded(c % 2 == 0 ? sin(x) : cos(x), oracle::f32);
      EXPECT_EQ(wanted, static_cast<double>(values[i * width + c])) << i << " " << c;
    }
  }
}

TEST(ConformanceValues, ATypeOrARecipeThatDoesNotServeIsRefused) {
  const ConformanceCase& of = case_named("transformer");
  std::vector<double> room(count_of(of));
  EXPECT_TRUE(check_conformance_values(of, exact(), shaped(room.data(), DType::i64, of.shape)));
  EXPECT_TRUE(check_conformance_values(of, exact(), shaped(room.data(), DType::f32, {1, of.shape[1]})));
  const ConformanceCase& classes = case_named("t5-bucket");
  EXPECT_TRUE(check_conformance_values(classes, exact(), shaped(room.data(), DType::f32, classes.shape)));
  EXPECT_TRUE(check_conformance_values(classes, recipe("f32-exp"), shaped(room.data(), DType::i64, classes.shape)));
}

// ---- scores -------------------------------------------------------------------------------------

TEST(ConformanceScore, EveryCaseIsExactOfItselfAndTheRecipeOfItsOriginal) {
  for (const ConformanceCase& of : all_cases().cases) {
    if (of.whole()) {
      std::vector<std::int64_t> values = values_of<std::int64_t>(of, exact(), DType::i64);
      EXPECT_EQ(Conformity::exact, score_of(of, values, DType::i64).conformity) << of.name;
      values.back() += 1;
      EXPECT_EQ(Conformity::wrong, score_of(of, values, DType::i64).conformity) << of.name;
      continue;
    }
    std::vector<float> values = values_of<float>(of, exact(), DType::f32);
    EXPECT_EQ(Conformity::exact, score_of(of, values).conformity) << of.name;
    if (of.original.exact()) continue;
    std::vector<float> original = values_of<float>(of, of.original, DType::f32);
    const Conformity wanted = original == values ? Conformity::exact : Conformity::recipe;
    EXPECT_EQ(wanted, score_of(of, original).conformity) << of.name;
  }
}

TEST(ConformanceScore, F64IsComparedInF64) {
  const ConformanceCase& of = case_named("transformer");
  std::vector<double> values = values_of<double>(of, exact(), DType::f64);
  EXPECT_EQ(Conformity::exact, score_of(of, values, DType::f64).conformity);
  values[40] = std::nextafter(values[40], 2);
  EXPECT_EQ(Conformity::faithful, score_of(of, values, DType::f64).conformity);
}

TEST(ConformanceScore, OneUnitOffIsFaithfulAndTwoAreNot) {
  const ConformanceCase& of = case_named("transformer");
  std::vector<float> values = values_of<float>(of, exact(), DType::f32);
  std::vector<double> wide = values_of<double>(of, exact(), DType::f64);
  values[40] = std::nextafter(values[40], static_cast<double>(values[40]) < wide[40] ? 2.0f : -2.0f);
  const ConformanceScore one = score_of(of, values);
  EXPECT_EQ(Conformity::faithful, one.conformity);
  EXPECT_GT(one.units, 0.5);
  EXPECT_FALSE(one.from);
  values[40] = std::nextafter(std::nextafter(std::nextafter(values[40], 2.0f), 2.0f), 2.0f);
  EXPECT_EQ(Conformity::drifting, score_of(of, values).conformity);
}

TEST(ConformanceScore, AnArithmeticOfF32Drifts) {
  const ConformanceCase& of = case_named("transformer");  // whose original is exact
  std::vector<float> values = values_of<float>(of, recipe("f32-exp"), DType::f32);
  const ConformanceScore score = score_of(of, values);
  EXPECT_EQ(Conformity::drifting, score.conformity);
  ASSERT_TRUE(score.from);
  EXPECT_LT(*score.from, 1000);
  EXPECT_GT(score.units, 1000);
}

// By units of f32 of an entry from 1 to 2: 9 of its halves of a factor, 8 of a coordinate, 19 of a bias.
TEST(ConformanceScore, OperationsOfF32DriftAndNoFurther) {
  struct Row {
    std::string_view name;
    int within, beyond;
  };
  for (const auto& [name, within, beyond] :
       {Row{"inkling-temperature", 6, 8}, Row{"swinv2-cpb", 3, 5}, Row{"alibi", 9, 20}}) {
    const ConformanceCase& of = case_named(name);
    std::vector<float> values = values_of<float>(of, exact(), DType::f32);
    const auto moved_by = [&](int units) {
      std::vector<float> all = values;
      float& entry = *std::ranges::find_if(all, [](float x) { return std::abs(x) > 1 && std::abs(x) < 2; });
      for (int i = 0; i < units; ++i) entry = std::nextafter(entry, 2 * entry);
      return score_of(of, all).conformity;
    };
    EXPECT_EQ(moved_by(within), Conformity::drifting) << name;
    EXPECT_EQ(moved_by(beyond), Conformity::wrong) << name;
  }
}

TEST(ConformanceScore, AnotherConventionIsWrongAndNamed) {
  const ConformanceCase& of = case_named("rope-half");
  ConformanceCase other = of;
  other.convention = preset("rope-pair").convention;
  std::vector<float> values = values_of<float>(other, exact(), DType::f32);
  const ConformanceScore score = score_of(of, values);
  EXPECT_EQ(Conformity::wrong, score.conformity);
  EXPECT_NE(score.instead.end(), std::ranges::find(score.instead, "rope-pair"));
  EXPECT_EQ(score.instead.end(), std::ranges::find(score.instead, "rope-half"));
}

TEST(ConformanceScore, ABaseThatIsOffIsWrong) {
  const ConformanceCase& of = case_named("transformer");
  ConformanceCase other = of;
  other.convention = with_field(of.convention, "ladder.base", 10010);
  std::vector<float> values = values_of<float>(other, exact(), DType::f32);
  EXPECT_EQ(Conformity::wrong, score_of(of, values).conformity);
  EXPECT_TRUE(score_of(of, values).instead.empty());
}

bool some_has(const std::vector<std::string>& lines, std::string_view words) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(words) != line.npos; });
}

TEST(ConformanceScore, WhatIsNoPresetsIsFoundInRows) {
  const ConformanceCase& of = case_named("transformer");
  const auto findings_of = [&](const ConformanceCase& other) {
    std::vector<float> values = values_of<float>(other, exact(), DType::f32);
    const ConformanceScore score = score_of(of, values);
    EXPECT_EQ(Conformity::wrong, score.conformity);
    EXPECT_TRUE(score.instead.empty());
    return score.findings;
  };
  ConformanceCase other = of;
  other.convention = with_field(of.convention, "ladder.base", 123456);
  EXPECT_TRUE(some_has(findings_of(other), "123456"));
  other = of;
  for (double& p : other.positions[0]) p += 1;
  EXPECT_TRUE(some_has(findings_of(other), "p + 1")) << ::testing::PrintToString(findings_of(other));
}

TEST(ConformanceScore, WhatIsNoPresetsIsFoundInRotations) {
  const ConformanceCase& of = case_named("rope-half");
  ConformanceCase other = of;
  other.convention = with_field(of.convention, "ladder.base", 123456);
  std::vector<float> values = values_of<float>(other, exact(), DType::f32);
  // A few places leave more numbers than one.
  const auto findings = score_of(of, values).findings;
  EXPECT_TRUE(some_has(findings, "ladders.0.base: 12345")) << ::testing::PrintToString(findings);
}

TEST(ConformanceScore, NoiseIsNothing) {
  for (const char* name : {"transformer", "rope-half", "alibi"}) {
    const ConformanceCase& of = case_named(name);
    std::vector<float> values(count_of(of));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>((i * 2654435761U) % 1009) / 1009 - 0.5f;
    const ConformanceScore score = score_of(of, values);
    EXPECT_EQ(Conformity::wrong, score.conformity) << name;
    EXPECT_TRUE(score.instead.empty()) << name;
    EXPECT_TRUE(score.findings.empty()) << name << ": " << score.findings.front();
  }
}

TEST(ConformanceScore, WhatIsNotFiniteIsWrong) {
  const ConformanceCase& of = case_named("transformer");
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values = values_of<float>(of, exact(), DType::f32);
    values[70] = bad;
    const ConformanceScore score = score_of(of, values);
    EXPECT_EQ(Conformity::wrong, score.conformity);
    EXPECT_TRUE(std::isinf(score.distance));
    EXPECT_EQ((std::vector<std::int64_t>{70 / of.shape[1], 70 % of.shape[1]}), score.index);
    const std::string card = to_string(ScoreCard{{scored_line(of, shaped(values.data(), DType::f32, of.shape))}});
    EXPECT_NE(card.find("wrong, not finite at [" + std::to_string(70 / of.shape[1]) + ", " +
                        std::to_string(70 % of.shape[1]) + "],"),
              std::string::npos)
        << card;
  }
}

TEST(ConformanceScore, AnAnswerMayEndEarly) {
  const ConformanceCase& of = case_named("transformer");
  std::vector<float> values = values_of<float>(of, exact(), DType::f32);
  const ConformanceScore score = conformance_score(of, shaped(values.data(), DType::f32, {3, of.shape[1]}));
  EXPECT_EQ(Conformity::exact, score.conformity);
  EXPECT_EQ(3, score.places);
  EXPECT_TRUE(check_conformance_score(of, shaped(values.data(), DType::f32, {0, of.shape[1]})));
}

TEST(ConformanceScore, AnotherShapeOrTypeIsRefused) {
  const ConformanceCase& of = case_named("transformer");
  std::vector<float> values(2 * count_of(of));
  const auto refused = [&](DType type, const std::vector<std::int64_t>& shape) {
    return check_conformance_score(of, shaped(values.data(), type, shape)).has_value();
  };
  EXPECT_FALSE(refused(DType::f32, of.shape));
  EXPECT_TRUE(refused(DType::f32, {of.shape[0], of.shape[1] - 1}));
  EXPECT_TRUE(refused(DType::f32, {of.shape[0] + 1, of.shape[1]}));
  EXPECT_TRUE(refused(DType::f32, {of.shape[0]}));
  EXPECT_TRUE(refused(DType::f16, of.shape));
  EXPECT_TRUE(refused(DType::i32, of.shape));
}

// ---- a card -----------------------------------------------------------------------------------------

TEST(ScoreCard, CountsItsResultsAndSaysALineACase) {
  const ConformanceCase& of = case_named("transformer");
  std::vector<float> right = values_of<float>(of, exact(), DType::f32), few(6);
  const ScoreCard card = {{scored_line(of, shaped(right.data(), DType::f32, of.shape)),
                           scored_line(of, shaped(few.data(), DType::f32, {2, 3})),
                           unscored_line(case_named("alibi"), Answered::not_offered, "not here"),
                           unscored_line(of, Answered::failed, "late")}};
  EXPECT_EQ(card.lines[0].score->conformity, Conformity::exact);
  EXPECT_EQ(card.lines[1].answered, Answered::failed);
  EXPECT_NE(card.lines[1].reason.find("must have shape"), std::string::npos);
  std::vector<std::string> totals;
  for (const ResultCount& each : counts(card)) {
    totals.push_back(std::to_string(each.lines) + " " + std::string(each.result));
  }
  EXPECT_EQ(totals, (std::vector<std::string>{"1 exact", "2 failed", "1 not offered"}));
  const std::string text = to_string(card);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  EXPECT_NE(text.find("not offered: not here\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n1 exact, 2 failed, 1 not offered\n"));
}

TEST(ConformanceCase, IsHadByNameAndAlias) {
  EXPECT_EQ(conformance_case("whisper"), case_named("whisper"));
  EXPECT_EQ(conformance_case("meta-llama"), case_named("rope-pair"));
  EXPECT_TRUE(check_conformance_case("nobody's"));
}

}  // namespace
}  // namespace posenc
