// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/tables/phase_waves.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/tables/phase_waves.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U64s = hn::ScalableTag<std::uint64_t>;
using F64s = hn::ScalableTag<double>;
using F32s = hn::Rebind<float, F64s>;
using Whole = hn::Vec<U64s>;
using Real = hn::Vec<F64s>;
using Mask = hn::Mask<F64s>;

// The product of numbers below 2^32.
HWY_INLINE Whole Product(Whole a, Whole b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Mul(a, b);
#else
  const hn::Repartition<std::uint32_t, U64s> words;
  return hn::MulEven(hn::BitCast(words, a), hn::BitCast(words, b));
#endif
}

template <int shift>
HWY_INLINE Whole Minus(std::uint32_t coefficient, Whole z, Whole by) {
  return hn::Sub(hn::Set(U64s(), coefficient), hn::ShiftRight<shift>(Product(z, by)));
}
template <const PhasePolynomial& of>
HWY_INLINE Whole Polynomial(Whole z) {
  const auto& c = of.coefficients;
  const auto c3 = Minus<of.shifts[3]>(c[3], z, hn::Set(U64s(), c[4]));
  const auto c2 = Minus<of.shifts[2]>(c[2], z, c3);
  const auto c1 = Minus<of.shifts[1]>(c[1], z, c2);
  return Minus<of.shifts[0]>(c[0], z, c1);
}

// A whole number below 2^52.
HWY_INLINE Real Exactly(Whole number) {
  const auto two52 = hn::Set(F64s(), 0x1p52);
  return hn::Sub(hn::BitCast(F64s(), hn::Or(number, hn::BitCast(U64s(), two52))), two52);
}
HWY_INLINE Real RoundedToF32(Real x) { return hn::PromoteTo(F64s(), hn::DemoteTo(F32s(), x)); }
// 0 - x, so that a 0 stays +0.
HWY_INLINE Real NegatedWhere(Mask below, Real x) { return hn::IfThenElse(below, hn::Sub(hn::Zero(F64s()), x), x); }

HWY_INLINE void Waves(Whole phase, hn::Vec<F32s>& sine, hn::Vec<F32s>& cosine) {
  const U64s d;
  const auto mask = [](auto of_integers) HWY_ATTR { return hn::RebindMask(F64s(), of_integers); };
  const auto bit = [&](std::uint64_t number)
                       HWY_ATTR { return hn::TestBit(phase, hn::Set(d, std::uint64_t{1} << number)); };
  const auto second_half = mask(bit(63)), odd = mask(bit(62));
  const auto from_end = bit(61);
  const auto in_quarter = hn::And(phase, hn::Set(d, (std::uint64_t{1} << 62) - 1));
  const auto X = hn::IfThenElse(from_end, hn::Sub(hn::Set(d, std::uint64_t{1} << 62), in_quarter), in_quarter);

  const auto x = hn::ShiftRight<31>(hn::Add(X, hn::Set(d, std::uint64_t{1} << 30)));
  const auto z = hn::ShiftRight<30>(Product(x, x));
  const auto s = Polynomial<phase_sine>(z);
  const auto S = hn::ShiftRight<30>(Product(x, s)), C = Polynomial<phase_cosine>(z);

  // What S and C become: sines are below 0 in the second half of a turn, cosines in quarters 1 and 2.
  const auto swapped = hn::Xor(odd, mask(from_end));
  const auto S_below = hn::Xor(second_half, hn::And(swapped, odd));
  const auto C_below = hn::Xor(second_half, hn::AndNot(swapped, odd));

  const auto none = hn::Zero(d);
  const auto small = hn::Eq(hn::ShiftRight<small_bits>(X), none), whole = hn::Eq(hn::ShiftRight<whole_bits>(X), none);
  const auto number = hn::IfThenElse(small, hn::IfThenElse(whole, X, hn::ShiftRight<small_bits - whole_bits>(X)), S);
  // Units: 2^-62 quarters of X, 2^-30 of s, 2^-31 of S and C.
  const auto unit = hn::IfThenElse(mask(whole), hn::Set(F64s(), 0x1p-92), hn::Set(F64s(), 0x1p-85));
  const auto by = hn::IfThenElse(mask(small), hn::Mul(RoundedToF32(Exactly(s)), unit), hn::Set(F64s(), 0x1p-31));
  // A product of two numbers of f32 is exact in f64.
  const auto of_S = hn::Mul(RoundedToF32(NegatedWhere(S_below, Exactly(number))), by);
  const auto of_C = hn::Mul(RoundedToF32(NegatedWhere(C_below, Exactly(C))), hn::Set(F64s(), 0x1p-31));
  sine = hn::DemoteTo(F32s(), hn::IfThenElse(swapped, of_C, of_S));
  cosine = hn::DemoteTo(F32s(), hn::IfThenElse(swapped, of_S, of_C));
}

void PhaseWaves(const std::uint64_t* phase, std::size_t count, float* sine, float* cosine) {
  const U64s d;
  const F32s f;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<F32s> s, c;
    Waves(hn::LoadU(d, phase + i), s, c);
    hn::StoreU(s, f, sine + i);
    hn::StoreU(c, f, cosine + i);
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {
HWY_EXPORT(PhaseWaves);

void phase_waves(const std::uint64_t* phase, std::size_t count, float* sine, float* cosine) {
  HWY_DYNAMIC_DISPATCH(PhaseWaves)(phase, count, sine, cosine);
}

}  // namespace posenc::engine
#endif  // HWY_ONCE
