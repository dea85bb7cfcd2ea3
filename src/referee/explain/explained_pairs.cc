// SPDX-License-Identifier: Apache-2.0
// A pair of a rotation: its cosine and its sine, and what they make of two columns.
#include <posenc/rotary.h>

#include "src/base/scratch.h"
#include "src/base/to_text.h"
#include "src/encodings/decays.h"
#include "src/encodings/turns.h"
#include "src/referee/explain/explained.h"
#include "src/referee/explain/real_text.h"

namespace posenc::referee {
namespace {

using numerics::Real;
using numerics::Wave;

// The pair that reads or writes a column.
std::optional<std::size_t> pair_of(const plan::PairPlan& plan, std::int64_t column) {
  for (std::size_t k = 0; k < plan.pairs.size(); ++k) {
    for (const auto& columns : {plan.pairs[k].read, plan.pairs[k].written}) {
      if (columns[0] == column || columns[1] == column) return k;
    }
  }
  return std::nullopt;
}

struct TurnedPair {
  const Convention& all;
  const EntryAsked& asked;
  const plan::Pair& pair;
};

// What a head becomes that is 0 but in the columns of the pair; nothing where an entry was not settled.
template <class T>
std::optional<std::array<T, 2>> rotated(const TurnedPair& of, const Options& options,
                                        const std::array<double, 2>& before) {
  const RotaryRows rows(of.all, of.asked.dim, options);
  const Scratch<T> head(static_cast<std::size_t>(of.asked.dim));
  std::fill(head.data(), head.data() + of.asked.dim, T(0));
  for (std::size_t i = 0; i < 2; ++i) head.data()[of.pair.read[i]] = static_cast<T>(before[i]);
  const View all = view(head.data(), {1, of.asked.dim});
  const Rotated one[] = {Rotated(all, of.asked.side)};
  if (rows.rotate_checked(of.asked.at, one, Direction::forward, serial)) return std::nullopt;
  return std::array<T, 2>{head.data()[of.pair.written[0]], head.data()[of.pair.written[1]]};
}

// The factor of the cosines and sines of a pair at a place.
Real pair_factor(const plan::PairPlan& plan, std::size_t k, RotatedSide side, Place place) {
  if (!plan.decay) return plan.magnitude;
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t i = 0; i < plan.pairs.size(); ++i) pairs.push_back(i);
  const Decays decays(plan, pairs);
  const numerics::Rational exponent = decays.exponent(place);
  return decays.power(k, side == RotatedSide::key ? -exponent : exponent) * plan.magnitude;
}

// In f32 and, where pairs do not decay, f64. (1, 0) becomes the cosine of the first angle and the sine of the second.
std::array<std::vector<RoundedValue>, 2> rounded_turn(const TurnedPair& of, const Options& options, bool decays,
                                                      const std::array<Number, 2>& exact) {
  std::array<std::vector<RoundedValue>, 2> made;
  if (const auto narrow = rotated<float>(of, options, {1, 0})) {
    for (std::size_t i = 0; i < 2; ++i) made[i].push_back(told(DType::f32, wide((*narrow)[i]), exact[i]));
  }
  if (decays || !options.recipe.exact()) return made;
  if (const auto full = rotated<double>(of, options, {1, 0})) {
    for (std::size_t i = 0; i < 2; ++i) made[i].push_back(told(DType::f64, (*full)[i], exact[i]));
  }
  return made;
}

// Behind the waves: f32, a decay, a turn backward.
void finish_steps(std::vector<ExplainedStep>& steps, const plan::PairPlan& plan, Wave wave,
                  const std::vector<RoundedValue>& recipe, const Number& exact) {
  if (steps.back().type != DType::f32) {
    const double value = rounded(DType::f32, steps.back().value);
    steps.push_back(step_of("storage", "RN(it)", DType::f32, value));
    steps.back().relative = steps[steps.size() - 2].relative ? relative_error(value, exact) : std::nullopt;
  }
  if (plan.turning == plan::Turning::backward && wave == Wave::sine) {
    steps.push_back(step_of("sign", "-it", DType::f32, -steps.back().value));
  }
  if (plan.decay && !recipe.empty()) {
    steps.push_back(step_of("decay", "RN(it and the factor of the pair)", DType::f32, recipe[0].value, &exact));
  }
}

std::string words_of_wave(const LaddersOf& ladders, const plan::Angle& angle, Wave wave) {
  return std::string(wave == Wave::cosine ? "the cosine of " : "the sine of ") + words_of(ladders, angle);
}

Explanation copied_column(const EntryAsked& asked, const OnePlace& place, const Options& options) {
  ExplainedEntry entry;
  entry.what = "no pair has the column: it is copied";
  entry.formula = "what stands there";
  entry.exact = {"1", 1, true};
  return {
      "column " + std::to_string(asked.column) + " of a head of " + std::to_string(asked.dim) + " at " + place.words,
      options.recipe.name,
      {std::move(entry)},
      std::nullopt};
}

}  // namespace

