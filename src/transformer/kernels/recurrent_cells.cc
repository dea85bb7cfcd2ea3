// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, for every instruction set.
#include "src/transformer/kernels/recurrent_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/recurrent_cells.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/transformer/kernels/tanh-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {

using CellLanes = HWY_CAPPED(float, 16);

// 1 / (1 + exp(-x)) = 1/2 + tanh(x / 2) / 2
HWY_INLINE hn::Vec<CellLanes> Sigmoid(hn::Vec<CellLanes> x) {
  const CellLanes d;
  const auto half = hn::Set(d, 0.5f);
  return hn::MulAdd(Tanh(d, hn::Mul(x, half)), half, half);
}

void RnnCell(const float* sums, std::int64_t width, float* state) {
  const CellLanes d;
  for (std::int64_t c = 0; c < width; c += static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(Tanh(d, hn::LoadU(d, sums + c)), d, state + c);
  }
}

void LstmCell(const float* sums, std::int64_t width, float* memory, float* state) {
  const CellLanes d;
  for (std::int64_t c = 0; c < width; c += static_cast<std::int64_t>(hn::Lanes(d))) {
    const auto part = [&](std::int64_t gate) { return hn::LoadU(d, sums + gate * width + c); };
    const auto kept = hn::Mul(Sigmoid(part(1)), hn::LoadU(d, memory + c));
    const auto now = hn::MulAdd(Sigmoid(part(0)), Tanh(d, part(2)), kept);
    hn::StoreU(now, d, memory + c);
    hn::StoreU(hn::Mul(Sigmoid(part(3)), Tanh(d, now)), d, state + c);
  }
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(RnnCell);
HWY_EXPORT(LstmCell);

void rnn_cell(const float* sums, std::int64_t width, float* state) {
  HWY_DYNAMIC_DISPATCH(RnnCell)(sums, width, state);
}

void lstm_cell(const float* sums, std::int64_t width, float* memory, float* state) {
  HWY_DYNAMIC_DISPATCH(LstmCell)(sums, width, memory, state);
}

}  // namespace posenc::kernels
#endif
