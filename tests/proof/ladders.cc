// SPDX-License-Identifier: Apache-2.0
// Ladders under every recipe: what tables and frequencies come to, geometric and listed.
#include <posenc/preset.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

Sinusoid row(Ladder ladder) { return {std::move(ladder), Layout::sine_first, OddWidth::refused}; }

// Falling, falling to its end with a first frequency, rising from a tiny one.
std::vector<Sinusoid> geometric_rows() {
  return {row(Geometric{10000, 1, Spacing::over_width}), row(Geometric{500000, 2.5, Spacing::over_gaps}),
          row(Geometric{0.3, 3e-5, Spacing::over_gaps_or_one})};
}

// Zero, the smallest, the largest.
Sinusoid extreme_row() { return row(Listed{{0, 1, 0x1p-1074, 1e-300, 0x1p-149, 6e4, 0x1p70, 1e300}}); }

// So that strips serve them, if a recipe lets them.
Sinusoid moderate_row() {
  return row(Listed{{1, 0.9, 0.75, 0, 0.1, 1e-2, 3e-3, 1e-3, 1e-4, 1.0 / 3, 0x1p-20, 0x1p-40}});
}

void rows_of(const Surroundings& how, const std::string& name, const Rows& rows,
             std::initializer_list<Positions> lists) {
  for_types([&]<class T>(T) {
    for (const Positions& positions : lists) put_table<T>(how, name, rows, positions);
  });
}

void frequencies(const Recipe& recipe) {
  const auto put_those = [&](const std::string& ladder, const Convention& convention, std::int64_t dim) {
    put("frequencies/" + ladder + "/" + recipe.name, Rows(convention, dim, {.recipe = recipe}).frequencies());
  };
  for (const Sinusoid& convention : geometric_rows()) put_those("geometric", convention, 24);
  put_those("listed", extreme_row(), 16);
  for (const Preset& preset : presets()) {
    if (check_use("rows", ConventionUse::rows, preset.convention)) continue;
    if (!Rows::check(preset.convention, 34, {.recipe = recipe}))
      put_those(std::string(preset.name), preset.convention, 34);
  }
}

}  // namespace

void write_ladders(const Surroundings& how) {
  for (const Recipe& recipe : recipes()) {
    for (const Sinusoid& convention : geometric_rows()) {
      rows_of(how, "geometric/" + recipe.name, Rows(convention, 24, {.recipe = recipe}), {near(), integers(), reals()});
      for (const std::int64_t dim : {6, 10, 14, 22, 34, 46}) {
        rows_of(how, "geometric/" + recipe.name, Rows(convention, dim, {.recipe = recipe}), {Positions::at(1021)});
      }
    }
    rows_of(how, "listed/" + recipe.name, Rows(moderate_row(), 24, {.recipe = recipe}), {near(), integers(), reals()});
    rows_of(how, "listed/" + recipe.name, Rows(extreme_row(), 16, {.recipe = recipe}),
            {Positions::range(-2, 4), some_reals()});
    frequencies(recipe);
  }
}

}  // namespace posenc::proof
