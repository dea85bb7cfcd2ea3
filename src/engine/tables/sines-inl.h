// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of phases in f64 lanes: one reduction, two short series.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_SINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_SINES_INL_H
#undef POSENC_ENGINE_SINES_INL_H
#else
#define POSENC_ENGINE_SINES_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/tables/phase.h"
#include "src/engine/tables/sines.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sum of c[i] u^i, i < 6, even and odd powers apart: three sums deep where Horner's rule is five, and no sum more
template <class D>
HWY_INLINE hn::Vec<D> Polynomial(D d, hn::Vec<D> u, hn::Vec<D> u2, const double (&c)[6]) {
  const auto every_other = [&](std::size_t i) HWY_ATTR {
    const auto upper = hn::MulAdd(hn::Set(d, c[i + 4]), u2, hn::Set(d, c[i + 2]));
    return hn::MulAdd(upper, u2, hn::Set(d, c[i]));
  };
  return hn::MulAdd(every_other(1), u, every_other(0));
}

/// The leading 64 bits of the fraction of mantissa / 2^shift times (high, low) / 2^128 turns, less than 2 units too
/// small. mantissa < 2^32, shift < 64; for shift > 0 high and low are all of the turns.
template <class D>
HWY_INLINE hn::Vec<D> TurnsOf(D d, std::uint64_t mantissa, int shift, hn::Vec<D> high, hn::Vec<D> low) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, multiple_of_turns(mantissa, shift, hn::GetLane(high), hn::GetLane(low)));
#else
  const hn::Repartition<std::uint32_t, D> half;
  const auto m = hn::BitCast(half, hn::Set(d, mantissa));
  const auto times = [&](hn::Vec<D> value) HWY_ATTR { return hn::MulEven(hn::BitCast(half, value), m); };
  // mantissa (high, low) = upper 2^32 + lower + what is dropped, in units of the last place of high
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3  // which multiplies 64 bits at once
  if (shift == 0) {
    return hn::Add(hn::Mul(high, hn::Set(d, mantissa)), hn::ShiftRight<32>(times(hn::ShiftRight<32>(low))));
  }
#endif
  const auto upper = times(hn::ShiftRight<32>(high));
  const auto lower = hn::Add(times(high), hn::ShiftRight<32>(times(hn::ShiftRight<32>(low))));
  const auto whole = hn::Add(hn::ShiftLeft<32>(upper), lower);
  if (shift == 0) return whole;
  const auto carry = hn::ShiftRight<32>(hn::Add(upper, hn::ShiftRight<32>(lower)));
  return hn::Or(hn::ShiftRightSame(whole, shift), hn::ShiftLeftSame(carry, 64 - shift));
#endif
}

/// phase[i] = multiple_of_turns(mantissa, shift, high[i], low[i]) for i < count.
HWY_INLINE void Multiples(std::uint64_t mantissa, int shift, const std::uint64_t* high, const std::uint64_t* low,
                          std::size_t count, std::uint64_t* phase) {
  const hn::ScalableTag<std::uint64_t> d;
  std::size_t i = 0;
  if (mantissa >> 32 == 0 && shift < 64) {
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(TurnsOf(d, mantissa, shift, hn::LoadU(d, high + i), hn::LoadU(d, low + i)), d, phase + i);
    }
  }
  for (; i < count; ++i) phase[i] = multiple_of_turns(mantissa, shift, high[i], low[i]);
}

/// Sine and cosine of turns / 2^64 turns. Errors: sines.h.
template <class D>
HWY_INLINE void SineCosine(D d, hn::Vec<hn::RebindToUnsigned<D>> turns, hn::Vec<D>& sine, hn::Vec<D>& cosine) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  // turns + 2^61 = quarter * 2^62 + rest + 2^61, |rest| <= 2^61: an eighth of a turn. 4 rest is 4 turns modulo
  // 2^64, with a sign.
  const auto eighth = hn::Set(du, std::uint64_t{1} << 61), fourth = hn::Set(du, std::uint64_t{1} << 62);
  const auto sign = hn::Set(du, std::uint64_t{1} << 63);
  const auto ahead = hn::Add(turns, eighth);
  const auto rest = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftLeft<2>(turns)));

  const auto x = hn::Mul(rest, hn::Set(d, radians_per_unit / 4));
  const auto u = hn::Mul(x, x), u2 = hn::Mul(u, u);
  const auto s = hn::MulAdd(hn::Mul(x, u), Polynomial(d, u, u2, sine_series), x);
  const auto c = hn::MulAdd(u, Polynomial(d, u, u2, cosine_series), hn::Set(d, 1.0));

  // An odd quarter exchanges the two; bit 1 of quarter turns the sine's sign, bit 1 of quarter + 1 the cosine's. (Not
  // IfNegativeThenElse: Highway 1.0.3 takes -0 for positive on SCALAR, and is wrong on SSSE3. Masks by TestBit are
  // right.)
  const auto odd = hn::RebindMask(d, hn::TestBit(ahead, fourth));
  const auto signed_by = [&](hn::Vec<D> value, hn::Vec<hn::RebindToUnsigned<D>> turn)
                             HWY_ATTR { return hn::BitCast(d, hn::Xor(hn::BitCast(du, value), hn::And(turn, sign))); };
  sine = signed_by(hn::IfThenElse(odd, c, s), ahead);
  cosine = signed_by(hn::IfThenElse(odd, s, c), hn::Add(ahead, fourth));
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_SINES_INL_H
