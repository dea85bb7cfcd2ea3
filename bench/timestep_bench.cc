// SPDX-License-Identifier: Apache-2.0
// Timestep rows of a diffusion model, of one image and of a large batch; steps have fractions.
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

Row steps_row(std::int64_t count) {
  constexpr std::int64_t width = 320;
  const auto make = [=]() -> Work {
    const Rows rows(preset("diffusers-timestep").convention, width);
    auto steps = std::make_shared<std::vector<float>>();
    for (std::int64_t i = 0; i < count; ++i) steps->push_back(static_cast<float>(i) + 0.5f);
    const auto out = buffer(count * width * 4);
    const ConstView from = view(static_cast<const float*>(steps->data()), {count});
    const View to = view(out->as<float>(), {count, width});
    return {.run = [=](const Executor& executor) { rows.write(Positions::list(from), to, executor); },
            .out = out->bytes(),
            .owns = {steps, out}};
  };
  return {
      "timestep f32", std::to_string(count) + " x " + std::to_string(width), Ceiling::store, no_floor, no_floor, make};
}

}  // namespace

std::vector<Row> timestep_rows(const Scope&) { return {steps_row(1), steps_row(4096)}; }

}  // namespace posenc::bench
