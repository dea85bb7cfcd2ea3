// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/biases/inclines.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/biases/inclines.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/tables/rounding_test-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using WideVec = hn::Vec<F64>;

// The bits that turn a difference into what is measured, by Or: its sign, or nothing.
HWY_INLINE WideVec SignOf(Measured measured) {
  return hn::Set(F64(), measured == Measured::minus_distance ? -0.0 : 0.0);
}

// ---- f32, bf16 and f16 from one product in f64 ------------------------------------------------------

// Of the difference, of the nearest f64 to a slope and of their product: 2^-53 of itself each, together below 2^-51.
constexpr numerics::ErrorBound rounded_products = numerics::relative_error(-51, -126);

// Ties and the sizes between which the type is normal.
template <class T>
struct Ties {
  static constexpr std::uint64_t tie = numerics::tie_bits<T>, units = rounded_products.units();
  // A sum with `up` has none of the bits `far` where a value lies within the bound of a tie. 0 does not.
  static constexpr std::uint64_t up = tie + units, far = (2 * tie - 1) & ~(2 * units - 1);
  static constexpr double power(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  static constexpr double least = power(numerics::Format<T>::minimum), most = power(1 - numerics::Format<T>::minimum);
};

template <class T, Products products>
HWY_INLINE hn::Mask<F64> InDoubt(hn::Vec<F64> product) {
  const F64 d;
  const U64 du;
  using Of = Ties<T>;
  const auto bits = hn::And(hn::Add(hn::BitCast(du, product), hn::Set(du, Of::up)), hn::Set(du, Of::far));
  const auto near = hn::RebindMask(d, hn::Eq(bits, hn::Zero(du)));
  if constexpr (products == Products::sized) return near;
  const auto size = hn::Abs(product);
  return hn::Or(near, hn::Or(hn::Lt(size, hn::Set(d, Of::least)), hn::Gt(size, hn::Set(d, Of::most))));
}

// f32 lanes whose Stored form in T is RN(value), ties to even, of sizes that T has normal.
template <class T>
HWY_INLINE hn::Vec<F32> NearestEven(const Wide& value) {
  if constexpr (std::is_same_v<T, float>) {
    return ToF32(value);
  } else {
    const U64 d;
    constexpr std::uint64_t tie = numerics::tie_bits<T>;
    Wide cut;
    for (std::size_t h = 0; h < halves; ++h) {
      const auto bits = hn::BitCast(d, value.part[h]);
      const auto odd = hn::And(hn::ShiftRight<53 - numerics::Format<T>::precision>(bits), hn::Set(d, 1));
      const auto sum = hn::Add(bits, hn::Add(odd, hn::Set(d, tie - 1)));
      cut.part[h] = hn::BitCast(F64(), hn::AndNot(hn::Set(d, 2 * tie - 1), sum));
    }
    return ToF32(cut);
  }
}

HWY_INLINE bool AnyOf(const hn::Mask<F64> (&masks)[halves]) {
  auto any = masks[0];
  for (std::size_t h = 1; h < halves; ++h) any = hn::Or(any, masks[h]);
  return !hn::AllFalse(F64(), any);
}

template <class T, Products products>
std::size_t Line(const Incline& incline, const double* x, std::size_t count, T* out, std::uint16_t* doubts) {
  constexpr std::size_t lanes = hn::MaxLanes(F32());
  const F64 d;
  const auto high = hn::Set(d, incline.high), from = hn::Set(d, incline.from), sign = SignOf(incline.measured);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    Wide value;
    for (std::size_t h = 0; h < halves; ++h) {
      const auto difference = hn::Sub(hn::LoadU(d, x + i + h * hn::Lanes(d)), from);
      value.part[h] = hn::Add(hn::Mul(hn::Or(difference, sign), high), hn::Zero(d));  // of no difference: +0
    }
    if constexpr (products != Products::exact) {
      hn::Mask<F64> doubt[halves];
      for (std::size_t h = 0; h < halves; ++h) doubt[h] = InDoubt<T, products>(value.part[h]);
      if (HWY_UNLIKELY(AnyOf(doubt))) {
        for (std::size_t h = 0; h < halves; ++h) {
          const std::size_t at = i + h * hn::Lanes(d);
          found += PlacesIn(d, hn::AndNot(hn::Eq(hn::LoadU(d, x + at), from), doubt[h]), at, doubts + found);
        }
      }
    }
    const auto stored = NearestEven<T>(value);
    if (HWY_LIKELY(i + lanes <= count)) {
      Store(stored, out + i);
    } else {
      T last[lanes];
      Store(stored, last);
      std::copy_n(last, count - i, out + i);
    }
  }
  while (found > 0 && doubts[found - 1] >= count) --found;
  return found;
}

