// SPDX-License-Identifier: Apache-2.0
// What the families' explanations share: words for axes and angles, one position of each axis, steps of a recipe.
#pragma once

#include <posenc/referee/explain.h>

#include "src/conventions/lower.h"
#include "src/conventions/stated_ladders.h"
#include "src/encodings/axis_angles.h"
#include "src/referee/explain/decimal.h"
#include "src/referee/explain/rounded_values.h"

namespace posenc::referee {

/// What a convention with columns is lowered for.
inline LoweredFor given_of(const EntryAsked& asked, const Options& options) {
  return {.width = asked.dim, .context = options.context};
}

/// The position of every axis.
struct OnePlace {
  std::vector<std::optional<numerics::Dyadic>> coordinates;
  std::string words;  ///< "position 7", "y 3, x 5"
};
OnePlace place_of(const std::vector<std::string>& axes, std::span<const Positions> at);
/// A list of one position for each axis.
[[nodiscard]] std::optional<Problem> check_place(const std::vector<std::string>& axes, std::span<const Positions> at);
/// A place among `count`; `name` is what it is one of.
[[nodiscard]] std::optional<Problem> check_column(std::string_view name, std::int64_t column, std::int64_t count);

/// The ladders of a convention, as its plan has them and as its fields say.
struct LaddersOf {
  std::vector<std::string> axes;
  std::vector<plan::Ladder> lowered;
  std::vector<plan::Axis> coordinates;
  std::vector<numerics::Real> phases;
  std::vector<StatedLadder> stated;  ///< one an axis
};

/// Axes that an angle has, in order.
std::vector<std::size_t> axes_of(const LaddersOf& ladders, const plan::Angle& angle);
/// "frequency 18 of axis position".
std::string words_of(const LaddersOf& ladders, const plan::Angle& angle);
/// In closed form, which it is where no coordinate is under a logarithm of 0 or less.
numerics::Real real_angle(const LaddersOf& ladders, const plan::Angle& angle, Place place);
ExplainedAngle told_angle(const LaddersOf& ladders, const plan::Angle& angle, Place place);

/// A recipe at work on one angle.
struct StepsOf {
  const Steps& steps;
  const LaddersOf& ladders;
  const std::vector<StepLadder>& made;  ///< of each axis, with what multiplies waves
};
/// All roundings up to the last one of Steps::storage, in order, of the sine or the cosine of an angle.
std::vector<ExplainedStep> wave_steps(const StepsOf& of, const plan::Angle& angle, numerics::Wave wave, Place place);
/// The same of a coordinate, and of the wave at angle 0.
std::vector<ExplainedStep> coordinate_steps(const StepsOf& of, std::size_t axis, Place place);
std::vector<ExplainedStep> constant_steps(const StepsOf& of, unsigned quarter);
/// A step that follows another one.
ExplainedStep step_of(std::string name, std::string what, DType type, double value, const Number* meant = nullptr);

// ---- what conventions give, by what they are used for -------------------------------------------

/// A column of waves.
[[nodiscard]] std::optional<Problem> check_wave(const Convention& convention, const EntryAsked& asked,
                                                const Options& options);
Explanation explain_wave(const Convention& convention, const EntryAsked& asked, const Options& options);
/// A pair of a rotation.
[[nodiscard]] std::optional<Problem> check_pair(const Convention& convention, const EntryAsked& asked,
                                                const Options& options);
Explanation explain_pair(const Convention& convention, const EntryAsked& asked, const Options& options);
/// A slope and its bias.
[[nodiscard]] std::optional<Problem> check_slope(const Convention& convention, const EntryAsked& asked,
                                                 const Options& options);
Explanation explain_slope(const Convention& convention, const EntryAsked& asked, const Options& options);
/// The class of a query and a key.
[[nodiscard]] std::optional<Problem> check_class(const Convention& convention, const EntryAsked& asked,
                                                 const Options& options);
Explanation explain_class(const Convention& convention, const EntryAsked& asked, const Options& options);
/// The factor of a query.
[[nodiscard]] std::optional<Problem> check_factor(const Convention& convention, const EntryAsked& asked,
                                                  const Options& options);
Explanation explain_factor(const Convention& convention, const EntryAsked& asked, const Options& options);
/// A stored row.
[[nodiscard]] std::optional<Problem> check_row(const Convention& convention, const EntryAsked& asked,
                                               const Options& options);
Explanation explain_row(const Convention& convention, const EntryAsked& asked, const Options& options);
}  // namespace posenc::referee
