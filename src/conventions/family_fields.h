// SPDX-License-Identifier: Apache-2.0
// The words and fields of waves, rotations and slopes.
#pragma once

#include <posenc/convention.h>

#include "src/conventions/family_words.h"
#include "src/conventions/ladder_fields.h"

namespace posenc::schema {

// ---- what several axes share ---------------------------------------------------------------------------------

template <>
struct Schema<Equal> {
  static constexpr std::string_view name = "equal", doc = "width / (2 axes) pairs each, else an error";
  static constexpr std::tuple fields = {};
};
template <>
struct Schema<EqualUp> {
  static constexpr std::string_view name = "equal_up", doc = "the same, rounded up";
  static constexpr std::tuple fields = {};
};
template <>
struct Schema<Shares> {
  static constexpr std::string_view name = "shares",
                                    doc = "floor(width share / of) / 2 pairs each; what is left goes to an axis";
  static constexpr std::tuple fields = {
      Field<Shares, std::vector<std::int64_t>>{"shares", &Shares::shares, any_columns, "one for each axis"},
      Field<Shares, std::int64_t>{"of", &Shares::of, some_columns, "what a share is part of"},
      Field<Shares, std::string>{"rest", &Shares::rest, axis_name, "the axis of the pairs that are left"}};
};
template <>
struct Schema<Stretch> {
  static constexpr std::string_view name = "stretch", doc = "pairs of the ladder that go round some axes";
  static constexpr std::tuple fields = {
      Field<Stretch, std::vector<std::string>>{"axes", &Stretch::axes, axis_name, "`none` has angle 0"},
      Field<Stretch, std::int64_t>{"pairs", &Stretch::pairs, some_columns, "of the ladder, in its order"}};
};

template <class S>
inline constexpr std::tuple axis_fields = {
    Field<S, std::vector<std::string>>{"axes", &S::axes, axis_name, "in the order in which coordinates are passed",
                                       "axes", "axis"},
    Field<S, std::vector<Ladder>>{"ladders", &S::ladders, {}, "one, or one for each axis", "ladders", "ladder"},
    Field<S, Rungs>{"rungs", &S::rungs, {}, "how axes share the columns"},
    Field<S, Sections>{"sections", &S::sections, any_columns, "pairs of each axis, where each has its own"},
    Field<S, std::vector<Stretch>>{"deal", &S::deal, {}, "how one ladder's pairs are handed out"},
    Field<S, PairOrder>{"order", &S::order, {}, "of the pairs of several axes"}};

// ---- waves ---------------------------------------------------------------------------------------------------

template <>
struct Schema<LearnedScale> {
  static constexpr std::string_view name = "learned", doc = "the caller gives the factor";
  static constexpr std::tuple fields = {
      Field<LearnedScale, double>{"initial", &LearnedScale::initial, finite, "what it starts at"}};
};

template <>
struct Schema<Waves> {
  static constexpr std::string_view name = "waves", doc = "sines and cosines of coordinates, in rows";
  static constexpr std::tuple fields = std::tuple_cat(
      axis_fields<Waves>,
      std::tuple{
          Field<Waves, Layout>{"layout", &Waves::layout, {}, "where sines and cosines stand within a scope"},
          Field<Waves, Scope>{"scope", &Waves::scope, {}, "what a block of sines or of cosines spans"},
          Field<Waves, WaveParts>{"parts", &Waves::parts, {}, "which of the two there are"},
          Field<Waves, Phases>{"phases", &Waves::phases, finite, "added to every angle, in its unit"},
          Field<Waves, double>{"angle_factor", &Waves::angle_factor, positive,
                               "of every angle; recipes round it with the angle"},
          Field<Waves, OddWidth>{"odd_width", &Waves::odd_width, {}, "one axis: what an odd width d = 2m + 1 gives"},
          Field<Waves, RestColumns>{"rest", &Waves::rest, {}, "several axes: columns that no run fills"},
          Field<Waves, Lead>{"lead", &Waves::lead, {}, "what stands before the waves"},
          Field<Waves, OutputScale>{"scale", &Waves::scale, not_zero, "the factor of every entry"},
          Field<Waves, Normalise>{"normalise", &Waves::normalise, {}, "what is done to the whole table"},
          Field<Waves, Absent>{"absent", &Waves::absent, {}, "the row of an absent position"}});
  static std::optional<Broken> whole(const Waves& waves);
};

// ---- rotary --------------------------------------------------------------------------------------------------

template <>
struct Schema<All> {
  static constexpr std::string_view name = "all", doc = "every column of a head";
  static constexpr std::tuple fields = {};
};
template <>
struct Schema<Share> {
  static constexpr std::string_view name = "share", doc = "floor(head share) columns, the product in double";
  static constexpr std::tuple fields = {Field<Share, double>{"share", &Share::share, a_share, "of a head"}};
};
template <>
struct Schema<YarnMagnitude> {
  static constexpr std::string_view name = "yarn",
                                    doc =
                                        "m(gain) / m(gain_all) if neither is 0, else m(1); m(c) = 1 + 0.1 c "
                                        "ln(factor), 1 for a factor <= 1";
  static constexpr std::tuple fields = {
      factor_field<YarnMagnitude>, Field<YarnMagnitude, double>{"gain", &YarnMagnitude::gain, finite, "mscale"},
      Field<YarnMagnitude, double>{"gain_all", &YarnMagnitude::gain_all, finite, "mscale_all_dim"}};
};
template <>
struct Schema<LongRopeMagnitude> {
  static constexpr std::string_view name = "longrope", doc = "sqrt(1 + ln(factor) / ln(length)), 1 for a factor <= 1";
  static constexpr std::tuple fields = {factor_field<LongRopeMagnitude>, length_field<LongRopeMagnitude>};
};
template <>
struct Schema<PairDecay> {
  static constexpr std::string_view name = "xpos",
                                    doc =
                                        "pair k of a query times z_k^((p - centre) / period), of a key its inverse; "
                                        "z_k = (2k / r + floor) / (1 + floor)";
  static constexpr std::tuple fields = {
      Field<PairDecay, double>{"floor", &PairDecay::floor, positive, "0.4 in xPos"},
      Field<PairDecay, double>{"period", &PairDecay::period, positive, "positions; 512 in xPos"}};
};

inline constexpr Field<Rotary, Pairing> pairing_field = {"pairing", &Rotary::pairing, {}, "which columns a pair reads"};

template <>
struct Schema<Rotary> {
  static constexpr std::string_view name = "rotary", doc = "pairs of columns of queries and keys, turned by angles";
  static constexpr std::tuple fields = std::tuple_cat(
      axis_fields<Rotary>,
      std::tuple{
          pairing_field,
          Field<Rotary, PairingScope>{"pairing_scope", &Rotary::pairing_scope, {}, "within what halves are split"},
          Field<Rotary, Written>{"written", &Rotary::written, {}, "where the results stand"},
          Field<Rotary, AnglesBy>{"angles", &Rotary::angles, {}, "whether a pair has one angle"},
          Field<Rotary, TurnTo>{"turn", &Rotary::turn, {}, "which way pairs turn"},
          Field<Rotary, OddRotated>{"odd_width", &Rotary::odd_width, {}, "an odd number of rotated columns"},
          Field<Rotary, RotatedPart>{"part", &Rotary::part, some_columns, "how many columns of a head turn"},
          Field<Rotary, HeadEnd>{"where", &Rotary::where, {}, "which end of the head they are"},
          Field<Rotary, Magnitude>{"magnitude", &Rotary::magnitude, positive, "of cosines and of sines"},
          Field<Rotary, Decay>{"decay", &Rotary::decay, {}, "a factor by position and pair"},
          Field<Rotary, StoredAs>{"stored", &Rotary::stored, {}, "how the original writes cosines and sines"}});
  static std::optional<Broken> whole(const Rotary& rotary);
};

// ---- slopes --------------------------------------------------------------------------------------------------

template <class S>
inline constexpr Field<S, double> octaves_field = {"octaves", &S::octaves, some_octaves, "over which the slopes fall"};

template <>
struct Schema<Slopes> {
  static constexpr std::string_view name = "slopes", doc = "a bias of scores, linear in the distance";
  static constexpr std::tuple fields = {
      octaves_field<Slopes>,
      Field<Slopes, BiasValue>{"value", &Slopes::value, {}, "what slope s is multiplied with"},
      Field<Slopes, KeysCounted>{"over", &Slopes::over, {}, "which keys are counted; others get 0"},
      Field<Slopes, SlopeRounding>{"slope_rounding", &Slopes::slope_rounding, {}, "of a slope before its product"},
      Field<Slopes, BiasScale>{"scale", &Slopes::scale, not_zero, "of every bias"},
      Field<Slopes, HeadsBeyond>{"heads_beyond", &Slopes::heads_beyond, {}, "heads beyond a power of two"}};
};

}  // namespace posenc::schema
