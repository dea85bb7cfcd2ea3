// SPDX-License-Identifier: Apache-2.0
// What the referee finds as JSON: every field of every struct, numbers that read back, what is not there as null.
#include <gtest/gtest.h>
#include <posenc/referee/referee.h>
#include <posenc/sinusoid.h>
#include <posenc/spec/spec.h>

#include <limits>

#include "src/base/json_write.h"
#include "src/spec/json/json_text.h"

namespace posenc {
namespace {

JsonTree parsed(const std::string& text) {
  EXPECT_EQ(text.find('\n'), text.npos) << "one line";
  return io::parse_json(text, {"referee_test"});
}

Candidate some_candidate() {
  Candidate candidate;
  candidate.presets = {"whisper", "a \"b\""};
  candidate.differences = {"ladders.0.base: 500000, not 10000"};
  candidate.convention = preset("whisper").convention;
  candidate.form = "table";
  candidate.reading = "[L, d]";
  candidate.extra = 1;
  candidate.copies = 2;
  candidate.extents = {60};
  candidate.width = 64;
  candidate.context = {.length = 7, .centre = 0.5};
  candidate.places = {{"position", 100, -0.0}};
  candidate.fitted = {{"base", 10000, 9999.5, 1e300, "10000"}};
  candidate.storage = DType::bf16;
  candidate.exact = {3840, 3839, 0.25, std::numeric_limits<double>::infinity(), 1e-9, {17, 3}};
  candidate.recipe = "f32-exp";
  candidate.by_recipe = {3840, 3840, 0, 0, 0, {}};
  candidate.known_share = 0.75;
  return candidate;
}

const std::string& candidate_text() {
  static const std::string text =
      R"({"presets": ["whisper", "a \"b\""], "differences": ["ladders.0.base: 500000, not 10000"], "convention": )" +
      to_json(preset("whisper").convention) +
      R"(, "form": "table", "reading": "[L, d]", "extra": 1, "copies": 2, "extents": [60], "width": 64, "places": [{"axis": )"
      R"("position", "first": 100.0, "step": -0.0}], "fitted": [{"name": "base", "value": 10000.0, "low": 9999.5, )"
      R"("high": 1e+300, "simple": "10000"}], "storage": "bf16", "exact": {"entries": 3840, "equal": 3839, "median": )"
      R"(0.25, "largest": null, "difference": 1e-09, "first": [17, 3]}, "recipe": "f32-exp", "by_recipe": {"entries": )"
      R"(3840, "equal": 3840, "median": 0.0, "largest": 0.0, "difference": 0.0, "first": []}, "known_share": 0.75, )"
      R"("context": {"length": 7, "centre": 0.5, "learned": null}})";
  return text;
}

TEST(RefereeJson, StatesEveryFieldOfAnIdentification) {
  Identification identification;
  identification.candidates = {some_candidate()};
  identification.ruled_out = {{"marian", 3, {17, 4}, 0.5, {"layout: sine_first, not interleaved"}}};
  identification.sampled = true;
  const std::string text = to_json(identification);
  EXPECT_EQ(
      text,
      R"({"identified": true, "candidates": [)" + candidate_text() +
          R"(], "kind": "", "nearest": null, "ruled_out": [{"preset": "marian", "equal_places": 3, )"
          R"("place": [17, 4], "difference": 0.5, "differences": ["layout: sine_first, not interleaved"]}], "sampled": )"
          R"(true})");
  parsed(text);
}

TEST(RefereeJson, PlacesThatWereListedHaveNoStep) {
  Identification identification;
  identification.candidates = {some_candidate()};
  identification.candidates[0].places = {{"position", 100, std::nullopt}};
  EXPECT_NE(to_json(identification).find(R"([{"axis": "position", "first": 100.0, "step": null}])"), std::string::npos);
}

TEST(RefereeJson, SaysWhatIsNotIdentified) {
  Identification identification;
  identification.kind = "rows are damaged: 17";
  identification.nearest = some_candidate();
  EXPECT_EQ(to_json(identification),
            R"({"identified": false, "candidates": [], "kind": "rows are damaged: 17", "nearest": )" +
                candidate_text() + R"(, "ruled_out": [], "sampled": false})");
}

