// SPDX-License-Identifier: Apache-2.0
// The formula of the input stage in lanes: RN(RN(row x scale) + signal).
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_SCALED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_SCALED_INL_H
#undef POSENC_ENGINE_SCALED_INL_H
#else
#define POSENC_ENGINE_SCALED_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "src/engine/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Not yet rounded to T.
template <class T>
HWY_INLINE hn::Vec<LanesOf<T>> ScaledSum(const T* row, hn::Vec<LanesOf<T>> scale, const T* signal) {
  return hn::Add(Rounded(hn::Mul(LoadWide(row), scale), row), LoadWide(signal));
}

/// write(row, signal, out) for the last `count` columns, less than a vector: through memory that holds one.
template <class T, class Write>
HWY_INLINE void WriteLast(const T* row, const T* signal, std::size_t count, T* out, const Write& write) {
  constexpr std::size_t most = hn::MaxLanes(LanesOf<T>());
  T last_row[most] = {}, last_signal[most] = {}, last_out[most];
  std::copy(row, row + count, last_row);
  std::copy(signal, signal + count, last_signal);
  write(last_row, last_signal, last_out);
  std::copy(last_out, last_out + count, out);
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_SCALED_INL_H
