// SPDX-License-Identifier: Apache-2.0
// Coefficients of pairs; rows and tensors turned by plain loops.
#include "src/encodings/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/blocks.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/recipe_waves.h"
#include "src/encodings/tensor_lines.h"
#include "src/encodings/undecided.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::Rational;
using numerics::Real;
using numerics::Wave;

// What the decay multiplies pair k by.
Real decay_at(const plan::PairPlan& plan, std::size_t k, Place place, Side side) {
  const plan::Decay& decay = *plan.decay;
  Rational x = -decay.centre;
  for (std::size_t a = 0; a < place.size(); ++a) x = x + plan.axes[a].step * Rational(*place[a]) + plan.axes[a].start;
  const Rational exponent = x / decay.period;
  return numerics::power(decay.factors[k], side == Side::key ? -exponent : exponent);
}

}  // namespace

Turns::Turns(const plan::PairPlan& plan)
    : plan_(plan), angles_(plan.axes, plan.ladders, {}), magnitude_(numerics::scale(plan.magnitude)) {}

bool steps_serve(const plan::PairPlan& plan) {
  const auto of_one_axis = [](const plan::Pair& pair) {
    return pair.angles[0].axis != plan::every_axis && pair.angles[1].axis != plan::every_axis;
  };
  return !plan.decay && std::ranges::count(plan.axes, plan::Axis{}) == std::ssize(plan.axes) &&
         std::ranges::all_of(plan.pairs, of_one_axis);
}

float step_magnitude(const plan::PairPlan& plan) {
  return numerics::rounded<float>(plan.magnitude).value_or(std::numeric_limits<float>::quiet_NaN());
}

plan::PairPlan pairs_under(const Recipe& recipe, const Convention& rotary, const LoweredFor& given) {
  return recipe.exact() ? lower_pairs(rotary, given) : lower_step_pairs(rotary, given);
}

std::vector<StepLadder> ladders_under(const Recipe& recipe, const plan::PairPlan& pairs, const Convention& rotary,
                                      const LoweredFor& given) {
  if (recipe.exact()) return {};
  const float magnitude = step_magnitude(pairs);
  std::vector<StepLadder> ladders = lower_steps(rotary, given, *recipe.steps);
  for (StepLadder& ladder : ladders) {
    ladder.output = {StepScale::By::times, magnitude};
    ladder.decided &= !std::isnan(magnitude);
  }
  return ladders;
}

Turns::Turns(const plan::PairPlan& plan, const Steps& steps, std::vector<StepLadder> ladders) : Turns(plan) {
  steps_ = steps;
  step_ladders_ = std::move(ladders);
  step_magnitude_ = step_magnitude(plan);
}

bool Turns::at_steps(Place place, std::span<Turn> turns) const {
  std::vector<std::vector<float>> sines, cosines;  // of each axis
  bool decided = !std::isnan(step_magnitude_);
  for (std::size_t axis = 0; axis < step_ladders_.size(); ++axis) {
    const std::size_t n = step_ladders_[axis].entries.size();
    std::vector<float>&sine = sines.emplace_back(n), &cosine = cosines.emplace_back(n);
    decided &= recipe_waves<float>(*steps_, step_ladders_[axis], *place[axis], {sine.data(), cosine.data(), n, n, 1});
  }
  const float sign = plan_.turning == plan::Turning::backward ? -1.0f : 1.0f, m = step_magnitude_;
  const auto stands = [](const plan::Angle& angle) { return angle.axis == plan::no_axis; };
  const auto cosine = [&](const plan::Angle& a) { return stands(a) ? m : m * cosines[a.axis][a.frequency]; };
  const auto sine = [&](const plan::Angle& a) { return stands(a) ? 0 : sign * (m * sines[a.axis][a.frequency]); };
  for (std::size_t k = 0; k < plan_.pairs.size(); ++k) {
    const auto& [a, b] = plan_.pairs[k].angles;
    turns[k] = {cosine(a), sine(a), sine(b), cosine(b)};
  }
  return decided;
}

