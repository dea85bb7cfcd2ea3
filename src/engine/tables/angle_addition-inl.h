// SPDX-License-Identifier: Apache-2.0
// The rows around a centre: two at a time, by one multiplication and two multiply-adds (table_kernel.h).
//
// Error, in units of 2^-53, where a rounding of a result below 1 costs 0.5, just above 1 it costs 1. Direct values are
// within 4 (sines.h). If X, Y are within a and sine, cosine within b of the truth, X c + Y s is within
// sqrt 2 (a + b) + 2, fused or not. Block centres: sqrt 2 * 8 + 2 < 13.4. Outputs: sqrt 2 * 17.4 + 2 < 26.7.
//
// A factor multiplies the values that are evaluated directly, and all others come from them. One of 1/2 to 1 in size
// costs a rounding of its own and one of the product: direct values are within 5, block centres within
// sqrt 2 * 9 + 2 < 14.8, outputs within sqrt 2 * 18.8 + 2 < 28.6. Powers of two multiply values and errors alike.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_ANGLE_ADDITION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_ANGLE_ADDITION_INL_H
#undef POSENC_ENGINE_ANGLE_ADDITION_INL_H
#else
#define POSENC_ENGINE_ANGLE_ADDITION_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/tables/lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr numerics::ErrorBound sums = {-48, -12};  // 26.7 * 2^-53, and 28.6 * 2^-53

// What a block of T is computed in. bf16 needs f32 alone, which leaves 1 of 2500 outputs in doubt; of f16 it would
// leave 1 of 400, and settling those costs more than f64 does.
template <class T>
using Kernel = std::conditional_t<std::is_same_v<T, bfloat16>, float, double>;

// What f64 values tell. f16 in lanes of 64 bits takes their minima, which only AVX-512 has.
#if HWY_TARGET == HWY_SCALAR
using OfF32 = Distances;
#else
using OfF32 = std::conditional_t<few_registers, WideDistances, Distances>;
#endif
template <class T>
using WideEvidence =
    std::conditional_t<std::is_same_v<T, float>, OfF32,
                       std::conditional_t<std::is_same_v<T, half> && is_avx512, Remainders<U64>, ByF32<T>>>;
template <class T>
using WideLine = Line<T, WideEvidence<T>>;
template <class T>
using LineOf = std::conditional_t<std::is_same_v<T, bfloat16>, Line<T, Differences>, WideLine<T>>;

HWY_INLINE Wide LoadBoth(const double* from) {
  Wide value;
  for (std::size_t h = 0; h < halves; ++h) value.part[h] = hn::Load(F64(), from + h * hn::Lanes(F64()));
  return value;
}

// Columns of a centre row and of the strides around it, from one on; values are of a factor of up to 2^exponent.
template <class C>
struct Around {
  const double *x, *y;
  const C *cosine, *sine;  // rows of panel_columns
  int exponent;

  HWY_INLINE Around from(std::size_t j) const { return {x + j, y + j, cosine + j, sine + j, exponent}; }
};

// Values in f64.
template <class T>
struct Wides {
  Wide x[vectors<T>], y[vectors<T>];
  int exponent;

  HWY_INLINE Wides(const Around<double>& of, WideLine<T>& centre) : exponent(of.exponent) {
    for (std::size_t v = 0; v < vectors<T>; ++v) {
      x[v] = LoadBoth(of.x + v * hn::Lanes(F32()));
      y[v] = LoadBoth(of.y + v * hn::Lanes(F32()));
      centre.value[v] = Rounded(exponent, x[v], centre.evidence[v]);
    }
  }

  // Sizes of f16 and bf16 do not depend on the factor (rounding_test-inl.h).
  template <class Evidence>
  HWY_INLINE static auto Rounded(int exponent, const Wide& value, Evidence& evidence) {
    if constexpr (std::is_same_v<T, float>) {
      return Nearest<sums, T>(value, evidence, exponent + sums.smallest);
    } else {
      return Nearest<sums, T>(value, evidence);
    }
  }

  HWY_INLINE void Pair(const Around<double>& of, std::size_t row, WideLine<T>& on, WideLine<T>& back) const {
    for (std::size_t v = 0; v < vectors<T>; ++v) {
      const std::size_t at = row * panel_columns + v * hn::Lanes(F32());
      const Wide c = LoadBoth(of.cosine + at), s = LoadBoth(of.sine + at);
      Wide sum, difference;
      for (std::size_t h = 0; h < halves; ++h) {
        const auto product = hn::Mul(x[v].part[h], c.part[h]);
        sum.part[h] = hn::MulAdd(y[v].part[h], s.part[h], product);
        difference.part[h] = hn::NegMulAdd(y[v].part[h], s.part[h], product);
      }
      on.value[v] = Rounded(exponent, sum, on.evidence[v]);
      back.value[v] = Rounded(exponent, difference, back.evidence[v]);
    }
  }
};

HWY_INLINE float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// Values of bf16 in f32, from both ends of their interval. In units of 2^-25, what rounding to f32 costs below 1: X, Y,
// cosine and sine are off by 1 each, together sqrt 2 * 2; both multiply-adds round once each when fused, else twice:
// below 5 in all, else below 7. (Ends above 1 round more coarsely, but no tie is near 1.) All of it times 2^exponent.
template <class T>
struct Ends {
  hn::Vec<F32> x[vectors<T>], y[vectors<T>], margin;

