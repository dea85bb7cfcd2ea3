// SPDX-License-Identifier: Apache-2.0
// Which operation takes which convention: the one place that asks.
#include "src/conventions/short_form.h"

namespace posenc {

std::optional<Problem> check_use(std::string_view operation, Use use, const Convention& convention) {
  struct Row {
    Use use;
    std::string_view families;
    std::array<Short, 2> taken;
  };
  static constexpr Row rows[] = {
      {Use::rows, "sinusoid or timestep", {Short::sinusoid, Short::timestep}},
      {Use::tokens, "sinusoid", {Short::sinusoid, Short::sinusoid}},
      {Use::timesteps, "timestep", {Short::timestep, Short::timestep}},
      {Use::cells, "grid", {Short::grid, Short::grid}},
      {Use::rotations, "rotary", {Short::rotary, Short::rotary}},
      {Use::slopes, "bias", {Short::bias, Short::bias}},
  };
  const Short found = short_of(convention);
  for (const Row& row : rows) {
    if (row.use != use) continue;
    if (found == row.taken[0] || found == row.taken[1]) return std::nullopt;
    return Problem{std::string(operation), "the convention must be of family " + std::string(row.families),
                   std::string(family(convention))};
  }
  return Problem{std::string(operation), "what the convention is asked for must be stated", "none"};
}

}  // namespace posenc
