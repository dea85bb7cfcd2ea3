// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/rotary/rotate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/rotary/rotate.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "src/engine/rotary/across-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// ---- lines ---------------------------------------------------------------------------------------

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

template <class Places, class T>
HWY_INLINE void RotateFar(const Angles& angles, const Lines<T>& lines) {
  const bool whole = angles.pairs % static_cast<std::int64_t>(Places::template Count<T>()) == 0;
  const Reach columns = {0, lines.in.data == lines.out.data ? 2 * angles.pairs : lines.width};
  ForFarGroups(lines, angles.rows, columns, [&](const Cursor& now) {
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
  });
}

template <class Places, class T>
HWY_INLINE void Rotate(const Angles& angles, std::span<const Lines<T>> runs) {
  while (!runs.empty()) {
    std::size_t near = 0;
    while (near < runs.size() && AtHand(runs[near], angles.rows)) ++near;
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
