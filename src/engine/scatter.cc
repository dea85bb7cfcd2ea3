// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
//
// A row with one token is a scaled copy. Else the terms are added to a part of the row that stays in the first-level
// cache, each in one pass over consecutive memory, and the last pass writes the output. Token rows come from anywhere,
// so they are asked for twice, along the list: far ahead into the second-level cache, then into the first.
#include "src/engine/scatter.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/scatter.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "src/engine/terms-inl.h"

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
void WriteSums(TermsOf&& of, std::span<const Frequent<T>> frequent, const SummedRows<T>& rows, const SumRange& range) {
  if (rows.stores == Stores::streamed) return WriteRows<Stores::streamed>(of, frequent, rows, range);
  WriteRows<Stores::cached>(of, frequent, rows, range);
}

template <class T, class TermsOf>
void SumTokens(TermsOf&& of, std::size_t begin, std::size_t end, Computing<T>* sum) {
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
  if (terms.mask == nullptr) return WriteSums<T>(PlainTerms<T>{terms}, frequent, rows, range);
  WriteSums<T>(MaskedTerms<T>(terms), frequent, rows, range);
}
template <class T>
void Add(const Terms<T>& terms, std::size_t begin, std::size_t end, Computing<T>* sum) {
  if (terms.mask == nullptr) return SumTokens<T>(PlainTerms<T>{terms}, begin, end, sum);
  SumTokens<T>(MaskedTerms<T>(terms), begin, end, sum);
}

void WriteF32(const Terms<float>& terms, std::span<const Frequent<float>> frequent, const SummedRows<float>& rows,
              const SumRange& range) {
  Write(terms, frequent, rows, range);
}
void WriteF64(const Terms<double>& terms, std::span<const Frequent<double>> frequent, const SummedRows<double>& rows,
              const SumRange& range) {
  Write(terms, frequent, rows, range);
}
void WriteF16(const Terms<half>& terms, std::span<const Frequent<half>> frequent, const SummedRows<half>& rows,
              const SumRange& range) {
  Write(terms, frequent, rows, range);
}
void WriteBf16(const Terms<bfloat16>& terms, std::span<const Frequent<bfloat16>> frequent,
               const SummedRows<bfloat16>& rows, const SumRange& range) {
  Write(terms, frequent, rows, range);
}
void AddF32(const Terms<float>& terms, std::size_t begin, std::size_t end, float* sum) { Add(terms, begin, end, sum); }
void AddF64(const Terms<double>& terms, std::size_t begin, std::size_t end, double* sum) {
  Add(terms, begin, end, sum);
}
void AddF16(const Terms<half>& terms, std::size_t begin, std::size_t end, float* sum) { Add(terms, begin, end, sum); }
void AddBf16(const Terms<bfloat16>& terms, std::size_t begin, std::size_t end, float* sum) {
  Add(terms, begin, end, sum);
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(WriteF32);
HWY_EXPORT(WriteF64);
HWY_EXPORT(WriteF16);
HWY_EXPORT(WriteBf16);
HWY_EXPORT(AddF32);
HWY_EXPORT(AddF64);
HWY_EXPORT(AddF16);
HWY_EXPORT(AddBf16);

template <>
void write_sums(const Terms<float>& terms, std::span<const Frequent<float>> frequent, const SummedRows<float>& rows,
                const SumRange& range) {
  HWY_DYNAMIC_DISPATCH(WriteF32)(terms, frequent, rows, range);
}
template <>
void write_sums(const Terms<double>& terms, std::span<const Frequent<double>> frequent, const SummedRows<double>& rows,
                const SumRange& range) {
  HWY_DYNAMIC_DISPATCH(WriteF64)(terms, frequent, rows, range);
}
template <>
void write_sums(const Terms<half>& terms, std::span<const Frequent<half>> frequent, const SummedRows<half>& rows,
                const SumRange& range) {
  HWY_DYNAMIC_DISPATCH(WriteF16)(terms, frequent, rows, range);
}
template <>
void write_sums(const Terms<bfloat16>& terms, std::span<const Frequent<bfloat16>> frequent,
                const SummedRows<bfloat16>& rows, const SumRange& range) {
  HWY_DYNAMIC_DISPATCH(WriteBf16)(terms, frequent, rows, range);
}
template <>
void sum_tokens(const Terms<float>& terms, std::size_t begin, std::size_t end, float* sum) {
  HWY_DYNAMIC_DISPATCH(AddF32)(terms, begin, end, sum);
}
template <>
void sum_tokens(const Terms<double>& terms, std::size_t begin, std::size_t end, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddF64)(terms, begin, end, sum);
}
template <>
void sum_tokens(const Terms<half>& terms, std::size_t begin, std::size_t end, float* sum) {
  HWY_DYNAMIC_DISPATCH(AddF16)(terms, begin, end, sum);
}
template <>
void sum_tokens(const Terms<bfloat16>& terms, std::size_t begin, std::size_t end, float* sum) {
  HWY_DYNAMIC_DISPATCH(AddBf16)(terms, begin, end, sum);
}

}  // namespace posenc::engine
#endif
