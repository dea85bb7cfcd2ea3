// SPDX-License-Identifier: Apache-2.0
// Signal rows for a run of tokens: those of a table, or made for the purpose.
#pragma once

#include <posenc/input_stage.h>

#include <algorithm>

#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/base/stores.h"
#include "src/encodings/rows.h"
#include "src/encodings/undecided.h"

namespace posenc {

/// The rows that all sequences of a block share: where they are, and how far apart.
template <class T>
struct SignalRows {
  const T* data;
  std::int64_t stride;
};

/// Do consecutive rows of the signal stand in a table already, where a kernel can read them?
inline bool stands(const std::optional<Rows>& signal, const ConstView& table, const Positions& positions) {
  return !signal && positions.kind_ == Positions::Kind::integers && table.stride(1) == 1;
}

/// Those from `first` on, where they do.
template <class T>
SignalRows<T> standing_rows(const ConstView& table, const Positions& positions, std::int64_t first) {
  const std::int64_t row = integer_of_range(positions, first);
  // Unsigned, since the step of a single position may be any number.
  const std::uint64_t stride =
      static_cast<std::uint64_t>(positions.step_) * static_cast<std::uint64_t>(table.stride(0));
  return {static_cast<const T*>(table.data) + row * table.stride(0), static_cast<std::int64_t>(stride)};
}

/// Rows [first, first + count) of list b of the positions. `decided`: every entry was settled (undecided.h).
template <class T>
SignalRows<T> signal_rows(const std::optional<Rows>& signal, const ConstView& table, const Positions& positions,
                          const RowRange& range, std::int64_t width, LocalScratch<T>& scratch, bool& decided) {
  if (stands(signal, table, positions)) return standing_rows<T>(table, positions, range.first);
  // A line more than a row: rows a power of two apart share too few sets of the first-level cache.
  const std::int64_t stride = width + std::int64_t{line_bytes / sizeof(T)};
  T* rows = scratch.take(static_cast<std::size_t>((range.count - 1) * stride + width));
  if (signal) {
    decided = line_of(*signal).write_rows(positions, range, rows, stride);
  } else {
    for (std::int64_t i = 0; i < range.count; ++i) {
      const auto row = strided_row<const T>(table, {*integer_at(positions, range.b, range.first + i)});
      for (std::int64_t c = 0; c < width; ++c) rows[i * stride + c] = row[c];
    }
  }
  return {rows, stride};
}

/// Signal rows made at once: what the last-level cache has to spare.
inline constexpr std::int64_t signal_bytes = std::int64_t{4} << 20;

/// Indices [first, first + count) along an axis.
template <class V>
V tokens(V view, int axis, std::int64_t first, std::int64_t count) {
  using Byte = std::conditional_t<std::is_same_v<V, View>, char, const char>;
  view.data =
      static_cast<Byte*>(view.data) + first * view.stride(axis) * static_cast<std::int64_t>(size_of(view.dtype));
  view.shape[static_cast<std::size_t>(view.rank + axis)] = count;
  return view;
}

/// encode(table, ids, out, options) for runs of at most `most` tokens of all sequences, one run after the other. The
/// table has the signal row of each token of the run; its mask goes on where that of the run before ends. False where
/// an entry of the signal was not settled.
template <class Encode>
bool in_runs(const Rows& signal, std::int64_t most, const ConstView& ids, const Positions& positions, const View& out,
             const EncodeOptions& options, const Encode& encode) {
  const std::int64_t length = ids.size(-1), d = out.size(-1);
  bool decided = true;
  with_real(out.dtype, [&]<class T>(T) {
    const Scratch<T> made(static_cast<std::size_t>(std::min(most, length) * d));
    for (std::int64_t first = 0; first < length; first += most) {
      const std::int64_t count = std::min(most, length - first);
      decided &=
          line_of(signal).write_table(positions, {0, first, count}, made.data(), d, Stores::cached, options.executor);
      EncodeOptions own = options;
      own.first += static_cast<std::uint32_t>(first);
      encode(view(made.data(), {count, d}), tokens(ids, -1, first, count), tokens(out, -2, first, count), own);
    }
  });
  return decided;
}

}  // namespace posenc
