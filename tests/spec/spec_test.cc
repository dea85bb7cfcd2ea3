// SPDX-License-Identifier: Apache-2.0
// Conventions as JSON: what is written, what is read back, and documents that are refused with the words they get.
#include <gtest/gtest.h>
#include <posenc/spec/spec.h>

#include <rapidcheck/gtest.h>
#include <bit>
#include <cmath>
#include <limits>

namespace posenc::io {
namespace {

const Convention kPaper = Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused};
constexpr const char* kPaperText =
    R"({"posenc_convention": 1, "family": "sinusoid", "ladder": {"base": 10000, "first": 1, "spacing": "over_width"}, )"
    R"("layout": "interleaved", "odd_width": "refused"})";

/// The paper's document with one piece of its text replaced.
std::string with(std::string_view piece, std::string_view replacement) {
  std::string text = kPaperText;
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), replacement);
}

std::string refusal(std::string_view text) {
  try {
    convention_from_json(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.problem().cause, Cause::input);
    EXPECT_EQ(check_convention_json(text), error.problem());
    return error.what();
  }
  EXPECT_FALSE(check_convention_json(text));
  return "accepted";
}

struct Case {
  const char* id;
  std::string text;
  const char* words;
};

void expect_refused(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    SCOPED_TRACE(each.id);
    const std::string message = refusal(each.text);
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_LE(message.size(), 300u) << message;
    EXPECT_EQ(message.find_first_of(std::string("\n\0\t", 3)), std::string::npos) << message;
  }
}

TEST(Spec, ReadsTheShortFormsOfVersion1) {
  const auto read = [](std::string_view fields) {
    return convention_from_json(R"({"posenc_convention": 1, )" + std::string(fields) + "}");
  };
  EXPECT_EQ(convention_from_json(kPaperText), kPaper);
  EXPECT_EQ(read(R"("family": "grid", "ladder": {"frequencies": [1, 0.5, 1e-04]}, )"
                 R"("layout": "sine_first", "axis_order": "column_first")"),
            Convention(Grid{Listed{{1, 0.5, 1e-4}}, Layout::sine_first, AxisOrder::column_first}));
  EXPECT_EQ(read(R"("family": "grid", "ladder": {"frequencies": []}, "layout": "cosine_first", )"
                 R"("axis_order": "row_first")"),
            Convention(Grid{Listed{}, Layout::cosine_first, AxisOrder::row_first}));
  EXPECT_EQ(read(R"("family": "timestep", "max_period": 10000, "shift": 0.5, "scale": 1000, )"
                 R"("layout": "cosine_first")"),
            Convention(Timestep{10000, 0.5, 1000, Layout::cosine_first}));
  EXPECT_EQ(read(R"("family": "rotary", "ladder": {"base": 500000, "first": 1, "spacing": "over_width"}, )"
                 R"("pairing": "split_half")"),
            Convention(Rotary{Geometric{500000, 1, Spacing::over_width}, Pairing::split_half}));
  EXPECT_EQ(read(R"("family": "bias", "octaves": 8)"), Convention(Bias{8}));
  for (const auto& [word, odd] :
       std::initializer_list<std::pair<std::string, OddWidth>>{{"refused", OddWidth::refused},
                                                               {"zero_column", OddWidth::zero_column},
                                                               {"short_row", OddWidth::short_row},
                                                               {"lone_sine", OddWidth::lone_sine}}) {
    for (const auto& [name, spacing] :
         std::initializer_list<std::pair<std::string, Spacing>>{{"over_width", Spacing::over_width},
                                                                {"over_gaps", Spacing::over_gaps},
                                                                {"over_gaps_or_one", Spacing::over_gaps_or_one}}) {
      EXPECT_EQ(read(R"("family": "sinusoid", "ladder": {"base": 500000, "first": 0.1, "spacing": ")" + name +
                     R"("}, "layout": "interleaved", "odd_width": ")" + word + "\""),
                Convention(Sinusoid{Geometric{500000, 0.1, spacing}, Layout::interleaved, odd}));
    }
  }
}

