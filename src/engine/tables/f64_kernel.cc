// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/tables/f64_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/tables/f64_kernel.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/tables/f64_strips-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

// Rounds from both ends of the interval; all ones and zeros tell which lanes are in doubt.
struct EndsOfWaves {
  hn::Vec<F64> absolute;
  DoubleDouble factor;
  bool scaled;

  EndsOfWaves(double units, const Factor* by)
      : absolute(
            hn::Set(F64(), (units * wide_phase_unit + wide_absolute_error) * (by ? power_of_two(by->exponent) : 1))),
        factor(hn::Set(F64(), by ? by->nearest : 1), hn::Set(F64(), by ? by->rest : 0)),
        scaled(by != nullptr) {}

  HWY_INLINE hn::Vec<F64> Rounded(DoubleDouble wave, hn::Vec<U64>& difference) const {
    const F64 d;
    if (scaled) wave = Product(wave, factor);
    const auto error = hn::MulAdd(hn::Abs(wave.high), hn::Set(d, wide_relative_error), absolute);
    const auto least = hn::Add(wave.high, hn::Sub(wave.low, error));
    const auto most = hn::Add(wave.high, hn::Add(wave.low, error));
    difference = hn::BitCast(U64(), hn::Xor(least, most));
    return least;
  }
};

std::size_t WideBlock(WidePhases& of, double units, const Factor* factor, const Waves<double>& waves,
                      std::uint16_t* doubts) {
  const F64 d;
  const U64 du;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const Waves<double> to = waves;  // by value, since a store might change it
  const EndsOfWaves ends(units, factor);
  for (std::size_t i = to.sines; i % lanes != 0; ++i)
    of.high[i] = of.high[to.sines - 1], of.low[i] = of.low[to.sines - 1];
  std::size_t found = 0;
  for (std::size_t i = 0; i < to.sines; i += lanes) {
    DoubleDouble s, c;
    WideSineCosine(hn::Load(du, of.high + i), hn::Load(du, of.low + i), s, c);
    hn::Vec<U64> of_sine, of_cosine;
    const auto sine = ends.Rounded(s, of_sine), cosine = ends.Rounded(c, of_cosine);
    const auto doubt = hn::Ne(hn::Or(of_sine, of_cosine), hn::Zero(du));
    if (HWY_UNLIKELY(!hn::AllFalse(du, doubt))) {
      for (std::uint64_t bits = BitsOf(doubt); bits != 0; bits &= bits - 1) {
        const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(bits));
        if (at < to.sines) doubts[found++] = static_cast<std::uint16_t>(at);
      }
    }
    if (i + lanes <= to.cosines && to.step == 2) {
      hn::StoreInterleaved2(sine, cosine, d, to.sine + 2 * i);
    } else if (i + lanes <= to.cosines) {
      hn::StoreU(sine, d, to.sine + i);
      hn::StoreU(cosine, d, to.cosine + i);
    } else {
      double rest_sine[lanes], rest_cosine[lanes];
      hn::StoreU(sine, d, rest_sine);
      hn::StoreU(cosine, d, rest_cosine);
      for (std::size_t k = 0; k < std::min(lanes, to.sines - i); ++k) to.put(i + k, rest_sine[k], rest_cosine[k]);
    }
  }
  return found;
}

const F64Kernels& F64Table() {
  static constexpr F64Kernels all = {&WideBlock, &WideStrips};
  return all;
}

#else

const F64Kernels& F64Table() {
  static constexpr F64Kernels none = {};
  return none;
}

#endif

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(F64Table);
const F64Kernels& f64_kernels() { return HWY_DYNAMIC_DISPATCH(F64Table)(); }

}  // namespace posenc::engine
#endif
