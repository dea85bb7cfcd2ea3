// SPDX-License-Identifier: Apache-2.0
// Tables as bytes, and random ways to cut a length into parts.
#pragma once

#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

namespace posenc::properties {

/// [0, length) cut into one part after the other, some of them empty: where each starts, and the end.
inline std::vector<std::int64_t> random_cuts(std::int64_t length) {
  auto cuts = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, length + 1));
  cuts.insert(cuts.end(), {0, length});
  std::ranges::sort(cuts);
  return cuts;
}

inline DType random_real() { return *rc::gen::element(DType::f32, DType::f64, DType::f16, DType::bf16); }

/// Row-major elements of any type, so that bits are compared.
struct Bits {
  std::vector<std::byte> bytes;
  View view;

  Bits(DType type, std::vector<std::int64_t> shape) : view{nullptr, type, static_cast<int>(shape.size()), {}, {}} {
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      view.shape[axis] = shape[axis];
      view.strides[axis] = stride;
    }
    bytes.resize(static_cast<std::size_t>(stride) * size_of(type), std::byte{0xA5});
    view.data = bytes.data();
  }
  /// Elements from index `first` along an axis, `count` of them.
  View part(int axis, std::int64_t first, std::int64_t count) {
    View some = view;
    some.shape[static_cast<std::size_t>(axis)] = count;
    some.data = bytes.data() + first * view.stride(axis) * static_cast<std::int64_t>(size_of(view.dtype));
    return some;
  }
  std::vector<std::byte> element(std::int64_t flat) const {
    const auto size = static_cast<std::ptrdiff_t>(size_of(view.dtype));
    return {bytes.begin() + flat * size, bytes.begin() + (flat + 1) * size};
  }
  friend bool operator==(const Bits& a, const Bits& b) { return a.bytes == b.bytes; }
};

inline Bits table(const Rows& rows, const Positions& positions, DType type) {
  Bits out(type, {positions.count_, rows.width()});
  rows.write(positions, out.view);
  return out;
}

}  // namespace posenc::properties
