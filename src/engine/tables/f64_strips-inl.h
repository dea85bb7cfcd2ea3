// SPDX-License-Identifier: Apache-2.0
// Tables in f64 by symmetric pairs of double-doubles: 13 operations an output, each output rounded from both ends of
// its interval. Blocks, centres and far centres are those of table_kernel.h.
//
//     X(n steps on or back) = X cos(n) +- Y sin(n)
//
// Sums of high parts are exact: X cos(n) is cut at a multiple of 2^-51 by adding 3 and taking it away (all times 2^E
// for a factor of up to 2^E in size), and |X cos(n)| + |Y sin(n)| is at most 1. The rest, below 2^-51, is kept as one
// double, and what it and its sums round is below 2^-100 in all. If X, Y are within a and sine, cosine within b of the
// truth, the sum is within sqrt 2 (a + b) + 2^-100. So with b = a of direct values: block centres
// 2.83 a + 2^-100, outputs sqrt 2 (3.83 a + 2^-100) + 2^-100 < 5.5 a, since a is 2^-83 or more. A factor adds 2^-103
// to centres. Stated as 6 a, which is for outputs of any size: small ones are in doubt more often.
//
// Included once for each instruction set, and used where multiply-adds are fused.
#if defined(POSENC_ENGINE_F64_STRIPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_F64_STRIPS_INL_H
#undef POSENC_ENGINE_F64_STRIPS_INL_H
#else
#define POSENC_ENGINE_F64_STRIPS_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "src/engine/tables/f64_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

HWY_INLINE std::uint64_t BitsOf(hn::Mask<U64> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(U64(), mask, bits);
  return bits[0];
}

struct WidePanel {
  WideRow near[reach], far[reach];  // sines and cosines of strides; far ones of blocks
  WideRow far_centre, centre;
  double grid;   // 3 times the power of two that no value exceeds
  double error;  // of outputs
};

// ---- entries in doubt -----------------------------------------------------------------------------

// Lanes of one vector of a block that might round either way.
struct WideDoubts {
  struct Of {
    std::int64_t row;
    std::size_t column;  // of the strip
    std::uint64_t lanes;
  };
  std::size_t count = 0;
  Of of[block_rows * wide_columns / wide_lanes];
};

// By 128-bit integers or the certain path; columns after the last one are made beside what was asked for.
inline bool SettleWide(const Rungs& rungs, const Columns& columns, const Strip& strip, double* out, std::int64_t stride,
                       WideDoubts& doubts) {
  bool decided = true;
  for (const auto& [row, first, lanes] : std::span(doubts.of, doubts.count)) {
    numerics::Dyadic p = numerics::dyadic(strip.start + row * strip.step);
    p.exponent = strip.exponent;
    for (std::uint64_t bits = lanes; bits != 0; bits &= bits - 1) {
      const std::size_t j = first + static_cast<std::size_t>(std::countr_zero(bits)), column = strip.first + j;
      if (j >= strip.columns) continue;
      double& entry = out[row * stride + static_cast<std::int64_t>(j)];
      if (p.zero()) {
        entry = at_zero<double>(rungs, columns.quarters(column));
        continue;
      }
      const std::size_t k = columns.frequency[column];
      const std::optional<numerics::Pair<double>> pair = certain_pair<double>(rungs, k, p);
      decided = decided && pair;
      // row_plan.h: +0 at frequency 0
      if (pair) entry = entry_of(*pair, columns.quarters(column), p.negative && !rungs.turns[k].zero());
    }
  }
  doubts.count = 0;
  return decided;
}

// ---- blocks ---------------------------------------------------------------------------------------

template <Stores stores>
HWY_INLINE void StoreWide(const hn::Vec<F64> (&line)[line_vectors], double* to) {
  for (std::size_t v = 0; v < line_vectors; ++v) {
    if constexpr (stores == Stores::streamed) {
      hn::Stream(line[v], F64(), to + v * wide_lanes);
    } else {
      hn::StoreU(line[v], F64(), to + v * wide_lanes);
    }
  }
}

