// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/rotary/rotate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/rotary/rotate.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "src/base/stores.h"
#include "src/engine/rotary/across-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// ---- lines ---------------------------------------------------------------------------------------

constexpr std::int64_t group = 4;        // lines that share a load of their angles
constexpr std::int64_t at_hand = 65536;  // bytes of a decoding step, made just before, are in a cache

// Of each line: what memory takes to answer.
template <class T>
constexpr std::int64_t bytes_ahead = sizeof(T) == sizeof(float) ? 2048 : 2560;

HWY_INLINE RowAngles AnglesOf(const Angles& angles, std::int64_t row) {
  const std::int64_t first = row * angles.stride;
  return {angles.cosine + first, angles.sine + first, static_cast<std::size_t>(angles.pairs)};
}

// Row `row` of all lines, of any number of pairs.
template <class Places, class T>
HWY_NOINLINE void TurnLines(const Angles& all, std::span<const Lines<T>> runs, std::int64_t row) {
  constexpr std::size_t step = Places::template Count<T>(), most = 4 / Places::template vectors<T>;
  const RowAngles angles = AnglesOf(all, row);
  if (angles.pairs % (most * step) == 0) {
    TurnSteps<Places, most>(angles, runs, row);
  } else if (angles.pairs % step == 0) {
    TurnSteps<Places, 1>(angles, runs, row);
  } else {
    for (const Lines<T>& lines : runs) {
      for (std::int64_t l = 0; l < lines.count; ++l) {
        TurnRow<Places>(angles, At(lines.in, l, row), At(lines.out, l, row));
      }
    }
  }
  for (const Lines<T>& lines : runs) CopyRest(RowsOf(lines, 0, row), lines.count, 2 * all.pairs, lines.width);
}

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

template <class T>
HWY_INLINE void Fetch(const Lines<T>& lines, std::int64_t columns, const Cursor& at) {
  const std::int64_t bytes = std::min(columns * static_cast<std::int64_t>(sizeof(T)), bytes_ahead<T>);
  for (std::int64_t line = at.first; line < std::min(at.first + group, lines.count); ++line) {
    const char* row = reinterpret_cast<const char*>(At(lines.in, line, at.row));
    for (std::int64_t b = 0; b < bytes; b += std::int64_t{line_bytes}) __builtin_prefetch(row + b);
  }
}

template <class Places, class T>
HWY_INLINE void RotateFar(const Angles& angles, const Lines<T>& lines) {
  const bool rows_are_near = std::abs(lines.in.row) <= std::abs(lines.in.line);
  const auto next = [&](Cursor& at) { at.Next(lines.count, angles.rows, rows_are_near); };
  const std::int64_t steps = (lines.count + group - 1) / group * angles.rows;
  const std::int64_t columns = lines.in.data == lines.out.data ? 2 * angles.pairs : lines.width;
  const std::int64_t ahead = bytes_ahead<T> / (columns * static_cast<std::int64_t>(sizeof(T))) + 1;
  const bool whole = angles.pairs % static_cast<std::int64_t>(Places::template Count<T>()) == 0;
  Cursor now, later;
  for (std::int64_t i = 0; i < ahead; ++i) next(later);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (i + ahead < steps) {
      Fetch(lines, columns, later);
      next(later);
    }
    if (whole && now.first + group <= lines.count) {
      const Across<T> rows = RowsOf(lines, now.first, now.row);
      TurnAbreast<Places, group>(AnglesOf(angles, now.row), rows);
      CopyRest(rows, group, 2 * angles.pairs, lines.width);
    } else {
      Lines<T> rest = lines;
      rest.in.data = At(lines.in, now.first, 0);
      rest.out.data = At(lines.out, now.first, 0);
      rest.count = std::min(group, lines.count - now.first);
      TurnLines<Places, T>(angles, {&rest, 1}, now.row);
    }
    next(now);
  }
}

template <class T>
HWY_INLINE bool AtHand(const Angles& angles, const Lines<T>& lines) {
  return lines.count * angles.rows * lines.width <= at_hand / static_cast<std::int64_t>(sizeof(T));
}

template <class Places, class T>
HWY_INLINE void Rotate(const Angles& angles, std::span<const Lines<T>> runs) {
  while (!runs.empty()) {
    std::size_t near = 0;
    while (near < runs.size() && AtHand(angles, runs[near])) ++near;
    if (near == 0) {
      RotateFar<Places>(angles, runs[0]);
      near = 1;
    } else {
      for (std::int64_t t = 0; t < angles.rows; ++t) TurnLines<Places>(angles, runs.first(near), t);
    }
    runs = runs.subspan(near);
  }
}

template <class T>
void RotatePairs(const Angles& angles, Pairs pairs, std::span<const Lines<T>> runs) {
  if (pairs == Pairs::adjacent) return Rotate<Adjacent>(angles, runs);
  Rotate<SplitHalf>(angles, runs);
}

}  // namespace

const ByType<RotateLines>& RotaryTable() {
  static constexpr ByType<RotateLines> all = {&RotatePairs<float>, &RotatePairs<half>, &RotatePairs<bfloat16>};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(RotaryTable);
const ByType<RotateLines>& rotary_kernels() { return HWY_DYNAMIC_DISPATCH(RotaryTable)(); }

}  // namespace posenc::engine
#endif
