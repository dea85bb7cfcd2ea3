// SPDX-License-Identifier: Apache-2.0
// Position tables of several axes at any coordinates: points, boxes, patches of an image whose places are fractions.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>
#include <posenc/recipe.h>
#include <posenc/shared.h>

#include <span>

namespace posenc {

/// Waves of any number of axes made ready for one width. Immutable; copies share their ladders; const use from many
/// threads is safe. Any coordinates, no stored table.
///
/// Formula: column c of a place with coordinates x_a is the sine or cosine of its own axis's x_a w_k; of the sum over
/// all axes where rungs are summed; or x_a itself where a convention leads with coordinates. Shapes: a list of
/// coordinates for each axis, [L] or [B, L]; out [L, d], or [B, L, d]; d is the width, columns(convention, dim). A
/// list [L] serves every sequence. Units: those of the convention's numbering; places.h makes them from cells.
/// Types: out is f32, f64, bf16 or f16, any strides. Accuracy: under `exact` each entry is the real number rounded
/// once; else as the recipe says. The cells of a whole grid are made faster by grid.h, to the same bits. Errors: the
/// convention has no waves, or refuses the width; lists, shapes or types break their rules.
class CoordinateRows {
 public:
  CoordinateRows(const Convention& convention, std::int64_t dim, const Recipe& recipe = exact(),
                 const Context& context = {})
      : CoordinateRows((require(check(convention, dim, recipe, context)), convention), dim, recipe, context,
                       Checked{}) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t dim,
                                                                  const Recipe& recipe = exact(),
                                                                  const Context& context = {});
  /// Columns of a row.
  POSENC_EXPORT std::int64_t width() const;
  /// Those of the convention, in the order in which their lists are passed.
  POSENC_EXPORT const std::vector<std::string>& axes() const;

  void write(std::span<const Positions> coordinates, const View& out, const Executor& executor = serial) const {
    require(check_write(coordinates, out));
    require(write_checked(coordinates, out, executor));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(std::span<const Positions> coordinates,
                                                                 const View& out) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_checked(std::span<const Positions> coordinates,
                                                                   const View& out, const Executor& executor) const;

 private:
  struct Checked {};
  struct Ready;
  POSENC_EXPORT CoordinateRows(const Convention& convention, std::int64_t dim, const Recipe& recipe,
                               const Context& context, Checked);
  detail::Shared<Ready> ready_;
};

}  // namespace posenc
