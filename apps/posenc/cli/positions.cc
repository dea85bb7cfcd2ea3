// SPDX-License-Identifier: Apache-2.0
// Positions on the command line: the grammar, the number of positions in a range, and values picked from them.
#include "apps/posenc/cli/positions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/posenc/cli/cli.h"
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

// What is read, as errors name it.
struct Asked {
  std::string_view operation, option;
  const std::string& text;

  [[noreturn]] void refused(std::string_view rule) const {
    refuse(operation, fmt::format(fmt::runtime(rule), option), quote(text));
  }
};

bool all_integers(std::span<const std::string> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return number_form(part) == NumberForm::integer; });
}

std::int64_t integer(const Asked& asked, const std::string& part) {
  return parse_integer(asked.operation, fmt::format("each of {}", asked.option), part, INT64_MIN);
}

// A word that is no number may be meant as a file.
void check_number(const Asked& asked, const std::string& part) {
  if (number_form(part) != NumberForm::none) return;
  refuse(
      asked.operation,
      fmt::format("each of {} must be a decimal number like -12, 0.5 or 1e-3, or all of it a FILE.npy", asked.option),
      quote(part));
}

double real(const Asked& asked, const std::string& part) {
  check_number(asked, part);
  const double value = parse_real(asked.operation, fmt::format("each of {}", asked.option), part);
  if (value > largest_real || value < -largest_real) {
    refuse(asked.operation, "a real position must be at most 2^53 in size", quote(part));
  }
  return value;
}

template <class T>
void check_direction(const Asked& asked, T start, T end, T step) {
  if (step == 0) asked.refused("the step of {} A:B:S must not be 0");
  if (step > 0 ? start >= end : start <= end) {
    asked.refused("{} A:B[:S] must lead from A towards B, which is left out, and not be empty");
  }
}

Positions integer_range(const Asked& asked, std::span<const std::string> parts) {
  const std::int64_t start = integer(asked, parts[0]), end = integer(asked, parts[1]);
  const std::int64_t step = parts.size() == 3 ? integer(asked, parts[2]) : 1;
  check_direction(asked, start, end, step);
  // Differences of int64 fit in uint64, and unsigned negation is exact.
  const auto magnitude = [](std::int64_t a, std::int64_t b) {
    return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                 : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  };
  const std::uint64_t count = (magnitude(start, end) - 1) / magnitude(step, 0) + 1;
  if (count > INT64_MAX) asked.refused("{} must have at most 2^63 - 1 positions");
  return Positions::range(start, static_cast<std::int64_t>(count), step);
}

// The smallest i whose position RN(start + RN(i step)) has reached the end: found by halving, as it grows with i.
Positions real_range(const Asked& asked, std::span<const std::string> parts) {
  const double start = real(asked, parts[0]), end = real(asked, parts[1]);
  const double step = parts.size() == 3 ? real(asked, parts[2]) : 1;
  check_direction(asked, start, end, step);
  const auto reached = [&](std::int64_t i) {
    const double at = start + static_cast<double>(i) * step;
    return step > 0 ? at >= end : at <= end;
  };
  std::int64_t inside = 0, outside = std::int64_t{1} << 53;
  if (!reached(outside)) asked.refused("{} of reals must have at most 2^53 positions");
  while (outside - inside > 1) {
    const std::int64_t middle = inside + (outside - inside) / 2;
    (reached(middle) ? outside : inside) = middle;
  }
  return Positions::range(start, outside, step);
}

ParsedPositions list(const Asked& asked) {
  const std::vector<std::string> parts = split(asked.text, ',');
  if (const auto empty = std::ranges::find(parts, ""); empty != parts.end()) {
    throw Error({std::string(asked.operation),
                 fmt::format("no item of {} must be empty", asked.option),
                 quote(asked.text),
                 {empty - parts.begin()}});
  }
  if (all_integers(parts)) {
    std::vector<std::int64_t> values;
    for (const std::string& part : parts) values.push_back(integer(asked, part));
    const ConstView items = view(std::as_const(values).data(), {std::ssize(values)});
    return {Positions::list(items), std::move(values)};
  }
  std::vector<double> values;
  for (const std::string& part : parts) values.push_back(real(asked, part));
  const ConstView items = view(std::as_const(values).data(), {std::ssize(values)});
  return {Positions::list(items), std::move(values)};
}

