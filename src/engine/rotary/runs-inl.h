// SPDX-License-Identifier: Apache-2.0
// Runs of pairs of a few rows at once, in the columns where they stand.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_RUNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_RUNS_INL_H
#undef POSENC_ENGINE_RUNS_INL_H
#else
#define POSENC_ENGINE_RUNS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "src/engine/rotary/pairs-inl.h"
#include "src/engine/rotary/turn.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {

// ---- columns -------------------------------------------------------------------------------------

HWY_INLINE hn::Vec<F32> LoadColumns(const float* from) { return LoadWide(from); }
HWY_INLINE hn::Vec<F32> LoadColumns(const bfloat16* from) { return LoadWide(from); }
HWY_INLINE hn::Vec<F32> LoadColumns(const half* from) { return FromLowF16(LoadHalves(from)); }
HWY_INLINE void StoreColumns(hn::Vec<F32> u, hn::Vec<F32> v, float* to_u, float* to_v) {
  hn::StoreU(u, F32(), to_u), hn::StoreU(v, F32(), to_v);
}
template <class T>
HWY_INLINE void StoreColumns(hn::Vec<F32> u, hn::Vec<F32> v, T* to_u, T* to_v) {
  const auto words = Words(u, v, to_u);  // rounds both at once
  StoreHalves(words, to_u), StoreHalves(hn::ShiftRight<16>(words), to_v);
}

constexpr std::size_t whole_step = hn::MaxLanes(F32());  // pairs

// At most 128 bytes between places that do not overlap: GCC makes a string instruction of memcpy, which takes longer
// than such a copy.
constexpr std::size_t few_bytes = 128;
template <std::size_t most = few_bytes / 2>
HWY_INLINE void CopyFew(const std::byte* from, std::byte* to, std::size_t bytes) {
  if (bytes >= most) {
    std::memcpy(to, from, most);
    std::memcpy(to + bytes - most, from + bytes - most, most);
  } else if constexpr (most > 1) {
    CopyFew<most / 2>(from, to, bytes);
  }
}
template <class T>
HWY_INLINE void CopyFew(const T* from, T* to, std::size_t count) {
  CopyFew(reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to), count * sizeof(T));
}

// The step of pairs from k on of a run, and `count` pairs of it on their way to memory that holds a step and back.
struct Together {
  static constexpr plan::RunColumns room = {0, 1, 2};

  template <class T>
  static HWY_INLINE void Load(const T* row, const plan::RunColumns& at, std::size_t k, hn::Vec<F32>& u,
                              hn::Vec<F32>& v) {
    Adjacent::Load(row + at.first, k, 0, u, v);
  }
  template <class T>
  static HWY_INLINE void Store(hn::Vec<F32> u, hn::Vec<F32> v, T* row, const plan::RunColumns& at, std::size_t k) {
    Adjacent::Store(u, v, row + at.first, k);
  }
  template <class T>
  static HWY_INLINE void Copy(const T* from, const plan::RunColumns& at, T* to, const plan::RunColumns& there,
                              std::size_t count) {
    CopyFew(from + at.first, to + there.first, 2 * count);
  }
};
struct Apart {
  static constexpr plan::RunColumns room = {0, whole_step, 1};

  template <class T>
  static HWY_INLINE void Load(const T* row, const plan::RunColumns& at, std::size_t k, hn::Vec<F32>& u,
                              hn::Vec<F32>& v) {
    u = LoadColumns(row + at.first + k), v = LoadColumns(row + at.second + k);
  }
  template <class T>
  static HWY_INLINE void Store(hn::Vec<F32> u, hn::Vec<F32> v, T* row, const plan::RunColumns& at, std::size_t k) {
    StoreColumns(u, v, row + at.first + k, row + at.second + k);
  }
  template <class T>
  static HWY_INLINE void Copy(const T* from, const plan::RunColumns& at, T* to, const plan::RunColumns& there,
                              std::size_t count) {
    CopyFew(from + at.first, to + there.first, count);
    CopyFew(from + at.second, to + there.second, count);
  }
};

