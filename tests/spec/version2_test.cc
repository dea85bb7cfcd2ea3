// SPDX-License-Identifier: Apache-2.0
// Version 2 of the JSON: every field of every family, there and back; and the documents that are read for ever.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace posenc::io {
namespace {

const Convention rope = preset("rope-half").convention;

// Conventions that no short form states, every kind of every field once.
std::vector<Convention> conventions() {
  std::vector<Convention> all;
  for (const auto& changes : std::initializer_list<std::initializer_list<FieldChange>>{
           {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 8}},
           {{"ladder.scaling", "base"}, {"ladder.scaling.factor", 2}},
           {{"ladder.scaling", "ntk"}, {"ladder.scaling.factor", 4}},
           {{"ladder.scaling", "dynamic_ntk"}, {"ladder.scaling.factor", 2}, {"ladder.scaling.length", 2048}},
           {{"ladder.scaling", "yarn"},
            {"ladder.scaling.factor", 32},
            {"ladder.scaling.length", 4096},
            {"ladder.scaling.fast", 32},
            {"ladder.scaling.slow", 1},
            {"ladder.scaling.truncate", "none"},
            {"magnitude", "yarn"},
            {"magnitude.factor", 32},
            {"magnitude.gain", 1},
            {"magnitude.gain_all", 0}},
           {{"ladder.scaling", "longrope"},
            {"ladder.scaling.short_factors", std::vector<double>{1, 1.5}},
            {"ladder.scaling.long_factors", "1,8.25"},
            {"ladder.scaling.length", 4096},
            {"magnitude", "longrope"},
            {"magnitude.factor", 32},
            {"magnitude.length", 4096}},
           {{"ladder.scaling", "llama3"},
            {"ladder.scaling.factor", 8},
            {"ladder.scaling.low", 1},
            {"ladder.scaling.high", 4},
            {"ladder.scaling.length", 8192}},
           {{"ladder.scaling", "proportional"}, {"ladder.scaling.factor", 1}, {"ladder.scaling.part", 0.25}},
           {{"ladder.scaling", "clipped"}, {"ladder.scaling.pairs", 20}},
           {{"part", "share"},
            {"part.share", 0.25},
            {"where", "last"},
            {"written", "split_half"},
            {"turn", "backward"}},
           {{"part", 64}, {"decay", "xpos"}, {"decay.floor", 0.4}, {"decay.period", 512}, {"magnitude", 1.25}},
           {{"axes", "t,y,x"},
            {"rungs", "dealt"},
            {"sections", "none"},
            {"deal.0.axes", "t,y,x"},
            {"deal.0.pairs", 60},
            {"deal.1.axes", "none"},
            {"deal.1.pairs", 4},
            {"order", "rung_major"}}}) {
    all.push_back(with_fields(rope, changes));
  }
  const Convention row = preset("transformer").convention, cells = preset("mae-2d").convention;
  for (const auto& changes : std::initializer_list<std::initializer_list<FieldChange>>{
           {{"ladder", "linear"}, {"ladder.from", 1}, {"ladder.to", -112}, {"ladder.unit", "half_turns"}},
           {{"ladder", "runaway"}, {"ladder.base", 10000}, {"ladder.spacing", "over_gaps"}, {"ladder.unit", "radians"}},
           {{"ladder", "listed"}, {"ladder.unit", "turns"}, {"ladder.frequencies", "-0.5,0,16"}, {"phases", "0.5,1,2"}},
           {{"ladder.slope", "rising"},
            {"ladder.unit", "half_turns"},
            {"lead", "coordinates"},
            {"scale", "learned"},
            {"scale.initial", 0.0625}},
           {{"ladder.spacing.over", "stated"},
            {"ladder.spacing.width", 64},
            {"scale", "sqrt_2_over_d"},
            {"odd_width", "repeated_cosine"},
            {"absent", "zero_row"},
            {"normalise", "tenth_of_deviation"}}}) {
    all.push_back(with_fields(row, changes));
  }
  all.push_back(with_fields(cells, {{"axes", "t,h,w"}, {"sections", "16,24,24"}, {"rest", "zero_columns"}}));
  all.push_back(with_fields(cells, {{"axes", "t,h,w"},
                                    {"sections", "shares"},
                                    {"sections.shares", "1,2,2"},
                                    {"sections.of", 5},
                                    {"sections.rest", "t"}}));
  all.push_back(with_fields(
      cells, {{"sections", "equal_up"}, {"rest", "truncated"}, {"order", "rung_major"}, {"scope", "period"}}));
  all.push_back(with_fields(
      preset("alibi").convention,
      {{"value", "key"}, {"over", "present"}, {"slope_rounding", "bf16"}, {"scale", "one_over_sqrt_head"}}));
  for (const char* name :
       {"t5-bucket", "deberta-bucket", "shaw", "beit-window", "swin-cr-cpb", "qwen-logn", "opt", "idefics2-patch"}) {
    all.push_back(preset(name).convention);
  }
  all.push_back(with_field(preset("swinv2-cpb").convention, "coordinates.pretrained", "12,12"));
  return all;
}

