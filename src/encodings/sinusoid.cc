// SPDX-License-Identifier: Apache-2.0
// Checks of sinusoidal tables, before a ladder is made.
#include <posenc/sinusoid.h>

#include "src/base/shapes.h"
#include "src/encodings/rules.h"

namespace posenc {

std::optional<Problem> check_sinusoid(const Convention& convention, const Positions& positions, const View& out,
                                      const Options& options) {
  if (auto problem = check_reading("sinusoid", options.reading)) return problem;
  if (auto problem = check_output("sinusoid", "out", out)) return problem;
  if (out.rank == 0) return Problem{"sinusoid", "out must have shape [L, d] or [B, L, d]", "[]"};
  if (auto problem = check_sinusoid_made(convention, out.size(-1), options)) return problem;
  if (auto problem = check_real("sinusoid", out, 2, 3, "[L, d] or [B, L, d]")) return problem;
  if (auto problem = check_width("sinusoid", columns(convention, out.size(-1)), out)) return problem;
  if (auto problem = check_positions("sinusoid", positions)) return problem;
  if (has_rows(positions, out)) return check_lists("sinusoid", positions, out);
  return other_rows("sinusoid", positions, out, "[B, L, d]");
}

std::optional<Problem> check_add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in,
                                          const View& out, const Options& options) {
  if (auto problem = check_sinusoid(convention, positions, out, options)) return problem;
  return check_addend(in, out);
}

}  // namespace posenc
