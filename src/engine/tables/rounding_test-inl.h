// SPDX-License-Identifier: Apache-2.0
// The rounding test (src/numerics/rounding_test.h) in lanes: f64 to storage, rounded to nearest, and what is in doubt.
//
// Included once for each instruction set. Values are sines and cosines: at most 1 in size, and off by 2^-48 at most; or
// the same times a factor (factor.h).
#if defined(POSENC_ENGINE_ROUNDING_TEST_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_ROUNDING_TEST_INL_H
#undef POSENC_ENGINE_ROUNDING_TEST_INL_H
#else
#define POSENC_ENGINE_ROUNDING_TEST_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/tables/evidence-inl.h"
#include "src/engine/tables/factor.h"
#include "src/numerics/rounding_test.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What, added to an f32 of size below 2, sets bit 30 where that is 2^smallest or more.
constexpr std::uint32_t Lift(int smallest) { return static_cast<std::uint32_t>(1 - smallest) << 23; }

// The same for the upper word of an f64.
constexpr std::uint32_t WideLift(int smallest) { return static_cast<std::uint32_t>(1 - smallest) << 20; }

// ---- rounding -----------------------------------------------------------------------------------

/// f32 lanes whose Stored or Packed form in T is RN(value), and what tells which might round otherwise.
///
/// f32: in doubt is what lies within the bound of a tie, and what is smaller than 2^smallest, from which on it holds:
/// as many units of the last place are right from another size on where values are scaled.
template <numerics::ErrorBound bound, class T>
HWY_INLINE hn::Vec<F32> Nearest(const Wide& value, Distances& distances, int smallest = bound.smallest) {
  static_assert(std::is_same_v<T, float>);
  constexpr std::uint32_t tie = 1u << 28, units = bound.units(), far = (2 * tie - 1) & ~(2 * units - 1);
  const U32 d;
  const auto f = ToF32(value);
  distances.distance = hn::And(hn::Add(LowerHalves(value), hn::Set(d, tie + units)), hn::Set(d, far));
  distances.size = hn::Add(hn::BitCast(d, f), hn::Set(d, Lift(smallest)));
  return f;
}

#if HWY_TARGET != HWY_SCALAR
/// The same from the f64 values alone.
template <numerics::ErrorBound bound, class T>
HWY_INLINE hn::Vec<F32> Nearest(const Wide& value, WideDistances& distances, int smallest) {
  static_assert(std::is_same_v<T, float>);
  constexpr std::uint64_t tie = 1u << 28, units = bound.units(), far = (2 * tie - 1) & ~(2 * units - 1);
  const U32 d;
  const auto center = hn::BitCast(d, hn::Set(U64(), std::uint64_t{WideLift(smallest)} << 32 | (tie + units)));
  const auto kept = hn::BitCast(d, hn::Set(U64(), std::uint64_t{1} << 62 | far));
  for (std::size_t h = 0; h < halves; ++h) {
    distances.part[h] = hn::And(hn::Add(hn::BitCast(d, value.part[h]), center), kept);
  }
  return ToF32(value);
}
#endif

/// bf16 and f16 are cut from f32, whose own rounding misleads only where it yields a tie: the value's error is far
/// below half a place of an f32 of size 2^-20 or more. Below 2^-14 f16 is subnormal. One sum serves both: its carry
/// from the bits that are cut is made up for, so that what is just above the bound is in doubt too. Scaled values are
/// off by 2^-46 at most, which is still below that half a place, 2^-45.
template <numerics::ErrorBound bound, class T>
HWY_INLINE hn::Vec<F32> Nearest(const Wide& value, Remainders<U32>& remainders) {
  constexpr std::uint32_t tie = std::is_same_v<T, half> ? 0x1000 : 0x8000;
  constexpr int smallest = std::is_same_v<T, half> ? -14 : -20;
  const U32 d;
  const auto f = ToF32(value);
  const auto sum = hn::Add(hn::BitCast(d, f), hn::Set(d, Lift(smallest) - tie));
  remainders.part[0] = hn::And(sum, hn::Set(d, 1u << 30 | (2 * tie - 1)));
  return f;
}

/// The same of bf16 for values in (low, high): lanes are in doubt where the ends round to different numbers.
HWY_INLINE hn::Vec<F32> NearestBetween(hn::Vec<F32> low, hn::Vec<F32> high, Differences& differences) {
  const U32 d;
  const auto half_unit = hn::Set(d, 0x8000u);
  differences.difference = hn::Xor(hn::Add(hn::BitCast(d, low), half_unit), hn::Add(hn::BitCast(d, high), half_unit));
  return high;
}

