// SPDX-License-Identifier: Apache-2.0
// Rows of a tile in double-doubles: evaluated directly, moved by an angle, and multiplied. Errors: f64_strips-inl.h.
//
// Included once for each instruction set, and used where multiply-adds are fused.
#if defined(POSENC_ENGINE_F64_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_F64_ROWS_INL_H
#undef POSENC_ENGINE_F64_ROWS_INL_H
#else
#define POSENC_ENGINE_F64_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/tables/double_double-inl.h"
#include "src/engine/tables/f64_kernel.h"
#include "src/engine/tables/phase.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

constexpr std::size_t wide_columns = tile_columns<double>;      // of a strip, at most
constexpr std::size_t wide_line = line_bytes / sizeof(double);  // columns of a line
constexpr std::size_t wide_lanes = hn::MaxLanes(F64());
constexpr std::size_t line_vectors = wide_line / wide_lanes;

struct WideValues {
  alignas(64) double high[wide_columns], low[wide_columns];

  HWY_INLINE DoubleDouble At(std::size_t j) const { return {hn::Load(F64(), high + j), hn::Load(F64(), low + j)}; }
  HWY_INLINE void Set(std::size_t j, const DoubleDouble& value) {
    hn::Store(value.high, F64(), high + j);
    hn::Store(value.low, F64(), low + j);
  }
};
// Of each column, and of it a quarter of a turn ahead.
struct WideRow {
  WideValues x, y;
};

constexpr std::size_t WholeLines(std::size_t count) { return (count + wide_line - 1) / wide_line * wide_line; }

// x = sin, y = cos of p t_j + q_j; columns after the last one repeat it.
HWY_INLINE void DirectRow(const Columns& columns, const Strip& strip, std::int64_t p, std::uint64_t phases,
                          WideRow& to) {
  WidePhases of;
  const numerics::Dyadic size = numerics::dyadic(p);
  for (std::size_t j = 0; j < strip.columns; ++j) {
    const std::size_t c = strip.first + j;
    const numerics::uint128 turns = wide_multiple_of_turns(size.mantissa, 0, columns.high[c], columns.low[c]);
    of.set(j, (size.negative ? 0 - turns : turns) + (numerics::uint128{columns.quarter[c] & phases} << 64));
  }
  for (std::size_t j = strip.columns; j < WholeLines(strip.columns); ++j) {
    of.high[j] = of.high[j - 1], of.low[j] = of.low[j - 1];
  }
  for (std::size_t j = 0; j < strip.columns; j += wide_lanes) {
    DoubleDouble sine, cosine;
    WideSineCosine(hn::Load(U64(), of.high + j), hn::Load(U64(), of.low + j), sine, cosine);
    to.x.Set(j, sine);
    to.y.Set(j, cosine);
  }
}

// a b: a multiple of the grid's last place, and the rest.
HWY_INLINE DoubleDouble GridProduct(const DoubleDouble& a, const DoubleDouble& b, hn::Vec<F64> grid) {
  const auto high = hn::Sub(hn::MulAdd(a.high, b.high, grid), grid);
  const auto low = hn::MulAdd(a.high, b.low, hn::MulSub(a.high, b.high, high));
  return {high, hn::MulAdd(a.low, b.high, low)};
}

// The centre of a block that lies so many blocks from the far one.
HWY_INLINE void MoveCentre(const WideRow& from, const WideRow* far, std::int64_t blocks, std::size_t count, double grid,
                           WideRow& to) {
  if (blocks == 0) return void(to = from);
  const F64 d;
  const WideRow& by = far[(blocks < 0 ? -blocks : blocks) - 1];
  const auto sign = hn::BitCast(d, hn::Set(U64(), blocks < 0 ? std::uint64_t{1} << 63 : 0));
  const auto sum = [&](const DoubleDouble& a, const DoubleDouble& b) HWY_ATTR {
    const auto high = hn::Add(a.high, b.high), low = hn::Add(a.low, b.low), value = hn::Add(high, low);
    return DoubleDouble(value, hn::Sub(low, hn::Sub(value, high)));  // high is 0 or has the larger last place
  };
  for (std::size_t j = 0; j < count; j += wide_lanes) {
    const DoubleDouble x = from.x.At(j), y = from.y.At(j), c = by.y.At(j), plain = by.x.At(j);
    const DoubleDouble s(hn::Xor(plain.high, sign), hn::Xor(plain.low, sign));
    const DoubleDouble minus_s(hn::Neg(s.high), hn::Neg(s.low));
    const auto g = hn::Set(d, grid);
    to.x.Set(j, sum(GridProduct(x, c, g), GridProduct(y, s, g)));
    to.y.Set(j, sum(GridProduct(y, c, g), GridProduct(x, minus_s, g)));
  }
}

HWY_INLINE void MultiplyRow(const Factor& factor, std::size_t count, WideRow& row) {
  const DoubleDouble by(hn::Set(F64(), factor.nearest), hn::Set(F64(), factor.rest));
  for (WideValues* values : {&row.x, &row.y}) {
    for (std::size_t j = 0; j < count; j += wide_lanes) values->Set(j, Product(values->At(j), by));
  }
}

#endif  // HWY_NATIVE_FMA

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_F64_ROWS_INL_H