HWY_INLINE void NoteDoubts(const hn::Vec<U64> (&differences)[line_vectors], std::int64_t row, std::size_t column,
                           WideDoubts& doubts) {
  for (std::size_t v = 0; v < line_vectors; ++v) {
    const std::uint64_t lanes = BitsOf(hn::Ne(differences[v], hn::Zero(U64())));
    if (lanes != 0) doubts.of[doubts.count++] = {row, column + v * wide_lanes, lanes};
  }
}

// One line of each of the 17 rows around a centre, the first of which, number `row` of the strip, goes to `to`.
template <Stores stores>
HWY_INLINE void FillWideLines(const WidePanel& panel, std::size_t j, std::int64_t row, double* to, std::int64_t stride,
                              WideDoubts& doubts) {
  const F64 d;
  const U64 du;
  const auto grid = hn::Set(d, panel.grid), error = hn::Set(d, panel.error);
  DoubleDouble x[line_vectors], y[line_vectors];
  hn::Vec<F64> on[line_vectors], back[line_vectors];
  hn::Vec<U64> on_differs[line_vectors], back_differs[line_vectors];
  const auto any = [&](const hn::Vec<U64>(&differ)[line_vectors], hn::Vec<U64> all) HWY_ATTR {
    for (std::size_t v = 0; v < line_vectors; ++v) all = hn::Or(all, differ[v]);
    return all;
  };
  for (std::size_t v = 0; v < line_vectors; ++v) {
    x[v] = panel.centre.x.At(j + v * wide_lanes);
    y[v] = panel.centre.y.At(j + v * wide_lanes);
    on[v] = hn::Add(x[v].high, hn::Sub(x[v].low, error));
    on_differs[v] = hn::BitCast(du, hn::Xor(on[v], hn::Add(x[v].high, hn::Add(x[v].low, error))));
  }
  constexpr auto middle = static_cast<std::int64_t>(reach);
  double *on_row = to + middle * stride, *back_row = on_row;
  if (HWY_UNLIKELY(!hn::AllTrue(du, hn::Eq(any(on_differs, hn::Zero(du)), hn::Zero(du))))) {
    NoteDoubts(on_differs, row + middle, j, doubts);
  }
  StoreWide<stores>(on, on_row);
  for (std::size_t n = 0; n < reach; ++n) {
    for (std::size_t v = 0; v < line_vectors; ++v) {
      const std::size_t at = j + v * wide_lanes;
      const DoubleDouble p = GridProduct(x[v], panel.near[n].y.At(at), grid);
      const DoubleDouble q = GridProduct(y[v], panel.near[n].x.At(at), grid);
      const auto low = hn::Sub(p.low, error), high = hn::Add(p.low, error);
      const auto sum = hn::Add(p.high, q.high), difference = hn::Sub(p.high, q.high);
      on[v] = hn::Add(sum, hn::Add(low, q.low));
      back[v] = hn::Add(difference, hn::Sub(low, q.low));
      on_differs[v] = hn::BitCast(du, hn::Xor(on[v], hn::Add(sum, hn::Add(high, q.low))));
      back_differs[v] = hn::BitCast(du, hn::Xor(back[v], hn::Add(difference, hn::Sub(high, q.low))));
    }
    const auto all = any(back_differs, any(on_differs, hn::Zero(du)));
    if (HWY_UNLIKELY(!hn::AllTrue(du, hn::Eq(all, hn::Zero(du))))) {
      NoteDoubts(on_differs, row + middle + static_cast<std::int64_t>(n) + 1, j, doubts);
      NoteDoubts(back_differs, row + middle - static_cast<std::int64_t>(n) - 1, j, doubts);
    }
    StoreWide<stores>(on, on_row += stride);
    StoreWide<stores>(back, back_row -= stride);
  }
}

