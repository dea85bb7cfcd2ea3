// SPDX-License-Identifier: Apache-2.0
// Values that no enumerator has are refused before anything is written.
#include <gtest/gtest.h>
#include <posenc/backward.h>
#include <posenc/bias.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <functional>

#include "tests/encodings/presets.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::rope;
using test::said;
using test::thrown;
using test::transformer;

// ---- every check --------------------------------------------------------------------------------

struct Row {
  std::string_view name;
  std::function<std::optional<Problem>(std::uint8_t)> check;  // of the enumerator of that number
  std::string said;
};

std::array<float, 12> numbers = {};
const View four = view(numbers.data(), {3, 4});
constexpr std::array<std::int64_t, 3> three_ids = {0, 1, 2};
const ConstView id_view = view(three_ids.data(), {3});
const Positions three_positions = Positions::range(0, 3);
const StageOptions no_scale = {.scale = Scale::none};
const InputStage& stage() {
  static const InputStage ready(four, transformer, no_scale);
  return ready;
}

Positions of_kind(std::uint8_t kind) {
  Positions positions = three_positions;
  positions.kind_ = static_cast<Positions::Kind>(kind);
  return positions;
}
View of_type(std::uint8_t type) {
  View out = four;
  out.dtype = static_cast<DType>(type);
  return out;
}
Recipe with_steps(const std::function<void(Steps&)>& change) {
  Recipe made = recipe("f32-exp");
  change(*made.steps);
  return made;
}

std::vector<Row> rows_of_positions() {
  const std::string rule = "positions must be made by range, at or list, got none";
  const View bias = view(numbers.data(), {1, 3, 3});
  const Convention &steps = preset("ddpm").convention, &slopes = preset("alibi").convention;
  return {
      {"positions", [](auto v) { return check_positions("here", of_kind(v)); }, "[here] " + rule},
      {"sinusoid", [](auto v) { return check_sinusoid(transformer, of_kind(v), four); }, "[sinusoid] " + rule},
      {"add", [](auto v) { return check_add_sinusoid(transformer, of_kind(v), four, four); }, "[sinusoid] " + rule},
      {"rows", [](auto v) { return Rows(transformer, 4).check_write(of_kind(v), four); }, "[sinusoid] " + rule},
      {"timestep", [&](auto v) { return check_sinusoid(steps, of_kind(v), four); }, "[sinusoid] " + rule},
      {"queries", [=, &slopes](auto v) { return check_bias(slopes, of_kind(v), three_positions, bias); },
       "[bias] " + rule},
      {"keys", [=, &slopes](auto v) { return check_bias(slopes, three_positions, of_kind(v), bias); },
       "[bias] " + rule},
      {"rotary", [](auto v) { return check_rotary(rope, of_kind(v), four, four); }, "[rotary] " + rule},
      {"rotate", [](auto v) { return RotaryRows(rope, 4).check_rotate(of_kind(v), four, four); }, "[rotary] " + rule},
      {"encode", [](auto v) { return stage().check_encode(id_view, of_kind(v), four); }, "[input_stage] " + rule}};
}

std::vector<Row> rows_of_types() {
  const auto rounded = [](auto v) {
    return InputStage::check(four, transformer, {.scale = Scale::none.rounded_to(static_cast<DType>(v))});
  };
  const auto storage = [](auto v) {
    return check_recipe(with_steps([=](Steps& steps) { steps.storage = {static_cast<DType>(v)}; }));
  };
  return {
      {"view", [](auto v) { return check_view("here", "it", of_type(v)); },
       "[here] it must have an element type, got no type"},
      {"output", [](auto v) { return check_output("here", "it", of_type(v)); },
       "[here] it must have an element type, got no type"},
      {"sinusoid", [](auto v) { return check_sinusoid(transformer, three_positions, of_type(v)); },
       "[sinusoid] out must have an element type, got no type"},
      {"rotary", [](auto v) { return check_rotary(rope, three_positions, four, of_type(v)); },
       "[rotary] out must have an element type, got no type"},
      {"in", [](auto v) { return check_rotary(rope, three_positions, of_type(v), four); },
       "[rotary] in must have an element type, got no type"},
      {"chunks",
       [](auto v) { return GridChunks::check(Rows(preset("mae-2d").convention, 8), {2, 2}, static_cast<DType>(v)); },
       "[grid] dtype must be f32, f64, f16 or bf16, got no type"},
      {"scale", rounded, "[input_stage] scale must be rounded to f32, f64, f16 or bf16, got no type"},
      {"storage", storage, "[recipe] storage must be f32, f64, f16 or bf16, got no type"}};
}