TEST(RefereeJson, StatesEveryFieldOfADiagnosis) {
  Diagnosis diagnosis;
  diagnosis.findings = {"row p holds position p + 1"};
  diagnosis.assumed = {{"queries", "199"}, {"keys", "0:200"}};
  EXPECT_EQ(
      to_json(diagnosis),
      R"({"right": false, "findings": ["row p holds position p + 1"], "assumed": {"queries": "199", "keys": "0:200"}, )"
      R"("entries": 0, "wrong": 0, "first": [], )"
      R"("explained": 0.0, "found": null})");
  diagnosis = {};
  diagnosis.right = true;
  diagnosis.found = some_candidate();
  diagnosis.entries = 12, diagnosis.wrong = 3, diagnosis.first = {4, 5}, diagnosis.explained = 0.5;
  EXPECT_EQ(
      to_json(diagnosis),
      R"({"right": true, "findings": [], "assumed": {}, "entries": 12, "wrong": 3, "first": [4, 5], "explained": 0.5, "found": )" +
          candidate_text() + "}");
}

TEST(RefereeJson, StatesEveryFieldOfAComparison) {
  Comparison comparison;
  comparison.differences = {"layout: interleaved, not sine_first"};
  comparison.numbers = "entries";
  comparison.not_compared = "why";
  comparison.dim = 64;
  comparison.context = {.length = 9};
  comparison.axes = {"position", "column"};
  comparison.entries = 640;
  comparison.largest = DifferingEntry{{7, 3}, 1, -0.5};
  comparison.first_bf16 = DifferingEntry{{1, 2}, 0, 2};
  comparison.score = ScoreChange{ScoreChange::Of::single, 5, 0.25, {1}, {2}, 32};
  EXPECT_EQ(
      to_json(comparison),
      R"({"differences": ["layout: interleaved, not sine_first"], "equal": false, "numbers": "entries", )"
      R"("not_compared": "why", "dim": 64, "context": {"length": 9, "centre": null, "learned": null}, "axes": )"
      R"(["position", "column"], "entries": 640, "largest": {"at": [7.0, 3.0], "a": 1.0, "b": -0.5}, "first": )"
      R"(null, "first_f32": null, "first_bf16": {"at": [1.0, 2.0], "a": 0.0, "b": 2.0}, "score": {"of": "single", )"
      R"("places": 5, "largest": 0.25, "p": [1.0], "q": [2.0], "greatest": 32.0}})");
  EXPECT_EQ(parsed(to_json(Comparison())).find("score")->is_null(), true);
}

TEST(RefereeJson, StatesEveryFieldOfAnExplanation) {
  const Decimal half = {"0.5", 1, true};
  const ExplainedEntry entry = {
      .what = "the cosine",
      .formula = "cos a",
      .angle = ExplainedAngle{{{"position", 18, "10000^u", "10^v", half, half}}, half, half, half, half},
      .exact = half,
      .rounded = {{DType::f16, 0.5, 0x3800, -0.25}},
      .steps = {{"angle", "RN", DType::f64, 2, 0x4000000000000000, std::nullopt, 1e-3}},
      .recipe = {{DType::bf16, 0.5, 0x0f, std::nullopt}}};
  const ExplainedPair pair = {5, {5, 37}, {6, 38}, {3, -4}, {half, half}, {0.5f, 0.1f}};
  const std::string d = R"({"text": "0.5", "digits": 1, "exact": true})";
  const std::string expected =
      R"({"title": "t", "recipe": "exact", "entries": [{"what": "the cosine", "formula": "cos a", "angle": )"
      R"({"terms": [{"axis": "position", "frequency": 18, "rule": "10000^u", "formula": "10^v", )"
      R"("w": )" +
      d + R"(, "coordinate": )" + d + R"(}], "phase": )" + d + R"(, "radians": )" + d + R"(, "turns": )" + d +
      R"(, "reduced": )" + d + R"(}, "exact": )" + d +
      R"(, "rounded": [{"dtype": "f16", "value": 0.5, "bits": "0x3800", "units": -0.25}], "steps": )"
      R"([{"name": "angle", "what": "RN", "dtype": "f64", "value": 2.0, "bits": "0x4000000000000000", )"
      R"("relative": null, "angle": 0.001}], "under_recipe": [{"dtype": "bf16", "value": 0.5, "bits": )"
      R"("0x000f", "units": null}]}], "pair": {"pair": 5, "read": [5, 37], "written": [6, 38], "before": )"
      R"([3.0, -4.0], "exact": [)" +
      d + ", " + d + R"(], "after": [0.5, 0.10000000149011612]}})";
  const Explanation full = {"t", "exact", {entry}, pair}, empty = {"t", "exact", {}, std::nullopt};
  EXPECT_EQ(to_json(full), expected);
  EXPECT_EQ(to_json(empty), R"({"title": "t", "recipe": "exact", "entries": [], "pair": null})");
}

