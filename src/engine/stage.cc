// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// Rows come from anywhere, so they are asked for twice: far ahead into the second-level cache, whose many misses may be
// under way at once, and shortly before use into the first.
#include "src/engine/stage.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/stage.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"
#include "src/engine/mask-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t far_tokens = 16, near_tokens = 2;
constexpr std::size_t line = 64;

// The row of the token that comes `ahead` later in the order of the loops; beyond the last one, the last one's.
template <class T>
const T* RowAhead(const StageBlock<T>& block, std::int64_t b, std::int64_t t, std::int64_t ahead) {
  t += ahead;
  for (; t >= block.tokens && b + 1 < block.sequences; ++b) t -= block.tokens;
  return block.rows + block.id(b, std::min(t, block.tokens - 1)) * block.row_stride;
}

HWY_INLINE void PrefetchFar(const void* address) { __builtin_prefetch(address, 0, 2); }
HWY_INLINE void PrefetchNear(const void* address) { __builtin_prefetch(address, 0, 3); }

struct NoMask {};

// What the masks of all rows share.
template <class T>
struct Masked {
  RowMask mask;  // of token (0, 0)
  Choice<LanesOf<T>> choice;
};

// RN(RN(row x scale) + signal), and for a masked row RN of that times its factors.
template <class T, class V, class M>
HWY_INLINE V Value(V row, V scale, V signal, const M& masked, const std::uint16_t* draws, std::size_t c) {
  const T* storage = nullptr;
  const auto sum = hn::Add(Rounded(hn::Mul(row, scale), storage), signal);
  if constexpr (std::is_same_v<M, NoMask>) {
    return sum;
  } else {
    return hn::Mul(Rounded(sum, storage), Factors(masked.choice, draws + c));
  }
}

// Where the elements of one token come from and go to, and the rows to ask for, if any follow.
template <class T>
struct TokenRows {
  const T *row, *signal, *far, *near;
  T* out;
};

// `width` columns of one token; draws are the random bits of a masked row.
template <bool streamed, class T, class M>
HWY_INLINE void Token(const TokenRows<T>& at, std::size_t width, Computing<T> factor, const M& masked,
                      const std::uint16_t* draws) {
  const LanesOf<T> d;
  const auto scale = hn::Set(d, factor);
  constexpr std::size_t a_line = line / sizeof(T);
  const auto value = [&](std::size_t c) HWY_ATTR {
    return Value<T>(LoadWide(at.row + c), scale, LoadWide(at.signal + c), masked, draws, c);
  };
  std::size_t c = 0;
  // Asking for a line with every line that is written, not for several at once, keeps loads and stores flowing.
  for (; c + a_line <= width; c += a_line) {
    if (at.far != nullptr) {
      PrefetchFar(at.far + c);
      PrefetchNear(at.near + c);
    }
    for (std::size_t k = c; k < c + a_line; k += hn::Lanes(d)) {
      if constexpr (streamed) {
        StreamRounded(value(k), at.out + k);
      } else {
        StoreRounded(value(k), at.out + k);
      }
    }
  }
  for (; c + hn::Lanes(d) <= width; c += hn::Lanes(d)) StoreRounded(value(c), at.out + c);
  if (c == width) return;
  constexpr std::size_t most = hn::MaxLanes(LanesOf<T>());
  T row[most] = {}, signal[most] = {}, out[most];
  std::copy(at.row + c, at.row + width, row);
  std::copy(at.signal + c, at.signal + width, signal);
  StoreRounded(Value<T>(LoadWide(row), scale, LoadWide(signal), masked, draws, c), out);
  std::copy(out, out + (width - c), at.out + c);
}

constexpr std::int64_t tile = 512;
static_assert(tile % DrawnAtOnce() == 0);

// The bits of `count` columns from `first` on of token (b, t).
HWY_INLINE void DrawToken(const NoMask&, std::int64_t, std::int64_t, std::int64_t, std::size_t, std::uint16_t*) {}
template <class T>
HWY_INLINE void DrawToken(const Masked<T>& masked, std::int64_t b, std::int64_t t, std::int64_t first,
                          std::size_t count, std::uint16_t* draws) {
  RowMask mask = masked.mask;
  mask.batch += static_cast<std::uint32_t>(b);
  mask.token += static_cast<std::uint32_t>(t);
  Draw(mask, static_cast<std::size_t>(first), count, draws);
}

template <class T, class M>
void Tokens(const StageBlock<T>& block, const M& masked) {
  static constexpr T zeros[tile] = {};  // what the row of a padding token reads as
  alignas(64) std::uint16_t draws[tile];
  const bool alone = block.sequences * block.tokens == 1;
  bool any_streamed = false;
  for (std::int64_t b = 0; b < block.sequences; ++b) {
    for (std::int64_t t = 0; t < block.tokens; ++t) {
      const std::int64_t id = block.id(b, t);
      const T *row = block.rows + id * block.row_stride, *signal = block.signal + t * block.signal_stride;
      const T* far = alone ? nullptr : RowAhead(block, b, t, far_tokens);
      const T* near = alone ? nullptr : RowAhead(block, b, t, near_tokens);
      T* out = block.out + b * block.out_sequence_stride + t * block.out_token_stride;
      const bool streamed = block.stores == Stores::streamed && reinterpret_cast<std::uintptr_t>(out) % line == 0;
      any_streamed |= streamed;
      for (std::int64_t c = 0; c < block.width; c += tile) {
        const auto count = static_cast<std::size_t>(std::min(tile, block.width - c));
        const TokenRows<T> at = {id == block.padding_id ? zeros : row + c, signal + c, alone ? far : far + c,
                                 alone ? near : near + c, out + c};
        DrawToken(masked, b, t, c, count, draws);
        if (streamed) {
          Token<true>(at, count, block.scale, masked, draws);
        } else {
          Token<false>(at, count, block.scale, masked, draws);
        }
      }
    }
  }
  if (any_streamed) hwy::FlushStream();
}

template <class T>
void Stage(const StageBlock<T>& block, const RowMask* mask) {
  if (mask == nullptr) return Tokens(block, NoMask());
  Tokens(block, Masked<T>{*mask, Choice<LanesOf<T>>(*mask)});
}
void StageF32(const StageBlock<float>& block, const RowMask* mask) { Stage(block, mask); }
void StageF64(const StageBlock<double>& block, const RowMask* mask) { Stage(block, mask); }
void StageF16(const StageBlock<half>& block, const RowMask* mask) { Stage(block, mask); }
void StageBf16(const StageBlock<bfloat16>& block, const RowMask* mask) { Stage(block, mask); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(StageF32);
HWY_EXPORT(StageF64);
HWY_EXPORT(StageF16);
HWY_EXPORT(StageBf16);

template <>
void write_stage(const StageBlock<float>& block, const RowMask* mask) {
  HWY_DYNAMIC_DISPATCH(StageF32)(block, mask);
}
template <>
void write_stage(const StageBlock<double>& block, const RowMask* mask) {
  HWY_DYNAMIC_DISPATCH(StageF64)(block, mask);
}
template <>
void write_stage(const StageBlock<half>& block, const RowMask* mask) {
  HWY_DYNAMIC_DISPATCH(StageF16)(block, mask);
}
template <>
void write_stage(const StageBlock<bfloat16>& block, const RowMask* mask) {
  HWY_DYNAMIC_DISPATCH(StageBf16)(block, mask);
}

}  // namespace posenc::engine
#endif
