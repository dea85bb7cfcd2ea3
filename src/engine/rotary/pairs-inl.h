// SPDX-License-Identifier: Apache-2.0
// Pairs of columns in lanes: taken out of rows, turned by their angles, rounded and put back.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_PAIRS_INL_H
#undef POSENC_ENGINE_PAIRS_INL_H
#else
#define POSENC_ENGINE_PAIRS_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---- 16-bit elements: two in each word of 32 bits, taken apart and put together without a shuffle ----

// f16 in the lower halves. From AVX2 on the CPU converts, and rounds to nearest even; a NaN that it makes quiet would
// be so after the products anyway.
#if HWY_TARGET <= HWY_AVX2
using F16OfF32 = hn::Rebind<hwy::float16_t, F32>;
HWY_INLINE hn::Vec<F32> FromLowF16(hn::Vec<U32> words) {
  return hn::PromoteTo(F32(), hn::BitCast(F16OfF32(), hn::TruncateTo(U16OfF32(), words)));
}
HWY_INLINE hn::Vec<U32> LowF16(hn::Vec<F32> value) {
  return hn::PromoteTo(U32(), hn::BitCast(U16OfF32(), hn::DemoteTo(F16OfF32(), value)));
}
#else
HWY_INLINE hn::Vec<F32> FromLowF16(hn::Vec<U32> words) { return FromF16Bits(words); }
HWY_INLINE hn::Vec<U32> LowF16(hn::Vec<F32> value) { return F16Bits(hn::BitCast(U32(), value)); }
#endif

HWY_INLINE hn::Vec<F32> Even(hn::Vec<U32> words, const bfloat16*) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(words));
}
HWY_INLINE hn::Vec<F32> Odd(hn::Vec<U32> words, const bfloat16*) {
  return hn::BitCast(F32(), hn::And(words, hn::Set(U32(), 0xFFFF0000u)));
}
HWY_INLINE hn::Vec<F32> Even(hn::Vec<U32> words, const half*) { return FromLowF16(words); }
HWY_INLINE hn::Vec<F32> Odd(hn::Vec<U32> words, const half*) { return FromLowF16(hn::ShiftRight<16>(words)); }

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<U32> Words(hn::Vec<F32> even, hn::Vec<F32> odd, const bfloat16*) {
  return hn::Or(Bf16Bits(hn::BitCast(U32(), even)), hn::ShiftLeft<16>(Bf16Bits(hn::BitCast(U32(), odd))));
}
#else
// Both are rounded at once, upper half plus a carry out of the lower one. A NaN needs no care: it stems from bf16 or is
// the machine's own, so its lower half is 0.
HWY_INLINE hn::Vec<U32> Words(hn::Vec<F32> even, hn::Vec<F32> odd, const bfloat16*) {
  const U32 d;
  const hn::Repartition<std::uint16_t, U32> d16;
  const auto e = hn::BitCast(d, even), o = hn::BitCast(d, odd);
  const auto upper = hn::OddEven(hn::BitCast(d16, o), hn::BitCast(d16, hn::ShiftRight<16>(e)));
  const auto lower = hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(o)), hn::BitCast(d16, e));
  const auto addend = hn::Or(hn::And(upper, hn::Set(d16, 1)), hn::Set(d16, 0x7FFE));  // and 1 in AverageRound
  const auto carry = hn::ShiftRight<15>(hn::AverageRound(lower, addend));
  return hn::BitCast(d, hn::Add(upper, carry));
}
#endif
HWY_INLINE hn::Vec<U32> Words(hn::Vec<F32> even, hn::Vec<F32> odd, const half*) {
  return hn::Or(LowF16(even), hn::ShiftLeft<16>(LowF16(odd)));
}

// ---- steps: the pairs k, k + 1, ... that fill the lanes ------------------------------------------

HWY_INLINE hn::Vec<F32> TurnedX(hn::Vec<F32> x, hn::Vec<F32> y, hn::Vec<F32> c, hn::Vec<F32> s) {
  return hn::Sub(hn::Mul(x, c), hn::Mul(y, s));
}
HWY_INLINE hn::Vec<F32> TurnedY(hn::Vec<F32> x, hn::Vec<F32> y, hn::Vec<F32> c, hn::Vec<F32> s) {
  return hn::Add(hn::Mul(x, s), hn::Mul(y, c));
}

// Count() pairs from k on of a row of n: Load() takes their columns out of the row `in`, Turn() turns them and puts
// them into the row `out`. Their angles are loaded apart, since many rows share them.

template <std::size_t count>
struct StepAngles {
  hn::Vec<F32> c[count], s[count];
  HWY_INLINE StepAngles() {}  // written out, because GCC 12 makes an implicit one for no instruction set
};

