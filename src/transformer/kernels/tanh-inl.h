// SPDX-License-Identifier: Apache-2.0
// tanh in f32 lanes.
//
// Included once for each instruction set.
#if defined(POSENC_TRANSFORMER_TANH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_TRANSFORMER_TANH_INL_H
#undef POSENC_TRANSFORMER_TANH_INL_H
#else
#define POSENC_TRANSFORMER_TANH_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x P(x^2) / Q(x^2), from tools/fits/tanh.py: relative error below 2^-24.3 beside that of 11 roundings, in all below
// 2^-21. At most 1 in size; odd; NaN stays NaN.
template <class D>
HWY_INLINE hn::Vec<D> Tanh(D d, hn::Vec<D> value) {
  const auto end = hn::Set(d, 9.02f);  // from where it rounds to 1
  const auto size = hn::Abs(value);
  const auto x = hn::IfThenElse(hn::Gt(size, end), end, size);
  const auto u = hn::Mul(x, x);
  auto p = hn::Set(d, 0x1.c9ab54p-27f);
  p = hn::MulAdd(p, u, hn::Set(d, 0x1.59593ap-16f));
  p = hn::MulAdd(p, u, hn::Set(d, 0x1.c9fa9ap-9f));
  p = hn::MulAdd(p, u, hn::Set(d, 0x1.120494p-3f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.0f));
  auto q = hn::Set(d, 0x1.a0be4ep-21f);
  q = hn::MulAdd(q, u, hn::Set(d, 0x1.584490p-12f));
  q = hn::MulAdd(q, u, hn::Set(d, 0x1.a7e048p-6f));
  q = hn::MulAdd(q, u, hn::Set(d, 0x1.de5794p-2f));
  q = hn::MulAdd(q, u, hn::Set(d, 1.0f));
  const auto ratio = hn::Div(hn::Mul(x, p), q), one = hn::Set(d, 1.0f);
  return hn::CopySign(hn::IfThenElse(hn::Gt(ratio, one), one, ratio), value);
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
