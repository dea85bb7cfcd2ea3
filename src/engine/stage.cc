// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// Rows come from anywhere, so their lines are asked for before they are read, twice: a processor drops a request for
// which it has no place among those under way, and only the second one then brings the line in time.
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

// In bytes of rows. Asked for into the first-level cache, where what is ahead stays beside the signal rows in use.
constexpr std::int64_t far = 12 << 10, near = 6 << 10, signal_in_use = 8 << 10;
constexpr std::int64_t piece = 2 << 10, line = 64;

// The pieces of rows in the order in which they are written: those of a few tokens, whose signal rows stay in the
// first-level cache, sequence by sequence; then those of the next few.
template <class T>
class Pieces {
 public:
  static constexpr std::int64_t most = piece / sizeof(T);  // columns
  static_assert(most % DrawnAtMost() == 0);

  HWY_INLINE Pieces(const StageBlock<T>& block, std::int64_t bytes_ahead) : block_(block) {
    const std::int64_t row_bytes = block.width * std::int64_t(sizeof(T));
    few_ = block.sequences == 1 ? block.tokens : std::max<std::int64_t>(1, signal_in_use / row_bytes);
    end_ = std::min(few_, block.tokens);
    for (; bytes_ahead > 0 && !over_; bytes_ahead -= std::min(piece, row_bytes)) next();
  }

  HWY_INLINE void next() {
    column_ += most;
    if (column_ < block_.width) return;
    column_ = 0;
    if (++token_ < end_) return;
    token_ = first_;
    if (++sequence_ < block_.sequences) return;
    sequence_ = 0;
    token_ = first_ = end_;
    end_ = std::min(end_ + few_, block_.tokens);
    over_ = first_ == block_.tokens;
  }

  bool over() const { return over_; }
  std::int64_t sequence() const { return sequence_; }
  std::int64_t token() const { return token_; }
  std::int64_t column() const { return column_; }
  std::int64_t columns() const { return std::min(most, block_.width - column_); }
  std::int64_t id() const { return block_.id(sequence_, token_); }
  /// Where the piece comes from; null after the last one.
  HWY_INLINE const T* source() const { return over_ ? nullptr : block_.rows + id() * block_.row_stride + column_; }
  HWY_INLINE const T* signal() const { return block_.signal + token_ * block_.signal_stride + column_; }
  HWY_INLINE T* out() const {
    return block_.out + sequence_ * block_.out_sequence_stride + token_ * block_.out_token_stride + column_;
  }

 private:
  const StageBlock<T>& block_;
  std::int64_t few_, first_ = 0, end_;  // the tokens [first, end) are written now
  std::int64_t sequence_ = 0, token_ = 0, column_ = 0;
  bool over_ = false;
};

struct NoMask {};

// What the masks of all rows share.
template <class T>
struct Masked {
  RowMask mask;  // of token (0, 0)
  RoundKeys keys;
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

// Where the elements of a piece come from and go to, and the later ones to ask for: null where none follows.
template <class T>
struct Addresses {
  const T *row, *signal, *near, *far;
  T* out;
};

// `width` columns; draws are the random bits of a masked piece.
template <bool streamed, class T, class M>
HWY_INLINE void Piece(const Addresses<T>& at, std::size_t width, Computing<T> factor, const M& masked,
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
    if (at.far != nullptr) hwy::Prefetch(at.far + c);
    if (at.near != nullptr) hwy::Prefetch(at.near + c);
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

// The bits of a piece.
template <class T>
HWY_INLINE void DrawPiece(const NoMask&, const Pieces<T>&, std::uint16_t*) {}
template <class T>
HWY_INLINE void DrawPiece(const Masked<T>& masked, const Pieces<T>& at, std::uint16_t* draws) {
  RowMask mask = masked.mask;
  mask.batch += static_cast<std::uint32_t>(at.sequence());
  mask.token += static_cast<std::uint32_t>(at.token());
  Draw(mask, masked.keys, static_cast<std::size_t>(at.column()), static_cast<std::size_t>(at.columns()), draws);
}

template <class T, class M>
void WritePieces(const StageBlock<T>& block, const M& masked) {
  static constexpr T zeros[Pieces<T>::most] = {};  // what the row of a padding token reads as
  alignas(64) std::uint16_t draws[Pieces<T>::most];
  bool any_streamed = false;
  Pieces<T> at(block, 0), ahead(block, near), further(block, far);
  for (; !at.over(); at.next(), ahead.next(), further.next()) {
    const Addresses<T> where = {at.id() == block.padding_id ? zeros : at.source(), at.signal(), ahead.source(),
                                further.source(), at.out()};
    const auto count = static_cast<std::size_t>(at.columns());
    DrawPiece(masked, at, draws);
    if (block.stores == Stores::streamed && reinterpret_cast<std::uintptr_t>(where.out) % line == 0) {
      any_streamed = true;
      Piece<true>(where, count, block.scale, masked, draws);
    } else {
      Piece<false>(where, count, block.scale, masked, draws);
    }
  }
  if (any_streamed) hwy::FlushStream();
}

template <class T>
void Stage(const StageBlock<T>& block, const RowMask* mask) {
  if (mask == nullptr) return WritePieces(block, NoMask());
  WritePieces(block, Masked<T>{*mask, RoundKeys(mask->key), Choice<LanesOf<T>>(*mask)});
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