TEST(Version2, ReadsWhatItWrites) {
  for (const Convention& convention : conventions()) {
    const std::string text = to_json(convention);
    EXPECT_TRUE(text.starts_with(R"({"posenc_convention": 2, "family": )")) << text;
    EXPECT_EQ(first_difference(convention_from_json(text), convention), std::nullopt) << text;
    EXPECT_EQ(to_json(convention_from_json(text)), text);
  }
}

// ---- the documents that are read for ever ----------------------------------------------------------

std::filesystem::path sample() { return std::filesystem::path(POSENC_SOURCE_DIR) / "tests/spec/version_2.txt"; }

/// A row's name and its document, line by line.
std::map<std::string, std::string, std::less<>> sample_documents() {
  std::map<std::string, std::string, std::less<>> documents;
  std::ifstream file(sample());
  for (std::string line; std::getline(file, line);) {
    const std::size_t space = line.find(' ');
    documents.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return documents;
}

TEST(Version2, ReadsItsDocumentsForEver) {
  const auto documents = sample_documents();
  EXPECT_GE(documents.size(), 180u);
  for (const auto& [name, document] : documents) {
    SCOPED_TRACE(name);
    const Convention convention = convention_from_json(document);
    EXPECT_EQ(to_json(convention), document);
    const auto row = std::ranges::find(presets(), name, &Preset::name);
    if (row == presets().end()) continue;  // it has another name by now
    EXPECT_EQ(first_difference(convention, row->convention), std::nullopt);
  }
}

TEST(Version2, HasADocumentOfEveryRow) {
  const auto documents = sample_documents();
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(documents.contains(preset.name)) << preset.name << ": run Version2.RegenerateTheDocumentsOfNewRows";
  }
}

/// Adds what is not there, and changes no line that is.
TEST(Version2, RegenerateTheDocumentsOfNewRows) {
  const auto documents = sample_documents();
  std::ofstream file(sample(), std::ios::app);
  for (const Preset& preset : presets()) {
    if (!documents.contains(preset.name)) file << preset.name << ' ' << to_json(preset.convention) << '\n';
  }
  EXPECT_TRUE(file.flush());
}

TEST(Version2, IsOneLineThatStatesEveryField) {
  EXPECT_EQ(to_json(rope),
            R"({"posenc_convention": 2, "family": "rotary", "axes": ["position"], "ladders": [{"kind": "geometric", )"
            R"("unit": "radians", "base": 10000, "first": 1, "slope": "falling", "spacing": {"over": "width", )"
            R"("width": 0, "shift": 0, "least": 0}, "scaling": "none"}], "rungs": "own", "sections": "equal", )"
            R"("deal": [], "order": "axis_major", "pairing": "split_half", "pairing_scope": "row", )"
            R"("written": "in_place", "angles": "by_pair", "turn": "forward", "odd_width": "refused", "part": "all", )"
            R"("where": "first", "magnitude": 1, "decay": "none", "stored": "none"})");
  EXPECT_EQ(to_json(Bias{8}),
            R"({"posenc_convention": 2, "family": "slopes", "octaves": 8, "value": "minus_distance", "over": "all", )"
            R"("slope_rounding": "none", "scale": 1, "heads_beyond": "odd_steps"})");
}

