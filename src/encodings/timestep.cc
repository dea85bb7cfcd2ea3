// SPDX-License-Identifier: Apache-2.0
// What timestep embeddings refuse; their rows are those of any convention with one axis.
#include <posenc/timestep.h>

#include "src/encodings/rules.h"

namespace posenc {

std::optional<Problem> check_timestep(const Convention& convention, const Positions& steps, const View& out,
                                      const Recipe& recipe) {
  if (auto problem = check_use("timestep", ConventionUse::timesteps, convention)) return problem;
  if (auto problem = check_real("timestep", out, 2, 2, "[N, d]")) return problem;
  const std::int64_t dim = out.size(-1);
  if (auto problem = SinusoidRows::check(convention, dim, recipe)) return problem;
  if (auto problem = check_width("timestep", columns(convention, dim), out)) return problem;
  if (auto problem = check_positions("timestep", steps)) return problem;
  if (rank(steps) != 1) return Problem{"timestep", "steps must have shape [N]", shape_text(steps.list_)};
  if (steps.count_ == out.size(0)) return check_lists("timestep", steps, out);
  return Problem{"timestep", "out must have a row for each of " + std::to_string(steps.count_) + " steps",
                 shape_text(out)};
}

}  // namespace posenc
