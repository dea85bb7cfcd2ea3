// SPDX-License-Identifier: Apache-2.0
// Sinusoidal tables: entry (p, k) is sin(p w_k) and cos(p w_k), laid out as a convention says; of positions, or of the
// steps of a diffusion model.
#pragma once

#include <posenc/rows.h>

namespace posenc {

/// Writes the rows of a convention's table at the given positions.
///
/// Formula: s_k = sin(p w_k), c_k = cos(p w_k), k = 0..n-1, placed as [s0 c0 s1 c1 ..], [s.. | c..] or [c.. | s..].
/// Timesteps have w_k = scale max_period^(-k / (n - shift)), n = floor(d / 2), and an odd d has a last column of zeros.
/// Shapes: positions [L], out [L, d]; or positions [B, L], out [B, L, d]. d is the width, columns(convention, dim).
/// Units: positions in tokens, or in what a model's steps count, fractional ones welcome; frequencies in radians per
/// token.
/// Types: out is f32, f64, bf16 or f16, any strides.
/// Accuracy: under `exact` each entry is the real number rounded once, to nearest, ties to even; under another recipe
/// each step is rounded as the recipe says, between correctly rounded elementary functions.
/// Zeros: under `exact` a sine of 0 has the sign of p w, a cosine of 0 is +0 (IEEE 754's sinPi and cosPi), sines at p 0
/// are +0. At frequency 0 a sine has the sign of p in f32, f16 and bf16, and is +0 in f64. With a scale or phases it is
/// +0 at angle 0, and a negative scale turns other zeros' signs.
/// Errors: the convention is not for ConventionUse::rows, or refuses the width; positions, shapes or types break their
/// rules. Cost: a call makes the ladder, which at 512 columns takes as long as 150 rows. For many calls:
/// Rows(convention, d), made once. Source: Vaswani et al. 2017, section 3.5; Ho et al. 2020 (DDPM) for timesteps, their
/// fields are those of diffusers' get_timestep_embedding; the preset's own source for other conventions. Thread safety:
/// yes, on distinct outputs.
inline void sinusoid(const Convention& convention, const Positions& positions, const View& out,
                     const Options& options = {});

/// out = RN(in + RN(signal)); `in` may be `out` itself. in: [.., L, d] with at most one axis before L (a batch).
/// bf16 and f16 add in f32 and round to storage. Everything else as for sinusoid.
inline void add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in, const View& out,
                         const Options& options = {});

/// The problem that sinusoid or add_sinusoid would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_sinusoid(const Convention& convention,
                                                                  const Positions& positions, const View& out,
                                                                  const Options& options = {});
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_add_sinusoid(const Convention& convention,
                                                                      const Positions& positions, const ConstView& in,
                                                                      const View& out, const Options& options = {});

inline void sinusoid(const Convention& convention, const Positions& positions, const View& out,
                     const Options& options) {
  require(check_sinusoid(convention, positions, out, options));
  const Rows rows(convention, out.size(-1), options);
  require(rows.write_checked(positions, out, options.executor, options.reading));
}

inline void add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in, const View& out,
                         const Options& options) {
  require(check_add_sinusoid(convention, positions, in, out, options));
  require(Rows(convention, out.size(-1), options).add_checked(positions, in, out, options.executor));
}

}  // namespace posenc
