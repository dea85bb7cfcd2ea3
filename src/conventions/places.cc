// SPDX-License-Identifier: Apache-2.0
// PlaceNumbering as rational numbers, each coordinate rounded once.
#include <posenc/places.h>

#include <algorithm>
#include <array>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/overlap.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/conventions/check.h"
#include "src/conventions/places_fields.h"
#include "src/conventions/print.h"
#include "src/numerics/rational.h"

namespace posenc {
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

double coordinate_of(const PlaceNumbering& places, const Line& line, std::int64_t i) {
  const Rational x = line.at(i);
  return places.rounding == WholePlaces::floor ? static_cast<double>(numerics::floor(x)) : numerics::rounded<double>(x);
}

bool is_position(const Rational& x) { return x <= Rational(0x1p53) && x >= Rational(-0x1p53); }

// Of places i to j of a line.
std::optional<Problem> check_ends(const PlaceNumbering& places, const std::optional<Line>& line, std::int64_t i,
                                  std::int64_t j) {
  if (!line) return refused("places must have a divisor other than 0", to_string(places));
  for (const std::int64_t end : {i, j}) {
    if (is_position(line->at(end))) continue;
    return refused("coordinates must be at most 2^53 in size", to_text(numerics::rounded<double>(line->at(end))));
  }
  return std::nullopt;
}

std::optional<Problem> check_axis(const PlaceNumbering& places, std::span<const std::int64_t> extents,
                                  std::size_t axis) {
  if (extents[axis] == 0) return std::nullopt;
  return check_ends(places, line_of(places, extents, axis), 0, extents[axis] - 1);
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
  for (std::int64_t i = 0; i < out.size(0); ++i) to[i * out.stride(0)] = coordinate_of(places, line, first + i);
}

// ---- padded grids -------------------------------------------------------------------------------

namespace {

// Along one axis of a mask.
struct MaskLine {
  const ConstView& mask;
  std::size_t axis;
  std::int64_t mask_at, out_at;  // its first cell, in elements

