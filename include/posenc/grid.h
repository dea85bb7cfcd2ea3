// SPDX-License-Identifier: Apache-2.0
// Position tables of several axes: the cells of an image, half of the width for each coordinate, and of videos and
// volumes.
#pragma once

#include <posenc/cell_places.h>
#include <posenc/shared.h>
#include <posenc/sinusoid.h>

namespace posenc {

/// Writes the table of a grid; its extents, as height and width, are those of `out`.
///
/// Formula: of a Grid, cell (y, x) is [r(x) | r(y)] under column_first and [r(y) | r(x)] under row_first, r(p) the
/// one-axis row of width d / 2 at the integer coordinate p. Other waves of two axes or more have the columns that their
/// fields say. Places: those of a preset are numbered as its original does; under a convention alone they are 0, 1, ..
/// on each axis, and GridRows takes others. Shapes:
/// out [height, width, d]; of other axes than y and x an index each, y and x the last (cell_axes), as
/// [t, height, width, d]; extents may differ. A flat table is the same memory: cell (y, x) is row y * width + x. Types,
/// accuracy: as sinusoid. Cost: a call makes the ladder of each axis; for many grids: GridRows, made once. Errors: the
/// convention has no cells; shapes or types break rules. Source: He et al. 2022 (MAE), its released position code.
/// Thread safety: yes, on distinct outputs.
inline void grid(const Convention& convention, const View& out, const Recipe& recipe = exact(),
                 const Executor& executor = serial);
inline void grid(const Preset& preset, const View& out, const Recipe& recipe = exact(),
                 const Executor& executor = serial);

/// The problem that grid would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_grid(const Convention& convention, const View& out,
                                                              const Recipe& recipe = exact());
[[nodiscard]] inline std::optional<Problem> check_grid(const Preset& preset, const View& out,
                                                       const Recipe& recipe = exact());

/// A grid convention made ready for width d, its places numbered as `places` says on every axis, those of a preset as
/// its original numbers them. Immutable; copies share their ladders; const use from many threads is safe.
class GridRows {
 public:
  GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe = exact(), const Context& context = {},
           const PlaceNumbering& places = whole_places)
      : GridRows((require(check(convention, dim, recipe, context, places)), convention), dim, recipe, context, places,
                 Checked{}) {}
  GridRows(const Preset& preset, std::int64_t dim, const Recipe& recipe = exact(), const Context& context = {})
      : GridRows(preset.convention, dim, recipe, context, places_of(preset)) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t dim,
                                                                  const Recipe& recipe = exact(),
                                                                  const Context& context = {},
                                                                  const PlaceNumbering& places = whole_places);
  POSENC_EXPORT std::int64_t width() const;
  POSENC_EXPORT const std::vector<std::string>& axes() const;  ///< cell_axes of the convention

  /// As grid.
  void write(const View& out, const Executor& executor = serial) const {
    require(check_write(out));
    require(write_checked(out, executor));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(const View& out) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_checked(const View& out, const Executor& executor) const;

  struct Ready;
  const Ready& ready() const { return *ready_; }  ///< the library's own

 private:
  struct Checked {};
  POSENC_EXPORT GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, const Context& context,
                         const PlaceNumbering& places, Checked);
  detail::Shared<Ready> ready_;
};

/// The flat table [height * width, d] of a grid in chunks of rows, for tables that are more than the memory holds. Rows
/// that cells have in common are made once and kept where they take at most 4 MiB; else for each chunk. Immutable.
class GridChunks {
 public:
  /// The extents are those of cell_axes, {height, width} of an image.
  GridChunks(const GridRows& rows, const std::vector<std::int64_t>& extents, DType dtype,
             const Executor& executor = serial)
      : GridChunks((require(check(rows, extents, dtype)), rows), extents, dtype, executor, Checked{}) {}
  /// An extent >= 0 of every axis, their product an int64, and places that have coordinates; a real type.
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const GridRows& rows,
                                                                  const std::vector<std::int64_t>& extents,
                                                                  DType dtype);

  /// Rows first, first + 1, ... of the flat table to out [n, d], of the type that was stated. Errors: there are fewer
  /// rows, or shapes or types break their rules.
  void write(std::int64_t first, const View& out, const Executor& executor = serial) const {
    require(check_write(first, out));
    require(write_checked(first, out, executor));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(std::int64_t first, const View& out) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_checked(std::int64_t first, const View& out,
                                                                   const Executor& executor) const;

 private:
  struct Checked {};
  struct Kept;
  POSENC_EXPORT GridChunks(const GridRows& rows, const std::vector<std::int64_t>& extents, DType dtype,
                           const Executor& executor, Checked);
  GridRows rows_;
  std::vector<std::int64_t> extents_;
  DType dtype_;
  detail::Shared<Kept> kept_;
};

inline void grid(const Convention& convention, const View& out, const Recipe& recipe, const Executor& executor) {
  require(check_grid(convention, out, recipe));
  if (out.count() == 0) return;  // without a ladder
  require(GridRows(convention, out.size(-1), recipe).write_checked(out, executor));
}
inline std::optional<Problem> check_grid(const Preset& preset, const View& out, const Recipe& recipe) {
  if (auto problem = check_grid(preset.convention, out, recipe)) return problem;
  const auto extents = std::span(out.shape).first(static_cast<std::size_t>(out.rank - 1));
  return preset.places ? check_places(*preset.places, extents) : std::nullopt;
}
inline void grid(const Preset& preset, const View& out, const Recipe& recipe, const Executor& executor) {
  require(check_grid(preset, out, recipe));
  if (out.count() == 0) return;
  require(GridRows(preset, out.size(-1), recipe).write_checked(out, executor));
}

}  // namespace posenc
