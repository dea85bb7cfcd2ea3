// SPDX-License-Identifier: Apache-2.0
// Lines of rows: where their rows stand, in which order they are turned, and when memory is asked for them.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_LINES_INL_H
#undef POSENC_ENGINE_LINES_INL_H
#else
#define POSENC_ENGINE_LINES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "src/base/stores.h"
#include "src/engine/rotary/rotate.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {

constexpr std::int64_t group = 4;        // lines that share a load of their angles
constexpr std::int64_t at_hand = 65536;  // bytes of a decoding step, made just before, are in a cache

// Of each line: what memory takes to answer.
template <class T>
constexpr std::int64_t bytes_ahead = sizeof(T) == sizeof(float) ? 2048 : 2560;

template <class T>
HWY_INLINE bool AtHand(const Lines<T>& lines, std::int64_t rows) {
  return lines.count * rows * lines.width <= at_hand / static_cast<std::int64_t>(sizeof(T));
}

// ---- the same row of many lines ------------------------------------------------------------------

template <class T>
struct Across {
  const T* in;
  T* out;
  std::int64_t in_line, out_line;  // from one row to the next
};

template <class T>
HWY_INLINE T* At(const Strided<T>& rows, std::int64_t line, std::int64_t row) {
  return rows.data + line * rows.line + row * rows.row;
}

template <class T>
HWY_INLINE Across<T> RowsOf(const Lines<T>& lines, std::int64_t first, std::int64_t row) {
  return {At(lines.in, first, row), At(lines.out, first, row), lines.in.line, lines.out.line};
}

// Columns [first, end) are not turned, so in place they are there.
template <class T>
HWY_INLINE void CopyRest(Across<T> rows, std::int64_t count, std::int64_t first, std::int64_t end) {
  if (first == end || rows.in == rows.out) return;
  for (std::int64_t l = 0; l < count; ++l) {
    const T* in = rows.in + l * rows.in_line + first;
    std::memcpy(rows.out + l * rows.out_line + first, in, static_cast<std::size_t>(end - first) * sizeof(T));
  }
}

// ---- order ---------------------------------------------------------------------------------------

// Groups of lines and rows in the order of memory: the nearer of the two runs faster.
struct Cursor {
  std::int64_t first = 0, row = 0;  // first line of the group

  void Next(std::int64_t lines, std::int64_t rows, bool rows_are_near) {
    if (rows_are_near) {
      if (++row == rows) row = 0, first += group;
    } else {
      if ((first += group) >= lines) first = 0, ++row;
    }
  }
};

// Columns [first, end) of a row: those that a call reads.
struct Reach {
  std::int64_t first, end;
};

template <class T>
HWY_INLINE void Fetch(const Lines<T>& lines, const Reach& columns, const Cursor& at) {
  const std::int64_t bytes =
      std::min((columns.end - columns.first) * static_cast<std::int64_t>(sizeof(T)), bytes_ahead<T>);
  for (std::int64_t line = at.first; line < std::min(at.first + group, lines.count); ++line) {
    const char* row = reinterpret_cast<const char*>(At(lines.in, line, at.row) + columns.first);
    for (std::int64_t b = 0; b < bytes; b += std::int64_t{line_bytes}) __builtin_prefetch(row + b);
  }
}

// turn(group) for each, its memory asked for as long before as it takes to answer. There is a column: a rotation has a
// pair (its check refuses fewer than 2 columns that turn), and lines of width 0 are at hand.
template <class T, class Turn>
HWY_INLINE void ForFarGroups(const Lines<T>& lines, std::int64_t rows, const Reach& columns, const Turn& turn) {
  const bool rows_are_near = std::abs(lines.in.row) <= std::abs(lines.in.line);
  const auto next = [&](Cursor& at) { at.Next(lines.count, rows, rows_are_near); };
  const std::int64_t steps = (lines.count + group - 1) / group * rows;
  const std::int64_t bytes = (columns.end - columns.first) * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t ahead = bytes_ahead<T> / bytes + 1;
  Cursor now, later;
  for (std::int64_t i = 0; i < ahead; ++i) next(later);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (i + ahead < steps) {
      Fetch(lines, columns, later);
      next(later);
    }
    turn(now);
    next(now);
  }
}

}  // namespace
}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_LINES_INL_H
