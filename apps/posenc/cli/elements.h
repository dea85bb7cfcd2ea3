// SPDX-License-Identifier: Apache-2.0
// Elements of any real type, for what is shown and measured.
#pragma once

#include <posenc/core.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace posenc::tool {

/// work(T{}) for the C++ type of a real dtype.
template <class Work>
void with_real(DType type, Work&& work) {
  switch (type) {
    case DType::f64: return work(double{});
    case DType::f16: return work(half{});
    case DType::bf16: return work(bfloat16{});
    default: return work(float{});
  }
}

template <class T>
double to_double(T value) {
  if constexpr (sizeof(T) == 2) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

/// out[i] = the elements of a row [d] of any stride.
inline void read_row(const ConstView& row, std::span<double> out) {
  with_real(row.dtype, [&]<class T>(T) {
    const T* from = static_cast<const T*>(row.data);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_double(from[static_cast<std::int64_t>(i) * row.stride(0)]);
  });
}

/// The Euclidean one.
inline double norm(std::span<const float> row) {
  double sum = 0;
  for (const float value : row) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

/// Entry `index` along the first axis, without that axis.
template <class V>
V entry(const V& view, std::int64_t index) {
  V result = view;
  const std::int64_t bytes = index * view.stride(0) * static_cast<std::int64_t>(size_of(view.dtype));
  using Byte = std::conditional_t<std::is_same_v<V, View>, char, const char>;
  if (index != 0) result.data = static_cast<Byte*>(view.data) + bytes;
  std::copy(view.shape.begin() + 1, view.shape.end(), result.shape.begin());
  std::copy(view.strides.begin() + 1, view.strides.end(), result.strides.begin());
  --result.rank;
  return result;
}

/// Entries first, ..., first + count - 1 along the first axis.
template <class V>
V entries(const V& view, std::int64_t first, std::int64_t count) {
  V result = view;
  result.data = entry(view, first).data;
  result.shape[0] = count;
  return result;
}

}  // namespace posenc::tool
