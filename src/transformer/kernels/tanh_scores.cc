// SPDX-License-Identifier: Apache-2.0
// Additive scores, for every instruction set.
#include "src/transformer/kernels/tanh_scores.h"

#include "src/transformer/kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/tanh_scores.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/transformer/kernels/tanh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {

using ScoreLanes = HWY_CAPPED(float, 16);
static_assert(hn::MaxLanes(ScoreLanes()) <= widest_lanes);

// One vector of keys by `count` queries: keys are loaded once, and the divisions of one query hide the sums of another.
template <int count>
HWY_INLINE void ScoreRows(const TanhScores& block, std::int64_t i, std::int64_t column) {
  const ScoreLanes d;
  const float* queries = block.queries + i * block.width;
  hn::Vec<ScoreLanes> sums[count];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t c = 0; c < block.width; ++c) {
    const auto key = hn::LoadU(d, block.keys + c * block.key_stride + column);
    const auto direction = hn::Set(d, block.direction[c]);
    for (int r = 0; r < count; ++r) {
      sums[r] = hn::MulAdd(direction, Tanh(d, hn::Add(key, hn::Set(d, queries[r * block.width + c]))), sums[r]);
    }
  }
  for (int r = 0; r < count; ++r) hn::StoreU(sums[r], d, block.scores + (i + r) * block.stride + column);
}

void TanhScoresOf(const TanhScores& block) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(ScoreLanes()));
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

HWY_EXPORT(TanhScoresOf);

void tanh_scores(const TanhScores& block) { HWY_DYNAMIC_DISPATCH(TanhScoresOf)(block); }

}  // namespace posenc::kernels
#endif
