// SPDX-License-Identifier: Apache-2.0
// What one value costs on the paths behind the blocks, and what a call costs around its work.
#include <posenc/preset.h>
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
  return path("ladder", std::to_string(width), [=] { keep(SinusoidRows(preset("transformer").convention, width)); });
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
  return {
      path("quick path", "a pair", quick_pair),
      path("certain path", "a value", certain_sine),
      path("floating-point guard", "a call", [] { keep(DefaultEnvironment()); }),
      ladder(64),
      ladder(512),
      ladder(8192),
  };
}

}  // namespace posenc::bench
