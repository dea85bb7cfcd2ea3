// SPDX-License-Identifier: Apache-2.0
// What the families' explanations share: words for axes and angles, one position of each axis, steps of a recipe.
#pragma once

#include <posenc/explain.h>

#include "src/conventions/lower.h"
#include "src/conventions/runs.h"
#include "src/encodings/axis_angles.h"
#include "src/referee/explain/decimal.h"
#include "src/referee/explain/rounded_values.h"

namespace posenc::referee {

/// What a convention with columns is lowered for.
inline LoweredFor given_of(const EntryAsked& asked) { return {.width = asked.dim, .context = asked.context}; }

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

/// The ladders of a family, as a plan has them and as their fields say.
struct LaddersOf {
  const std::vector<std::string>& axes;
  std::vector<plan::Ladder> lowered;
  std::vector<plan::Axis> coordinates;
  std::vector<numerics::Real> phases;
  std::vector<const Ladder*> stated;  ///< one an axis
  std::vector<Span> spans;
};
template <class Family>
LaddersOf ladders_of(const Family& family, const LoweredFor& given, std::vector<plan::Ladder> lowered,
                     std::vector<plan::Axis> coordinates, std::vector<numerics::Real> phases) {
  LaddersOf made = {family.axes,       std::move(lowered), std::move(coordinates),
                    std::move(phases), {},                 lowering::spans(family, given)};
  for (std::size_t axis = 0; axis < made.spans.size(); ++axis) {
    made.stated.push_back(&ladder_of(run_fields(family), axis));
  }
  return made;
}

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

// ---- the families -------------------------------------------------------------------------------

[[nodiscard]] std::optional<Problem> check_entry(const Waves& waves, const Convention& all, const EntryAsked& asked,
                                                 const Recipe& recipe);
[[nodiscard]] std::optional<Problem> check_entry(const Rotary& rotary, const Convention& all, const EntryAsked& asked,
                                                 const Recipe& recipe);
[[nodiscard]] std::optional<Problem> check_entry(const Slopes& slopes, const Convention& all, const EntryAsked& asked,
                                                 const Recipe& recipe);
[[nodiscard]] std::optional<Problem> check_entry(const Buckets& buckets, const Convention& all, const EntryAsked& asked,
                                                 const Recipe& recipe);
[[nodiscard]] std::optional<Problem> check_entry(const LogCoordinates& coordinates, const Convention& all,
                                                 const EntryAsked& asked, const Recipe& recipe);
[[nodiscard]] std::optional<Problem> check_entry(const QueryScale& scale, const Convention& all,
                                                 const EntryAsked& asked, const Recipe& recipe);
[[nodiscard]] std::optional<Problem> check_entry(const Learned& learned, const Convention& all, const EntryAsked& asked,
                                                 const Recipe& recipe);
Explanation entry_of(const Waves& waves, const Convention& all, const EntryAsked& asked, const Recipe& recipe);
Explanation entry_of(const Rotary& rotary, const Convention& all, const EntryAsked& asked, const Recipe& recipe);
Explanation entry_of(const Slopes& slopes, const Convention& all, const EntryAsked& asked, const Recipe& recipe);
Explanation entry_of(const Buckets& buckets, const Convention& all, const EntryAsked& asked, const Recipe& recipe);
Explanation entry_of(const LogCoordinates& coordinates, const Convention& all, const EntryAsked& asked,
                     const Recipe& recipe);
Explanation entry_of(const QueryScale& scale, const Convention& all, const EntryAsked& asked, const Recipe& recipe);
Explanation entry_of(const Learned& learned, const Convention& all, const EntryAsked& asked, const Recipe& recipe);

}  // namespace posenc::referee