  HWY_INLINE Ends(const Around<float>& of, LineOf<T>& centre)
      : margin(hn::Set(F32(), (HWY_NATIVE_FMA ? 5 : 7) * PowerOfTwo(of.exponent - 25))) {
    for (std::size_t v = 0; v < vectors<T>; ++v) {
      x[v] = ToF32(LoadBoth(of.x + v * hn::Lanes(F32())));
      y[v] = ToF32(LoadBoth(of.y + v * hn::Lanes(F32())));
      centre.value[v] = NearestBetween(hn::Sub(x[v], margin), hn::Add(x[v], margin), centre.evidence[v]);
    }
  }

  HWY_INLINE void Pair(const Around<float>& of, std::size_t row, LineOf<T>& on, LineOf<T>& back) const {
    const F32 d;
    for (std::size_t v = 0; v < vectors<T>; ++v) {
      const std::size_t at = row * panel_columns + v * hn::Lanes(d);
      const auto c = hn::Load(d, of.cosine + at), s = hn::Load(d, of.sine + at);
      const auto low = hn::MulSub(x[v], c, margin), high = hn::MulAdd(x[v], c, margin);
      on.value[v] = NearestBetween(hn::MulAdd(y[v], s, low), hn::MulAdd(y[v], s, high), on.evidence[v]);
      back.value[v] = NearestBetween(hn::NegMulAdd(y[v], s, low), hn::NegMulAdd(y[v], s, high), back.evidence[v]);
    }
  }
};

template <class T>
using Values = std::conditional_t<std::is_same_v<T, bfloat16>, Ends<T>, Wides<T>>;

// In f64, which leaves next to no doubts where f32 did. 0 rows on and back is the centre itself.
template <class T, class Zeros>
HWY_NOINLINE void InF64(const Around<double>& of, std::size_t n, const Zeros& zeros, WideLine<T>& on,
                        WideLine<T>& back) {
  const Wides<T> values(of, on);
  back = on;
  if (n > 0) values.Pair(of, n - 1, on, back);
  const Loaded<T, Zeros> loaded(zeros);
  PutZeros(loaded, static_cast<std::int64_t>(n), on);
  PutZeros(loaded, -static_cast<std::int64_t>(n), back);
}

template <Stores stores, class T>
HWY_INLINE void KeepBoth(const WideLine<T>& on, const WideLine<T>& back, std::size_t n, const Place& centre,
                         DoubtfulLines<T>& doubtful) {
  const auto away = static_cast<std::int64_t>(n);
  Keep<stores>(on, {centre.row + away, centre.column}, doubtful);
  if (n > 0) Keep<stores>(back, {centre.row - away, centre.column}, doubtful);
}

// Are lines in doubt made once more, with what tells it of each lane? From the first time it would take registers of
// all rows.
template <class T>
constexpr bool made_again = few_registers || std::is_same_v<T, bfloat16>;

// Keeps the lines n rows on and back that are in doubt; `of` is there to make them again, and to correct what f32 made.
template <Stores stores, class T, class Zeros>
HWY_INLINE void Doubt(const Around<double>& of, std::size_t n, const Place& centre, const Zeros& zeros, LineOf<T>& on,
                      LineOf<T>& back, DoubtfulLines<T>& doubtful) {
  if constexpr (made_again<T>) {
    WideLine<T> a, b;
    InF64<T>(of, n, zeros, a, b);
    for (std::size_t v = 0; std::is_same_v<T, bfloat16> && v < vectors<T>; ++v) {
      on.value[v] = a.value[v];
      back.value[v] = b.value[v];
    }
    KeepBoth<stores>(a, b, n, centre, doubtful);
  } else {
    KeepBoth<stores>(on, back, n, centre, doubtful);
  }
}

template <Stores stores, class T, class Line>
HWY_INLINE void StoreLines(const Line& on, const Line& back, T* on_row, T* back_row) {
  StoreLine<stores>(on, on_row);
  StoreLine<stores>(back, back_row);
}

// One line of each of the 17 rows around a centre, the first of which goes to row 0 of `to`.
template <Stores stores, class T, class Zeros>
HWY_INLINE void FillLines(const Around<Kernel<T>>& of, const Around<double>& wide, const Rows<T>& to,
                          const Place& centre, const Zeros& zeros, DoubtfulLines<T>& doubtful) {
  LineOf<T> on;
  const Values<T> values(of, on);
  const Loaded<T, Zeros> loaded(zeros);
  PutZeros(loaded, 0, on);
  LineOf<T> back = on;
  T *on_row = to.at(reach), *back_row = on_row;
  if (HWY_UNLIKELY(AllEvidence(on).Any())) Doubt<stores>(wide, 0, centre, zeros, on, back, doubtful);
  StoreLine<stores>(on, on_row);
  constexpr bool at_once = few_registers && !std::is_same_v<T, bfloat16>;  // no doubt changes it: frees registers
  for (std::size_t n = 1; n <= reach; ++n) {
    on_row += to.stride;
    back_row -= to.stride;
    values.Pair(of, n - 1, on, back);
    PutZeros(loaded, static_cast<std::int64_t>(n), on);
    PutZeros(loaded, -static_cast<std::int64_t>(n), back);
    auto evidence = AllEvidence(on);
    evidence.Join(AllEvidence(back));
    if constexpr (at_once) StoreLines<stores>(on, back, on_row, back_row);
    if (HWY_UNLIKELY(evidence.Any())) Doubt<stores>(wide, n, centre, zeros, on, back, doubtful);
    if constexpr (!at_once) StoreLines<stores>(on, back, on_row, back_row);
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_ANGLE_ADDITION_INL_H
