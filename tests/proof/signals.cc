// SPDX-License-Identifier: Apache-2.0
// Tables of many shapes, rows of gathered positions and of timesteps.
#include <posenc/preset.h>
#include <posenc/timestep.h>

#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

constexpr Geometric paper = {10000, 1, Spacing::over_width};
constexpr Geometric endpoint = {500000, 2.5, Spacing::over_gaps};

// ---- tables -------------------------------------------------------------------------------------

struct Range {
  double start, step;  // whole unless `real`
  bool real;
};

Positions part(const Range& range, std::int64_t first, std::int64_t count) {
  const double start = range.start + static_cast<double>(first) * range.step;
  if (range.real) return Positions::range(start, count, range.step);
  return Positions::range(static_cast<std::int64_t>(start), count, static_cast<std::int64_t>(range.step));
}

template <class T>
void table(const Surroundings& how, const Sinusoid& row, std::int64_t dim, const Range& range, std::int64_t length) {
  Threads threads(how.threads);
  const SinusoidRows sinusoid(row, dim);
  Rows<T> out(how, length, sinusoid.width());
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    sinusoid.write(part(range, first, count), out.view(first, count), threads.executor(), how.reading);
  });
  out.put();
}

template <class T>
void tables(const Surroundings& how) {
  constexpr Range from_zero = {0, 1, false}, far = {-0x1p40, 3, false}, back = {0x1p52, -7, false},
                  halves = {-20.5, 0.5, true};
  table<T>(how, {paper, Layout::interleaved, OddWidth::refused}, 512, from_zero, 4096);
  table<T>(how, {paper, Layout::sine_first, OddWidth::refused}, 1000, far, 300);
  table<T>(how, {endpoint, Layout::cosine_first, OddWidth::refused}, 96, back, 700);
  table<T>(how, {endpoint, Layout::interleaved, OddWidth::lone_sine}, 65, halves, 500);
  for (std::int64_t dim = 1; dim <= 66; ++dim) {
    table<T>(how, {paper, Layout::sine_first, dim == 1 ? OddWidth::lone_sine : OddWidth::zero_column}, dim, far, 40);
  }
}

// Gathered positions, and f64, take no strips.
template <class T>
void gathered(const Surroundings& how, std::int64_t length) {
  Threads threads(how.threads);
  std::vector<double> list;
  for (std::int64_t i = 0; i < length; ++i) {
    list.push_back(static_cast<double>(i * i * 1000003 - 77777777) * 0x1p-10);  // exact, in any rounding mode
  }
  const SinusoidRows sinusoid(preset("transformer").convention, 130);
  Rows<T> out(how, length, 130);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    sinusoid.write(Positions::list(view(std::as_const(list).data() + first, {count})), out.view(first, count),
                   threads.executor());
  });
  out.put();
}

// ---- timesteps ----------------------------------------------------------------------------------

template <class T>
void timesteps(const Surroundings& how, const Timestep& convention, std::int64_t dim) {
  constexpr std::int64_t length = 777;
  Threads threads(how.threads);
  std::vector<double> steps;
  for (std::int64_t i = 0; i < length; ++i) steps.push_back(static_cast<double>(i * 7919 % 8192) * 0.125);  // exact
  Rows<T> out(how, length, dim);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    View some = out.view(first, count);
    timestep(convention, Positions::list(view(std::as_const(steps).data() + first, {count})),
             {some.data, some.dtype, 2, {count, dim}, {some.strides[1], 1}}, exact(), threads.executor());
  });
  out.put();
}

template <class T>
void all_timesteps(const Surroundings& how) {
  timesteps<T>(how, {10000, 0, 1, Layout::cosine_first}, 320);
  timesteps<T>(how, {10000, 1, 1000, Layout::sine_first}, 129);
}

}  // namespace

void write_signals(const Surroundings& how) {
  tables<float>(how);
  tables<bfloat16>(how);
  tables<half>(how);
  gathered<float>(how, 2000);
  gathered<bfloat16>(how, 500);
  gathered<half>(how, 500);
  gathered<double>(how, 200);
  all_timesteps<float>(how);
  all_timesteps<bfloat16>(how);
  all_timesteps<half>(how);
}

}  // namespace posenc::proof
