// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/sincos_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/sincos_kernel.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/sines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> s, c;
    SineCosine(d, hn::LoadU(du, phase + i), s, c);
    hn::StoreU(s, d, sine + i);
    hn::StoreU(c, d, cosine + i);
  }
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(Phases);
HWY_EXPORT(Target);

void sine_cosine_of_phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine) {
  HWY_DYNAMIC_DISPATCH(Phases)(phase, count, sine, cosine);
}

const char* kernel_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace posenc::engine
#endif
