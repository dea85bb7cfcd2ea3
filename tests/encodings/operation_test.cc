// SPDX-License-Identifier: Apache-2.0
// The table of operations: a row writes the same bits as the public call of its use, in the shape that it states, and
// refuses what that call refuses.
#include "src/encodings/operation.h"

#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
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
Written written(const Operation& operation, const Convention& convention, const OperationInputs& inputs) {
  const std::vector<std::int64_t> shape = operation.shape(convention, inputs);
  Output out(operation.elements == ElementKind::whole ? DType::i64 : DType::f64, shape);
  const auto problem = operation.check(convention, inputs, out.view);
  EXPECT_FALSE(problem) << problem->message();
  EXPECT_FALSE(operation.write(convention, inputs, out.view));
  return {shape, std::move(out.words)};
}
std::vector<std::uint64_t> words_of(const Output& out) { return out.words; }

constexpr ConventionUse uses_of_rows[] = {ConventionUse::coordinates,  ConventionUse::rotations,
                                          ConventionUse::slopes,       ConventionUse::classes,
                                          ConventionUse::windows,      ConventionUse::log_coordinates,
                                          ConventionUse::query_scales, ConventionUse::stored_rows};
const Operation* operation_of(const Convention& convention) {
  for (const ConventionUse use : uses_of_rows) {
    if (!check_use("test", use, convention)) return find_operation(use);
  }
  return nullptr;
}

TEST(Operations, EveryPresetHasARowOfItsUse) {
  std::set<ConventionUse> uses;
  for (const Preset& preset : presets()) {
    const Operation* operation = operation_of(preset.convention);
    ASSERT_NE(operation, nullptr) << preset.name;
    EXPECT_FALSE(check_use("test", operation->use, preset.convention)) << preset.name;
    uses.insert(operation->use);
  }
  EXPECT_EQ(uses.size(), std::size(uses_of_rows));
  EXPECT_EQ(find_operation(ConventionUse::rows), nullptr);  // coordinates are rows of any number of axes
}

TEST(Operations, RowsOfSeveralAxes) {
  const Convention& convention = test::named("mae-2d");
  const Positions lists[] = {Positions::range(0, 7), Positions::range(3, 7, 2)};
  const Written made = written(*operation_of(convention), convention, {.dim = 20, .lists = lists});
  EXPECT_EQ(made.shape, (std::vector<std::int64_t>{7, 20}));
  Output out(DType::f64, made.shape);
  Rows(convention, 20).write(lists, out.view);
  EXPECT_EQ(made.words, words_of(out));
}

TEST(Operations, RotationsTurnWhatTheOutputHolds) {
  const Convention& convention = test::named("rope-half");
  const Positions positions = Positions::range(-5, 3, 4);
  const std::int64_t shape[] = {3, 8};
  Output turned(DType::f64, shape), out(DType::f64, shape);
  for (std::size_t i = 0; i < 24; ++i) {
    const double x = static_cast<double>(i) / 8 - 1;
    std::memcpy(&turned.words[i], &x, sizeof(x)), std::memcpy(&out.words[i], &x, sizeof(x));
  }
  const Operation& operation = *operation_of(convention);
  const OperationInputs inputs = {.dim = 8, .lists = {&positions, 1}};
  EXPECT_EQ(operation.shape(convention, inputs), (std::vector<std::int64_t>{3, 8}));
  ASSERT_FALSE(operation.check(convention, inputs, turned.view));
  ASSERT_FALSE(operation.write(convention, inputs, turned.view));
  rotary(convention, positions, out.view, out.view, Direction::forward);
  EXPECT_EQ(turned.words, out.words);
}

TEST(Operations, BiasesAndClassesOfPairs) {
  for (const std::string_view name : {"alibi", "mpt-alibi", "t5-bucket", "deberta-bucket"}) {
    const Convention& convention = test::named(name);
    for (const auto& [queries, keys] : {std::pair{1, 5}, {4, 4}, {3, 1}}) {
      const Positions lists[] = {Positions::range(2, queries), Positions::range(0, keys)};
      const Written made = written(*operation_of(convention), convention, {.dim = 3, .lists = lists});
      const bool biases = operation_of(convention)->use == ConventionUse::slopes;
      Output out(biases ? DType::f64 : DType::i64, made.shape);
      if (biases) bias(convention, lists[0], lists[1], out.view);
      if (!biases) buckets(convention, lists[0], lists[1], out.view);
      EXPECT_EQ(made.words, words_of(out)) << name;
      EXPECT_EQ(made.shape.size(), biases ? 3u : 2u);
    }
  }
}

