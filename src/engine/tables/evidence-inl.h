// SPDX-License-Identifier: Apache-2.0
// Which of rounded lanes might round either way.
//
// Included once for each instruction set. Evidence of roundings is kept in vectors and joined until it is needed: masks
// are dearer to make and to join.
#if defined(POSENC_ENGINE_EVIDENCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_EVIDENCE_INL_H
#undef POSENC_ENGINE_EVIDENCE_INL_H
#else
#define POSENC_ENGINE_EVIDENCE_INL_H
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

// The lower and the upper 32 bits of every f64, in order.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<U32> LowerHalves(const Wide& value) {
  return hn::TruncateTo(U32(), hn::BitCast(U64(), value.part[0]));
}
HWY_INLINE hn::Vec<U32> UpperHalves(const Wide& value) {
  return hn::TruncateTo(U32(), hn::ShiftRight<32>(hn::BitCast(U64(), value.part[0])));
}
#else
HWY_INLINE hn::Vec<U32> LowerHalves(const Wide& value) {
  return hn::ConcatEven(U32(), hn::BitCast(U32(), value.part[1]), hn::BitCast(U32(), value.part[0]));
}
HWY_INLINE hn::Vec<U32> UpperHalves(const Wide& value) {
  return hn::ConcatOdd(U32(), hn::BitCast(U32(), value.part[1]), hn::BitCast(U32(), value.part[0]));
}
#endif

// Lanes of all bits or none, for f64.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Wide Widened(hn::Vec<U32> bits) {
  Wide wide;
  wide.part[0] =
      hn::BitCast(F64(), hn::PromoteTo(hn::RebindToSigned<F64>(), hn::BitCast(hn::RebindToSigned<F32>(), bits)));
  return wide;
}
#else
HWY_INLINE Wide Widened(hn::Vec<U32> bits) {
  const hn::RebindToSigned<F64> d;
  const hn::Rebind<std::int32_t, F64> half;
  const auto both = hn::BitCast(hn::RebindToSigned<F32>(), bits);
  Wide wide;
  wide.part[0] = hn::BitCast(F64(), hn::PromoteTo(d, hn::LowerHalf(half, both)));
  wide.part[1] = hn::BitCast(F64(), hn::PromoteTo(d, hn::UpperHalf(half, both)));
  return wide;
}
#endif

/// Of f64 values and the f32 made of them; as all evidence, it can be joined, asked and cleared of lanes that are
/// certain by other means. Lanes in doubt have distance 0, or bit 30 of their size clear.
struct Distances {
  hn::Vec<U32> distance, size;

  HWY_INLINE Distances() {}
  HWY_INLINE void Join(const Distances& other) {
    distance = hn::Min(distance, other.distance);
    size = hn::And(size, other.size);
  }
  HWY_INLINE hn::Mask<U32> Doubts() const {
    const U32 d;
    return hn::Eq(hn::Min(distance, hn::And(size, hn::Set(d, 1u << 30))), hn::Zero(d));
  }
  HWY_INLINE bool Any() const { return !hn::AllFalse(U32(), Doubts()); }
  HWY_INLINE void Clear(hn::Mask<U32> certain) {
    const U32 d;
    distance = hn::Or(distance, hn::VecFromMask(d, certain));
    size = hn::Or(size, hn::VecFromMask(d, certain));
  }
};

#if HWY_TARGET != HWY_SCALAR
/// The same in the lanes of the f64 values: the lower word of each tells its distance, the upper one its size. Nothing
/// has to be put in the order of f32 before somebody asks which lanes are in doubt. AVX2 takes two instructions more
/// for that, AVX-512 none.
struct WideDistances {
  hn::Vec<U32> part[halves];

  HWY_INLINE WideDistances() {}
  HWY_INLINE static WideDistances None() {
    WideDistances none;
    for (std::size_t h = 0; h < halves; ++h) none.part[h] = hn::Set(U32(), ~0u);
    return none;
  }
  HWY_INLINE void Join(const WideDistances& other) {
    for (std::size_t h = 0; h < halves; ++h) part[h] = hn::Min(part[h], other.part[h]);
  }
  HWY_INLINE hn::Mask<U32> Doubts() const {
    const U32 d;
    Wide zero;
    for (std::size_t h = 0; h < halves; ++h) {
      zero.part[h] = hn::BitCast(F64(), hn::VecFromMask(d, hn::Eq(part[h], hn::Zero(d))));
    }
    return hn::MaskFromVec(hn::Or(LowerHalves(zero), UpperHalves(zero)));
  }
  HWY_INLINE bool Any() const {
    const U32 d;
    return !hn::AllFalse(d, hn::Eq(hn::Min(part[0], part[1]), hn::Zero(d)));
  }
  HWY_INLINE void Clear(hn::Mask<U32> certain) {
    const Wide lanes = Widened(hn::VecFromMask(U32(), certain));
    for (std::size_t h = 0; h < halves; ++h) part[h] = hn::Or(part[h], hn::BitCast(U32(), lanes.part[h]));
  }
};
#endif

