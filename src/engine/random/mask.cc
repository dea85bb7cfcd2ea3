// SPDX-License-Identifier: Apache-2.0
// Rows multiplied by their masks, for every instruction set.
#include "src/engine/random/mask.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/random/mask.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/random/mask-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {

const ByType<MultiplyRow>& MaskTable() {
  static constexpr ByType<MultiplyRow> all = {&MultiplyByMask<float>, &MultiplyByMask<half>, &MultiplyByMask<bfloat16>,
                                              &MultiplyByMask<double>};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(MaskTable);
const ByType<MultiplyRow>& mask_kernels() { return HWY_DYNAMIC_DISPATCH(MaskTable)(); }

}  // namespace posenc::engine
#endif
