// SPDX-License-Identifier: Apache-2.0
// Angles by the steps, sines by the engine, then roundings.
#include "src/encodings/recipe_waves.h"

#include "src/base/elements.h"
#include "src/base/scratch.h"

namespace posenc {
namespace {

// Rounded to Steps::sine and then to S.
template <class S>
bool sines_of(const Steps& steps, const double* angles, const engine::Waves<S>& to) {
  if constexpr (std::is_same_v<S, double>) {
    return engine::sine_cosine_of(angles, to);
  } else if constexpr (std::is_same_v<S, float>) {
    if (steps.sine == DType::f32) return engine::sine_cosine_of(angles, to);
  }
  if constexpr (!std::is_same_v<S, double>) return engine::sine_cosine_by_f64(angles, to);
}

// One operation of S, a 0 to +0.
template <class S>
void scale_values(const StepScale& scale, S* values, std::size_t count, std::size_t step) {
  if constexpr (std::is_floating_point_v<S>) {
    const auto by = static_cast<S>(scale.number);
    const bool divides = scale.by == StepScale::By::over;
    for (std::size_t i = 0; i < count; ++i) {
      S& value = values[i * step];
      value = (divides ? value / by : value * by) + S(0);
    }
  }
}

// Rounded to Steps::sine, scaled and rounded to S.
template <class S>
bool scaled_sines(const Steps& steps, const StepLadder& ladder, const double* angles, const engine::Waves<S>& to) {
  const bool decided = sines_of<S>(steps, angles, to);
  if (ladder.output.is_one()) return decided;
  scale_values(ladder.output, to.sine, to.sines, to.step);
  scale_values(ladder.output, to.cosine, to.cosines, to.step);
  return decided;
}

// What the roundings and then one to T leave of values: a NaN stays one, a 0 is +0.
template <class T, class S>
void round_on(std::span<const S> values, std::span<const DType> roundings, T* out, std::size_t step) {
  const Scratch<double> scratch(values.size());
  const std::span<double> wide(scratch.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<S, double>) {
      wide[i] = values[i];
    } else {
      wide[i] = static_cast<double>(static_cast<float>(values[i]));
    }
  }
  for (const DType type : roundings) round_all(type, wide);
  for (double& value : wide) value += 0.0;
  round_all(dtype_of<T>, wide);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, double>) {
      out[i * step] = wide[i];
    } else {
      out[i * step] = T(static_cast<float>(wide[i]));
    }
  }
}

// The type in which sines are made, which may be f64 but on the way, and the roundings behind it.
struct Order {
  DType first;
  std::span<const DType> rest;
};
template <class T>
Order order_of(const Steps& steps, const StepScale& scale) {
  const std::span<const DType> storage = steps.storage;
  if (steps.sine == DType::f32) return {DType::f32, storage};
  if (!scale.is_one()) return {DType::f64, storage};
  if (storage.empty()) return {dtype_of<T>, {}};
  return {storage.front(), storage.subspan(1)};
}

}  // namespace

template <class T>
bool recipe_waves(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p, const engine::Waves<T>& to) {
  if (!ladder.decided) return false;
  const Scratch<double> angles(to.sines);
  step_angles(steps, ladder, p, angles.data());
  return waves_of_angles(steps, ladder, angles.data(), to);
}

template <class T>
bool waves_of_angles(const Steps& steps, const StepLadder& ladder, const double* angles, const engine::Waves<T>& to) {
  const auto [first, rest] = order_of<T>(steps, ladder.output);
  bool decided = false;
  with_real(first, [&]<class S>(S) {
    if constexpr (std::is_same_v<S, T>) {
      if (steps.storage.empty()) return void(decided = scaled_sines<S>(steps, ladder, angles, to));
    }
    const Scratch<S> sine(to.sines), cosine(to.sines);
    decided = scaled_sines<S>(steps, ladder, angles, {sine.data(), cosine.data(), to.sines, to.sines, 1});
    round_on<T, S>({sine.data(), to.sines}, rest, to.sine, to.step);
    round_on<T, S>({cosine.data(), to.cosines}, rest, to.cosine, to.step);
  });
  return decided;
}

template <class T>
T recipe_coordinate(const Steps& steps, const StepScale& scale, const numerics::Dyadic& p) {
  const bool narrow = steps.angle == DType::f32;
  double value = narrow ? static_cast<double>(numerics::round<float>(p)) : numerics::round<double>(p);
  T out;
  with_real(steps.sine, [&]<class S>(S) {
    auto made = static_cast<S>(static_cast<float>(value));
    if constexpr (std::is_same_v<S, double>) made = value;
    if (!scale.is_one()) scale_values(scale, &made, 1, 1);
    round_on<T, S>({&made, 1}, steps.storage, &out, 1);
  });
  return out;
}

template <class T>
T recipe_constant(const Steps& steps, const StepScale& scale, unsigned quarters) {
  StepLadder one = {{1}};
  one.output = scale;
  T sine, cosine;
  const bool decided = recipe_waves<T>(steps, one, numerics::dyadic(0.0), {&sine, &cosine, 1, 1, 1});
  if (!decided || quarters % 2 == 0) return T(0.0f);
  return quarters == 1 ? cosine : negated(cosine);
}

template float recipe_coordinate(const Steps&, const StepScale&, const numerics::Dyadic&);
template double recipe_coordinate(const Steps&, const StepScale&, const numerics::Dyadic&);
template half recipe_coordinate(const Steps&, const StepScale&, const numerics::Dyadic&);
template bfloat16 recipe_coordinate(const Steps&, const StepScale&, const numerics::Dyadic&);
template float recipe_constant(const Steps&, const StepScale&, unsigned);
template double recipe_constant(const Steps&, const StepScale&, unsigned);
template half recipe_constant(const Steps&, const StepScale&, unsigned);
template bfloat16 recipe_constant(const Steps&, const StepScale&, unsigned);
template bool waves_of_angles(const Steps&, const StepLadder&, const double*, const engine::Waves<float>&);
template bool waves_of_angles(const Steps&, const StepLadder&, const double*, const engine::Waves<double>&);
template bool waves_of_angles(const Steps&, const StepLadder&, const double*, const engine::Waves<half>&);
template bool waves_of_angles(const Steps&, const StepLadder&, const double*, const engine::Waves<bfloat16>&);
template bool recipe_waves(const Steps&, const StepLadder&, const numerics::Dyadic&, const engine::Waves<float>&);
template bool recipe_waves(const Steps&, const StepLadder&, const numerics::Dyadic&, const engine::Waves<double>&);
template bool recipe_waves(const Steps&, const StepLadder&, const numerics::Dyadic&, const engine::Waves<half>&);
template bool recipe_waves(const Steps&, const StepLadder&, const numerics::Dyadic&, const engine::Waves<bfloat16>&);

}  // namespace posenc
