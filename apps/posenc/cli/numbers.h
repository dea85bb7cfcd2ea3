// SPDX-License-Identifier: Apache-2.0
// Numbers as text: decimal digits as JSON writes them, whatever the locale; no blanks, no plus, no hexadecimal.
#pragma once

#include <posenc/core.h>

namespace posenc::tool {

enum class NumberForm : std::uint8_t { none, integer, real };

/// integer: -?(0|[1-9][0-9]*). real: with a fraction or an exponent as well.
NumberForm number_form(std::string_view text);

/// The number, which lies in [low, high]; the problem names `name`.
std::int64_t parse_integer(std::string_view operation, std::string_view name, std::string_view text, std::int64_t low,
                           std::int64_t high = INT64_MAX);
std::uint64_t parse_unsigned(std::string_view operation, std::string_view name, std::string_view text);
/// A finite double; text too large or too small for one is an error.
double parse_real(std::string_view operation, std::string_view name, std::string_view text);

/// a * b when it fits.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b);

}  // namespace posenc::tool
