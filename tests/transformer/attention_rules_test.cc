// SPDX-License-Identifier: Apache-2.0
// What attention refuses, and how it says so; a refused call writes nothing.
#include <posenc/transformer/attention.h>

#include "tests/input/plain.h"
#include "tests/transformer/attention_truth.h"

namespace posenc {
namespace {

using plain::Heads;

// Arguments that a test breaks one at a time: B 2, H 4, G 2, L 3, S 5, d 6, e 7.
struct Call {
  Heads heads = {2, 4, 2, 3, 5, 6, 7};
  std::vector<float> w = std::vector<float>(2 * 4 * 3 * 5, 7.0f);
  ConstView queries = heads.queries(), keys = heads.keys(), values = heads.values();
  View out = heads.out(), weights = view(w.data(), {2, 4, 3, 5});
  AttentionOptions options = {.score = Score::scaled_dot, .sight = Sight::all};

  std::string error() {
    const std::vector<float> before = heads.o;
    const std::string thrown = plain::error_of([&] { attention(queries, keys, values, out, options); });
    const auto returned = check_attention(queries, keys, values, out, options);
    EXPECT_EQ(returned ? "posenc: error: " + returned->message() : "no error",
              thrown.starts_with("posenc") || thrown == "no error" ? thrown : "posenc: error: " + thrown);
    if (returned) {
      EXPECT_EQ(heads.o, before);
    }
    return returned ? returned->message() : "no error";
  }
  std::string weights_error() {
    const auto returned = check_attention_weights(queries, keys, weights, options);
    return returned ? returned->message() : "no error";
  }
};

template <class Break>
std::string error_after(const Break& change) {
  Call call;
  change(call);
  return call.error();
}

TEST(AttentionRules, AreKeptByTheArgumentsThatTheTestsBreak) {
  EXPECT_EQ(Call().error(), "no error");
  EXPECT_EQ(Call().weights_error(), "no error");
}

TEST(AttentionRules, NameTypesThatAreNotF32) {
  EXPECT_EQ(error_after([](Call& c) { c.queries.dtype = DType::i32; }), "[attention] queries must be f32, got i32");
  EXPECT_EQ(error_after([](Call& c) { c.keys.dtype = DType::bf16; }), "[attention] keys must be f32, got bf16");
  EXPECT_EQ(error_after([](Call& c) { c.values.dtype = DType::f16; }), "[attention] values must be f32, got f16");
  EXPECT_EQ(error_after([](Call& c) { c.out.dtype = DType::i32; }), "[attention] out must be f32, got i32");
}

TEST(AttentionRules, NameShapesThatDoNotGoTogether) {
  EXPECT_EQ(error_after([](Call& c) { c.queries.rank = 3; }),
            "[attention] queries must have shape [B, H, L, d], got [2, 4, 3]");
  EXPECT_EQ(error_after([](Call& c) { c.keys.rank = 3; }),
            "[attention] keys must have shape [2, G, S, 6], got [2, 2, 5]");
  EXPECT_EQ(error_after([](Call& c) { c.values.rank = 3; }),
            "[attention] values must have shape [2, 2, 5, e], got [2, 2, 5]");
  EXPECT_EQ(error_after([](Call& c) { c.out.rank = 3; }),
            "[attention] out must have shape [2, 4, 3, 7], got [2, 4, 3]");
  EXPECT_EQ(error_after([](Call& c) { c.keys.shape[3] = 5; }),
            "[attention] keys must have shape [2, 2, 5, 6], got [2, 2, 5, 5]");
  EXPECT_EQ(error_after([](Call& c) { c.keys.shape[0] = 1; }),
            "[attention] keys must have shape [2, 2, 5, 6], got [1, 2, 5, 6]");
  EXPECT_EQ(error_after([](Call& c) { c.values.shape[2] = 4; }),
            "[attention] values must have shape [2, 2, 5, 7], got [2, 2, 4, 7]");
  EXPECT_EQ(error_after([](Call& c) { c.values.shape[1] = 1; }),
            "[attention] values must have shape [2, 2, 5, 7], got [2, 1, 5, 7]");
  EXPECT_EQ(error_after([](Call& c) { c.out.shape[2] = 2; }),
            "[attention] out must have shape [2, 4, 3, 7], got [2, 4, 2, 7]");
  EXPECT_EQ(error_after([](Call& c) { c.queries.shape[1] = 3; }),
            "[attention] heads of queries must be a multiple of those of keys, got 3 and 2");
  EXPECT_EQ(error_after([](Call& c) { c.keys.shape[1] = c.values.shape[1] = 0; }),
            "[attention] heads of queries must be a multiple of those of keys, got 4 and 0");
}

TEST(AttentionRules, NameColumnsThatDoNotLieNextToEachOther) {
  EXPECT_EQ(error_after([](Call& c) { c.queries.strides[3] = 2; }),
            "[attention] queries must have columns next to each other, stride 1, got 2");
  EXPECT_EQ(error_after([](Call& c) { c.keys.strides[3] = 0; }),
            "[attention] keys must have columns next to each other, stride 1, got 0");
  EXPECT_EQ(error_after([](Call& c) { c.values.strides[3] = -1; }),
            "[attention] values must have columns next to each other, stride 1, got -1");
  EXPECT_EQ(error_after([](Call& c) { c.out.strides[3] = 2; }),
            "[attention] out must have columns next to each other, stride 1, got 2");
}

TEST(AttentionRules, NameOutputsThatShareElements) {
  EXPECT_NE(error_after([](Call& c) { c.out.strides[1] = 0; }), "no error");
  EXPECT_NE(error_after([](Call& c) { c.out.data = nullptr; }), "no error");
}

TEST(AttentionRules, NameLengthsOutsideTheKeys) {
  static const std::int64_t longer[] = {5, 6}, below[] = {-1, 0}, right[] = {0, 5};
  static const float real[] = {1, 2};
  const auto with = [](ConstView lengths) { return error_after([=](Call& c) { c.options.lengths = lengths; }); };
  EXPECT_EQ(with(view(right, {2})), "no error");
  EXPECT_EQ(with(view(longer, {2})), "[attention] lengths must be in [0, 5], got 6 at [1]");
  EXPECT_EQ(with(view(below, {2})), "[attention] lengths must be in [0, 5], got -1 at [0]");
  EXPECT_EQ(with(view(real, {2})), "[attention] lengths must be i32 or i64, got f32");
  EXPECT_EQ(with(view(right, {1})), "[attention] lengths must have shape [2], got [1]");
  EXPECT_EQ(with(view(right, {2, 1})), "[attention] lengths must have shape [2], got [2, 1]");
}

TEST(AttentionRules, NameMasksOfAnotherShape) {
  static const std::vector<float> numbers(2 * 4 * 3 * 5);
  static const std::int32_t integers[120] = {};
  const auto with = [](ConstView mask) { return error_after([=](Call& c) { c.options.mask = mask; }); };
  ConstView mask = view(numbers.data(), {2, 4, 3, 5});
  EXPECT_EQ(with(mask), "no error");
  EXPECT_EQ(with(view(numbers.data(), {3, 5})), "[attention] mask must have shape [2, 4, 3, 5], got [3, 5]");
  EXPECT_EQ(with(view(numbers.data(), {1, 1, 3, 5})),
            "[attention] mask must have shape [2, 4, 3, 5], got [1, 1, 3, 5]");
  EXPECT_EQ(with(view(integers, {2, 4, 3, 5})), "[attention] mask must be f32, got i32");
  mask.strides = {0, 0, 0, 2};
  EXPECT_EQ(with(mask), "[attention] mask must have columns next to each other or repeated, stride 1 or 0, got 2");
}

TEST(AttentionRules, NameSlopesAndPositionsThatHaveNoMeaning) {
  static const float three[] = {1, 2, 3}, bad[] = {1, 2, NAN, 4};
  EXPECT_EQ(error_after([](Call& c) { c.options.slopes = three; }),
            "[attention] slopes must be as many as heads, 4, got 3");
  EXPECT_EQ(error_after([](Call& c) { c.options.slopes = bad; }), "[attention] slopes must be finite, got nan at [2]");
  EXPECT_EQ(error_after([](Call& c) { c.options.first = -1; }),
            "[attention] first must be in [0, 2^63 - 1 - 3], got -1");
  EXPECT_EQ(error_after([](Call& c) { c.options.first = std::numeric_limits<std::int64_t>::max() - 2; }),
            "[attention] first must be in [0, 2^63 - 1 - 3], got 9223372036854775805");
  EXPECT_EQ(error_after([](Call& c) { c.options.first = std::numeric_limits<std::int64_t>::max() - 3; }), "no error");
}

TEST(AttentionRules, NameWhatIsNotStated) {
  EXPECT_EQ(error_after([](Call& c) { c.options = {}; }), "[attention] score must be stated, got none");
  EXPECT_EQ(error_after([](Call& c) { c.options.sight = {}; }), "[attention] sight must be stated, got none");
}

TEST(AttentionRules, AreThoseOfTheWeightsToo) {
  const auto with = [](const auto& change) {
    Call call;
    change(call);
    return call.weights_error();
  };
  EXPECT_EQ(with([](Call& c) { c.queries.rank = 3; }),
            "[attention_weights] queries must have shape [B, H, L, d], got [2, 4, 3]");
  EXPECT_EQ(with([](Call& c) { c.weights.shape[3] = 4; }),
            "[attention_weights] out must have shape [2, 4, 3, 5], got [2, 4, 3, 4]");
  EXPECT_EQ(with([](Call& c) { c.weights.dtype = DType::i32; }), "[attention_weights] out must be f32, got i32");
  EXPECT_EQ(with([](Call& c) { c.options = {}; }), "[attention_weights] score must be stated, got none");
}

}  // namespace
}  // namespace posenc
