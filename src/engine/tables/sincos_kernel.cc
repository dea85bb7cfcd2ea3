// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/tables/sincos_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/tables/sincos_kernel.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/tables/rounding_test-inl.h"
#include "src/engine/tables/sines-inl.h"

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

// Values are within 2^-51, those below 2^-12 within 2^-60 (sines.h): 2^13 units of the last place of 2^-12 and of
// 2^-21.
constexpr Bound bound = {1u << 13, -21};

// Sines and cosines of the multiples from number i on that fill the lanes of f32; the lanes in doubt.
template <class T>
HWY_INLINE hn::Mask<U32> RoundedWaves(TurnMultiples of, std::size_t i, hn::Vec<F32>& sine, hn::Vec<F32>& cosine) {
  Wide s, c;
  for (std::size_t h = 0; h < halves; ++h) {
    const std::size_t at = i + h * hn::Lanes(F64());
    const auto turns =
        TurnsOf(U64(), of.mantissa, of.shift, hn::LoadU(U64(), of.high + at), hn::LoadU(U64(), of.low + at));
    SineCosine(F64(), turns, s.part[h], c.part[h]);
  }
  ByF32<T> of_sine, of_cosine;
  sine = Nearest<bound, T>(s, of_sine);
  cosine = Nearest<bound, T>(c, of_cosine);
  of_sine.Join(of_cosine);
  return of_sine.Doubts();
}

// sine 0, cosine 0, sine 1, ...
HWY_INLINE void StoreAlternating(hn::Vec<F32> sine, hn::Vec<F32> cosine, float* to) {
  hn::StoreInterleaved2(sine, cosine, F32(), to);
}
HWY_INLINE hn::Vec<U32> Halves(hn::Vec<F32> value, const bfloat16*) { return hn::ShiftRight<16>(Bf16Above(value)); }
HWY_INLINE hn::Vec<U32> Halves(hn::Vec<F32> value, const half*) { return F16Below(value); }
template <class T>
HWY_INLINE void StoreAlternating(hn::Vec<F32> sine, hn::Vec<F32> cosine, T* to) {
  const auto pairs = hn::Or(Halves(sine, to), hn::ShiftLeft<16>(Halves(cosine, to)));
  hn::StoreU(pairs, U32(), reinterpret_cast<std::uint32_t*>(to));
}

constexpr std::size_t lanes = hn::MaxLanes(F32());

template <class T>
HWY_INLINE std::size_t WriteWaves(TurnMultiples of, Waves<T> to, std::uint16_t* doubts) {
  std::size_t found = 0, i = 0;
  const auto note = [&](hn::Mask<U32> doubt) HWY_ATTR {
    if (HWY_UNLIKELY(!hn::AllFalse(U32(), doubt))) found += Places(doubt, i, doubts + found);
  };
  hn::Vec<F32> sine, cosine;
  for (; i + lanes <= to.cosines; i += lanes) {
    note(RoundedWaves<T>(of, i, sine, cosine));
    if (to.step == 2) {
      StoreAlternating(sine, cosine, to.sine + 2 * i);
    } else {
      Store(sine, to.sine + i);
      Store(cosine, to.cosine + i);
    }
  }
  for (; i < to.sines; i += lanes) {
    const std::size_t count = std::min(lanes, to.sines - i);
    std::uint64_t high[lanes] = {}, low[lanes] = {};
    std::copy(of.high + i, of.high + i + count, high);
    std::copy(of.low + i, of.low + i + count, low);
    note(RoundedWaves<T>({of.mantissa, of.shift, high, low}, 0, sine, cosine));
    T s[lanes], c[lanes];
    Store(sine, s);
    Store(cosine, c);
    for (std::size_t k = 0; k < count; ++k) to.put(i + k, s[k], c[k]);
  }
  while (found > 0 && doubts[found - 1] >= to.sines) --found;
  return found;
}
std::size_t WavesF32(const TurnMultiples& of, const Waves<float>& to, std::uint16_t* doubts) {
  return WriteWaves(of, to, doubts);
}
std::size_t WavesF16(const TurnMultiples& of, const Waves<half>& to, std::uint16_t* doubts) {
  return WriteWaves(of, to, doubts);
}
std::size_t WavesBf16(const TurnMultiples& of, const Waves<bfloat16>& to, std::uint16_t* doubts) {
  return WriteWaves(of, to, doubts);
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(Phases);
HWY_EXPORT(WavesF32);
HWY_EXPORT(WavesF16);
HWY_EXPORT(WavesBf16);
HWY_EXPORT(Target);

void sine_cosine_of_phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine) {
  HWY_DYNAMIC_DISPATCH(Phases)(phase, count, sine, cosine);
}

template <>
std::size_t write_waves(const TurnMultiples& of, const Waves<float>& to, std::uint16_t* doubts) {
  return HWY_DYNAMIC_DISPATCH(WavesF32)(of, to, doubts);
}
template <>
std::size_t write_waves(const TurnMultiples& of, const Waves<half>& to, std::uint16_t* doubts) {
  return HWY_DYNAMIC_DISPATCH(WavesF16)(of, to, doubts);
}
template <>
std::size_t write_waves(const TurnMultiples& of, const Waves<bfloat16>& to, std::uint16_t* doubts) {
  return HWY_DYNAMIC_DISPATCH(WavesBf16)(of, to, doubts);
}

const char* kernel_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace posenc::engine
#endif
