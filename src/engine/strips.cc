// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// Error, in units of 2^-53, where a rounding of a result below 1 costs 0.5. Direct values are within 4 (series.h). If
// X, Y are within a and sine, cosine within b of the truth, X c + Y s is within sqrt 2 (a + b) + 1.5, fused or not.
// Block centres: sqrt 2 * 8 + 1.5 < 12.9. Outputs: sqrt 2 * 16.9 + 1.5 < 25.4.
#include "src/engine/strips.h"

#include <algorithm>
#include <cstring>

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

constexpr std::size_t reach = 8;
constexpr std::int64_t block_rows = 2 * reach + 1, far_rows = block_rows * block_rows;

constexpr Bound bound = {1u << 16, -12};  // 25.4 * 2^-53 < 2^16 * 2^-64

// What a block of T is computed in. bf16 needs f32 alone, which leaves 1 of 2500 outputs in doubt; of f16 it would
// leave 1 of 400, and settling those costs more than f64 does.
template <class T>
using Kernel = std::conditional_t<std::is_same_v<T, bfloat16>, float, double>;

template <class C>
struct Near {
  alignas(64) C cosine[reach][tile_columns], sine[reach][tile_columns];  // of n steps
};

struct Scratch {
  alignas(64) double far_cosine[reach][tile_columns], far_sine[reach][tile_columns];  // of 17 n steps
  alignas(64) double x[block_rows][tile_columns], y[block_rows][tile_columns];        // centres of blocks
};

