// SPDX-License-Identifier: Apache-2.0
// Running softmax in f32 lanes, for every instruction set.
#include "src/transformer/kernels/softmax.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/softmax.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = HWY_CAPPED(float, 16);
static_assert(hn::MaxLanes(Lanes()) <= widest_lanes);

// exp(x) for x <= 0, as 2^t, t = x log2 e = n + r, |r| <= 1/2. Below 2^-126 it is 0; exp(0) is 1; NaN stays NaN.
HWY_INLINE hn::Vec<Lanes> Exp(hn::Vec<Lanes> x) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> bits;
  const auto t = hn::Mul(x, hn::Set(d, 0x1.715476p+0f));
  // Adding 3 2^22 leaves the nearest integer in the low bits of the sum, and 127 is the exponent's bias.
  const auto magic = hn::Set(d, 12582912.0f + 127.0f);
  const auto moved = hn::Add(t, magic);
  const auto r = hn::Sub(t, hn::Sub(moved, magic));
  // 2^r by Remez's algorithm with the constant 1 fixed: relative error below 2^-25 for these coefficients.
  auto sum = hn::Set(d, 0x1.470b48p-13f);
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.5f7276p-10f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.3b270ep-7f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.c6ae72p-5f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.ebfbe2p-3f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.62e432p-1f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0f));
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(bits, moved)));
  return hn::IfThenZeroElse(hn::Lt(t, hn::Set(d, -126.0f)), hn::Mul(sum, power));
}

// Scores of the lanes from `column` on with slope and mask, `mask` null or that of `column`.
HWY_INLINE hn::Vec<Lanes> Biased(const ScoreTile& tile, hn::Vec<Lanes> score, std::int64_t column, float distance,
                                 const float* mask) {
  const Lanes d;
  if (tile.slope != 0) {
    const auto away = hn::Abs(hn::Sub(hn::Set(d, distance), hn::Iota(d, static_cast<float>(column))));
    score = hn::NegMulAdd(hn::Set(d, tile.slope), away, score);
  }
  return mask == nullptr ? score : hn::Add(score, hn::LoadU(d, mask));
}

// The scores of a row as they enter the softmax, up to a whole vector by -inf; the largest of them.
HWY_INLINE float Prepare(const ScoreTile& tile, std::int64_t i, std::int64_t seen) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  float* row = tile.scores + i * tile.stride;
  float repeated[widest_lanes], last[widest_lanes] = {};
  const float* mask = tile.mask == nullptr ? nullptr : tile.mask + i * tile.mask_row;
  if (mask != nullptr && tile.mask_column == 0) {
    std::fill_n(repeated, widest_lanes, *mask);
    mask = repeated;
  }
  const auto mask_at = [&](std::int64_t c) { return mask == nullptr ? nullptr : mask + c * tile.mask_column; };
  const float distance = static_cast<float>(tile.distance + i);
  const bool biased = tile.slope != 0 || mask != nullptr;
  auto most = hidden, other = hidden;
  std::int64_t c = 0;
  if (!biased) {
    for (; c + 2 * lanes <= seen; c += 2 * lanes) {
      most = hn::Max(most, hn::LoadU(d, row + c));
      other = hn::Max(other, hn::LoadU(d, row + c + lanes));
    }
  }
  for (; c + lanes <= seen; c += lanes) {
    const auto score = Biased(tile, hn::LoadU(d, row + c), c, distance, mask_at(c));
    if (biased) hn::StoreU(score, d, row + c);
    most = hn::Max(most, score);
  }
  if (c < seen) {
    const auto rest = static_cast<std::size_t>(seen - c);
    if (mask != nullptr) std::copy_n(mask_at(c), rest, last);
    const auto score = Biased(tile, hn::LoadU(d, row + c), c, distance, mask == nullptr ? nullptr : last);
    const auto real = hn::IfThenElse(hn::FirstN(d, rest), score, hidden);
    hn::StoreU(real, d, row + c);
    most = hn::Max(most, real);
  }
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(most, other)));
}

void SoftmaxStep(const ScoreTile& tile, float* maximum, float* sum, float* factor) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < tile.rows; ++i) {
    const std::int64_t seen = std::clamp<std::int64_t>(tile.seen + i * tile.more, 0, tile.columns);
    const float before = maximum[i], now = std::max(Prepare(tile, i, seen), before);
    // Where all is hidden, -inf - 0 gives 0 and -inf - -inf would give NaN.
    const auto base = hn::Set(d, now == -std::numeric_limits<float>::infinity() ? 0.0f : now);
    float* row = tile.scores + i * tile.stride;
    auto total = hn::Zero(d);
    std::int64_t c = 0;
    for (; c < seen; c += lanes) {
      const auto weight = Exp(hn::Sub(hn::LoadU(d, row + c), base));
      hn::StoreU(weight, d, row + c);
      total = hn::Add(total, weight);
    }
    if (c < tile.columns) std::fill(row + c, row + tile.columns, 0.0f);
    maximum[i] = now;
    factor[i] = hn::GetLane(Exp(hn::Sub(hn::Set(d, before), base)));
    sum[i] = sum[i] * factor[i] + hn::GetLane(hn::SumOfLanes(d, total));
  }
}

void MultiplyRows(const float* factor, std::int64_t rows, std::int64_t columns, float* out) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < rows; ++i, out += columns) {
    if (factor[i] == 1) continue;  // the maximum stays, as it mostly does
    const auto by = hn::Set(d, factor[i]);
    std::int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, out + c), by), d, out + c);
    for (; c < columns; ++c) out[c] *= factor[i];
  }
}

void DivideRow(const float* from, float divisor, std::int64_t columns, float* to) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (divisor == 0) return static_cast<void>(std::fill(to, to + columns, 0.0f));
  const auto by = hn::Set(d, divisor);
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) hn::StoreU(hn::Div(hn::LoadU(d, from + c), by), d, to + c);
  for (; c < columns; ++c) to[c] = from[c] / divisor;
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(SoftmaxStep);
HWY_EXPORT(MultiplyRows);
HWY_EXPORT(DivideRow);

void softmax_step(const ScoreTile& tile, float* maximum, float* sum, float* factor) {
  HWY_DYNAMIC_DISPATCH(SoftmaxStep)(tile, maximum, sum, factor);
}

void multiply_rows(const float* factor, std::int64_t rows, std::int64_t columns, float* out) {
  HWY_DYNAMIC_DISPATCH(MultiplyRows)(factor, rows, columns, out);
}

void divide_row(const float* from, float divisor, std::int64_t columns, float* to) {
  HWY_DYNAMIC_DISPATCH(DivideRow)(from, divisor, columns, to);
}

}  // namespace posenc::kernels
#endif
