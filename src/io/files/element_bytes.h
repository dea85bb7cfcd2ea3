// SPDX-License-Identifier: Apache-2.0
// The elements of a view as files hold them: row-major, little-endian, in pieces.
#pragma once

#include <posenc/core.h>

#include <algorithm>

namespace posenc::io {

template <class Pointer>
std::span<const std::int64_t> sizes(const BasicView<Pointer>& view) {
  return {view.shape.data(), static_cast<std::size_t>(view.rank)};
}

/// Reverses every element on big-endian machines, and does nothing on others.
inline void to_little_endian(std::span<std::byte> bytes, std::size_t element) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t at = 0; at < bytes.size(); at += element) std::ranges::reverse(bytes.subspan(at, element));
  }
}

/// Calls row(first, stride, count) for every run along the last axis, in row-major order; `first` and `stride` in
/// elements. One call for rank 0, none when a size is 0.
template <class Row>
void for_each_row(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, Row row) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  if (shape.empty()) return row(0, 1, 1);
  const std::size_t last = shape.size() - 1;
  std::array<std::int64_t, max_rank> at = {};
  std::int64_t first = 0;
  for (;;) {
    row(first, strides[last], shape[last]);
    std::size_t axis = last;
    for (;;) {
      if (axis == 0) return;
      --axis;
      if (at[axis] + 1 < shape[axis]) break;
      first -= strides[axis] * at[axis];
      at[axis] = 0;
    }
    ++at[axis];
    first += strides[axis];
  }
}

/// Hands the elements to sink(bytes), at most 1 MiB at a time.
template <class Sink>
void for_each_piece(const ConstView& view, Sink sink) {
  constexpr std::size_t piece_size = std::size_t{1} << 20;
  const std::size_t size = size_of(view.dtype);
  const auto element = static_cast<std::int64_t>(size);
  const auto* data = static_cast<const std::byte*>(view.data);
  std::vector<std::byte> piece;
  piece.reserve(std::min(piece_size, static_cast<std::size_t>(view.count()) * size));
  const auto hand_over = [&] {
    to_little_endian(piece, size);
    sink(std::span<const std::byte>(piece));
    piece.clear();
  };
  const auto row = [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t run =
          stride == 1 ? std::min(count - i, static_cast<std::int64_t>(piece_size - piece.size()) / element) : 1;
      const std::byte* from = data + (first + i * stride) * element;
      piece.insert(piece.end(), from, from + run * element);
      i += run;
      if (piece.size() == piece_size) hand_over();
    }
  };
  for_each_row(sizes(view), view.strides, row);
  if (!piece.empty()) hand_over();
}

}  // namespace posenc::io
