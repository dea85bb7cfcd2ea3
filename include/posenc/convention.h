// SPDX-License-Identifier: Apache-2.0
// Conventions as values: every choice that fixes the real number of every entry of a position table.
//
// No field has a default: a value is stated, or it comes from a preset (preset.h) or a short form below. A field that
// was forgotten is 0 or Unstated, and every check refuses it. How the real number is rounded is a recipe (recipe.h).
// docs/conventions.md lists every field with its rule. Thread safety: plain values.
#pragma once

#include <posenc/families.h>
#include <posenc/relative_families.h>

namespace posenc {

using Convention = std::variant<Waves, Rotary, Slopes, Buckets, LogCoordinates, QueryScale, Learned>;

// ---- short forms: the usual conventions in few fields, every other field at its plain value --------------

/// One axis of positions, "position": entry (p, k) is sin(p w_k) and cos(p w_k).
struct Sinusoid {
  Ladder ladder;
  Layout layout;
  OddWidth odd_width;
  POSENC_EXPORT operator Waves() const;
  friend bool operator==(const Sinusoid&, const Sinusoid&) = default;
};

/// Which coordinate of a grid cell the first half of a row encodes.
enum class AxisOrder : std::uint8_t {
  column_first = 1,  ///< [x part | y part]
  row_first,         ///< [y part | x part]
};

/// Two axes of positions, "x" and "y": half of the width each, by the one-axis rule with an even number of columns; d
/// is a multiple of 4.
struct Grid {
  Ladder ladder;  ///< over the half width
  Layout layout;  ///< within each half
  AxisOrder axis_order;
  POSENC_EXPORT operator Waves() const;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// Steps of a diffusion process, axis "step": entry (s, k) is sin(s w_k) and cos(s w_k) with w_k = scale *
/// max_period^(-e_k), e_k = k / (n - shift), n = floor(d / 2). An odd width d gives a last column of zeros. n = shift =
/// 1 is an error.
struct Timestep {
  double max_period;  ///< longest over shortest timescale at shift 1; finite and > 0
  double shift;       ///< a multiple of 2^-16 from 0 to 1; diffusers' downscale_freq_shift
  double scale;       ///< of every angle; finite and > 0
  Layout layout;      ///< sine_first, or cosine_first, which is diffusers' flip_sin_to_cos
  POSENC_EXPORT operator Waves() const;
  friend bool operator==(const Timestep&, const Timestep&) = default;
};

/// Slopes that multiply minus the distance, of any number of heads, unrounded and unscaled.
struct Bias {
  double octaves;
  POSENC_EXPORT operator Slopes() const;
  friend bool operator==(const Bias&, const Bias&) = default;
};

/// Every column of a head, in pairs that turn by one angle each: w_k of the one axis "position". The short form of
/// Rotary.
struct PlainRotary {
  Ladder ladder;
  Pairing pairing;
  operator Rotary() const { return {ladder, pairing}; }
  friend bool operator==(const PlainRotary&, const PlainRotary&) = default;
};

/// The short form of a convention that is plain in every other field, else nothing. A value that breaks a rule keeps
/// it.
using ShortForm = std::variant<std::monostate, Sinusoid, Grid, Timestep, PlainRotary, Bias>;
POSENC_EXPORT ShortForm short_form(const Convention& convention);
template <class S>
std::optional<S> short_form(const Convention& convention) {
  ShortForm form = short_form(convention);
  if (S* stated = std::get_if<S>(&form)) return std::move(*stated);
  return std::nullopt;
}

// ---- what can be asked of every convention -----------------------------------------------------------

/// The name of the short form where there is one, "sinusoid", "grid", "timestep" or "bias"; else of the family,
/// "waves", "log_coordinates". For people: what an operation takes is asked by its check.
POSENC_EXPORT std::string_view family(const Convention& convention);

/// Enumerators by name, as they stand in JSON and on the screen; "no ..." for a value that is none.
POSENC_EXPORT std::string_view to_string(Layout layout);
POSENC_EXPORT std::string_view to_string(OddWidth rule);
POSENC_EXPORT std::string_view to_string(AxisOrder order);
POSENC_EXPORT std::string_view to_string(Pairing pairing);

/// One line that states every field; of a short form its own.
POSENC_EXPORT std::string to_string(const Convention& convention);

/// Every field is stated and in range, whatever the width.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_convention(const Convention& convention);
/// check_convention, and the convention admits the width `dim` >= 1; of a bias that is the number of heads.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_width(const Convention& convention, std::int64_t dim);

/// The number of columns that a table of width `dim` has, which check_width admits: dim, or fewer, as under short_row
/// or without cosines.
POSENC_EXPORT std::int64_t columns(const Convention& convention, std::int64_t dim);

/// The names of its axes, in the order in which coordinates are passed; none where a convention has no axes.
POSENC_EXPORT std::vector<std::string> axes_of(const Convention& convention);

/// The axis of each index of a cell, of a convention with axes: its axes in their order, but for y and x, the lines and
/// columns of an image, which are the last two.
POSENC_EXPORT std::vector<std::string> cell_axes(const Convention& convention);

/// A field of a convention, every one of its family in turn.
struct FieldText {
  std::string_view name;
  std::string value;
  std::string_view doc;  ///< what it means, with its unit
};
POSENC_EXPORT std::vector<FieldText> fields_of(const Convention& convention);
/// What stands in each column of a row, or which columns of a head turn together, at a width of few columns: "8: s0 c0
/// .. s3 c3", "8: (0,4):w0 .. (3,7):w3". Empty for a convention without either.
POSENC_EXPORT std::string layout_line(const Convention& convention);

/// "ladders.0.base: 10000, not 500000" for every field in which `b` differs from `a`, by its path; nothing where they
/// are equal to the bit.
POSENC_EXPORT std::vector<std::string> differences(const Convention& a, const Convention& b);
inline std::optional<std::string> first_difference(const Convention& a, const Convention& b) {
  std::vector<std::string> all = differences(a, b);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

/// What an operation asks a convention for.
enum class ConventionUse : std::uint8_t {
  rows = 1,         ///< waves of one axis: sinusoid, table
  tokens,           ///< the same, of positions that count tokens
  timesteps,        ///< the same, of an axis "step": steps of a diffusion process
  cells,            ///< waves of two axes or more: rows of the cells of a grid
  coordinates,      ///< waves of any number of axes: rows of places
  rotations,        ///< rotary
  slopes,           ///< slopes of biases
  classes,          ///< buckets of distances: classes of pairs of positions
  windows,          ///< buckets of windows: classes of pairs of cells
  log_coordinates,  ///< coordinates of pairs of cells under a logarithm
  query_scales,     ///< factors of queries
  stored_rows,      ///< learned: rows of a stored table
  resized_tables,   ///< the same with a resize: tables of other images
};
/// The convention gives what is asked for; else the problem of `operation` says what does. Other fields are not
/// checked.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_use(std::string_view operation, ConventionUse use,
                                                             const Convention& convention);

/// The value of a field: a number, a list of numbers, or text, which is read as the field's type: a number, a word, or
/// a list of either with commas between.
struct FieldValue {
  template <class Number>
    requires std::is_arithmetic_v<Number>
  FieldValue(Number number) : value(static_cast<double>(number)) {
    // An unsigned number from 2^63 on stays a double: no field of integers can hold it.
    if constexpr (std::is_integral_v<Number>) {
      if (std::is_signed_v<Number> || static_cast<std::uint64_t>(number) >> 63 == 0) {
        value = static_cast<std::int64_t>(number);
      }
    }
  }
  FieldValue(std::vector<double> numbers) : value(std::move(numbers)) {}
  FieldValue(std::string_view text) : value(std::string(text)) {}
  FieldValue(const char* text) : value(std::string(text)) {}
  FieldValue(const std::string& text) : value(text) {}

