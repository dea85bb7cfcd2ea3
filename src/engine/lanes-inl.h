// SPDX-License-Identifier: Apache-2.0
// Elements of any storage type in lanes of the type they are computed in: exact in, one rounding to nearest even out.
//
// Included once for each instruction set. The roundings are integer code of our own: Highway 1.0.3 cuts bf16, and f16
// as well where the CPU has no conversion. They equal bfloat16 and half of core.h for every f32, NaNs included, and
// assume the default floating-point environment.
#if defined(POSENC_ENGINE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_LANES_INL_H
#undef POSENC_ENGINE_LANES_INL_H
#else
#define POSENC_ENGINE_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <bit>

#include "src/base/elements.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The lanes in which elements of storage type T are computed.
template <class T>
using LanesOf = hn::ScalableTag<Computing<T>>;
using F32 = hn::ScalableTag<float>;
using F64 = hn::ScalableTag<double>;
using U32 = hn::RebindToUnsigned<F32>;
using U64 = hn::RebindToUnsigned<F64>;
using U16OfF32 = hn::Rebind<std::uint16_t, F32>;  // as many lanes as F32 has

/// Joins three words at once, multiplies and compares in lanes of 64 bits, and has twice the registers of AVX2.
constexpr bool is_avx512 = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
constexpr bool few_registers = HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && !is_avx512;  // 16, others have 32

// ---- the bits of one element type in u32 lanes --------------------------------------------------

/// RN to bf16 of f32 bits, in the low halves.
HWY_INLINE hn::Vec<U32> Bf16Bits(hn::Vec<U32> f) {
  const U32 d;
  const auto top = hn::ShiftRight<16>(f);
  const auto rounded = hn::ShiftRight<16>(hn::Add(f, hn::Add(hn::Set(d, 0x7FFFu), hn::And(top, hn::Set(d, 1u)))));
  const auto nan = hn::Gt(hn::And(f, hn::Set(d, 0x7FFFFFFFu)), hn::Set(d, 0x7F800000u));
  return hn::IfThenElse(nan, hn::Or(top, hn::Set(d, 0x40u)), rounded);
}

/// RN to f16 of f32 bits, in the low halves.
HWY_INLINE hn::Vec<U32> F16Bits(hn::Vec<U32> f) {
  const U32 d;
  const F32 df;
  const auto size = hn::And(f, hn::Set(d, 0x7FFFFFFFu));
  const auto sign = hn::And(hn::ShiftRight<16>(f), hn::Set(d, 0x8000u));
  // Normal: cut 13 bits to nearest even; the exponent falls by 112.
  const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(d, 1u));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(size, hn::Set(d, 112u << 23)), hn::Add(odd, hn::Set(d, 0xFFFu))));
  // Below 2^-14: adding 1/2, whose last place is half's smallest step, rounds.
  const auto half_bits = hn::Set(d, 0x3F000000u);
  const auto shifted = hn::BitCast(d, hn::Add(hn::BitCast(df, size), hn::Set(df, 0.5f)));
  auto bits = hn::IfThenElse(hn::Lt(size, hn::Set(d, 113u << 23)), hn::Sub(shifted, half_bits), normal);
  bits = hn::IfThenElse(hn::Lt(size, hn::Set(d, 0x477FF000u)), bits, hn::Set(d, 0x7C00u));  // 65520 and above
  const auto nan = hn::Or(hn::Set(d, 0x7E00u), hn::And(hn::ShiftRight<13>(size), hn::Set(d, 0x3FFu)));
  bits = hn::IfThenElse(hn::Gt(size, hn::Set(d, 0x7F800000u)), nan, bits);
  return hn::Or(sign, bits);
}

/// The f32 of f16 bits that stand in the low halves: exact.
HWY_INLINE hn::Vec<F32> FromF16Bits(hn::Vec<U32> h) {
  const U32 d;
  const F32 df;
  const auto sign = hn::ShiftLeft<16>(hn::And(h, hn::Set(d, 0x8000u)));
  const auto size = hn::ShiftLeft<13>(hn::And(h, hn::Set(d, 0x7FFFu)));
  const auto finite = hn::BitCast(d, hn::Mul(hn::BitCast(df, size), hn::Set(df, 0x1p112f)));  // subnormals too
  const auto special = hn::Or(size, hn::Set(d, 0x7F800000u));
  const auto is_special = hn::Gt(size, hn::Set(d, 0x0F7FFFFFu));
  return hn::BitCast(df, hn::Or(sign, hn::IfThenElse(is_special, special, finite)));
}