TEST(Version2, StatesPairsQueriesAndStoredRows) {
  const auto text = [](const char* name) { return to_json(preset(name).convention); };
  EXPECT_EQ(text("t5-bucket"),
            R"({"posenc_convention": 2, "family": "buckets", "classes": {"kind": "log", "count": 32, "reach": 128, )"
            R"("sides": "both", "sign": "key_minus_query"}, "scale": 1})");
  EXPECT_EQ(text("swinv2-cpb"),
            R"({"posenc_convention": 2, "family": "log_coordinates", "coordinates": {"kind": "normalised", )"
            R"("gain": 8, "pretrained": "none"}})");
  EXPECT_EQ(text("swin-cr-cpb"), R"({"posenc_convention": 2, "family": "log_coordinates", "coordinates": "plain"})");
  EXPECT_EQ(text("llama4-temperature"),
            R"({"posenc_convention": 2, "family": "query_scale", "factor": {"kind": "log_steps", "gain": 0.1, )"
            R"("every": 8192, "origin": 1}})");
  EXPECT_EQ(
      text("idefics2-patch"),
      R"({"posenc_convention": 2, "family": "learned", "axes": ["y", "x"], "rows": [4900], "offset": 0, )"
      R"("past_end": "error", "combine": {"kind": "index", "columns": 70}, "scale": 1, "resize": "none", "absent": "nothing"})");
}

std::string refusal(std::string_view piece, std::string_view replacement) {
  std::string text = to_json(rope);
  const std::size_t at = text.find(piece);
  if (at == std::string::npos) return "no such piece";
  const auto problem = check_convention_json(text.replace(at, piece.size(), replacement));
  return problem ? problem->message() : "accepted";
}

TEST(Version2, RefusesByPointer) {
  const std::string read = "[convention_from_json] ";
  EXPECT_EQ(refusal("\"kind\": \"geometric\", ", ""), read + "/ladders/0/kind must be stated, got no such key");
  EXPECT_EQ(refusal("\"first\": 1, ", ""), read + "/ladders/0/first must be stated, got no such key");
  EXPECT_EQ(refusal("\"scaling\": \"none\"", "\"scaling\": null").substr(0, 57),
            read + "/ladders/0/scaling must be an obje");
  EXPECT_EQ(refusal("\"part\": \"all\"", "\"part\": \"half\""),
            read + "/part must be one of a number, an object of kind share, one of all, got 'half'");
  EXPECT_EQ(refusal("\"radians\"", "\"degrees\""),
            read + "/ladders/0/unit must be one of radians, quarter_turns, half_turns, turns, got 'degrees'");
  EXPECT_EQ(refusal("\"turn\": \"forward\"", "\"turn\": \"forward\", \"turns\": 1").substr(0, 50),
            read + "the keys of the document mu");
  EXPECT_EQ(
      refusal("\"family\": \"rotary\"", "\"family\": \"grid\""),
      read +
          "/family must be one of waves, rotary, slopes, buckets, log_coordinates, query_scale, learned, got 'grid'");
}

TEST(Version2, IsCheckedAsAnyConvention) {
  EXPECT_EQ(refusal("\"base\": 10000", "\"base\": -1"), "[convention] base must be finite and > 0, got -1");
  EXPECT_EQ(refusal("\"part\": \"all\"", "\"part\": 0"), "[convention] part must be 1 to 2^30, got 0");
  EXPECT_EQ(refusal("\"axes\": [\"position\"]", "\"axes\": []"), "[convention] axes must be 1 to 8 names, got []");
  EXPECT_EQ(refusal("\"deal\": []", "\"deal\": [{\"axes\": [\"position\"], \"pairs\": 1}]").substr(0, 60),
            std::string("[convention] deal must be empty where rungs are not dealt, got").substr(0, 60));
}

