// SPDX-License-Identifier: Apache-2.0
// The fields of ladders.
#pragma once

#include "src/conventions/rules.h"

namespace posenc::schema {

template <>
struct Words<AngleUnit> {
  static constexpr std::string_view none = "no unit";
  static constexpr std::array all = {Word{AngleUnit::radians, "radians", "w_k counts radians per position"},
                                     Word{AngleUnit::quarter_turns, "quarter_turns", "pi / 2 radians"},
                                     Word{AngleUnit::half_turns, "half_turns", "pi radians"},
                                     Word{AngleUnit::turns, "turns", "2 pi radians"}};
};

template <>
struct Words<LadderSlope> {
  static constexpr std::string_view none = "no slope";
  static constexpr std::array all = {Word{LadderSlope::falling, "falling", "w_k = first base^(-e_k)"},
                                     Word{LadderSlope::rising, "rising", "w_k = first base^(+e_k)"}};
};

template <>
struct Words<Spacing::Over> {
  using Over = Spacing::Over;
  static constexpr std::string_view none = "nothing";
  static constexpr std::array all = {
      Word{Over::width, "width", "D = d / 2, a real: 3.5 for d = 7"}, Word{Over::pairs, "pairs", "D = n"},
      Word{Over::one, "one", "D = 1"},
      Word{Over::columns, "columns", "D = d / 2 with k counting columns, so that sine and cosine differ"},
      Word{Over::stated, "stated", "half of `width`"}};
};

/// The spacings of version 1, which are words there.
template <>
struct Words<Spacing> {
  static constexpr std::string_view none = "no spacing";
  static constexpr std::array all = {
      Word{Spacing::over_width, "over_width", "e_k = 2k / d: the longest timescale is not reached"},
      Word{Spacing::over_gaps, "over_gaps", "e_k = k / (n - 1): it is reached; n = 1 is an error"},
      Word{Spacing::over_gaps_or_one, "over_gaps_or_one",
           "e_k = k / max(n - 1, 1): it is reached; n = 1 gives w_0 = first"}};
};

template <>
struct Words<Truncate> {
  static constexpr std::string_view none = "no truncation";
  static constexpr std::array all = {Word{Truncate::whole, "whole", "low is rounded down, high up"},
                                     Word{Truncate::none, "none", "both are kept as they are"}};
};

template <>
struct Schema<Spacing> {
  static constexpr std::string_view name = "spacing",
                                    doc = "e_k = k / max(D - shift, least), n the number of frequencies, d the width";
  static constexpr std::tuple fields = {
      Field{"over", &Spacing::over, {}, "D"},
      Field{"width", &Spacing::width, any_columns, "columns, with `stated`; else 0"},
      Field{"shift", &Spacing::shift, a_shift, "0: the paper's; 1: the end point is reached"},
      Field{"least", &Spacing::least, zero_or_one, "0: D - shift <= 0 is an error"}};
  static std::optional<Broken> whole(const Spacing& spacing);
};

// ---- scaling ---------------------------------------------------------------------------------------------------

template <>
struct Schema<None> {
  static constexpr std::string_view name = "none", doc = "there is none";
  static constexpr std::tuple fields = {};
};

template <class S>
inline constexpr Field factor_field{"factor", &S::factor, positive, "by how much contexts are longer"};
template <class S>
inline constexpr Field length_field{"length", &S::length, at_least_1, "positions that the model was first trained on"};

template <>
struct Schema<LinearScaling> {
  static constexpr std::string_view name = "linear", doc = "w_k / factor";
  static constexpr std::tuple fields = {factor_field<LinearScaling>};
};
template <>
struct Schema<BaseScaling> {
  static constexpr std::string_view name = "base", doc = "the base is factor base";
  static constexpr std::tuple fields = {factor_field<BaseScaling>};
};
template <>
struct Schema<NtkScaling> {
  static constexpr std::string_view name = "ntk", doc = "the base is base factor^(r / (r - 2)), r columns rotated";
  static constexpr std::tuple fields = {factor_field<NtkScaling>};
};
template <>
struct Schema<DynamicNtkScaling> {
  static constexpr std::string_view name = "dynamic_ntk",
                                    doc =
                                        "the base is base (factor L' / length - (factor - 1))^(r / (r - 2)), L' the "
                                        "greater of the call's length and `length`";
  static constexpr std::tuple fields = {factor_field<DynamicNtkScaling>, length_field<DynamicNtkScaling>};
};
template <>
struct Schema<YarnScaling> {
  static constexpr std::string_view name = "yarn",
                                    doc =
                                        "w_k / factor ramp_k + w_k (1 - ramp_k), ramp_k = clip((k - low) / (high - "
                                        "low), 0, 1); low, high = r ln(length / (2 pi t)) / (2 ln base), t = fast, "
                                        "slow, clamped to 0 and r - 1; where equal, high is 0.001 more";
  static constexpr std::tuple fields = {
      factor_field<YarnScaling>, length_field<YarnScaling>,
      Field{"fast", &YarnScaling::fast, positive, "turns in `length`, above which w_k is kept"},
      Field{"slow", &YarnScaling::slow, positive, "turns, below which it is divided"},
      Field{"truncate", &YarnScaling::truncate, {}, "low and high"}};
};
template <>
struct Schema<LongRopeScaling> {
  static constexpr std::string_view name = "longrope",
                                    doc =
                                        "w_k / short_factors_k, or / long_factors_k where the call's length exceeds "
                                        "`length`";
  static constexpr std::tuple fields = {
      Field{"short_factors", &LongRopeScaling::short_factors, positive, "one for each frequency"},
      Field{"long_factors", &LongRopeScaling::long_factors, positive, "one for each frequency"},
      length_field<LongRopeScaling>};
  static std::optional<Broken> whole(const LongRopeScaling& scaling);
};
template <>
struct Schema<Llama3Scaling> {
  static constexpr std::string_view name = "llama3",
                                    doc =
                                        "with u = length w_k / (2 pi): w_k for u > high, w_k / factor for u < low, "
                                        "else (1 - t) w_k / factor + t w_k, t = (u - low) / (high - low)";
  static constexpr std::tuple fields = {
      factor_field<Llama3Scaling>, Field{"low", &Llama3Scaling::low, positive, "turns"},
      Field{"high", &Llama3Scaling::high, positive, "turns"}, length_field<Llama3Scaling>};
  static std::optional<Broken> whole(const Llama3Scaling& scaling);
};
template <>
struct Schema<ProportionalScaling> {
  static constexpr std::string_view name = "proportional",
                                    doc = "w_k / factor for k < floor(part r / 2); further pairs turn by 0";
  static constexpr std::tuple fields = {factor_field<ProportionalScaling>,
                                        Field{"part", &ProportionalScaling::part, a_share, "of the pairs"}};
};

// ---- ladders ---------------------------------------------------------------------------------------------------

inline constexpr Field base_field{"base", &Geometric::base, positive, "longest over shortest timescale"};
inline constexpr Field first_field{"first", &Geometric::first, positive, "w_0, in `unit` per position"};
inline constexpr Field spacing_field{"spacing", &Geometric::spacing, {}, "e_k"};
template <class S>
inline constexpr Field unit_field{"unit", &S::unit, {}, "of w_k"};

template <>
struct Schema<Geometric> {
  static constexpr std::string_view name = "geometric", doc = "w_k = first base^(-e_k), or base^(+e_k)";
  static constexpr std::tuple fields = {
      unit_field<Geometric>, base_field,
      first_field,           Field{"slope", &Geometric::slope, {}, "which way w_k goes"},
      spacing_field,         Field{"scaling", &Geometric::scaling, {}, "what is done to long contexts"}};
};
template <>
struct Schema<Geometric, 1> {
  static constexpr std::string_view name = "geometric", doc = Schema<Geometric>::doc;
  static constexpr std::tuple fields = {base_field, first_field, spacing_field};
  static Geometric plain() { return {0, 0, Spacing{}}; }
};

inline constexpr std::string_view list_doc = "used to the bit; as many as the width asks for";
template <>
struct Schema<Listed> {
  static constexpr std::string_view name = "listed", doc = "the caller's own w_k";
  static constexpr std::tuple fields = {unit_field<Listed>,
                                        Field{"frequencies", &Listed::frequencies, finite, list_doc}};
};
template <>
struct Schema<Listed, 1> {
  static constexpr std::string_view name = "listed", doc = Schema<Listed>::doc;
  static constexpr std::tuple fields = {
      Field{"frequencies", &Listed::frequencies, not_negative, list_doc, "listed frequencies"}};
  static Listed plain() { return {}; }
};

template <>
struct Schema<LinearLadder> {
  static constexpr std::string_view name = "linear", doc = "n values from `from` to `to`, both included";
  static constexpr std::tuple fields = {unit_field<LinearLadder>, Field{"from", &LinearLadder::from, finite, "w_0"},
                                        Field{"to", &LinearLadder::to, finite, "w_(n - 1)"}};
};
template <>
struct Schema<RunawayLadder> {
  static constexpr std::string_view name = "runaway",
                                    doc = "w_k = -r e^k, r = ln base / (D - shift): old Paddle checkpoints";
  static constexpr std::tuple fields = {
      unit_field<RunawayLadder>, Field{"base", &RunawayLadder::base, positive, "longest over shortest timescale meant"},
      Field{"spacing", &RunawayLadder::spacing, {}, "D - shift"}};
};

}  // namespace posenc::schema
