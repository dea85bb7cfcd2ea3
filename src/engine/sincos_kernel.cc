// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/sincos_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/sincos_kernel.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/nearest-inl.h"
#include "src/engine/sines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void MultiplesOfTurns(std::uint64_t mantissa, int shift, const std::uint64_t* high, const std::uint64_t* low,
                      std::size_t count, std::uint64_t* phase) {
  Multiples(mantissa, shift, high, low, count, phase);
}

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

// Values are within 2^-51, those below 2^-12 within 2^-60 (series.h): 2^13 units of the last place of 2^-12 and of
// 2^-21.
constexpr Bound bound = {1u << 13, -21};

template <class T>
std::size_t Round(const std::uint64_t* phase, std::size_t count, T* sine, T* cosine, std::uint16_t* doubts) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += hn::Lanes(F32())) {
    Wide s, c;
    for (std::size_t h = 0; h < halves; ++h) {
      SineCosine(F64(), hn::Load(U64(), phase + i + h * hn::Lanes(F64())), s.part[h], c.part[h]);
    }
    Distances of_sine, of_cosine;
    Store(Nearest<bound, T>(s, of_sine), sine + i);
    Store(Nearest<bound, T>(c, of_cosine), cosine + i);
    of_sine.Join(of_cosine);
    const auto doubt = of_sine.Doubts();
    if (HWY_UNLIKELY(!hn::AllFalse(U32(), doubt))) found += Places(doubt, i, doubts + found);
  }
  return found;
}
std::size_t RoundF32(const std::uint64_t* phase, std::size_t count, float* s, float* c, std::uint16_t* doubts) {
  return Round(phase, count, s, c, doubts);
}
std::size_t RoundF16(const std::uint64_t* phase, std::size_t count, half* s, half* c, std::uint16_t* doubts) {
  return Round(phase, count, s, c, doubts);
}
std::size_t RoundBf16(const std::uint64_t* phase, std::size_t count, bfloat16* s, bfloat16* c, std::uint16_t* doubts) {
  return Round(phase, count, s, c, doubts);
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(MultiplesOfTurns);
HWY_EXPORT(Phases);
HWY_EXPORT(RoundF32);
HWY_EXPORT(RoundF16);
HWY_EXPORT(RoundBf16);
HWY_EXPORT(Target);

void multiples_of_turns(std::uint64_t mantissa, int shift, const std::uint64_t* high, const std::uint64_t* low,
                        std::size_t count, std::uint64_t* phase) {
  HWY_DYNAMIC_DISPATCH(MultiplesOfTurns)(mantissa, shift, high, low, count, phase);
}

void sine_cosine_of_phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine) {
  HWY_DYNAMIC_DISPATCH(Phases)(phase, count, sine, cosine);
}

template <>
std::size_t rounded_sine_cosine(const std::uint64_t* phase, std::size_t count, float* sine, float* cosine,
                                std::uint16_t* doubts) {
  return HWY_DYNAMIC_DISPATCH(RoundF32)(phase, count, sine, cosine, doubts);
}
template <>
std::size_t rounded_sine_cosine(const std::uint64_t* phase, std::size_t count, half* sine, half* cosine,
                                std::uint16_t* doubts) {
  return HWY_DYNAMIC_DISPATCH(RoundF16)(phase, count, sine, cosine, doubts);
}
template <>
std::size_t rounded_sine_cosine(const std::uint64_t* phase, std::size_t count, bfloat16* sine, bfloat16* cosine,
                                std::uint16_t* doubts) {
  return HWY_DYNAMIC_DISPATCH(RoundBf16)(phase, count, sine, cosine, doubts);
}

const char* kernel_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace posenc::engine
#endif