/// Cases J of the catalogue of bad documents that are of a field, where version 2 has one of the kind.
TEST(Version2Catalogue, RefusesValuesOfTheWrongTypeOrRange) {
  const std::string table = to_json(preset("learned").convention), buckets = to_json(preset("t5-bucket").convention);
  const auto scaled = [](std::string_view scaling) {
    std::string text = to_json(rope);
    return text.replace(text.find("\"none\"}]"), 6, scaling);
  };
  const auto changed = [](std::string text, std::string_view piece, std::string_view by) {
    const std::size_t at = text.find(piece);
    return at == text.npos ? "no such piece" : text.replace(at, piece.size(), by);
  };
  const auto reach = [&](std::string_view by) {
    return changed(buckets, "\"reach\": 128", "\"reach\": " + std::string(by));
  };
  const auto field = [&](std::string_view piece, std::string_view by) { return changed(to_json(rope), piece, by); };
  const std::string yarn =
      R"({"kind": "yarn", "factor": 4, "length": 4096, "fast": 1, "slow": 32, "truncate": "none"})";
  const struct {
    const char* id;
    std::string text, words;
  } cases[] = {
      {"J57", changed(buckets, "\"reach\": 128, ", ""), "/classes/reach must be stated"},
      {"J58", reach("null"), "/classes/reach must be an integer"},
      {"J59", reach("\"128\""), "/classes/reach must be an integer"},
      {"J60", reach("true"), "/classes/reach must be an integer"},
      {"J61", reach("128.5"), "/classes/reach must be an integer"},
      {"J62", reach("-128"), "reach must be"},
      {"J63", reach("0"), "reach must be"},
      {"J64", reach("9007199254740993"), "9007199254740993"},
      {"J65", reach("1e3"), "/classes/reach must be an integer"},
      {"J69", changed(table, "\"scale\": 1", "\"scale\": {\"factor\": 2}"), "/scale/kind must be stated"},
      {"J68", changed(table, "\"scale\": 1", "\"scale\": \"sqrt\""), "/scale must be"},
      {"J70", changed(buckets, "\"kind\": \"log\", ", ""), "/classes/kind must be stated"},
      {"J71", changed(buckets, "\"log\"", "\"logs\""), "/classes/kind must be an object of kind log, "},
      {"J72", field("[{\"kind\"", "[[], {\"kind\""), "/ladders/0 must be an object"},
      {"J73", field("\"split_half\"", "\"halves\""), "/pairing must be one of"},
      {"J74", field("\"base\": 10000", "\"base\": 0"), "base must be finite and > 0"},
      {"J75", field("\"base\": 10000", "\"base\": 1e999"), "in the range of double"},
      {"J76", field("\"base\": 10000", "\"base\": \"10000\""), "/ladders/0/base must be a number"},
      {"J78", scaled(R"({"kind": "linear", "factor": 0})"), "factor must be"},
      {"J78 missing", scaled(R"({"kind": "linear"})"), "/ladders/0/scaling/factor must be stated"},
      {"J79", scaled(yarn), "fast must be at least slow, 32, got 1"},
      {"J81", scaled(R"({"kind": "longrope", "short_factors": 1, "long_factors": [1], "length": 4096})"),
       "/ladders/0/scaling/short_factors must be an array"},
      {"J82", field("\"deal\": []", R"("deal": [{"axes": ["t"], "pairs": -1}])"), "pairs must be"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.id);
    const auto problem = check_convention_json(each.text);
    const std::string message = problem ? problem->message() : "accepted";
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_LE(message.size(), 300u);
  }
}

TEST(Numbers, ThatWouldBecomeZeroAreRefusedAsThoseBeyondTheRangeAre) {
  for (const std::string number : {"1e-999", "-2.5E-400", "0.000001e-320"}) {
    EXPECT_EQ(refusal("10000", number),
              "[convention_from_json] a number must be in the range of double, got '" + number + "'");
  }
  for (const std::string zero : {"0e-999", "0.0", "-0.000e5"}) {
    EXPECT_EQ(refusal("10000", zero).substr(0, 40),
              std::string("[convention] base must be finite and > 0, got").substr(0, 40))
        << zero;
  }
  EXPECT_EQ(refusal("10000", "5e-324"), "accepted");
}

}  // namespace
}  // namespace posenc::io
