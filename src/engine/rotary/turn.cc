// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/rotary/turn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/rotary/turn.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/base/scratch.h"
#include "src/engine/rotary/lines-inl.h"
#include "src/engine/rotary/runs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {

// Elements of a row to where they are near: whole vectors, the last of which ends with them.
template <class T>
HWY_INLINE void CopyNear(const T* from, T* to, std::size_t count) {
  constexpr std::size_t step = hn::MaxLanes(U32()) * sizeof(std::uint32_t);
  const auto* const in = reinterpret_cast<const std::byte*>(from);
  auto* const out = reinterpret_cast<std::byte*>(to);
  const std::size_t bytes = count * sizeof(T);
  if (bytes < step) return CopyFew(from, to, count);
  for (std::size_t b = 0; b < bytes - step; b += step) StoreWords(LoadWords(in + b), out + b);
  StoreWords(LoadWords(in + bytes - step), out + bytes - step);
}

// `count` rows. Pairs that move are read from a copy where rows are turned in place: `room` has a row's reach for each.
template <std::size_t count, class T>
HWY_INLINE void TurnRows(const Coefficients& by, std::int64_t row, const plan::Placement& placed, Across<T> rows,
                         T* room) {
  Abreast<T, count> each;
  for (std::size_t l = 0; l < count; ++l) {
    const auto line = static_cast<std::int64_t>(l);
    each.in[l] = rows.in + line * rows.in_line;
    each.out[l] = rows.out + line * rows.out_line;
  }
  const auto [first, end] = placed.reach;
  for (std::size_t l = 0; l < count && room != nullptr; ++l) {
    T* const copy = room + l * end;
    CopyNear(each.in[l] + first, copy + first, end - first);
    each.in[l] = copy;
  }
  const std::int64_t at = row * by.stride;
  for (const plan::PairRun& run : placed.runs) {
    const std::int64_t k = at + run.pair;
    TurnRun(RunCoefficients{by.c0 + k, by.s0 + k, by.s1 + k, by.c1 + k}, run, each);
  }
}

template <class T>
HWY_INLINE void CopyKept(const plan::Placement& placed, const Lines<T>& lines, Across<T> rows, std::int64_t count) {
  CopyRest(rows, count, 0, placed.reach.first);
  for (const auto& [first, end] : placed.kept) CopyRest(rows, count, first, end);
  CopyRest(rows, count, placed.reach.end, lines.width);
}

// A group of lines, or the last few.
template <class T>
HWY_INLINE void TurnGroup(const Coefficients& by, const plan::Placement& placed, const Lines<T>& lines,
                          const Cursor& at, T* room) {
  Across<T> rows = RowsOf(lines, at.first, at.row);
  const std::int64_t count = std::min(group, lines.count - at.first);
  CopyKept(placed, lines, rows, count);
  if (count == group) return TurnRows<group>(by, at.row, placed, rows, room);
  for (std::int64_t l = 0; l < count; ++l) {
    TurnRows<1>(by, at.row, placed, rows, room);
    rows.in += rows.in_line, rows.out += rows.out_line;
  }
}

template <class T>
void TurnAll(const Coefficients& by, const plan::Placement& placed, std::span<const Lines<T>> runs) {
  LocalScratch<T> scratch;
  T* const copies = placed.moves ? scratch.take(static_cast<std::size_t>(group) * placed.reach.end) : nullptr;
  for (const Lines<T>& lines : runs) {
    // And so everywhere: outputs overlap no other input (core.h).
    const bool in_place = lines.in.data == lines.out.data;
    T* const room = in_place ? copies : nullptr;
    if (AtHand(lines, by.rows)) {
      for (Cursor at; at.row < by.rows; at.Next(lines.count, by.rows, false)) TurnGroup(by, placed, lines, at, room);
      continue;
    }
    const Reach columns = in_place ? Reach{placed.reach.first, placed.reach.end} : Reach{0, lines.width};
    ForFarGroups(lines, by.rows, columns, [&](const Cursor& at) { TurnGroup(by, placed, lines, at, room); });
  }
}

}  // namespace

const ByType<TurnPlaced>& TurnTable() {
  static constexpr ByType<TurnPlaced> all = {&TurnAll<float>, &TurnAll<half>, &TurnAll<bfloat16>};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(TurnTable);
const ByType<TurnPlaced>& turn_kernels() { return HWY_DYNAMIC_DISPATCH(TurnTable)(); }

}  // namespace posenc::engine
#endif
