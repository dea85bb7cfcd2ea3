// SPDX-License-Identifier: Apache-2.0
// Families that are to come: checking, printing, comparing and changing take their field tables as they are.
#include <gtest/gtest.h>

#include "src/conventions/change.h"
#include "src/conventions/compare.h"
#include "tests/conventions/sketches.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

template <class S>
std::string first_change(S value, std::string_view path, const FieldValue& to) {
  return said(schema::change_field(value, path, to, {}));
}

template <class S>
std::vector<std::string> differing(const S& a, const S& b) {
  std::vector<std::string> paths;
  schema::differences(a, b, {}, [&](const schema::Path& at, const std::string& ours, const std::string& theirs) {
    paths.push_back(at.text() + ": " + ours + ", not " + theirs);
  });
  return paths;
}

TEST(Sketches, PrintEveryField) {
  EXPECT_EQ(schema::text_of<2>(opt),
            "learned {rows 2050, offset 2, past_end error, axes [position], combine sum, scale 1}");
  EXPECT_EQ(schema::text_of<2>(t5), "buckets {classes log {count 32, reach 128, sign key_minus_query}, scale 1}");
  EXPECT_EQ(schema::text_of<2>(llama4), "query_scale {steps log_steps {gain 0.1, every 8192, origin 1}}");
}

TEST(Sketches, AreCheckedFieldByFieldAndThenAsAWhole) {
  EXPECT_EQ(said(schema::check<2>(opt)), "nothing");
  EXPECT_EQ(said(schema::check<2>(Learned{})), "[convention] rows must be stated, got none");
  EXPECT_EQ(said(schema::check<2>(Buckets{ClipBuckets{64, -8, Sign::key_minus_query}, 1})),
            "[convention] classes.right must be >= 0, got -8");
  EXPECT_EQ(said(schema::check<2>(Buckets{LogBuckets{32, 32, Sign::key_minus_query}, 1})),
            "[convention] classes.reach must be greater than count, 32, got 32");
  EXPECT_EQ(said(schema::check<2>(LogCoordinates{8, {8, 0}})),
            "[convention] window must be finite and > 0, got 0 at [1]");
}

TEST(Sketches, AreComparedByPaths) {
  EXPECT_TRUE(differing(opt, opt).empty());
  Learned other = opt;
  other.offset = 0, other.axes = {"y", "x"}, other.combine = Index{14};
  EXPECT_EQ(differing(opt, other), (std::vector<std::string>{"offset: 2, not 0", "axes: [position], not [y, x]",
                                                             "combine: sum, not index {columns 14}"}));
  EXPECT_EQ(differing(llama4, QueryScale{LogSteps{0.2, 8192, 1}}),
            std::vector<std::string>{"steps.gain: 0.1, not 0.2"});
}

TEST(Sketches, AreChangedByPaths) {
  Buckets changed = t5;
  EXPECT_EQ(said(schema::change_field(changed, "classes.sign", "query_minus_key", {})), "nothing");
  EXPECT_EQ(std::get<LogBuckets>(changed.classes).sign, Sign::query_minus_key);
  EXPECT_EQ(said(schema::change_field(changed, "classes", "clip", {})), "nothing");
  EXPECT_EQ(said(schema::change_field(changed, "classes.left", 64, {})), "nothing");
  EXPECT_EQ(std::get<ClipBuckets>(changed.classes).left, 64);
  EXPECT_EQ(first_change(opt, "offset", -1), "[convention] offset must be >= 0, got -1");
  EXPECT_EQ(first_change(opt, "past_end", "stop"),
            "[convention] past_end must be one of error, clamp, zeros, wrap, got 'stop'");
  EXPECT_EQ(first_change(t5, "classes.width", 1),
            "[convention] the path must go on with one of count, reach, sign after classes, got 'width'");
}

}  // namespace
}  // namespace posenc