// ---- steps ---------------------------------------------------------------------------------------

// Of one row, from a run's first pair on.
struct RunCoefficients {
  const float *c0, *s0, *s1, *c1;
};

template <class T, std::size_t count>
struct Abreast {
  const T* in[count];
  T* out[count];
};

template <class T, std::size_t count>
struct Columns {
  hn::Vec<F32> u[count], v[count];
  HWY_INLINE Columns() {}  // written out, because GCC 12 makes an implicit one for no instruction set

  template <class Read>
  HWY_INLINE void Load(Read, const T* const* rows, const plan::RunColumns& at, std::size_t k) {
    for (std::size_t l = 0; l < count; ++l) Read::Load(rows[l], at, k, u[l], v[l]);
  }
  template <class Write>
  HWY_INLINE void Turn(Write, const RunCoefficients& by, T* const* rows, const plan::RunColumns& at,
                       std::size_t k) const {
    const auto c0 = LoadWide(by.c0 + k), s0 = LoadWide(by.s0 + k);
    const auto s1 = LoadWide(by.s1 + k), c1 = LoadWide(by.c1 + k);
    for (std::size_t l = 0; l < count; ++l) {
      Write::Store(TurnedX(u[l], v[l], c0, s0), TurnedY(u[l], v[l], c1, s1), rows[l], at, k);
    }
  }
};

// A run of a step or more. The last step ends with the run: some of its pairs are turned twice, from what stood there
// before. All loads of a step come before its first store, as in TurnAbreast.
template <class Read, class Write, class T, std::size_t count>
HWY_INLINE void TurnRun(const RunCoefficients& by, const plan::PairRun& run, const Abreast<T, count>& rows) {
  const std::size_t last = run.count - whole_step;
  Columns<T, count> columns, last_columns;
  last_columns.Load(Read(), rows.in, run.read, last);
  for (std::size_t k = 0; k < last; k += whole_step) {
    columns.Load(Read(), rows.in, run.read, k);
    columns.Turn(Write(), by, rows.out, run.written, k);
  }
  last_columns.Turn(Write(), by, rows.out, run.written, last);
}

// A run of less than a step.
template <class Read, class Write, class T>
HWY_INLINE void TurnShort(const RunCoefficients& by, const plan::PairRun& run, const T* in, T* out) {
  T from[few_bytes / sizeof(T)] = {}, to[few_bytes / sizeof(T)];  // a step of 16 lanes is the largest
  T *const turned[] = {to}, *const read[] = {from};
  Read::Copy(in, run.read, from, Read::room, run.count);
  Columns<T, 1> columns;
  columns.Load(Read(), read, Read::room, 0);
  columns.Turn(Write(), by, turned, Write::room, 0);
  Write::Copy(to, Write::room, out, run.written, run.count);
}

template <class Read, class Write, class T, std::size_t count>
HWY_INLINE void TurnAs(const RunCoefficients& by, const plan::PairRun& run, const Abreast<T, count>& rows) {
  if (run.count >= whole_step) return TurnRun<Read, Write>(by, run, rows);
  for (std::size_t l = 0; l < count; ++l) TurnShort<Read, Write>(by, run, rows.in[l], rows.out[l]);
}

template <class T, std::size_t count>
HWY_INLINE void TurnRun(const RunCoefficients& by, const plan::PairRun& run, const Abreast<T, count>& rows) {
  const bool read_together = run.read.step == 2, written_together = run.written.step == 2;
  if (read_together && written_together) return TurnAs<Together, Together>(by, run, rows);
  if (read_together) return TurnAs<Together, Apart>(by, run, rows);
  if (written_together) return TurnAs<Apart, Together>(by, run, rows);
  TurnAs<Apart, Apart>(by, run, rows);
}

}  // namespace
}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_RUNS_INL_H
