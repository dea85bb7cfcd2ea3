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
#include "src/engine/random/mask.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Columns whose bits are made together, at most.
HWY_INLINE constexpr std::size_t DrawnAtMost() { return 4 * 8 * hn::MaxLanes(U64()); }

/// The keys of the rounds, in memory: an operand that is broadcast as it is read costs nothing. None follows the last
/// round.
struct RoundKeys {
  std::uint32_t of[11][2];

  HWY_INLINE explicit RoundKeys(Words2 key) : of() {
    for (std::size_t round = 0; round < 10; ++round) {
      of[round][0] = key[0];
      of[round][1] = key[1];
      key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
    }
  }
};

#if HWY_TARGET == HWY_SCALAR

/// draws[i] = the 16 random bits of column first + i, for i < count, and on to a multiple of DrawnAtMost() at most.
/// `first` is a multiple of 8.
HWY_INLINE void Draw(const RowMask& mask, const RoundKeys&, std::size_t first, std::size_t count,
                     std::uint16_t* draws) {
  for (std::size_t i = 0; i < count; i += 8) {
    const auto block = static_cast<std::uint32_t>((first + i) / 8);
    const Words4 words = philox({block, mask.token, mask.batch, mask.call}, mask.key);
    for (std::size_t half = 0; half < 8; ++half) {
      draws[i + half] = static_cast<std::uint16_t>(words[half / 2] >> half % 2 * 16);
    }
  }
}

#else

/// A word and the key it meets: joined at once, so that its round waits for one joining less, or as part of three.
HWY_INLINE hn::Vec<U32> Prepared(hn::Vec<U32> word, std::uint32_t key) {
  if constexpr (is_avx512) return word;
  return hn::Xor(word, hn::Set(U32(), key));
}
HWY_INLINE hn::Vec<U32> Joined(hn::Vec<U32> upper, hn::Vec<U32> prepared, std::uint32_t key) {
  if constexpr (is_avx512) return hn::Xor3(upper, prepared, hn::Set(U32(), key));
  return hn::Xor(upper, prepared);
}

/// The words of Philox blocks between two rounds, words 1 and 3 prepared for the next one.
struct Blocks {
  hn::Vec<U32> word0, word1, word2, word3;
};

/// The counters of consecutive blocks from `block` on, in the order in which StoreDraws interleaves them: the first
/// half in the even lanes, the second half in the odd ones.
HWY_INLINE Blocks Counters(const RowMask& mask, const RoundKeys& keys, std::size_t block) {
  const U32 d;
  const U64 d64;
  const auto lane = hn::Iota(d64, 0);
  const auto odd = hn::TestBit(lane, hn::Set(d64, 1));
  const auto place = hn::Add(hn::ShiftRight<1>(lane), hn::IfThenElseZero(odd, hn::Set(d64, hn::Lanes(d64) / 2)));
  return {hn::BitCast(d, hn::Add(place, hn::Set(d64, block))), Prepared(hn::Set(d, mask.token), keys.of[0][0]),
          hn::Set(d, mask.batch), Prepared(hn::Set(d, mask.call), keys.of[0][1])};
}

/// One round of Philox4x32. The upper half of a product comes down by a shuffle: more units shuffle than shift.
HWY_INLINE void Round(Blocks& x, const std::uint32_t* key, const std::uint32_t* next_key) {
  const U32 d;
  const auto a = hn::BitCast(d, hn::MulEven(x.word0, hn::Set(d, 0xD2511F53u)));
  const auto b = hn::BitCast(d, hn::MulEven(x.word2, hn::Set(d, 0xCD9E8D57u)));
  x.word0 = Joined(hn::Shuffle2301(b), x.word1, key[0]);
  x.word1 = Prepared(b, next_key[0]);
  x.word2 = Joined(hn::Shuffle2301(a), x.word3, key[1]);
  x.word3 = Prepared(a, next_key[1]);
}

