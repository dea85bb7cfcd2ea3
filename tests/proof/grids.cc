// SPDX-License-Identifier: Apache-2.0
// Grids of their own conventions, square and not, with channels last and first.
#include <posenc/grid.h>

#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

struct Cells {
  std::int64_t height, width, dim;
};

template <class T>
void grid_of(const Surroundings& how, const std::string& name, const Convention& convention, const Recipe& recipe,
             const Cells& cells) {
  Threads threads(how.threads);
  RowMemory<T> last(how, cells.height * cells.width, cells.dim);
  grid(convention, last.batch(cells.height), {.recipe = recipe, .executor = threads.executor()});
  last.put("grid/" + name + "/" + recipe.name);

  RowMemory<T> first(how, cells.dim * cells.height, cells.width);
  View out = first.batch(cells.dim);  // [dim, height, width]
  out = out.transposed(0, 1).transposed(1, 2);
  grid(convention, out, {.recipe = recipe, .executor = threads.executor()});
  first.put("grid/" + name + "/" + recipe.name);
}

void every_shape(const Surroundings& how, const std::string& name, const Grid& convention, const Recipe& recipe) {
  for_types([&]<class T>(T) {
    for (const Cells& cells : {Cells{5, 7, 24}, {1, 40, 24}, {40, 1, 24}, {16, 16, 24}}) {
      grid_of<T>(how, name, convention, recipe, cells);
    }
  });
}

}  // namespace

void write_grids(const Surroundings& how) {
  const Grid rows_first = {Geometric{10000, 1, Spacing::over_width}, Layout::interleaved, AxisOrder::row_first},
             end_point = {Geometric{500000, 2.5, Spacing::over_gaps}, Layout::cosine_first, AxisOrder::column_first},
             own = {Listed{{0, 1, 0.5, 1e-3, 3.141592653589793, 77}}, Layout::sine_first, AxisOrder::row_first};
  every_shape(how, "row_first-interleaved", rows_first, exact());
  every_shape(how, "column_first-end-point", end_point, exact());
  every_shape(how, "row_first-listed", own, exact());
  every_shape(how, "row_first-interleaved", rows_first, recipe("f32-exp"));
}

}  // namespace posenc::proof
