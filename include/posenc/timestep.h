// SPDX-License-Identifier: Apache-2.0
// Timestep embeddings: the rows by which a diffusion model reads how far its process is.
#pragma once

#include <posenc/sinusoid.h>

namespace posenc {

/// Writes the row of every step.
///
/// Formula: s_k = sin(t w_k), c_k = cos(t w_k), w_k = scale * max_period^(-k / (n - shift)), n = floor(d / 2),
/// k = 0..n-1, placed as [s.. | c..] or [c.. | s..]; an odd d has a last column of zeros, whatever the layout.
/// Shapes: steps [N], out [N, d]; d is the width.
/// Units: steps in whatever the model counts, fractional ones welcome; w_k in radians per step.
/// Types: steps as Positions are; out is f32, f64, bf16 or f16, any strides.
/// Accuracy: under `exact` each entry is the real number rounded once, to nearest, ties to even; under another recipe
/// each step is rounded as the recipe says, and the scale multiplies the angle.
/// Errors: the convention is not for steps or refuses the width; steps, shape or type break their rules.
/// Source: Ho et al. 2020 (DDPM), its released code; the fields are those of diffusers' get_timestep_embedding.
/// Cost: a call makes the ladder, which takes as long as some 100 steps. For many calls of one width: SinusoidRows(
/// convention, d), made once.
/// Thread safety: yes, on distinct outputs.
inline void timestep(const Convention& convention, const Positions& steps, const View& out,
                     const Recipe& recipe = exact(), const Executor& executor = serial);

/// The problem that timestep would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_timestep(const Convention& convention, const Positions& steps,
                                                                  const View& out, const Recipe& recipe = exact());

inline void timestep(const Convention& convention, const Positions& steps, const View& out, const Recipe& recipe,
                     const Executor& executor) {
  require(check_timestep(convention, steps, out, recipe));
  require(SinusoidRows(convention, out.size(-1), recipe).write_checked(steps, out, executor));
}

}  // namespace posenc
