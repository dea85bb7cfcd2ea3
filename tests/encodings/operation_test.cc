// SPDX-License-Identifier: Apache-2.0
// Operations write the same bits as the public call of their use, in the shape that they state, and refuse what that
// call refuses.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/operation.h>
#include <posenc/preset.h>
#include <posenc/query_scale.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/encodings/named.h"

namespace posenc::operation_test {
namespace {

// An output with memory of its own, each element of which begins as a number that no call writes.
struct Output {
  Output(DType type, std::span<const std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    words.assign(count, 0x7FF0000000000123);
    view = posenc::view(static_cast<void*>(words.data()), type, shape);
  }
  std::vector<std::uint64_t> words;
  View view;
};

struct Written {
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> words;
};
Written written(const Convention& convention, const OperationInputs& inputs) {
  const std::vector<std::int64_t> shape = shape_of_numbers(convention, inputs);
  Output out(operation_of(convention).elements == ElementKind::whole ? DType::i64 : DType::f64, shape);
  write_numbers(convention, inputs, out.view);
  return {shape, std::move(out.words)};
}
std::vector<std::uint64_t> words_of(const Output& out) { return out.words; }

constexpr ConventionUse uses_of_rows[] = {ConventionUse::coordinates,  ConventionUse::rotations,
                                          ConventionUse::slopes,       ConventionUse::classes,
                                          ConventionUse::windows,      ConventionUse::log_coordinates,
                                          ConventionUse::query_scales, ConventionUse::stored_rows};

TEST(Operation, EveryPresetHasTheOneOfItsUse) {
  std::set<ConventionUse> uses;
  std::set<std::string_view> titles;
  for (const Preset& preset : presets()) {
    const Operation& operation = operation_of(preset.convention);
    EXPECT_FALSE(check_use("test", operation.use, preset.convention)) << preset.name;
    EXPECT_EQ(operation.title.find(operation.name), 0u) << preset.name;
    uses.insert(operation.use), titles.insert(operation.title);
  }
  EXPECT_EQ(uses, (std::set<ConventionUse>(std::begin(uses_of_rows), std::end(uses_of_rows))));
  EXPECT_EQ(titles.size(), uses.size());
}

// The axes of an output are those of its operation, and its columns where it has some.
TEST(Operation, AxesAreAsManyAsThoseOfTheShape) {
  for (const Preset& preset : presets()) {
    const Operation& operation = operation_of(preset.convention);
    const std::vector<Positions> lists(operation.reads == OperationReads::pairs ? 2 : 1, Positions::range(0, 3));
    OperationInputs inputs = {.dim = 1, .lists = lists, .window = {2, 2}};
    while (inputs.dim < 512 && check_shape_of_numbers(preset.convention, inputs)) ++inputs.dim;
    const std::size_t axes = shape_of_numbers(preset.convention, inputs).size();
    EXPECT_LE(operation.axes.size(), axes) << preset.name;
    EXPECT_LE(axes, operation.axes.size() + (operation.columns.empty() ? 0 : 1)) << preset.name;
  }
}

TEST(Operation, RowsOfSeveralAxes) {
  const Convention& convention = test::named("mae-2d");
  const Positions lists[] = {Positions::range(0, 7), Positions::range(3, 7, 2)};
  const Written made = written(convention, {.dim = 20, .lists = lists});
  EXPECT_EQ(made.shape, (std::vector<std::int64_t>{7, 20}));
  Output out(DType::f64, made.shape);
  Rows(convention, 20).write(lists, out.view);
  EXPECT_EQ(made.words, words_of(out));
}

TEST(Operation, RotationsTurnWhatTheOutputHolds) {
  const Convention& convention = test::named("rope-half");
  const Positions positions = Positions::range(-5, 3, 4);
  const std::int64_t shape[] = {3, 8};
  Output turned(DType::f64, shape), out(DType::f64, shape);
  for (std::size_t i = 0; i < 24; ++i) {
    const double x = static_cast<double>(i) / 8 - 1;
    std::memcpy(&turned.words[i], &x, sizeof(x)), std::memcpy(&out.words[i], &x, sizeof(x));
  }
  const OperationInputs inputs = {.dim = 8, .lists = {&positions, 1}};
  EXPECT_EQ(shape_of_numbers(convention, inputs), (std::vector<std::int64_t>{3, 8}));
  write_numbers(convention, inputs, turned.view);
  rotary(convention, positions, out.view, out.view, Direction::forward);
  EXPECT_EQ(turned.words, out.words);
}

TEST(Operation, BiasesAndClassesOfPairs) {
  for (const std::string_view name : {"alibi", "mpt-alibi", "t5-bucket", "deberta-bucket"}) {
    const Convention& convention = test::named(name);
    for (const auto& [queries, keys] : {std::pair{1, 5}, {4, 4}, {3, 1}}) {
      const Positions lists[] = {Positions::range(2, queries), Positions::range(0, keys)};
      const Written made = written(convention, {.dim = 3, .lists = lists});
      const bool biases = operation_of(convention).use == ConventionUse::slopes;
      Output out(biases ? DType::f64 : DType::i64, made.shape);
      if (biases) bias(convention, lists[0], lists[1], out.view);
      if (!biases) buckets(convention, lists[0], lists[1], out.view);
      EXPECT_EQ(made.words, words_of(out)) << name;
      EXPECT_EQ(made.shape.size(), biases ? 3u : 2u);
    }
  }
}

// A bias over present keys counts all of them if the context states none.
TEST(Operation, KeysArePresentUnlessStated) {
  const Convention& convention = test::named("bloom-alibi");
  const Positions lists[] = {Positions::range(0, 4), Positions::range(0, 4)};
  const std::int32_t all[] = {1, 1, 1, 1}, some[] = {1, 0, 1, 1};
  const Written unstated = written(convention, {.dim = 2, .lists = lists});
  const auto stated = [&](const std::int32_t* present) {
    OperationInputs inputs = {.dim = 2, .lists = lists};
    inputs.options.context.present = view(present, {4});
    return written(convention, inputs).words;
  };
  EXPECT_EQ(unstated.words, stated(all));
  EXPECT_NE(unstated.words, stated(some));
}

TEST(Operation, WindowsAndTheirCoordinates) {
  const GridSize window = {3, 5};
  for (const std::string_view name : {"swin-window", "beit-window", "swinv2-cpb"}) {
    const Convention& convention = test::named(name);
    const Written made = written(convention, {.window = window});
    const bool whole = operation_of(convention).elements == ElementKind::whole;
    Output out(whole ? DType::i64 : DType::f64, made.shape);
    if (whole) window_buckets(convention, window, out.view);
    if (!whole) log_coordinates(convention, out.view);
    EXPECT_EQ(made.words, words_of(out)) << name;
  }
  int count = 0;
  for (const Preset& preset : presets()) {
    if (operation_of(preset.convention).reads != OperationReads::window) continue;
    written(preset.convention, {.window = window});
    ++count;
  }
  EXPECT_GT(count, 3);
}

TEST(Operation, FactorsAndStoredRows) {
  const Convention& factors = test::named("llama4-temperature");
  const Positions positions = Positions::range(8190, 5);
  const Written made = written(factors, {.lists = {&positions, 1}});
  Output out(DType::f64, made.shape);
  query_scale(factors, positions, out.view);
  EXPECT_EQ(made.words, words_of(out));
  for (const Preset& preset : presets()) {
    if (operation_of(preset.convention).use != ConventionUse::stored_rows) continue;
    const std::vector<Positions> lists(axes_of(preset.convention).size(), Positions::range(1, 4));
    const Written rows = written(preset.convention, {.lists = lists});
    Output stored(DType::i64, rows.shape);
    learned_rows(preset.convention, lists, stored.view);
    EXPECT_EQ(rows.words, words_of(stored)) << preset.name;
  }
}

TEST(Operation, NoPositions) {
  const Positions none = Positions::range(0, 0);
  const Positions lists[] = {none, none};
  EXPECT_EQ(written(test::named("qwen-logn"), {.lists = {&none, 1}}).shape, std::vector<std::int64_t>{0});
  EXPECT_EQ(written(test::named("t5-bucket"), {.lists = lists}).shape, (std::vector<std::int64_t>{0, 0}));
}

TEST(Operation, RefuseWhatTheirCallRefuses) {
  const Positions positions = Positions::range(0, 4);
  const Positions lists[] = {positions, positions};
  const std::int64_t square[] = {4, 4};
  Output out(DType::f64, square);
  const auto said = [&](std::string_view name, const OperationInputs& inputs) {
    const auto problem = check_write_numbers(test::named(name), inputs, out.view);
    return problem ? problem->message() : std::string();
  };
  EXPECT_EQ(said("alibi", {.dim = 2, .lists = {&positions, 1}}), "[bias] positions must be 2 lists, got 1");
  EXPECT_EQ(said("t5-bucket", {.lists = {&positions, 1}}), "[buckets] positions must be 2 lists, got 1");
  EXPECT_EQ(said("qwen-logn", {.lists = lists}), "[query_scale] positions must be 1 list, got 2");
  EXPECT_NE(said("rope-half", {.dim = 2, .lists = lists}), "");
  EXPECT_NE(said("t5-bucket", {.lists = lists}), "");  // into f64
  EXPECT_NE(said("transformer", {.dim = 3, .lists = {&positions, 1}}), "");
}

TEST(Operation, ShapesAreOfWhatWasStatedInFull) {
  const Positions positions = Positions::range(0, 4);
  const Positions lists[] = {positions, positions};
  const auto said = [&](std::string_view name, const OperationInputs& inputs) {
    const auto problem = check_shape_of_numbers(test::named(name), inputs);
    return problem ? problem->message() : std::string();
  };
  EXPECT_EQ(said("t5-bucket", {.lists = {&positions, 1}}), "[operation] positions must be 2 lists, got 1");
  EXPECT_EQ(said("qwen-logn", {}), "[operation] positions must be 1 list, got 0");
  EXPECT_EQ(said("swinv2-cpb", {.window = {7, 0}}),
            "[operation] the sides of the window must be from 1 to 2^30, got 7 x 0");
  EXPECT_NE(said("transformer", {.dim = 3, .lists = {&positions, 1}}), "");
  EXPECT_NE(said("alibi", {.dim = 0, .lists = lists}), "");
  Convention broken = test::named("swin-window");
  std::get<Buckets>(broken).classes = {};
  EXPECT_TRUE(check_shape_of_numbers(broken, {.window = {7, 7}}));
}

}  // namespace
}  // namespace posenc::operation_test