TEST(Spec, ReadsWhatItWrites) {
  for (const Spacing spacing : {Spacing::over_width, Spacing::over_gaps, Spacing::over_gaps_or_one}) {
    for (const Layout layout : {Layout::interleaved, Layout::sine_first, Layout::cosine_first}) {
      const Ladder ladder = Geometric{500000, 0.1, spacing};
      for (const OddWidth odd : {OddWidth::refused, OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine}) {
        const Convention convention = Sinusoid{ladder, layout, odd};
        EXPECT_EQ(convention_from_json(to_json(convention)), convention);
      }
      for (const AxisOrder order : {AxisOrder::column_first, AxisOrder::row_first}) {
        const Convention convention = Grid{ladder, layout, order};
        EXPECT_EQ(convention_from_json(to_json(convention)), convention);
      }
      for (const Pairing pairing : {Pairing::adjacent, Pairing::split_half}) {
        const Convention convention = Rotary{ladder, pairing};
        EXPECT_EQ(convention_from_json(to_json(convention)), convention);
      }
    }
  }
}

TEST(Spec, ReadsTheTimestepsItWrites) {
  for (const double shift : {0.0, 0x1p-16, 0.5, 1.0}) {
    for (const Layout layout : {Layout::sine_first, Layout::cosine_first}) {
      const Convention convention = Timestep{1.0 / 3, shift, 5e-324, layout};
      EXPECT_EQ(convention_from_json(to_json(convention)), convention);
    }
  }
}

TEST(Spec, ReadsTheBiasesItWrites) {
  for (const double octaves : {8.0, 0.1, 5e-324, 1024.0}) {
    EXPECT_EQ(convention_from_json(to_json(Bias{octaves})), Convention(Bias{octaves}));
  }
}

TEST(Spec, TakesKeysInAnyOrderAndAnySpacing) {
  EXPECT_EQ(convention_from_json("\r\n{\t\"odd_width\":\"refused\",\"layout\":\"inter\\u006Ceaved\",\"ladder\":{"
                                 "\"spacing\":\"over_width\",\"first\":1.0,\"base\":1e4},\"family\":\"sinusoid\",\n"
                                 "\"posenc_convention\":1}\n "),
            kPaper);
}

RC_GTEST_PROP(Spec, EveryDoubleKeepsItsBits, ()) {
  const auto list = *rc::gen::container<std::vector<double>>(rc::gen::map(
      rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())), [](std::uint64_t bits) {
        const double value = std::bit_cast<double>(bits & 0x7FFFFFFFFFFFFFFFu);
        return std::isfinite(value) ? value : 0.0;
      }));
  const Convention convention = Sinusoid{Listed{list}, Layout::sine_first, OddWidth::lone_sine};
  RC_ASSERT(convention_from_json(to_json(convention)) == convention);
}

TEST(Spec, KeepsTheBitsOfHardDoubles) {
  const std::vector<double> hard = {0.0,
                                    -0.0,
                                    5e-324,
                                    2.2250738585072009e-308,
                                    std::numeric_limits<double>::min(),
                                    std::numeric_limits<double>::max(),
                                    0x1p53 - 1,
                                    0x1p53,
                                    0x1p63,
                                    0x1p64,
                                    1e22,
                                    1e23,
                                    9.5367431640625e-07,
                                    0.1,
                                    0.30000000000000004};
  const Convention back = convention_from_json(to_json(Sinusoid{Listed{hard}, Layout::interleaved, OddWidth::refused}));
  const Sinusoid row = *short_form<Sinusoid>(back);
  const auto& read = std::get<Listed>(row.ladder).frequencies;
  ASSERT_EQ(read.size(), hard.size());
  for (std::size_t i = 0; i < hard.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(hard[i])) << hard[i];
  }
}

