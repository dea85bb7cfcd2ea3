// SPDX-License-Identifier: Apache-2.0
// Rows under a recipe whose angles are sums over axes.
#pragma once

#include "src/conventions/arithmetic.h"
#include "src/encodings/entries.h"

namespace posenc {

/// Do all waves take every axis?
bool sums_axes(const plan::RowPlan& plan);

/// A plan that sums axes made ready, with the recipe's ladder of each axis.
class RecipeSums {
 public:
  RecipeSums(const plan::RowPlan& plan, const Steps& steps, std::vector<StepLadder> ladders);

  /// Column c to out[c * step]. A place that lacks a coordinate gives a row of +0. False where an entry was not
  /// settled.
  template <class T>
  [[nodiscard]] bool write_row(Place place, T* out, std::int64_t step) const;

 private:
  std::vector<plan::Column> columns_;
  Steps steps_;
  std::vector<StepLadder> ladders_;
};

}  // namespace posenc
