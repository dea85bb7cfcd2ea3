// SPDX-License-Identifier: Apache-2.0
// Dropout masks in lanes: the random bits of a row, and values multiplied by 0 or keep.
//
// Included once for each instruction set. A block of Philox is a u64 lane: each of its four words stands in the lower
// half of the lane of one vector, and what stands in the upper half is never read. The words of a block hold the bits
// of eight columns in their order, so that words joined and interleaved are the bits of consecutive columns.
#if defined(POSENC_ENGINE_MASK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_MASK_INL_H
#undef POSENC_ENGINE_MASK_INL_H
#else
#define POSENC_ENGINE_MASK_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"
#include "src/engine/mask.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Columns whose bits are made together.
HWY_INLINE constexpr std::size_t DrawnAtOnce() { return 16 * hn::MaxLanes(U64()); }

#if HWY_TARGET == HWY_SCALAR

/// draws[i] = the 16 random bits of column first + i, for i < count and on to a multiple of DrawnAtOnce(). `first` is
/// a multiple of 8.
HWY_INLINE void Draw(const RowMask& mask, std::size_t first, std::size_t count, std::uint16_t* draws) {
  for (std::size_t i = 0; i < count; i += 8) {
    const auto block = static_cast<std::uint32_t>((first + i) / 8);
    const Words4 words = philox({block, mask.token, mask.batch, mask.call}, mask.key);
    for (std::size_t half = 0; half < 8; ++half) {
      draws[i + half] = static_cast<std::uint16_t>(words[half / 2] >> half % 2 * 16);
    }
  }
}

#else

/// The words of one block a lane.
struct Blocks {
  hn::Vec<U32> word0, word1, word2, word3;
};

HWY_INLINE Blocks Counters(const RowMask& mask, std::size_t block) {
  const U32 d;
  const U64 d64;
  // Interleaving takes the even lanes into one vector and the odd ones into the next.
  const auto lane = hn::Iota(d64, 0);
  const auto half = hn::IfThenElseZero(hn::TestBit(lane, hn::Set(d64, 1)), hn::Set(d64, hn::Lanes(d64) / 2));
  const auto blocks = hn::Add(hn::Add(hn::ShiftRight<1>(lane), half), hn::Set(d64, block));
  return {hn::BitCast(d, blocks), hn::Set(d, mask.token), hn::Set(d, mask.batch), hn::Set(d, mask.call)};
}

/// One round of Philox4x32; see random.h.
HWY_INLINE void Round(Blocks& x, hn::Vec<U32> key0, hn::Vec<U32> key1) {
  const U32 d;
  const auto a = hn::MulEven(x.word0, hn::Set(d, 0xD2511F53u)), b = hn::MulEven(x.word2, hn::Set(d, 0xCD9E8D57u));
  x.word0 = hn::Xor3(hn::BitCast(d, hn::ShiftRight<32>(b)), x.word1, key0);
  x.word1 = hn::BitCast(d, b);
  x.word2 = hn::Xor3(hn::BitCast(d, hn::ShiftRight<32>(a)), x.word3, key1);
  x.word3 = hn::BitCast(d, a);
}

HWY_INLINE void StoreDraws(const Blocks& x, std::uint16_t* draws) {
  const U32 d;
  const U64 d64;
  const auto moved1 = hn::ShiftLeft<32>(hn::BitCast(d64, x.word1)),
             moved3 = hn::ShiftLeft<32>(hn::BitCast(d64, x.word3));
  const auto first = hn::BitCast(d64, hn::OddEven(hn::BitCast(d, moved1), x.word0));
  const auto second = hn::BitCast(d64, hn::OddEven(hn::BitCast(d, moved3), x.word2));
  auto* to = reinterpret_cast<std::uint64_t*>(draws);
  hn::StoreU(hn::InterleaveLower(d64, first, second), d64, to);
  hn::StoreU(hn::InterleaveUpper(d64, first, second), d64, to + hn::Lanes(d64));
}

/// draws[i] = the 16 random bits of column first + i, for i < count and on to a multiple of DrawnAtOnce(). `first` is
/// a multiple of 8.
HWY_INLINE void Draw(const RowMask& mask, std::size_t first, std::size_t count, std::uint16_t* draws) {
  const U32 d;
  const std::size_t lanes = hn::Lanes(U64());
  for (std::size_t i = 0; i < count; i += 16 * lanes) {
    Blocks x = Counters(mask, (first + i) / 8), y = Counters(mask, (first + i) / 8 + lanes);
    auto key0 = hn::Set(d, mask.key[0]), key1 = hn::Set(d, mask.key[1]);
    for (int round = 0; round < 10; ++round) {
      Round(x, key0, key1);
      Round(y, key0, key1);
      key0 = hn::Add(key0, hn::Set(d, 0x9E3779B9u));
      key1 = hn::Add(key1, hn::Set(d, 0xBB67AE85u));
    }
    StoreDraws(x, draws + i);
    StoreDraws(y, draws + i + 8 * lanes);
  }
}

#endif

/// What a draw is compared with and what it chooses, in the lanes in which elements are computed.
template <class D>
struct Choice {
  hn::Vec<hn::RebindToSigned<D>> dropped;
  hn::Vec<D> keep;

  HWY_INLINE explicit Choice(const RowMask& mask)
      : dropped(hn::Set(hn::RebindToSigned<D>(), static_cast<hwy::MakeSigned<hn::TFromD<D>>>(mask.dropped))),
        keep(hn::Set(D(), static_cast<hn::TFromD<D>>(mask.keep))) {}
};

HWY_INLINE hn::Vec<hn::RebindToSigned<F32>> WideDraws(F32, const std::uint16_t* draws) {
  return hn::PromoteTo(hn::RebindToSigned<F32>(), hn::LoadU(U16OfF32(), draws));
}
HWY_INLINE hn::Vec<hn::RebindToSigned<F64>> WideDraws(F64, const std::uint16_t* draws) {
  const auto middle =
      hn::PromoteTo(hn::Rebind<std::int32_t, F64>(), hn::LoadU(hn::Rebind<std::uint16_t, F64>(), draws));
  return hn::PromoteTo(hn::RebindToSigned<F64>(), middle);
}

/// 0 or keep for as many columns as there are lanes.
template <class D>
HWY_INLINE hn::Vec<D> Factors(const Choice<D>& choice, const std::uint16_t* draws) {
  const auto dropped = hn::Lt(WideDraws(D(), draws), choice.dropped);
  return hn::IfThenZeroElse(hn::RebindMask(D(), dropped), choice.keep);
}

/// to[c] = RN(from[c] * (0 or keep)) for c < width.
template <class T>
HWY_INLINE void MultiplyByMask(const RowMask& mask, const T* from, std::size_t width, T* to) {
  using C = Computing<T>;
  const LanesOf<T> d;
  constexpr std::size_t tile = 512;
  alignas(64) std::uint16_t draws[tile];
  const Choice<LanesOf<T>> choice(mask);
  static_assert(tile % DrawnAtOnce() == 0);
  for (std::size_t first = 0; first < width; first += tile, from += tile, to += tile) {
    const std::size_t count = width - first < tile ? width - first : tile;
    Draw(mask, first, count, draws);
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      StoreRounded(hn::Mul(LoadWide(from + i), Factors(choice, draws + i)), to + i);
    }
    for (; i < count; ++i)
      to[i] = T(static_cast<C>(from[i]) * (draws[i] < mask.dropped ? 0 : static_cast<C>(mask.keep)));
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_MASK_INL_H
