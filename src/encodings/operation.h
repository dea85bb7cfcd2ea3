// SPDX-License-Identifier: Apache-2.0
// The table of operations: for each use of a convention the inputs, the shape and the kind of the output, the check and
// the call, so that code which predicts the numbers of any convention reads a row and tests no family.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>

#include <span>
#include <vector>

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

struct Operation {
  ConventionUse use;
  std::string_view name;  ///< of the numbers that it writes: "biases"
  OperationReads reads;
  ElementKind elements;
  std::span<const std::string_view> axes;  ///< of the output but its columns: {"head", "query", "key"}
  /// The shape of the output; of a convention for this use, and of inputs that the check admits.
  std::vector<std::int64_t> (*shape)(const Convention& convention, const OperationInputs& inputs);
  /// The problem of the call behind `write`, or nothing.
  std::optional<Problem> (*check)(const Convention& convention, const OperationInputs& inputs, const View& out);
  /// Writes what the check admits. A rotation turns the rows that `out` holds.
  std::optional<Problem> (*write)(const Convention& convention, const OperationInputs& inputs, const View& out);
};

/// Returns the row of a use: coordinates, rotations, slopes, classes, windows, log_coordinates, query_scales and
/// stored_rows have one; nullptr for the others.
const Operation* find_operation(ConventionUse use);

}  // namespace posenc
