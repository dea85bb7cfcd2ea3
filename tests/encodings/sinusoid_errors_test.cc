// SPDX-License-Identifier: Apache-2.0
// What sinusoidal tables and sums refuse: every rule by its message, thrown and returned, with outputs untouched.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <limits>

#include "tests/encodings/field.h"
#include "tests/encodings/presets.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::Field;
using test::Memory;
using test::said;
using test::thrown;
using test::transformer;

// A call of sinusoid and of add_sinusoid that must be refused.
struct SinusoidCall {
  std::string text;
  Convention convention = transformer;
  Positions positions = Positions::range(0, 3);
  Recipe recipe = exact();
};

void expect_sinusoid_refused(const SinusoidCall& call, Field<float>& field, const View& out) {
  SCOPED_TRACE(call.text);
  EXPECT_EQ(said(check_sinusoid(call.convention, call.positions, out, {.recipe = call.recipe})), call.text);
  EXPECT_EQ(thrown([&] { sinusoid(call.convention, call.positions, out, {.recipe = call.recipe}); }), call.text);
  EXPECT_EQ(said(check_add_sinusoid(call.convention, call.positions, out, out, {.recipe = call.recipe})), call.text);
  EXPECT_EQ(thrown([&] { add_sinusoid(call.convention, call.positions, out, out, {.recipe = call.recipe}); }),
            call.text);
  EXPECT_TRUE(field.is_untouched());
}

void expect_sinusoid_refused(const SinusoidCall& call, std::vector<std::int64_t> shape) {
  Field<float> field(std::move(shape), Memory::dense);
  expect_sinusoid_refused(call, field, field.view());
}

TEST(CheckSinusoid, RefusesAnotherFamilyWidthOrRecipe) {
  expect_sinusoid_refused(
      {"[sinusoid] the convention must be waves of one axis, as a sinusoid or a timestep is, got grid",
       preset("mae-2d").convention},
      {3, 8});
  expect_sinusoid_refused({"[convention] width must be even, got 7"}, {3, 7});
  expect_sinusoid_refused({"[convention] width must be even, got 7"}, {2, 3, 7});
  expect_sinusoid_refused({"[convention] layout must be stated, got none",
                           Sinusoid{Geometric{10000, 1, Spacing::over_width}, {}, OddWidth::refused}},
                          {3, 8});
  expect_sinusoid_refused(
      {"[recipe] ladder must be stated, got none", transformer, Positions::range(0, 3), {"mine", Steps{}}}, {3, 8});
}

TEST(CheckSinusoid, RefusesAShortRowInAnOddTable) {  // whose own rows have one column less
  expect_sinusoid_refused({"[sinusoid] out must have 6 columns, got [3, 7]", preset("tf-official").convention}, {3, 7});
}

TEST(CheckSinusoid, RefusesOutputsOfAnotherShape) {
  const auto shape = [](const char* got) {
    return std::string("[sinusoid] out must have shape [L, d] or [B, L, d], got ") + got;
  };
  const auto rows = [](const char* got) {
    return std::string("[sinusoid] out must have a row for each of 3 positions, got ") + got;
  };
  expect_sinusoid_refused({shape("[]")}, std::vector<std::int64_t>{});
  expect_sinusoid_refused({shape("[8]")}, {8});
  expect_sinusoid_refused({shape("[2, 2, 3, 8]")}, {2, 2, 3, 8});
  expect_sinusoid_refused({rows("[4, 8]")}, {4, 8});
  expect_sinusoid_refused({rows("[3, 2, 8]")}, {3, 2, 8});
  expect_sinusoid_refused({rows("[0, 8]")}, {0, 8});
}

TEST(CheckSinusoid, RefusesPositionsOfAnotherBatch) {
  const std::int64_t list[6] = {};
  const Positions own = Positions::list(view(list, {2, 3}));
  const std::string rule = "[sinusoid] out must have shape [B, L, d] for positions [2, 3], got ";
  expect_sinusoid_refused({rule + "[3, 8]", transformer, own}, {3, 8});
  expect_sinusoid_refused({rule + "[3, 3, 8]", transformer, own}, {3, 3, 8});
  expect_sinusoid_refused({rule + "[1, 3, 8]", transformer, own}, {1, 3, 8});
}

