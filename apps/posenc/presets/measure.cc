// SPDX-License-Identifier: Apache-2.0
// Tables, angles and scores of two conventions, entry by entry.
#include "apps/posenc/presets/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/embedding.h>
#include <posenc/operation.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include <algorithm>
#include <cmath>

#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/table/axis_names.h"
#include "apps/posenc/table/convention_numbers.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t usual_places = 512;
constexpr std::uint64_t score_seed = 16;

// The most cells along each of so many axes that make at most usual_places.
std::int64_t usual_side(std::size_t axes) {
  std::int64_t side = 1;
  while (std::pow(static_cast<double>(side + 1), static_cast<double>(axes)) <= usual_places) ++side;
  return side;
}

// w_k of each axis: the angles at 1 on that axis and 0 on the others.
std::vector<std::vector<double>> axis_frequencies(const RotaryCache& cache) {
  std::vector<std::vector<double>> all;
  for (std::size_t axis = 0; axis < cache.axes().size(); ++axis) {
    std::vector<Positions> places(cache.axes().size(), Positions::at(0));
    places[axis] = Positions::at(1);
    std::vector<double> twice(static_cast<std::size_t>(cache.width()));
    cache.write("angles", places, view(twice.data(), {1, cache.width()}));
    twice.resize(twice.size() / 2);
    all.push_back(std::move(twice));
  }
  return all;
}

// Sums of position x frequency in f64, which equal conventions have alike.
Tensor angles_of(const Arguments& arguments, const Choice& choice, const Places& places) {
  const RotaryCache cache(with_field(choice.convention, "stored", "angles_twice"), read_dim(arguments, choice),
                          {.recipe = choice.recipe, .context = read_context(arguments)});
  const std::vector<std::vector<double>> frequencies = axis_frequencies(cache);
  const std::size_t pairs = frequencies[0].size(), count = static_cast<std::size_t>(places.count());
  Tensor angles = room_for(
      arguments.operation,
      {"angles in radians", DType::f64, {places.count(), static_cast<std::int64_t>(pairs)}, {places.axis(), "pair"}});
  auto* out = reinterpret_cast<double*>(angles.bytes.data());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t axis = 0; axis < frequencies.size(); ++axis) {
      const double at = number(places.lists[axis], static_cast<std::int64_t>(i));
      for (std::size_t k = 0; k < pairs; ++k) out[i * pairs + k] += at * frequencies[axis][k];
    }
  }
  return angles;
}

// Queries and keys of unit Gaussians at every place: their products over sqrt(columns of a head).
Tensor scores_of(const Arguments& arguments, const Choice& choice, const Places& places, const Executor& executor) {
  const std::int64_t head = read_dim(arguments, choice), count = places.count();
  Tensor q = room_for(arguments.operation, {"queries", DType::f32, {count, head}, {}}), k = q;
  seeded_rows(q.view(), score_seed, 0, RowInit::normal);
  seeded_rows(k.view(), score_seed, 1, RowInit::normal);
  const Rotated both[] = {Rotated(q.view(), RotatedSide::query), Rotated(k.view(), RotatedSide::key)};
  RotaryRows(choice.convention, head, {.recipe = choice.recipe, .context = read_context(arguments)})
      .rotate(places.lists, both, Direction::forward, executor);
  Tensor scores = room_for(arguments.operation, {"scores", DType::f64, {count, count}, {"query", "key"}});
  const auto* a = reinterpret_cast<const float*>(q.bytes.data());
  const auto* b = reinterpret_cast<const float*>(k.bytes.data());
  auto* out = reinterpret_cast<double*>(scores.bytes.data());
  const double scale = 1 / std::sqrt(static_cast<double>(head));
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < count; ++j) {
      double sum = 0;
      for (std::int64_t c = 0; c < head; ++c) {
        sum += static_cast<double>(a[i * head + c]) * static_cast<double>(b[j * head + c]);
      }
      out[i * count + j] = sum * scale;
    }
  }
  return scores;
}

