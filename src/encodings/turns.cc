// SPDX-License-Identifier: Apache-2.0
// Coefficients of pairs, one by one.
#include "src/encodings/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/scratch.h"
#include "src/encodings/coordinates.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::Rational;
using numerics::Real;

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

bool steps_serve(const plan::PairPlan& plan, const Steps& steps) {
  std::int64_t sums = 0;
  for (const plan::Pair& pair : plan.pairs) {
    sums += std::ranges::count(pair.angles, plan::every_axis, &plan::Angle::axis);
  }
  if (sums != 0 && sums != 2 * std::ssize(plan.pairs)) return false;
  if (plan.decay && (sums != 0 || plan.axes.size() != 1 || steps.decay == DecayBy::none)) return false;
  return std::ranges::count(plan.axes, plan::Axis{}) == std::ssize(plan.axes);
}

std::optional<Problem> check_step_pairs(std::string_view operation, const Convention& rotary, const LoweredFor& given,
                                        const Recipe& recipe) {
  const plan::PairPlan pairs = lower_step_pairs(rotary, given);
  if (!recipe.steps) {
    if (!pairs.decay) return std::nullopt;
  } else if (steps_serve(pairs, *recipe.steps)) {
    return std::nullopt;
  }
  const auto serves = [&](const Recipe& other) {
    return !check_steps(rotary, other) && steps_serve(pairs, *other.steps);
  };
  return Problem{std::string(operation), exact_or_those("such pairs", serves), recipe.name};
}

float step_magnitude(const plan::PairPlan& plan) {
  return numerics::rounded<float>(plan.magnitude).value_or(std::numeric_limits<float>::quiet_NaN());
}

plan::PairPlan pairs_under(const Recipe& recipe, const Convention& rotary, const LoweredFor& given) {
  return recipe.steps ? lower_step_pairs(rotary, given) : lower_pairs(rotary, given);
}

std::vector<StepLadder> ladders_under(const Recipe& recipe, const plan::PairPlan& pairs, const Convention& rotary,
                                      const LoweredFor& given) {
  if (!recipe.steps) return {};
  const float magnitude = step_magnitude(pairs);
  std::vector<StepLadder> ladders = lower_steps(rotary, given, *recipe.steps);
  for (StepLadder& ladder : ladders) {
    ladder.output = {StepScale::By::times, magnitude};
    ladder.decided &= !std::isnan(magnitude);
  }
  return ladders;
}

// By powers in lanes where they are of moderate size, what is in doubt by 128 bits or the certain path.
bool Turns::decayed(Place place, RotatedSide side, const engine::Waves<float>& to) const {
  struct Made {
    Rational exact;
    std::optional<numerics::Approximation> leading;
  };
  std::optional<Made> made;
  const auto exponent = [&]() -> const Made& {
    if (!made) {
      const Rational exact = side == RotatedSide::key ? -decays_->exponent(place) : decays_->exponent(place);
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
    const double times = side == RotatedSide::key ? -*nearly : *nearly;
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

bool Turns::at(Place place, RotatedSide side, std::span<Turn> turns) const {
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

bool Turns::write_rows(std::span<const Positions> coordinates, const RowRange& range, RotatedSide side, float* out,
                       std::int64_t stride) const {
  const std::size_t n = plan_.pairs.size();
  const bool two_angles = !plan::turns_by_one_angle(plan_);
  std::vector<Turn> turns(n);
  bool decided = true;
  PlaceReader places(coordinates, range.b);
  for (std::int64_t i = 0; i < range.count; ++i, out += stride) {
    decided &= at(places.at(range.first + i), side, turns);
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = turns[k].c0, out[n + k] = turns[k].s0;
      if (two_angles) out[2 * n + k] = turns[k].s1, out[3 * n + k] = turns[k].c1;
    }
  }
  return decided;
}

}  // namespace posenc
