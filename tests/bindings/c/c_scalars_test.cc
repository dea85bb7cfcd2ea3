// SPDX-License-Identifier: Apache-2.0
// posenc for C: numbers out of range, calls with nothing to do, executors that throw. What misuse_test.c cannot vary.
#include <climits>
#include <cstdint>

#include "bindings/c/edge.h"
#include "tests/bindings/c/c_calls.h"

namespace posenc {
namespace {

TEST(CScalars, OfMakersAreInRange) {
  posenc_rows* rows = nullptr;
  posenc_rotary* rotary = nullptr;
  posenc_pool* pool = nullptr;
  const Described waves = described("transformer"), turns = described("rope-half");
  for (const std::int64_t width : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 31, INT64_MAX}) {
    refused("dim", [&](auto error) { return posenc_rows_new(waves.get(), width, nullptr, nullptr, &rows, error); });
    refused("head",
            [&](auto error) { return posenc_rotary_new(turns.get(), width, nullptr, nullptr, &rotary, error); });
  }
  for (const std::int32_t threads : {INT_MIN, -1, 0, 1025, INT_MAX}) {
    refused("threads", [&](auto error) { return posenc_pool_new(threads, &pool, error); });
  }
  EXPECT_EQ(rows, nullptr);
  EXPECT_EQ(rotary, nullptr);
  EXPECT_EQ(pool, nullptr);
}

TEST(CScalars, OfCountsAreFew) {
  const std::int64_t extents[] = {2, 2};
  const posenc_positions positions = range(0, 4);
  Tensor<float> numbers({4, 8});
  Tensor<double> places({2});
  const posenc_view out = numbers.c(), written = places.c();
  const auto grid = made<posenc_grid, posenc_grid_free>([](auto made_grid, auto error) {
    return posenc_grid_new(described("detr-sine").get(), 8, nullptr, nullptr, nullptr, made_grid, error);
  });
  const auto rotary = made<posenc_rotary, posenc_rotary_free>([](auto made_rotary, auto error) {
    return posenc_rotary_new(described("rope-half").get(), 8, nullptr, nullptr, made_rotary, error);
  });
  const posenc_rotated tensor = {&out, &out, 0, 0};
  posenc_grid_chunks* chunks = nullptr;
  posenc_convention* changed = nullptr;
  const char* word = "layout";
  for (const std::size_t many : {std::size_t{1} << 20, std::size_t{1} << 60, SIZE_MAX}) {
    refused("extents",
            [&](auto error) { return posenc_place_coordinates(nullptr, extents, many, 0, &written, error); });
    refused("extents", [&](auto error) {
      return posenc_grid_chunks_new(grid.get(), extents, many, POSENC_F32, nullptr, &chunks, error);
    });
    refused("axes", [&](auto error) {
      return posenc_rotary_rotate(rotary.get(), &positions, many, &tensor, 1, POSENC_FORWARD, nullptr, error);
    });
    refused("tensors", [&](auto error) {
      return posenc_rotary_rotate(rotary.get(), &positions, 1, &tensor, many, POSENC_FORWARD, nullptr, error);
    });
    refused("changes", [&](auto error) {
      return posenc_convention_with(described("rope-half").get(), &word, &word, many, &changed, error);
    });
  }
  refused("axis", [&](auto error) { return posenc_place_coordinates(nullptr, extents, 2, 2, &written, error); });
}

TEST(CScalars, OfEnumerationsAreStated) {
  const std::int64_t extents[] = {2, 2}, shape[] = {4, 8};
  const posenc_positions positions = range(0, 4);
  auto numbers = Tensor<float>({4, 8}).counted(1);
  const Tensor<float> before = numbers;
  const posenc_view out = numbers.c();
  const auto grid = made<posenc_grid, posenc_grid_free>([](auto made_grid, auto error) {
    return posenc_grid_new(described("detr-sine").get(), 8, nullptr, nullptr, nullptr, made_grid, error);
  });
  const auto rotary = made<posenc_rotary, posenc_rotary_free>([](auto made_rotary, auto error) {
    return posenc_rotary_new(described("rope-half").get(), 8, nullptr, nullptr, made_rotary, error);
  });
  posenc_grid_chunks* chunks = nullptr;
  posenc_stage* stage = nullptr;
  posenc_view made_view;
  for (const std::uint32_t none : {0u, 99u, 256u + 1, UINT32_MAX}) {
    const posenc_rotated tensor = {&out, &out, 0, 0}, side = {&out, &out, none == 0 ? 3 : none, 0};
    const posenc_stage_options options = {sizeof options, none, 1, 0, 0, 0, 0, 0, nullptr, nullptr};
    refused("direction", [&](auto error) {
      return posenc_rotary_rotate(rotary.get(), &positions, 1, &tensor, 1, none, nullptr, error);
    });
    refused("side", [&](auto error) {
      return posenc_rotary_rotate(rotary.get(), &positions, 1, &side, 1, POSENC_FORWARD, nullptr, error);
    });
    refused("init", [&](auto error) { return posenc_seeded_rows(&out, 1, 2, none, error); });
    refused("dtype",
            [&](auto error) { return posenc_grid_chunks_new(grid.get(), extents, 2, none, nullptr, &chunks, error); });
    refused("dtype",
            [&](auto error) { return posenc_view_of(numbers.numbers.data(), none, 2, shape, &made_view, error); });
    refused("use", [&](auto error) { return posenc_convention_check(described("rope-half").get(), none, error); });
    refused("scale", [&](auto error) {
      return posenc_stage_new(&out, described("transformer").get(), nullptr, &options, &stage, error);
    });
  }
  refused("p", [&](auto error) { return posenc_dropout(&out, &out, 1.5, 1, 0, 0, error); });
  EXPECT_EQ(numbers.numbers, before.numbers);
}

TEST(CCalls, WithNothingToDoAreFine) {
  const posenc_positions none = range(0, 0), keys = range(0, 3);
  Tensor<float> rows({0, 8}), biases({2, 0, 3}), looked({0, 8}), table({4, 8}), cells({0, 5, 8});
  Tensor<std::int64_t> ids({0}), classes({0, 3});
  const posenc_view v_rows = rows.c(), v_biases = biases.c(), v_looked = looked.c(), v_table = table.c();
  const posenc_view v_ids = ids.c(), v_classes = classes.c(), v_cells = cells.c();
  const auto made_rows = made<posenc_rows, posenc_rows_free>([](auto out, auto error) {
    return posenc_rows_new(described("transformer").get(), 8, nullptr, nullptr, out, error);
  });
  const auto rotary = made<posenc_rotary, posenc_rotary_free>([](auto out, auto error) {
    return posenc_rotary_new(described("rope-half").get(), 8, nullptr, nullptr, out, error);
  });
  const auto grid = made<posenc_grid, posenc_grid_free>([](auto out, auto error) {
    return posenc_grid_new(described("detr-sine").get(), 8, nullptr, nullptr, nullptr, out, error);
  });
  const posenc_rotated tensor = {&v_rows, &v_rows, 0, 0};
  run([&](auto error) { return posenc_rows_write(made_rows.get(), &none, &v_rows, nullptr, error); });
  run([&](auto error) { return posenc_rows_add(made_rows.get(), &none, &v_rows, &v_rows, nullptr, error); });
  run([&](auto error) { return posenc_grid_write(grid.get(), &v_cells, nullptr, error); });
  run([&](auto error) {
    return posenc_rotary_rotate(rotary.get(), &none, 1, &tensor, 1, POSENC_FORWARD, nullptr, error);
  });
  run([&](auto error) {
    return posenc_rotary_rotate(rotary.get(), &keys, 1, &tensor, 0, POSENC_FORWARD, nullptr, error);
  });
  run([&](auto error) {
    return posenc_bias(described("alibi").get(), &none, &keys, nullptr, &v_biases, nullptr, error);
  });
  run([&](auto error) {
    return posenc_buckets(described("t5-bucket").get(), &none, &keys, &v_classes, nullptr, error);
  });
  run([&](auto error) { return posenc_lookup(&v_table, nullptr, &v_ids, &v_looked, error); });
  run([&](auto error) { return posenc_dropout(&v_rows, &v_rows, 0.5, 1, 0, 0, error); });
}

TEST(CCalls, EndWhereAnExecutorThrows) {
  posenc_error error = fresh();
  EXPECT_EQ(c::call("operation", &error, [] { throw 5; }), POSENC_SYSTEM);
  EXPECT_STREQ(error.rule, "nothing must be thrown");
}

}  // namespace
}  // namespace posenc
