// SPDX-License-Identifier: Apache-2.0
// Two-dimensional position tables: half of the width for each coordinate of a height x width grid.
#pragma once

#include <posenc/convention.h>
#include <posenc/recipe.h>

namespace posenc {

/// Writes the table of a grid; its height and width are those of `out`.
///
/// Formula: cell (y, x) is [r(x) | r(y)] under column_first and [r(y) | r(x)] under row_first, r(p) the one-axis row of
/// width d / 2 at the integer coordinate p. Shapes: out [height, width, d], d a multiple of 4; height and width may
/// differ. A flat [height * width, d] table is the same memory: cell (y, x) is row y * width + x. Types, accuracy: as
/// sinusoid. Errors: the convention is no grid; shapes or types break their rules. Source: He et al. 2022 (MAE), its
/// released position code. Thread safety: yes, on distinct outputs.
inline void grid(const Convention& convention, const View& out, const Recipe& recipe = exact(),
                 const Executor& executor = serial);

/// The problem that grid would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_grid(const Convention& convention, const View& out,
                                                              const Recipe& recipe = exact());

namespace detail {
POSENC_EXPORT void grid(const Convention& convention, const View& out, const Recipe& recipe, const Executor& executor);
}

inline void grid(const Convention& convention, const View& out, const Recipe& recipe, const Executor& executor) {
  require(check_grid(convention, out, recipe));
  detail::grid(convention, out, recipe, executor);
}

}  // namespace posenc