/// Of both ends of an interval. Lanes in doubt differ in their upper half from zero.
struct Differences {
  hn::Vec<U32> difference;

  HWY_INLINE Differences() {}
  HWY_INLINE void Join(const Differences& other) { difference = hn::Or(difference, other.difference); }
  HWY_INLINE hn::Mask<U32> Doubts() const {
    const U32 d;
    return hn::Ne(hn::And(difference, hn::Set(d, 0xFFFF0000u)), hn::Zero(d));
  }
  HWY_INLINE bool Any() const { return !hn::AllFalse(U32(), Doubts()); }
  HWY_INLINE void Clear(hn::Mask<U32> certain) { difference = hn::IfThenZeroElse(certain, difference); }
};

/// Of sums that tell size and rounding at once, in lanes of 32 or 64 bits: those in doubt have the bit below the sign
/// clear, or no other set.
template <class D>
struct Remainders {
  static constexpr std::size_t parts = std::is_same_v<D, U64> ? halves : 1;
  hn::Vec<D> part[parts];

  HWY_INLINE Remainders() {}
  HWY_INLINE void Join(const Remainders& other) {
    for (std::size_t h = 0; h < parts; ++h) part[h] = hn::Min(part[h], other.part[h]);
  }
  HWY_INLINE hn::Mask<U32> Doubts() const {
    if constexpr (std::is_same_v<D, U32>) {
      return AtMostOneBit(part[0]);
    } else {
      Wide doubts;
      for (std::size_t h = 0; h < parts; ++h) {
        doubts.part[h] = hn::BitCast(F64(), hn::VecFromMask(D(), AtMostOneBit(part[h])));
      }
      return hn::MaskFromVec(UpperHalves(doubts));
    }
  }
  HWY_INLINE bool Any() const {
    auto all = part[0];
    for (std::size_t h = 1; h < parts; ++h) all = hn::Min(all, part[h]);
    return !hn::AllFalse(D(), AtMostOneBit(all));
  }
  HWY_INLINE void Clear(hn::Mask<U32> certain) {
    const auto most = hn::Set(D(), static_cast<hn::TFromD<D>>(~hn::TFromD<D>{} >> 1));
    if constexpr (std::is_same_v<D, U32>) {
      part[0] = hn::IfThenElse(certain, most, part[0]);
    } else {
      const Wide lanes = Widened(hn::VecFromMask(U32(), certain));
      part[0] = hn::Or(part[0], hn::And(hn::BitCast(D(), lanes.part[0]), most));
      part[1] = hn::Or(part[1], hn::And(hn::BitCast(D(), lanes.part[1]), most));
    }
  }

 private:
  static HWY_INLINE hn::Mask<D> AtMostOneBit(hn::Vec<D> part) {  // no sign is set
    const hn::RebindToSigned<D> d;
    using Signed = hn::TFromD<hn::RebindToSigned<D>>;
    constexpr Signed bit = Signed{1} << (8 * sizeof(Signed) - 2);
    return hn::RebindMask(D(), hn::Lt(hn::BitCast(d, part), hn::Set(d, bit + 1)));
  }
};

/// What values tell that are rounded to T by way of f32.
template <class T>
using ByF32 = std::conditional_t<std::is_same_v<T, float>, Distances, Remainders<U32>>;

/// Appends first + i for every lane i in doubt; how many there were.
template <class D>
HWY_INLINE std::size_t PlacesIn(D d, hn::Mask<D> doubt, std::size_t first, std::uint16_t* places) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, doubt, bits);
  std::size_t found = 0;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (bits[i / 8] >> i % 8 & 1) places[found++] = static_cast<std::uint16_t>(first + i);
  }
  return found;
}
HWY_INLINE std::size_t Places(hn::Mask<U32> doubt, std::size_t first, std::uint16_t* places) {
  return PlacesIn(U32(), doubt, first, places);
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_EVIDENCE_INL_H