// x[j] = sin, y[j] = cos of p t_j, and a quarter further for cosines when `quarters` is theirs.
void Direct(const Columns& columns, const Strip& strip, std::size_t padded, std::int64_t p, std::uint64_t quarters,
            double* x, double* y) {
  alignas(64) std::uint64_t phase[tile_columns];
  const numerics::Dyadic size = numerics::dyadic(p);
  Multiples(size.mantissa, 0, columns.high.data() + strip.first, columns.low.data() + strip.first, strip.columns,
            phase);
  for (std::size_t j = 0; j < strip.columns; ++j) {
    phase[j] = (size.negative ? 0 - phase[j] : phase[j]) + (columns.quarter[strip.first + j] & quarters);
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

void FillNear(const Columns& columns, const Strip& strip, std::size_t padded, std::size_t n, Near<double>& near) {
  Direct(columns, strip, padded, static_cast<std::int64_t>(n) * strip.step, 0, near.sine[n - 1], near.cosine[n - 1]);
}
void FillNear(const Columns& columns, const Strip& strip, std::size_t padded, std::size_t n, Near<float>& near) {
  alignas(64) double sine[tile_columns], cosine[tile_columns];
  Direct(columns, strip, padded, static_cast<std::int64_t>(n) * strip.step, 0, sine, cosine);
  std::copy(sine, sine + padded, near.sine[n - 1]);
  std::copy(cosine, cosine + padded, near.cosine[n - 1]);
}

// ---- blocks --------------------------------------------------------------------------------------

// Rows that are settled together: the vectors of what few entries are in doubt fill up, and their latency is shared.
constexpr std::int64_t group_rows = 2 * block_rows;

// Entries of a group that are in doubt.
struct Doubts {
  struct Place {
    std::uint8_t row, column;
  } places[group_rows * tile_columns];
  std::size_t count = 0;
};

// Which entries of a block are in doubt: a bit an entry, `mark_bytes` a vector. Written without a branch and read once
// a block, because a doubt is too rare to be predicted and too frequent not to matter.
constexpr std::size_t mark_bytes = hn::MaxLanes(U32()) < 8 ? 1 : hn::MaxLanes(U32()) / 8;
constexpr std::size_t row_bytes = tile_columns / hn::MaxLanes(U32()) * mark_bytes;
struct Marks {
  alignas(64) std::uint8_t of[block_rows * row_bytes] = {};
};

HWY_INLINE void Note(hn::Mask<U32> doubt, std::size_t row, std::size_t column, Marks& marks) {
  hn::StoreMaskBits(U32(), doubt, marks.of + row * row_bytes + column / hn::MaxLanes(U32()) * mark_bytes);
}

// Adds the entries that are marked; `first` is the block's row in the group.
void Append(const Marks& marks, std::size_t first, Doubts& doubts) {
  constexpr std::size_t lanes = hn::MaxLanes(U32());
  for (std::size_t at = 0; at < block_rows * row_bytes; at += 8) {
    std::uint64_t bits;
    std::memcpy(&bits, marks.of + at, 8);
    for (; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      const std::size_t byte = at % row_bytes + bit / 8;
      const std::size_t column = byte / mark_bytes * lanes + byte % mark_bytes * 8 + bit % 8;
      doubts.places[doubts.count++] = {static_cast<std::uint8_t>(first + at / row_bytes),
                                       static_cast<std::uint8_t>(column)};
    }
  }
}

// Rows of an output or of the scratch.
template <class T>
struct Rows {
  T* out;
  std::int64_t stride;

  T* Row(std::size_t row) const { return out + static_cast<std::int64_t>(row) * stride; }
};

HWY_INLINE Wide LoadBoth(const double* from) {
  Wide value;
  for (std::size_t h = 0; h < halves; ++h) value.part[h] = hn::Load(F64(), from + h * hn::Lanes(F64()));
  return value;
}

// The 17 rows around the centre x, y, of f32 and f16.
template <class T>
void FillBlock(const Near<double>& near, const double* x, const double* y, std::size_t padded, Rows<T> to,
               Marks& marks) {
  for (std::size_t j = 0; j < padded; j += hn::Lanes(F32())) {
    const Wide X = LoadBoth(x + j), Y = LoadBoth(y + j);
    T *on_row = to.Row(reach) + j, *back_row = on_row;
    Note(Nearest<bound>(X, on_row), reach, j, marks);
    for (std::size_t n = 1; n <= reach; ++n) {
      const Wide c = LoadBoth(near.cosine[n - 1] + j), s = LoadBoth(near.sine[n - 1] + j);
      Wide on, back;
      for (std::size_t h = 0; h < halves; ++h) {
        const auto product = hn::Mul(X.part[h], c.part[h]);
        on.part[h] = hn::MulAdd(Y.part[h], s.part[h], product);
        back.part[h] = hn::NegMulAdd(Y.part[h], s.part[h], product);
      }
      Note(Nearest<bound>(on, on_row += to.stride), reach + n, j, marks);
      Note(Nearest<bound>(back, back_row -= to.stride), reach - n, j, marks);
    }
  }
}

// The same of bf16. In units of 2^-25, what rounding to f32 costs below 1: X, Y, cosine and sine are off by 1
// each, together sqrt 2 * 2, and three roundings follow when unfused: below 6.
template <class T>
void FillBlock(const Near<float>& near, const double* x, const double* y, std::size_t padded, Rows<T> to,
               Marks& marks) {
  const F32 d;
  for (std::size_t j = 0; j < padded; j += hn::Lanes(d)) {
    const auto X = ToF32(LoadBoth(x + j)), Y = ToF32(LoadBoth(y + j));
    T *on_row = to.Row(reach) + j, *back_row = on_row;
    Note(Nearest(X, on_row), reach, j, marks);
    for (std::size_t n = 1; n <= reach; ++n) {
      const auto c = hn::Load(d, near.cosine[n - 1] + j), s = hn::Load(d, near.sine[n - 1] + j);
      const auto product = hn::Mul(X, c);
      Note(Nearest(hn::MulAdd(Y, s, product), on_row += to.stride), reach + n, j, marks);
      Note(Nearest(hn::NegMulAdd(Y, s, product), back_row -= to.stride), reach - n, j, marks);
    }
  }
}

// The centres of the 17 blocks around the far centre, which stands in x[reach], y[reach].
void FillCentres(Scratch& s, std::size_t padded) {
  const F64 d;
  for (std::size_t j = 0; j < padded; j += hn::Lanes(d)) {
    const auto X = hn::Load(d, s.x[reach] + j), Y = hn::Load(d, s.y[reach] + j);
    for (std::size_t n = 1; n <= reach; ++n) {
      const auto c = hn::Load(d, s.far_cosine[n - 1] + j), t = hn::Load(d, s.far_sine[n - 1] + j);
      const auto xc = hn::Mul(X, c), yc = hn::Mul(Y, c);
      hn::Store(hn::MulAdd(Y, t, xc), d, s.x[reach + n] + j);
      hn::Store(hn::NegMulAdd(Y, t, xc), d, s.x[reach - n] + j);
      hn::Store(hn::NegMulAdd(X, t, yc), d, s.y[reach + n] + j);
      hn::Store(hn::MulAdd(X, t, yc), d, s.y[reach - n] + j);
    }
  }
}

// ---- entries in doubt ----------------------------------------------------------------------------

// Evaluates the entries in doubt directly, a vector of them at a time; `first` is the row of the strip that the group
// begins with. Position 0 needs no evaluation, and all its sines are small enough to be in doubt.
template <class T>
void Settle(const Rungs& rungs, const Columns& columns, const Strip& strip, std::int64_t first, Doubts& doubts,
            const Rows<T>& to) {
  const F64 d;
  alignas(64) std::uint64_t phase[hn::MaxLanes(F64())] = {};
  alignas(64) double value[hn::MaxLanes(F64())];
  struct Entry {
    numerics::Dyadic position;
    std::size_t column;
    T* out;
  } now[hn::MaxLanes(F64())];
  std::size_t waiting = 0;
  const auto settle = [&]() HWY_ATTR {
    hn::Vec<F64> sine, cosine;
    SineCosine(d, hn::Load(U64(), phase), sine, cosine);
    hn::Store(sine, d, value);
    for (std::size_t i = 0; i < waiting; ++i) {
      *now[i].out = settled_entry<T>(rungs, columns, now[i].position, now[i].column, value[i]);
    }
    waiting = 0;
  };
  for (const Doubts::Place& place : std::span(doubts.places, doubts.count)) {
    const std::int64_t row = first + place.row;
    if (row >= strip.rows || place.column >= strip.columns) continue;  // made beside what was asked for
    Entry& entry = now[waiting];
    entry = {numerics::dyadic(strip.start + row * strip.step), strip.first + place.column,
             to.Row(place.row) + place.column};
    entry.position.exponent = strip.exponent;
    if (entry.position.mantissa == 0) {
      *entry.out = T(columns.quarter[entry.column] == cosine_phase ? 1.0f : 0.0f);
      continue;
    }
    phase[waiting++] = phase_of(columns, entry.position, entry.column);
    if (waiting == hn::Lanes(d)) settle();
  }
  if (waiting > 0) settle();
  doubts.count = 0;
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
  Near<Kernel<T>> near;
  Scratch scratch;
  Marks marks;
  Doubts doubts;
  alignas(64) T scratch_rows[group_rows * tile_columns];
  const std::size_t lanes = hn::Lanes(F32()), padded = (strip.columns + lanes - 1) / lanes * lanes;
  for (std::size_t n = 1; n <= reach; ++n) FillNear(columns, strip, padded, n, near);
  // Few blocks: their centres are evaluated one by one.
  const bool far = strip.rows > 10 * block_rows;
  for (std::size_t n = 1; far && n <= reach; ++n) {
    Direct(columns, strip, padded, static_cast<std::int64_t>(n) * block_rows * strip.step, 0, scratch.far_sine[n - 1],
           scratch.far_cosine[n - 1]);
  }
  for (std::int64_t first = 0; first < strip.rows; first += group_rows) {
    const std::int64_t rows = std::min(group_rows, strip.rows - first);
    // Whole vectors of whole blocks that stay in the caches need no scratch.
    const bool in_place = stores == Stores::cached && padded == strip.columns && rows % block_rows == 0;
    const Rows<T> to = in_place ? Rows<T>{out + first * stride, stride} : Rows<T>{scratch_rows, tile_columns};
    for (std::int64_t row = first; row < first + rows; row += block_rows) {
      const std::int64_t b = far ? row / block_rows % block_rows : 0;
      if (b == 0) {
        const std::int64_t centre = far ? row + far_rows / 2 : row + static_cast<std::int64_t>(reach);
        const std::size_t at = far ? reach : 0;
        Direct(columns, strip, padded, strip.start + centre * strip.step, cosine_phase, scratch.x[at], scratch.y[at]);
        if (far) FillCentres(scratch, padded);
      }
      const auto in_group = static_cast<std::size_t>(row - first);
      FillBlock(near, scratch.x[b], scratch.y[b], padded, Rows<T>{to.Row(in_group), to.stride}, marks);
      Append(marks, in_group, doubts);
    }
    Settle(rungs, columns, strip, first, doubts, to);
    if (in_place) continue;
    for (std::int64_t r = 0; r < rows; ++r) {
      CopyRow(to.Row(static_cast<std::size_t>(r)), strip.columns, out + (first + r) * stride, stores);
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
