// SPDX-License-Identifier: Apache-2.0
// Dropout masks in lanes: the random bits of a row, and values multiplied by 0 or keep.
//
// Included once for each instruction set. A block of Philox is a u64 lane of four vectors: each holds one of its words
// in the lower half of the lane, and what stands in the upper half is never read. The words of a block hold the bits
// of eight columns in their order, so words joined and interleaved are the bits of consecutive columns.
#if defined(POSENC_ENGINE_MASK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_MASK_INL_H
#undef POSENC_ENGINE_MASK_INL_H
#else
#define POSENC_ENGINE_MASK_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>
#include <utility>

#include "src/engine/lanes-inl.h"
#include "src/engine/mask.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Columns whose bits are made together.
HWY_INLINE constexpr std::size_t DrawnAtOnce() { return 8 * hn::MaxLanes(U64()); }

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

/// The words of Philox blocks between two rounds. Words 1 and 3 are already joined with the keys of the next round: a
/// round then waits for a product, a shift and one joining.
struct Blocks {
  hn::Vec<U32> word0, word1, word2, word3;
};

/// The counters of consecutive blocks from `block` on, in the order in which StoreDraws interleaves them: the first
/// half in the even lanes, the second half in the odd ones.
HWY_INLINE Blocks Counters(const RowMask& mask, std::size_t block, hn::Vec<U32> key0, hn::Vec<U32> key1) {
  const U32 d;
  const U64 d64;
  const auto lane = hn::Iota(d64, 0);
  const auto odd = hn::TestBit(lane, hn::Set(d64, 1));
  const auto place = hn::Add(hn::ShiftRight<1>(lane), hn::IfThenElseZero(odd, hn::Set(d64, hn::Lanes(d64) / 2)));
  return {hn::BitCast(d, hn::Add(place, hn::Set(d64, block))), hn::Xor(hn::Set(d, mask.token), key0),
          hn::Set(d, mask.batch), hn::Xor(hn::Set(d, mask.call), key1)};
}

/// One round of Philox4x32, and the joining with the next round's keys.
HWY_INLINE void Round(Blocks& x, hn::Vec<U32> key0, hn::Vec<U32> key1) {
  const U32 d;
  const auto a = hn::MulEven(x.word0, hn::Set(d, 0xD2511F53u)), b = hn::MulEven(x.word2, hn::Set(d, 0xCD9E8D57u));
  x.word0 = hn::Xor(hn::BitCast(d, hn::ShiftRight<32>(b)), x.word1);
  x.word1 = hn::Xor(hn::BitCast(d, b), key0);
  x.word2 = hn::Xor(hn::BitCast(d, hn::ShiftRight<32>(a)), x.word3);
  x.word3 = hn::Xor(hn::BitCast(d, a), key1);
}

HWY_INLINE void StoreDraws(const Blocks& x, std::uint16_t* draws) {
  const U32 d;
  const U64 d64;
  const auto up1 = hn::ShiftLeft<32>(hn::BitCast(d64, x.word1)), up3 = hn::ShiftLeft<32>(hn::BitCast(d64, x.word3));
  const auto words01 = hn::BitCast(d64, hn::OddEven(hn::BitCast(d, up1), x.word0));
  const auto words23 = hn::BitCast(d64, hn::OddEven(hn::BitCast(d, up3), x.word2));
  auto* to = reinterpret_cast<std::uint64_t*>(draws);
  hn::StoreU(hn::InterleaveLower(d64, words01, words23), d64, to);
  hn::StoreU(hn::InterleaveUpper(d64, words01, words23), d64, to + hn::Lanes(d64));
}

/// The draws of as many vectors of blocks as there are numbers i. Several at a time, because each round of one waits
/// for its last.
template <std::size_t... i>
HWY_INLINE void DrawVectors(const RowMask& mask, std::size_t block, std::uint16_t* draws, std::index_sequence<i...>) {
  const U32 d;
  const std::size_t lanes = hn::Lanes(U64());
  auto key0 = hn::Set(d, mask.key[0]), key1 = hn::Set(d, mask.key[1]);
  Blocks x[] = {Counters(mask, block + i * lanes, key0, key1)...};
  for (int round = 1; round < 10; ++round) {
    key0 = hn::Add(key0, hn::Set(d, 0x9E3779B9u));
    key1 = hn::Add(key1, hn::Set(d, 0xBB67AE85u));
    (Round(x[i], key0, key1), ...);
  }
  (Round(x[i], hn::Zero(d), hn::Zero(d)), ...);
  (StoreDraws(x[i], draws + 8 * i * lanes), ...);
}

/// draws[i] = the 16 random bits of column first + i, for i < count and on to a multiple of DrawnAtOnce(). `first` is
/// a multiple of 8.
HWY_INLINE void Draw(const RowMask& mask, std::size_t first, std::size_t count, std::uint16_t* draws) {
  const std::size_t once = 8 * hn::Lanes(U64());
  std::size_t i = 0;
  for (; i + 4 * once <= count; i += 4 * once) {
    DrawVectors(mask, (first + i) / 8, draws + i, std::make_index_sequence<4>());
  }
  for (; i < count; i += once) DrawVectors(mask, (first + i) / 8, draws + i, std::make_index_sequence<1>());
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
    if (i < count) {  // the last ones, in a vector of their own: a rounding of single elements is not for kernels
      T room[hn::MaxLanes(d)] = {};
      std::memcpy(room, from + i, (count - i) * sizeof(T));
      StoreRounded(hn::Mul(LoadWide(room), Factors(choice, draws + i)), room);
      std::memcpy(to + i, room, (count - i) * sizeof(T));
    }
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_MASK_INL_H