// ---- whole vectors ------------------------------------------------------------------------------

// Halves as a load of words leaves them, and back.
HWY_INLINE hn::Vec<U32> FirstBelow(hn::Vec<U32> words) {
  if constexpr (std::endian::native == std::endian::little) return words;
  return hn::Or(hn::ShiftLeft<16>(words), hn::ShiftRight<16>(words));
}

HWY_INLINE hn::Vec<U32> LoadHalves(const void* from) {
  return hn::PromoteTo(U32(), hn::LoadU(U16OfF32(), static_cast<const std::uint16_t*>(from)));
}
HWY_INLINE void StoreHalves(hn::Vec<U32> bits, void* to) {
  hn::StoreU(hn::TruncateTo(U16OfF32(), bits), U16OfF32(), static_cast<std::uint16_t*>(to));
}

HWY_INLINE hn::Vec<F32> LoadWide(const float* from) { return hn::LoadU(F32(), from); }
HWY_INLINE hn::Vec<F64> LoadWide(const double* from) { return hn::LoadU(F64(), from); }
HWY_INLINE hn::Vec<F32> LoadWide(const bfloat16* from) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(LoadHalves(from)));
}
HWY_INLINE hn::Vec<F32> LoadWide(const half* from) { return FromF16Bits(LoadHalves(from)); }

/// Two elements of 16 bits in each word, the first one in the lower half.
HWY_INLINE hn::Vec<U32> LoadWords(const void* from) {
  return FirstBelow(hn::LoadU(U32(), static_cast<const std::uint32_t*>(from)));
}
HWY_INLINE void StoreWords(hn::Vec<U32> words, void* to) {
  hn::StoreU(FirstBelow(words), U32(), static_cast<std::uint32_t*>(to));
}

/// RN of `value` as storage holds it, widened again.
HWY_INLINE hn::Vec<F32> Rounded(hn::Vec<F32> value, const float*) { return value; }
HWY_INLINE hn::Vec<F64> Rounded(hn::Vec<F64> value, const double*) { return value; }
HWY_INLINE hn::Vec<F32> Rounded(hn::Vec<F32> value, const bfloat16*) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(Bf16Bits(hn::BitCast(U32(), value))));
}
HWY_INLINE hn::Vec<F32> Rounded(hn::Vec<F32> value, const half*) {
  return FromF16Bits(F16Bits(hn::BitCast(U32(), value)));
}

HWY_INLINE void StoreRounded(hn::Vec<F32> value, float* to) { hn::StoreU(value, F32(), to); }
HWY_INLINE void StoreRounded(hn::Vec<F64> value, double* to) { hn::StoreU(value, F64(), to); }
HWY_INLINE void StoreRounded(hn::Vec<F32> value, bfloat16* to) { StoreHalves(Bf16Bits(hn::BitCast(U32(), value)), to); }
HWY_INLINE void StoreRounded(hn::Vec<F32> value, half* to) { StoreHalves(F16Bits(hn::BitCast(U32(), value)), to); }

/// The same past the caches; `to` is aligned to a line.
HWY_INLINE void StreamRounded(hn::Vec<F32> value, float* to) { hn::Stream(value, F32(), to); }
HWY_INLINE void StreamRounded(hn::Vec<F64> value, double* to) { hn::Stream(value, F64(), to); }
HWY_INLINE void StreamHalves(hn::Vec<U32> bits, void* to) {
  if constexpr (hn::MaxLanes(U16OfF32()) < 8) return StoreHalves(bits, to);  // Highway 1.0.3 would write 16 bytes
  hn::Stream(hn::TruncateTo(U16OfF32(), bits), U16OfF32(), static_cast<std::uint16_t*>(to));
}
HWY_INLINE void StreamRounded(hn::Vec<F32> value, bfloat16* to) {
  StreamHalves(Bf16Bits(hn::BitCast(U32(), value)), to);
}
HWY_INLINE void StreamRounded(hn::Vec<F32> value, half* to) { StreamHalves(F16Bits(hn::BitCast(U32(), value)), to); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_LANES_INL_H
