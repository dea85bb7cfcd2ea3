// SPDX-License-Identifier: Apache-2.0
// Rows: the waves of a convention, made ready for one width, at positions, at coordinates of several axes, and in
// grids.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>
#include <posenc/shared.h>

#include <span>

namespace posenc {

/// A convention of waves made ready for one width: its ladders as fixed-point turns, or its recipe's own frequencies.
/// Immutable; copies share them; const use from many threads is safe. Any positions, no length limit, no stored table.
/// Memory: under `exact` 16 KiB for every 64 columns begun, none of it beyond 16,384 columns, and 100 bytes a column.
///
/// Formula: column c of a place with coordinates x_a is the sine or cosine of its own axis's x_a w_k; of the sum over
/// all axes where rungs are summed; or x_a itself where a convention leads with coordinates. sinusoid.h has the formula
/// of one axis. Shapes: a list of coordinates for each of axes(), [L] or [B, L]; out [L, d], or [B, L, d]; d is the
/// width, columns(convention, dim). A list [L] serves every sequence. Units: those of the convention's numbering;
/// places.h makes coordinates from cells. Types: out is f32, f64, bf16 or f16, any strides. Accuracy: under `exact`
/// each entry is the real number rounded once; else as the recipe says. Errors: the convention has no waves, or refuses
/// the width; lists, shapes or types break their rules.
class Rows {
 public:
  /// The constructor reads recipe and context of the options.
  Rows(const Convention& convention, std::int64_t dim, const Options& options = {})
      : Rows((require(check(convention, dim, options)), convention), dim, options, Checked{}) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t dim,
                                                                  const Options& options = {});
  /// Columns of a row.
  POSENC_EXPORT std::int64_t width() const;
  /// The axes of the convention, in the order in which their lists are passed.
  POSENC_EXPORT const std::vector<std::string>& axes() const;
  /// The angular frequencies w_k of the only axis, each rounded once to f64; under a recipe its own, times a timestep's
  /// scale.
  std::vector<double> frequencies(const Executor& executor = serial) const {
    require(check_frequencies());
    return frequencies_checked(executor);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_frequencies() const;

  /// Rows of a convention of one axis at positions.
  void write(const Positions& positions, const View& out, const Executor& executor = serial,
             Reading reading = Reading::by_size) const {
    write(std::span(&positions, 1), out, executor, reading);
  }
  /// Rows at places, a list of coordinates for each axis. Rows of several axes stay in the caches under any `reading`.
  void write(std::span<const Positions> coordinates, const View& out, const Executor& executor = serial,
             Reading reading = Reading::by_size) const {
    require(check_write(coordinates, out, reading));
    require(write_checked(coordinates, out, executor, reading));
  }
  [[nodiscard]] std::optional<Problem> check_write(const Positions& positions, const View& out,
                                                   Reading reading = Reading::by_size) const {
    return check_write(std::span(&positions, 1), out, reading);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(std::span<const Positions> coordinates,
                                                                 const View& out,
                                                                 Reading reading = Reading::by_size) const;
  /// out = RN(in + RN(row)), of a convention of one axis; `in` may be `out` itself, of the same shape and type.
  void add(const Positions& positions, const ConstView& in, const View& out, const Executor& executor = serial) const {
    require(check_add(positions, in, out));
    require(add_checked(positions, in, out, executor));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_add(const Positions& positions, const ConstView& in,
                                                               const View& out) const;
  /// The cells of a grid, as grid.h describes them, to the bits of `write` at their places, and faster.
  void write_cells(const View& out, const PlaceNumbering& places = whole_places,
                   const Executor& executor = serial) const {
    require(check_write_cells(out, places));
    require(write_cells_checked(out, places, executor));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write_cells(
      const View& out, const PlaceNumbering& places = whole_places) const;

  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] std::optional<Problem> write_checked(const Positions& positions, const View& out,
                                                     const Executor& executor,
                                                     Reading reading = Reading::by_size) const {
    return write_checked(std::span(&positions, 1), out, executor, reading);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_checked(std::span<const Positions> coordinates,
                                                                   const View& out, const Executor& executor,
                                                                   Reading reading = Reading::by_size) const;
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> add_checked(const Positions& positions, const ConstView& in,
                                                                 const View& out, const Executor& executor) const;
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_cells_checked(const View& out, const PlaceNumbering& places,
                                                                         const Executor& executor) const;

  struct Ready;  // the library's own
  const Ready& ready() const { return *ready_; }

 private:
  struct Checked {};
  POSENC_EXPORT Rows(const Convention& convention, std::int64_t dim, const Options& options, Checked);
  POSENC_EXPORT std::vector<double> frequencies_checked(const Executor& executor) const;
  detail::Shared<Ready> ready_;
};

}  // namespace posenc
