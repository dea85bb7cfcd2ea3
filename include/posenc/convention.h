// SPDX-License-Identifier: Apache-2.0
// Conventions as values: every choice that fixes the real number of every entry of a position table.
//
// No field has a default: a value is stated, or it comes from a preset (preset.h). How the real number is rounded is a
// recipe (recipe.h). Thread safety: plain values.
#pragma once

#include <posenc/core.h>

#include <variant>

namespace posenc {

/// What the exponent e_k of a geometric ladder runs over; n is the number of frequencies, d the width.
enum class Spacing : std::uint8_t {
  over_width = 1,    ///< e_k = 2k / d: the paper's; the longest timescale is never reached
  over_gaps,         ///< e_k = k / (n - 1): the end point is included; n = 1 is an error
  over_gaps_or_one,  ///< e_k = k / max(n - 1, 1): the same, and n = 1 gives w_0 = first
};

/// w_k = first * base^(-e_k), in radians per position.
struct Geometric {
  double base;   ///< longest over shortest timescale; finite and > 0
  double first;  ///< w_0; finite and > 0. tensor2tensor's min_timescale m is first = m, base = max / m
  Spacing spacing;
  friend bool operator==(const Geometric&, const Geometric&) = default;
};

/// The caller's own frequencies, in radians per position, used to the bit; finite and >= 0.
struct Listed {
  std::vector<double> frequencies;
  friend bool operator==(const Listed&, const Listed&) = default;
};

/// The list of angular frequencies w_k (what other code calls inverse frequencies).
using Ladder = std::variant<Geometric, Listed>;

/// Where sines and cosines stand in a row. Not the order of tensor axes.
enum class Layout : std::uint8_t {
  interleaved = 1,  ///< [s0 c0 s1 c1 ...]
  sine_first,       ///< [s0 s1 ... | c0 c1 ...]
  cosine_first,     ///< [c0 c1 ... | s0 s1 ...]
};

/// What an odd width d gives.
enum class OddWidth : std::uint8_t {
  refused = 1,  ///< an error
  zero_column,  ///< n = (d - 1) / 2 pairs and a last column of zeros
  short_row,    ///< n = (d - 1) / 2 pairs and no further column: the table is d - 1 wide
  lone_sine,    ///< n = (d + 1) / 2 sines and (d - 1) / 2 cosines
};

/// One axis of positions: entry (p, k) is sin(p w_k) and cos(p w_k).
struct Sinusoid {
  Ladder ladder;
  Layout layout;
  OddWidth odd_width;
  friend bool operator==(const Sinusoid&, const Sinusoid&) = default;
};

/// Which coordinate of a grid cell the first half of a row encodes.
enum class AxisOrder : std::uint8_t {
  column_first = 1,  ///< [x part | y part]
  row_first,         ///< [y part | x part]
};

/// Two axes of positions: half of the width each, by the one-axis rule with an even number of columns; d is a multiple
/// of 4.
struct Grid {
  Ladder ladder;  ///< over the half width
  Layout layout;  ///< within each half
  AxisOrder axis_order;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// Steps of a diffusion process: entry (s, k) is sin(s w_k) and cos(s w_k) with w_k = scale * max_period^(-e_k),
/// e_k = k / (n - shift), n = floor(d / 2). An odd width d gives a last column of zeros. n = shift = 1 is an error.
struct Timestep {
  double max_period;  ///< longest over shortest timescale at shift 1; finite and > 0
  double shift;       ///< a multiple of 2^-16 from 0 to 1; diffusers' downscale_freq_shift
  double scale;       ///< of every angle; finite and > 0
  Layout layout;      ///< sine_first, or cosine_first, which is diffusers' flip_sin_to_cos
  friend bool operator==(const Timestep&, const Timestep&) = default;
};

/// Which two columns of a row a rotation turns together; r is the number of rotated columns.
enum class Pairing : std::uint8_t {
  adjacent = 1,  ///< (0, 1) (2, 3) ..: columns 2k and 2k + 1
  split_half,    ///< (0, r / 2) (1, r / 2 + 1) ..: columns k and k + r / 2
};

/// Rotations of queries and keys: at position p, pair k is turned by the angle p w_k. The width r is even.
struct Rotary {
  Ladder ladder;  ///< over the rotated columns
  Pairing pairing;
  friend bool operator==(const Rotary&, const Rotary&) = default;
};

/// Biases of attention scores: head h adds -slope_h |p - q| to the score of a query at p and a key at q. The slopes of
/// a power of two of heads are a geometric progression down to 2^-octaves; further heads lie between them (bias.h).
struct Bias {
  double octaves;  ///< over which the slopes fall; > 0, at most 1024. ALiBi's 8; elsewhere alibi_bias_max or max_bias
  friend bool operator==(const Bias&, const Bias&) = default;
};

using Convention = std::variant<Sinusoid, Grid, Timestep, Rotary, Bias>;

/// The family's name: "sinusoid", "grid", "timestep", "rotary" or "bias".
POSENC_EXPORT std::string_view family(const Convention& convention);

/// Enumerators by name, as they stand in JSON and on the screen; "no ..." for a value that is none.
POSENC_EXPORT std::string_view to_string(Spacing spacing);
POSENC_EXPORT std::string_view to_string(Layout layout);
POSENC_EXPORT std::string_view to_string(OddWidth rule);
POSENC_EXPORT std::string_view to_string(AxisOrder order);
POSENC_EXPORT std::string_view to_string(Pairing pairing);

/// One line that states every field.
POSENC_EXPORT std::string to_string(const Convention& convention);

/// Every field is stated and in range, whatever the width.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_convention(const Convention& convention);
/// check_convention, and the convention admits the width `dim` >= 1; of a bias that is the number of heads.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_width(const Convention& convention, std::int64_t dim);

/// The number of columns that a table of width `dim` has: dim, or dim - 1 for an odd width under short_row.
POSENC_EXPORT std::int64_t columns(const Convention& convention, std::int64_t dim);

}  // namespace posenc
