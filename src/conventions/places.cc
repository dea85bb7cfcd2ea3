// SPDX-License-Identifier: Apache-2.0
// PlaceNumbering as rational numbers, each coordinate rounded once.
#include <posenc/places.h>

#include <algorithm>

#include "src/base/to_text.h"
#include "src/conventions/check.h"
#include "src/conventions/print.h"
#include "src/conventions/rules.h"
#include "src/numerics/rational.h"

namespace posenc {
namespace schema {

template <>
inline constexpr Words words<Divisor>{"no divisor",
                                      Word{Divisor::one, "one", "nothing"},
                                      Word{Divisor::count, "count", "the places of the axis"},
                                      Word{Divisor::gaps, "gaps", "one less than they are"},
                                      Word{Divisor::last, "last", "the number of the last place"},
                                      Word{Divisor::longest, "longest", "the places of the longest axis"},
                                      Word{Divisor::shortest, "shortest", "the places of the shortest axis"}};
template <>
inline constexpr Words words<FirstPlace>{"no first place", Word{FirstPlace::minus_half, "minus_half", "-ceil(n / 2)"}};
template <>
inline constexpr Words words<WholePlaces>{"no rounding", Word{WholePlaces::none, "none", "none"},
                                          Word{WholePlaces::floor, "floor", "down to a whole number"}};
template <>
inline constexpr Schema of<PlaceNumbering>{
    "places", "((i + first) / (divisor + eps)) gain + shift",
    std::tuple{Field{"first", &PlaceNumbering::first, finite, "the number of the first place"},
               Field{"divisor", &PlaceNumbering::divisor, {}, "what a number is divided by"},
               Field{"eps", &PlaceNumbering::eps, finite, "added to the divisor"},
               Field{"gain", &PlaceNumbering::gain, finite, "of the quotient"},
               Field{"shift", &PlaceNumbering::shift, finite, "added at last"},
               Field{"rounding", &PlaceNumbering::rounding, {}, "of a coordinate"}}};

}  // namespace schema

namespace {

using numerics::Rational;

constexpr std::string_view operation = "place_coordinates";

Problem refused(std::string rule, std::string value) {
  return {std::string(operation), std::move(rule), std::move(value)};
}

// The places of one axis of several, as a line: place i has the coordinate (i + first) scale + shift.
struct Line {
  Rational first, scale, shift;
  Rational at(std::int64_t i) const { return (first + i) * scale + shift; }
};

Rational divisor_of(const PlaceNumbering& places, std::span<const std::int64_t> extents, std::int64_t count,
                    const Rational& first) {
  switch (places.divisor) {
    case Divisor::one: break;
    case Divisor::count: return count;
    case Divisor::gaps: return count - 1;
    case Divisor::last: return first + (count - 1);
    case Divisor::longest: return std::ranges::max(extents);
    case Divisor::shortest: return std::ranges::min(extents);
  }
  return 1;
}

// Nothing where the divisor is 0.
std::optional<Line> line_of(const PlaceNumbering& places, std::span<const std::int64_t> extents, std::size_t axis) {
  const std::int64_t count = extents[axis];
  const auto* number = std::get_if<double>(&places.first);
  const Rational first = number != nullptr ? Rational(*number) : Rational(-(count / 2 + count % 2));
  const Rational divisor = divisor_of(places, extents, count, first) + places.eps;
  if (divisor.zero()) return std::nullopt;
  return Line{first, Rational(places.gain) / divisor, places.shift};
}

bool is_position(const Rational& x) { return x <= Rational(0x1p53) && x >= Rational(-0x1p53); }

std::optional<Problem> check_axis(const PlaceNumbering& places, std::span<const std::int64_t> extents,
                                  std::size_t axis) {
  if (extents[axis] == 0) return std::nullopt;
  const std::optional<Line> line = line_of(places, extents, axis);
  if (!line) return refused("places must have a divisor other than 0", to_string(places));
  for (const std::int64_t i : {std::int64_t{0}, extents[axis] - 1}) {
    if (is_position(line->at(i))) continue;
    return refused("coordinates must be at most 2^53 in size", to_text(numerics::rounded<double>(line->at(i))));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check_places(const PlaceNumbering& places, std::span<const std::int64_t> extents) {
  if (auto problem = schema::check<2>(places)) {
    problem->operation = operation;
    return problem;
  }
  if (!extents.empty() && std::ranges::min(extents) < 0) return refused("extents must be >= 0", to_text(extents));
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (auto problem = check_axis(places, extents, axis)) return problem;
  }
  return std::nullopt;
}

std::optional<Problem> check_place_coordinates(const PlaceNumbering& places, std::span<const std::int64_t> extents,
                                               std::size_t axis, const View& out) {
  if (auto problem = check_places(places, extents)) return problem;
  if (axis >= extents.size()) {
    return refused("axis must be one of " + std::to_string(extents.size()), std::to_string(axis));
  }
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (out.dtype != DType::f64) return refused("out must be f64", std::string(to_string(out.dtype)));
  if (out.rank == 1 && out.size(0) == extents[axis]) return std::nullopt;
  return refused("out must have shape [" + std::to_string(extents[axis]) + "]", shape_text(out));
}

void detail::write_place_coordinates(const PlaceNumbering& places, std::span<const std::int64_t> extents,
                                     std::size_t axis, std::int64_t first, const View& out) {
  if (out.size(0) == 0) return;
  const Line line = *line_of(places, extents, axis);
  auto* to = static_cast<double*>(out.data);
  for (std::int64_t i = 0; i < out.size(0); ++i) {
    const Rational x = line.at(first + i);
    const bool whole = places.rounding == WholePlaces::floor;
    to[i * out.stride(0)] = whole ? static_cast<double>(numerics::floor(x)) : numerics::rounded<double>(x);
  }
}

std::string to_string(const PlaceNumbering& places) { return schema::fields_text<2>(places); }

}  // namespace posenc
