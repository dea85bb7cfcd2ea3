// SPDX-License-Identifier: Apache-2.0
// Elements of views: typed addresses, and the type in which each element type is computed.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// f64 computes in f64, the others in f32; the result is rounded to storage.
template <class T>
using Computing = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// -value, of any real element type.
template <class T>
T negated(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return -value;
  } else {
    return T::from_bits(value.bits ^ 0x8000u);
  }
}

/// Calls function(T{}) with the real type T of that name, which has been checked.
template <class Function>
void with_real(DType type, const Function& function) {
  switch (type) {
    case DType::f32: return function(float{});
    case DType::f64: return function(double{});
    case DType::f16: return function(half{});
    case DType::bf16: return function(bfloat16{});
    default: return;
  }
}

/// The integer at an offset of a view of i32 or i64.
inline std::int64_t integer_of(const ConstView& numbers, std::int64_t offset) {
  return numbers.dtype == DType::i32 ? static_cast<const std::int32_t*>(numbers.data)[offset]
                                     : static_cast<const std::int64_t*>(numbers.data)[offset];
}

/// One function for each real element type; none for those that its kernel does not take.
template <template <class> class Function>
struct ByType {
  Function<float>* f32;
  Function<half>* f16;
  Function<bfloat16>* bf16;
  Function<double>* f64 = nullptr;

  template <class T>
  Function<T>* of() const {
    if constexpr (std::is_same_v<T, float>) return f32;
    if constexpr (std::is_same_v<T, half>) return f16;
    if constexpr (std::is_same_v<T, bfloat16>) return bf16;
    if constexpr (std::is_same_v<T, double>) return f64;
  }
};

/// A row of a view: first element and the step between elements.
template <class T>
struct StridedRow {
  T* data;
  std::int64_t step;

  T& operator[](std::int64_t i) const { return data[i * step]; }
};

/// The row at the leading indices; an index beyond the view's leading axes is left out.
template <class T, class Pointer>
StridedRow<T> strided_row(const BasicView<Pointer>& view, std::initializer_list<std::int64_t> index) {
  std::int64_t offset = 0;
  int axis = 0;
  for (const std::int64_t i : index) offset += i * view.stride(axis++);
  return {static_cast<T*>(view.data) + offset, view.stride(-1)};
}

/// Row t of [L, d], or of sequence b of [B, L, d].
template <class T, class Pointer>
StridedRow<T> row_at(const BasicView<Pointer>& view, std::int64_t b, std::int64_t t) {
  return view.rank == 3 ? strided_row<T>(view, {b, t}) : strided_row<T>(view, {t});
}

}  // namespace posenc
