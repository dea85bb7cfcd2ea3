// SPDX-License-Identifier: Apache-2.0
// PhasePlan: what the recipe `phase` computes of a convention, as whole numbers, for graphs, devices and emitted code.
#pragma once

#include <posenc/context.h>

namespace posenc {

/// Rows or coefficients under the recipe phase (recipe.h), without their ladders: a table of words, and columns.
///
/// The phase of an angle at whole coordinates |p_a| < 2^31 is start + the sum of p_a words[a], modulo 2^64, in units of
/// 2^-64 turns. Its two upper bits say which quarter turn it is in; the others are counted from the nearer end of the
/// quarter: X <= 2^61, in units of 2^-62 quarters. With x = (X + 2^30) >> 31 and z = x x >> 30,
///
///   s = s0 - z (s1 - z (s2 - z (s3 - z s4))),  S = x s >> 30, in units of 2^-31
///   C = c0 - z (c1 - z (c2 - z (c3 - z c4))),  in units of 2^-31
///
/// where s0 .. s4 are 1686629713, 1387197328, 1369107519, 1286724417, 1388671293 in units of 2^-30, 2^-31, 2^-34,
/// 2^-38, 2^-43; c0 .. c4 are 2147483647, 1324675872, 1089501132, 1433510551, 1988114506 in units of 2^-31, 2^-30,
/// 2^-32, 2^-36, 2^-41; z has the unit 2^-32; and each product is shifted down, by 33, 35, 36, 37 and by 31, 34, 36, 37
/// bits, to the unit of what it is subtracted from. S is the sine and C the cosine; in odd quarters they change places,
/// and again where X is counted from the end of a quarter. They get their sign as whole numbers, so that a 0 is +0, and
/// are rounded to f32. Where X < 2^55, RN(X) RN(s), rounded, is taken for S, X cut to 48 bits where it has more. Every
/// number but X is below 2^31 and not below 0, every product below 2^62.
///
/// A column is m times its wave, both of f32 and the product rounded.
struct PhasePlan {
  struct Angle {
    std::vector<std::uint64_t> words;  ///< RN(2^64 w / 2 pi) modulo 2^64, one an axis
    std::uint64_t start;               ///< at coordinates 0
    friend bool operator==(const Angle&, const Angle&) = default;
  };
  enum class Kind : std::uint8_t {
    constant = 1,  ///< the wave of phase 0
    coordinate,    ///< m p_a
    wave,
  };
  struct Column {
    Kind kind;
    std::uint8_t quarter;  ///< of a turn that a wave starts at: 0 sin, 1 cos, 2 -sin, 3 -cos
    std::uint32_t number;  ///< of a wave its angle, of a coordinate its axis
    friend bool operator==(const Column&, const Column&) = default;
  };

  std::vector<std::string> axes;
  std::vector<Angle> angles;
  std::vector<Column> columns;
  float scale;  ///< m
  friend bool operator==(const PhasePlan&, const PhasePlan&) = default;
};

namespace detail {
/// Nothing and the plan, or the problem.
POSENC_EXPORT std::optional<Problem> write_phase_plan_of_rows(const Convention& convention, std::int64_t dim,
                                                              const Context& context, PhasePlan& plan);
POSENC_EXPORT std::optional<Problem> write_phase_plan_of_rotation(const Convention& convention, std::int64_t head,
                                                                  const Context& context, PhasePlan& plan);
}  // namespace detail

/// Returns the rows of a convention of waves, as rows.h writes them under the recipe phase. Errors: as Rows::check
/// says; an angle has 2^64 turns or more a position.
inline PhasePlan phase_plan_of_rows(const Convention& convention, std::int64_t dim, const Context& context = {}) {
  PhasePlan plan;
  require(detail::write_phase_plan_of_rows(convention, dim, context, plan));
  return plan;
}
/// Returns the cosines of all pairs of a rotation, then the sines, which a convention that turns backward negates;
/// where the columns of a pair turn by two angles, the sines and the cosines of the second ones behind them. Errors: as
/// RotaryRows::check says under the recipe phase; an angle as above.
inline PhasePlan phase_plan_of_rotation(const Convention& convention, std::int64_t head, const Context& context = {}) {
  PhasePlan plan;
  require(detail::write_phase_plan_of_rotation(convention, head, context, plan));
  return plan;
}

/// The problem that each would throw, or nothing.
[[nodiscard]] inline std::optional<Problem> check_phase_plan_of_rows(const Convention& convention, std::int64_t dim,
                                                                     const Context& context = {}) {
  PhasePlan plan;
  return detail::write_phase_plan_of_rows(convention, dim, context, plan);
}
[[nodiscard]] inline std::optional<Problem> check_phase_plan_of_rotation(const Convention& convention,
                                                                         std::int64_t head,
                                                                         const Context& context = {}) {
  PhasePlan plan;
  return detail::write_phase_plan_of_rotation(convention, head, context, plan);
}

}  // namespace posenc
