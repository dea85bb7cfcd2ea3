// SPDX-License-Identifier: Apache-2.0
// Two-dimensional tables of vision models, in the caches.
#include <posenc/grid.h>
#include <posenc/preset.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

Row grid_row(std::int64_t side, std::int64_t width) {
  const auto make = [=]() -> Work {
    const Rows rows(preset("mae-2d").convention, width);
    const auto out = buffer(side * side * width * 4);
    const View to = view(out->as<float>(), {side, side, width});
    return {.run = [=](const Executor& executor) { rows.write_cells(to, whole_places, executor); },
            .out = out->bytes(),
            .owns = {out}};
  };
  const std::string cells = std::to_string(side) + " x " + std::to_string(side);
  return {"grid f32", cells + " x " + std::to_string(width), Ceiling::store, warm_one, warm_two, make};
}

// Frames, lines and columns: as many cells as 64 x 64.
Row three_axes() {
  constexpr std::int64_t frames = 16, side = 16, width = 1152;
  const auto make = []() -> Work {
    const Rows rows(preset("diffusers-3d").convention, width);
    const auto out = buffer(frames * side * side * width * 4);
    const View to = view(out->as<float>(), {frames, side, side, width});
    return {.run = [=](const Executor& executor) { rows.write_cells(to, whole_places, executor); },
            .out = out->bytes(),
            .owns = {out}};
  };
  return {"grid f32, three axes", "16 x 16 x 16 x 1152", Ceiling::store, no_floor, no_floor, make};
}

}  // namespace

std::vector<Row> grid_rows(const Scope&) { return {grid_row(14, 768), grid_row(64, 1152), three_axes()}; }

}  // namespace posenc::bench
