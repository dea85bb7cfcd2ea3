// SPDX-License-Identifier: Apache-2.0
// Recipes: the arithmetic that turns a convention's real numbers into stored ones.
//
// `exact` rounds the real number once to the output type. Every other recipe is a short list of roundings that another
// code base makes, with correctly rounded elementary functions between them. Thread safety: plain values.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// How a recipe gets w_k from base B and exponent e_k. RN is one rounding to Steps::frequency. Where the ladder's first
/// w_0 is not 1, RN(first w_k) follows. A listed ladder takes RN(w_k) instead. A timestep's scale is none of this: it
/// multiplies the angle.
enum class LadderBy : std::uint8_t {
  exp = 1,     ///< RN(exp(RN(j c))), j the numerator of e_k, c = -ln B over its denominator, formed in Steps::constant
  reciprocal,  ///< RN(1 / RN(B^RN(e_k)))
  divide,      ///< no w_k: the angle is RN(p / RN(B^RN(e_k)))
  exp_quotient,  ///< RN(exp(RN(RN(j c) / D))), D the denominator of e_k, c = RN(-ln B), ln B formed in Steps::constant
};

/// The roundings of a recipe, in order. Each type is f32 or f64. An angle beyond its type's range gives NaN.
struct Steps {
  LadderBy ladder;
  DType constant;              ///< where c is formed (exp, exp_quotient)
  DType frequency;             ///< type of w_k and of what leads to it
  DType angle;                 ///< position and angle: RN(RN(p) w_k); of a timestep RN(scale RN(RN(p) w_k))
  DType sine;                  ///< type of sin and cos of that angle, before storage
  std::vector<DType> storage;  ///< roundings after it, in order; then the output type
  friend bool operator==(const Steps&, const Steps&) = default;
};

/// A named arithmetic. No steps means exact.
struct Recipe {
  std::string name;
  std::optional<Steps> steps;
  bool exact() const { return !steps.has_value(); }
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// The correctly rounded arithmetic.
inline Recipe exact() { return {"exact", std::nullopt}; }

/// Every named recipe, `exact` first.
POSENC_EXPORT std::span<const Recipe> recipes();
/// The recipe of that name, or the problem that lists the names.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_recipe(std::string_view name);
POSENC_EXPORT const Recipe* find_recipe(std::string_view name);
inline const Recipe& recipe(std::string_view name) {
  require(check_recipe(name));
  return *find_recipe(name);
}

POSENC_EXPORT std::string_view to_string(LadderBy ladder);
/// The name and every rounding in order.
POSENC_EXPORT std::string to_string(const Recipe& recipe);
/// Every field of the steps is stated and has an allowed type.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_recipe(const Recipe& recipe);

}  // namespace posenc