/// Columns 2k, 2k + 1.
struct Adjacent {
  static constexpr std::size_t width = 2;  // columns from one pair to the next
  template <class T>
  static constexpr std::size_t vectors = 1;  // of cosines in a step
  template <class T>
  static constexpr std::size_t Count() {
    return hn::MaxLanes(F32());
  }
  template <class T>
  using Column = hn::Vec<F32>;

  template <class T>
  static HWY_INLINE StepAngles<1> Load(const float* cosine, const float* sine) {
    StepAngles<1> a;
    a.c[0] = hn::LoadU(F32(), cosine), a.s[0] = hn::LoadU(F32(), sine);
    return a;
  }
  static HWY_INLINE void Load(const float* in, std::size_t k, std::size_t, hn::Vec<F32>& x, hn::Vec<F32>& y) {
    hn::LoadInterleaved2(F32(), in + 2 * k, x, y);
  }
  static HWY_INLINE void Store(hn::Vec<F32> x, hn::Vec<F32> y, float* out, std::size_t k) {
    hn::StoreInterleaved2(x, y, F32(), out + 2 * k);
  }
  template <class T>
  static HWY_INLINE void Load(const T* in, std::size_t k, std::size_t, hn::Vec<F32>& x, hn::Vec<F32>& y) {
    const auto words = LoadWords(in + 2 * k);
    x = Even(words, in), y = Odd(words, in);
  }
  template <class T>
  static HWY_INLINE void Store(hn::Vec<F32> x, hn::Vec<F32> y, T* out, std::size_t k) {
    StoreWords(Words(x, y, out), out + 2 * k);
  }
  template <class T>
  static HWY_INLINE void Turn(const StepAngles<1>& a, hn::Vec<F32> x, hn::Vec<F32> y, T* out, std::size_t k,
                              std::size_t) {
    Store(TurnedX(x, y, a.c[0], a.s[0]), TurnedY(x, y, a.c[0], a.s[0]), out, k);
  }
};

/// Columns k, k + n; of 16-bit elements, two pairs a word.
struct SplitHalf {
  static constexpr std::size_t width = 1;
  template <class T>
  static constexpr std::size_t vectors = sizeof(float) / sizeof(T);
  template <class T>
  static constexpr std::size_t Count() {
    return hn::MaxLanes(F32()) * vectors<T>;
  }
  template <class T>
  using Column = hn::Vec<std::conditional_t<vectors<T> == 1, F32, U32>>;

  template <class T>
  static HWY_INLINE StepAngles<vectors<T>> Load(const float* cosine, const float* sine) {
    StepAngles<vectors<T>> a;
    if constexpr (vectors<T> == 1) {
      a.c[0] = hn::LoadU(F32(), cosine), a.s[0] = hn::LoadU(F32(), sine);
    } else {
      hn::LoadInterleaved2(F32(), cosine, a.c[0], a.c[1]);
      hn::LoadInterleaved2(F32(), sine, a.s[0], a.s[1]);
    }
    return a;
  }
  static HWY_INLINE void Load(const float* in, std::size_t k, std::size_t n, hn::Vec<F32>& x, hn::Vec<F32>& y) {
    x = hn::LoadU(F32(), in + k), y = hn::LoadU(F32(), in + n + k);
  }
  static HWY_INLINE void Turn(const StepAngles<1>& a, hn::Vec<F32> x, hn::Vec<F32> y, float* out, std::size_t k,
                              std::size_t n) {
    hn::StoreU(TurnedX(x, y, a.c[0], a.s[0]), F32(), out + k);
    hn::StoreU(TurnedY(x, y, a.c[0], a.s[0]), F32(), out + n + k);
  }
  template <class T>
  static HWY_INLINE void Load(const T* in, std::size_t k, std::size_t n, hn::Vec<U32>& x, hn::Vec<U32>& y) {
    x = LoadWords(in + k), y = LoadWords(in + n + k);
  }
  template <class T>
  static HWY_INLINE void Turn(const StepAngles<2>& a, hn::Vec<U32> x, hn::Vec<U32> y, T* out, std::size_t k,
                              std::size_t n) {
    const auto x0 = Even(x, out), y0 = Even(y, out), x1 = Odd(x, out), y1 = Odd(y, out);
    StoreWords(Words(TurnedX(x0, y0, a.c[0], a.s[0]), TurnedX(x1, y1, a.c[1], a.s[1]), out), out + k);
    StoreWords(Words(TurnedY(x0, y0, a.c[0], a.s[0]), TurnedY(x1, y1, a.c[1], a.s[1]), out), out + n + k);
  }
};

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_PAIRS_INL_H
