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

// ---- phases -------------------------------------------------------------------------------------

struct OfMultiples {
  const TurnMultiples& of;

  HWY_INLINE hn::Vec<U64> At(std::size_t i) const {
    return TurnsOf(U64(), of.mantissa, of.shift, hn::LoadU(U64(), of.high + i), hn::LoadU(U64(), of.low + i));
  }
};

struct OfSums {
  const TurnSums& of;

  HWY_INLINE hn::Vec<U64> At(std::size_t i) const {
    auto turns = hn::LoadU(U64(), of.start + i);
    for (const auto& [multiples, signs, sign] : of.terms) {
      auto term = OfMultiples{multiples}.At(i);
      if (signs != nullptr || sign != 0) {
        auto back = hn::Set(U64(), sign);
        if (signs != nullptr) back = hn::Xor(back, hn::LoadU(U64(), signs + i));
        term = hn::Sub(hn::Xor(term, back), back);
      }
      turns = hn::Add(turns, term);
    }
    return turns;
  }
};

// ---- factors ------------------------------------------------------------------------------------

struct NoFactor {
  HWY_INLINE NoFactor At(std::size_t) const { return {}; }
  template <class T>
  HWY_INLINE hn::Vec<F32> Rounded(const Wide& wave, const NoFactor&, ByF32<T>& evidence) const {
    return Nearest<small_sines, T>(wave, evidence);
  }
};

HWY_INLINE Wide Product(const Wide& a, const Wide& b) {
  Wide made;
  for (std::size_t h = 0; h < halves; ++h) made.part[h] = hn::Mul(a.part[h], b.part[h]);
  return made;
}

// One factor of all waves.
struct ByFactor {
  WaveFactor one;

  HWY_INLINE Wide At(std::size_t) const {
    Wide all;
    for (std::size_t h = 0; h < halves; ++h) all.part[h] = hn::Set(F64(), one.factor);
    return all;
  }
  template <class T>
  HWY_INLINE hn::Vec<F32> Rounded(const Wide& wave, const Wide& by, ByF32<T>& evidence) const {
    if constexpr (std::is_same_v<T, float>) {
      return Nearest<small_sines, T>(Product(wave, by), evidence, one.smallest);
    } else {
      return Nearest<small_sines, T>(Product(wave, by), evidence);
    }
  }
};

// 2^x, |x| <= 64: off by less than 2^-50 of itself. x is whole + rest, |rest| <= 1/2, without an error, and e to the
// rest ln 2 < 0.35 by Taylor's series: what follows its 13 powers is below 2^-57, its last sum is off by 2^-53, what is
// before it by less than that.
HWY_INLINE hn::Vec<F64> PowerOfTwo(hn::Vec<F64> x) {
  const F64 d;
  const auto magic = hn::Set(d, 0x1.8p52);  // a sum with it has the whole part of x in its lowest bits
  const auto lowest = hn::Add(x, magic);
  const auto g = hn::Mul(hn::Sub(x, hn::Sub(lowest, magic)), hn::Set(d, 0x1.62e42fefa39efp-1));
  auto sum = hn::Set(d, inverse_factorial[13]);
  for (std::size_t i = 13; i-- > 0;) sum = hn::MulAdd(sum, g, hn::Set(d, inverse_factorial[i]));
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(U64(), lowest));
  return hn::BitCast(d, hn::Add(hn::BitCast(U64(), sum), exponent));
}

// A factor of every wave: which sizes keep the bound is told by waves themselves.
struct ByPowers {
  WavePowers of;

  HWY_INLINE Wide At(std::size_t i) const {
    Wide all;
    for (std::size_t h = 0; h < halves; ++h) {
      const auto log = hn::LoadU(F64(), of.logs + i + h * hn::Lanes(F64()));
      const auto power = PowerOfTwo(hn::Mul(log, hn::Set(F64(), of.times)));
      all.part[h] = hn::Mul(power, hn::Set(F64(), of.all.factor));
    }
    return all;
  }
  template <class T>
  HWY_INLINE hn::Vec<F32> Rounded(const Wide& wave, const Wide& by, ByF32<T>& evidence) const {
    ByF32<T> of_wave;
    Nearest<small_sines, T>(wave, of_wave, of.all.smallest);
    const auto value = Nearest<small_sines, T>(Product(wave, by), evidence, of.all.smallest);
    evidence.size = of_wave.size;
    return value;
  }
};

// ---- blocks -------------------------------------------------------------------------------------

