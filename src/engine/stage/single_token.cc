// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/stage/single_token.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/stage/single_token.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/stage/scaled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void WriteToken(const Token<T>& token) {
  const LanesOf<T> d;
  const T *const row = token.row, *const signal = token.signal;  // by name, since a store might change the token
  T* const out = token.out;
  const auto scale = hn::Set(d, token.scale);
  const auto width = static_cast<std::size_t>(token.width);
  const auto write = [&](const T* from, const T* added, T* to)
                         HWY_ATTR { StoreRounded(ScaledSum(from, scale, added), to); };
  std::size_t c = 0;
  for (; c + hn::Lanes(d) <= width; c += hn::Lanes(d)) write(row + c, signal + c, out + c);
  if (c < width) WriteLast(row + c, signal + c, width - c, out + c, write);
}
void TokenF32(const Token<float>& token) { WriteToken(token); }
void TokenF64(const Token<double>& token) { WriteToken(token); }
void TokenF16(const Token<half>& token) { WriteToken(token); }
void TokenBf16(const Token<bfloat16>& token) { WriteToken(token); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(TokenF32);
HWY_EXPORT(TokenF64);
HWY_EXPORT(TokenF16);
HWY_EXPORT(TokenBf16);

template <>
void write_token(const Token<float>& token) {
  HWY_DYNAMIC_DISPATCH(TokenF32)(token);
}
template <>
void write_token(const Token<double>& token) {
  HWY_DYNAMIC_DISPATCH(TokenF64)(token);
}
template <>
void write_token(const Token<half>& token) {
  HWY_DYNAMIC_DISPATCH(TokenF16)(token);
}
template <>
void write_token(const Token<bfloat16>& token) {
  HWY_DYNAMIC_DISPATCH(TokenBf16)(token);
}

}  // namespace posenc::engine
#endif