std::vector<Row> rows_of_options() {
  const auto direction = [](auto v) { return static_cast<Direction>(v); };
  const auto reading = [](auto v) { return static_cast<Reading>(v); };
  const std::string turns = "[rotary] direction must be forward or inverse, got none";
  const std::string read = "reading must be stated, got none";
  return {
      {"direction", [=](auto v) { return check_direction(direction(v)); }, turns},
      {"rotary", [=](auto v) { return check_rotary(rope, three_positions, four, four, direction(v)); }, turns},
      {"rotate", [=](auto v) { return RotaryRows(rope, 4).check_rotate(three_positions, four, four, direction(v)); },
       turns},
      {"reading", [=](auto v) { return check_reading("here", reading(v)); }, "[here] " + read},
      {"sinusoid", [=](auto v) { return check_sinusoid(transformer, three_positions, four, {.reading = reading(v)}); },
       "[sinusoid] " + read},
      {"write", [=](auto v) { return Rows(transformer, 4).check_write(three_positions, four, reading(v)); },
       "[sinusoid] " + read},
      {"encode", [=](auto v) { return stage().check_encode(id_view, three_positions, four, {.reading = reading(v)}); },
       "[input_stage] " + read},
      {"gradient", [=](auto v) { return Backward(stage(), id_view).check_write(four, four, {.reading = reading(v)}); },
       "[backward] " + read},
      {"mode",
       [](auto v) { return stage().check_encode(id_view, three_positions, four, {.mode = static_cast<StageMode>(v)}); },
       "[input_stage] mode must be stated, got none"},
      {"gradient's mode",
       [](auto v) { return Backward(stage(), id_view).check_write(four, four, {.mode = static_cast<StageMode>(v)}); },
       "[backward] mode must be stated, got none"},
      {"scale",
       [](auto v) { return InputStage::check(four, transformer, {.scale = {static_cast<Scale::Kind>(v), 1, {}}}); },
       "[input_stage] scale must be stated, got none"},
      {"init", [](auto v) { return check_seeded_rows(four, static_cast<RowInit>(v)); },
       "[seeded_rows] init must be stated, got none"},
      {"use", [](auto v) { return check_use("here", static_cast<ConventionUse>(v), transformer); },
       "[here] what the convention is asked for must be stated, got none"},
      {"recipe",
       [](auto v) { return check_recipe(with_steps([=](Steps& s) { s.ladder = static_cast<LadderBy>(v); })); },
       "[recipe] ladder must be stated, got none"},
      {"layout",
       [](auto v) {
         return check_convention(
             Sinusoid{Geometric{10000, 1, Spacing::over_width}, static_cast<Layout>(v), OddWidth::refused});
       },
       "[convention] layout must be stated, got none"},
      {"pairing",
       [](auto v) {
         return check_convention(PlainRotary{Geometric{10000, 1, Spacing::over_width}, static_cast<Pairing>(v)});
       },
       "[convention] pairing must be stated, got none"}};
}

TEST(Enumerators, ThatAreNoneAreRefusedByEveryCheck) {
  for (const auto& rows : {rows_of_positions(), rows_of_types(), rows_of_options()}) {
    for (const Row& row : rows) {
      for (const auto none : {std::uint8_t{0}, std::uint8_t{77}, std::uint8_t{255}}) {
        EXPECT_EQ(said(row.check(none)), row.said) << row.name;
      }
    }
  }
}

// ---- every call ---------------------------------------------------------------------------------

TEST(Enumerators, OfPositionsAreAskedBeforeTheyAreRead) {
  std::vector<float> table(3 * 4, 9.0f);
  const View out = view(table.data(), {3, 4});
  for (const auto kind : {Positions::Kind{}, static_cast<Positions::Kind>(77)}) {
    Positions positions = Positions::range(0, 3);
    positions.kind_ = kind;
    const std::string rule = "positions must be made by range, at or list, got none";
    EXPECT_EQ(said(check_sinusoid(transformer, positions, out)), "[sinusoid] " + rule);
    EXPECT_EQ(said(check_rotary(rope, positions, out, out)), "[rotary] " + rule);
    EXPECT_EQ(thrown([&] { sinusoid(transformer, positions, out); }), "[sinusoid] " + rule);
  }
  EXPECT_EQ(table, std::vector<float>(3 * 4, 9.0f));
}

TEST(Enumerators, OfDirectionsAreAskedByEveryRotation) {
  std::vector<float> rows(3 * 4, 9.0f);
  const View out = view(rows.data(), {3, 4});
  const RotaryRows ready(rope, 4);
  for (const auto direction : {Direction{}, static_cast<Direction>(77)}) {
    const std::string rule = "[rotary] direction must be forward or inverse, got none";
    EXPECT_EQ(said(check_direction(direction)), rule);
    EXPECT_EQ(thrown([&] { rotary(rope, Positions::range(0, 3), out, out, direction); }), rule);
    EXPECT_EQ(thrown([&] { ready.rotate(Positions::range(0, 3), out, out, direction); }), rule);
    const Rotated one[] = {{out, out}};
    EXPECT_EQ(said(ready.rotate_checked(Positions::range(0, 3), one, direction, serial)), rule);
  }
  EXPECT_EQ(rows, std::vector<float>(3 * 4, 9.0f));
}

TEST(Enumerators, OfReadingsAreAskedByEveryTable) {
  std::vector<float> table(3 * 4, 9.0f);
  const View out = view(table.data(), {3, 4});
  const Rows ready(transformer, 4);
  for (const auto reading : {Reading{}, static_cast<Reading>(9)}) {
    const std::string rule = "[sinusoid] reading must be stated, got none";
    EXPECT_EQ(thrown([&] { sinusoid(transformer, Positions::range(0, 3), out, {.reading = reading}); }), rule);
    EXPECT_EQ(thrown([&] { ready.write(Positions::range(0, 3), out, serial, reading); }), rule);
  }
  EXPECT_EQ(table, std::vector<float>(3 * 4, 9.0f));
}

}  // namespace
}  // namespace posenc
