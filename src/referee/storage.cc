// SPDX-License-Identifier: Apache-2.0
// Whether all elements, or all but a few, are numbers of a narrower type.
#include "src/referee/storage.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "src/base/blocks.h"
#include "src/referee/reading.h"

namespace posenc::referee {
namespace {

// A number that is none is none in every type.
bool is_f32(double x) { return static_cast<double>(static_cast<float>(x)) == x || x != x; }
bool is_bf16(double x) {
  return x != x || (is_f32(x) && (std::bit_cast<std::uint32_t>(static_cast<float>(x)) & 0xFFFF) == 0);
}
bool is_f16(double x) {
  if (x != x) return true;
  if (!is_f32(x)) return false;
  const auto narrow = static_cast<float>(x);
  const float size = std::abs(narrow), units = size * 0x1p24f;  // of the smallest
  if (size < 0x1p-14f) return static_cast<float>(static_cast<int>(units)) == units;
  return (std::bit_cast<std::uint32_t>(narrow) & 0x1FFF) == 0 && (size <= 65504 || std::isinf(size));
}

// The tensor as one axis where its elements stand side by side.
ConstView flat(const ConstView& tensor) {
  std::int64_t next = 1;
  for (int axis = tensor.rank - 1; axis >= 0; next *= tensor.size(axis--)) {
    if (tensor.size(axis) > 1 && tensor.stride(axis) != next) return tensor;
  }
  ConstView view = tensor;
  view.rank = 1, view.shape[0] = next, view.strides[0] = 1;
  return view;
}

// Where row i stands, of those along the last axis.
std::int64_t row_offset(const ConstView& tensor, std::int64_t i) {
  std::int64_t offset = 0;
  for (int axis = tensor.rank - 2; axis >= 0; i /= tensor.size(axis--))
    offset += i % tensor.size(axis) * tensor.stride(axis);
  return offset;
}

template <class Element, bool (*holds)(double)>
bool most_are(const ConstView& tensor, std::int64_t most_others, const Executor& executor) {
  const ConstView view = flat(tensor);
  const std::int64_t width = view.size(-1), rows = view.count() / width, step = view.stride(-1);
  constexpr std::int64_t most = std::int64_t{1} << 16;
  const std::int64_t piece = std::min(width, most), pieces = blocks(width, piece);
  std::atomic<std::int64_t> others = 0;
  for_blocks(executor, rows * pieces, blocks(most, piece), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end && others.load(std::memory_order_relaxed) <= most_others; ++i) {
      const std::int64_t first = i % pieces * piece, start = row_offset(view, i / pieces);
      for (std::int64_t c = first; c < std::min(first + piece, width); ++c) {
        if (!holds(real_as<Element>(view, start + c * step)) && others++ >= most_others) return;
      }
    }
  });
  return others <= most_others;
}

}  // namespace

std::vector<DType> storages_of(const ConstView& tensor, const Executor& executor, std::int64_t most_others) {
  std::vector<DType> all = {tensor.dtype};
  if (tensor.count() == 0) return all;
  with_real(tensor.dtype, [&]<class Element>(Element) {
    const bool wide = sizeof(Element) > sizeof(float), narrow = sizeof(Element) < sizeof(float);
    if (wide && most_are<Element, is_f32>(tensor, most_others, executor)) all.push_back(DType::f32);
    if (!narrow && most_are<Element, is_f16>(tensor, most_others, executor)) all.push_back(DType::f16);
    if (!narrow && most_are<Element, is_bf16>(tensor, most_others, executor)) all.push_back(DType::bf16);
  });
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
