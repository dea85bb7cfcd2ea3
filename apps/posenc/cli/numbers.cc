// SPDX-License-Identifier: Apache-2.0
// Numbers as text: the grammar by hand, the value by std::from_chars, which knows no locale.
#include "apps/posenc/cli/numbers.h"

#include <fmt/format.h>

#include <charconv>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

std::size_t digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end - from;
}

template <class T>
std::optional<T> value_of(std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

NumberForm number_form(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return NumberForm::none;
  at += whole;
  if (at == text.size()) return NumberForm::integer;
  if (text[at] == '.') {
    const std::size_t fraction = digits(text, at + 1);
    if (fraction == 0) return NumberForm::none;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits(text, at);
    if (exponent == 0) return NumberForm::none;
    at += exponent;
  }
  return at == text.size() ? NumberForm::real : NumberForm::none;
}

std::int64_t parse_integer(std::string_view operation, std::string_view name, std::string_view text, std::int64_t low,
                           std::int64_t high) {
  const std::optional<std::int64_t> value =
      number_form(text) == NumberForm::integer ? value_of<std::int64_t>(text) : std::nullopt;
  if (!value || *value < low || *value > high) {
    refuse(operation, fmt::format("{} must be an integer in plain digits, {} to {}", name, low, high), quote(text));
  }
  return *value;
}

std::uint64_t parse_unsigned(std::string_view operation, std::string_view name, std::string_view text) {
  const std::optional<std::uint64_t> value =
      number_form(text) == NumberForm::integer ? value_of<std::uint64_t>(text) : std::nullopt;
  if (!value)
    refuse(operation, fmt::format("{} must be an integer in plain digits, 0 to {}", name, UINT64_MAX), quote(text));
  return *value;
}

double parse_real(std::string_view operation, std::string_view name, std::string_view text) {
  const std::optional<double> value = number_form(text) == NumberForm::none ? std::nullopt : value_of<double>(text);
  if (!value) {
    refuse(operation, fmt::format("{} must be a decimal number like -12, 0.5 or 1e-3 within double", name),
           quote(text));
  }
  return *value;
}

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace posenc::tool
