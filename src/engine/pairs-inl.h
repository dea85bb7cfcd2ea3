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

HWY_INLINE hn::Vec<U32> LoadWords(const void* from) {
  return hn::LoadU(U32(), static_cast<const std::uint32_t*>(from));
}
HWY_INLINE void StoreWords(hn::Vec<U32> words, void* to) { hn::StoreU(words, U32(), static_cast<std::uint32_t*>(to)); }

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

// Turn() turns the Count() pairs from k on of `lines` rows that share their angles, n pairs each. All loads come before
// the first store: heads often lie a power of two apart, where a load waits for an earlier store to the same place of
// another page.

/// Columns 2k, 2k + 1.
struct Adjacent {
  template <class T>
  static constexpr std::size_t Count() {
    return hn::MaxLanes(F32());
  }
  template <std::size_t lines>
  static HWY_INLINE void Turn(const float* cosine, const float* sine, const float* const* in, float* const* out,
                              std::size_t k, std::size_t) {
    const F32 d;
    const auto c = hn::LoadU(d, cosine + k), s = hn::LoadU(d, sine + k);
    hn::Vec<F32> x[lines], y[lines];
    for (std::size_t l = 0; l < lines; ++l) hn::LoadInterleaved2(d, in[l] + 2 * k, x[l], y[l]);
    for (std::size_t l = 0; l < lines; ++l) {
      hn::StoreInterleaved2(TurnedX(x[l], y[l], c, s), TurnedY(x[l], y[l], c, s), d, out[l] + 2 * k);
    }
  }
  template <std::size_t lines, class T>
  static HWY_INLINE void Turn(const float* cosine, const float* sine, const T* const* in, T* const* out, std::size_t k,
                              std::size_t) {
    const auto c = hn::LoadU(F32(), cosine + k), s = hn::LoadU(F32(), sine + k);
    hn::Vec<U32> words[lines];
    for (std::size_t l = 0; l < lines; ++l) words[l] = LoadWords(in[l] + 2 * k);
    for (std::size_t l = 0; l < lines; ++l) {
      const auto x = Even(words[l], in[l]), y = Odd(words[l], in[l]);
      StoreWords(Words(TurnedX(x, y, c, s), TurnedY(x, y, c, s), in[l]), out[l] + 2 * k);
    }
  }
};

/// Columns k, k + n; of 16-bit elements, two pairs a word.
struct SplitHalf {
  template <class T>
  static constexpr std::size_t Count() {
    return hn::MaxLanes(F32()) * (sizeof(float) / sizeof(T));
  }
  template <std::size_t lines>
  static HWY_INLINE void Turn(const float* cosine, const float* sine, const float* const* in, float* const* out,
                              std::size_t k, std::size_t n) {
    const F32 d;
    const auto c = hn::LoadU(d, cosine + k), s = hn::LoadU(d, sine + k);
    hn::Vec<F32> x[lines], y[lines];
    for (std::size_t l = 0; l < lines; ++l) {
      x[l] = hn::LoadU(d, in[l] + k);
      y[l] = hn::LoadU(d, in[l] + n + k);
    }
    for (std::size_t l = 0; l < lines; ++l) {
      hn::StoreU(TurnedX(x[l], y[l], c, s), d, out[l] + k);
      hn::StoreU(TurnedY(x[l], y[l], c, s), d, out[l] + n + k);
    }
  }
  template <std::size_t lines, class T>
  static HWY_INLINE void Turn(const float* cosine, const float* sine, const T* const* in, T* const* out, std::size_t k,
                              std::size_t n) {
    hn::Vec<F32> c0, c1, s0, s1;
    hn::LoadInterleaved2(F32(), cosine + k, c0, c1);
    hn::LoadInterleaved2(F32(), sine + k, s0, s1);
    hn::Vec<U32> x[lines], y[lines];
    for (std::size_t l = 0; l < lines; ++l) {
      x[l] = LoadWords(in[l] + k);
      y[l] = LoadWords(in[l] + n + k);
    }
    for (std::size_t l = 0; l < lines; ++l) {
      const auto x0 = Even(x[l], in[l]), y0 = Even(y[l], in[l]), x1 = Odd(x[l], in[l]), y1 = Odd(y[l], in[l]);
      StoreWords(Words(TurnedX(x0, y0, c0, s0), TurnedX(x1, y1, c1, s1), in[l]), out[l] + k);
      StoreWords(Words(TurnedY(x0, y0, c0, s0), TurnedY(x1, y1, c1, s1), in[l]), out[l] + n + k);
    }
  }
};

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_PAIRS_INL_H
