// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// Error, in units of 2^-53, where a rounding of a result below 1 costs 0.5. Direct values are within 4 (series.h). If
// X, Y are within a and sine, cosine within b of the truth, X c + Y s is within sqrt 2 (a + b) + 1.5, fused or not.
// Block centres: sqrt 2 * 8 + 1.5 < 12.9. Outputs: sqrt 2 * 16.9 + 1.5 < 25.4.
#include "src/engine/strips.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/strips.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/engine/nearest-inl.h"
#include "src/engine/settle.h"
#include "src/engine/sines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t reach = 8, block_rows = 2 * reach + 1, far_rows = block_rows * block_rows;

constexpr std::uint32_t margin = 1u << 16;  // 25.4 * 2^-53 < 2^16 * 2^-64

struct Scratch {
  alignas(64) double near_cosine[reach][tile_columns], near_sine[reach][tile_columns];  // of n steps
  alignas(64) double far_cosine[reach][tile_columns], far_sine[reach][tile_columns];    // of 17 n steps
  alignas(64) double x[block_rows][tile_columns], y[block_rows][tile_columns];          // centres of blocks
};

// x[j] = sin, y[j] = cos of p t_j, and a quarter further for cosines when `quarters` is theirs.
void Direct(const Columns& columns, const Strip& strip, std::size_t padded, std::int64_t p, std::uint64_t quarters,
            double* x, double* y) {
  alignas(64) std::uint64_t phase[tile_columns];
  const std::uint64_t size = p < 0 ? 0 - static_cast<std::uint64_t>(p) : static_cast<std::uint64_t>(p);
  for (std::size_t j = 0; j < strip.columns; ++j) {
    const std::size_t c = strip.first + j;
    const std::uint64_t turns = size * columns.high[c] + numerics::multiply_high(size, columns.low[c]);
    phase[j] = (p < 0 ? 0 - turns : turns) + (columns.quarter[c] & quarters);
  }
  for (std::size_t j = strip.columns; j < padded; ++j) phase[j] = 0;
  const F64 d;
  for (std::size_t j = 0; j < padded; j += hn::Lanes(d)) {
    hn::Vec<F64> sine, cosine;
    SineCosine(d, hn::Load(U64(), phase + j), sine, cosine);
    hn::Store(sine, d, x + j);
    hn::Store(cosine, d, y + j);
  }
}

// ---- blocks --------------------------------------------------------------------------------------

// The places of a block whose rounding is in doubt: row * tile_columns + column.
struct Doubts {
  std::uint16_t place[block_rows * tile_columns];
  std::size_t count = 0;
};

template <class T>
HWY_INLINE void Put(const Wide& value, std::size_t place, T* block, Doubts& doubts) {
  const auto doubt = Nearest<margin>(value, block + place);
  if (HWY_UNLIKELY(!hn::AllFalse(U32(), doubt))) doubts.count += Places(doubt, place, doubts.place + doubts.count);
}

HWY_INLINE Wide LoadBoth(const double* from) {
  Wide value;
  for (std::size_t h = 0; h < halves; ++h) value.part[h] = hn::Load(F64(), from + h * hn::Lanes(F64()));
  return value;
}

// The 17 rows around the centre x, y.
template <class T>
void FillBlock(const Scratch& scratch, const double* x, const double* y, std::size_t padded, T* block, Doubts& doubts) {
  for (std::size_t j = 0; j < padded; j += hn::Lanes(F32())) {
    const Wide X = LoadBoth(x + j), Y = LoadBoth(y + j);
    Put(X, reach * tile_columns + j, block, doubts);
    for (std::int64_t n = 1; n <= reach; ++n) {
      const Wide c = LoadBoth(scratch.near_cosine[n - 1] + j), s = LoadBoth(scratch.near_sine[n - 1] + j);
      Wide on, back;
      for (std::size_t h = 0; h < halves; ++h) {
        const auto product = hn::Mul(X.part[h], c.part[h]);
        on.part[h] = hn::MulAdd(Y.part[h], s.part[h], product);
        back.part[h] = hn::NegMulAdd(Y.part[h], s.part[h], product);
      }
      Put(on, static_cast<std::size_t>(reach + n) * tile_columns + j, block, doubts);
      Put(back, static_cast<std::size_t>(reach - n) * tile_columns + j, block, doubts);
    }
  }
}

// The centres of the 17 blocks around the far centre, which stands in x[reach], y[reach].
void FillCentres(Scratch& s, std::size_t padded) {
  const F64 d;
  for (std::size_t j = 0; j < padded; j += hn::Lanes(d)) {
    const auto X = hn::Load(d, s.x[reach] + j), Y = hn::Load(d, s.y[reach] + j);
    for (std::int64_t n = 1; n <= reach; ++n) {
      const auto c = hn::Load(d, s.far_cosine[n - 1] + j), t = hn::Load(d, s.far_sine[n - 1] + j);
      const auto xc = hn::Mul(X, c), yc = hn::Mul(Y, c);
      hn::Store(hn::MulAdd(Y, t, xc), d, s.x[reach + n] + j);
      hn::Store(hn::NegMulAdd(Y, t, xc), d, s.x[reach - n] + j);
      hn::Store(hn::NegMulAdd(X, t, yc), d, s.y[reach + n] + j);
      hn::Store(hn::MulAdd(X, t, yc), d, s.y[reach - n] + j);
    }
  }
}

// ---- out of the scratch --------------------------------------------------------------------------