TEST(CheckSinusoid, RefusesBadPositions) {
  const double bad[] = {0, 1, std::nan("")};
  expect_sinusoid_refused({"[sinusoid] real positions must be finite and at most 2^53 in size, got nan at [2]",
                           transformer, Positions::list(view(bad, {3}))},
                          {3, 8});
  expect_sinusoid_refused({"[sinusoid] positions must fit in 64 bits, got 9223372036854775807 + 2 * 1", transformer,
                           Positions::range(std::numeric_limits<std::int64_t>::max(), 3)},
                          {3, 8});
  expect_sinusoid_refused(
      {"[sinusoid] the count of positions must be >= 0, got -3", transformer, Positions::range(0, -3)}, {3, 8});
}

TEST(CheckSinusoid, RefusesViewsThatBreakTheirRules) {
  Field<float> field({3, 8}, Memory::dense);
  View v = field.view();
  v.dtype = DType::i32;
  expect_sinusoid_refused({"[sinusoid] out must be f32, f64, f16 or bf16, got i32"}, field, v);
  v = field.view();
  v.dtype = {};
  expect_sinusoid_refused({"[sinusoid] out must have an element type, got no type"}, field, v);
  v = field.view();
  v.strides[0] = 0;
  expect_sinusoid_refused({"[sinusoid] out must have no stride 0, got 0 for axis 0 of shape [3, 8]"}, field, v);
  v = field.view();
  v.data = nullptr;
  expect_sinusoid_refused({"[sinusoid] out must have data, got a null pointer for shape [3, 8]"}, field, v);
  v = field.view();
  v.data = static_cast<std::byte*>(v.data) + 1;
  expect_sinusoid_refused({"[sinusoid] out must be aligned to its 4-byte elements, got an address that is not"}, field,
                          v);
  v = field.view();
  v.shape[0] = -3;
  expect_sinusoid_refused({"[sinusoid] out must have no negative size, got [-3, 8]"}, field, v);
}

TEST(CheckAddSinusoid, RefusesInputsOfAnotherTypeShapeOrWithoutData) {
  Field<float> out({3, 8}, Memory::dense);
  std::vector<double> wide(24);
  std::vector<float> in(24);
  float* none = nullptr;
  const std::string rule = "[sinusoid] in must have type and shape of out, f32 [3, 8], got ";
  const std::pair<ConstView, std::string> rows[] = {
      {view(wide.data(), {3, 8}), rule + "f64 [3, 8]"},
      {view(in.data(), {2, 8}), rule + "f32 [2, 8]"},
      {view(in.data(), {8}), rule + "f32 [8]"},
      {view(in.data(), {1, 3, 8}), rule + "f32 [1, 3, 8]"},
      {view(none, {3, 8}), "[sinusoid] in must have data, got a null pointer for shape [3, 8]"},
  };
  const Rows ready(transformer, 8);
  for (const auto& [from, text] : rows) {
    EXPECT_EQ(said(check_add_sinusoid(transformer, Positions::range(0, 3), from, out.view())), text);
    EXPECT_EQ(said(ready.check_add(Positions::range(0, 3), from, out.view())), text);
    EXPECT_EQ(thrown([&, view = from] { add_sinusoid(transformer, Positions::range(0, 3), view, out.view()); }), text);
    EXPECT_EQ(thrown([&, view = from] { ready.add(Positions::range(0, 3), view, out.view()); }), text);
  }
  EXPECT_TRUE(out.is_untouched());
}

TEST(Rows, RefuseWhatTheirCheckRefuses) {
  const std::string text = "[convention] width must be even, got 9";
  EXPECT_EQ(said(Rows::check(transformer, 9)), text);
  EXPECT_EQ(thrown([] { Rows(transformer, 9); }), text);
  EXPECT_EQ(said(Rows::check(preset("llama").convention, 8)), "[rows] the convention must be waves, got rotary");
  EXPECT_EQ(said(Rows::check(transformer, 8, {.recipe = {"mine", Steps{}}})),
            "[recipe] ladder must be stated, got none");
}

TEST(Rows, RefuseOutputsOfAnotherWidth) {
  Field<float> out({3, 6}, Memory::dense);
  const Rows rows(transformer, 8);
  const std::string text = "[sinusoid] out must have 8 columns, got [3, 6]";
  EXPECT_EQ(said(rows.check_write(Positions::range(0, 3), out.view())), text);
  EXPECT_EQ(thrown([&] { rows.write(Positions::range(0, 3), out.view()); }), text);
  EXPECT_EQ(thrown([&] { rows.add(Positions::range(0, 3), out.view(), out.view()); }), text);
  EXPECT_TRUE(out.is_untouched());
}

}  // namespace
}  // namespace posenc
