// SPDX-License-Identifier: Apache-2.0
// Tables of many shapes, rows of gathered positions and of timesteps.
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

constexpr Geometric endpoint = {500000, 2.5, Spacing::over_gaps};

// ---- tables -------------------------------------------------------------------------------------

template <class T>
void table(const Surroundings& how, const std::string& name, const Sinusoid& row, std::int64_t dim,
           const Positions& positions) {
  put_table<T>(how, "table/" + name, Rows(row, dim), positions);
}

template <class T>
void tables(const Surroundings& how) {
  constexpr std::int64_t far = -(std::int64_t{1} << 40), back = std::int64_t{1} << 52;
  table<T>(how, "interleaved-512", {paper, Layout::interleaved, OddWidth::refused}, 512, Positions::range(0, 4096));
  table<T>(how, "sine_first-1000-far", {paper, Layout::sine_first, OddWidth::refused}, 1000,
           Positions::range(far, 300, 3));
  table<T>(how, "cosine_first-96-back", {endpoint, Layout::cosine_first, OddWidth::refused}, 96,
           Positions::range(back, 700, -7));
  table<T>(how, "lone_sine-65-halves", {endpoint, Layout::interleaved, OddWidth::lone_sine}, 65,
           Positions::range(-20.5, 500, 0.5));
  for (std::int64_t dim = 1; dim <= 66; ++dim) {
    table<T>(how, "widths-1-to-66", {paper, Layout::sine_first, dim == 1 ? OddWidth::lone_sine : OddWidth::zero_column},
             dim, Positions::range(far, 40, 3));
  }
}

// Gathered positions, and f64, take no strips.
template <class T>
void gathered(const Surroundings& how, std::int64_t length) {
  std::vector<double> list;
  for (std::int64_t i = 0; i < length; ++i) {
    list.push_back(static_cast<double>(i * i * 1000003 - 77777777) * 0x1p-10);  // exact, in any rounding mode
  }
  put_table<T>(how, "table/gathered", Rows(preset("transformer").convention, 130),
               Positions::list(view(std::as_const(list).data(), {length})));
}

// ---- timesteps ----------------------------------------------------------------------------------

template <class T>
void timesteps(const Surroundings& how, const std::string& name, const Timestep& convention, std::int64_t dim) {
  constexpr std::int64_t length = 777;
  Threads threads(how.threads);
  std::vector<double> steps;
  for (std::int64_t i = 0; i < length; ++i) steps.push_back(static_cast<double>(i * 7919 % 8192) * 0.125);  // exact
  RowMemory<T> out(how, length, dim);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    View some = out.view(first, count);
    sinusoid(convention, Positions::list(view(std::as_const(steps).data() + first, {count})),
             {some.data, some.dtype, 2, {count, dim}, {some.strides[1], 1}}, {.executor = threads.executor()});
  });
  out.put("timestep/" + name);
}

template <class T>
void all_timesteps(const Surroundings& how) {
  timesteps<T>(how, "scale-1/exact", {10000, 0, 1, Layout::cosine_first}, 320);
  timesteps<T>(how, "scale-1000-odd/exact", {10000, 1, 1000, Layout::sine_first}, 129);
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
