// SPDX-License-Identifier: Apache-2.0
// Conventions as JSON. Version 2 states every field of every family, as convention_schema says, and is what is written.
// It is frozen: what it has (families, fields, kinds, words) keeps its name and its meaning, and a document of it is
// read for ever, to an equal convention. A family, a kind or a word may be added, which older programs refuse by name;
// a field of a struct that it has comes with a version 3 alone.
// Version 1 states the short forms, and is read for ever:
//
//   {"posenc_convention": 1, "family": "sinusoid",
//    "ladder": {"base": 10000, "first": 1, "spacing": "over_width"}, "layout": "interleaved", "odd_width": "refused"}
//
// A listed ladder is {"frequencies": [1, 0.5]}; the family "grid" has "axis_order" in place of "odd_width"; the family
// "timestep" has "max_period", "shift", "scale" and "layout"; the family "rotary" has "ladder" and "pairing"; the
// family "bias" has "octaves".
// Thread safety: all functions are safe to call from any thread.
#pragma once

#include <posenc/preset.h>

namespace posenc {

/// One line of version 2 that states every field. Numbers are the shortest text that reads back as the same double.
/// Errors: what check_convention says.
POSENC_EXPORT std::string to_json(const Convention& convention);
/// One line with everything a preset states: its convention as above, the roundings of its original, its stage and its
/// places as objects, null where it states none.
POSENC_EXPORT std::string to_json(const Preset& preset);

}  // namespace posenc

namespace posenc::io {

/// Limits of a document.
inline constexpr std::size_t json_byte_limit = std::size_t{16} << 20;
inline constexpr int json_depth_limit = 64;
inline constexpr std::int64_t json_value_limit = std::int64_t{1} << 20;
inline constexpr std::size_t json_number_limit = 512;  ///< characters of one number

/// The convention that a document states: every key of its family exactly once and no other, no defaults.
/// Errors: no JSON (RFC 8259 in UTF-8, no byte order mark, no comments), a limit above, an unknown, missing or
/// repeated key or a value of the wrong type, named by its JSON pointer (RFC 6901); then what check_convention says.
/// Numbers are rounded to the nearest double; one beyond the range of double is an error, as is one
/// that would become 0.
POSENC_EXPORT Convention convention_from_json(std::string_view text);
/// The problem that convention_from_json would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_convention_json(std::string_view text);

/// A path that a change of a convention may name, and the words that its value may be: none for a number or a list.
struct PathWords {
  std::string path;
  std::vector<std::string_view> words;
};
/// Those of a convention after `changes`, which need not keep its rules; the first one that names no field or value of
/// it, and those behind it, are left out. Items of a list stand under the name of each, "ladder.base", and under their
/// numbers where they are several, "ladders.1.base".
POSENC_EXPORT std::vector<PathWords> paths_of(const Convention& convention, std::span<const FieldChange> changes = {});

/// A JSON Schema (draft 2020-12) of version 2. What joins fields, and which axes names stand for, is said in words.
POSENC_EXPORT std::string convention_schema();

/// The entries and tables of docs/conventions.md: presets, recipes, and every field of every family with its rule, in
/// Markdown.
POSENC_EXPORT std::string conventions_page();

}  // namespace posenc::io