template <class T>
std::size_t Narrow(const Incline& incline, const double* x, std::size_t count, T* out, std::uint16_t* doubts) {
  const Incline of = incline;  // by value, since a store might change it
  switch (of.products) {
    case Products::exact: return Line<T, Products::exact>(of, x, count, out, doubts);
    case Products::sized: return Line<T, Products::sized>(of, x, count, out, doubts);
    default: return Line<T, Products::any>(of, x, count, out, doubts);
  }
}

// ---- f64 from two -----------------------------------------------------------------------------------

// An unevaluated sum.
struct Two {
  WideVec high, low;
};

// x - from without an error (Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B).
HWY_INLINE Two Difference(WideVec x, WideVec from) {
  const auto sum = hn::Sub(x, from), back = hn::Sub(sum, x);
  return {sum, hn::Sub(hn::Sub(x, hn::Sub(sum, back)), hn::Add(from, back))};
}

// What a b lacks of its f64 p, exactly; by Dekker and Veltkamp where there is no fused multiply-add.
HWY_INLINE WideVec ErrorOfProduct(WideVec a, WideVec b, WideVec p) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, p);
#else
  const auto upper_half = [](WideVec v) HWY_ATTR {
    const auto t = hn::Mul(v, hn::Set(F64(), 0x1p27 + 1));
    return hn::Sub(t, hn::Sub(t, v));
  };
  const auto a1 = upper_half(a), a0 = hn::Sub(a, a1), b1 = upper_half(b), b0 = hn::Sub(b, b1);
  const auto rest = hn::Add(hn::Add(hn::Sub(hn::Mul(a1, b1), p), hn::Mul(a1, b0)), hn::Mul(a0, b1));
  return hn::Add(rest, hn::Mul(a0, b0));
#endif
}

// The product p + t of (high + low) and a difference of two parts: t is off by less than 2.5 2^-104 of p, for low, the
// three products and the two sums in it, and its sum with the bound by 2^-104. p's own error is exact from 2^-800 on.
std::size_t Double(const Incline& incline, const double* x, std::size_t count, double* out, std::uint16_t* doubts) {
  constexpr std::size_t lanes = hn::MaxLanes(F64());
  const F64 d;
  const auto high = hn::Set(d, incline.high), low = hn::Set(d, incline.low), from = hn::Set(d, incline.from);
  const auto sign = SignOf(incline.measured);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const Two difference = Difference(hn::LoadU(d, x + i), from);
    const auto none = hn::Eq(difference.high, hn::Zero(d));
    const auto turn = hn::AndNot(difference.high, sign);  // of what is above 0
    const auto a = hn::Xor(difference.high, turn), b = hn::Xor(difference.low, turn);
    const auto p = hn::Mul(a, high);
    const auto t = hn::Add(ErrorOfProduct(a, high, p), hn::Add(hn::Mul(a, low), hn::Mul(b, high)));
    const auto size = hn::Abs(p), bound = hn::Mul(size, hn::Set(d, 0x1p-102));
    const auto above = hn::Add(p, hn::Add(t, bound)), below = hn::Add(p, hn::Sub(t, bound));
    const auto small = hn::Lt(size, hn::Set(d, 0x1p-800));
    const auto doubt = hn::AndNot(none, hn::Or(small, hn::Ne(above, below)));
    if (HWY_UNLIKELY(!hn::AllFalse(d, doubt))) found += PlacesIn(d, doubt, i, doubts + found);
    const auto value = hn::IfThenZeroElse(none, above);
    if (HWY_LIKELY(i + lanes <= count)) {
      hn::StoreU(value, d, out + i);
    } else {
      double last[lanes];
      hn::StoreU(value, d, last);
      std::copy_n(last, count - i, out + i);
    }
  }
  while (found > 0 && doubts[found - 1] >= count) --found;
  return found;
}

const ByType<WriteIncline>& InclineTable() {
  static constexpr ByType<WriteIncline> all = {&Narrow<float>, &Narrow<half>, &Narrow<bfloat16>, &Double};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(InclineTable);
const ByType<WriteIncline>& incline_kernels() { return HWY_DYNAMIC_DISPATCH(InclineTable)(); }

}  // namespace posenc::engine
#endif
