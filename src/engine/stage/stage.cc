// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// Rows come from anywhere, so their lines are asked for before they are read, twice: a processor drops a request for
// which it has no place among those under way, and only the second one then brings the line in time. Where outputs go
// past the caches, rows do too. Signal rows are read again and again: they are asked for once, before their first turn.
#include "src/engine/stage/stage.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/stage/stage.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"
#include "src/engine/random/mask-inl.h"
#include "src/engine/stage/scaled-inl.h"
#include "src/engine/stage/stage_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How far ahead, in bytes of rows. Both ask for a line in the first-level cache.
constexpr std::int64_t far = 12 << 10, near = 6 << 10;
constexpr std::size_t piece_bytes = 2 << 10;

struct NoMask {};

// What the masks of all rows share.
template <class T>
struct Masked {
  RowMask mask;  // of token (0, 0)
  RoundKeys keys;
  Choice<LanesOf<T>> choice;

  HWY_INLINE explicit Masked(const RowMask& of) : mask(of), keys(of.key), choice(of) {}
};

enum class Ask : std::uint8_t { nothing, ahead };

template <Stores stores, class T>
HWY_INLINE void AskFor(const T* row) {
  __builtin_prefetch(row, 0, stores == Stores::streamed ? 0 : 3);
}

// The formula, and for a masked row RN of it times the row's factors.
template <class T, class V, class M>
HWY_INLINE V Value(const T* row, V scale, const T* signal, const M& masked, const std::uint16_t* draws) {
  const auto sum = ScaledSum(row, scale, signal);
  if constexpr (std::is_same_v<M, NoMask>) {
    return sum;
  } else {
    return hn::Mul(Rounded(sum, row), Factors(masked.choice, draws));
  }
}

// The lines of columns [begin, end). Asking for a line with every line that is written, not for several at once, keeps
// loads and stores flowing.
template <Stores stores, Ask ask, class T, class M>
HWY_INLINE void WriteLines(const Piece<T>& piece, std::size_t begin, std::size_t end, Computing<T> factor,
                           const M& masked) {
  const LanesOf<T> d;
  const auto scale = hn::Set(d, factor);
  for (std::size_t c = begin; c < end; c += line_bytes / sizeof(T)) {
    if constexpr (ask == Ask::ahead) {
      AskFor<stores>(piece.far + c);
      AskFor<stores>(piece.near + c);
    }
    for (std::size_t k = c; k < c + line_bytes / sizeof(T); k += hn::Lanes(d)) {
      const auto value = Value(piece.row + k, scale, piece.signal + k, masked, piece.draws + k);
      if constexpr (stores == Stores::streamed) {
        StreamRounded(value, piece.out + k);
      } else {
        StoreRounded(value, piece.out + k);
      }
    }
  }
}

// Columns [c, columns): less than a line.
template <class T, class M>
HWY_INLINE void WriteRest(const Piece<T>& piece, std::size_t c, Computing<T> factor, const M& masked) {
  const LanesOf<T> d;
  const auto scale = hn::Set(d, factor);
  const auto write = [&](const T* row, const T* signal, T* out)
                         HWY_ATTR { StoreRounded(Value(row, scale, signal, masked, piece.draws + c), out); };
  for (; c + hn::Lanes(d) <= piece.columns; c += hn::Lanes(d)) write(piece.row + c, piece.signal + c, piece.out + c);
  if (c < piece.columns) WriteLast(piece.row + c, piece.signal + c, piece.columns - c, piece.out + c, write);
}

template <class T>
bool Streams(const StageBlock<T>& block, const Piece<T>& piece) {
  return block.stores == Stores::streamed && reinterpret_cast<std::uintptr_t>(piece.out) % line_bytes == 0;
}

template <class T, class M>
HWY_INLINE void Write(const StageBlock<T>& block, const Piece<T>& piece, const M& masked) {
  const std::size_t whole = piece.columns / (line_bytes / sizeof(T)) * (line_bytes / sizeof(T));
  if (Streams(block, piece)) {
    WriteLines<Stores::streamed, Ask::ahead>(piece, 0, whole, block.scale, masked);
  } else if (piece.near != piece.row) {
    WriteLines<Stores::cached, Ask::ahead>(piece, 0, whole, block.scale, masked);
  } else {
    WriteLines<Stores::cached, Ask::nothing>(piece, 0, whole, block.scale, masked);
  }
  WriteRest(piece, whole, block.scale, masked);
}

template <class T>
HWY_INLINE void AskForSignal(const Pieces<T>& at) {
  const T* const next = at.next_signal();
  if (next == nullptr) return;
  for (std::size_t c = 0; c < at.columns(); c += line_bytes / sizeof(T)) __builtin_prefetch(next + c);
}

template <class T>
void WritePieces(const StageBlock<T>& block) {
  constexpr std::size_t most = piece_bytes / sizeof(T);
  Pieces<T> at(block, most);
  if (block.sequences * block.tokens == 1) {  // one token: nothing follows
    for (; !at.over(); at.next()) Write(block, PieceAt<T, most>(block, at, nullptr), NoMask());
    return;
  }
  Pieces<T> soon = at.ahead(near), later = soon.ahead(far - near);
  for (; !at.over(); at.next(), soon.next(), later.next()) {
    AskForSignal(at);
    Write(block, PieceAt<T, most>(block, at, nullptr, soon, later), NoMask());
  }
}

