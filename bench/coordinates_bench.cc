// SPDX-License-Identifier: Apache-2.0
// Rows at lists of coordinates, which have no steps: one axis, sums over two, Fourier features. The first is what the
// others are compared with.
#include <posenc/preset.h>
#include <posenc/rows.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t count = 1024;

// SAM's matrix: a ladder an axis, with signs.
Convention summed(std::int64_t width) {
  Waves waves = std::get<Waves>(preset("sam-gaussian").convention);
  waves.ladders.assign(2, waves.ladders[0]);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::vector<double>& w = std::get<Listed>(waves.ladders[axis]).frequencies;
    w.clear();
    for (std::int64_t k = 0; k < width / 2; ++k)
      w.push_back(static_cast<double>(k * (axis == 0 ? 37 : 29) % 64 - 32) / 21);
  }
  return waves;
}

Row coordinates_row(const std::string& name, const Convention& convention, std::int64_t width) {
  const auto make = [=]() -> Work {
    const Rows rows(convention, width);
    const std::int64_t axes = std::ssize(rows.axes());
    auto numbers = std::make_shared<std::vector<float>>();
    for (std::int64_t i = 0; i < axes * count; ++i) {
      numbers->push_back(static_cast<float>(i * 7919 % 65536) / 65536.0f);
    }
    std::vector<Positions> lists;
    for (std::int64_t a = 0; a < axes; ++a) {
      lists.push_back(Positions::list(view(static_cast<const float*>(numbers->data() + a * count), {count})));
    }
    const auto out = buffer(count * width * 4);
    const View to = view(out->as<float>(), {count, width});
    return {.run = [=](const Executor& executor) { rows.write(lists, to, executor); },
            .out = out->bytes(),
            .owns = {numbers, out}};
  };
  return {"coordinates f32, " + name,
          std::to_string(count) + " x " + std::to_string(width),
          Ceiling::store,
          no_floor,
          no_floor,
          make};
}

}  // namespace

std::vector<Row> coordinates_rows(const Scope&) {
  return {coordinates_row("one axis", preset("transformer").convention, 256),
          coordinates_row("sum of two", summed(256), 256),
          coordinates_row("Fourier", preset("timm-fourier").convention, 258)};  // and the coordinates
}

}  // namespace posenc::bench