bool Turns::at(Place place, Side side, std::span<Turn> turns) const {
  if (steps_) return at_steps(place, turns);
  for (std::size_t k = 0; k < plan_.pairs.size(); ++k) {
    const plan::Pair& pair = plan_.pairs[k];
    const numerics::Scale scale =
        plan_.decay ? numerics::scale(plan_.magnitude * decay_at(plan_, k, place, side)) : magnitude_;
    std::optional<float> cosine[2], sine[2];
    for (std::size_t member = 0; member < 2; ++member) {
      const auto& [axis, frequency] = pair.angles[member];
      if (member == 1 && pair.angles[1] == pair.angles[0]) {
        cosine[1] = cosine[0], sine[1] = sine[0];
        continue;
      }
      cosine[member] = angles_.wave<float>(Wave::cosine, axis, frequency, place, scale);
      sine[member] = angles_.wave<float>(Wave::sine, axis, frequency, place, scale);
    }
    if (!cosine[0] || !sine[0] || !cosine[1] || !sine[1]) return false;
    const float sign = plan_.turning == plan::Turning::backward ? -1.0f : 1.0f;
    turns[k] = {*cosine[0], sign * *sine[0], sign * *sine[1], *cosine[1]};
  }
  return true;
}

template <class T>
void Turns::write_row(std::span<const Turn> turns, Direction direction, const StridedRow<const T>& in,
                      const StridedRow<T>& out, std::int64_t width) const {
  const bool back = direction == Direction::inverse;
  std::vector<T> row(static_cast<std::size_t>(width));
  for (std::int64_t c = 0; c < width; ++c) row[static_cast<std::size_t>(c)] = in[c];
  for (std::int64_t c = 0; c < width; ++c) out[c] = row[static_cast<std::size_t>(c)];
  for (std::size_t k = 0; k < plan_.pairs.size(); ++k) {
    const auto& [c0, s0, s1, c1] = turns[k];
    const auto& from = back ? plan_.pairs[k].written : plan_.pairs[k].read;
    const auto& to = back ? plan_.pairs[k].read : plan_.pairs[k].written;
    const auto u = static_cast<float>(row[from[0]]), v = static_cast<float>(row[from[1]]);
    out[to[0]] = T(u * c0 - v * (back ? -s1 : s0));
    out[to[1]] = T(u * (back ? -s0 : s1) + v * c1);
  }
}

template void Turns::write_row(std::span<const Turn>, Direction, const StridedRow<const float>&,
                               const StridedRow<float>&, std::int64_t) const;
template void Turns::write_row(std::span<const Turn>, Direction, const StridedRow<const half>&, const StridedRow<half>&,
                               std::int64_t) const;
template void Turns::write_row(std::span<const Turn>, Direction, const StridedRow<const bfloat16>&,
                               const StridedRow<bfloat16>&, std::int64_t) const;

// ---- tensors -------------------------------------------------------------------------------------

namespace {

// Row t of every line of list b of a tensor.
template <class T>
void turn_lines(const Turns& by, std::span<const Turn> turns, Direction direction, const Rotated& tensor, bool shared,
                const RowRange& row) {
  const TensorLines tensor_lines(tensor, shared);
  const std::int64_t count = line_count(tensor.out, shared);
  for (std::int64_t line = 0; line < count; ++line) {
    engine::Lines<T> one;
    tensor_lines.from(row.b, line, 1, row.first, one);
    by.write_row<T>(turns, direction, {one.in.data, tensor.in.stride(-1)}, {one.out.data, tensor.out.stride(-1)},
                    one.width);
  }
}

}  // namespace

bool Turns::rotate(std::span<const Positions> coordinates, std::span<const Rotated> tensors, Direction direction,
                   const Executor& executor) const {
  const Positions& all = widest(coordinates);
  const bool shared = rank(all) == 1;
  const std::int64_t lists = shared ? 1 : all.list_.size(0);
  Decided decided;
  for_blocks(executor, lists * all.count_, 1, [&](std::int64_t i, std::int64_t) {
    const RowRange row = {i / all.count_, i % all.count_, 1};
    const auto place = place_at(coordinates, row.b, row.first);
    std::vector<Turn> turns(plan_.pairs.size());
    for (const Side side : {Side::query, Side::key}) {
      const auto is_of_side = [&](const Rotated& tensor) {
        return (plan_.decay && tensor.side == Side::key ? Side::key : Side::query) == side;
      };
      if (std::ranges::none_of(tensors, is_of_side)) continue;
      decided.also(at(place, side, turns));
      for (const Rotated& tensor : tensors) {
        if (!is_of_side(tensor)) continue;
        with_real(tensor.out.dtype, [&]<class T>(T) {
          if constexpr (!std::is_same_v<T, double>) turn_lines<T>(*this, turns, direction, tensor, shared, row);
        });
      }
    }
  });
  return decided.all();
}

}  // namespace posenc