  std::variant<double, std::int64_t, std::vector<double>, std::string> value;
};
/// A field by its path, "odd_width", "ladders.0.base" or "ladder.base", which is that of every ladder; a kind by its
/// name, "ladder.scaling" = "linear", leaves the fields of that kind to be stated.
struct FieldChange {
  std::string_view path;
  FieldValue value;
};
/// The problem that with_fields would throw, or nothing: the path names no field (the message lists those there are),
/// the value is none of the field's, or the result breaks a rule of check_convention.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_changes(const Convention& convention,
                                                                 std::span<const FieldChange> changes);
namespace detail {
POSENC_EXPORT Convention changed(Convention convention, std::span<const FieldChange> changes);
}
/// The convention with those fields changed, one after the other: with_field(preset("rope-half").convention,
/// "ladder.base", 500000).
inline Convention with_fields(const Convention& convention, std::span<const FieldChange> changes) {
  require(check_changes(convention, changes));
  return detail::changed(convention, changes);
}
inline Convention with_fields(const Convention& convention, std::initializer_list<FieldChange> changes) {
  return with_fields(convention, std::span(changes.begin(), changes.size()));
}
inline Convention with_field(const Convention& convention, std::string_view path, const FieldValue& value) {
  return with_fields(convention, {{path, value}});
}

}  // namespace posenc
