// SPDX-License-Identifier: Apache-2.0
// PlaceNumbering: from the cells of an image or a video to the coordinates at which a convention is asked; GridSize.
// Thread safety: yes, on distinct outputs.
#pragma once

#include <posenc/core.h>

#include <variant>

namespace posenc {

/// Cells of an image, of a window, or of a table of theirs; they stand line by line.
struct GridSize {
  std::int64_t height, width;
  friend bool operator==(const GridSize&, const GridSize&) = default;
};

/// What the number of a place is divided by, n being the places of its axis.
enum class Divisor : std::uint8_t {
  one = 1,   ///< nothing
  count,     ///< n
  gaps,      ///< n - 1
  last,      ///< the number of the last place
  longest,   ///< the places of the longest axis
  shortest,  ///< the places of the shortest axis
};
/// The number of the first place: -ceil(n / 2), so that 0 stands in the middle.
enum class FirstPlace : std::uint8_t { minus_half = 1 };
/// What is done to a coordinate at last: nothing, or it is rounded down to a whole number.
enum class WholePlaces : std::uint8_t { none = 1, floor };

/// How an axis is numbered: place i of n, counted from 0, has the coordinate ((i + first) / (divisor + eps)) gain +
/// shift. Presets state it where their original has places of its own (Preset::places).
///
/// | | first | divisor | eps | gain | shift |
/// | whole numbers from 0 | 0 | one | 0 | 1 | 0 |
/// | cell centres from -1 to 1 (DINOv3, SAM) | 0.5 | count | 0 | 2 | -1 |
/// | edges from -1 to 1 (Perceiver) | 0 | gaps | 0 | 2 | -1 |
/// | 1 to 2 pi (DETR) | 1 | last | 1e-6 | 6.283185307179586 | 0 |
struct PlaceNumbering {
  std::variant<std::monostate, double, FirstPlace> first;
  Divisor divisor;
  double eps;
  double gain, shift;
  WholePlaces rounding;
  friend bool operator==(const PlaceNumbering&, const PlaceNumbering&) = default;
};

/// 0, 1, 2, ...
inline constexpr PlaceNumbering whole_places = {0.0, Divisor::one, 0, 1, 0, WholePlaces::none};

/// Writes the coordinates of the places of one axis of a grid; `extents` are the places of every axis, `axis` the
/// number of this one.
///
/// Accuracy: the real number that the fields' doubles give, rounded once to f64; under `floor` the whole number below
/// it. Shapes: out [n], f64, any stride. Errors: a field breaks its rule; there is no such axis; an extent is negative;
/// a divisor is 0, as n - 1 of one place is; a coordinate is beyond 2^53; out has another shape or type.
inline void place_coordinates(const PlaceNumbering& places, std::span<const std::int64_t> extents, std::size_t axis,
                              const View& out);
/// The problem that place_coordinates would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_place_coordinates(const PlaceNumbering& places,
                                                                           std::span<const std::int64_t> extents,
                                                                           std::size_t axis, const View& out);
/// Writes the coordinates of the cells of a padded grid along one axis, as DETR's does with its mask: cells of the mask
/// are present where they are not 0, and each line along the axis is numbered by its own present cells.
///
/// Formula: n is the number of present cells of the line, i that of those up to the cell, less 1; the coordinate is the
/// one above. So an absent cell has the coordinate of the last present one before it, and i = -1 where there is none; a
/// line without a present cell, whose divisor may be 0, has 0 then. Where all cells are present, these are
/// place_coordinates. Accuracy: as there. Shapes: mask, out [extent of every axis]. Types: mask i32 or i64; out f64.
/// Errors: as there; divisor `longest` or `shortest`, as lines of several axes have no common length; mask and out have
/// other shapes or types.
inline void masked_place_coordinates(const PlaceNumbering& places, const ConstView& mask, std::size_t axis,
                                     const View& out, const Executor& executor = serial);
/// The problem that masked_place_coordinates would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_masked_place_coordinates(const PlaceNumbering& places,
                                                                                  const ConstView& mask,
                                                                                  std::size_t axis, const View& out,
                                                                                  const Executor& executor = serial);

/// Every field is stated and in its range, and every place of a grid of those extents has a coordinate; without
/// extents, the fields alone.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_places(const PlaceNumbering& places,
                                                                std::span<const std::int64_t> extents = {});

/// "first 0.5, divisor count, eps 0, gain 2, shift -1, rounding none"
POSENC_EXPORT std::string to_string(const PlaceNumbering& places);

namespace detail {
/// Those of places first, first + 1, .. of what the check admits.
POSENC_EXPORT void write_place_coordinates(const PlaceNumbering& places, std::span<const std::int64_t> extents,
                                           std::size_t axis, std::int64_t first, const View& out);
POSENC_EXPORT void write_masked_place_coordinates(const PlaceNumbering& places, const ConstView& mask, std::size_t axis,
                                                  const View& out, const Executor& executor);
}  // namespace detail

inline void place_coordinates(const PlaceNumbering& places, std::span<const std::int64_t> extents, std::size_t axis,
                              const View& out) {
  require(check_place_coordinates(places, extents, axis, out));
  detail::write_place_coordinates(places, extents, axis, 0, out);
}
inline void masked_place_coordinates(const PlaceNumbering& places, const ConstView& mask, std::size_t axis,
                                     const View& out, const Executor& executor) {
  require(check_masked_place_coordinates(places, mask, axis, out, executor));
  detail::write_masked_place_coordinates(places, mask, axis, out, executor);
}

}  // namespace posenc
