// SPDX-License-Identifier: Apache-2.0
// A reading of a tensor: which of its axes count places and which one counts columns. No element is copied.
#pragma once

#include <posenc/core.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "src/base/elements.h"

namespace posenc::referee {

/// The element at an offset, of any real type; it may stand at any address.
template <class Element>
double real_as(const ConstView& view, std::int64_t offset) {
  Element element;
  const auto* from = static_cast<const std::byte*>(view.data) + offset * static_cast<std::int64_t>(sizeof element);
  std::memcpy(&element, from, sizeof element);
  if constexpr (std::is_floating_point_v<Element>) {
    return static_cast<double>(element);
  } else {
    return static_cast<double>(static_cast<float>(element));
  }
}
inline double real_at(const ConstView& view, std::int64_t offset) {
  switch (view.dtype) {
    case DType::f32: return real_as<float>(view, offset);
    case DType::f64: return real_as<double>(view, offset);
    case DType::f16: return real_as<half>(view, offset);
    case DType::bf16: return real_as<bfloat16>(view, offset);
    default: return 0;
  }
}

/// The integer at an offset of a tensor of i32 or i64, at any address too.
inline std::int64_t integer_at(const ConstView& view, std::int64_t offset) {
  const auto load = [&]<class Element>(Element element) -> std::int64_t {
    const auto* from = static_cast<const std::byte*>(view.data) + offset * static_cast<std::int64_t>(sizeof element);
    std::memcpy(&element, from, sizeof element);
    return element;
  };
  return view.dtype == DType::i32 ? load(std::int32_t{}) : load(std::int64_t{});
}

/// The view at index 0 of an axis, without it.
inline ConstView without_axis(ConstView view, int axis) {
  for (int next = axis; next + 1 < view.rank; ++next) {
    view.shape[static_cast<std::size_t>(next)] = view.size(next + 1);
    view.strides[static_cast<std::size_t>(next)] = view.stride(next + 1);
  }
  --view.rank;
  return view;
}

/// At most `most` of 0 .. count - 1, spread evenly, the first and the last among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t most);

/// The entries along the one axis that is longer than 1, [n]; nothing where there are two such axes, or none.
std::optional<ConstView> as_list(const ConstView& tensor);

/// Rows of places in row-major order, behind `extra` rows that belong to none. A column c stands at c / inner
/// strides[0]
/// + c % inner strides[1], so that a last axis of two (complex numbers) can be read with the one before it.
struct Reading {
  ConstView tensor;
  std::string name;                   ///< "[L, d]", "[d, L]", "[H, W, d]"
  std::vector<std::int64_t> extents;  ///< of the places: L; H, W; T, H, W
  std::vector<std::int64_t> steps;    ///< elements from a place to the next along each extent
  std::int64_t width = 0;
  std::int64_t inner = 1, outer_step = 0, inner_step = 0;
  std::int64_t offset = 0;  ///< of the first place
  std::int64_t extra = 0;
  std::int64_t row(std::int64_t place) const { return extra + place; }  ///< counted from the tensor's first row
  bool separable = true;  ///< of a grid: every column may be a sum of numbers of one axis each

  std::int64_t places() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    return count;
  }
  /// Along each extent, of place number i.
  std::vector<std::int64_t> index(std::int64_t i) const {
    std::vector<std::int64_t> of(extents.size());
    for (std::size_t a = extents.size(); a-- > 0; i /= extents[a]) of[a] = i % extents[a];
    return of;
  }
  std::int64_t place_offset(std::int64_t i) const {
    std::int64_t at = offset;
    for (std::size_t a = extents.size(); a-- > 0; i /= extents[a]) at += i % extents[a] * steps[a];
    return at;
  }
  std::int64_t column_offset(std::int64_t c) const { return c / inner * outer_step + c % inner * inner_step; }
  double at(std::int64_t place, std::int64_t column) const {
    return real_at(tensor, place_offset(place) + column_offset(column));
  }
};

/// Every reading of a tensor of 2 axes or more that its shape admits, the usual ones first: rows of one axis, then
/// grids. Rows of zeros in front, and up to 8 rows in front of a grid, are extra. `grids`: flat rows are read as those
/// of grids too, of each height and width whose product they are, the squarest first: the first 8 behind up to 2 rows,
/// and of the others those that are separable.
enum class Grids : std::uint8_t { stated = 1, factored };
std::vector<Reading> readings(const ConstView& tensor, Grids grids, double noise = 0);

/// Tells whether several rows along one axis are all equal.
bool rows_are_equal(const Reading& reading);

/// The tensor [L, d] of a reading without its first rows; nothing of others.
std::optional<ConstView> without_rows(const Reading& reading, std::int64_t count);

/// A tensor [L, d] without the columns of zeros at its end; nothing where there are none, or fewer than 2 others.
struct WithoutZeroColumns {
  ConstView rest;
  std::vector<std::int64_t> zeros;
};
std::optional<WithoutZeroColumns> without_zero_columns(const ConstView& tensor);

/// A tensor [L, d] without the rows of zeros at its end, where these are more than a quarter of all: fewer are damage.
/// Nothing where fewer than 2 others are left.
struct WithoutZeroRows {
  ConstView rest;
  std::string words;  ///< "rows 20 to 39 are zero"
};
std::optional<WithoutZeroRows> without_zero_rows(const ConstView& tensor);

}  // namespace posenc::referee
