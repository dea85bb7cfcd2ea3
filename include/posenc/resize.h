// SPDX-License-Identifier: Apache-2.0
// Learned tables of an image's cells, made for an image of other extents as a named code base makes them.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>

namespace posenc {

/// Writes the table of an image of `to` cells, from that of `from`.
///
/// Formula: a row is the sum of wy wx row[y, x] over the cells that Resize (families.h) gives a place along each axis;
/// extra rows are copied, and all of a table of that size already. Shapes: table [from.height from.width + extra, d],
/// out [to.height to.width + extra, d]. Types: f32, f16 or bf16, one for both, any strides. Rounding: not correctly
/// rounded, hence not `exact`, but the same bits on all machines: places and weights are those of the original, to the
/// bit; sums are in f64, those of a stretched filter in the convention's arithmetic, along the width first; an area's
/// are of its cells line by line, in that arithmetic (of one area in f64), divided by its lines and its columns; then
/// to f32, and to the type. Accuracy: the original fuses some products with sums, others not, by size and processor.
/// With k and l weights along the axes it differs by at most 2 (k + l + 1) 2^-24 times the sum of |wy wx row[y, x]|.
/// Errors: the convention states no resize; a side is not 1 to 2^11; shapes or types break their rules. Thread safety:
/// yes, on distinct outputs.
inline void resize_table(const Convention& convention, const ConstView& table, const GridSize& from, const GridSize& to,
                         const View& out, const Options& options = {});
/// The same of a table that is square, as the original assumes where it is told no size.
inline void resize_table(const Convention& convention, const ConstView& table, const GridSize& to, const View& out,
                         const Options& options = {});

/// The problem that resize_table would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_resize_table(const Convention& convention,
                                                                      const ConstView& table, const GridSize& from,
                                                                      const GridSize& to, const View& out,
                                                                      const Options& options = {});
/// Rows of a table of that size, those of no cell included. Of conventions for ConventionUse::resized_tables.
POSENC_EXPORT std::int64_t table_rows(const Convention& convention, const GridSize& size);
/// The greatest square of cells that the rows of a table have room for: what the originals assume. Of the same ones.
POSENC_EXPORT GridSize square_table(const Convention& convention, const ConstView& table);
[[nodiscard]] inline std::optional<Problem> check_resize_table(const Convention& convention, const ConstView& table,
                                                               const GridSize& to, const View& out,
                                                               const Options& options = {}) {
  if (auto problem = check_use("resize_table", ConventionUse::resized_tables, convention)) return problem;
  return check_resize_table(convention, table, square_table(convention, table), to, out, options);
}

namespace detail {
/// Of what the check admits.
POSENC_EXPORT void resize_table(const Convention& convention, const ConstView& table, const GridSize& from,
                                const GridSize& to, const View& out, const Executor& executor);
}  // namespace detail

inline void resize_table(const Convention& convention, const ConstView& table, const GridSize& from, const GridSize& to,
                         const View& out, const Options& options) {
  require(check_resize_table(convention, table, from, to, out, options));
  detail::resize_table(convention, table, from, to, out, options.executor);
}

inline void resize_table(const Convention& convention, const ConstView& table, const GridSize& to, const View& out,
                         const Options& options) {
  require(check_resize_table(convention, table, to, out, options));
  detail::resize_table(convention, table, square_table(convention, table), to, out, options.executor);
}

}  // namespace posenc