  std::int64_t size() const { return mask.size(static_cast<int>(axis)); }
  bool present(std::int64_t t) const {
    return integer_of(mask, mask_at + t * mask.stride(static_cast<int>(axis))) != 0;
  }
  std::int64_t count(std::int64_t begin, std::int64_t end) const {
    std::int64_t count = 0;
    for (std::int64_t t = begin; t < end; ++t) count += present(t) ? 1 : 0;
    return count;
  }
  std::int64_t count() const { return count(0, size()); }
};

// Lines along the axis of a mask that has cells, the last other axis the fastest.
std::int64_t lines_of(const ConstView& mask, std::size_t axis) {
  return mask.count() / mask.size(static_cast<int>(axis));
}
MaskLine line_at(const ConstView& mask, std::size_t axis, const View& out, std::int64_t number) {
  MaskLine line = {mask, axis, 0, 0};
  for (int j = mask.rank - 1; j >= 0; --j) {
    if (static_cast<std::size_t>(j) == axis) continue;
    const std::int64_t index = number % mask.size(j);
    line.mask_at += index * mask.stride(j), line.out_at += index * out.stride(j);
    number /= mask.size(j);
  }
  return line;
}

constexpr std::int64_t cells_of_a_block = std::int64_t{1} << 12;  // some milliseconds of exact arithmetic

// Of what the rest of the check admits; that of the first line that has one.
std::optional<Problem> check_lines(const PlaceNumbering& places, const ConstView& mask, std::size_t axis,
                                   const View& out, const Executor& executor) {
  if (mask.count() == 0) return std::nullopt;
  const auto check = [&](std::int64_t number) -> std::optional<Problem> {
    const std::int64_t count[] = {line_at(mask, axis, out, number).count()};
    const std::optional<Line> numbers = line_of(places, count, 0);
    if (!numbers && count[0] == 0) return std::nullopt;
    return check_ends(places, numbers, -1, count[0] - 1);
  };
  const std::int64_t lines = lines_of(mask, axis);
  FirstWrong wrong(lines);
  for_blocks(executor, lines, 1 + cells_of_a_block / mask.size(static_cast<int>(axis)),
             [&](std::int64_t begin, std::int64_t end) { wrong.look(begin, end, check); });
  return wrong.problem(check);
}

std::optional<Problem> check_mask(const ConstView& mask, std::size_t axis, const View& out) {
  if (auto problem = check_view(operation, "mask", mask)) return problem;
  if (!is_integer(mask.dtype)) return refused("mask must be i32 or i64", std::string(to_string(mask.dtype)));
  if (axis >= static_cast<std::size_t>(mask.rank)) {
    return refused("axis must be one of the mask's " + std::to_string(mask.rank), std::to_string(axis));
  }
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (out.dtype != DType::f64) return refused("out must be f64", std::string(to_string(out.dtype)));
  if (same_shape(mask, out)) return check_apart(operation, "mask", mask, "out", out);
  return refused("out must have the shape of mask, " + shape_text(mask), shape_text(out));
}

}  // namespace

std::optional<Problem> check_masked_place_coordinates(const PlaceNumbering& places, const ConstView& mask,
                                                      std::size_t axis, const View& out, const Executor& executor) {
  std::optional<Problem> problem = check_mask(mask, axis, out);
  if (!problem) problem = check_places(places);
  if (!problem && (places.divisor == Divisor::longest || places.divisor == Divisor::shortest)) {
    problem = refused("places of a mask must have a divisor of one axis", to_string(places));
  }
  if (!problem) problem = check_lines(places, mask, axis, out, executor);
  if (problem) problem->operation = "masked_place_coordinates";
  return problem;
}

namespace {

// Cells begin to end - 1 of a line, `passed` of whose present ones came before.
void write_cells(const PlaceNumbering& places, const MaskLine& line, const std::optional<Line>& numbers,
                 std::int64_t begin, std::int64_t end, std::int64_t passed, const View& out) {
  double* const to = static_cast<double*>(out.data) + line.out_at;
  const std::int64_t step = out.stride(static_cast<int>(line.axis));
  std::int64_t i = passed - 1;
  double coordinate = numbers ? coordinate_of(places, *numbers, i) : 0;
  for (std::int64_t t = begin; t < end; ++t) {
    if (line.present(t)) coordinate = coordinate_of(places, *numbers, ++i);
    to[t * step] = coordinate;
  }
}

void write_long_line(const PlaceNumbering& places, const MaskLine& line, const View& out, const Executor& executor) {
  std::vector<std::int64_t> passed = {0};
  for (std::int64_t begin = 0; begin < line.size(); begin += cells_of_a_block) {
    passed.push_back(passed.back() + line.count(begin, std::min(line.size(), begin + cells_of_a_block)));
  }
  const std::int64_t count[] = {passed.back()};
  const std::optional<Line> numbers = line_of(places, count, 0);
  for_blocks(executor, line.size(), cells_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    write_cells(places, line, numbers, begin, end, passed[static_cast<std::size_t>(begin / cells_of_a_block)], out);
  });
}

}  // namespace

void detail::write_masked_place_coordinates(const PlaceNumbering& places, const ConstView& mask, std::size_t axis,
                                            const View& out, const Executor& executor) {
  if (mask.count() == 0) return;
  const std::int64_t lines = lines_of(mask, axis), length = mask.size(static_cast<int>(axis));
  if (length > cells_of_a_block) {
    for (std::int64_t l = 0; l < lines; ++l) write_long_line(places, line_at(mask, axis, out, l), out, executor);
    return;
  }
  for_blocks(executor, lines, cells_of_a_block / length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t l = begin; l < end; ++l) {
      const MaskLine line = line_at(mask, axis, out, l);
      const std::int64_t count[] = {line.count()};
      write_cells(places, line, line_of(places, count, 0), 0, length, 0, out);
    }
  });
}

std::string to_string(const PlaceNumbering& places) { return schema::fields_text<2>(places); }

}  // namespace posenc
