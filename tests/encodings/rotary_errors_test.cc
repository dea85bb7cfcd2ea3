// SPDX-License-Identifier: Apache-2.0
// What rotations refuse, and in which words.
#include <gtest/gtest.h>

#include "tests/encodings/rotations.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::half_pairs;
using test::said;

TEST(RotaryErrors, NameTheRuleAndTheValue) {
  std::vector<float> x(2 * 3 * 8, 1.0f);
  std::vector<std::int32_t> whole(24);
  std::vector<half> other(24);
  std::vector<std::int64_t> ids(4);
  const RotaryRows rows(half_pairs, 8);
  const View out = view(x.data(), {3, 8});
  const auto refused = [&](const std::string& text, const Positions& positions, const ConstView& in, const View& to) {
    const Rotated one[] = {{in, to, TokenAxis::before_columns}};
    EXPECT_EQ(said(rows.check_rotate(positions, one)), text);
    EXPECT_EQ(test::thrown([&] { rows.rotate(positions, one); }), text);
    EXPECT_EQ(x, std::vector<float>(x.size(), 1.0f));
  };
  const Positions three = Positions::range(0, 3);
  refused("[rotary] out must be f32, f64, f16 or bf16, got i32", three, view(whole.data(), {3, 8}),
          view(whole.data(), {3, 8}));
  refused("[rotary] out must have shape [.., L, d], got [8]", three, view(x.data(), {8}), view(x.data(), {8}));
  refused("[rotary] out must have a row for each of 4 positions, got [3, 8]", Positions::range(0, 4), out, out);
  refused("[rotary] out must have 8 columns or more, got [3, 6]", three, view(x.data(), {3, 6}),
          view(x.data(), {3, 6}));
  refused("[rotary] out must have shape [B, .., L, d] for positions [2, 2], got [2, 8]",
          Positions::list(view(std::as_const(ids).data(), {2, 2})), view(x.data(), {2, 8}), view(x.data(), {2, 8}));
  refused("[rotary] out must have shape [B, .., L, d] for positions [2, 2], got [3, 2, 8]",
          Positions::list(view(std::as_const(ids).data(), {2, 2})), view(x.data(), {3, 2, 8}),
          view(x.data(), {3, 2, 8}));
  refused("[rotary] in must have type and shape of out, f32 [3, 8], got f16 [3, 8]", three,
          view(std::as_const(other).data(), {3, 8}), out);
  refused("[rotary] in must have type and shape of out, f32 [3, 8], got f32 [2, 3, 8]", three,
          view(std::as_const(x).data(), {2, 3, 8}), out);
  refused("[rotary] in must have data, got a null pointer for shape [3, 8]", three,
          view(static_cast<const float*>(nullptr), {3, 8}), out);
  refused("[rotary] out must have no stride 0, got 0 for axis 0 of shape [2, 3, 8]", three, view(x.data(), {2, 3, 8}),
          out.repeated(2));
  refused("[rotary] the count of positions must be >= 0, got -1", Positions::range(0, -1), out, out);
  refused("[rotary] real positions must be finite and at most 2^53 in size, got inf",
          Positions::range(std::numeric_limits<double>::infinity(), 3), out, out);
}

TEST(RotaryErrors, OfATensorLeaveTheOthersAsTheyWere) {
  std::vector<float> q(16, 1.0f), k(16, 1.0f);
  const Rotated tensors[] = {view(q.data(), {2, 8}), view(k.data(), {1, 16})};
  const RotaryRows rows(half_pairs, 8);
  EXPECT_EQ(test::thrown([&] { rows.rotate(Positions::range(1, 2), tensors); }),
            "[rotary] out must have a row for each of 2 positions, got [1, 16]");
  EXPECT_EQ(q, std::vector<float>(16, 1.0f));
}

TEST(RotaryErrors, OfConventionsAndWidths) {
  EXPECT_EQ(said(RotaryRows::check(preset("transformer").convention, 8)),
            "[rotary] the convention must be rotary, got sinusoid");
  EXPECT_EQ(said(RotaryRows::check(half_pairs, 7)), "[convention] width must be even, got 7");
  EXPECT_EQ(said(RotaryRows::check(half_pairs, 0)), "[convention] width must be 1 to 2^30, got 0");
  EXPECT_EQ(said(RotaryRows::check(Rotary{Listed{{1, 2}}, Pairing::adjacent}, 8)),
            "[convention] the ladder must list 4 frequencies for width 8, got 2");
  EXPECT_EQ(said(RotaryRows::check(half_pairs, 8, {.recipe = {"mine", Steps{}}})),
            said(check_recipe(Recipe{"mine", Steps{}})));
  EXPECT_EQ(test::thrown([] { RotaryRows(half_pairs, 7); }), "[convention] width must be even, got 7");
  float x[2][9];
  const View out = view(&x[0][0], {2, 9});
  EXPECT_EQ(said(check_rotary(half_pairs, Positions::range(0, 2), out, out)), "[convention] width must be even, got 9");
  EXPECT_EQ(test::thrown([&] { rotary(half_pairs, Positions::range(0, 2), out, out); }),
            "[convention] width must be even, got 9");
  EXPECT_EQ(said(check_rotary(half_pairs, Positions::range(0, 3), out, out)),
            "[rotary] out must have a row for each of 3 positions, got [2, 9]");
}

}  // namespace
}  // namespace posenc