std::optional<Problem> check_pair(const Convention& all, const EntryAsked& asked, const Options& options) {
  if (auto problem = RotaryRows::check(all, asked.dim, options)) return problem;
  if (auto problem = check_place(posenc::axes_of(all), asked.at)) return problem;
  if (auto problem = check_column("column", asked.column, asked.dim)) return problem;
  for (const double value : asked.before) {
    if (value - value == 0) continue;
    return Problem{"explain", "the values of a pair must be finite", to_text(value)};
  }
  if (asked.side == RotatedSide::query || asked.side == RotatedSide::key) return std::nullopt;
  return Problem{"explain", "the side must be stated", "none"};
}

Explanation explain_pair(const Convention& all, const EntryAsked& asked, const Options& options) {
  const LoweredFor given = given_of(asked, options);
  const plan::PairPlan plan = lower_pairs(all, given);
  const LaddersOf ladders = {posenc::axes_of(all), plan.ladders, plan.axes, {}, stated_ladders(all, given)};
  const OnePlace place = place_of(ladders.axes, asked.at);
  const std::optional<std::size_t> found = pair_of(plan, asked.column);
  if (!found) return copied_column(asked, place, options);
  const plan::Pair& pair = plan.pairs[*found];
  const TurnedPair of = {all, asked, pair};

  const Real factor = pair_factor(plan, *found, asked.side, place.coordinates);
  const Real turned = plan.turning == plan::Turning::backward ? -factor : factor;
  const auto exact_wave = [&](std::size_t angle, Wave wave) {
    const Number by(wave == Wave::sine ? turned : factor);
    return by * referee::wave(wave, real_angle(ladders, pair.angles[angle], place.coordinates));
  };
  const std::array<Number, 2> exact = {exact_wave(0, Wave::cosine), exact_wave(1, Wave::sine)};
  const auto rounded = rounded_turn(of, {.context = options.context}, plan.decay.has_value(), exact);
  std::array<std::vector<RoundedValue>, 2> by_recipe;
  std::vector<StepLadder> made;
  if (!options.recipe.exact()) {
    by_recipe = rounded_turn(of, options, plan.decay.has_value(), exact);
    made = ladders_under(options.recipe, plan, all, given);
  }

  Explanation told = {"column " + std::to_string(asked.column) + " of a head of " + std::to_string(asked.dim) + " at " +
                          place.words + ": pair " + std::to_string(*found),
                      options.recipe.name,
                      {},
                      std::nullopt};
  for (std::size_t i = 0; i < 2; ++i) {
    const Wave wave = i == 0 ? Wave::cosine : Wave::sine;
    ExplainedEntry entry;
    entry.what = words_of_wave(ladders, pair.angles[i], wave);
    const Real& by = wave == Wave::sine ? turned : factor;
    entry.formula = (by == Real(1) ? "" : closed_factor(by) + " ") + (i == 0 ? "cos(angle)" : "sin(angle)");
    if (pair.angles[i].axis != plan::no_axis) entry.angle = told_angle(ladders, pair.angles[i], place.coordinates);
    entry.exact = decimal(exact[i]);
    entry.rounded = rounded[i];
    entry.recipe = by_recipe[i];
    if (options.recipe.steps) {
      entry.steps = wave_steps({*options.recipe.steps, ladders, made}, pair.angles[i], wave, place.coordinates);
      finish_steps(entry.steps, plan, wave, by_recipe[i], exact[i]);
    }
    told.entries.push_back(std::move(entry));
  }
  const double u = posenc::rounded(DType::f32, asked.before[0]), v = posenc::rounded(DType::f32, asked.before[1]);
  const Number first = Number(Real(u)) * exact_wave(0, Wave::cosine) - Number(Real(v)) * exact_wave(0, Wave::sine);
  const Number second = Number(Real(u)) * exact_wave(1, Wave::sine) + Number(Real(v)) * exact_wave(1, Wave::cosine);
  if (const auto after = rotated<float>(of, options, {u, v})) {
    told.pair = {static_cast<std::int64_t>(*found),  {pair.read[0], pair.read[1]},
                 {pair.written[0], pair.written[1]}, {u, v},
                 {decimal(first), decimal(second)},  *after};
  }
  return told;
}

}  // namespace posenc::referee
