// SPDX-License-Identifier: Apache-2.0
// What one value costs on the paths behind the blocks, and what a call costs around its work.
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include "bench/words.h"
#include "src/base/blocks.h"
#include "src/numerics/sine_cosine.h"

namespace posenc::bench {
namespace {

// Keeps a result: without a reader the compiler would drop the work.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

Row path(const std::string& operation, const std::string& size, std::function<void()> call) {
  return {operation, size,     Ceiling::none,
          no_floor,  no_floor, [=]() -> Work { return {[=](const Executor&) { call(); }}; },
          {1}};
}

Row ladder(std::int64_t width) {
  return path("ladder", std::to_string(width), [=] { keep(Rows(preset("transformer").convention, width)); });
}

// The ladder of a rotation, scaled or dealt, beside the plain one, with all that an object has made ready.
Row rotary_ladder(const std::string& name) {
  return path("ladder, " + name, "head 128", [&convention = preset(name).convention] {
    keep(RotaryRows(convention, 128, {.context = {.length = 4096, .centre = 2048}}));
  });
}

}  // namespace

std::vector<Row> paths_rows(const Scope&) {
  const numerics::Real frequency = numerics::power(10000, numerics::fraction(-20, 512));
  const auto quick_pair = [turn = *numerics::turn(frequency), p = std::int64_t{1}]() mutable {
    keep(numerics::quick_sine_cosine(turn, numerics::dyadic(p++)));
  };
  const auto certain_sine = [frequency, p = std::int64_t{1}]() mutable {
    keep(numerics::settle_certainly<double>([&](std::int64_t bits) {
      return numerics::enclose(numerics::Wave::sine, frequency * numerics::Real(p), bits);
    }));
    ++p;
  };
  const numerics::Real far(1e300);
  const auto far_pair = [far, turn = *numerics::turn(far), p = 0.37]() mutable {
    keep(numerics::exact_sine_cosine<double>(far, turn, numerics::dyadic(p)));
    p += 1;
  };
  const numerics::Real half_way = numerics::Real(0x1p-1074) * numerics::Real(0.5);
  const auto half_way_sine = [half_way, odd = std::int64_t{1}]() mutable {
    keep(numerics::exact_wave<double>(numerics::Wave::sine, half_way * numerics::Real(odd), 1));
    odd += 2;
  };
  return {
      path("quick path", "a pair", quick_pair),
      path("quick path, 1e300 radians", "a pair", far_pair),
      path("half-way sine", "a value", half_way_sine),
      path("certain path", "a value", certain_sine),
      path("floating-point guard", "a call", [] { keep(DefaultEnvironment()); }),
      ladder(64),
      ladder(512),
      ladder(8192),
      rotary_ladder("rope-half"),
      rotary_ladder("rope-ntk"),
      rotary_ladder("rope-yarn"),
      rotary_ladder("gpt-oss"),
      rotary_ladder("rope-llama3"),
      rotary_ladder("rope-proportional"),
      rotary_ladder("rope-clipped"),
      rotary_ladder("mrope-chunk"),
      rotary_ladder("rope2d-dinov3"),
  };
}

}  // namespace posenc::bench
