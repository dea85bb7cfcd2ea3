// SPDX-License-Identifier: Apache-2.0
// Every preset as tensors: rows, cells, caches, lists, biases, classes and factors of it at three widths in every type.
#pragma once

#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/grid.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>
#include <posenc/referee/diagnose.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "tests/referee/cells.h"

namespace posenc::test {

inline constexpr DType real_types[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

/// A tensor of a preset, and how its check is asked.
struct Drawn {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  DiagnoseOptions options = {};
  std::vector<std::byte> bytes = {};

  View view() {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    bytes.resize(static_cast<std::size_t>(count) * size_of(dtype));
    return posenc::view(bytes.data(), dtype, std::span<const std::int64_t>(shape));
  }
};

// Widths, heads or cells along a side; the third is odd where the convention admits that.
using Widths = std::array<std::vector<std::int64_t>, 3>;
inline const Widths columns = {{{64, 66, 60, 63}, {32, 48, 42, 96}, {127, 63, 128, 126, 96}}};

inline std::optional<std::int64_t> first_admitted(const std::vector<std::int64_t>& widths,
                                                  const std::function<bool(std::int64_t)>& admits) {
  const auto found = std::ranges::find_if(widths, admits);
  return found == widths.end() ? std::nullopt : std::optional(*found);
}

// The recipe of the original, where it is another one than the exact.
inline std::vector<std::pair<std::string, Recipe>> recipes_of(const Preset& preset, DType type) {
  std::vector<std::pair<std::string, Recipe>> recipes = {{"", exact()}};
  if (type == DType::f32 && preset.original != exact()) recipes.emplace_back(", original", preset.original);
  return recipes;
}

using Each = std::function<void(Drawn&)>;

// Rows of one axis from position 0, cells of several.
inline void draw_rows(const Preset& preset, std::size_t width, DType type, const Each& each) {
  if (check_use("test", ConventionUse::coordinates, preset.convention)) return;
  for (const auto& [words, recipe] : recipes_of(preset, type)) {
    const Options options = {.recipe = recipe, .context = {.length = 64, .learned = 1}};
    const auto dim =
        first_admitted(columns[width], [&](std::int64_t d) { return !Rows::check(preset.convention, d, options); });
    if (!dim) continue;
    const Rows rows(preset.convention, *dim, options);
    const std::vector<std::int64_t> extents =
        rows.axes().size() == 1 ? std::vector<std::int64_t>{40} : std::vector<std::int64_t>(rows.axes().size(), 5);
    const auto lists = cells_of(preset, extents);
    std::vector<Positions> positions;
    for (const auto& list : lists) positions.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
    Drawn drawn = {"rows of " + std::to_string(*dim) + words, type, {std::ssize(lists[0]), rows.width()}};
    if (rows.check_write(positions, drawn.view())) continue;
    rows.write(positions, drawn.view());
    drawn.options = {.dim = *dim, .context = options.context, .places = preset.places};
    drawn.options.identify.positions = positions;
    each(drawn);
  }
}

// Cosines beside sines, and the frequencies.
inline void draw_caches(const Preset& preset, std::size_t width, DType type, const Each& each) {
  if (check_use("test", ConventionUse::rotations, preset.convention)) return;
  const Convention kept = with_field(preset.convention, "stored", "sine_cosine");
  constexpr std::int64_t heads[3][4] = {{64, 96, 128, 256}, {128, 256, 192, 96}, {32, 40, 48, 80}};
  for (const auto& [words, recipe] : recipes_of(preset, type)) {
    const Options options = {.recipe = recipe, .context = {.length = 64}};
    const auto head = first_admitted({heads[width], heads[width] + 4},
                                     [&](std::int64_t d) { return !RotaryCache::check(kept, d, options); });
    if (!head) continue;
    const RotaryCache cache(kept, *head, options);
    const std::vector<Positions> positions(cache.axes().size(), Positions::range(0, 40));
    Drawn drawn = {"cache of " + std::to_string(*head) + words, type, {40, cache.width()}};
    cache.write("sin_cos", positions, drawn.view());
    drawn.options = {.dim = *head, .context = options.context};
    drawn.options.identify.positions = positions;
    each(drawn);
    if (cache.axes().size() != 1) continue;
    const std::vector<double> frequencies = cache.frequencies();
    Drawn list = {"frequencies of " + std::to_string(*head) + words, type, {std::ssize(frequencies)}};
    list.view();
    for (std::size_t k = 0; k < frequencies.size(); ++k) {
      std::byte* at = list.bytes.data() + k * size_of(type);
      const auto put = [&](auto value) { std::memcpy(at, &value, sizeof(value)); };
      if (type == DType::f64) put(frequencies[k]);
      if (type == DType::f32) put(static_cast<float>(frequencies[k]));
      if (type == DType::f16) put(half(static_cast<float>(frequencies[k])));
      if (type == DType::bf16) put(bfloat16(static_cast<float>(frequencies[k])));
    }
    list.options = {.dim = *head, .context = options.context};
    each(list);
  }
}

inline void draw_biases(const Preset& preset, std::size_t width, DType type, const Each& each) {
  if (check_use("test", ConventionUse::slopes, preset.convention)) return;
  constexpr std::int64_t heads[] = {8, 12, 5};
  const std::vector<std::int64_t> present(24, 1);
  const Positions all = Positions::range(0, 24);
  for (const bool masked : {false, true}) {
    Drawn drawn = {
        "bias of " + std::to_string(heads[width]) + (masked ? ", masked" : ""), type, {heads[width], 24, 24}};
    Options options = {.context = {.head = 64}};
    if (masked) options.context.present = view(present.data(), {24});
    if (check_bias(preset.convention, all, all, drawn.view(), options)) continue;
    bias(preset.convention, all, all, drawn.view(), options);
    drawn.options.dim = 64;
    each(drawn);
  }
  if (type != DType::f32 || check_bias_slopes(preset.convention, heads[width])) return;
  const std::vector<float> slopes = bias_slopes(preset.convention, heads[width]);
  Drawn list = {"slopes of " + std::to_string(heads[width]), type, {std::ssize(slopes)}};
  std::memcpy(list.view().data, slopes.data(), slopes.size() * sizeof(float));
  each(list);
}

// Classes have one type.
inline void draw_classes(const Preset& preset, std::size_t width, DType type, const Each& each) {
  if (type != DType::f32) return;
  constexpr std::int64_t sizes[][2] = {{40, 60}, {17, 17}, {1, 200}}, windows[][2] = {{7, 7}, {4, 6}, {5, 3}};
  if (!check_use("test", ConventionUse::classes, preset.convention)) {
    const auto [count, keys] = std::pair(sizes[width][0], sizes[width][1]);
    Drawn drawn = {"classes of " + std::to_string(count), DType::i64, {count, keys}};
    buckets(preset.convention, Positions::range(0, count), Positions::range(0, keys), drawn.view());
    drawn.options.identify.positions = {Positions::range(0, count), Positions::range(0, keys)};
    each(drawn);
  }
  const GridSize window = {windows[width][0], windows[width][1]};
  for (const std::int64_t more : {0, 1}) {  // a class token
    const std::int64_t cells = window.height * window.width + more;
    Drawn drawn = {"window of " + std::to_string(cells), DType::i64, {cells, cells}};
    if (check_window_buckets(preset.convention, window, drawn.view())) continue;
    window_buckets(preset.convention, window, drawn.view());
    each(drawn);
  }
}

inline void draw_factors(const Preset& preset, std::size_t width, DType type, const Each& each) {
  if (!check_use("test", ConventionUse::query_scales, preset.convention)) {
    constexpr std::int64_t first[] = {0, 7, 5000}, step[] = {100, 50, 1};
    const Positions positions = Positions::range(first[width], 300, step[width]);
    Drawn drawn = {"factors from " + std::to_string(first[width]), type, {300}};
    query_scale(preset.convention, positions, drawn.view());
    drawn.options.identify.positions = {positions};
    each(drawn);
  }
  constexpr std::int64_t windows[][2] = {{7, 7}, {8, 8}, {12, 5}};
  Drawn drawn = {"coordinates of " + std::to_string(windows[width][0]) + "x" + std::to_string(windows[width][1]),
                 type,
                 {2 * windows[width][0] - 1, 2 * windows[width][1] - 1, 2}};
  if (check_log_coordinates(preset.convention, drawn.view())) return;
  log_coordinates(preset.convention, drawn.view());
  each(drawn);
}

/// Calls each(preset, drawn) for all of them: some 4,000.
template <class Call>
void for_every_preset(const Call& call) {
  for (const Preset& preset : presets()) {
    const Each each = [&](Drawn& drawn) { call(preset, drawn); };
    for (std::size_t width = 0; width < 3; ++width) {
      for (const DType type : real_types) {
        for (const auto draw : {draw_rows, draw_caches, draw_biases, draw_classes, draw_factors}) {
          draw(preset, width, type, each);
        }
      }
    }
  }
}

}  // namespace posenc::test