// ---- with a mask ----------------------------------------------------------------------------------

template <class T>
HWY_INLINE RowMask MaskAt(const Masked<T>& masked, const Pieces<T>& at) {
  RowMask mask = masked.mask;
  mask.batch += static_cast<std::uint32_t>(at.sequence());
  mask.token += static_cast<std::uint32_t>(at.token());
  return mask;
}

template <class T>
HWY_INLINE void DrawPiece(const Masked<T>& masked, const Pieces<T>& at, std::uint16_t* draws) {
  Draw(MaskAt(masked, at), masked.keys, at.column(), at.columns(), draws);
}

// Streams a whole piece while the bits of the next one are drawn, some lines between two rounds: the one waits for
// memory, the other for its products.
template <class T>
HWY_INLINE void WriteAndDraw(const StageBlock<T>& block, const Piece<T>& piece, const Masked<T>& masked,
                             const Pieces<T>& next, std::uint16_t* draws) {
  constexpr std::size_t step = std::max(DrawnAtMost() / 8, line_bytes / sizeof(T));
  const Computing<T> scale = block.scale;
  const RowMask mask = MaskAt(masked, next);
  for (std::size_t c = 0; c < piece.columns; c += DrawnAtMost()) {
    DrawMost(mask, masked.keys, next.column() + c, draws + c, [&](std::size_t round) HWY_ATTR {
      if (round >= DrawnAtMost() / step) return;
      const std::size_t begin = c + round * step;
      WriteLines<Stores::streamed, Ask::ahead>(piece, begin, begin + step, scale, masked);
      HWY_FENCE;
    });
  }
}

template <class T>
void WriteMaskedPieces(const StageBlock<T>& block, const RowMask& mask) {
  constexpr std::size_t most = piece_bytes / sizeof(T);
  static_assert(most % DrawnAtMost() == 0);
  const Masked<T> masked(mask);
  alignas(64) std::uint16_t draws[2][most];
  Pieces<T> at(block, most), next = at.ahead(1), soon = at.ahead(near), later = soon.ahead(far - near);
  DrawPiece(masked, at, draws[0]);
  for (int now = 0; !at.over(); at.next(), next.next(), soon.next(), later.next(), now = 1 - now) {
    const Piece<T> piece = PieceAt<T, most>(block, at, draws[now], soon, later);
    AskForSignal(at);
    if constexpr (is_avx512) {
      if (piece.columns == most && Streams(block, piece) && !next.over()) {
        WriteAndDraw(block, piece, masked, next, draws[1 - now]);
        continue;
      }
    }
    Write(block, piece, masked);
    if (!next.over()) DrawPiece(masked, next, draws[1 - now]);
  }
}

template <class T>
void Stage(const StageBlock<T>& block, const RowMask* mask) {
  if (mask == nullptr) {
    WritePieces(block);
  } else {
    WriteMaskedPieces(block, *mask);
  }
  if (block.stores == Stores::streamed) hwy::FlushStream();
}

const ByType<WriteStage>& StageTable() {
  static constexpr ByType<WriteStage> all = {&Stage<float>, &Stage<half>, &Stage<bfloat16>, &Stage<double>};
  return all;
}

// ---- one token ------------------------------------------------------------------------------------

template <class T>
HWY_INLINE void WriteTokenOf(const Token& token) {
  const LanesOf<T> d;
  const auto *const row = static_cast<const T*>(token.row), *const signal = static_cast<const T*>(token.signal);
  T* const out = static_cast<T*>(token.out);
  const auto scale = hn::Set(d, static_cast<Computing<T>>(token.scale));
  const auto width = static_cast<std::size_t>(token.width);
  const auto write = [&](const T* from, const T* added, T* to)
                         HWY_ATTR { StoreRounded(ScaledSum(from, scale, added), to); };
  std::size_t c = 0;
  for (; c + hn::Lanes(d) <= width; c += hn::Lanes(d)) write(row + c, signal + c, out + c);
  if (c < width) WriteLast(row + c, signal + c, width - c, out + c, write);
}

// Of every type: on the way through a table a step would lose a fiftieth of its time.
void WriteToken(const Token& token) {
  switch (token.type) {
    case DType::f32: return WriteTokenOf<float>(token);
    case DType::f64: return WriteTokenOf<double>(token);
    case DType::f16: return WriteTokenOf<half>(token);
    default: return WriteTokenOf<bfloat16>(token);
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(StageTable);
HWY_EXPORT(WriteToken);
const ByType<WriteStage>& stage_kernels() { return HWY_DYNAMIC_DISPATCH(StageTable)(); }
void write_token(const Token& token) { HWY_DYNAMIC_DISPATCH(WriteToken)(token); }

}  // namespace posenc::engine
#endif