HWY_INLINE void StoreDraws(const Blocks& x, std::uint16_t* draws) {
  const U64 d64;
  const auto words01 = hn::BitCast(d64, hn::OddEven(hn::Shuffle2301(x.word1), x.word0));
  const auto words23 = hn::BitCast(d64, hn::OddEven(hn::Shuffle2301(x.word3), x.word2));
  auto* to = reinterpret_cast<std::uint64_t*>(draws);
  hn::StoreU(hn::InterleaveLower(d64, words01, words23), d64, to);
  hn::StoreU(hn::InterleaveUpper(d64, words01, words23), d64, to + hn::Lanes(d64));
}

/// The draws of as many vectors of blocks as there are numbers i. Several at a time, because each round of one waits
/// for its last.
template <std::size_t... i, class Between>
HWY_INLINE void DrawVectors(const RowMask& mask, const RoundKeys& keys, std::size_t block, std::uint16_t* draws,
                            std::index_sequence<i...>, const Between& between) {
  const std::size_t lanes = hn::Lanes(U64());
  Blocks x[] = {Counters(mask, keys, block + i * lanes)...};
  HWY_UNROLL(is_avx512 ? 10 : 1)
  for (std::size_t round = 0; round < 10; ++round) {
    (Round(x[i], keys.of[round], keys.of[round + 1]), ...);
    between(round);
  }
  (StoreDraws(x[i], draws + 8 * i * lanes), ...);
}

HWY_INLINE void Draw(const RowMask& mask, const RoundKeys& keys, std::size_t first, std::size_t count,
                     std::uint16_t* draws) {
  const auto nothing = [](std::size_t) {};
  for (std::size_t i = 0; i < count; i += DrawnAtMost()) {
    const std::size_t block = (first + i) / 8;
    if (count - i <= 8 * hn::Lanes(U64())) {
      DrawVectors(mask, keys, block, draws + i, std::make_index_sequence<1>(), nothing);
    } else {
      DrawVectors(mask, keys, block, draws + i, std::make_index_sequence<4>(), nothing);
    }
  }
}

/// The same for DrawnAtMost() columns. between(0) to between(9) follow the rounds of Philox: what they do takes its
/// turn in the processor's other units.
template <class Between>
HWY_INLINE void DrawMost(const RowMask& mask, const RoundKeys& keys, std::size_t first, std::uint16_t* draws,
                         const Between& between) {
  DrawVectors(mask, keys, first / 8, draws, std::make_index_sequence<4>(), between);
}

#endif

/// What a draw is compared with and what it chooses, in the lanes in which elements are computed.
template <class D>
struct Choice {
  hn::Vec<hn::RebindToSigned<D>> last_dropped;
  hn::Vec<D> keep;

  HWY_INLINE explicit Choice(const RowMask& mask)
      : last_dropped(hn::Set(hn::RebindToSigned<D>(), static_cast<hwy::MakeSigned<hn::TFromD<D>>>(mask.dropped) - 1)),
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
  const auto kept = hn::Gt(WideDraws(D(), draws), choice.last_dropped);
  return hn::IfThenElseZero(hn::RebindMask(D(), kept), choice.keep);
}

/// to[c] = RN(from[c] * (0 or keep)) for c < width.
template <class T>
HWY_INLINE void MultiplyByMask(const RowMask& mask, const T* from, std::size_t width, T* to) {
  const LanesOf<T> d;
  constexpr std::size_t tile = 512;
  alignas(64) std::uint16_t draws[tile];
  const Choice<LanesOf<T>> choice(mask);
  const RoundKeys keys(mask.key);
  static_assert(tile % DrawnAtMost() == 0);
  for (std::size_t first = 0; first < width; first += tile, from += tile, to += tile) {
    const std::size_t count = width - first < tile ? width - first : tile;
    Draw(mask, keys, first, count, draws);
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
