// SPDX-License-Identifier: Apache-2.0
// Coefficients of pairs; rows and tensors turned by plain loops.
#include "src/encodings/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/blocks.h"
#include "src/base/scratch.h"
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

}  // namespace

// The angles of pairs, and whose they are under a decay.
struct Turns::Listed {
  std::vector<plan::Angle> angles;
  std::vector<std::uint32_t> pairs;
  std::vector<std::array<std::uint32_t, 2>> of;

  explicit Listed(const plan::PairPlan& plan) {
    AngleList once;
    for (std::uint32_t k = 0; k < plan.pairs.size(); ++k) {
      const auto& [a, b] = plan.pairs[k].angles;
      if (!plan.decay) {
        of.push_back({once.place_of(a), once.place_of(b)});
        continue;
      }
      const auto first = static_cast<std::uint32_t>(angles.size());
      angles.push_back(a), pairs.push_back(k);
      if (b != a) angles.push_back(b), pairs.push_back(k);
      of.push_back({first, static_cast<std::uint32_t>(angles.size() - 1)});
    }
    if (!plan.decay) angles = once.all();
  }
};

Turns::Turns(const plan::PairPlan& plan) : Turns(plan, Listed(plan)) {}

Turns::Turns(const plan::PairPlan& plan, Listed listed)
    : plan_(plan),
      angle_of_(std::move(listed.of)),
      angles_(AxisAngles(plan.axes, plan.ladders, {}), std::move(listed.angles), plan.magnitude) {
  if (plan.decay) decays_.emplace(plan, listed.pairs);
}

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

// By powers in lanes where they are of moderate size, what is in doubt by 128 bits or the certain path.
bool Turns::decayed(Place place, Side side, const engine::Waves<float>& to) const {
  struct Made {
    Rational exact;
    std::optional<numerics::Approximation> leading;
  };
  std::optional<Made> made;
  const auto exponent = [&]() -> const Made& {
    if (!made) {
      const Rational exact = side == Side::key ? -decays_->exponent(place) : decays_->exponent(place);
      made = {exact, numerics::approximation(Real(exact))};
    }
    return *made;
  };
  const AxisAngles& angles = angles_.angles();
  const auto settle = [&](std::size_t j, const engine::Waves<float>& part, std::size_t i) {
    const auto& [exact, leading] = exponent();
    const auto power = decays_->quick_power(j, leading);
    const numerics::Scale& magnitude = angles_.scale();
    ScaleOf scale = {std::nullopt, [&] { return decays_->power(j, exact) * magnitude.value; }};
    if (power && magnitude.leading) scale.leading = multiply(*power, *magnitude.leading);
    const auto pair = angles.pair<float>(angles_.of()[j], place, scale);
    if (pair) part.put(i, pair->sine, pair->cosine);
    return pair.has_value();
  };
  const std::optional<double> nearly = decays_->nearly(place);
  if (angles_.by_kernel() && nearly && std::abs(*nearly) * decays_->greatest_log() <= 64) {
    const double times = side == Side::key ? -*nearly : *nearly;
    const auto write = [&](const engine::TurnSums& sums, std::size_t first, const engine::Waves<float>& part,
                           std::uint16_t* doubts) {
      const engine::WavePowers by = {angles_.factor_of_powers(), decays_->logs() + first, times};
      return engine::sincos_kernels().write_powers(sums, by, part, doubts);
    };
    return angles_.by_blocks(place, to, write, settle);
  }
  bool decided = true;
  for (std::size_t j = 0; j < to.sines; ++j) decided &= settle(j, to, j);
  return decided;
}

bool Turns::at(Place place, Side side, std::span<Turn> turns) const {
  if (steps_) return at_steps(place, turns);
  const std::size_t n = angles_.of().size();
  LocalScratch<float> scratch;
  float *const sine = scratch.take(2 * n), *const cosine = sine + n;
  const engine::Waves<float> to = {sine, cosine, n, n, 1};
  const bool decided = decays_ ? decayed(place, side, to) : angles_.at(place, to);
  const float sign = plan_.turning == plan::Turning::backward ? -1.0f : 1.0f;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const auto [a, b] = angle_of_[k];
    turns[k] = {cosine[a], sign * sine[a], sign * sine[b], cosine[b]};
  }
  return decided;
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