template <class T>
void CopyRow(const T* from, std::size_t count, T* to, Stores stores) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto* source = reinterpret_cast<const std::uint8_t*>(from);
  auto* target = reinterpret_cast<std::uint8_t*>(to);
  const std::size_t bytes = count * sizeof(T), lanes = hn::Lanes(d);
  std::size_t i = 0;
  if (stores == Stores::streamed && reinterpret_cast<std::uintptr_t>(target) % lanes == 0) {
    for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::Load(d, source + i), d, target + i);
  } else {
    for (; i + lanes <= bytes; i += lanes) hn::StoreU(hn::Load(d, source + i), d, target + i);
  }
  std::copy(from + i / sizeof(T), from + count, to + i / sizeof(T));
}

template <class T>
void Strips(const Rungs& rungs, const Columns& columns, const Strip& strip, T* out, std::int64_t stride,
            Stores stores) {
  Scratch scratch;
  Doubts doubts;
  alignas(64) T block[block_rows * tile_columns];
  const std::size_t lanes = hn::Lanes(F32()), padded = (strip.columns + lanes - 1) / lanes * lanes;
  for (std::int64_t n = 1; n <= reach; ++n) {
    Direct(columns, strip, padded, n * strip.step, 0, scratch.near_sine[n - 1], scratch.near_cosine[n - 1]);
  }
  // Few blocks: their centres are evaluated one by one.
  const bool far = strip.rows > 10 * block_rows;
  for (std::int64_t n = 1; far && n <= reach; ++n) {
    Direct(columns, strip, padded, n * block_rows * strip.step, 0, scratch.far_sine[n - 1], scratch.far_cosine[n - 1]);
  }
  for (std::int64_t row = 0; row < strip.rows; row += block_rows) {
    const std::int64_t b = far ? row / block_rows % block_rows : 0;
    if (b == 0) {
      const std::int64_t centre = far ? row + far_rows / 2 : row + reach;
      const std::size_t at = far ? reach : 0;
      Direct(columns, strip, padded, strip.start + centre * strip.step, cosine_phase, scratch.x[at], scratch.y[at]);
      if (far) FillCentres(scratch, padded);
    }
    doubts.count = 0;
    FillBlock(scratch, scratch.x[b], scratch.y[b], padded, block, doubts);
    const std::int64_t rows = std::min(block_rows, strip.rows - row);
    for (std::size_t i = 0; i < doubts.count; ++i) {
      const std::size_t place = doubts.place[i], r = place / tile_columns, j = place % tile_columns;
      if (static_cast<std::int64_t>(r) >= rows || j >= strip.columns) continue;
      numerics::Dyadic p = numerics::dyadic(strip.start + (row + static_cast<std::int64_t>(r)) * strip.step);
      p.exponent = strip.exponent;
      block[place] = settled_entry<T>(rungs, columns, p, strip.first + j);
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      CopyRow(block + r * static_cast<std::int64_t>(tile_columns), strip.columns, out + (row + r) * stride, stores);
    }
  }
  if (stores == Stores::streamed) hwy::FlushStream();
}

void StripsF32(const Rungs& r, const Columns& c, const Strip& s, float* out, std::int64_t stride, Stores stores) {
  Strips(r, c, s, out, stride, stores);
}
void StripsF16(const Rungs& r, const Columns& c, const Strip& s, half* out, std::int64_t stride, Stores stores) {
  Strips(r, c, s, out, stride, stores);
}
void StripsBf16(const Rungs& r, const Columns& c, const Strip& s, bfloat16* out, std::int64_t stride, Stores stores) {
  Strips(r, c, s, out, stride, stores);
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(StripsF32);
HWY_EXPORT(StripsF16);
HWY_EXPORT(StripsBf16);

void Columns::push_back(const Rungs& rungs, std::size_t k, std::uint64_t phase) {
  high.push_back(rungs.high[k]);
  low.push_back(rungs.low[k]);
  quarter.push_back(phase);
  rung.push_back(static_cast<std::uint32_t>(k));
}

Columns scaled(const Columns& columns, const Rungs& rungs, int exponent) {
  Columns made = columns;
  for (std::size_t j = 0; j < made.size(); ++j) {
    numerics::Turn turn = rungs.turns[made.rung[j]];
    turn.exponent += exponent;
    const numerics::uint128 fraction = numerics::fraction128(turn);
    made.high[j] = static_cast<std::uint64_t>(fraction >> 64);
    made.low[j] = static_cast<std::uint64_t>(fraction);
  }
  return made;
}

bool strip_pays(std::int64_t start, std::int64_t step, std::int64_t rows) {
  if (rows < 24) return false;
  const numerics::uint128 size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const auto room = step < 0 ? static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(INT64_MIN)
                             : static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(start);
  // The far centre may lie 144 rows beyond the last row, and a sine of 136 steps is needed.
  return size * static_cast<std::uint64_t>(rows + 145) <= room && size <= static_cast<std::uint64_t>(INT64_MAX) / 136;
}

template <>
void write_strip(const Rungs& rungs, const Columns& columns, const Strip& strip, float* out, std::int64_t stride,
                 Stores stores) {
  HWY_DYNAMIC_DISPATCH(StripsF32)(rungs, columns, strip, out, stride, stores);
}
template <>
void write_strip(const Rungs& rungs, const Columns& columns, const Strip& strip, half* out, std::int64_t stride,
                 Stores stores) {
  HWY_DYNAMIC_DISPATCH(StripsF16)(rungs, columns, strip, out, stride, stores);
}
template <>
void write_strip(const Rungs& rungs, const Columns& columns, const Strip& strip, bfloat16* out, std::int64_t stride,
                 Stores stores) {
  HWY_DYNAMIC_DISPATCH(StripsBf16)(rungs, columns, strip, out, stride, stores);
}

}  // namespace posenc::engine
#endif
