// SPDX-License-Identifier: Apache-2.0
// Position tables of several axes: the cells of an image, half of the width for each coordinate, and of videos and
// volumes.
#pragma once

#include <posenc/cell_places.h>
#include <posenc/rows.h>

namespace posenc {

/// Writes the table of a grid; its extents, as height and width, are those of `out`.
///
/// Formula: of a Grid, cell (y, x) is [r(x) | r(y)] under column_first and [r(y) | r(x)] under row_first, r(p) the
/// one-axis row of width d / 2 at the integer coordinate p. Other waves of two axes or more have the columns that their
/// fields say. Places: those of a preset are numbered as its original does; under a convention alone they are 0, 1, ..
/// on each axis, and Rows::write_cells takes others. Shapes:
/// out [height, width, d]; of other axes than y and x an index each, y and x the last (cell_axes), as
/// [t, height, width, d]; extents may differ. A flat table is the same memory: cell (y, x) is row y * width + x. Types,
/// accuracy: as sinusoid. Cost: a call makes the ladder of each axis; for many grids: Rows, made once. Errors: the
/// convention has no cells; shapes or types break rules. Source: He et al. 2022 (MAE), its released position code.
/// Thread safety: yes, on distinct outputs.
inline void grid(const Convention& convention, const View& out, const Options& options = {});
inline void grid(const Preset& preset, const View& out, const Options& options = {});

/// The problem that grid would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_grid(const Convention& convention, const View& out,
                                                              const Options& options = {});
[[nodiscard]] inline std::optional<Problem> check_grid(const Preset& preset, const View& out,
                                                       const Options& options = {});

/// The flat table [height * width, d] of a grid in chunks of rows, for tables that are more than the memory holds. Rows
/// that cells have in common are made once and kept where they take at most 4 MiB; else for each chunk. Immutable.
class GridChunks {
 public:
  /// The extents are those of cell_axes, {height, width} of an image.
  GridChunks(const Rows& rows, const std::vector<std::int64_t>& extents, DType dtype,
             const PlaceNumbering& places = whole_places, const Executor& executor = serial)
      : GridChunks((require(check(rows, extents, dtype, places)), rows), extents, dtype, places, executor, Checked{}) {}
  /// An extent >= 0 of every axis, their product an int64, and places that have coordinates; a real type.
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Rows& rows,
                                                                  const std::vector<std::int64_t>& extents, DType dtype,
                                                                  const PlaceNumbering& places = whole_places);

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
  POSENC_EXPORT GridChunks(const Rows& rows, const std::vector<std::int64_t>& extents, DType dtype,
                           const PlaceNumbering& places, const Executor& executor, Checked);
  Rows rows_;
  PlaceNumbering places_;
  std::vector<std::int64_t> extents_;
  DType dtype_;
  detail::Shared<Kept> kept_;
};

inline void grid(const Convention& convention, const View& out, const Options& options) {
  require(check_grid(convention, out, options));
  if (out.count() == 0) return;  // without a ladder
  require(Rows(convention, out.size(-1), options).write_cells_checked(out, whole_places, options.executor));
}
inline std::optional<Problem> check_grid(const Preset& preset, const View& out, const Options& options) {
  if (auto problem = check_grid(preset.convention, out, options)) return problem;
  const auto extents = std::span(out.shape).first(static_cast<std::size_t>(out.rank - 1));
  return preset.places ? check_places(*preset.places, extents) : std::nullopt;
}
inline void grid(const Preset& preset, const View& out, const Options& options) {
  require(check_grid(preset, out, options));
  if (out.count() == 0) return;
  require(Rows(preset.convention, out.size(-1), options).write_cells_checked(out, places_of(preset), options.executor));
}

}  // namespace posenc
