// SPDX-License-Identifier: Apache-2.0
// Products of one row and a matrix, for every instruction set.
#include "src/transformer/kernels/row_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/row_product.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_CAPPED(float, 16);
using Vector = hn::Vec<D>;

// Rows or vectors at a time: each has a sum of its own, so that no product waits for the one before.
constexpr std::int64_t together = 4;

HWY_INLINE void Put(float sum, float scale, float keep, float& out) {
  out = keep == 0 ? scale * sum : scale * sum + keep * out;
}

// Dot products of the row and `count` rows of the matrix.
template <std::int64_t count>
HWY_INLINE void Dots(const float* row, const float* right, std::int64_t stride, std::int64_t columns, float* sums) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Vector sum[count];
  for (Vector& one : sum) one = hn::Zero(d);
  std::int64_t k = 0;
  for (; k + lanes <= columns; k += lanes) {
    const auto x = hn::LoadU(d, row + k);
    for (std::int64_t r = 0; r < count; ++r) sum[r] = hn::MulAdd(x, hn::LoadU(d, right + r * stride + k), sum[r]);
  }
  for (std::int64_t r = 0; r < count; ++r) {
    sums[r] = hn::GetLane(hn::SumOfLanes(d, sum[r]));
    for (std::int64_t rest = k; rest < columns; ++rest) sums[r] += row[rest] * right[r * stride + rest];
  }
}

void Transposed(const float* row, const Matrix& right, float scale, float keep, float* out) {
  float sums[together];
  std::int64_t j = 0;
  for (; j + together <= right.rows; j += together) {
    Dots<together>(row, right.data + j * right.stride, right.stride, right.columns, sums);
    for (std::int64_t r = 0; r < together; ++r) Put(sums[r], scale, keep, out[j + r]);
  }
  for (; j < right.rows; ++j) {
    Dots<1>(row, right.data + j * right.stride, right.stride, right.columns, sums);
    Put(sums[0], scale, keep, out[j]);
  }
}

// Sums of `count` vectors of columns.
template <std::int64_t count>
HWY_INLINE void Columns(const float* row, const Matrix& right, std::int64_t first, float scale, float keep,
                        float* out) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Vector sum[count];
  for (Vector& one : sum) one = hn::Zero(d);
  for (std::int64_t k = 0; k < right.rows; ++k) {
    const auto x = hn::Set(d, row[k]);
    const float* from = right.data + k * right.stride + first;
    for (std::int64_t v = 0; v < count; ++v) sum[v] = hn::MulAdd(x, hn::LoadU(d, from + v * lanes), sum[v]);
  }
  for (std::int64_t v = 0; v < count; ++v) {
    float* to = out + first + v * lanes;
    auto made = hn::Mul(sum[v], hn::Set(d, scale));
    if (keep != 0) made = hn::MulAdd(hn::Set(d, keep), hn::LoadU(d, to), made);
    hn::StoreU(made, d, to);
  }
}

void AsItIs(const float* row, const Matrix& right, float scale, float keep, float* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  std::int64_t j = 0;
  for (; j + together * lanes <= right.columns; j += together * lanes) {
    Columns<together>(row, right, j, scale, keep, out);
  }
  for (; j + lanes <= right.columns; j += lanes) Columns<1>(row, right, j, scale, keep, out);
  for (; j < right.columns; ++j) {
    float sum = 0;
    for (std::int64_t k = 0; k < right.rows; ++k) sum += row[k] * right.data[k * right.stride + j];
    Put(sum, scale, keep, out[j]);
  }
}

void RowProduct(const float* row, const Matrix& right, Right form, float scale, float keep, float* out) {
  form == Right::transposed ? Transposed(row, right, scale, keep, out) : AsItIs(row, right, scale, keep, out);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(RowProduct);

void row_product(const float* row, const Matrix& right, Right form, float scale, float keep, float* out) {
  HWY_DYNAMIC_DISPATCH(RowProduct)(row, right, form, scale, keep, out);
}

}  // namespace posenc::kernels
#endif
