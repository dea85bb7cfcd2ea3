// SPDX-License-Identifier: Apache-2.0
// Recipes: the arithmetic that turns a convention's real numbers into stored ones.
//
// `exact` rounds the real number once to the output type. `phase` takes it by whole numbers, with the same bits
// wherever integers of 64 bits multiply. Every other recipe is a short list of roundings that another code base makes,
// with correctly rounded elementary functions between them. Thread safety: plain values.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// How a recipe gets w_k from base B and exponent e_k. RN is one rounding to Steps::frequency. Where the ladder's first
/// w_0 is not 1, RN(first w_k) follows. A timestep's scale is none of this: see ScaleAt.
///
/// A listed ladder takes RN(w_k) instead, iterated or not, and a linear one the linspace of PyTorch: with s =
/// RN(RN(to - from) / RN(n - 1)), RN(from + k s) below n / 2, else RN(to - (n - 1 - k) s), products rounded or not as
/// Sums says. A runaway one has a recipe by exp, RN(RN(e^k) RN(-r)), and a geometric one that rises by powers that are
/// no quotients.
enum class LadderBy : std::uint8_t {
  exp = 1,     ///< RN(exp(RN(j c))), j the numerator of e_k, c = -ln B over its denominator, formed in Steps::constant
  reciprocal,  ///< RN(1 / RN(B^RN(e_k)))
  divide,      ///< no w_k: the angle is RN(p / RN(B^RN(e_k)))
  exp_quotient,  ///< RN(exp(RN(RN(j c) / D))), D the denominator of e_k, c = RN(-ln B), ln B formed in Steps::constant
  power,         ///< RN(B^RN(-e_k)), or RN(B^RN(e_k)) of a ladder that rises
  power_of_linspace,   ///< RN(B^l_k), l the linspace from 0 to the last exponent (LTX); its sign is that of power
  octaves,             ///< RN(2^l_k), l the linspace from 0 to log2(B) times that exponent (timm)
  exp_blend,           ///< RN(exp(RN(RN(z c') - c'))), z = RN(1 - RN(k / D)), c' = RN(ln B), as exp_quotient's (MLX)
  iterated,            ///< no w_k: angle 0 is RN(RN(p) RN(first)), angle k + 1 is RN(angle_k RN(B^RN(-e_1)))
  exp2,                ///< RN(2^RN(RN(j c) RN(log2 e))), j and c as exp has them (MLX on the CPU)
  divide_of_linspace,  ///< no w_k: the angle is RN(p / RN(RN(B^l_k) / first)), l as power_of_linspace has it (timm)
};

/// Where a product is added to something: in a linspace, and where those of several axes are added.
enum class Sums : std::uint8_t {
  rounded = 1,  ///< RN(a + RN(b c))
  fused,        ///< RN(a + b c): compilers make it of PyTorch's linspace, libraries may of products of matrices
};

/// The decay of a rotation's pairs, all of f32, r columns turn: z_k = RN(RN(2 k + RN(floor r)) / RN((1 + floor)
/// r)), f_k = RN(z_k^RN(RN(RN(p) - RN(centre)) / RN(period))). Queries have RN(f_k c) in place of a cosine or sine c.
enum class DecayBy : std::uint8_t {
  none = 1,    ///< not said: such a rotation has no such recipe
  reciprocal,  ///< keys have RN(RN(1 / f_k) c), as rotary-embedding-torch, x-transformers and torchscale do
  quotient,    ///< keys have RN(c / f_k), as flash-attn does
};

/// The roundings of a ladder's scaling. Here every operation is one of Steps::frequency; s is RN(factor), P is
/// RN(B^RN(e_k)), w is RN(1 / P), and `first` is 1.
enum class ScalingBy : std::uint8_t {
  none = 1,  ///< not said: a scaled ladder has no such recipe
  /// transformers 5.23, after LadderBy::reciprocal. linear: w / s. base, ntk: the base of f64 operations, then rounded;
  /// dynamic_ntk: B ((s L / length) - RN(factor - 1))^(r / (r - 2)), L the call's length or the longer. longrope: 1 /
  /// (f_k P). proportional: w / s, of the pairs that turn. clipped: w (0.5 (1 + cos t)), t of PyTorch's linspace from 0
  /// to pi. yarn: (1 / (s P)) (1 - m) + (1 / P) m, m = 1 - ramp, ramp = clip((k - low) / RN(high - low), 0, 1), low and
  /// high of f64 operations. llama3: l = (1 / w) RN(2 pi) against RN(length / low) and RN(length / high), each quotient
  /// in f64: longer w / s, shorter w, else ((1 - t) w) / s + t w, t = ((1 / l) length - low) / RN(high - low).
  transformers,
  quotient,  ///< linear: RN(w_k / s), after any ladder that has w_k and no first (Keras-Hub)
};

