// SPDX-License-Identifier: Apache-2.0
// Two-dimensional position tables: half of the width for each coordinate of a height x width grid.
#pragma once

#include <posenc/sinusoid.h>

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

/// A grid convention made ready for width d. Immutable; copies share one ladder; const use from many threads is safe.
class GridRows {
 public:
  GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe = exact())
      : GridRows((require(check(convention, dim, recipe)), convention), dim, recipe, Checked{}) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t dim,
                                                                  const Recipe& recipe = exact());
  std::int64_t width() const { return dim_; }

  /// As grid.
  void write(const View& out, const Executor& executor = serial) const {
    require(check_write(out));
    write_checked(out, executor);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(const View& out) const;
  /// For callers that have called the check.
  POSENC_EXPORT void write_checked(const View& out, const Executor& executor) const;

 private:
  struct Checked {};
  POSENC_EXPORT GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, Checked);

  std::int64_t dim_;
  AxisOrder order_;
  SinusoidRows axis_;  // of width d / 2
};

inline void grid(const Convention& convention, const View& out, const Recipe& recipe, const Executor& executor) {
  require(check_grid(convention, out, recipe));
  if (out.count() == 0) return;  // without a ladder
  GridRows(convention, out.size(-1), recipe).write_checked(out, executor);
}

}  // namespace posenc
