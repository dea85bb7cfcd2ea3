// SPDX-License-Identifier: Apache-2.0
// PhasePlan: what the recipe `phase` computes of a convention, as whole numbers, for graphs, devices and emitted code.
#pragma once

#include <posenc/context.h>

namespace posenc {

/// Rows or coefficients under the recipe phase (recipe.h), without their ladders: a table of words, and columns.
///
/// The phase of an angle at whole coordinates |p_a| < 2^31 is start + the sum of p_a words[a], modulo 2^64, in units of
/// 2^-64 turns. A column is m times its wave, m in f32; the wave of a phase is that of the recipe.
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

/// Returns the rows of a convention of waves, as rows.h writes them under the recipe phase. Errors: as Rows::check says;
/// an angle has 2^64 turns or more a position.
inline PhasePlan phase_plan_of_rows(const Convention& convention, std::int64_t dim, const Context& context = {}) {
  PhasePlan plan;
  require(detail::write_phase_plan_of_rows(convention, dim, context, plan));
  return plan;
}
/// Returns the cosines of all pairs of a rotation, then the sines, which a convention that turns backward negates; where
/// the columns of a pair turn by two angles, the sines and the cosines of the second ones behind them. Errors: as
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
