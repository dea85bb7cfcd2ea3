// SPDX-License-Identifier: Apache-2.0
// The families of conventions: what a position table, a rotation or a bias states, field by field. Those of pairs and
// queries are in relative_families.h.
//
// A row of the usual kind is stated by a short form (convention.h). Thread safety: plain values.
#pragma once

#include <posenc/ladders.h>

namespace posenc {

// ---- waves: sines and cosines of coordinates -----------------------------------------------------

/// How the columns of a row are shared among its axes.
enum class Rungs : std::uint8_t {
  own = 1,  ///< every axis has its own run of columns, and its ladder over that run's width
  dealt,    ///< one ladder over the row, its pairs handed out as `deal` says
  summed,   ///< every pair uses every axis: its angle is the sum of x_a w_a,k
};

/// Pairs of each axis: width / (2 axes), else an error.
struct Equal {
  friend bool operator==(const Equal&, const Equal&) = default;
};
/// The same, rounded up.
struct EqualUp {
  friend bool operator==(const EqualUp&, const EqualUp&) = default;
};
/// floor(width share / of) / 2 pairs of each axis; what is left goes to the axis `rest`.
struct AxisShares {
  std::vector<std::int64_t> shares;
  std::int64_t of;
  std::string rest;
  friend bool operator==(const AxisShares&, const AxisShares&) = default;
};
/// Pairs of each axis under Rungs::own, a list states them one by one; none under the others.
using Sections = std::variant<Unstated, Nothing, Equal, EqualUp, std::vector<std::int64_t>, AxisShares>;

/// Under Rungs::dealt: the next `pairs` pairs of the ladder go round these axes. The axis "none" has angle 0.
struct Stretch {
  std::vector<std::string> axes;
  std::int64_t pairs;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// Which way pairs stand in a row of several axes: all pairs of an axis, or all axes of a rung, side by side.
enum class PairOrder : std::uint8_t { axis_major = 1, rung_major };

/// Where sines and cosines stand within a scope. Not the order of tensor axes.
enum class Layout : std::uint8_t {
  interleaved = 1,  ///< [s0 c0 s1 c1 ...]
  sine_first,       ///< [s0 s1 ... | c0 c1 ...]
  cosine_first,     ///< [c0 c1 ... | s0 s1 ...]
};

/// What a block of sines and a block of cosines span: the row, one axis's run, or one frequency of every axis.
enum class Scope : std::uint8_t { row = 1, run, period };

/// Which of the two stand in a row.
enum class WaveParts : std::uint8_t { both = 1, sine, cosine };

/// Added to every angle, in its unit: nothing, or one number for every frequency.
using Phases = std::variant<Unstated, Nothing, std::vector<double>>;

/// What an odd width d gives.
enum class OddWidth : std::uint8_t {
  refused = 1,      ///< an error
  zero_column,      ///< n = (d - 1) / 2 pairs and a last column of zeros
  short_row,        ///< n = (d - 1) / 2 pairs and no further column: the table is d - 1 wide
  lone_sine,        ///< n = (d + 1) / 2 sines and (d - 1) / 2 cosines
  repeated_cosine,  ///< n = (d - 1) / 2 pairs and a last column cos(p w_0) (Marian)
  zero_row,         ///< n = (d - 1) / 2 pairs, and a further row of zeros (TimesFM)
};

/// What stands in columns that the runs of several axes do not fill; truncated: columns too many are cut.
enum class RestColumns : std::uint8_t { refused = 1, zero_columns, truncated };

/// What stands before the waves and counts toward the width: nothing, the raw coordinates, or as many zeros.
enum class Lead : std::uint8_t { nothing = 1, coordinates, zeros };

/// A factor by the width d: sqrt(2 / d), or 1 / sqrt(d).
enum class WidthScale : std::uint8_t { sqrt_2_over_d = 1, one_over_sqrt_d };
/// The caller gives the factor; it starts at `initial`.
struct LearnedScale {
  double initial;
  friend bool operator==(const LearnedScale&, const LearnedScale&) = default;
};
/// The factor of every entry.
using OutputScale = std::variant<Unstated, double, WidthScale, LearnedScale>;

/// tenth_of_deviation: minus the mean and over 10 standard deviations of the whole table (PatchTST).
enum class Normalise : std::uint8_t { none = 1, tenth_of_deviation };

/// The row of an absent position: there is no such thing, or a row of zeros.
enum class Absent : std::uint8_t { nothing = 1, zero_row };

/// Sines and cosines of coordinates: sinusoids, timesteps, grids, Fourier features. Entry (p, k) is the sine or cosine
/// of the angle angle_factor p w_k.
struct Waves {
  std::vector<std::string> axes;  ///< names, in the order in which coordinates are passed
  std::vector<Ladder> ladders;    ///< one, or one for each axis
  Rungs rungs;
  Sections sections;
  std::vector<Stretch> deal;  ///< empty but under Rungs::dealt
  PairOrder order;
  Layout layout;
  Scope scope;
  WaveParts parts;
  Phases phases;
  double angle_factor;  ///< of every angle; recipes round it with the angle, and a ladder's `first` with w_k
  OddWidth odd_width;   ///< of one axis
  RestColumns rest;     ///< of several axes
  Lead lead;
  OutputScale scale;
  Normalise normalise;
  Absent absent;
  friend bool operator==(const Waves&, const Waves&) = default;
};

// ---- rotary: pairs of columns of queries and keys, turned -----------------------------------------

/// Which two columns a rotation reads together; r is the number of columns in its scope.
enum class Pairing : std::uint8_t {
  adjacent = 1,  ///< (0, 1) (2, 3) ..: columns 2k and 2k + 1
  split_half,    ///< (0, r / 2) (1, r / 2 + 1) ..: columns k and k + r / 2
};
/// split_half spans all rotated columns, or one axis's run.
enum class PairingScope : std::uint8_t { row = 1, run };
/// Where the results stand: where they were read, or in two halves.
enum class Written : std::uint8_t { in_place = 1, split_half };
/// by_column: column c takes angle c mod n though columns are paired adjacent, so a pair's members differ (V-JEPA 2).
enum class AnglesBy : std::uint8_t { pair = 1, column };
/// forward: (u cos - v sin, u sin + v cos).
enum class TurnTo : std::uint8_t { forward = 1, backward };
/// An odd number r of rotated columns: refused, r - 1 of them, or one angle more.
enum class OddRotated : std::uint8_t { refused = 1, down, up };

/// Every column of a head.
struct AllColumns {
  friend bool operator==(const AllColumns&, const AllColumns&) = default;
};
/// floor(head share) columns, the product formed in double.
struct ColumnShare {
  double share;
  friend bool operator==(const ColumnShare&, const ColumnShare&) = default;
};
/// How many columns of a head turn.
using RotatedPart = std::variant<Unstated, AllColumns, std::int64_t, ColumnShare>;
/// Which end of the head they are.
enum class HeadEnd : std::uint8_t { first = 1, last };

/// m(gain) / m(gain_all) if neither is 0, else m(1); m(c) = 1 + 0.1 c ln(factor), 1 for a factor <= 1.
struct YarnMagnitude {
  double factor, gain, gain_all;
  friend bool operator==(const YarnMagnitude&, const YarnMagnitude&) = default;
};
/// sqrt(1 + ln(factor) / ln(length)), 1 for a factor <= 1.
struct LongRopeMagnitude {
  double factor;
  std::int64_t length;
  friend bool operator==(const LongRopeMagnitude&, const LongRopeMagnitude&) = default;
};
/// The factor of cosines and of sines; scores get its square.
using Magnitude = std::variant<Unstated, double, YarnMagnitude, LongRopeMagnitude>;

/// xPos: pair k of a query times z_k^((p - centre) / period), of a key its inverse; z_k = (2k / r + floor) / (1 +
/// floor).
struct PairDecay {
  double floor, period;
  friend bool operator==(const PairDecay&, const PairDecay&) = default;
};
using Decay = std::variant<Unstated, Nothing, PairDecay>;

/// How the original writes its table of cosines and sines; of no effect on a rotation.
enum class StoredAs : std::uint8_t { none = 1, halves_twice, pairs_twice, sine_cosine, complex, angles_twice };

/// Rotations of queries and keys: at position p, pair k is turned by the angle p w_k.
struct Rotary {
  Rotary() = default;
  /// One axis "position", all columns, in place, forward, magnitude 1, no decay; an odd width is refused.
  POSENC_EXPORT Rotary(Ladder ladder, Pairing pairs);