// "position 3, column 5"
std::string place_of(const AxisNames& names, const Tensor& tensor, std::int64_t i) {
  const std::vector<std::int64_t> at = index_of(tensor, i);
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    parts.push_back(fmt::format("{} {}", tensor.axes[axis], names.of(tensor.axes[axis], at[axis])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The index in `other` of what stands at `at` in a tensor, or nothing.
std::optional<std::int64_t> index_in(const Tensor& other, const std::vector<std::int64_t>& at) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] >= other.shape[axis]) return std::nullopt;
    index = index * other.shape[axis] + at[axis];
  }
  return index;
}

Difference difference_of(const AxisNames& names, const Tensor& a, const Tensor& b) {
  Difference difference{a.name, 0, "", "", {}};
  if (a.shape != b.shape) {
    difference.cut = fmt::format("[{}] and [{}]", fmt::join(a.shape, ", "), fmt::join(b.shape, ", "));
  }
  for (std::int64_t i = 0; i < a.count(); ++i) {
    const std::optional<std::int64_t> other = a.shape == b.shape ? i : index_in(b, index_of(a, i));
    if (!other) continue;
    const double x = element(a, i), y = element(b, *other);
    if (x == y) continue;
    const double by = std::isfinite(x - y) ? std::fabs(x - y) : INFINITY;
    if (difference.first.empty()) difference.first = place_of(names, a, i);
    if (by <= difference.largest) continue;
    difference.largest = by;
    difference.at = place_of(names, a, i);
  }
  return difference;
}

}  // namespace

Arguments completed(const Arguments& arguments, const Convention& convention) {
  Arguments all = arguments;
  const auto unless_said = [&](std::string_view option, std::string text) {
    all.values.try_emplace(std::string(option), std::vector{std::move(text)});
  };
  const Operation& operation = operation_of(convention);
  const std::string positions = fmt::format("0:{}", usual_places);
  unless_said("--dim", operation.use == ConventionUse::rotations ? "128" : "512");
  unless_said("--length", fmt::format("{}", usual_places));
  unless_said("--centre", "0");
  unless_said("--learned", "1");
  unless_said("--heads", "8");
  unless_said("--head-dim", "64");
  unless_said("--window", "7x7");
  if (operation.elements == ElementKind::reals) unless_said("--dtype", "f64");
  if (operation.reads == OperationReads::pairs) {
    unless_said("--queries", positions);
    unless_said("--keys", positions);
    return all;
  }
  const std::vector<std::string> axes = axes_of(convention);
  if (axes.size() < 2) unless_said("--positions", positions);
  if (axes.size() < 2 || arguments.has("--positions") || has_extents(arguments)) return all;
  for (const std::string& axis : axes) state_extent(all, axis, usual_side(axes.size()));
  return all;
}

std::vector<Tensor> measured(const Arguments& arguments, const Choice& choice, const Executor& executor) {
  if (operation_of(choice.convention).use != ConventionUse::rotations) {
    return {convention_numbers(arguments, choice, executor)};
  }
  std::vector<Tensor> all;
  const Places places = read_places(arguments, "--positions", choice);
  // Pairs that turn by two angles, and decays, have no table of angles.
  const Convention kept = with_field(choice.convention, "stored", "angles_twice");
  if (!RotaryCache::check(kept, read_dim(arguments, choice),
                          {.recipe = choice.recipe, .context = read_context(arguments)})) {
    all.push_back(angles_of(arguments, choice, places));
  }
  all.push_back(scores_of(arguments, choice, places, executor));
  return all;
}

std::vector<Difference> compared(const Arguments& arguments, const Choice& a, const Choice& b,
                                 const Executor& executor) {
  const Arguments of_a = completed(arguments, a.convention), of_b = completed(arguments, b.convention);
  std::vector<Difference> differences;
  const std::vector<Tensor> others = measured(of_b, b, executor);
  for (const Tensor& tensor : measured(of_a, a, executor)) {
    const auto other = std::ranges::find(others, tensor.name, &Tensor::name);
    if (other == others.end() || other->shape.size() != tensor.shape.size()) continue;
    differences.push_back(difference_of(AxisNames(of_a, a.convention), tensor, *other));
  }
  return differences;
}

}  // namespace posenc::tool
