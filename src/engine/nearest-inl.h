// SPDX-License-Identifier: Apache-2.0
// f64 lanes to storage, rounded to nearest, and which of them might round either way.
//
// Included once for each instruction set. Values are sines and cosines: at most 1 in size.
#if defined(POSENC_ENGINE_NEAREST_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_NEAREST_INL_H
#undef POSENC_ENGINE_NEAREST_INL_H
#else
#define POSENC_ENGINE_NEAREST_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// f64 vectors that fill one f32 vector.
constexpr std::size_t halves = HWY_TARGET == HWY_SCALAR ? 1 : 2;
struct Wide {
  hn::Vec<F64> part[halves];
  HWY_INLINE Wide() {}  // written out, because GCC 12 makes an implicit one for no instruction set
};

HWY_INLINE hn::Vec<F32> ToF32(const Wide& value) {
  const hn::Rebind<float, F64> half_vector;
#if HWY_TARGET == HWY_SCALAR
  return hn::DemoteTo(half_vector, value.part[0]);
#else
  return hn::Combine(F32(), hn::DemoteTo(half_vector, value.part[1]), hn::DemoteTo(half_vector, value.part[0]));
#endif
}

// The lower 32 bits of every f64, in order.
HWY_INLINE hn::Vec<U32> LowerHalves(const Wide& value) {
#if HWY_TARGET == HWY_SCALAR
  return hn::TruncateTo(U32(), hn::BitCast(U64(), value.part[0]));
#else
  return hn::ConcatEven(U32(), hn::BitCast(U32(), value.part[1]), hn::BitCast(U32(), value.part[0]));
#endif
}

// Sizes are below 2^31, so they compare as signed numbers.
HWY_INLINE hn::Mask<U32> Below(hn::Vec<U32> bits, float cut) {
  const hn::RebindToSigned<U32> di;
  const auto size = hn::BitCast(di, hn::And(bits, hn::Set(U32(), 0x7FFFFFFFu)));
  return hn::RebindMask(U32(), hn::Lt(size, hn::Set(di, std::bit_cast<std::int32_t>(cut))));
}

/// What is known of values: they are off by less than `margin` units of the last place of an f64, if their size is
/// 2^smallest or more; by 2^-48 at most.
struct Bound {
  std::uint32_t margin;
  int smallest;
};

/// out = RN(value); the lanes in doubt, where a value within its bound might round otherwise.
///
/// f32: in doubt is what lies that near a tie, and what is smaller than the bound holds for.
template <Bound bound>
HWY_INLINE hn::Mask<U32> Nearest(const Wide& value, float* out) {
  constexpr std::uint32_t tie = 1u << 28, margin = bound.margin, far = (2 * tie - 1) & ~(2 * margin - 1);
  static_assert((margin & (margin - 1)) == 0);
  constexpr float smallest = std::bit_cast<float>(static_cast<std::uint32_t>(127 + bound.smallest) << 23);
  const U32 d;
  const auto f = ToF32(value);
  hn::StoreU(f, F32(), out);
  const auto distance = hn::And(hn::Add(LowerHalves(value), hn::Set(d, tie + margin)), hn::Set(d, far));
  return hn::Or(hn::Eq(distance, hn::Zero(d)), Below(hn::BitCast(d, f), smallest));
}

/// bf16 and f16 are cut from f32, whose own rounding misleads only where it yields a tie: the value's error is far
/// below half a place of an f32 of size 2^-20 or more.
template <Bound bound>
HWY_INLINE hn::Mask<U32> Nearest(const Wide& value, bfloat16* out) {
  const U32 d;
  const auto f = hn::BitCast(d, ToF32(value));
  StoreHalves(hn::ShiftRight<16>(hn::Add(f, hn::Set(d, 0x8000u))), out);
  return hn::Or(hn::Eq(hn::And(f, hn::Set(d, 0xFFFFu)), hn::Set(d, 0x8000u)), Below(f, 0x1p-20f));
}

/// RN to f16 of f32 values that are no ties and have a size of 2^-14 or more, in which every correct conversion agrees:
/// so that of the CPU may serve where there is one.
HWY_INLINE void StoreHalf(hn::Vec<F32> value, half* out) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, F32> d;
  hn::StoreU(hn::BitCast(U16OfF32(), hn::DemoteTo(d, value)), U16OfF32(), reinterpret_cast<std::uint16_t*>(out));
#else
  const U32 d;
  const auto f = hn::BitCast(d, value);
  const auto size = hn::And(f, hn::Set(d, 0x7FFFFFFFu));
  const auto sign = hn::And(hn::ShiftRight<16>(f), hn::Set(d, 0x8000u));
  StoreHalves(hn::Or(sign, hn::ShiftRight<13>(hn::Sub(size, hn::Set(d, (112u << 23) - 0x1000u)))), out);
#endif
}

/// As bf16; below 2^-14 f16 is subnormal.
template <Bound bound>
HWY_INLINE hn::Mask<U32> Nearest(const Wide& value, half* out) {
  const U32 d;
  const auto f = ToF32(value);
  StoreHalf(f, out);
  const auto bits = hn::BitCast(d, f);
  return hn::Or(hn::Eq(hn::And(bits, hn::Set(d, 0x1FFFu)), hn::Set(d, 0x1000u)), Below(bits, 0x1p-14f));
}

/// out = RN(value) of an f32 value that is off by less than 7 * 2^-25 - 2^-25, the last for the two sums here: in doubt
/// where the ends of that interval round to different numbers.
HWY_INLINE hn::Mask<U32> Nearest(hn::Vec<F32> value, bfloat16* out) {
  const U32 d;
  const auto reach = hn::Set(F32(), 7 * 0x1p-25f);
  const auto half_unit = hn::Set(d, 0x8000u);
  const auto low = hn::Add(hn::BitCast(d, hn::Sub(value, reach)), half_unit);
  const auto high = hn::Add(hn::BitCast(d, hn::Add(value, reach)), half_unit);
  StoreHalves(hn::ShiftRight<16>(high), out);
  return hn::Ne(hn::And(hn::Xor(low, high), hn::Set(d, 0xFFFF0000u)), hn::Zero(d));
}

/// Appends first + i for every lane i in doubt; how many there were.
HWY_INLINE std::size_t Places(hn::Mask<U32> doubt, std::size_t first, std::uint16_t* places) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(U32(), doubt, bits);
  std::size_t found = 0;
  for (std::size_t i = 0; i < hn::Lanes(U32()); ++i) {
    if (bits[i / 8] >> i % 8 & 1) places[found++] = static_cast<std::uint16_t>(first + i);
  }
  return found;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_NEAREST_INL_H
