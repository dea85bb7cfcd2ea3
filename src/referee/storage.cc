// SPDX-License-Identifier: Apache-2.0
// Whether all elements are numbers of a narrower type.
#include "src/referee/storage.h"

#include <array>

#include "src/referee/reading.h"

namespace posenc::referee {
namespace {

bool is_f32(double x) { return static_cast<double>(static_cast<float>(x)) == x; }
bool is_bf16(double x) {
  const auto narrow = static_cast<float>(x);
  return static_cast<double>(static_cast<float>(bfloat16(narrow))) == x;
}
bool is_f16(double x) {
  const auto narrow = static_cast<float>(x);
  return static_cast<double>(static_cast<float>(half(narrow))) == x;
}

// Calls each(offset) until it says false.
template <class Each>
bool for_elements(const ConstView& tensor, const Each& each) {
  std::array<std::int64_t, max_rank> index = {};
  const std::int64_t count = tensor.count();
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!each(offset)) return false;
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      offset += tensor.stride(axis);
      if (++index[a] < tensor.size(axis)) break;
      offset -= index[a] * tensor.stride(axis);
      index[a] = 0;
    }
  }
  return true;
}

}  // namespace

std::vector<DType> storages_of(const ConstView& tensor) {
  std::vector<DType> all = {tensor.dtype};
  struct Narrower {
    DType type;
    bool (*holds)(double);
  };
  static constexpr Narrower narrower[] = {{DType::f32, is_f32}, {DType::f16, is_f16}, {DType::bf16, is_bf16}};
  for (const auto& [type, holds] : narrower) {
    if (size_of(type) >= size_of(tensor.dtype)) continue;
    const auto holds_entry = [&](std::int64_t offset) {
      const double x = real_at(tensor, offset);
      return x != x || holds(x);
    };
    if (for_elements(tensor, holds_entry)) all.push_back(type);
  }
  return all;
}

double stored(double value, DType type) {
  switch (type) {
    case DType::f64: return value;
    case DType::f16: return static_cast<double>(static_cast<float>(half(static_cast<float>(value))));
    case DType::bf16: return static_cast<double>(static_cast<float>(bfloat16(static_cast<float>(value))));
    default: return static_cast<double>(static_cast<float>(value));
  }
}

}  // namespace posenc::referee
