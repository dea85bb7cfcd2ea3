// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/sincos_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/sincos_kernel.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sum of c[i] u^i by Horner's rule
template <class D, std::size_t count>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> u, const double (&c)[count]) {
  auto sum = hn::Set(d, c[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) sum = hn::MulAdd(sum, u, hn::Set(d, c[i]));
  return sum;
}

// Taylor coefficients: (-1)^i / (2i + 3)! and (-1)^(i+1) / (2i + 2)!. On |x| <= pi / 4 what is left out is below
// x^19 / 19! < 2^-63 and x^18 / 18! < 2^-58.
constexpr double sine_series[] = {-1.0 / 6,
                                  1.0 / 120,
                                  -1.0 / 5040,
                                  1.0 / 362880,
                                  -1.0 / 39916800.0,
                                  1.0 / 6227020800.0,
                                  -1.0 / 1307674368000.0,
                                  1.0 / 355687428096000.0};
constexpr double cosine_series[] = {-1.0 / 2,         1.0 / 24,          -1.0 / 720,           1.0 / 40320,
                                    -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
constexpr double radians_per_unit = 0x1.921fb54442d18p-62;  // 2 pi / 2^64

void Phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    // phase = quarter * 2^62 + rest, |rest| <= 2^61: an eighth of a turn
    const auto turns = hn::LoadU(du, phase + i);
    const auto quarter = hn::ShiftRight<62>(hn::Add(turns, hn::Set(du, std::uint64_t{1} << 61)));
    const auto rest = hn::BitCast(di, hn::Sub(turns, hn::ShiftLeft<62>(quarter)));

    const auto x = hn::Mul(hn::ConvertTo(d, rest), hn::Set(d, radians_per_unit));
    const auto u = hn::Mul(x, x);
    const auto s = hn::MulAdd(hn::Mul(x, u), polynomial(d, u, sine_series), x);
    const auto c = hn::MulAdd(u, polynomial(d, u, cosine_series), hn::Set(d, 1.0));

    // An odd quarter exchanges the two; bit 1 of quarter turns the sine's sign, bit 1 of quarter + 1 the cosine's. (Not
    // IfNegativeThenElse: Highway 1.0.3 takes -0 for positive on SCALAR.)
    const auto one = hn::Set(du, std::uint64_t{1});
    const auto odd = hn::RebindMask(d, hn::TestBit(quarter, one));
    const auto sine_sign = hn::ShiftLeft<63>(hn::ShiftRight<1>(quarter));
    const auto cosine_sign = hn::ShiftLeft<63>(hn::ShiftRight<1>(hn::Add(quarter, one)));
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, sine_sign)), d, sine + i);
    hn::StoreU(hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, cosine_sign)), d, cosine + i);
  }
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(Phases);
HWY_EXPORT(Target);

void sine_cosine_of_phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine) {
  HWY_DYNAMIC_DISPATCH(Phases)(phase, count, sine, cosine);
}

const char* kernel_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace posenc::engine
#endif
