// SPDX-License-Identifier: Apache-2.0
// Products of each axis, added in order, then the sines of all angles at once.
#include "src/encodings/recipe_sums.h"

#include <algorithm>

#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/recipe_waves.h"
#include "src/engine/tables/columns.h"

namespace posenc {

using plan::Column;
using plan::Kind;

bool sums_axes(const plan::RowPlan& plan) {
  return std::ranges::any_of(plan.columns,
                             [](const Column& c) { return c.kind == Kind::wave && c.axis == plan::every_axis; });
}

RecipeSums::RecipeSums(const plan::RowPlan& plan, const Steps& steps, std::vector<StepLadder> ladders)
    : columns_(plan.columns), steps_(steps), ladders_(std::move(ladders)) {}

template <class T>
bool RecipeSums::write_row(Place place, T* out, std::int64_t step) const {
  if (!std::ranges::all_of(place, [](const auto& x) { return x.has_value(); })) {
    for (std::size_t c = 0; c < columns_.size(); ++c) out[static_cast<std::int64_t>(c) * step] = T(0.0f);
    return true;
  }
  const StepLadder& first = ladders_.front();
  const std::size_t n = first.entries.size();
  const Scratch<double> sums(n);
  bool decided = first.decided;
  step_products(steps_, first, *place[0], sums.data());
  for (std::size_t axis = 1; axis < ladders_.size(); ++axis) {
    decided &= ladders_[axis].decided;
    add_step_products(steps_, ladders_[axis], *place[axis], sums.data());
  }
  finish_angles(steps_, first, sums.data());
  const Scratch<T> waves(2 * n);
  T *const sine = waves.data(), *const cosine = sine + n;
  decided &= waves_of_angles<T>(steps_, first, sums.data(), {sine, cosine, n, n, 1});
  for (const Column& c : columns_) {
    *out = c.kind == Kind::coordinate ? recipe_coordinate<T>(steps_, first.output, *place[c.axis])
           : c.kind == Kind::constant ? recipe_constant<T>(steps_, first.output, c.quarter)
                                      : engine::entry_of<T>({sine[c.frequency], cosine[c.frequency]}, c.quarter, false);
    out += step;
  }
  return decided;
}

template bool RecipeSums::write_row(Place, float*, std::int64_t) const;
template bool RecipeSums::write_row(Place, double*, std::int64_t) const;
template bool RecipeSums::write_row(Place, half*, std::int64_t) const;
template bool RecipeSums::write_row(Place, bfloat16*, std::int64_t) const;

}  // namespace posenc
