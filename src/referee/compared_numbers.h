// SPDX-License-Identifier: Apache-2.0
// The numbers of a convention as rows that are made block by block, whatever its family.
#pragma once

#include <posenc/operation.h>
#include <posenc/referee/compare.h>

#include <functional>

#include "src/conventions/lower.h"
#include "src/referee/compared_places.h"

namespace posenc::referee {

/// Rows of numbers. The coordinates of an entry are what `at` gives for its row, and its column.
struct ComparedNumbers {
  std::string name;               ///< "entries"
  std::vector<std::string> axes;  ///< of an entry: {"position", "column"}
  std::int64_t rows = 0, width = 0;
  /// Rows [first, first + count) to out, [count, width] of f64, f32 or bf16.
  std::function<std::optional<Problem>(std::int64_t first, std::int64_t count, const View& out)> write;
  std::function<std::vector<double>(std::int64_t row, std::int64_t column)> at;
};

/// The plan of waves, or of the cosines and sines of a rotation, as rows.
/// `told`: what is said of an entry's place, as many as there are coordinates, under the names `axes`.
ComparedNumbers numbers_of_rows(std::string name, const plan::RowPlan& plan, const std::vector<std::string>& axes,
                                const Places& coordinates, const Places& told, const Executor& executor);
/// Columns 2k and 2k + 1 are the cosine and the sine of pair k; behind them come those of second angles, where a pair
/// has two.
plan::RowPlan waves_of_pairs(const plan::PairPlan& pairs);

/// The output of an operation: biases, classes, factors, a row for each head, query or position.
ComparedNumbers numbers_of_operation(const Convention& convention, const OperationInputs& inputs);
/// Inputs that compare takes: the same positions for queries and keys, and a window of 7 by 7 cells.
struct ComparedInputs {
  ComparedInputs(const Convention& convention, const LoweredFor& given, const Positions& positions,
                 const Executor& executor);
  ComparedInputs(const ComparedInputs&) = delete;  // `inputs` views `lists`
  std::vector<Positions> lists;
  OperationInputs inputs;
};

/// What the public calls would refuse of these: heads of a bias, positions of classes and of factors.
std::optional<Problem> check_numbers(const Convention& convention, const LoweredFor& given, const Positions& positions);

}  // namespace posenc::referee
