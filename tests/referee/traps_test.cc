// SPDX-License-Identifier: Apache-2.0
// Traps in which ports fall: each planted into an exact table, as it is and through bf16, and named with its cure.
//
// Not planted, since no tensor that is checked shows it: the same cosines and sines turn other pairs of columns
// (rope-half and rope-pair, V-JEPA 2's tiled angles), or turn queries the other way and keys too: identify_rotation
// sees both, of queries before and after. The decay of xPos, its centre, and the longest length that was seen earlier
// are of calls, not of a table. The factor of embeddings (Gemma's sqrt(d) in bf16, the hidden scale of OpenNMT) is of
// embeddings. Caches by shape alone are of an object's state. Offsets of learned rows are of stored rows, which no
// convention has numbers for.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/referee/referee.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/referee/recorded.h"

namespace posenc {
namespace {

const Convention& named(std::string_view name) { return preset(name).convention; }
float rounded_to_bf16(float x) { return static_cast<float>(bfloat16(x)); }

struct Tensor {
  std::vector<float> entries;
  std::vector<std::int64_t> shape;
  ConstView view() const { return posenc::view(entries.data(), std::span<const std::int64_t>(shape)); }
};
Tensor room(std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return {std::vector<float>(static_cast<std::size_t>(count)), std::move(shape)};
}
Tensor through_bf16(Tensor tensor) {
  for (float& x : tensor.entries) x = rounded_to_bf16(x);
  return tensor;
}

Tensor rows_of(const Convention& convention, std::int64_t dim, const Positions& positions) {
  const Rows rows(convention, dim, {.context = {.length = positions.count_, .learned = 1}});
  Tensor tensor = room({positions.count_, rows.width()});
  rows.write({&positions, 1}, view(tensor.entries.data(), {tensor.shape[0], tensor.shape[1]}));
  return tensor;
}
Tensor rows_of(std::string_view name, std::int64_t dim, std::int64_t rows = 512) {
  return rows_of(named(name), dim, Positions::range(0, rows));
}

// [height, width, d], numbered as the row of presets says.
Tensor cells_of(const Convention& convention, std::int64_t dim, std::int64_t height, std::int64_t width,
                const PlaceNumbering& places = whole_places) {
  const Rows rows(convention, dim);
  const std::int64_t cells = height * width;
  std::vector<std::vector<double>> lists;
  const std::vector<std::string> axes = axes_of(convention);
  const std::int64_t extents[] = {height, width};
  for (const std::string& axis : axes) {
    const std::size_t extent = axis == "y" ? 0 : 1;
    std::vector<double> along(static_cast<std::size_t>(extents[extent])), list;
    place_coordinates(places, extents, extent, view(along.data(), {extents[extent]}));
    for (std::int64_t i = 0; i < cells; ++i)
      list.push_back(along[static_cast<std::size_t>(axis == "y" ? i / width : i % width)]);
    lists.push_back(std::move(list));
  }
  std::vector<Positions> positions;
  for (const auto& list : lists) positions.push_back(Positions::list(view(list.data(), {cells})));
  Tensor tensor = room({height, width, rows.width()});
  rows.write(positions, view(tensor.entries.data(), {cells, rows.width()}));
  return tensor;
}

// "[sin | cos]" of every pair.
Tensor cache_of(const Convention& convention, std::int64_t head, std::span<const Positions> positions,
                std::int64_t length = 0) {
  const RotaryCache cache(with_field(convention, "stored", "sine_cosine"), head,
                          {.context = {.length = length == 0 ? positions[0].count_ : length}});
  Tensor tensor = room({positions[0].count_, cache.width()});
  cache.write("sin_cos", positions, view(tensor.entries.data(), {tensor.shape[0], tensor.shape[1]}));
  return tensor;
}
Tensor cache_of(const Convention& convention, std::int64_t head = 64, std::int64_t rows = 512,
                std::int64_t length = 0) {
  const Positions positions[] = {Positions::range(0, rows)};
  return cache_of(convention, head, positions, length);
}

// Verbs that each trap runs. Identify searches without the convention, and takes some minutes for all traps.
enum class Asked : std::uint8_t { check = 1, identify_too };
class Traps : public testing::TestWithParam<Asked> {};
INSTANTIATE_TEST_SUITE_P(Check, Traps, testing::Values(Asked::check));
INSTANTIATE_TEST_SUITE_P(Exhaustive, Traps, testing::Values(Asked::identify_too));

// The answers are those recorded.
Diagnosis diagnosed(const ConstView& tensor, const Convention& asked, const DiagnoseOptions& options = {}) {
  const std::string name = test::next_case();
  Diagnosis diagnosis = diagnose(tensor, asked, options);
  test::expect_recorded(name + "/check", to_json(diagnosis));
  if (Traps::GetParam() == Asked::identify_too) test::expect_recorded(name + "/identify", to_json(identify(tensor)));
  return diagnosis;
}
std::string said_of(const Tensor& tensor, const Convention& asked, const DiagnoseOptions& options = {}) {
  return to_string(diagnosed(tensor.view(), asked, options));
}

// Both the tensor and what bf16 leaves of it are wrong, and the words are said.
void expect_trap(const Tensor& tensor, const Convention& asked, std::string_view words,
                 const DiagnoseOptions& options = {}) {
  for (const Tensor& each : {tensor, through_bf16(tensor)}) {
    const std::string said = said_of(each, asked, options);
    EXPECT_TRUE(said.starts_with("wrong")) << words << "\n" << said;
    EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
  }
}
void expect_right(const Tensor& tensor, const Convention& asked, const DiagnoseOptions& options = {}) {
  for (const Tensor& each : {tensor, through_bf16(tensor)}) {
    EXPECT_TRUE(said_of(each, asked, options).starts_with("right")) << said_of(each, asked, options);
  }
}

// ---- rows ----------------------------------------------------------------------------------------

TEST_P(Traps, TheEndPointOfALadder) {
  expect_trap(rows_of("whisper", 512), named("mae-1d"), "ladder includes its end point (k / (n - 1)), 2k / d asked");
  expect_trap(rows_of("mae-1d", 512), named("whisper"), "ladder leaves out its end point (2k / d), k / (n - 1) asked");
  expect_trap(rows_of("marian-native", 64), named("marian-hf"), "ladder includes its end point");
  expect_trap(rows_of("marian-hf", 64), named("marian-native"), "ladder leaves out its end point");
}

TEST_P(Traps, Layouts) {
  const Convention base = named("transformer");
  for (const std::string_view is : {"interleaved", "sine_first", "cosine_first"}) {
    for (const std::string_view asked : {"interleaved", "sine_first", "cosine_first"}) {
      if (is == asked) continue;
      expect_trap(rows_of(with_field(base, "layout", is), 64, Positions::range(0, 128)),
                  with_field(base, "layout", asked),
                  "permute with posenc convert --layout " + std::string(is) + ":" + std::string(asked));
    }
  }
}

// p base^(-c / d) in column c: the number of the column in place of that of its pair.
TEST_P(Traps, ColumnsCountedForPairs) {
  const Convention asked = named("transformer");
  const Convention counted = with_field(with_field(asked, "ladder.spacing.over", "columns"), "ladder.base", 100);
  expect_trap(rows_of(counted, 64, Positions::range(0, 200)), asked, "frequencies are spaced over the columns, the ");
  expect_trap(rows_of(counted, 64, Positions::range(0, 200)), asked, "base is 100");
}

TEST_P(Traps, SinesInPlaceOfCosines) {
  Tensor tensor = rows_of("mae-1d", 32, 100);
  for (std::int64_t row = 0; row < 100; ++row) {
    for (std::int64_t c = 0; c < 16; ++c) {
      tensor.entries[static_cast<std::size_t>(row * 32 + 16 + c)] =
          tensor.entries[static_cast<std::size_t>(row * 32 + c)];
    }
  }
  expect_trap(tensor, named("mae-1d"), "columns hold others, and their own entries are lost: column 16 holds column 0");
}

TEST_P(Traps, AnotherWidthThanIsAsked) {
  DiagnoseOptions options;
  options.dim = 16;
  const Convention asked = with_field(named("rope-half"), "stored", "sine_cosine");
  expect_trap(cache_of(asked, 128, 60), asked, "the width is 128, not 16", options);
}

// A reader of rotary_pct takes the part of what is already a part.
TEST_P(Traps, APartOfAPart) {
  DiagnoseOptions options;
  options.dim = 128;
  const Convention quarter =
      with_fields(named("rope-half"), {{"part", "share"}, {"part.share", 0.25}, {"stored", "sine_cosine"}});
  expect_trap(cache_of(quarter, 32, 60), quarter,
              "8 columns turn, 32 asked: the part was taken twice, of 128 and of the 32 that it leaves", options);
  expect_trap(cache_of(quarter, 96, 60), quarter, "24 columns turn, 32 asked: those of a head of 96, not of 128",
              options);
}

TEST_P(Traps, Origins) {
  for (const std::int64_t first : {-1, 1, 2, 7}) {
    expect_trap(rows_of(named("transformer"), 64, Positions::range(first, 128)), named("transformer"),
                first < 0 ? "row p holds position p - 1" : "row p holds position p + " + std::to_string(first));
  }
}

TEST_P(Traps, OddWidths) {
  const auto odd = [](std::string_view rule) { return with_field(named("transformer"), "odd_width", rule); };
  // positional-encodings has the ladder of width 8, XLM that of 7.
  expect_trap(rows_of("positional-encodings-1d", 7, 128), odd("lone_sine"), "spaced over the pairs, the width asked",
              {.dim = 7});
  expect_trap(rows_of(odd("zero_column"), 7, Positions::range(0, 128)), odd("lone_sine"),
              "odd_width is zero_column, lone_sine asked", {.dim = 7});
  expect_trap(rows_of(odd("repeated_cosine"), 7, Positions::range(0, 128)), odd("zero_column"),
              "odd_width is repeated_cosine, zero_column asked", {.dim = 7});
  expect_trap(rows_of(odd("short_row"), 7, Positions::range(0, 128)), odd("zero_column"),
              "odd_width is short_row, zero_column asked", {.dim = 7});
}

TEST_P(Traps, TimescalesOfTensor2tensor) {
  // min_timescale 4 was meant as timescales from 4 to 10000, which is w_0 = 1 / 4; it gives w_0 = 4.
  const Convention meant = with_fields(named("tensor2tensor"), {{"ladder.first", 0.25}, {"ladder.base", 2500}});
  const Convention made = with_fields(named("tensor2tensor"), {{"ladder.first", 4}, {"ladder.base", 2500}});
  expect_trap(rows_of(made, 64, Positions::range(0, 512)), meant, "first is 4, 0.25 asked");
}

TEST_P(Traps, Scales) {
  expect_trap(rows_of("mlx-sinusoidal", 512, 128), with_field(named("mlx-sinusoidal"), "scale", 1),
              "scaled by 0.0625 = sqrt(2 / 512): divide by it");
  expect_trap(rows_of(with_field(named("transformer"), "scale", 22.627416997969522), 512, Positions::range(0, 64)),
              named("transformer"), "scaled by 22.62742 = sqrt 512: divide by it");
  // Of another width it is no root of this one.
  const Tensor other =
      rows_of(with_field(named("transformer"), "scale", 22.627416997969522), 64, Positions::range(0, 64));
  expect_trap(other, named("transformer"), "scaled by 22.6");
}

TEST_P(Traps, Timesteps) {
  expect_trap(rows_of("stable-diffusion-timestep", 320, 1000), named("diffusers-timestep"),
              "sines and cosines change places");
  expect_trap(rows_of(with_field(named("stable-diffusion-timestep"), "ladder.spacing.shift", 1), 320,
                      Positions::range(0, 1000)),
              named("stable-diffusion-timestep"), "ladder includes its end point (k / (n - 1)), 2k / d asked");
}

TEST_P(Traps, NerfAndItsCode) {
  const Convention code = named("nerf"), article = with_field(code, "ladder.unit", "half_turns");
  std::vector<std::vector<double>> places(3);
  for (int i = 0; i < 200; ++i) {
    places[0].push_back(i / 64.0 - 1.5), places[1].push_back(1 - i / 128.0), places[2].push_back(i % 7 / 16.0);
  }
  std::vector<Positions> lists;
  for (const auto& each : places) lists.push_back(Positions::list(view(each.data(), {200})));
  const auto rows = [&](const Convention& convention) {
    const Rows made(convention, 63);
    Tensor tensor = room({200, made.width()});
    made.write(lists, view(tensor.entries.data(), {200, made.width()}));
    return tensor;
  };
  DiagnoseOptions options = {.dim = 63};
  options.identify.positions = lists;
  expect_right(rows(code), code, options);
  expect_trap(rows(code), article, "unit is radians, half_turns asked", options);
  expect_trap(rows(article), code, "unit is half_turns, radians asked", options);
}

// ---- grids ---------------------------------------------------------------------------------------

TEST_P(Traps, ColumnsOfAnImageFirst) {
  expect_trap(cells_of(named("mae-2d"), 64, 14, 14), named("mocov3-2d"), "x and y swapped");
  expect_trap(cells_of(named("mocov3-2d"), 64, 12, 16), named("mae-2d"), "x and y swapped");
}

TEST_P(Traps, BlocksOfSinesAndEndPointsOfGrids) {
  expect_trap(cells_of(named("timm-2d"), 64, 14, 14), named("mae-2d"),
              "a block of sines or of cosines spans a row, a run asked");
  expect_trap(cells_of(named("bigvision-2d"), 64, 14, 14), named("mae-2d"), "ladder includes its end point");
  expect_trap(cells_of(named("t2t-nd"), 64, 14, 14), named("mocov3-2d"), "ladder includes its end point");
}

TEST_P(Traps, PlacesOfDetr) {
  const Preset& detr = preset("detr-sine");
  const Preset& deformable = preset("deformable-detr-sine");
  ASSERT_TRUE(detr.places && deformable.places);
  DiagnoseOptions options;
  options.places = detr.places;
  expect_right(cells_of(detr.convention, 64, 25, 34, *detr.places), detr.convention, options);
  expect_trap(cells_of(deformable.convention, 64, 25, 34, *deformable.places), detr.convention,
              "places are numbered as those of deformable-detr-sine", options);
}

// Numbered from 0 to 2 pi along each axis, so that steps tell the axes apart.
TEST_P(Traps, PlacesOfDetrWithAxesExchanged) {
  const Preset& detr = preset("detr-sine");
  const Convention swapped = with_field(detr.convention, "axes", "x,y");
  for (const auto& [height, width] : {std::pair<std::int64_t, std::int64_t>{20, 30}, {25, 25}}) {
    Tensor tensor = cells_of(swapped, 64, height, width, *detr.places);
    expect_trap(tensor, detr.convention, "x and y swapped");
    const std::int64_t columns = tensor.shape.back();
    tensor.shape = {height * width, columns};
    expect_trap(tensor, detr.convention, "x and y swapped");
  }
}

// ---- rotations -----------------------------------------------------------------------------------

TEST_P(Traps, AnglesThatTurnBackward) {
  Tensor tensor = cache_of(named("rope-half"));
  for (std::int64_t p = 0; p < 512; ++p) {
    for (std::int64_t k = 0; k < 32; ++k) tensor.entries[static_cast<std::size_t>(p * 64 + k)] *= -1;
  }
  expect_trap(tensor, named("rope-half"), "turn backward do: negate the sines");
}

TEST_P(Traps, ParametersOfYarn) {
  const Convention yarn = named("rope-yarn");
  expect_trap(cache_of(with_field(yarn, "ladder.scaling.length", 32768), 64), yarn,
              "scaling: length is 32768, 4096 asked");
  expect_trap(cache_of(with_fields(yarn, {{"ladder.scaling.factor", 40}, {"magnitude.factor", 40}}), 64), yarn,
              "scaling: factor is 40, 16 asked");
  expect_trap(cache_of(with_field(named("gpt-oss"), "ladder.scaling.truncate", "whole"), 64, 4096), named("gpt-oss"),
              "scaling: truncate is whole, none asked");
  expect_trap(cache_of(with_field(yarn, "magnitude", 1), 64), yarn, "magnitude is 1, yarn");
  expect_trap(cache_of(with_fields(yarn, {{"ladder.scaling", "none"}, {"magnitude", 1}}), 64, 4096), yarn,
              "scaling is none");
}

// Keras Hub's before its fix: an end beyond the last pair of the ladder is brought to that pair, not to the last
// column.
TEST_P(Traps, ARampOfYarnThatEndsWithTheLadder) {
  const Convention asked = with_fields(named("rope-yarn"), {{"ladder.scaling.factor", 4},
                                                            {"ladder.scaling.length", 131072},
                                                            {"magnitude.factor", 4},
                                                            {"stored", "sine_cosine"}});
  constexpr std::int64_t head = 128, pairs = head / 2, rows = 2048;
  const double begin = std::floor(head * std::log(131072 / (64 * std::numbers::pi)) / (2 * std::log(1e4)));
  const double end = pairs - 1, magnitude = 0.1 * std::log(4) + 1;
  Tensor list = room({pairs}), table = room({rows, head});
  for (std::int64_t k = 0; k < pairs; ++k) {
    const double plain = std::pow(1e4, -2.0 * static_cast<double>(k) / head);
    const double divided = std::clamp((static_cast<double>(k) - begin) / (end - begin), 0.0, 1.0);
    const double w = plain * (1 - divided) + plain / 4 * divided;
    list.entries[static_cast<std::size_t>(k)] = static_cast<float>(w);
    for (std::int64_t p = 0; p < rows; ++p) {
      const auto at = static_cast<std::size_t>(p * head + k);
      table.entries[at] = static_cast<float>(magnitude * std::sin(static_cast<double>(p) * w));
      table.entries[at + pairs] = static_cast<float>(magnitude * std::cos(static_cast<double>(p) * w));
    }
  }
  for (const Tensor* each : {&table, &list}) {
    const Diagnosis found = diagnosed(each->view(), asked, {.context = {.length = 524288}});
    EXPECT_FALSE(found.right);
    EXPECT_EQ(
        found.findings,
        std::vector<std::string>{"scaling: the ramp ends at pair 63, 70 asked: slow 2.6, or any from 2.41 to 2.78, "
                                 "has it there"})
        << to_string(found);
  }
}

TEST_P(Traps, MagnitudesOfDeepSeek) {
  // mscale 0.707 over mscale_all_dim 1 is 0.921, and 1 where both are 0.707.
  expect_trap(cache_of(named("deepseek-v2"), 192), with_field(named("deepseek-v2"), "magnitude.gain_all", 0.707),
              "scaled by 0.92", {.dim = 192});
}

TEST_P(Traps, LengthsOfDynamicLadders) {
  const Convention dynamic = named("rope-dynamic");
  DiagnoseOptions options;
  options.context.length = 4096;
  expect_trap(cache_of(dynamic, 128, 512, 16384), dynamic, "those of a length of 16384", options);
  options.context.length = 16384;
  expect_right(cache_of(dynamic, 128, 512, 16384), dynamic, options);
  expect_trap(cache_of(with_field(named("rope-ntk"), "ladder.scaling.factor", 8), 128, 512), dynamic,
              "scaling is ntk {factor 8}", options);
  // What was forgotten altogether.
  expect_trap(cache_of(named("rope-half"), 128, 512), dynamic, "those of a length of 1024", options);
  const Convention kerashub = named("kerashub-dynamic");
  EXPECT_TRUE(said_of(cache_of(kerashub, 128, 512, 16384), dynamic, options).starts_with("wrong"));
}

TEST_P(Traps, ShortAndLongFactors) {
  const Convention longrope = named("rope-longrope");
  DiagnoseOptions options;
  options.context.length = 131072;
  const std::int64_t head = 96;
  ASSERT_FALSE(check_width(longrope, head));
  expect_right(cache_of(longrope, head, 512, 131072), longrope, options);
  expect_trap(cache_of(longrope, head, 512, 1024), longrope, "those of a length of 1024", options);
  options.context.length = 1024;
  expect_trap(cache_of(longrope, head, 512, 131072), longrope, "those of a length of", options);
  expect_trap(cache_of(with_field(longrope, "magnitude", 1), head, 512, 1024), longrope, "magnitude is 1, longrope",
              options);
}

TEST_P(Traps, ProportionalAndPartial) {
  const Convention proportional = named("rope-proportional");
  const Convention partial = with_fields(named("rope-half"), {{"part", 64}, {"ladder.base", 1e6}});
  const std::string said = said_of(cache_of(partial, 256, 48), proportional, {.dim = 256});
  EXPECT_TRUE(said.starts_with("wrong")) << said;
  EXPECT_NE(said.find("scaling is none, proportional"), std::string::npos) << said;
}

TEST_P(Traps, AScalingOfLlamaThatWasForgotten) {
  const Convention llama = named("rope-llama3");
  expect_trap(cache_of(with_field(llama, "ladder.scaling", "none"), 64, 2048), llama, "scaling is none, llama3");
  expect_trap(cache_of(with_field(llama, "ladder.scaling.factor", 32), 64, 2048), llama,
              "scaling: factor is 32, 8 asked");
  expect_trap(cache_of(llama, 64, 2048), with_field(llama, "ladder.scaling", "none"), "scaling is llama3");
}

// Time, height and width of the tokens of an image of 16 x 16 patches, between two pieces of text.
std::vector<std::vector<double>> image_in_text() {
  std::vector<std::vector<double>> all(3);
  for (int i = 0; i < 10; ++i) {
    for (auto& each : all) each.push_back(i);
  }
  for (int i = 0; i < 256; ++i) all[0].push_back(10), all[1].push_back(10 + i / 16), all[2].push_back(10 + i % 16);
  for (int i = 26; i < 40; ++i) {
    for (auto& each : all) each.push_back(i);
  }
  return all;
}
std::vector<Positions> listed(const std::vector<std::vector<double>>& lists) {
  std::vector<Positions> all;
  for (const auto& list : lists) all.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  return all;
}

TEST_P(Traps, SectionsOfMultimodalRotations) {
  const auto lists = image_in_text();
  const std::vector<Positions> image = listed(lists);
  DiagnoseOptions options = {.dim = 128};
  options.identify.positions = image;
  const Convention chunk = named("mrope-chunk"), turns = named("mrope-interleaved");
  expect_right(cache_of(chunk, 128, image), chunk, options);
  expect_trap(cache_of(chunk, 128, image), turns, "deal", options);
  expect_trap(cache_of(turns, 128, image), chunk, "deal", options);
  expect_trap(cache_of(named("ggml-imrope"), 128, image), turns, "deal", options);
  // Text has one coordinate on all axes: the two are equal, and no test of text tells.
  const std::vector<Positions> text(3, Positions::range(0, 200));
  options.identify.positions = text;
  expect_right(cache_of(with_field(chunk, "ladder.base", 1e6), 128, text), with_field(turns, "ladder.base", 1e6),
               options);
}

TEST_P(Traps, OneLadderDealtOutOrALadderAnAxis) {
  std::vector<std::vector<double>> lists(2);
  for (int i = 0; i < 196; ++i) lists[0].push_back(i / 14), lists[1].push_back(i % 14);
  const std::vector<Positions> cells = listed(lists);
  DiagnoseOptions options = {.dim = 64};
  options.identify.positions = cells;
  expect_trap(cache_of(named("rope2d-pixtral"), 64, cells), named("rope2d-qwen-vision"), "rungs is dealt, own asked",
              options);
  expect_trap(cache_of(named("rope2d-qwen-vision"), 64, cells), named("rope2d-pixtral"), "rungs is own, dealt asked",
              options);
}

// ---- pairs ---------------------------------------------------------------------------------------

Tensor biases_of(const Convention& convention, std::int64_t heads, std::int64_t places, std::int64_t head = 0) {
  Tensor tensor = room({heads, places, places});
  const std::vector<std::int64_t> present(static_cast<std::size_t>(places), 1);
  Context context = {.head = head, .present = {}};
  if (convention != named("alibi")) context.present = view(present.data(), {places});
  bias(convention, Positions::range(0, places), Positions::range(0, places),
       view(tensor.entries.data(), {heads, places, places}), {.context = context});
  return tensor;
}

TEST_P(Traps, SlopesOfFalcon) {
  const Convention falcon = named("falcon-alibi");
  const Tensor tensor = biases_of(falcon, 12, 64, 64);
  EXPECT_TRUE(said_of(tensor, falcon, {.dim = 64}).starts_with("right")) << said_of(tensor, falcon, {.dim = 64});
  const Convention precise = with_field(falcon, "slope_rounding", "none");
  const std::string said = said_of(tensor, precise, {.dim = 64});
  EXPECT_NE(said.find("slopes were rounded to bf16"), std::string::npos) << said;  // through bf16 nobody can tell
  expect_trap(biases_of(with_field(falcon, "scale", 1), 12, 64), falcon, "scaled by 8", {.dim = 64});
  expect_trap(biases_of(named("bloom-alibi"), 12, 64), with_field(named("bloom-alibi"), "octaves", 4),
              "octaves is 8, 4 asked");
}

TEST_P(Traps, SignsOfClasses) {
  const auto classes = [](const Convention& convention) {
    std::vector<std::int64_t> all(std::size_t{80 * 80});
    buckets(convention, Positions::range(0, 80), Positions::range(0, 80), view(all.data(), {80, 80}));
    return all;
  };
  const auto said = [&](const Convention& is, const Convention& asked) {
    const std::vector<std::int64_t> all = classes(is);
    return to_string(diagnosed(view(all.data(), {80, 80}), asked));
  };
  const Convention t5 = named("t5-bucket"), deberta = named("deberta-bucket");
  EXPECT_TRUE(said(t5, t5).starts_with("right"));
  EXPECT_NE(said(with_field(t5, "classes.sign", "query_minus_key"), t5)
                .find("sign is query_minus_key, key_minus_query asked"),
            std::string::npos);
  EXPECT_NE(said(with_field(deberta, "classes.sign", "key_minus_query"), deberta).find("sign is key_minus_query"),
            std::string::npos);
  EXPECT_NE(said(deberta, t5).find("classes is log_signed"), std::string::npos) << said(deberta, t5);
  EXPECT_NE(said(with_field(t5, "classes.reach", 256), t5).find("reach is 256, 128 asked"), std::string::npos);
}

TEST_P(Traps, TheWindowThatAModelWasTrainedWith) {
  const Convention fresh = named("swinv2-cpb"), tuned = with_field(fresh, "coordinates.pretrained", "12,12");
  Tensor tensor = room({47, 47, 2});
  log_coordinates(tuned, view(tensor.entries.data(), {47, 47, 2}));
  EXPECT_TRUE(said_of(tensor, tuned).starts_with("right")) << said_of(tensor, tuned);
  expect_trap(tensor, fresh, "pretrained is");
}

}  // namespace
}  // namespace posenc
