// SPDX-License-Identifier: Apache-2.0
// Lines of 64 bytes of outputs, and those with entries in doubt, kept until many can be settled together.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_LINES_INL_H
#undef POSENC_ENGINE_LINES_INL_H
#else
#define POSENC_ENGINE_LINES_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <bit>
#include <cstring>
#include <utility>

#include "src/engine/tables/exact_zeros-inl.h"
#include "src/engine/tables/rounding_test-inl.h"
#include "src/engine/tables/sines-inl.h"
#include "src/engine/tables/ziv_fallback.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// f32 vectors that make one line of T; without lanes a line is one entry.
template <class T>
constexpr std::size_t vectors = HWY_TARGET == HWY_SCALAR ? 1 : line_bytes / sizeof(T) / hn::MaxLanes(F32());
template <class T>
constexpr std::size_t line_columns = vectors<T> * hn::MaxLanes(F32());

template <class T, class Evidence>
struct Line {
  using D = std::conditional_t<std::is_same_v<Evidence, Remainders<U64>>, U32, F32>;
  hn::Vec<D> value[vectors<T>];
  Evidence evidence[vectors<T>];
  HWY_INLINE Line() {}
};

template <Stores stores, class D>
HWY_INLINE void StoreAs(hn::Vec<D> value, D d, hn::TFromD<D>* to) {
  if constexpr (stores == Stores::streamed) {
    hn::Stream(value, d, to);
  } else {
    hn::StoreU(value, d, to);
  }
}

template <Stores stores, class T, class Evidence>
HWY_INLINE void StoreLine(const Line<T, Evidence>& line, T* to) {
  constexpr std::size_t lanes = hn::MaxLanes(F32());
  if constexpr (std::is_same_v<T, float>) {
    for (std::size_t v = 0; v < vectors<T>; ++v) StoreAs<stores>(line.value[v], F32(), to + v * lanes);
  } else {
#if HWY_TARGET == HWY_SCALAR
    Store(line.value[0], to);
#else
    auto* bits = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t v = 0; v < vectors<T>; v += 2) {
      StoreAs<stores>(Packed(line.value[v], line.value[v + 1], to), U16(), bits + v * lanes);
    }
#endif
  }
}

template <class T, class Evidence>
HWY_INLINE Evidence AllEvidence(const Line<T, Evidence>& line) {
  Evidence all = line.evidence[0];
  for (std::size_t v = 1; v < vectors<T>; ++v) all.Join(line.evidence[v]);
  return all;
}

/// How +0 stands in a line before it is stored: f16 in words of its own lacks an exponent of 1 (Packed).
template <class Line>
constexpr std::uint32_t unstored_zero = std::is_same_v<typename Line::D, U32> ? 0xFC00u << 10 : 0;

/// The zeros of a line, their rows in registers; f16 has none left for them and loads them each time.
template <class T>
struct LoadedZeros {
  const LineZeros& of;
  hn::Vec<U32> rows[vectors<T>];

  HWY_INLINE explicit LoadedZeros(const LineZeros& zeros)
      : LoadedZeros(zeros, std::make_index_sequence<vectors<T>>()) {}

 private:
  template <std::size_t... v>
  HWY_INLINE LoadedZeros(const LineZeros& zeros, std::index_sequence<v...>)
      : of(zeros), rows{hn::Load(U32(), zeros.rows + v * hn::Lanes(U32()))...} {}
};
template <class T>
struct LoadedNone {
  HWY_INLINE explicit LoadedNone(const NoZeros&) {}
};
template <class T, class Zeros>
using Loaded = std::conditional_t<std::is_same_v<Zeros, NoZeros>, LoadedNone<T>, LoadedZeros<T>>;

/// Puts the zeros of the row that far from the centre into a line. They are certain.
template <class T, class Evidence, std::size_t... v>
HWY_INLINE void PutZerosAt(const LoadedZeros<T>& zeros, std::int64_t away, Line<T, Evidence>& line,
                           std::index_sequence<v...>) {
  using D = typename Line<T, Evidence>::D;
  const U32 d;
  const std::uint32_t* const zero = zeros.of.At(away);
  const auto row = hn::Set(d, 1u << (static_cast<std::int64_t>(reach) + away));
  const auto put = [&](hn::Vec<U32> rows, const std::uint32_t* from, hn::Vec<D>& value, Evidence& evidence) HWY_ATTR {
    const auto here = hn::TestBit(rows, row);
    value = hn::IfThenElse(hn::RebindMask(D(), here), hn::BitCast(D(), hn::Load(d, from)), value);
    evidence.Clear(here);
  };
  // No loop: GCC 12 would keep the line in memory.
  constexpr bool kept = !std::is_same_v<T, half>;
  (put(kept ? zeros.rows[v] : hn::Load(d, zeros.of.rows + v * hn::Lanes(d)), zero + v * hn::Lanes(d), line.value[v],
       line.evidence[v]),
   ...);
}
template <class T, class Evidence>
HWY_INLINE void PutZeros(const LoadedZeros<T>& zeros, std::int64_t away, Line<T, Evidence>& line) {
  PutZerosAt(zeros, away, line, std::make_index_sequence<vectors<T>>());
}
template <class T, class Evidence>
HWY_INLINE void PutZeros(const LoadedNone<T>&, std::int64_t, Line<T, Evidence>&) {}

// ---- lines in doubt -----------------------------------------------------------------------------