/// f16 without f32 between: the upper halves of the values, rounded at bit 10, their exponents counted from that of
/// 2^-14 on. One sum in lanes of 64 bits rounds, lifts the exponent so that bit 62 tells a size of 2^-14 or more, and
/// moves what is within the bound of a tie to a multiple of 2^42 or just above. So far are ties apart that the bound of
/// the greatest factor serves for all.
template <numerics::ErrorBound bound, class T>
HWY_INLINE hn::Vec<U32> Nearest(const Wide& value, Remainders<U64>& remainders) {
  static_assert(std::is_same_v<T, half>);
  const U64 d;
  constexpr int smallest = -14;
  constexpr std::uint64_t one = 1, tie = one << 41,
                          units = numerics::ErrorBound{bound.error + greatest_factor, smallest}.units();
  constexpr std::uint64_t far = (2 * tie - 1) & ~(2 * units - 1), lift = (1 - smallest) * one << 52;
  Wide sum;
  for (std::size_t h = 0; h < halves; ++h) {
    const auto bits = hn::Add(hn::BitCast(d, value.part[h]), hn::Set(d, lift + tie + units));
    remainders.part[h] = hn::And(bits, hn::Set(d, one << 62 | far));
    sum.part[h] = hn::BitCast(F64(), bits);
  }
  return UpperHalves(sum);
}

// ---- what is stored -----------------------------------------------------------------------------

// RN to bf16 in the upper halves, of f32 values that are no ties.
HWY_INLINE hn::Vec<U32> Bf16Above(hn::Vec<F32> value) {
  return hn::Add(hn::BitCast(U32(), value), hn::Set(U32(), 0x8000u));
}

// RN to f16 in the lower halves, of f32 values that are 0, or no ties and have a size of 2^-14 or more.
HWY_INLINE hn::Vec<U32> F16Below(hn::Vec<F32> value) {
  const U32 d;
  const auto f = hn::BitCast(d, value), below = hn::Set(d, (112u << 23) - 0x1000u);
  const auto size = hn::Max(hn::And(f, hn::Set(d, 0x7FFFFFFFu)), below);
  const auto sign = hn::And(hn::ShiftRight<16>(f), hn::Set(d, 0x8000u));
  return hn::Or(sign, hn::ShiftRight<13>(hn::Sub(size, below)));
}

HWY_INLINE void Store(hn::Vec<F32> value, float* out) { hn::StoreU(value, F32(), out); }
HWY_INLINE void Store(hn::Vec<F32> value, bfloat16* out) { StoreHalves(hn::ShiftRight<16>(Bf16Above(value)), out); }
HWY_INLINE void Store(hn::Vec<F32> value, half* out) { StoreHalves(F16Below(value), out); }

#if HWY_TARGET != HWY_SCALAR
using U16 = hn::Repartition<std::uint16_t, F32>;

/// Two vectors as one of T.
HWY_INLINE hn::Vec<U16> Packed(hn::Vec<F32> a, hn::Vec<F32> b, const bfloat16*) {
  return hn::ConcatOdd(U16(), hn::BitCast(U16(), Bf16Above(b)), hn::BitCast(U16(), Bf16Above(a)));
}

// Every correct conversion agrees on such values, so that of the CPU serves where there is one.
HWY_INLINE hn::Vec<U16> Packed(hn::Vec<F32> a, hn::Vec<F32> b, const half*) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, F32> d;
  const U16OfF32 dh;
  return hn::Combine(U16(), hn::BitCast(dh, hn::DemoteTo(d, b)), hn::BitCast(dh, hn::DemoteTo(d, a)));
#else
  return hn::ConcatEven(U16(), hn::BitCast(U16(), F16Below(b)), hn::BitCast(U16(), F16Below(a)));
#endif
}

// Of f16 without f32 between: from bit 10 on the size, whose exponent lacks the 1 that f16 gives 2^-14; the sign in
// bit 31.
HWY_INLINE hn::Vec<U16> Packed(hn::Vec<U32> a, hn::Vec<U32> b, const half*) {
  const U16 d;
  const auto size = hn::ConcatEven(d, hn::BitCast(d, hn::ShiftRight<10>(b)), hn::BitCast(d, hn::ShiftRight<10>(a)));
  const auto sign = hn::ConcatOdd(d, hn::BitCast(d, b), hn::BitCast(d, a));
  return hn::OrAnd(hn::Add(size, hn::Set(d, 1u << 10)), sign, hn::Set(d, 0x8000));
}
#endif

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_ROUNDING_TEST_INL_H