ParsedPositions of_array(std::string_view operation, const std::string& path, io::Array array) {
  const ConstView items = array.view();
  if (items.rank != 1 || items.size(0) == 0) {
    refuse(operation, "a file of positions must have one axis and not be empty",
           fmt::format("{} of {} axes and {} positions", quote(path), items.rank, items.count()));
  }
  return {Positions::list(items), std::move(array)};
}

// An .npy, or numbers with white space or commas between them.
ParsedPositions listed_on_standard_input(std::string_view operation, std::string_view option) {
  constexpr std::string_view name = standard_input_title, npy_start = "\x93NUMPY", between = " \t\r\n,";
  const std::string read = io::read_descriptor(STDIN_FILENO, name, io::npy_file_limit);
  if (read.starts_with("\xEF\xBB\xBF")) {
    refuse(operation, fmt::format("{} - must have no byte order mark", option), "the bytes EF BB BF at its start");
  }
  if (read.starts_with(npy_start)) {
    return of_array(operation, std::string(name), io::parse_npy(std::as_bytes(std::span(read)), name));
  }
  std::string numbers;
  for (std::size_t at = read.find_first_not_of(between); at != read.npos; at = read.find_first_not_of(between, at)) {
    const std::size_t end = std::min(read.find_first_of(between, at), read.size());
    numbers += (numbers.empty() ? "" : ",") + read.substr(at, end - at);
    at = end;
  }
  if (numbers.empty()) refuse(operation, fmt::format("{} - must have numbers on standard input", option), "none");
  return list({operation, option, numbers});
}

template <class T>
T element(const ConstView& list, std::int64_t i) {
  return static_cast<const T*>(list.data)[i * list.stride(0)];
}

// Position i: an exact integer, or the double that the library would use.
std::variant<std::int64_t, double> position(const Positions& positions, std::int64_t i) {
  const ConstView& list = positions.list_;
  if (positions.kind_ == Positions::Kind::integers) {  // modulo 2^64: the product before the sum need not be an int64
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(positions.start_) +
                                     static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(positions.step_));
  }
  if (positions.kind_ == Positions::Kind::reals) {
    return positions.real_start_ + static_cast<double>(i) * positions.real_step_;  // the two roundings of range
  }
  switch (list.dtype) {
    case DType::i32: return std::int64_t{element<std::int32_t>(list, i)};
    case DType::i64: return element<std::int64_t>(list, i);
    case DType::f32: return static_cast<double>(element<float>(list, i));
    default: return element<double>(list, i);
  }
}

}  // namespace

ParsedPositions parse_positions(std::string_view operation, std::string_view option, const std::string& text) {
  const Asked asked = {operation, option, text};
  ParsedPositions parsed = [&]() -> ParsedPositions {
    if (text == standard_stream) return listed_on_standard_input(operation, option);
    if (text.ends_with(".npy")) return of_array(operation, text, io::read_npy(text));
    if (text.find(':') == std::string::npos) return list(asked);
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() > 3) asked.refused("{} must be A:B, A:B:S, a list like 3,1,4 or a .npy file");
    return {all_integers(parts) ? integer_range(asked, parts) : real_range(asked, parts)};
  }();
  require(check_positions(operation, parsed.positions));
  return parsed;
}

PositionValues pick(const Positions& positions, std::int64_t first, std::int64_t count) {
  PositionValues values = std::vector<double>();
  if (std::holds_alternative<std::int64_t>(position(positions, first))) values = std::vector<std::int64_t>();
  std::visit(
      [&]<class T>(std::vector<T>& list) {
        list.reserve(static_cast<std::size_t>(count));
        for (std::int64_t i = first; i < first + count; ++i) list.push_back(std::get<T>(position(positions, i)));
      },
      values);
  return values;
}

Positions as_positions(const PositionValues& values) {
  return std::visit([](const auto& list) { return Positions::list(view(list.data(), {std::ssize(list)})); }, values);
}

PositionPart::PositionPart(const Positions& all, std::int64_t first, std::int64_t count) : positions_(all) {
  if (count == 0 || all.kind_ == Positions::Kind::integers) {
    positions_ = Positions::range(count == 0 ? 0 : std::get<std::int64_t>(position(all, first)), count, all.step_);
    return;
  }
  values_ = pick(all, first, count);
  positions_ = as_positions(values_);
}

double number(const Positions& positions, std::int64_t i) {
  return std::visit([](auto value) { return static_cast<double>(value); }, position(positions, i));
}

std::string name(const Positions& positions, std::int64_t i) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, position(positions, i));
}

}  // namespace posenc::tool
