// SPDX-License-Identifier: Apache-2.0
// What one correctly rounded value costs on each path, and what a call costs around it.
#include <benchmark/benchmark.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "src/engine/blocks.h"
#include "src/engine/sincos_kernel.h"
#include "src/numerics/certain.h"

namespace posenc {
namespace {

// Rows of a table of width 512, one row a call of the engine; reused output.
template <class T>
void table(benchmark::State& state) {
  constexpr std::int64_t rows = 512, width = 512;
  const SinusoidRows sinusoid(preset("transformer").convention, width);
  std::vector<T> out(rows * width);
  for (auto _ : state) {
    sinusoid.write(Positions::range(1000, rows), view(out.data(), {rows, width}));
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * rows * width);
  state.SetBytesProcessed(state.iterations() * rows * width * static_cast<std::int64_t>(sizeof(T)));
  state.SetLabel(engine::kernel_target());
}
BENCHMARK(table<float>)->Name("table/f32/512x512");
BENCHMARK(table<bfloat16>)->Name("table/bf16/512x512");
BENCHMARK(table<half>)->Name("table/f16/512x512");
BENCHMARK(table<double>)->Name("table/f64/512x512");

constexpr numerics::Frequency w = {1, 10000, 20, 512};

void quick_pair(benchmark::State& state) {
  const numerics::Turn turn = numerics::turn(w);
  std::int64_t p = 1;
  for (auto _ : state) benchmark::DoNotOptimize(numerics::quick_sine_cosine(turn, numerics::dyadic(p++)));
}
BENCHMARK(quick_pair)->Name("quick path/pair");

void certain_sine(benchmark::State& state) {
  std::int64_t p = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(numerics::settle_certainly<double>(
        [&](std::int64_t bits) { return numerics::enclose(numerics::Wave::sine, w, numerics::dyadic(p), bits); }));
    ++p;
  }
}
BENCHMARK(certain_sine)->Name("certain path/value");

void environment(benchmark::State& state) {
  for (auto _ : state) {
    const engine::DefaultEnvironment guard;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(environment)->Name("floating-point environment/call");

void ladder(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(SinusoidRows(preset("transformer").convention, state.range(0)));
}
BENCHMARK(ladder)->Name("ladder/width")->Arg(64)->Arg(512)->Arg(8192);

}  // namespace
}  // namespace posenc
