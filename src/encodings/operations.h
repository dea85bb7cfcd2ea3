// SPDX-License-Identifier: Apache-2.0
// The table of operations: for each use of a convention what the operation reads, the shape and the kind of what it
// writes, its check and its call, so that who makes the numbers of any convention asks a row and not a family.
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
  std::span<const Positions> lists = {};  ///< positions along each axis; of pairs those of the queries and of the keys
  GridSize window = {};
  Options options = {};  ///< keys that a bias counts are all present where the context does not say
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

/// A row for each of coordinates, rotations, slopes, classes, windows, log_coordinates, query_scales and stored_rows.
std::span<const Operation> operations();
/// nullptr of a use that has no row.
const Operation* find_operation(ConventionUse use);
/// The row of the convention: the first whose use it is for; nullptr of a convention that breaks its rules.
const Operation* operation_of(const Convention& convention);

}  // namespace posenc
