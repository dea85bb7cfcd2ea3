// SPDX-License-Identifier: Apache-2.0
// Conventions as JSON, version 1.
//
//   {"posenc_convention": 1, "family": "sinusoid",
//    "ladder": {"base": 10000, "first": 1, "spacing": "over_width"}, "layout": "interleaved", "odd_width": "refused"}
//
// A listed ladder is {"frequencies": [1, 0.5]}; the family "grid" has "axis_order" in place of "odd_width"; the family
// "timestep" has "max_period", "shift", "scale" and "layout"; the family "rotary" has "ladder" and "pairing"; the
// family "bias" has "octaves".
// Thread safety: all functions are safe to call from any thread.
#pragma once

#include <posenc/convention.h>

namespace posenc::io {

/// Limits of a document.
inline constexpr std::size_t json_byte_limit = std::size_t{16} << 20;
inline constexpr int json_depth_limit = 64;
inline constexpr std::int64_t json_value_limit = std::int64_t{1} << 20;
inline constexpr std::size_t json_number_limit = 512;  ///< characters of one number

/// One line that states every field. Numbers are the shortest text that reads back as the same double.
/// Errors: what check_convention says.
POSENC_EXPORT std::string to_json(const Convention& convention);

/// The convention that a document states: every key of its family exactly once and no other, no defaults.
/// Errors: no JSON (RFC 8259 in UTF-8, no byte order mark, no comments), a limit above, an unknown, missing or
/// repeated key or a value of the wrong type, named by its JSON pointer (RFC 6901); then what check_convention says.
/// Numbers are rounded to the nearest double; one beyond the range of double is an error.
POSENC_EXPORT Convention convention_from_json(std::string_view text);
/// The problem that convention_from_json would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_convention_json(std::string_view text);

}  // namespace posenc::io