// A bias over present keys counts all of them if the context states none.
TEST(Operations, KeysArePresentUnlessStated) {
  const Convention& convention = test::named("bloom-alibi");
  const Positions lists[] = {Positions::range(0, 4), Positions::range(0, 4)};
  const std::int32_t all[] = {1, 1, 1, 1}, some[] = {1, 0, 1, 1};
  const Written unstated = written(*operation_of(convention), convention, {.dim = 2, .lists = lists});
  const auto stated = [&](const std::int32_t* present) {
    OperationInputs inputs = {.dim = 2, .lists = lists};
    inputs.options.context.present = view(present, {4});
    return written(*operation_of(convention), convention, inputs).words;
  };
  EXPECT_EQ(unstated.words, stated(all));
  EXPECT_NE(unstated.words, stated(some));
}

TEST(Operations, WindowsAndTheirCoordinates) {
  const GridSize window = {3, 5};
  for (const std::string_view name : {"swin-window", "beit-window", "swinv2-cpb"}) {
    const Convention& convention = test::named(name);
    const Written made = written(*operation_of(convention), convention, {.window = window});
    const bool whole = operation_of(convention)->elements == ElementKind::whole;
    Output out(whole ? DType::i64 : DType::f64, made.shape);
    if (whole) window_buckets(convention, window, out.view);
    if (!whole) log_coordinates(convention, out.view);
    EXPECT_EQ(made.words, words_of(out)) << name;
  }
  int count = 0;
  for (const Preset& preset : presets()) {
    const Operation& operation = *operation_of(preset.convention);
    if (operation.reads != OperationReads::window) continue;
    written(operation, preset.convention, {.window = window});
    ++count;
  }
  EXPECT_GT(count, 3);
}

TEST(Operations, FactorsAndStoredRows) {
  const Convention& factors = test::named("llama4-temperature");
  const Positions positions = Positions::range(8190, 5);
  const Written made = written(*operation_of(factors), factors, {.lists = {&positions, 1}});
  Output out(DType::f64, made.shape);
  query_scale(factors, positions, out.view);
  EXPECT_EQ(made.words, words_of(out));
  for (const Preset& preset : presets()) {
    const Operation& operation = *operation_of(preset.convention);
    if (operation.use != ConventionUse::stored_rows) continue;
    const std::vector<Positions> lists(axes_of(preset.convention).size(), Positions::range(1, 4));
    const Written rows = written(operation, preset.convention, {.lists = lists});
    Output stored(DType::i64, rows.shape);
    learned_rows(preset.convention, lists, stored.view);
    EXPECT_EQ(rows.words, words_of(stored)) << preset.name;
  }
}

TEST(Operations, NoPositions) {
  const Positions none = Positions::range(0, 0);
  const Positions lists[] = {none, none};
  EXPECT_EQ(
      written(*find_operation(ConventionUse::query_scales), test::named("qwen-logn"), {.lists = {&none, 1}}).shape,
      std::vector<std::int64_t>{0});
  EXPECT_EQ(written(*find_operation(ConventionUse::classes), test::named("t5-bucket"), {.lists = lists}).shape,
            (std::vector<std::int64_t>{0, 0}));
}

TEST(Operations, RefuseWhatTheirCallRefuses) {
  const Positions positions = Positions::range(0, 4);
  const Positions lists[] = {positions, positions};
  const std::int64_t square[] = {4, 4};
  Output out(DType::f64, square);
  const auto said = [&](ConventionUse use, std::string_view name, const OperationInputs& inputs) {
    const auto problem = find_operation(use)->check(test::named(name), inputs, out.view);
    return problem ? problem->message() : std::string();
  };
  EXPECT_EQ(said(ConventionUse::slopes, "alibi", {.dim = 2, .lists = {&positions, 1}}),
            "[bias] positions must be 2 lists, got 1");
  EXPECT_EQ(said(ConventionUse::classes, "t5-bucket", {.lists = {&positions, 1}}),
            "[buckets] positions must be 2 lists, got 1");
  EXPECT_EQ(said(ConventionUse::query_scales, "qwen-logn", {.lists = lists}),
            "[query_scale] positions must be 1 list, got 2");
  EXPECT_NE(said(ConventionUse::slopes, "rope-half", {.dim = 2, .lists = lists}), "");
  EXPECT_NE(said(ConventionUse::classes, "t5-bucket", {.lists = lists}), "");  // into f64
  EXPECT_NE(said(ConventionUse::coordinates, "transformer", {.dim = 3, .lists = {&positions, 1}}), "");
  EXPECT_NE(said(ConventionUse::windows, "alibi", {.window = {2, 2}}), "");
}

}  // namespace
}  // namespace posenc::operation_test
