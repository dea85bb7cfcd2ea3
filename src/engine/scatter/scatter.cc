// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// A row with one token is a scaled copy. Else the terms are added to a part of the row that stays in the first-level
// cache, each in one pass over consecutive memory, and the last pass writes the output. Token rows come from anywhere,
// so they are asked for twice, along the list: far ahead into the second-level cache, then into the first.
#include "src/engine/scatter/scatter.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/scatter/scatter.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/engine/scatter/terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sink = ((0 + x_begin) + ...) + x_(end - 1) of the terms x at these places; `sum` holds what is not there yet.
template <class T, class TermsOf, class Sink>
void AddTerms(TermsOf& of, std::size_t begin, std::size_t end, const Part& part, const Cut& cut, Computing<T>* sum,
              const Sink& sink) {
  for (std::size_t place = begin; place < end; ++place) {
    const SumAnd<T, decltype(of.At(place, part))> more = {{place == begin ? nothing<T> : sum}, of.At(place, part)};
    const Ahead<T> ahead = AheadOf(of.terms, place, part);
    if (place + 1 < end) {
      Pass<T>(more, ToSum<T>{sum}, cut, ahead);
    } else {
      Pass<T>(more, sink, cut, ahead);
    }
  }
}

// ---- whole rows -----------------------------------------------------------------------------------

// Streamed lines are whole lines of the output; elements that stand apart go singly.
template <class T>
Cut CutFor(const T* out, std::size_t count, Stores stores, bool contiguous) {
  if (!contiguous) return {count, count, count};
  const std::size_t lanes = hn::Lanes(LanesOf<T>());
  if (stores == Stores::cached) return {0, count - count % lanes, count};
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(out) % line_bytes;
  const std::size_t first = std::min(count, (line_bytes - offset) % line_bytes / sizeof(T));
  return {first, count - (count - first) % (line_bytes / sizeof(T)), count};
}

template <Stores stores, class T, class TermsOf>
void WriteRows(TermsOf& of, std::span<const Frequent<T>> frequent, const SummedRows<T>& rows, const SumRange& range) {
  const ById& by = *of.terms.tokens;
  const auto width = static_cast<std::size_t>(of.terms.width);
  const bool contiguous = width == 1 || (of.terms.column_stride == 1 && rows.column_stride == 1);
  const bool all = range.last - range.first == static_cast<std::int64_t>(range.end - range.begin);
  std::size_t id = range.begin;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    const bool touched = all || (id < range.end && by.ids[id] == row);
    const bool often = touched && by.count(id) > chunk_tokens;
    const Computing<T>* whole = often ? std::ranges::lower_bound(frequent, id, {}, &Frequent<T>::id)->sum : nullptr;
    for (Part part = {0, 0}; part.first < width; part.first += tile) {
      part.count = std::min(tile, width - part.first);
      T* out = rows.out + row * rows.row_stride + static_cast<std::int64_t>(part.first) * rows.column_stride;
      const Cut cut = CutFor(out, part.count, stores, contiguous);
      const ToRow<T, stores> to = {out, rows.column_stride, touched ? rows.scale : 1};
      if (touched && !often) {
        alignas(line_bytes) Computing<T> sum[tile];
        AddTerms<T>(of, by.begins[id], by.begins[id + 1], part, cut, sum, to);
      } else {
        Pass<T>(Sum<T>{often ? whole + part.first : nothing<T>}, to, cut, NothingAhead());
      }
    }
    if (touched) ++id;
  }
  if (stores == Stores::streamed) hwy::FlushStream();
}

template <class T, class TermsOf>
void WriteRange(TermsOf&& of, std::span<const Frequent<T>> frequent, const SummedRows<T>& rows, const SumRange& range) {
  if (rows.stores == Stores::streamed) return WriteRows<Stores::streamed>(of, frequent, rows, range);
  WriteRows<Stores::cached>(of, frequent, rows, range);
}

template <class T, class TermsOf>
void AddRange(TermsOf&& of, std::size_t begin, std::size_t end, Computing<T>* sum) {
  const auto width = static_cast<std::size_t>(of.terms.width);
  for (Part part = {0, 0}; part.first < width; part.first += tile) {
    part.count = std::min(tile, width - part.first);
    const Cut cut = CutFor(sum, part.count, Stores::cached, width == 1 || of.terms.column_stride == 1);
    AddTerms<T>(of, begin, end, part, cut, sum + part.first, ToSum<T>{sum + part.first});
  }
}

// ---- types ----------------------------------------------------------------------------------------

template <class T>
void Write(const Terms<T>& terms, std::span<const Frequent<T>> frequent, const SummedRows<T>& rows,
           const SumRange& range) {
  if (terms.mask == nullptr) return WriteRange<T>(PlainTerms<T>{terms}, frequent, rows, range);
  WriteRange<T>(MaskedTerms<T>(terms), frequent, rows, range);
}
template <class T>
void Add(const Terms<T>& terms, std::size_t begin, std::size_t end, Computing<T>* sum) {
  if (terms.mask == nullptr) return AddRange<T>(PlainTerms<T>{terms}, begin, end, sum);
  AddRange<T>(MaskedTerms<T>(terms), begin, end, sum);
}

const ScatterKernels& ScatterTable() {
  static constexpr ScatterKernels all = {{&Write<float>, &Write<half>, &Write<bfloat16>, &Write<double>},
                                         {&Add<float>, &Add<half>, &Add<bfloat16>, &Add<double>}};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(ScatterTable);
const ScatterKernels& scatter_kernels() { return HWY_DYNAMIC_DISPATCH(ScatterTable)(); }

}  // namespace posenc::engine
#endif
