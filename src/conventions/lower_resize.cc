// SPDX-License-Identifier: Apache-2.0
// What the fields of Resize mean: places among cells and weights of cells, rounded step by step as the originals round.
//
// Products and sums that are one std::fma here are fused in PyTorch 2.13 for AVX2, which is what its wheels run on x86;
// its build for older processors fuses none, and gives weights that differ by up to 1e-5.
#include <algorithm>
#include <cmath>

#include "src/conventions/lower.h"

namespace posenc {
namespace {

const Resize& resize_of(const Convention& convention) { return std::get<Resize>(std::get<Learned>(convention).resize); }

bool aligned(const Resize& resize) { return resize.align_corners == AlignCorners::ends; }

// ---- places --------------------------------------------------------------------------------------------------------

// Cells from a place to the next. With an offset PyTorch is given a factor, in double, and divides by it.
template <class Float>
Float step_of(const Resize& resize, std::int64_t from, std::int64_t to) {
  const auto cells = static_cast<double>(from), places = static_cast<double>(to);
  if (aligned(resize)) return to > 1 ? static_cast<Float>(cells - 1) / static_cast<Float>(places - 1) : Float(0);
  if (resize.offset != 0) return static_cast<Float>(1 / ((places + resize.offset) / cells));
  return static_cast<Float>(cells) / static_cast<Float>(places);
}

template <class Float>
Float place_of(const Resize& resize, Float step, std::int64_t i) {
  const auto at = static_cast<Float>(i);
  return aligned(resize) ? step * at : std::fma(step, at + Float(0.5), Float(-0.5));
}

// ---- Keys' cubic ---------------------------------------------------------------------------------------------------

// Of |x| < 1: ((a + 2) x - (a + 3)) x^2 + 1. `sum` makes u v + w, fused or not: PyTorch's filters without and with
// antialiasing are one formula, compiled in two ways.
template <class Float, class Sum>
Float inner(Float a, Float x, const Sum& sum) {
  return sum(std::fma(a + 2, x, -(a + 3)) * x, x, Float(1));
}
// Of 1 <= |x| < 2: a (x^3 - 5 x^2 + 8 x - 4).
template <class Float, class Sum>
Float outer(Float a, Float x, const Sum& sum) {
  return sum(std::fma(std::fma(a, x, -(5 * a)), x, 8 * a), x, -(4 * a));
}

template <class Float>
Float rounded_twice(Float u, Float v, Float w) {
  return u * v + w;
}
template <class Float>
Float fused(Float u, Float v, Float w) {
  return std::fma(u, v, w);
}

// ---- taps ----------------------------------------------------------------------------------------------------------

// Taps of cells first, first + 1, ..; one past an end counts for the end's.
plan::Taps within(std::int64_t first, std::span<const double> weights, std::int64_t cells) {
  plan::Taps taps;
  for (const double weight : weights) taps.push_back({std::clamp(first++, std::int64_t{0}, cells - 1), weight});
  return taps;
}

// A place between two cells: the left one, and how far it is from there, in cells.
template <class Float>
struct Between {
  std::int64_t left;
  Float way;
};
template <class Float>
Between<Float> between(Float place, std::int64_t cells) {
  const std::int64_t left = std::min(static_cast<std::int64_t>(std::floor(place)), cells - 1);
  return {left, std::clamp(place - static_cast<Float>(left), Float(0), Float(1))};
}

template <class Float>
plan::Taps linear_taps(Float place, std::int64_t cells) {
  const auto [left, way] = between(std::max(place, Float(0)), cells);
  return within(left, std::array<double, 2>{Float(1) - way, way}, cells);
}

template <class Float>
plan::Taps cubic_taps(Float place, Float a, std::int64_t cells) {
  const auto [left, way] = between(place, cells);
  const Float rest = Float(1) - way;
  const auto sum = rounded_twice<Float>;
  return within(
      left - 1,
      std::array<double, 4>{outer(a, way + 1, sum), inner(a, way, sum), inner(a, rest, sum), outer(a, rest + 1, sum)},
      cells);
}

// The filter of a table that shrinks reaches `reach` stretched cells to either side.
template <class Float>
Float filter_at(const Resize& resize, Float x) {
  const Float size = std::abs(x);
  const auto* cubic = std::get_if<Bicubic>(&resize.filter);
  if (cubic == nullptr) return size < 1 ? Float(1) - size : Float(0);
  const auto a = static_cast<Float>(cubic->a);
  if (size < 1) return inner(a, size, fused<Float>);
  return size < 2 ? outer(a, size, fused<Float>) : Float(0);
}

// PyTorch forms the places of such a filter in double, and rounds them.
template <class Float>
plan::Taps stretched_taps(const Resize& resize, Float step, std::int64_t i, std::int64_t cells) {
  const double stretch = std::max<double>(step, 1), reach = std::holds_alternative<Bicubic>(resize.filter) ? 2 : 1;
  const auto centre = static_cast<Float>(step * (static_cast<double>(i) + 0.5));
  const auto support = static_cast<Float>(reach * stretch);
  const double shrink = static_cast<Float>(1 / stretch);
  const std::int64_t begin = std::max(static_cast<std::int64_t>(centre - support + 0.5), std::int64_t{0});
  const std::int64_t end = std::min(static_cast<std::int64_t>(centre + support + 0.5), cells);
  std::vector<Float> raw;
  Float total = 0;
  for (std::int64_t cell = begin; cell < end; ++cell) {
    const double way = static_cast<double>(static_cast<Float>(cell) - centre) + 0.5;
    raw.push_back(filter_at(resize, static_cast<Float>(way * shrink)));
    total += raw.back();
  }
  plan::Taps taps;
  for (std::int64_t cell = begin; cell < end; ++cell) {
    const Float weight = raw[static_cast<std::size_t>(cell - begin)];
    taps.push_back({cell, total == 0 ? weight : weight / total});
  }
  return taps;
}

// Cells floor(i n / m) to ceil((i + 1) n / m), the last excluded.
plan::Taps area_taps(std::int64_t i, std::int64_t from, std::int64_t to) {
  const std::int64_t begin = i * from / to, end = ((i + 1) * from + to - 1) / to;
  plan::Taps taps;
  for (std::int64_t cell = begin; cell < end; ++cell) taps.push_back({cell, 1 / static_cast<double>(end - begin)});
  return taps;
}

template <class Float>
plan::Taps taps_of(const Resize& resize, std::int64_t i, std::int64_t from, std::int64_t to) {
  const auto step = step_of<Float>(resize, from, to);
  if (resize.antialias == Antialias::stretched) return stretched_taps(resize, step, i, from);
  const Float place = place_of(resize, step, i);
  if (resize.past_edge == PastEdge::zeros && place > static_cast<Float>(from - 1)) return {};
  if (const auto* cubic = std::get_if<Bicubic>(&resize.filter)) {
    return cubic_taps(place, static_cast<Float>(cubic->a), from);
  }
  switch (std::get<ResizeFilter>(resize.filter)) {
    case ResizeFilter::bilinear: return linear_taps(place, from);
    case ResizeFilter::area: return area_taps(i, from, to);
    default: return {{std::min(static_cast<std::int64_t>(static_cast<Float>(i) * step), from - 1), 1.0}};
  }
}

}  // namespace

// Long sums, those of a stretched filter and of an area, are in the original's f32 and order, from which f64 would be
// 10 units in the last place at 200 cells to 2. Of short ones PyTorch's order depends on the size, and f64 is in the
// middle of all.
plan::TapPlan lower_taps(const Convention& convention, std::int64_t from, std::int64_t to) {
  const Resize& resize = resize_of(convention);
  const bool in_f32 = resize.arithmetic == ResizeArithmetic::f32;
  const auto* filter = std::get_if<ResizeFilter>(&resize.filter);
  const bool area = filter != nullptr && *filter == ResizeFilter::area;
  plan::TapPlan plan = {{}, in_f32 && (area || resize.antialias == Antialias::stretched), area};
  for (std::int64_t i = 0; i < to; ++i) {
    plan.places.push_back(in_f32 ? taps_of<float>(resize, i, from, to) : taps_of<double>(resize, i, from, to));
  }
  return plan;
}

plan::KeptRows lower_kept_rows(const Convention& convention) {
  const Resize& resize = resize_of(convention);
  return resize.extra_at == TableEnd::first ? plan::KeptRows{resize.extra, 0} : plan::KeptRows{0, resize.extra};
}

}  // namespace posenc
