// SPDX-License-Identifier: Apache-2.0
// The fields of waves, rotations, slopes and stored rows.
#pragma once

#include <posenc/convention.h>

#include "src/conventions/family_words.h"
#include "src/conventions/ladder_fields.h"
#include "src/conventions/relative_fields.h"

namespace posenc::schema {

// ---- what several axes share ---------------------------------------------------------------------------------

template <>
inline constexpr Schema of<Equal>{"equal", "width / (2 axes) pairs each, else an error"};
template <>
inline constexpr Schema of<EqualUp>{"equal_up", "the same, rounded up"};
template <>
inline constexpr Schema of<AxisShares>{
    "shares", "floor(width share / of) / 2 pairs each; what is left goes to an axis",
    std::tuple{Field{"shares", &AxisShares::shares, any_columns, "one for each axis"},
               Field{"of", &AxisShares::of, some_columns, "what a share is part of"},
               Field{"rest", &AxisShares::rest, axis_name, "the axis of the pairs that are left"}}};
template <>
inline constexpr Schema of<Stretch>{
    "stretch", "pairs of the ladder that go round some axes",
    std::tuple{Field{"axes", &Stretch::axes, axis_name, "`none` has angle 0"},
               Field{"pairs", &Stretch::pairs, some_columns, "of the ladder, in its order"}}};

template <class S>
inline constexpr std::tuple axis_fields = {
    Field{"axes", &S::axes, axis_name, "in the order in which coordinates are passed", "axes", "axis"},
    Field{"ladders", &S::ladders, {}, "one, or one for each axis", "ladders", "ladder"},
    Field{"rungs", &S::rungs, {}, "how axes share the columns"},
    Field{"sections", &S::sections, any_columns, "pairs of each axis, where each has its own"},
    Field{"deal", &S::deal, {}, "how one ladder's pairs are handed out"},
    Field{"order", &S::order, {}, "of the pairs of several axes"}};

// ---- waves ---------------------------------------------------------------------------------------------------

template <>
inline constexpr Schema of<LearnedScale>{
    "learned", "the caller gives the factor",
    std::tuple{Field{"initial", &LearnedScale::initial, finite, "what it starts at"}}};

template <>
std::optional<Broken> whole<Waves, 2>(const Waves& waves);
template <>
inline constexpr Schema of<Waves>{
    "waves", "sines and cosines of coordinates, in rows",
    std::tuple_cat(axis_fields<Waves>,
                   std::tuple{Field{"layout", &Waves::layout, {}, "where sines and cosines stand within a scope"},
                              Field{"scope", &Waves::scope, {}, "what a block of sines or of cosines spans"},
                              Field{"parts", &Waves::parts, {}, "which of the two there are"},
                              Field{"phases", &Waves::phases, finite, "added to every angle, in its unit"},
                              Field{"angle_factor", &Waves::angle_factor, positive,
                                    "of every angle; recipes round it with the angle"},
                              Field{"odd_width", &Waves::odd_width, {}, "one axis: what an odd width d = 2m + 1 gives"},
                              Field{"rest", &Waves::rest, {}, "several axes: columns that no run fills"},
                              Field{"lead", &Waves::lead, {}, "what stands before the waves"},
                              Field{"scale", &Waves::scale, not_zero, "the factor of every entry"},
                              Field{"normalise", &Waves::normalise, {}, "what is done to the whole table"},
                              Field{"absent", &Waves::absent, {}, "the row of an absent position"}})};

// ---- rotary --------------------------------------------------------------------------------------------------

template <>
inline constexpr Schema of<AllColumns>{"all", "every column of a head"};
template <>
inline constexpr Schema of<ColumnShare>{"share", "floor(head share) columns, the product in double",
                                        std::tuple{Field{"share", &ColumnShare::share, a_share, "of a head"}}};
template <>
inline constexpr Schema of<YarnMagnitude>{
    "yarn", "m(gain) / m(gain_all) if neither is 0, else m(1); m(c) = 1 + 0.1 c ln(factor), 1 for a factor <= 1",
    std::tuple{factor_field<YarnMagnitude>, Field{"gain", &YarnMagnitude::gain, finite, "mscale"},
               Field{"gain_all", &YarnMagnitude::gain_all, finite, "mscale_all_dim"}}};
template <>
inline constexpr Schema of<LongRopeMagnitude>{
    "longrope", "sqrt(1 + ln(factor) / ln(length)), 1 for a factor <= 1",
    std::tuple{factor_field<LongRopeMagnitude>, length_field<LongRopeMagnitude>}};
template <>
inline constexpr Schema of<PairDecay>{
    "xpos",
    "pair k of a query times z_k^((p - centre) / period), of a key its inverse; z_k = (2k / r + floor) / (1 + floor)",
    std::tuple{Field{"floor", &PairDecay::floor, positive, "0.4 in xPos"},
               Field{"period", &PairDecay::period, positive, "positions; 512 in xPos"}}};

inline constexpr Field pairing_field{"pairing", &Rotary::pairing, {}, "which columns a pair reads"};

template <>
std::optional<Broken> whole<Rotary, 2>(const Rotary& rotary);
template <>
inline constexpr Schema of<Rotary>{
    "rotary", "pairs of columns of queries and keys, turned by angles",
    std::tuple_cat(
        axis_fields<Rotary>,
        std::tuple{pairing_field, Field{"pairing_scope", &Rotary::pairing_scope, {}, "within what halves are split"},
                   Field{"written", &Rotary::written, {}, "where the results stand"},
                   Field{"angles", &Rotary::angles, {}, "whether a pair has one angle"},
                   Field{"turn", &Rotary::turn, {}, "which way pairs turn"},
                   Field{"odd_width", &Rotary::odd_width, {}, "an odd number of rotated columns"},
                   Field{"part", &Rotary::part, some_columns, "how many columns of a head turn"},
                   Field{"where", &Rotary::where, {}, "which end of the head they are"},
                   Field{"magnitude", &Rotary::magnitude, positive, "of cosines and of sines"},
                   Field{"decay", &Rotary::decay, {}, "a factor by position and pair"},
                   Field{"stored", &Rotary::stored, {}, "how the original writes cosines and sines"}})};

// ---- slopes --------------------------------------------------------------------------------------------------

template <class S>
inline constexpr Field octaves_field{"octaves", &S::octaves, some_octaves, "over which the slopes fall",
                                     "octaves", {},          usual_octaves};

template <>
inline constexpr Schema of<Slopes>{
    "slopes", "a bias of scores, linear in the distance",
    std::tuple{octaves_field<Slopes>, Field{"value", &Slopes::value, {}, "what slope s is multiplied with"},
               Field{"over", &Slopes::over, {}, "which keys are counted; others get 0"},
               Field{"slope_rounding", &Slopes::slope_rounding, {}, "of a slope before its product"},
               Field{"scale", &Slopes::scale, not_zero, "of every bias", "scale", {}, usual_scales},
               Field{"heads_beyond", &Slopes::heads_beyond, {}, "heads beyond a power of two"}}};

// ---- learned -------------------------------------------------------------------------------------------------

template <>
inline constexpr Schema of<IndexRows>{
    "index", "one table of two axes: row first columns + second",
    std::tuple{Field{"columns", &IndexRows::columns, some_columns, "cells of a line"}}};

template <>
inline constexpr Schema of<Bicubic>{"bicubic", "a cubic of the four cells around a place",
                                    std::tuple{Field{"a", &Bicubic::a, finite, "-0.75 or -0.5"}}};
template <>
std::optional<Broken> whole<Resize, 2>(const Resize& resize);
template <>
inline constexpr Schema of<Resize>{
    "resized", "rows of m places from a table of n cells, along each axis apart",
    std::tuple{Field{"filter", &Resize::filter, {}, "which cells a place reads"},
               Field{"antialias", &Resize::antialias, {}, "of a table that shrinks"},
               Field{"align_corners", &Resize::align_corners, {}, "where places are among the cells"},
               Field{"offset", &Resize::offset, not_negative, "added to m"},
               Field{"extra", &Resize::extra, any_columns, "rows of no cell, which are kept"},
               Field{"extra_at", &Resize::extra_at, {}, "which end of the table they are"},
               Field{"past_edge", &Resize::past_edge, {}, "a place that a rounding puts past the last cell"},
               Field{"arithmetic", &Resize::arithmetic, {}, "of places, weights and the sums of a stretched filter"}}};

template <>
std::optional<Broken> whole<Learned, 2>(const Learned& learned);
template <>
inline constexpr Schema of<Learned>{
    "learned", "which row of a stored table a position takes",
    std::tuple{Field{"axes", &Learned::axes, axis_name, "in the order in which coordinates are passed", "axes", "axis"},
               Field{"rows", &Learned::rows, some_columns, "of the table, or of the table of each axis"},
               Field{"offset", &Learned::offset, any_columns, "row = position + offset"},
               Field{"past_end", &Learned::past_end, {}, "rows beyond the last one"},
               Field{"combine", &Learned::combine, {}, "several axes: how their rows make one"},
               Field{"scale", &Learned::scale, not_zero, "the factor of every entry"},
               Field{"resize", &Learned::resize, {}, "how a table is made for an image of other extents"},
               Field{"absent", &Learned::absent, {}, "the row of an absent position"}}};

}  // namespace posenc::schema