TEST(Spec, WritesNoConventionThatBreaksItsRules) {
  EXPECT_THROW(
      to_json(Sinusoid{Geometric{std::nan(""), 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused}),
      Error);
  EXPECT_THROW(to_json(Grid{Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, AxisOrder{}}), Error);
}

TEST(SpecCatalogue, RefusesWhatIsNoJson) {
  const std::string version = R"("posenc_convention": 1)";
  expect_refused({
      {"J01", "", "empty document"},
      {"J02", " \n\t ", "empty document"},
      {"J06", "{", "got the end of the text at line 1, column 2"},
      {"J08", "{" + version + ",}", "trailing comma"},
      {"J09", "{" + version + "} x", "nothing may follow the document, got 'x' at line 1, column 26"},
      {"J10", "{}{}", "nothing may follow the document, got '{' at line 1, column 3"},
      {"J11", "{'posenc_convention':1}", "double quotes only"},
      {"J12", "{posenc_convention:1}", "object key"},
      {"J13", "// note\n{}", "no comments"},
      {"J14", "{" + version + " /* */}", "no comments"},
      {"J15", R"({"posenc_convention":NaN})", "must be JSON"},
      {"J16", R"({"posenc_convention":-Infinity})", "must be JSON"},
      {"J17", R"({"posenc_convention":+1})", "got '+' at line 1, column 22"},
      {"J18", R"({"posenc_convention":01})", "no leading zero"},
      {"J19", R"({"posenc_convention":1.})", "must be JSON"},
      {"J20", R"({"posenc_convention":.5})", "must be JSON"},
      {"J21", R"({"posenc_convention":1e})", "must be JSON"},
      {"J22", R"({"posenc_convention":0x1})", "must be JSON"},
      {"J23", R"({"posenc_convention":True})", "must be JSON"},
      {"J24", R"({"posenc_convention":nul})", "must be JSON"},
      {"J25", R"({"posenc_convention" 1})", "expected ':'"},
      {"J26", R"({"posenc_convention":1 "family":2})", "expected '}', got '\"' at line 1, column 31"},
      {"J27", R"({"\x41":1})", "forbidden character after backslash"},
      {"J28", R"({"\u12G4":1})", "must be followed by 4 hex digits"},
      {"J29", "{\"a\nb\":1}", "control character"},
      {"J30", "{\"a\tb\":1}", "control character"},
      {"J31", std::string("{\"abc\0\":1}", 10), "control character"},
      {"NUL behind", R"({"posenc_convention":1})" + std::string("\0}", 2), "control character NUL"},
      {"J32", "{\n \"abc", "missing closing quote, got the end of the text at line 2, column 6"},
  });
}

TEST(SpecCatalogue, RefusesWhatIsNoUtf8) {
  const std::string utf16 = {'\xFF', '\xFE', '{', '\0', '}', '\0'};
  expect_refused({
      {"J33", utf16, "not UTF-16 or UTF-32"},
      {"J33 without mark", std::string("{\0}\0", 4), "not UTF-16 or UTF-32"},
      {"J34", std::string("{\0\0\0}\0\0\0", 8), "not UTF-16 or UTF-32"},
      {"J35", "\xEF\xBB\xBF{}", "no byte order mark"},
      {"J36", "{\"\xC3\x28\": 1}", "must be UTF-8, got '\\xC3' at offset 2"},
      {"J37", "{\"a\": \"\xC0\x80\"}", "must be UTF-8, got '\\xC0' at offset 7"},
      {"J38", "{\"a\": \"\xED\xA0\x80\"}", "must be UTF-8, got '\\xED' at offset 7"},
      {"cut", "{\"a\": \"\xE6\x88", "must be UTF-8, got '\\xE6' at offset 7"},
      {"too large", "{\"a\": \"\xF4\x90\x80\x80\"}", "must be UTF-8"},
      {"J39", R"({"a": "\ud800"})", "surrogate"},
      {"J40", R"({"a": "\udc00\ud800"})", "surrogate"},
  });
}

TEST(SpecCatalogue, RefusesWhatIsBeyondALimit) {
  std::string nodes = "[";
  for (int i = 0; i < 1 << 20; ++i) nodes += i ? ",1" : "1";
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  expect_refused({
      {"J41", std::string(65, '[') + std::string(65, ']'), "at most 64 deep"},
      {"J42", std::string(100'000, '['), "at most 64 deep"},
      {"J43", objects, "at most 64 deep"},
      {"J44", std::string((16u << 20) + 1, ' '), "at most 16777216 bytes, got 16777217"},
      {"J45", nodes + "]", "at most 1048576 values"},
      {"J46", with("10000", std::string(600, '1')), "at most 512 characters, got a longer one at line 1, column 67"},
      {"number limit", with("10000", std::string(513, '1')), "at most 512 characters"},
  });
  EXPECT_NE(refusal(std::string(64, '[') + std::string(64, ']')).find("must be an object"), std::string::npos);
  EXPECT_EQ(refusal(with("10000", "0." + std::string(509, '1') + "1")), "accepted");
  EXPECT_EQ(refusal(with("10000", "1e308")), "accepted");
}

TEST(SpecCatalogue, RefusesKeysThatComeTwice) {
  expect_refused({
      {"J47", with("\"layout\"", "\"family\": \"sinusoid\", \"layout\""), "only once, got '/family' twice"},
      {"J48", with("\"layout\"", "\"family\": \"grid\", \"layout\""), "only once, got '/family' twice"},
      {"J49", with("\"first\"", "\"base\": 1, \"first\""), "only once, got '/ladder/base' twice"},
      {"escaped", with("\"first\"", "\"b\\u0061se\": 1, \"first\""), "'/ladder/base' twice"},
      {"in an array", R"({"x": [0, {"a~/b": 1, "a~/b": 2}]})", "'/x/1/a~0~1b' twice"},
      {"after an array", R"({"x": [[1], {}], "y": {"z": 1, "z": 2}})", "'/y/z' twice"},
  });
}

TEST(SpecCatalogue, RefusesKeysThatAreUnknownOrMissing) {
  expect_refused({
      {"J07", "{}", "/posenc_convention must be stated"},
      {"J50", with("layout", "layuot"), "family, ladder, layout, odd_width, got '/layuot'"},
      {"J50b", with("\"layout\"", "\"layuot\": 1, \"layout\""), "got '/layuot'"},
      {"J51", with("\"layout\"", "\"Layout\": 1, \"layout\""), "got '/Layout'"},
      {"J52", with("\"layout\"", "\"layout \": 1, \"layout\""), "got '/layout '"},
      {"J53", with("\"layout\"", "\"\": 1, \"layout\""), "got '/'"},
      {"J54", with(": 1,", ": 0,"), "must be 1 or 2, the versions that are supported, got 0"},
      {"J55", with(": 1,", ": 2,"),
       "/family must be one of waves, rotary, slopes, buckets, log_coordinates, query_scale, learned, got 'sinusoid'"},
      {"J57", with(", \"odd_width\": \"refused\"", ""), "/odd_width must be stated"},
      {"J70", with("\"family\": \"sinusoid\", ", ""), "/family must be stated"},
      {"no base", with("\"base\": 10000, ", ""), "/ladder/base must be stated"},
      {"no spacing", with(", \"spacing\": \"over_width\"", ""), "/ladder/spacing must be stated"},
      {"grid with odd_width", with("\"sinusoid\"", "\"grid\""), "layout, axis_order, got '/odd_width'"},
      {"both ladders", with("\"base\"", "\"frequencies\": [1], \"base\""),
       "/ladder must be frequencies, got '/ladder/base'"},
      {"unknown in a ladder", with("\"base\"", "\"dim\": 1, \"base\""), "got '/ladder/dim'"},
      {"empty ladder", with(R"({"base": 10000, "first": 1, "spacing": "over_width"})", "{}"), "/ladder/spacing"},
  });
}

TEST(SpecCatalogue, RefusesValuesOfTheWrongTypeOrRange) {
  expect_refused({
      {"J03", "null", "the document must be an object, got null"},
      {"J04", "[]", "the document must be an object, got an array"},
      {"J05", "\"text\"", "the document must be an object, got a string"},
      {"J56", with(": 1,", ": \"1\","), "/posenc_convention must be the integer 1 or 2, got a string"},
      {"J61", with(": 1,", ": 1.5,"), "/posenc_convention must be the integer 1"},
      {"J65", with(": 1,", ": 1e0,"), "/posenc_convention must be the integer 1"},
      {"J64", with(": 1,", ": 9007199254740993,"), "got 9007199254740993"},
      {"J58", with("10000", "null"), "/ladder/base must be a number, got null"},
      {"J60", with("10000", "true"), "/ladder/base must be a number, got a boolean"},
      {"J76", with("10000", "\"10000\""), "/ladder/base must be a number, got a string"},
      {"J68", with("\"over_width\"", "\"sqrt\""),
       "/ladder/spacing must be one of over_width, over_gaps, over_gaps_or_one, got 'sqrt'"},
      {"J69", with("\"over_width\"", "{}"), "/ladder/spacing must be a string, got an object"},
      {"J71", with("\"sinusoid\"", "\"sine\""),
       "/family must be one of sinusoid, grid, timestep, rotary, bias, got 'sine'"},
      {"J72", with(R"({"base": 10000, "first": 1, "spacing": "over_width"})", "[]"),
       "/ladder must be an object, got an array"},
      {"J73", with("\"interleaved\"", "\"interleave\""),
       "/layout must be one of interleaved, sine_first, cosine_first"},
      {"no layout", with("\"interleaved\"", "\"no layout\""), "/layout must be one of"},
      {"odd width", with("\"refused\"", "\"zero\""), "refused, zero_column, short_row, lone_sine, got 'zero'"},
      {"J74", with("10000", "0"), "base must be finite and > 0, got 0"},
      {"negative", with("10000", "-1"), "base must be finite and > 0, got -1"},
      {"J75", with("10000", "1e999"), "in the range of double, got '1e999'"},
      {"J80", with(R"("base": 10000, "first": 1, "spacing": "over_width")", R"("frequencies": 1)"),
       "/ladder/frequencies must be an array, got a number"},
      {"J81", with(R"("base": 10000, "first": 1, "spacing": "over_width")", R"("frequencies": [1, "2"])"),
       "/ladder/frequencies/1 must be a number, got a string"},
      {"negative frequency", with(R"("base": 10000, "first": 1, "spacing": "over_width")", R"("frequencies": [1, -2])"),
       "frequencies must be finite and >= 0"},
      {"foreign bytes", with("\"interleaved\"", "\"a\\u0000\\u001b[31m" + std::string(2000, 'x') + "\""),
       "got 'a\\x00\\x1B[31mxxx"},
      {"long key", with("\"layout\"", "\"" + std::string(5000, 'k') + "\": 1, \"layout\""), "kkk'"},
  });
}

TEST(SpecCatalogue, RefusesBiasesThatAreNone) {
  expect_refused({
      {"no octaves", R"({"posenc_convention": 1, "family": "bias"})", "/octaves must be stated"},
      {"none of them", R"({"posenc_convention": 1, "family": "bias", "octaves": 0})",
       "octaves must be > 0 and at most 1024, got 0"},
      {"text", R"({"posenc_convention": 1, "family": "bias", "octaves": "8"})",
       "/octaves must be a number, got a string"},
      {"a ladder", R"({"posenc_convention": 1, "family": "bias", "octaves": 8, "ladder": {}})",
       "must be posenc_convention, family, octaves, got '/ladder'"},
  });
}

TEST(SpecCatalogue, RefusesTimestepsThatAreNone) {
  const auto step = [](std::string_view fields) {
    return R"({"posenc_convention": 1, "family": "timestep", )" + std::string(fields) + "}";
  };
  expect_refused({
      {"no scale", step(R"("max_period": 10000, "shift": 1, "layout": "sine_first")"), "/scale must be stated"},
      {"a ladder", step(R"("ladder": {}, "max_period": 10000, "shift": 1, "scale": 1, "layout": "sine_first")"),
       "must be posenc_convention, family, max_period, shift, scale, layout, got '/ladder'"},
      {"shift", step(R"("max_period": 10000, "shift": 0.1, "scale": 1, "layout": "sine_first")"),
       "shift must be a multiple of 2^-16 from 0 to 1, got 0.1"},
      {"text", step(R"("max_period": "1e4", "shift": 1, "scale": 1, "layout": "sine_first")"),
       "/max_period must be a number, got a string"},
      {"interleaved", step(R"("max_period": 10000, "shift": 1, "scale": 1, "layout": "interleaved")"),
       "layout must be sine_first or cosine_first, got interleaved"},
  });
}

TEST(SpecCatalogue, RefusesEveryProperPrefix) {
  const std::string_view text = kPaperText;
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(check_convention_json(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(check_convention_json(text));
}

}  // namespace
}  // namespace posenc::io
