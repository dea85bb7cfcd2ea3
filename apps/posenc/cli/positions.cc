// SPDX-License-Identifier: Apache-2.0
// Positions on the command line: the grammar, the number of positions in a range, and values picked from them.
#include "apps/posenc/cli/positions.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr double largest_real = 9007199254740992;  // 2^53

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool all_integers(std::span<const std::string> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return number_form(part) == NumberForm::integer; });
}

std::int64_t integer(std::string_view operation, const std::string& text) {
  return parse_integer(operation, "each of --positions", text, INT64_MIN);
}

double real(std::string_view operation, const std::string& text) {
  const double value = parse_real(operation, "each of --positions", text);
  if (value > largest_real || value < -largest_real) {
    refuse(operation, "a real position must be at most 2^53 in size", quote(text));
  }
  return value;
}

template <class T>
void check_direction(std::string_view operation, T start, T end, T step, const std::string& text) {
  if (step == 0) refuse(operation, "the step of --positions A:B:S must not be 0", quote(text));
  if (step > 0 ? start >= end : start <= end) {
    refuse(operation, "--positions A:B[:S] must lead from A towards B, which is left out, and not be empty",
           quote(text));
  }
}

Positions integer_range(std::string_view operation, std::span<const std::string> parts, const std::string& text) {
  const std::int64_t start = integer(operation, parts[0]), end = integer(operation, parts[1]);
  const std::int64_t step = parts.size() == 3 ? integer(operation, parts[2]) : 1;
  check_direction(operation, start, end, step, text);
  // Differences of int64 fit in uint64, and unsigned negation is exact.
  const auto magnitude = [](std::int64_t a, std::int64_t b) {
    return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                 : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  };
  const std::uint64_t count = (magnitude(start, end) - 1) / magnitude(step, 0) + 1;
  if (count > INT64_MAX) refuse(operation, "--positions must have at most 2^63 - 1 positions", quote(text));
  return Positions::range(start, static_cast<std::int64_t>(count), step);
}

// The smallest i whose position RN(start + RN(i step)) has reached the end: found by halving, as it grows with i.
Positions real_range(std::string_view operation, std::span<const std::string> parts, const std::string& text) {
  const double start = real(operation, parts[0]), end = real(operation, parts[1]);
  const double step = parts.size() == 3 ? real(operation, parts[2]) : 1;
  check_direction(operation, start, end, step, text);
  const auto reached = [&](std::int64_t i) {
    const double at = start + static_cast<double>(i) * step;
    return step > 0 ? at >= end : at <= end;
  };
  std::int64_t inside = 0, outside = std::int64_t{1} << 53;
  if (!reached(outside)) refuse(operation, "--positions of reals must have at most 2^53 positions", quote(text));
  while (outside - inside > 1) {
    const std::int64_t middle = inside + (outside - inside) / 2;
    (reached(middle) ? outside : inside) = middle;
  }
  return Positions::range(start, outside, step);
}

ParsedPositions list(std::string_view operation, const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  if (const auto empty = std::ranges::find(parts, ""); empty != parts.end()) {
    throw Error({std::string(operation), "no item of --positions must be empty", quote(text), {empty - parts.begin()}});
  }
  if (all_integers(parts)) {
    std::vector<std::int64_t> values;
    for (const std::string& part : parts) values.push_back(integer(operation, part));
    const ConstView items = view(std::as_const(values).data(), {std::ssize(values)});
    return {Positions::list(items), std::move(values)};
  }
  std::vector<double> values;
  for (const std::string& part : parts) values.push_back(real(operation, part));
  const ConstView items = view(std::as_const(values).data(), {std::ssize(values)});
  return {Positions::list(items), std::move(values)};
}

ParsedPositions file(std::string_view operation, const std::string& path) {
  io::Array array = io::read_npy(path);
  const ConstView items = array.view();
  if (items.rank != 1 || items.size(0) == 0) {
    refuse(operation, "a file of positions must have one axis and not be empty",
           fmt::format("{} of {} axes and {} positions", quote(path), items.rank, items.count()));
  }
  return {Positions::list(items), std::move(array)};
}

template <class T>
const T* element(const ConstView& list, std::int64_t index) {
  return static_cast<const T*>(list.data) + index * list.stride(0);
}

PositionValues pick_from_list(const ConstView& list, std::int64_t first, std::int64_t count, std::int64_t stride) {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t i = first + k * stride;
    switch (list.dtype) {
      case DType::i32: integers.push_back(*element<std::int32_t>(list, i)); break;
      case DType::i64: integers.push_back(*element<std::int64_t>(list, i)); break;
      case DType::f32: reals.push_back(static_cast<double>(*element<float>(list, i))); break;
      default: reals.push_back(*element<double>(list, i));
    }
  }
  if (is_integer(list.dtype)) return integers;
  return reals;
}

}  // namespace

ParsedPositions parse_positions(std::string_view operation, const std::string& text) {
  ParsedPositions parsed = [&]() -> ParsedPositions {
    if (text.ends_with(".npy")) return file(operation, text);
    if (text.find(':') == std::string::npos) return list(operation, text);
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() > 3)
      refuse(operation, "--positions must be A:B, A:B:S, a list like 3,1,4 or a .npy file", quote(text));
    return {all_integers(parts) ? integer_range(operation, parts, text) : real_range(operation, parts, text)};
  }();
  require(check_positions(operation, parsed.positions));
  return parsed;
}

PositionValues pick(const Positions& positions, std::int64_t first, std::int64_t count, std::int64_t stride) {
  if (positions.kind_ == Positions::Kind::list) return pick_from_list(positions.list_, first, count, stride);
  const auto size = static_cast<std::size_t>(count);
  if (positions.kind_ == Positions::Kind::reals) {
    std::vector<double> values(size);
    for (std::int64_t k = 0; k < count; ++k) {  // the two roundings of Positions::range
      const double offset = static_cast<double>(first + k * stride) * positions.real_step_;
      values[static_cast<std::size_t>(k)] = positions.real_start_ + offset;
    }
    return values;
  }
  std::vector<std::int64_t> values(size);
  for (std::int64_t k = 0; k < count; ++k) {
    // Modulo 2^64: each position is an int64, the product before the sum need not be.
    const std::uint64_t offset =
        static_cast<std::uint64_t>(first + k * stride) * static_cast<std::uint64_t>(positions.step_);
    values[static_cast<std::size_t>(k)] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(positions.start_) + offset);
  }
  return values;
}

Positions as_positions(const PositionValues& values) {
  return std::visit([](const auto& list) { return Positions::list(view(list.data(), {std::ssize(list)})); }, values);
}

std::vector<std::string> names(const PositionValues& values) {
  std::vector<std::string> text;
  std::visit(
      [&](const auto& list) {
        for (const auto value : list) text.push_back(fmt::format("{}", value));
      },
      values);
  return text;
}

}  // namespace posenc::tool
