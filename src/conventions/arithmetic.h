// SPDX-License-Identifier: Apache-2.0
// Recipes at work: the roundings of another code base, with correctly rounded elementary functions between them.
#pragma once

#include <posenc/recipe.h>

#include <functional>

#include "src/conventions/ladder.h"
#include "src/numerics/elementary.h"

namespace posenc {

/// Is the ladder made of ln of its base?
bool by_exp(LadderBy by);

/// A value rounded to f32, f64, bf16 or f16, held exactly by a double.
double rounded(DType type, double value);
/// Each in its place.
void round_all(DType type, std::span<double> values);

/// PyTorch's linspace in the type of frequencies: `count` numbers, both ends among them. Its sums are fused where its
/// compiler has them so, as on AVX2.
std::vector<double> linspace(const Steps& steps, double from, double to, std::int64_t count);

/// What every sine and cosine is multiplied by, or divided by; held by Steps::sine.
struct StepScale {
  enum class By : std::uint8_t { times = 1, over } by = By::times;
  double number = 1;
  bool is_one() const { return number == 1; }
};

/// The decay of a rotation, all of f32: z_k, from which place it counts, and over what.
struct StepDecay {
  std::vector<double> factors;  // of each pair
  double centre, period;
};

/// The ladder of a recipe, each number rounded as its steps say. The angle of position p is scale (p entry), or (scale
/// p) entry; where the steps divide the entries are divisors: scale (p / entry). The unit multiplies the position, or
/// the angle, as the steps say; it is 1 where the entries are in radians. A phase is added before it. `decided`: 2^15
/// bits settled every rounding; else all entries are NaN. `chained`: the entries after the first multiply the angle
/// before them.
struct StepLadder {
  std::vector<double> entries;
  double scale = 1;
  bool decided = true;
  bool chained = false;
  double unit = 1;
  std::vector<double> phases = {};  // one an entry, or none
  StepScale output = {};
  std::optional<StepDecay> decay = {};
};
/// What a number on the way to an entry stands for, of a base B, an exponent e_k and first f.
enum class StepOf : std::uint8_t {
  logarithm = 1,  ///< ln B
  rate,           ///< -ln B over the denominator of e_k
  log_exponent,   ///< the logarithm of w_k / f
  exponent,       ///< that of B
  power,          ///< w_k / f or its inverse
  frequency,      ///< w_k
  divisor,        ///< 1 / w_k
  other,          ///< none of these
};
/// One number on the way, rounded to its type.
struct LadderStep {
  StepOf of;
  std::string_view what;  ///< "RN(exp(exponent))"
  DType type;
  double value;
};
/// What leads to entry k of the step_ladder of the same arguments, in order; the last step is the entry. Of a chained
/// ladder that of entry 0 or 1.
std::vector<LadderStep> ladder_steps(const Ladder& ladder, const Span& span, const Steps& steps, std::size_t k);

/// Of a ladder that check_step_ladder admits; `factor` multiplies every angle.
StepLadder step_ladder(const Ladder& ladder, const Span& span, double factor, const Steps& steps);
/// The roundings are said for geometric ladders, rising ones by power and scaled ones where the steps say how, for
/// linear ones and lists, and for runaway ones by exp. Of a recipe that is not exact.
[[nodiscard]] std::optional<Problem> check_step_ladder(const Ladder& ladder, const Recipe& recipe);
/// "the recipe must be exact for a scaled ladder, or f32-reciprocal, .. or 2 more": those of the other named recipes
/// that serve, three of them by name.
std::string exact_or_those(std::string_view what, const std::function<bool(const Recipe&)>& serves);

/// w_k in radians per position, k = 0, 1, ..
std::vector<double> frequencies(const StepLadder& ladder, const Steps& steps);

/// RN(b) of each phase b, or RN(RN(u) RN(b)) where the unit u is not at the angle, as the angles of the ladder have it.
std::vector<double> step_phases(std::span<const double> phases, const Ladder& ladder, const Steps& steps);

/// What the entries multiply or divide: RN(p), scaled and in the ladder's unit where the steps say so.
double step_position(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p);

/// The angle of position p and each entry; infinite or NaN where it is beyond its type. In two steps, between which the
/// products of several axes are added: all but phases, a unit at the angle and the rounding of an argument, then these.
void step_products(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles);
void add_step_products(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles);
void finish_angles(const Steps& steps, const StepLadder& ladder, double* angles);
void step_angles(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, double* angles);

}  // namespace posenc