/// Where the unit of a ladder that is not in radians is multiplied: u = RN(pi / 2), RN(pi) or RN(2 pi).
enum class UnitAt : std::uint8_t {
  ladder = 1,  ///< RN(u w_k), as timm does; not said where there is no w_k
  position,    ///< RN(u RN(p)) in place of the position, as DINOv3 and DAB-DETR do
  angle,       ///< RN(u RN(RN(p) w_k)), as Perceiver and SAM do
};

/// Where the factor of a timestep's angles is multiplied.
enum class ScaleAt : std::uint8_t {
  angle = 1,  ///< RN(scale RN(RN(p) w_k))
  position,   ///< RN(RN(scale RN(p)) w_k)
};

/// The roundings of a recipe, in order. Each type is f32 or f64. An angle beyond its type's range gives NaN.
///
/// A phase b is added to an angle, RN(angle + RN(u b)), before a unit at the angle. Products of several axes are added
/// in order, each sum rounded to Steps::angle; a fused one takes the product of its axis as it is.
///
/// A row's scale s is an operation of Steps::sine before storage, RN(RN(s) v); one_over_sqrt_d divides as NeMo does,
/// RN(v / RN(sqrt(d))). A rotation's cosines and sines are rounded to f32 at the end; those of a magnitude m are
/// RN(RN(m) v).
struct Steps {
  LadderBy ladder;
  DType constant;              ///< where c is formed (exp, exp_quotient)
  DType frequency;             ///< type of w_k and of what leads to it
  ScalingBy scaling;           ///< of a scaled ladder
  UnitAt unit_at;              ///< of a ladder that is not in radians
  DType angle;                 ///< position and angle: RN(RN(p) w_k)
  ScaleAt scale_at;            ///< of a timestep
  Sums sums;                   ///< of products
  DType argument;              ///< type to which a finished angle is rounded before its sine
  DecayBy decay;               ///< of a rotation's pairs
  DType sine;                  ///< type of sin and cos of that angle, before storage; see below
  std::vector<DType> storage;  ///< roundings after it, in order; then the output type
  friend bool operator==(const Steps&, const Steps&) = default;
};

/// How an entry is made of its real number, where no steps of another code base are.
enum class RealBy : std::uint8_t {
  rounding = 1,  ///< rounded once to the output type
  /// A wave of a 64-bit phase, by whole numbers alone until its one rounding to f32. With W = RN(2^64 w / 2 pi), the
  /// phase of a whole position |p| < 2^31 is p W modulo 2^64, in units of 2^-64 turns. Farther ones take 128 bits of
  /// the frequency, fractions the leading 64 bits of the exact product. Products of several axes and the phase of a
  /// column are added, modulo 2^64. An entry is RN(RN(m) RN(v)), m the scale of rows or the magnitude of a rotation,
  /// each rounding to f32, then rounded to the output type; v is within 2^-29 of the wave, and a v of 0 is +0.
  phase,
};

/// A named arithmetic: steps, or how the real number is taken.
struct Recipe {
  std::string name;
  std::optional<Steps> steps;
  RealBy real_by = RealBy::rounding;
  bool exact() const { return !steps && real_by == RealBy::rounding; }
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// The correctly rounded arithmetic.
inline Recipe exact() { return {"exact", std::nullopt, RealBy::rounding}; }
/// The arithmetic that devices, compiled graphs and emitted code have with the same bits.
inline Recipe phase() { return {"phase", std::nullopt, RealBy::phase}; }

/// Every named recipe, `exact` first.
POSENC_EXPORT std::span<const Recipe> recipes();
/// The recipe of that name, or the problem that names the nearest.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_recipe(std::string_view name);
POSENC_EXPORT const Recipe* find_recipe(std::string_view name);
inline const Recipe& recipe(std::string_view name) {
  require(check_recipe(name));
  return *find_recipe(name);
}

POSENC_EXPORT std::string_view to_string(LadderBy ladder);
POSENC_EXPORT std::string_view to_string(ScalingBy scaling);
POSENC_EXPORT std::string_view to_string(UnitAt at);
POSENC_EXPORT std::string_view to_string(ScaleAt at);
POSENC_EXPORT std::string_view to_string(Sums sums);
POSENC_EXPORT std::string_view to_string(DecayBy decay);
/// The name and every rounding in order.
POSENC_EXPORT std::string to_string(const Recipe& recipe);
/// Every field of the steps is stated and has an allowed type.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_recipe(const Recipe& recipe);

}  // namespace posenc