// From so many on they are settled, so that whole vectors of entries share the latency of their evaluation.
constexpr std::size_t many_lines = 32;

struct Place {
  std::int64_t row;  // of the strip
  std::size_t column;
};

/// Lines that are written already, some of their entries wrongly. Of streamed lines there is a copy, since a line that
/// went past the caches is best written again as a whole.
template <class T>
struct DoubtfulLines {
  static constexpr std::size_t mark_bytes = hn::MaxLanes(U32()) < 8 ? 1 : hn::MaxLanes(U32()) / 8;  // a vector
  static constexpr std::size_t most = many_lines + block_rows * tile_columns<T> / line_columns<T>;

  alignas(64) T lines[most][line_columns<T>];
  std::uint8_t marks[most][8];  // a bit an entry in doubt
  Place places[most];
  std::size_t count = 0;
};

template <Stores stores, class T, class Evidence>
HWY_INLINE void Keep(const Line<T, Evidence>& line, Place place, DoubtfulLines<T>& doubtful) {
  if (!AllEvidence(line).Any()) return;
  const std::size_t i = doubtful.count++;
  doubtful.places[i] = place;
  for (std::size_t v = 0; v < vectors<T>; ++v) {
    hn::StoreMaskBits(U32(), line.evidence[v].Doubts(), doubtful.marks[i] + v * doubtful.mark_bytes);
  }
  if constexpr (stores == Stores::streamed) StoreLine<Stores::cached>(line, doubtful.lines[i]);
}

// Rows of an output.
template <class T>
struct Rows {
  T* out;
  std::int64_t stride;

  T* at(std::int64_t row) const { return out + row * stride; }
  T* at(const Place& place) const { return at(place.row) + place.column; }
};

// Entries that are evaluated together.
template <class T>
class Entries {
 public:
  Entries(const Rungs& rungs, const Columns& columns, const Strip& strip)
      : rungs_(rungs), columns_(columns), strip_(strip) {}

  // *out = RN(entry), by SettleAll at the latest. Position 0 needs no evaluation, and all its sines are small enough to
  // be in doubt.
  HWY_INLINE void Add(const Place& place, T* out) {
    Entry& entry = entries_[count_];
    entry = {numerics::dyadic(strip_.start + place.row * strip_.step), strip_.first + place.column, out};
    entry.position.exponent = strip_.exponent;
    if (entry.position.mantissa == 0) {
      *out = at_zero<T>(rungs_, columns_.quarters(entry.column));
      return;
    }
    phases_[count_++] = phase_of(columns_, entry.position, entry.column);
    if (count_ == hn::Lanes(F64())) SettleAll();
  }

  HWY_INLINE void SettleAll() {
    if (count_ == 0) return;
    alignas(64) double value[hn::MaxLanes(F64())];
    hn::Vec<F64> sine, cosine;
    SineCosine(F64(), hn::Load(U64(), phases_), sine, cosine);
    hn::Store(sine, F64(), value);
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& [position, column, out] = entries_[i];
      const std::optional<T> entry = settled_entry<T>(rungs_, columns_, position, column, value[i]);
      if (entry) *out = *entry;
      decided_ = decided_ && entry;
    }
    count_ = 0;
  }

  // Was every entry settled?
  bool decided() const { return decided_; }

 private:
  struct Entry {
    numerics::Dyadic position;
    std::size_t column;  // of the row
    T* out;
  };
  const Rungs& rungs_;
  const Columns& columns_;
  const Strip& strip_;
  alignas(64) std::uint64_t phases_[hn::MaxLanes(F64())] = {};
  Entry entries_[hn::MaxLanes(F64())];
  std::size_t count_ = 0;
  bool decided_ = true;
};

template <class T>
HWY_INLINE void StreamLine(const T* from, T* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto* source = reinterpret_cast<const std::uint8_t*>(from);
  auto* target = reinterpret_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < sizeof(T) * line_columns<T>; i += hn::Lanes(d)) {
    hn::Stream(hn::Load(d, source + i), d, target + i);
  }
}

/// Evaluates the entries in doubt directly, a vector of them at a time, and writes their lines again. False where one
/// was not settled.
template <Stores stores, class T>
bool Settle(const Rungs& rungs, const Columns& columns, const Strip& strip, const Rows<T>& to,
            DoubtfulLines<T>& doubtful) {
  constexpr std::size_t mark_bits = 8 * DoubtfulLines<T>::mark_bytes, lanes = hn::MaxLanes(U32());
  Entries<T> entries(rungs, columns, strip);
  for (std::size_t i = 0; i < doubtful.count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, doubtful.marks[i], vectors<T> * doubtful.mark_bytes);
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);  // byte 0 is the lowest
    for (; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      const std::size_t in_line = bit / mark_bits * lanes + bit % mark_bits;
      const Place place = {doubtful.places[i].row, doubtful.places[i].column + in_line};
      if (place.column >= strip.columns) continue;  // made beside what was asked for
      entries.Add(place, stores == Stores::streamed ? doubtful.lines[i] + in_line : to.at(place));
    }
  }
  entries.SettleAll();
  for (std::size_t i = 0; stores == Stores::streamed && i < doubtful.count; ++i) {
    StreamLine(doubtful.lines[i], to.at(doubtful.places[i]));
  }
  doubtful.count = 0;
  return entries.decided();
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_LINES_INL_H
