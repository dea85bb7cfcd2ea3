// SPDX-License-Identifier: Apache-2.0
// Rows multiplied by their masks, for every instruction set.
#include "src/engine/mask.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/mask.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/mask-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {

void MaskF32(const RowMask& mask, const float* from, std::size_t width, float* to) {
  MultiplyByMask(mask, from, width, to);
}
void MaskF64(const RowMask& mask, const double* from, std::size_t width, double* to) {
  MultiplyByMask(mask, from, width, to);
}
void MaskF16(const RowMask& mask, const half* from, std::size_t width, half* to) {
  MultiplyByMask(mask, from, width, to);
}
void MaskBf16(const RowMask& mask, const bfloat16* from, std::size_t width, bfloat16* to) {
  MultiplyByMask(mask, from, width, to);
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(MaskF32);
HWY_EXPORT(MaskF64);
HWY_EXPORT(MaskF16);
HWY_EXPORT(MaskBf16);

template <>
void multiply_by_mask(const RowMask& mask, const float* from, std::size_t width, float* to) {
  HWY_DYNAMIC_DISPATCH(MaskF32)(mask, from, width, to);
}
template <>
void multiply_by_mask(const RowMask& mask, const double* from, std::size_t width, double* to) {
  HWY_DYNAMIC_DISPATCH(MaskF64)(mask, from, width, to);
}
template <>
void multiply_by_mask(const RowMask& mask, const half* from, std::size_t width, half* to) {
  HWY_DYNAMIC_DISPATCH(MaskF16)(mask, from, width, to);
}
template <>
void multiply_by_mask(const RowMask& mask, const bfloat16* from, std::size_t width, bfloat16* to) {
  HWY_DYNAMIC_DISPATCH(MaskBf16)(mask, from, width, to);
}

}  // namespace posenc::engine
#endif
