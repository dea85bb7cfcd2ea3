// SPDX-License-Identifier: Apache-2.0
// The pieces in which a block of the input stage is written: their order, and where the elements of each one are.
//
// Included once for each instruction set, so that each has functions of its own.
#if defined(POSENC_ENGINE_STAGE_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_STAGE_TILES_INL_H
#undef POSENC_ENGINE_STAGE_TILES_INL_H
#else
#define POSENC_ENGINE_STAGE_TILES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "src/engine/stage/stage.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {

/// A place in a block: some columns of one token. Pieces follow each other sequence by sequence, for as many tokens at
/// a time as leave their signal rows in the first-level cache, then for the next ones.
template <class T>
class Pieces {
 public:
  /// The first piece, of `most` columns or the whole row.
  Pieces(const StageBlock<T>& block, std::int64_t most) : block_(block), most_(most) {
    constexpr std::int64_t signal_bytes = 8 << 10, element = sizeof(T);
    shared_ = std::max<std::int64_t>(1, signal_bytes / (block.width * element));
    end_ = std::min(shared_, block.tokens);
  }

  /// The piece that begins `bytes` of rows later or more, or over.
  Pieces ahead(std::int64_t bytes) const {
    Pieces later = *this;
    for (; bytes > 0 && !later.over_; later.next()) bytes -= static_cast<std::int64_t>(later.columns() * sizeof(T));
    return later;
  }

  void next() {
    column_ += most_;
    if (column_ < block_.width) return;
    column_ = 0;
    if (++token_ < end_) return;
    token_ = first_;
    if (++sequence_ < block_.sequences) return;
    sequence_ = 0;
    token_ = first_ = end_;
    end_ = std::min(end_ + shared_, block_.tokens);
    over_ = first_ == block_.tokens;
  }

  bool over() const { return over_; }
  std::int64_t sequence() const { return sequence_; }
  std::int64_t token() const { return token_; }
  std::size_t column() const { return static_cast<std::size_t>(column_); }
  std::size_t columns() const { return static_cast<std::size_t>(std::min(most_, block_.width - column_)); }

  std::int64_t id() const { return block_.id(sequence_, token_); }
  const T* row() const { return block_.rows + id() * block_.row_stride + column_; }
  const T* signal() const { return block_.signal + token_ * block_.signal_stride + column_; }
  /// The signal here for the next tokens, once no sequence is left for these; null before.
  const T* next_signal() const {
    if (sequence_ + 1 < block_.sequences) return nullptr;
    return block_.signal + std::min(token_ + shared_, block_.tokens - 1) * block_.signal_stride + column_;
  }
  T* out() const {
    return block_.out + sequence_ * block_.out_sequence_stride + token_ * block_.out_token_stride + column_;
  }

 private:
  const StageBlock<T>& block_;
  std::int64_t most_, shared_;
  std::int64_t first_ = 0, end_;  // the tokens that share signal rows now
  std::int64_t sequence_ = 0, token_ = 0, column_ = 0;
  bool over_ = false;
};

/// A piece: where its elements come from and go to, its random bits, and the later pieces to ask for.
template <class T>
struct Piece {
  const T *row, *signal, *near, *far;
  T* out;
  std::size_t columns;
  const std::uint16_t* draws;
};

/// The piece at a place, of `most` columns at most.
template <class T, std::size_t most>
HWY_INLINE Piece<T> PieceAt(const StageBlock<T>& block, const Pieces<T>& at, const std::uint16_t* draws) {
  static constexpr T zeros[most] = {};  // what the row of a padding token reads as
  const T* row = at.id() == block.padding_id ? zeros : at.row();
  return {row, at.signal(), row, row, at.out(), at.columns(), draws};
}

/// The same with what is to be asked for meanwhile; after the last piece its own lines, which are there.
template <class T, std::size_t most>
HWY_INLINE Piece<T> PieceAt(const StageBlock<T>& block, const Pieces<T>& at, const std::uint16_t* draws,
                            const Pieces<T>& soon, const Pieces<T>& later) {
  Piece<T> piece = PieceAt<T, most>(block, at, draws);
  if (!soon.over()) piece.near = soon.row();
  if (!later.over()) piece.far = later.row();
  return piece;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_STAGE_TILES_INL_H
