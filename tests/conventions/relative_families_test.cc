// SPDX-License-Identifier: Apache-2.0
// Families of pairs, queries and stored rows: what is checked, printed, compared and changed of their fields.
#include <gtest/gtest.h>
#include <posenc/preset.h>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

const Convention& t5() { return preset("t5-bucket").convention; }
const Convention& opt() { return preset("opt").convention; }
const Convention& llama4() { return preset("llama4-temperature").convention; }

std::string problem(const Convention& convention) { return said(check_convention(convention)); }
std::string problem(const Convention& convention, std::string_view path, const FieldValue& value) {
  const std::vector<FieldChange> changes = {{path, value}};
  return said(check_changes(convention, changes));
}

TEST(RelativeFamilies, PrintEveryField) {
  EXPECT_EQ(to_string(opt()),
            "learned: axes [position], rows none, offset 2, past_end error, combine sum, scale 1, resize none, absent "
            "padding_row");
  EXPECT_EQ(to_string(t5()), "buckets: classes log {count 32, reach 128, sides both, sign key_minus_query}, scale 1");
  EXPECT_EQ(to_string(llama4()), "query_scale: factor log_steps {gain 0.1, every 8192, origin 1}");
  EXPECT_EQ(to_string(preset("swinv2-cpb").convention),
            "log_coordinates: coordinates normalised {gain 8, pretrained none}");
  EXPECT_EQ(to_string(preset("swin-cr-cpb").convention), "log_coordinates: coordinates plain");
}

TEST(RelativeFamilies, HaveNoDefaults) {
  EXPECT_EQ(problem(Buckets{}), "[convention] classes must be stated, got none");
  EXPECT_EQ(problem(LogCoordinates{}), "[convention] coordinates must be stated, got none");
  EXPECT_EQ(problem(QueryScale{}), "[convention] factor must be stated, got none");
  EXPECT_EQ(problem(Learned{}), "[convention] rows must be stated, got none");
  EXPECT_EQ(problem(Buckets{LogBuckets{32, 128, DistanceSides{}, DistanceSign::key_minus_query}, 1.0}),
            "[convention] classes.sides must be stated, got none");
  EXPECT_EQ(problem(t5(), "classes", "clip"), "[convention] classes.left must be stated, got none");
}

TEST(RelativeFamilies, AreCheckedFieldByFieldAndThenAsAWhole) {
  EXPECT_EQ(problem(t5(), "classes.count", 1), "[convention] classes.count must be 2 to 65536, got 1");
  EXPECT_EQ(problem(t5(), "classes.count", 3), "[convention] classes.count must be 4 or more on both sides, got 3");
  EXPECT_EQ(problem(t5(), "classes.reach", 8),
            "[convention] classes.reach must be more than the 8 distances that have a class each, got 8");
  EXPECT_EQ(problem(t5(), "classes.reach", 9), "nothing");
  EXPECT_EQ(problem(t5(), "scale", 0), "[convention] scale must be finite and not 0, got 0");
  const Convention& deberta = preset("deberta-bucket").convention;
  EXPECT_EQ(problem(deberta, "classes.count", 3), "[convention] classes.count must be 4 or more, got 3");
  EXPECT_EQ(problem(deberta, "classes.reach", 129),
            "[convention] classes.reach must be more than half of count and one, 129, got 129");
  EXPECT_EQ(problem(preset("swin-window").convention, "classes.extra", 1),
            "[convention] classes.extra must be 0 or 3, got 1");
  const Convention& swin = preset("swinv2-cpb").convention;
  EXPECT_EQ(problem(swin, "coordinates.gain", 1), "[convention] coordinates.gain must be finite and > 1, got 1");
  EXPECT_EQ(problem(swin, "coordinates.pretrained", "12"),
            "[convention] coordinates.pretrained must be a height and a width, got 1");
  EXPECT_EQ(problem(swin, "coordinates.pretrained", "12,1"),
            "[convention] coordinates.pretrained must be 2 to 2^30, got 1 at [1]");
  EXPECT_EQ(problem(swin, "coordinates.pretrained", "12,12"), "nothing");
  EXPECT_EQ(problem(llama4(), "factor.every", 0), "[convention] factor.every must be finite and > 0, got 0");
  EXPECT_EQ(problem(preset("qwen-logn").convention, "factor.every", 1),
            "[convention] factor.every must be finite and > 1, got 1");
}

TEST(RelativeFamilies, OfStoredRowsHaveOneTableOrOneForEachAxis) {
  EXPECT_EQ(problem(opt(), "offset", -1), "[convention] offset must be 0 to 2^30, got -1");
  EXPECT_EQ(problem(opt(), "past_end", "stop"),
            "[convention] past_end must be one of error, clamp, zeros, wrap, got 'stop'");
  EXPECT_EQ(problem(opt(), "rows", "5,6"), "[convention] rows must be one number, or one for each axis, got 2");
  EXPECT_EQ(problem(opt(), "axes", "x,x"), "[convention] axes must be different names, got [x, x]");
  const Convention& idefics = preset("idefics2-patch").convention;
  EXPECT_EQ(problem(idefics, "rows", "70,70"), "[convention] rows must be one number where there is one table, got 2");
  EXPECT_EQ(problem(idefics, "axes", "y"),
            "[convention] axes must be two where one table holds the rows of cells, got [y]");
}

TEST(RelativeFamilies, AreComparedByPaths) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(differences(t5(), preset("wavlm-bucket").convention),
            (Texts{"classes.count: 32, not 320", "classes.reach: 128, not 800"}));
  EXPECT_EQ(differences(llama4(), preset("ministral3-temperature").convention),
            (Texts{"factor.every: 8192, not 16384", "factor.origin: 1, not 0"}));
  EXPECT_EQ(differences(opt(), preset("detr-learned").convention),
            (Texts{"axes: [position], not [x, y]", "rows: none, not [50]", "offset: 2, not 0",
                   "combine: sum, not concatenate", "absent: padding_row, not nothing"}));
  EXPECT_EQ(differences(t5(), opt()), (Texts{"family: buckets, not learned"}));
}

TEST(RelativeFamilies, AreChangedByPaths) {
  const Convention clip = with_fields(
      t5(), {{"classes", "clip"}, {"classes.left", 64}, {"classes.right", 8}, {"classes.sign", "key_minus_query"}});
  EXPECT_EQ(clip, preset("wav2vec2-bert").convention);
  EXPECT_EQ(problem(t5(), "classes.width", 1),
            "[convention] the path must go on with one of count, reach, sides, sign after classes, got 'width'");
}

TEST(RelativeFamilies, AreAdmittedAtEveryWidth) {
  for (const char* name : {"t5-bucket", "swin-window", "swinv2-cpb", "qwen-logn", "learned"}) {
    for (const std::int64_t width : {1, 7, 64}) {
      EXPECT_EQ(said(check_width(preset(name).convention, width)), "nothing") << name;
    }
  }
}

}  // namespace
}  // namespace posenc
