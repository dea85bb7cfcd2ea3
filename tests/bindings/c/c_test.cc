// SPDX-License-Identifier: Apache-2.0
// posenc for C gives the library's own values: conventions, rows, cells and rotations beside their C++ twins.
#include <posenc/grid.h>
#include <posenc/rerotate.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/spec/spec.h>
#include <posenc/version.h>

#include "tests/bindings/c/c_calls.h"

namespace posenc {
namespace {

TEST(C, TellsItsVersions) {
  const posenc_version version = posenc_get_version();
  EXPECT_EQ(version.abi, POSENC_ABI);
  EXPECT_EQ(version.major, POSENC_VERSION_MAJOR);
  EXPECT_EQ(version.minor, POSENC_VERSION_MINOR);
  EXPECT_EQ(version.patch, POSENC_VERSION_PATCH);
}

TEST(C, HasEveryPresetAndRecipe) {
  for (std::size_t i = 0; i < presets().size(); ++i) {
    const Preset& preset = presets()[i];
    ASSERT_EQ(posenc_preset_name(i), preset.name);
    const Described own = described(preset.name);
    const auto json = text([&](auto... rest) { return posenc_convention_json(own.get(), rest...); });
    EXPECT_EQ(json, to_json(preset.convention));
    EXPECT_EQ(text([&](auto... rest) { return posenc_convention_json(described(json).get(), rest...); }), json);
    EXPECT_EQ(text([&](auto... rest) { return posenc_preset_json(posenc_preset_name(i), rest...); }), to_json(preset));
  }
  EXPECT_EQ(posenc_preset_name(presets().size()), nullptr);
  for (std::size_t i = 0; i < recipes().size(); ++i) EXPECT_EQ(posenc_recipe_name(i), recipes()[i].name);
  EXPECT_EQ(posenc_recipe_name(recipes().size()), nullptr);
  EXPECT_EQ(text([](auto... rest) { return posenc_convention_schema(rest...); }), io::convention_schema());
}

TEST(C, TakesTextsUpToTheirEnd) {
  const auto by_end = made<posenc_convention, posenc_convention_free>(
      [](auto out, auto error) { return posenc_convention_new("rope-half", SIZE_MAX, out, error); });
  const std::string json = to_json(preset("rope-half").convention);
  EXPECT_EQ(text([&](auto... rest) { return posenc_convention_json(by_end.get(), rest...); }), json);
  const auto document = made<posenc_convention, posenc_convention_free>(
      [&](auto out, auto error) { return posenc_convention_new(json.c_str(), SIZE_MAX, out, error); });
  EXPECT_EQ(text([&](auto... rest) { return posenc_convention_json(document.get(), rest...); }), json);
  posenc_convention* none = nullptr;
  posenc_error error = fresh();
  EXPECT_EQ(posenc_convention_new("", SIZE_MAX, &none, &error), POSENC_INPUT);
  EXPECT_EQ(posenc_convention_new(nullptr, SIZE_MAX, &none, &error), POSENC_INPUT);
  EXPECT_STREQ(error.rule, "text must be given");
}

// The original's arithmetic, of every handle that takes a recipe; every preset's own is another from exact somewhere.
TEST(C, TakesTheRecipeOfAPresetByTheWordOriginal) {
  const auto rows_of = [](const posenc_convention* convention, const char* name, auto out, auto error) {
    return posenc_rows_new(convention, 64, name, nullptr, out, error);
  };
  const auto frequencies = [&](const posenc_convention* convention, const char* name) {
    const auto rows = made<posenc_rows, posenc_rows_free>(
        [&](auto out, auto error) { return rows_of(convention, name, out, error); });
    std::vector<double> list(32);
    std::size_t count = 0;
    run([&](auto error) { return posenc_rows_frequencies(rows.get(), list.data(), list.size(), &count, error); });
    return list;
  };
  const Described asked = described("annotated-transformer");
  const Preset& named = preset("annotated-transformer");
  EXPECT_EQ(frequencies(asked.get(), "original"), Rows(named.convention, 64, {.recipe = named.original}).frequencies());
  EXPECT_NE(frequencies(asked.get(), "original"), frequencies(asked.get(), nullptr));

  const char *path = "ladder.base", *value = "500";
  const auto changed = made<posenc_convention, posenc_convention_free>(
      [&](auto out, auto error) { return posenc_convention_with(asked.get(), &path, &value, 1, out, error); });
  const Described stated = described(to_json(named.convention));
  for (const posenc_convention* other : {changed.get(), stated.get()}) {
    posenc_rows* none = nullptr;
    posenc_error error = fresh();
    EXPECT_EQ(rows_of(other, "original", &none, &error), POSENC_INPUT);
    EXPECT_STREQ(error.operation, "posenc_rows_new");
    EXPECT_STREQ(error.rule, "recipe original is that of a preset, by whose name the convention must be asked");
  }
  const Described half = described("rope-half"), grid = described("mae-2d");
  made<posenc_rotary, posenc_rotary_free>(
      [&](auto out, auto error) { return posenc_rotary_new(half.get(), 16, "original", nullptr, out, error); });
  made<posenc_rotary_cache, posenc_rotary_cache_free>([&](auto out, auto error) {
    return posenc_rotary_cache_new(described("cohere").get(), 16, "original", nullptr, out, error);
  });
  made<posenc_grid, posenc_grid_free>(
      [&](auto out, auto error) { return posenc_grid_new(grid.get(), 16, "original", nullptr, nullptr, out, error); });
  made<posenc_coordinates, posenc_coordinates_free>(
      [&](auto out, auto error) { return posenc_coordinates_new(grid.get(), 16, "original", nullptr, out, error); });
}

TEST(C, AnswersWhatAConventionIs) {
  const Described grid = described("detr-sine");
  EXPECT_STREQ(posenc_convention_axis(grid.get(), 0), axes_of(preset("detr-sine").convention)[0].c_str());
  EXPECT_STREQ(posenc_convention_cell_axis(grid.get(), 1), cell_axes(preset("detr-sine").convention)[1].c_str());
  EXPECT_EQ(posenc_convention_axis(grid.get(), 2), nullptr);
  EXPECT_EQ(posenc_convention_check(grid.get(), POSENC_CELLS, nullptr), POSENC_OK);
  EXPECT_EQ(posenc_convention_check(grid.get(), POSENC_SLOPES, nullptr), POSENC_INPUT);
  std::int64_t number = 0;
  run([&](auto error) { return posenc_convention_columns(described("ddpm").get(), 7, &number, error); });
  EXPECT_EQ(number, columns(preset("ddpm").convention, 7));
  run([&](auto error) { return posenc_convention_regime(described("rope-dynamic").get(), 1 << 20, &number, error); });
  EXPECT_EQ(number, regime(preset("rope-dynamic").convention, 1 << 20));
}

TEST(C, ChangesFields) {
  const char *paths[] = {"ladder.base", "ladder.scaling", "ladder.scaling.factor"},
             *values[] = {"500000", "linear", "8"};
  const Described before = described("rope-half");
  const auto after = made<posenc_convention, posenc_convention_free>(
      [&](auto out, auto error) { return posenc_convention_with(before.get(), paths, values, 3, out, error); });
  EXPECT_EQ(
      text([&](auto... rest) { return posenc_convention_json(after.get(), rest...); }),
      to_json(with_fields(preset("rope-half").convention,
                          {{"ladder.base", 500000}, {"ladder.scaling", "linear"}, {"ladder.scaling.factor", 8}})));
}

TEST(C, WritesAndAddsRows) {
  const auto rows = made<posenc_rows, posenc_rows_free>([&](auto out, auto error) {
    return posenc_rows_new(described("annotated-transformer").get(), 32, "f32-exp", nullptr, out, error);
  });
  const Rows own(preset("annotated-transformer").convention, 32, {.recipe = recipe("f32-exp")});
  EXPECT_EQ(posenc_rows_width(rows.get()), 32);
  std::vector<double> frequencies(own.frequencies().size());
  std::size_t count = 0;
  run([&](auto error) {
    return posenc_rows_frequencies(rows.get(), frequencies.data(), frequencies.size(), &count, error);
  });
  EXPECT_EQ(frequencies, own.frequencies());
  const auto pool =
      made<posenc_pool, posenc_pool_free>([](auto out, auto error) { return posenc_pool_new(2, out, error); });
  const posenc_run threads = {sizeof threads, POSENC_SOON, posenc_pool_executor(pool.get())};
  const posenc_positions positions = range(-3, 100);
  Tensor<float> ours({100, 32}), theirs({100, 32}), sums({100, 32}), other_sums({100, 32});
  const posenc_view out = ours.c(), sum = sums.c();
  run([&](auto error) { return posenc_rows_write(rows.get(), &positions, &out, &threads, error); });
  own.write(Positions::range(-3, 100), theirs.own());
  EXPECT_EQ(ours.numbers, theirs.numbers);
  run([&](auto error) { return posenc_rows_add(rows.get(), &positions, &out, &sum, nullptr, error); });
  own.add(Positions::range(-3, 100), theirs.own(), other_sums.own());
  EXPECT_EQ(sums.numbers, other_sums.numbers);
}

TEST(C, WritesCellsChunksAndCoordinates) {
  const Preset& row = preset("detr-sine");
  posenc_places places;
  run([&](auto error) { return posenc_preset_places("detr-sine", &places, error); });
  const auto grid = made<posenc_grid, posenc_grid_free>([&](auto out, auto error) {
    return posenc_grid_new(described("detr-sine").get(), 16, nullptr, nullptr, &places, out, error);
  });
  Tensor<float> ours({3, 5, 16}), theirs({3, 5, 16}), part({4, 16}), points({5, 16}), other_points({5, 16});
  const posenc_view out = ours.c(), rows = part.c(), list = points.c();
  run([&](auto error) { return posenc_grid_write(grid.get(), &out, nullptr, error); });
  Rows(row.convention, 16).write_cells(theirs.own(), *row.places);
  EXPECT_EQ(ours.numbers, theirs.numbers);

  const std::int64_t extents[] = {3, 5};
  const auto chunks = made<posenc_grid_chunks, posenc_grid_chunks_free>([&](auto handle, auto error) {
    return posenc_grid_chunks_new(grid.get(), extents, 2, POSENC_F32, nullptr, handle, error);
  });
  run([&](auto error) { return posenc_grid_chunks_write(chunks.get(), 6, &rows, nullptr, error); });
  EXPECT_TRUE(std::equal(part.numbers.begin(), part.numbers.end(), ours.numbers.begin() + 6 * 16));

  Tensor<double> x({5}), other_x({5});
  const posenc_view written = x.c();
  run([&](auto error) { return posenc_place_coordinates(&places, extents, 2, 1, &written, error); });
  place_coordinates(*row.places, extents, 1, other_x.own());
  EXPECT_EQ(x.numbers, other_x.numbers);
  const auto anywhere = made<posenc_coordinates, posenc_coordinates_free>([&](auto handle, auto error) {
    return posenc_coordinates_new(described("detr-sine").get(), 16, nullptr, nullptr, handle, error);
  });
  const posenc_positions both[] = {{POSENC_LIST, 0, 0, 0, 0, 0, 0, &written},
                                   {POSENC_REAL_RANGE, 0, 5, 0, 0, .5, .25, nullptr}};
  run([&](auto error) { return posenc_coordinates_write(anywhere.get(), both, 2, &list, nullptr, error); });
  const Positions own[] = {Positions::list(x.own()), Positions::range(.5, 5, .25)};
  Rows(row.convention, 16).write(own, other_points.own());
  EXPECT_EQ(points.numbers, other_points.numbers);
}

TEST(C, AGridByANameIsNumberedAsThePresetSays) {
  for (const Preset& each : presets()) {
    if (!each.places || check_use("test", ConventionUse::cells, each.convention) || Rows::check(each.convention, 32))
      continue;
    if (cell_axes(each.convention).size() != 2) continue;
    const auto rows = made<posenc_grid, posenc_grid_free>([&](auto out, auto error) {
      return posenc_grid_new(described(each.name).get(), 32, nullptr, nullptr, nullptr, out, error);
    });
    Tensor<float> ours({3, 5, posenc_grid_width(rows.get())}), theirs(ours);
    const posenc_view out = ours.c();
    run([&](auto error) { return posenc_grid_write(rows.get(), &out, nullptr, error); });
    Rows(each.convention, 32).write_cells(theirs.own(), *each.places);
    EXPECT_EQ(ours.numbers, theirs.numbers) << each.name;
  }
  const Described named = described("detr-sine");
  std::size_t length = 0;
  run([&](auto error) { return posenc_convention_json(named.get(), nullptr, 0, &length, error); });
  std::string json(length + 1, 0);
  run([&](auto error) { return posenc_convention_json(named.get(), json.data(), json.size(), &length, error); });
  const Described without_name = described(std::string_view(json.data(), length));
  posenc_grid* none = nullptr;
  refused("presets that are equal do not agree",
          [&](auto error) { return posenc_grid_new(without_name.get(), 32, nullptr, nullptr, nullptr, &none, error); });
}

TEST(C, NumbersMaskedCells) {
  Tensor<std::int64_t> mask({2, 3});
  mask.numbers = {1, 1, 0, 1, 1, 1};
  Tensor<double> ours({2, 3}), theirs({2, 3});
  const posenc_view in = mask.c(), out = ours.c();
  run([&](auto error) { return posenc_masked_place_coordinates(nullptr, &in, 1, &out, error); });
  masked_place_coordinates(whole_places, mask.own(), 1, theirs.own());
  EXPECT_EQ(ours.numbers, theirs.numbers);
}

// Whatever the sizes: as many tokens as heads, of a tensor whose axis of tokens is 0, not stated.
TEST(C, RotatesTokensThatStandBeforeTheColumns) {
  const auto rotary = made<posenc_rotary, posenc_rotary_free>([](auto out, auto error) {
    return posenc_rotary_new(described("llama").get(), 16, nullptr, nullptr, out, error);
  });
  for (const std::int64_t tokens : {1, 7, 8, 32}) {
    auto q = Tensor<float>({1, 32, tokens, 16}).counted(.125f), k = Tensor<float>({1, 8, tokens, 16}).counted(-.5f);
    Tensor<float> other_q = q, other_k = k;
    const posenc_view in_q = q.c(), in_k = k.c();
    const posenc_positions positions = range(0, tokens);
    const posenc_rotated tensors[] = {{&in_q, &in_q, 0, 0}, {&in_k, &in_k, 0, 0}};
    run([&](auto error) {
      return posenc_rotary_rotate(rotary.get(), &positions, 1, tensors, 2, POSENC_FORWARD, nullptr, error);
    });
    const Rotated own[] = {{other_q.own(), TokenAxis::before_columns}, {other_k.own(), TokenAxis::before_columns}};
    RotaryRows(preset("llama").convention, 16).rotate(Positions::range(0, tokens), own);
    EXPECT_EQ(q.numbers, other_q.numbers) << tokens;
    EXPECT_EQ(k.numbers, other_k.numbers) << tokens;
  }
}

TEST(C, RotatesCachesAndMoves) {
  const Described half = described("rope-half");
  const Convention& convention = preset("rope-half").convention;
  const auto rotary = made<posenc_rotary, posenc_rotary_free>(
      [&](auto out, auto error) { return posenc_rotary_new(half.get(), 16, nullptr, nullptr, out, error); });
  auto q = Tensor<float>({2, 7, 16}).counted(.125f), k = Tensor<float>({7, 16}).counted(-.5f);
  Tensor<float> other_q = q, other_k = k;
  const posenc_view in_q = q.c(), in_k = k.c();
  const posenc_positions positions = range(1000, 7);
  const posenc_rotated tensors[] = {{&in_q, &in_q, 0, 0}, {&in_k, &in_k, POSENC_KEY, POSENC_BEFORE_COLUMNS}};
  run([&](auto error) {
    return posenc_rotary_rotate(rotary.get(), &positions, 1, tensors, 2, POSENC_FORWARD, nullptr, error);
  });
  const Rotated own[] = {{other_q.own(), TokenAxis::before_columns}, other_k.own()};
  RotaryRows(convention, 16).rotate(Positions::range(1000, 7), own);
  EXPECT_EQ(q.numbers, other_q.numbers);
  EXPECT_EQ(k.numbers, other_k.numbers);

  const posenc_positions moved = range(0, 7);
  const posenc_standing from = {&positions, 1, nullptr}, to = {&moved, 1, nullptr};
  run([&](auto error) { return posenc_rerotate(half.get(), &from, &to, &tensors[1], nullptr, error); });
  const Positions before = Positions::range(1000, 7), after = Positions::range(0, 7);
  rerotate(convention, {{&before, 1}}, {{&after, 1}}, other_k.own());
  EXPECT_EQ(k.numbers, other_k.numbers);

  const char *path = "stored", *value = "sine_cosine";
  const auto stored = made<posenc_convention, posenc_convention_free>(
      [&](auto out, auto error) { return posenc_convention_with(half.get(), &path, &value, 1, out, error); });
  const auto cache = made<posenc_rotary_cache, posenc_rotary_cache_free>(
      [&](auto out, auto error) { return posenc_rotary_cache_new(stored.get(), 16, nullptr, nullptr, out, error); });
  EXPECT_STREQ(posenc_rotary_cache_tensor(cache.get(), 0), "sin_cos");
  EXPECT_EQ(posenc_rotary_cache_tensor(cache.get(), 1), nullptr);
  Tensor<float> ours({7, 16}), theirs({7, 16});
  const posenc_view out = ours.c();
  run([&](auto error) { return posenc_rotary_cache_write(cache.get(), "sin_cos", &moved, 1, &out, nullptr, error); });
  RotaryCache(with_field(convention, "stored", "sine_cosine"), 16).write("sin_cos", after, theirs.own());
  EXPECT_EQ(ours.numbers, theirs.numbers);
}

}  // namespace
}  // namespace posenc