// Sines and cosines from number i on that fill the lanes of f32; the lanes in doubt.
template <class T, class Of, class By>
HWY_INLINE hn::Mask<U32> RoundedWaves(const Of& of, const By& by, std::size_t i, hn::Vec<F32>& sine,
                                      hn::Vec<F32>& cosine) {
  Wide s, c;
  for (std::size_t h = 0; h < halves; ++h) {
    SineCosine(F64(), of.At(i + h * hn::Lanes(F64())), s.part[h], c.part[h]);
  }
  const auto factors = by.At(i);
  ByF32<T> of_sine, of_cosine;
  sine = by.template Rounded<T>(s, factors, of_sine);
  cosine = by.template Rounded<T>(c, factors, of_cosine);
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
  StoreWords(hn::Or(Halves(sine, to), hn::ShiftLeft<16>(Halves(cosine, to))), to);
}

constexpr std::size_t lanes = hn::MaxLanes(F32());

template <class T>
std::size_t WaveBlock(const TurnMultiples& multiples, const Waves<T>& waves, std::uint16_t* doubts) {
  const TurnMultiples of = multiples;  // by value, since a store might change them
  const Waves<T> to = waves;
  std::size_t found = 0, i = 0;
  const auto note = [&](hn::Mask<U32> doubt) HWY_ATTR {
    if (HWY_UNLIKELY(!hn::AllFalse(U32(), doubt))) found += Places(doubt, i, doubts + found);
  };
  hn::Vec<F32> sine, cosine;
  for (; i + lanes <= to.cosines; i += lanes) {
    note(RoundedWaves<T>(OfMultiples{of}, NoFactor(), i, sine, cosine));
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
    const TurnMultiples rest = {of.mantissa, of.shift, high, low};
    note(RoundedWaves<T>(OfMultiples{rest}, NoFactor(), 0, sine, cosine));
    T s[lanes], c[lanes];
    Store(sine, s);
    Store(cosine, c);
    for (std::size_t k = 0; k < count; ++k) to.put(i + k, s[k], c[k]);
  }
  while (found > 0 && doubts[found - 1] >= to.sines) --found;
  return found;
}

// The same of arrays that hold a whole block.
template <class T, class Of, class By>
HWY_INLINE std::size_t WholeBlock(const Of& of, const By& by, const Waves<T>& to, std::uint16_t* doubts) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < to.sines; i += lanes) {
    hn::Vec<F32> sine, cosine;
    const auto doubt = RoundedWaves<T>(of, by, i, sine, cosine);
    if (HWY_UNLIKELY(!hn::AllFalse(U32(), doubt))) found += Places(doubt, i, doubts + found);
    if (i + lanes <= to.cosines && to.step == 2) {
      StoreAlternating(sine, cosine, to.sine + 2 * i);
    } else if (i + lanes <= to.cosines) {
      Store(sine, to.sine + i);
      Store(cosine, to.cosine + i);
    } else {
      T s[lanes], c[lanes];
      Store(sine, s);
      Store(cosine, c);
      for (std::size_t k = 0; k < std::min(lanes, to.sines - i); ++k) to.put(i + k, s[k], c[k]);
    }
  }
  while (found > 0 && doubts[found - 1] >= to.sines) --found;
  return found;
}

// By value, since a store might change what the views say.
template <class T>
std::size_t Scaled(const TurnMultiples& multiples, const WaveFactor& factor, const Waves<T>& waves,
                   std::uint16_t* doubts) {
  const TurnMultiples of = multiples;
  const Waves<T> to = waves;
  return WholeBlock(OfMultiples{of}, ByFactor{factor}, to, doubts);
}
template <class T>
std::size_t Sums(const TurnSums& sums, const WaveFactor& factor, const Waves<T>& waves, std::uint16_t* doubts) {
  const TurnSums of = sums;
  const Waves<T> to = waves;
  return WholeBlock(OfSums{of}, ByFactor{factor}, to, doubts);
}
std::size_t Powers(const TurnSums& sums, const WavePowers& powers, const Waves<float>& waves, std::uint16_t* doubts) {
  const TurnSums of = sums;
  const Waves<float> to = waves;
  return WholeBlock(OfSums{of}, ByPowers{powers}, to, doubts);
}

const SincosKernels& SincosTable() {
  static constexpr SincosKernels all = {&Phases,
                                        {&WaveBlock<float>, &WaveBlock<half>, &WaveBlock<bfloat16>},
                                        {&Scaled<float>, &Scaled<half>, &Scaled<bfloat16>},
                                        {&Sums<float>, &Sums<half>, &Sums<bfloat16>},
                                        &Powers,
                                        HWY_TARGET};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(SincosTable);
const SincosKernels& sincos_kernels() { return HWY_DYNAMIC_DISPATCH(SincosTable)(); }

const char* kernel_target() { return hwy::TargetName(sincos_kernels().target); }

}  // namespace posenc::engine
#endif
