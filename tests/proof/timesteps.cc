// SPDX-License-Identifier: Apache-2.0
// Timesteps whose scale is not 1, under every recipe.
#include <posenc/sinusoid.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

template <class T>
void steps(const Surroundings& how, const Timestep& convention, std::int64_t dim, const Positions& list,
           const std::string& name, const Recipe& recipe) {
  Threads threads(how.threads);
  RowMemory<T> out(how, list.count_, dim);
  in_cuts(how, list.count_, [&](std::int64_t first, std::int64_t count) {
    View some = out.matrix();
    some.data = out.row(first);
    some.shape[0] = count;
    sinusoid(convention, part(list, first, count), some, {.recipe = recipe, .executor = threads.executor()});
  });
  out.put("timestep/" + name + "/" + recipe.name);
}

}  // namespace

void write_timesteps(const Surroundings& how) {
  constexpr Timestep thousand = {10000, 1, 1000, Layout::sine_first}, third = {300, 0.5, 0.3, Layout::cosine_first};
  for (const Recipe& recipe : recipes()) {
    for_types([&]<class T>(T) {
      for (const Positions& list : {near(), integers(), reals()}) {
        for (const std::int64_t dim : {1, 15}) steps<T>(how, thousand, dim, list, "scale-1000", recipe);
        for (const std::int64_t dim : {2, 3, 14}) steps<T>(how, third, dim, list, "scale-0.3", recipe);
      }
      for (const std::int64_t dim : {6, 10, 22, 26, 34, 46}) {
        steps<T>(how, thousand, dim, some_reals(), "scale-1000", recipe);
        steps<T>(how, third, dim, some_reals(), "scale-0.3", recipe);
      }
    });
  }
}

}  // namespace posenc::proof