  std::vector<std::string> axes;  ///< as in Waves, up to `order`
  std::vector<Ladder> ladders;
  Rungs rungs;
  Sections sections;
  std::vector<Stretch> deal;
  PairOrder order;
  Pairing pairing;
  PairingScope pairing_scope;
  Written written;
  AnglesBy angles;
  TurnTo turn;
  OddRotated odd_width;
  RotatedPart part;
  HeadEnd where;
  Magnitude magnitude;
  Decay decay;
  StoredAs stored;
  friend bool operator==(const Rotary&, const Rotary&) = default;
};

// ---- slopes: biases of scores, linear in the distance ----------------------------------------------

/// The factor of slope s for a query at q and a key at k: -s |q - k|, s k, s (k - l) with l the last key of the list,
/// wherever it is, and s (k - q).
enum class BiasValue : std::uint8_t { minus_distance = 1, key, key_from_last, causal };
/// Which keys are counted; others get 0.
enum class KeysCounted : std::uint8_t { all = 1, present };
enum class SlopeRounding : std::uint8_t { none = 1, bf16 };
/// 1 / sqrt(head width), or sqrt(head width).
enum class HeadScale : std::uint8_t { one_over_sqrt_head = 1, sqrt_head };
using BiasScale = std::variant<Unstated, double, HeadScale>;
/// Heads beyond a power of two take every second slope of twice as many heads, or there are none.
enum class HeadsBeyond : std::uint8_t { odd_steps = 1, none };

/// Biases of attention scores: head h adds -slope_h |p - q| to the score of a query at p and a key at q. The slopes of
/// a power of two of heads are a geometric progression down to 2^-octaves; further heads lie between them (bias.h).
struct Slopes {
  double octaves;  ///< over which the slopes fall; > 0, at most 1024. ALiBi's 8; elsewhere alibi_bias_max or max_bias
  BiasValue value;
  KeysCounted over;
  SlopeRounding slope_rounding;
  BiasScale scale;  ///< of every bias
  HeadsBeyond heads_beyond;
  friend bool operator==(const Slopes&, const Slopes&) = default;
};

// ---- learned: which row of a stored table a position takes ------------------------------------------------------

/// A row beyond the table's last one: an error, the last one, zeros in place of a row, or counted from row 0 again.
enum class PastEnd : std::uint8_t { error = 1, clamp, zeros, wrap };
/// A table for each axis, whose rows are added, or stand side by side.
enum class Combine : std::uint8_t { sum = 1, concatenate };
/// One table of two axes: the row is first columns + second.
struct IndexRows {
  std::int64_t columns;
  friend bool operator==(const IndexRows&, const IndexRows&) = default;
};
/// Rows of the table, or of each axis's; none: nobody has stated where it ends.
using StoredRows = std::variant<Unstated, Nothing, std::vector<std::int64_t>>;
/// The row of an absent position: there is no such thing, zeros, or that of the padding id, which numbering gives it.
enum class AbsentRow : std::uint8_t { nothing = 1, zero_row, padding_row };

/// How rows of cells follow from the rows of a table of other extents, along each axis apart: the cell that a place
/// falls into, the two cells around it, the mean of all cells that a place covers; or a cubic of the four around it.
enum class ResizeFilter : std::uint8_t { nearest = 1, bilinear, area };
struct Bicubic {
  double a;  ///< of Keys' cubic: -0.75 or -0.5
  friend bool operator==(const Bicubic&, const Bicubic&) = default;
};
/// What a table that shrinks does: nothing, or its filter is stretched by as much and divided by the sum of its
/// weights.
enum class Antialias : std::uint8_t { none = 1, stretched };
/// align_corners. halves: place i is at (i + 1/2) n / (m + offset) - 1/2 of n cells; ends: at i (n - 1) / (m - 1).
enum class AlignCorners : std::uint8_t { halves = 1, ends };
enum class TableEnd : std::uint8_t { first = 1, last };
/// A place that lies past the last cell, if by a rounding: there, or a row of zeros (SciPy).
enum class PastEdge : std::uint8_t { clamp = 1, zeros };
/// What places, weights and the long sums of a stretched filter or an area are rounded to: f32 as PyTorch's vector code
/// makes them, or f64.
enum class ResizeArithmetic : std::uint8_t { f32 = 1, f64 };

/// A table of the rows of an image's cells, made for another image (resize.h).
struct Resize {
  std::variant<Unstated, ResizeFilter, Bicubic> filter;
  Antialias antialias;
  AlignCorners align_corners;
  double offset;       ///< added to the target's extents where places are measured: 0.1 in DINO
  std::int64_t extra;  ///< rows of no cell, which are kept
  TableEnd extra_at;   ///< which end of the table they are
  PastEdge past_edge;
  ResizeArithmetic arithmetic;
  friend bool operator==(const Resize&, const Resize&) = default;
};

/// Row position + offset of a stored table.
struct Learned {
  std::vector<std::string> axes;  ///< in the order in which coordinates are passed
  StoredRows rows;
  std::int64_t offset;
  PastEnd past_end;
  std::variant<Unstated, Combine, IndexRows> combine;  ///< several axes; with one of no effect
  OutputScale scale;                                   ///< of every entry
  std::variant<Unstated, Nothing, Resize> resize;      ///< for images of other extents
  AbsentRow absent;
  friend bool operator==(const Learned&, const Learned&) = default;
};

}  // namespace posenc
