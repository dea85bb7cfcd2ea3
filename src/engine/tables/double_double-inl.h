// SPDX-License-Identifier: Apache-2.0
// Double-doubles in lanes, and the sines and cosines of phases of 128 bits. Errors: double_double.h.
//
// Included once for each instruction set, and used where multiply-adds are fused.
#if defined(POSENC_ENGINE_DOUBLE_DOUBLE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_DOUBLE_DOUBLE_INL_H
#undef POSENC_ENGINE_DOUBLE_DOUBLE_INL_H
#else
#define POSENC_ENGINE_DOUBLE_DOUBLE_INL_H
#endif

#include <hwy/highway.h>

#include <utility>

#include "src/engine/lanes-inl.h"
#include "src/engine/tables/double_double.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct DoubleDouble {
  hn::Vec<F64> high, low;
  HWY_INLINE DoubleDouble() {}  // written out, because GCC 12 makes an implicit one for no instruction set
  HWY_INLINE DoubleDouble(hn::Vec<F64> h, hn::Vec<F64> l) : high(h), low(l) {}
};

HWY_INLINE DoubleDouble Product(const DoubleDouble& a, const DoubleDouble& b) {
  const auto high = hn::Mul(a.high, b.high);
  const auto low = hn::MulAdd(a.high, b.low, hn::MulSub(a.high, b.high, high));
  return {high, hn::MulAdd(a.low, b.high, low)};
}

// c + a b, |a b| <= |c| / 2: what high leaves of c + a.high b.high is a.high b.high - (high - c), whose difference is
// exact.
HWY_INLINE DoubleDouble SumOfProduct(const DoubleDouble& a, const DoubleDouble& b, const Constant& constant) {
  const F64 d;
  const auto c = hn::Set(d, constant.high), high = hn::MulAdd(a.high, b.high, c);
  auto low = hn::MulSub(a.high, b.high, hn::Sub(high, c));
  if (constant.low != 0) low = hn::Add(low, hn::Set(d, constant.low));
  return {high, hn::MulAdd(a.high, b.low, hn::MulAdd(a.low, b.high, low))};
}

// No loop: GCC would keep the coefficients in memory, and their number in a register.
template <const DoubledSeries& of, std::size_t... i, std::size_t... k>
HWY_INLINE DoubleDouble SeriesOf(const DoubleDouble& u, std::index_sequence<i...>, std::index_sequence<k...>) {
  const F64 d;
  auto sum = hn::Set(d, of.rest[sizeof...(k)]);
  ((sum = hn::MulAdd(sum, u.high, hn::Set(d, of.rest[sizeof...(k) - 1 - k]))), ...);
  DoubleDouble value(sum, hn::Zero(d));
  ((value = SumOfProduct(u, value, of.leading[sizeof...(i) - 1 - i])), ...);
  return value;
}
template <const DoubledSeries& of>
HWY_INLINE DoubleDouble Series(const DoubleDouble& u) {
  return SeriesOf<of>(u, std::make_index_sequence<DoubledSeries::doubled>(),
                      std::make_index_sequence<DoubledSeries::all - DoubledSeries::doubled - 1>());
}

/// The signed number of units that 128 bits are, over 2^64.
HWY_INLINE DoubleDouble SignedUnits(hn::Vec<U64> high, hn::Vec<U64> low) {
  const F64 d;
  const U64 du;
  const auto field = [&](hn::Vec<U64> bits, double one, double less) HWY_ATTR {
    return hn::Sub(hn::BitCast(d, hn::Or(bits, hn::BitCast(du, hn::Set(d, one)))), hn::Set(d, less));
  };
  const auto from_least = hn::Xor(high, hn::Set(du, std::uint64_t{1} << 63));
  const auto a = field(hn::ShiftRight<32>(from_least), 0x1p84, 0x1p84 + 0x1p63);
  const auto b = field(hn::And(from_least, hn::Set(du, 0xFFFFFFFFu)), 0x1p52, 0x1p52);
  const auto c = field(hn::ShiftRight<12>(low), 1, 1);
  const auto sum = hn::Add(a, b);  // a is 0 or the larger one
  return {sum, hn::Add(hn::Sub(b, hn::Sub(sum, a)), c)};
}

/// Sine and cosine of (high, low) / 2^128 turns.
HWY_INLINE void WideSineCosine(hn::Vec<U64> high, hn::Vec<U64> low, DoubleDouble& sine, DoubleDouble& cosine) {
  const F64 d;
  const U64 du;
  // The quarters are those of SineCosine (sines-inl.h): an odd one exchanges the two, bit 1 of it turns the sine's
  // sign.
  const auto eighth = hn::Set(du, std::uint64_t{1} << 61), fourth = hn::Set(du, std::uint64_t{1} << 62);
  const auto ahead = hn::Add(high, eighth);
  const auto rest = SignedUnits(hn::Or(hn::ShiftLeft<2>(high), hn::ShiftRight<62>(low)), hn::ShiftLeft<2>(low));

  const DoubleDouble x = Product(rest, {hn::Set(d, quarter_high), hn::Set(d, quarter_low)});
  const auto square = hn::Mul(x.high, x.high);
  const auto twice = hn::Add(x.high, x.high);
  const DoubleDouble u(square, hn::MulAdd(twice, x.low, hn::MulSub(x.high, x.high, square)));
  const DoubleDouble s = Product(x, Series<doubled_sine>(u)), c = Series<doubled_cosine>(u);

  const auto odd = hn::RebindMask(d, hn::TestBit(ahead, fourth));
  const auto chosen = [&](const DoubleDouble& of_odd, const DoubleDouble& of_even, hn::Vec<U64> turn) HWY_ATTR {
    const auto sign = hn::BitCast(d, hn::And(turn, hn::Set(du, std::uint64_t{1} << 63)));
    return DoubleDouble(hn::Xor(hn::IfThenElse(odd, of_odd.high, of_even.high), sign),
                        hn::Xor(hn::IfThenElse(odd, of_odd.low, of_even.low), sign));
  };
  sine = chosen(c, s, ahead);
  cosine = chosen(s, c, hn::Add(ahead, fourth));
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_DOUBLE_DOUBLE_INL_H