TEST(RefereeJson, StatesEveryFieldOfAParting) {
  const Parting parting = {1, "a", "b", 9, 3, 0.5, std::numeric_limits<double>::quiet_NaN(), 65536};
  EXPECT_EQ(to_json(parting),
            R"({"column": 1, "a": "a", "b": "b", "position": 9, "at_column": 3, "in_a": 0.5, "in_b": null, )"
            R"("searched": 65536})");
}

TEST(RefereeJson, OfWhatIsFoundReadsBackAsItsConvention) {
  std::vector<float> rows(60 * 64);
  sinusoid(preset("whisper").convention, Positions::range(100, 60), view(rows.data(), {60, 64}));
  const JsonTree tree = parsed(to_json(identify(view(std::as_const(rows).data(), {60, 64}))));
  const JsonTree& first = tree.find("candidates")->items().at(0);
  EXPECT_EQ(first.find("width")->number(), 64);
  EXPECT_EQ(first.find("places")->items().at(0).find("first")->number(), 100);
  EXPECT_EQ(first.find("exact")->find("equal")->number(), 60 * 64);
}

TEST(RefereeJson, OfEveryPresetsExplanationIsJson) {
  int explained = 0;
  for (const Preset& each : presets()) {
    const EntryAsked asked = {
        .dim = 64, .column = 3, .at = std::vector(axes_of(each.convention).size(), Positions::at(2))};
    const Options options = {.recipe = each.original, .context = {.length = 8, .centre = 0, .learned = 1}};
    if (check_explain(each.convention, asked, options)) continue;
    ++explained;
    EXPECT_EQ(parsed(to_json(explain(each.convention, asked, options))).find("recipe")->text(), each.original.name);
  }
  EXPECT_GT(explained, 100);
}

TEST(RefereeJson, StatesWhatACaseAsksFor) {
  ConformanceCase of = {.name = "whisper",
                        .of = ConformanceOf::rows,
                        .convention = preset("whisper").convention,
                        .original = exact(),
                        .dim = 4,
                        .axes = {"position"},
                        .positions = {{0, 0.5}},
                        .head = {},
                        .window = {},
                        .context = {},
                        .head_width = 0,
                        .shape = {2, 4}};
  EXPECT_EQ(to_json(of), R"({"case": "whisper", "operation": "rows", "convention": )" + to_json(of.convention) +
                             R"(, "dim": 4, "axes": ["position"], "positions": [[0.0, 0.5]], "shape": [2, 4], )"
                             R"("dtype": "f32", "recipe": )" +
                             json_string(to_string(exact())) + "}");
  of.of = ConformanceOf::classes;
  of.window = {3, 4}, of.head = {1, 0}, of.context = {.length = 9, .centre = 0.5, .learned = 1}, of.head_width = 64;
  const JsonTree all = parsed(to_json(of));
  EXPECT_EQ(all.find("dtype")->text(), "i64");
  for (const char* key : {"window", "head", "length", "centre", "learned", "head_width"}) {
    EXPECT_TRUE(all.contains(key)) << key;
  }
}

TEST(RefereeJson, StatesEveryFieldOfAScoreCard) {
  CardLine line = {"whisper", ConformanceOf::rows, 17, Answered::scored, "", ConformanceScore{}};
  *line.score = {Conformity::wrong, 12, 1e9, std::numeric_limits<double>::infinity(), {3, 1}, 2, {"mae-1d"}, {"why"}};
  const std::string wrong =
      R"({"case": "whisper", "operation": "rows", "result": "wrong", "reason": null, "places": [12, 17], "units": )"
      R"(1e+09, "distance": null, "index": [3, 1], "from": 2.0, "instead": ["mae-1d"], "findings": ["why"]})";
  EXPECT_EQ(to_json(line), wrong);
  const CardLine failed = {"alibi", ConformanceOf::biases, 1, Answered::failed, "no \"file\"", std::nullopt};
  EXPECT_EQ(
      to_json(ScoreCard{{line, failed}}),
      R"({"cases": [)" + wrong +
          R"(, {"case": "alibi", "operation": "biases", "result": "failed", "reason": "no \"file\"", "places": )"
          R"(null, "units": null, "distance": null, "index": null, "from": null, "instead": [], "findings": []}], )"
          R"("counts": {"wrong": 1, "failed": 1}})");
}

}  // namespace
}  // namespace posenc
