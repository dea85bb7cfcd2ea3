// SPDX-License-Identifier: Apache-2.0
// Recurrent cells and additive scores, for every instruction set.
#include "src/transformer/kernels/tanh.h"

#include "src/transformer/kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/tanh.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = HWY_CAPPED(float, 16);
using Vector = hn::Vec<Lanes>;
static_assert(hn::MaxLanes(Lanes()) <= widest_lanes);

// x P(x^2) / Q(x^2), from tools/fits/tanh.py: relative error below 2^-24.3 beside that of 11 roundings, in all below
// 2^-21. At most 1 in size; odd; NaN stays NaN.
HWY_INLINE Vector Tanh(Vector value) {
  const Lanes d;
  const auto end = hn::Set(d, 9.02f);  // from where it rounds to 1
  const auto size = hn::Abs(value);
  const auto x = hn::IfThenElse(hn::Gt(size, end), end, size);
  const auto u = hn::Mul(x, x);
  auto p = hn::Set(d, 0x1.c9ab54p-27f);
  p = hn::MulAdd(p, u, hn::Set(d, 0x1.59593ap-16f));
  p = hn::MulAdd(p, u, hn::Set(d, 0x1.c9fa9ap-9f));
  p = hn::MulAdd(p, u, hn::Set(d, 0x1.120494p-3f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.0f));
  auto q = hn::Set(d, 0x1.a0be4ep-21f);
  q = hn::MulAdd(q, u, hn::Set(d, 0x1.584490p-12f));
  q = hn::MulAdd(q, u, hn::Set(d, 0x1.a7e048p-6f));
  q = hn::MulAdd(q, u, hn::Set(d, 0x1.de5794p-2f));
  q = hn::MulAdd(q, u, hn::Set(d, 1.0f));
  const auto ratio = hn::Div(hn::Mul(x, p), q), one = hn::Set(d, 1.0f);
  return hn::CopySign(hn::IfThenElse(hn::Gt(ratio, one), one, ratio), value);
}

// ---- cells -----------------------------------------------------------------------------------------

// 1 / (1 + exp(-x)) = 1/2 + tanh(x / 2) / 2
HWY_INLINE Vector Sigmoid(Vector x) {
  const Lanes d;
  const auto half = hn::Set(d, 0.5f);
  return hn::MulAdd(Tanh(hn::Mul(x, half)), half, half);
}

void RnnCell(const float* sums, std::int64_t width, float* state) {
  const Lanes d;
  for (std::int64_t c = 0; c < width; c += static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(Tanh(hn::LoadU(d, sums + c)), d, state + c);
  }
}

void LstmCell(const float* sums, std::int64_t width, float* memory, float* state) {
  const Lanes d;
  for (std::int64_t c = 0; c < width; c += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto part = [&](std::int64_t gate) { return hn::LoadU(d, sums + gate * width + c); };
    const auto kept = hn::Mul(Sigmoid(part(1)), hn::LoadU(d, memory + c));
    const auto now = hn::MulAdd(Sigmoid(part(0)), Tanh(part(2)), kept);
    hn::StoreU(now, d, memory + c);
    hn::StoreU(hn::Mul(Sigmoid(part(3)), Tanh(now)), d, state + c);
  }
}

// ---- scores ----------------------------------------------------------------------------------------

// One vector of keys by `count` queries: keys are loaded once, and the divisions of one query hide the sums of another.
template <int count>
HWY_INLINE void ScoreRows(const TanhScores& block, std::int64_t i, std::int64_t column) {
  const Lanes d;
  const float* queries = block.queries + i * block.width;
  Vector sums[count];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t c = 0; c < block.width; ++c) {
    const auto key = hn::LoadU(d, block.keys + c * block.key_stride + column);
    const auto direction = hn::Set(d, block.direction[c]);
    for (int r = 0; r < count; ++r) {
      sums[r] = hn::MulAdd(direction, Tanh(hn::Add(key, hn::Set(d, queries[r * block.width + c]))), sums[r]);
    }
  }
  for (int r = 0; r < count; ++r) hn::StoreU(sums[r], d, block.scores + (i + r) * block.stride + column);
}

void TanhScoresOf(const TanhScores& block) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Lanes()));
  for (std::int64_t column = 0; column < block.columns; column += lanes) {
    std::int64_t i = 0;
    for (; i + 2 <= block.rows; i += 2) ScoreRows<2>(block, i, column);
    for (; i < block.rows; ++i) ScoreRows<1>(block, i, column);
  }
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(RnnCell);
HWY_EXPORT(LstmCell);
HWY_EXPORT(TanhScoresOf);

void rnn_cell(const float* sums, std::int64_t width, float* state) {
  HWY_DYNAMIC_DISPATCH(RnnCell)(sums, width, state);
}

void lstm_cell(const float* sums, std::int64_t width, float* memory, float* state) {
  HWY_DYNAMIC_DISPATCH(LstmCell)(sums, width, memory, state);
}

void tanh_scores(const TanhScores& block) { HWY_DYNAMIC_DISPATCH(TanhScoresOf)(block); }

}  // namespace posenc::kernels
#endif
