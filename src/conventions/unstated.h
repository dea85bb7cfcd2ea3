// SPDX-License-Identifier: Apache-2.0
// Fields of a kind that was chosen by its name, or of a new item of a list: nobody has stated them. Until a change
// does, numbers among them hold what no rule admits.
#pragma once

#include <bit>
#include <limits>

#include "src/conventions/fields.h"
#include "src/conventions/path.h"

namespace posenc::schema {

/// A NaN that is no caller's: theirs are told as the numbers that they are.
inline constexpr auto unstated_number = std::bit_cast<double>(std::uint64_t{0x7FF8'706F'7365'6E63});
inline constexpr std::int64_t unstated_integer = std::numeric_limits<std::int64_t>::min();

inline bool is_unstated(double x) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(unstated_number);
}
inline bool is_unstated(std::int64_t n) { return n == unstated_integer; }
inline bool is_unstated(const std::string& name) { return name.empty(); }

template <class T>
inline constexpr bool is_numbers =
    std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<std::int64_t>>;

template <class T>
void leave_unstated(T& value) {
  value = T{};
  if constexpr (std::is_same_v<T, double>) {
    value = unstated_number;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    value = unstated_integer;
  } else if constexpr (is_numbers<T>) {
    leave_unstated(value.emplace_back());
  } else if constexpr (is_kinds<T>) {
    std::visit([](auto& kind) { leave_unstated(kind); }, value);
  } else if constexpr (Stated<T, 2>) {
    for_fields<T, 2>([&](const auto& field) { leave_unstated(value.*field.member); });
  }
}

/// The first field that is still unstated. Words that are not have rules of their own.
template <class T>
std::optional<Problem> check_stated(const T& value, const Path& at) {
  std::optional<Problem> found;
  if constexpr (is_leaf<T>) {
    if (is_unstated(value)) found = broken(at, "stated", "none");
  } else if constexpr (is_numbers<T>) {
    for (std::size_t i = 0; i < value.size() && !found; ++i) found = check_stated(value[i], at);
  } else if constexpr (is_list<T>) {
    for (std::size_t i = 0; i < value.size() && !found; ++i) found = check_stated(value[i], {&at, {}, i});
  } else if constexpr (is_kinds<T>) {
    found = std::visit([&](const auto& kind) { return check_stated(kind, at); }, value);
  } else if constexpr (Stated<T, 2>) {
    found = first_problem<T, 2>([&](const auto& field) {
      return check_stated(value.*field.member, {&at, field.shown.empty() ? field.shown : field.name});
    });
  }
  return found;
}

}  // namespace posenc::schema