template <Stores stores>
HWY_INLINE void FillWideBlock(const WidePanel& panel, const Strip& strip, std::int64_t row, double* to,
                              std::int64_t stride, WideDoubts& doubts) {
  std::size_t j = 0;
  for (; j + wide_line <= strip.columns; j += wide_line) FillWideLines<stores>(panel, j, row, to + j, stride, doubts);
  if (j == strip.columns) return;
  alignas(line_bytes) double scratch[block_rows][wide_line];  // the columns after the last whole line
  FillWideLines<Stores::cached>(panel, j, row, scratch[0], wide_line, doubts);
  for (std::int64_t i = 0; i < block_rows; ++i) {
    std::copy(scratch[i], scratch[i] + (strip.columns - j), to + i * stride + static_cast<std::int64_t>(j));
  }
}

// Few centres are evaluated one by one, where far steps would have to be made for them.
inline bool HasFarCentres(const Strip& strip) { return strip.rows > 10 * block_rows; }

// What outputs are off by at most: the farthest position that is evaluated directly is 145 rows beyond the last one, or
// 136 steps.
inline double ErrorOf(const Strip& strip) {
  const auto size = [](std::int64_t p) { return static_cast<double>(numerics::dyadic(p).mantissa); };
  const double farthest = size(strip.start) + size(strip.step) * static_cast<double>(strip.rows + 145);
  const double direct = wide_relative_error + wide_absolute_error + (farthest + 2) * wide_phase_unit;
  return 6 * direct;
}

template <Stores stores>
bool WideStrip(const Rungs& rungs, const Columns& columns, const Strip& strip, double* out, std::int64_t stride) {
  constexpr std::uint64_t with_phases = std::uint64_t{3} << 62, without_phases = 0;
  WidePanel panel;
  WideDoubts doubts;
  const double size = rungs.factor ? power_of_two(rungs.factor->exponent) : 1;
  panel.grid = 3 * size;
  panel.error = size * ErrorOf(strip);
  const auto fill_strides = [&](std::int64_t step, WideRow* strides) HWY_ATTR {
    for (std::size_t n = 0; n < reach; ++n) {
      DirectRow(columns, strip, static_cast<std::int64_t>(n + 1) * step, without_phases, strides[n]);
    }
  };
  const auto direct = [&](std::int64_t row, WideRow& to) HWY_ATTR {
    DirectRow(columns, strip, strip.start + row * strip.step, with_phases, to);
    if (rungs.factor) MultiplyRow(*rungs.factor, strip.columns, to);
  };
  fill_strides(strip.step, panel.near);
  if (HasFarCentres(strip)) fill_strides(strip.step * block_rows, panel.far);
  bool decided = true;
  for (std::int64_t next = 0; next < strip.rows; next += block_rows) {
    // The last block ends with the last row, and may begin inside the one before: entries are exact.
    const std::int64_t row = std::min(next, strip.rows - block_rows);
    if (!HasFarCentres(strip) || row % block_rows != 0) {
      direct(row + block_rows / 2, panel.centre);
    } else {
      const std::int64_t number = row / block_rows % block_rows;
      if (number == 0) direct(row + far_rows / 2, panel.far_centre);
      MoveCentre(panel.far_centre, panel.far, number - block_rows / 2, strip.columns, panel.grid, panel.centre);
    }
    FillWideBlock<stores>(panel, strip, row, out + row * stride, stride, doubts);
    if (HWY_UNLIKELY(doubts.count > 0)) {
      if (stores == Stores::streamed) hwy::FlushStream();
      decided &= SettleWide(rungs, columns, strip, out, stride, doubts);
    }
  }
  if (stores == Stores::streamed) hwy::FlushStream();
  return decided;
}

inline bool WideStrips(const Rungs& rungs, const Columns& columns, const Strip& strip, double* out, std::int64_t stride,
                       Stores stores) {
  const bool lines = strip.columns % wide_line == 0 && stride * std::int64_t{sizeof(double)} % line_bytes == 0 &&
                     reinterpret_cast<std::uintptr_t>(out) % line_bytes == 0;
  if (stores == Stores::streamed && lines) return WideStrip<Stores::streamed>(rungs, columns, strip, out, stride);
  return WideStrip<Stores::cached>(rungs, columns, strip, out, stride);
}

#endif  // HWY_NATIVE_FMA

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_F64_STRIPS_INL_H
