// SPDX-License-Identifier: Apache-2.0
// Operations: the numbers of any convention by one call, whatever its family, with the facts that a caller needs to
// name, allocate and read them.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>

namespace posenc {

/// The inputs of an operation besides the convention. Members that it does not read have no effect.
struct OperationInputs {
  std::int64_t dim = 0;                   ///< columns of a row or of a head; heads of biases
  std::span<const Positions> lists = {};  ///< positions along each axis; for pairs the queries and the keys
  GridSize window = {};
  Options options = {};  ///< a bias over present keys counts all of them if the context states none
};

enum class OperationReads : std::uint8_t { places = 1, pairs, window };
enum class ElementKind : std::uint8_t { reals = 1, whole };
/// States what OperationInputs::dim counts; an operation of `nothing` ignores it.
enum class DimCounts : std::uint8_t { nothing = 1, columns, heads };

/// A row of the table of operations.
struct Operation {
  ConventionUse use;
  std::string_view name;   ///< of the numbers that it writes: "classes"
  std::string_view title;  ///< "classes of a window", which no other operation has
  OperationReads reads;
  ElementKind elements;
  std::span<const std::string_view> axes;  ///< of the output but its columns: {"head", "query", "key"}
  std::string_view columns = {};           ///< the name of that last axis: "coordinate"; empty if there is none
  DimCounts dim = DimCounts::nothing;
};

/// The operation of a convention. Its use is one of coordinates, rotations, slopes, classes, windows, log_coordinates,
/// query_scales and stored_rows. Thread safety: yes.
[[nodiscard]] POSENC_EXPORT const Operation& operation_of(const Convention& convention);

/// The shape of what write_numbers writes for positions of one sequence; the last axis is `columns` if the shape has
/// one axis more than the operation.
///
/// Shapes: entries [L, columns(convention, dim)], rotations [L, dim], biases [dim, L, S], classes [L, S] or [N, N] for
/// N = window_places, log coordinates [2 H - 1, 2 W - 1, 2], factors [L], stored rows [L], or [L, T] for T > 1 tables.
/// Errors: the convention breaks a rule; a list of positions is missing; dim breaks the rule of check_width; a side of
/// the window is outside 1 to 2^30. Thread safety: yes.
inline std::vector<std::int64_t> shape_of_numbers(const Convention& convention, const OperationInputs& inputs);
/// The problem that shape_of_numbers would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_shape_of_numbers(const Convention& convention,
                                                                          const OperationInputs& inputs);

/// Writes the numbers of a convention; a rotation turns the rows that `out` holds.
///
/// Formula, accuracy, time: those of the call behind the operation, Rows::write, RotaryRows::rotate, bias, buckets,
/// window_buckets, log_coordinates, query_scale or learned_rows. Rows and rotations make their frequencies twice in
/// a call, for the check and for the write; Rows and RotaryRows keep them. Shapes: shape_of_numbers, or what that call
/// takes. Types: out is f32, f64, bf16 or f16 if the elements are reals, i32 or i64 if they are whole; any strides.
/// Errors: those of that call; the lists are not as many as it takes. Thread safety: yes, on distinct outputs.
inline void write_numbers(const Convention& convention, const OperationInputs& inputs, const View& out);
/// The problem that write_numbers would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write_numbers(const Convention& convention,
                                                                       const OperationInputs& inputs, const View& out);

namespace detail {
POSENC_EXPORT std::vector<std::int64_t> shape_of_numbers(const Convention& convention, const OperationInputs& inputs);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> write_numbers(const Convention& convention,
                                                                 const OperationInputs& inputs, const View& out);
}  // namespace detail

inline std::vector<std::int64_t> shape_of_numbers(const Convention& convention, const OperationInputs& inputs) {
  require(check_shape_of_numbers(convention, inputs));
  return detail::shape_of_numbers(convention, inputs);
}

inline void write_numbers(const Convention& convention, const OperationInputs& inputs, const View& out) {
  require(check_write_numbers(convention, inputs, out));
  require(detail::write_numbers(convention, inputs, out));
}

}  // namespace posenc
