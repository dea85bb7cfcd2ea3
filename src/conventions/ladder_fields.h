// SPDX-License-Identifier: Apache-2.0
// The fields of ladders.
#pragma once

#include "src/conventions/rules.h"
#include "src/conventions/usual.h"

namespace posenc::schema {

template <>
inline constexpr Words words<AngleUnit>{
    "no unit", Word{AngleUnit::radians, "radians", "w_k counts radians per position"},
    Word{AngleUnit::quarter_turns, "quarter_turns", "pi / 2 radians"},
    Word{AngleUnit::half_turns, "half_turns", "pi radians"}, Word{AngleUnit::turns, "turns", "2 pi radians"}};

template <>
inline constexpr Words words<LadderSlope>{"no slope", Word{LadderSlope::falling, "falling", "w_k = first base^(-e_k)"},
                                          Word{LadderSlope::rising, "rising", "w_k = first base^(+e_k)"}};

template <>
inline constexpr Words words<Spacing::Over>{
    "nothing",
    Word{Spacing::Over::width, "width", "D = d / 2, a real: 3.5 for d = 7"},
    Word{Spacing::Over::pairs, "pairs", "D = n"},
    Word{Spacing::Over::one, "one", "D = 1"},
    Word{Spacing::Over::columns, "columns", "D = d / 2 with k counting columns, so that sine and cosine differ"},
    Word{Spacing::Over::stated, "stated", "half of `width`"}};

/// The spacings of version 1, which are words there.
template <>
inline constexpr Words words<Spacing>{
    "no spacing", Word{Spacing::over_width, "over_width", "e_k = 2k / d: the longest timescale is not reached"},
    Word{Spacing::over_gaps, "over_gaps", "e_k = k / (n - 1): it is reached; n = 1 is an error"},
    Word{Spacing::over_gaps_or_one, "over_gaps_or_one",
         "e_k = k / max(n - 1, 1): it is reached; n = 1 gives w_0 = first"}};

template <>
inline constexpr Words words<Truncate>{"no truncation", Word{Truncate::whole, "whole", "low is rounded down, high up"},
                                       Word{Truncate::none, "none", "both are kept as they are"}};

template <>
std::optional<Broken> whole<Spacing, 2>(const Spacing& spacing);
template <>
inline constexpr Schema of<Spacing>{
    "spacing", "e_k = k / max(D - shift, least), n the number of frequencies, d the width",
    std::tuple{Field{"over", &Spacing::over, {}, "D"},
               Field{"width", &Spacing::width, any_columns, "columns, with `stated`; else 0"},
               Field{"shift", &Spacing::shift, a_shift, "0: the paper's; 1: the end point is reached"},
               Field{"least", &Spacing::least, zero_or_one, "0: D - shift <= 0 is an error"}}};

// ---- scaling ---------------------------------------------------------------------------------------------------

template <>
inline constexpr Schema of<Nothing>{"none", "there is none"};

template <class S>
inline constexpr Field factor_field{"factor", &S::factor, positive,     "by how much contexts are longer",
                                    "factor", {},         usual_factors};
template <class S>
inline constexpr Field length_field{"length", &S::length, at_least_1,   "positions that the model was first trained on",
                                    "length", {},         usual_lengths};

template <>
inline constexpr Schema of<LinearScaling>{"linear", "w_k / factor", std::tuple{factor_field<LinearScaling>}};
template <>
inline constexpr Schema of<BaseScaling>{"base", "the base is factor base", std::tuple{factor_field<BaseScaling>}};
template <>
inline constexpr Schema of<NtkScaling>{"ntk", "the base is base factor^(r / (r - 2)), r columns rotated",
                                       std::tuple{factor_field<NtkScaling>}};
template <>
inline constexpr Schema of<DynamicNtkScaling>{
    "dynamic_ntk",
    "the base is base (factor L' / length - (factor - 1))^(r / (r - 2)), L' the greater of the call's length and "
    "`length`",
    std::tuple{factor_field<DynamicNtkScaling>, length_field<DynamicNtkScaling>}};
template <>
std::optional<Broken> whole<YarnScaling, 2>(const YarnScaling& scaling);
template <>
inline constexpr Schema of<YarnScaling>{
    "yarn",
    "w_k / factor ramp_k + w_k (1 - ramp_k), ramp_k = clip((k - low) / (high - low), 0, 1); low, high = r ln(length / "
    "(2 pi t)) / (2 ln base), t = fast, slow, clamped to 0 and r - 1; where equal, high is 0.001 more",
    std::tuple{factor_field<YarnScaling>, length_field<YarnScaling>,
               Field{"fast", &YarnScaling::fast, positive, "turns in `length`, above which w_k is kept"},
               Field{"slow", &YarnScaling::slow, positive, "turns, below which it is divided"},
               Field{"truncate", &YarnScaling::truncate, {}, "low and high"}}};
template <>
std::optional<Broken> whole<LongRopeScaling, 2>(const LongRopeScaling& scaling);
template <>
inline constexpr Schema of<LongRopeScaling>{
    "longrope", "w_k / short_factors_k, or / long_factors_k where the call's length exceeds `length`",
    std::tuple{Field{"short_factors", &LongRopeScaling::short_factors, positive, "one for each frequency"},
               Field{"long_factors", &LongRopeScaling::long_factors, positive, "one for each frequency"},
               length_field<LongRopeScaling>}};
template <>
std::optional<Broken> whole<Llama3Scaling, 2>(const Llama3Scaling& scaling);
template <>
inline constexpr Schema of<Llama3Scaling>{
    "llama3",
    "with u = length w_k / (2 pi): w_k for u > high, w_k / factor for u < low, else (1 - t) w_k / factor + t w_k, t = "
    "(u - low) / (high - low)",
    std::tuple{factor_field<Llama3Scaling>, Field{"low", &Llama3Scaling::low, positive, "turns"},
               Field{"high", &Llama3Scaling::high, positive, "turns"}, length_field<Llama3Scaling>}};
template <>
inline constexpr Schema of<ProportionalScaling>{
    "proportional", "w_k / factor for k < floor(part r / 2); further pairs turn by 0",
    std::tuple{factor_field<ProportionalScaling>, Field{"part", &ProportionalScaling::part, a_share, "of the pairs"}}};
template <>
inline constexpr Schema of<ClippedScaling>{
    "clipped",
    "w_k h_k for the last c = min(pairs, n) of n pairs, h_k = (1 + cos(pi j / (c - 1))) / 2, j = k - (n - c); c = 1 "
    "changes nothing",
    std::tuple{Field{"pairs",
                     &ClippedScaling::pairs,
                     at_least_1,
                     "the last ones; two or more end with one that stands still",
                     "pairs",
                     {},
                     usual_pairs}}};

// ---- ladders ---------------------------------------------------------------------------------------------------

inline constexpr Field base_field{"base", &Geometric::base, positive, "longest over shortest timescale", "base",
                                  {},     usual_bases};
inline constexpr Field first_field{"first", &Geometric::first, positive, "w_0, in `unit` per position"};
inline constexpr Field spacing_field{"spacing", &Geometric::spacing, {}, "e_k"};
template <class S>
inline constexpr Field unit_field{"unit", &S::unit, {}, "of w_k"};

template <>
inline constexpr Schema of<Geometric>{
    "geometric", "w_k = first base^(-e_k), or base^(+e_k)",
    std::tuple{unit_field<Geometric>, base_field, first_field,
               Field{"slope", &Geometric::slope, {}, "which way w_k goes"}, spacing_field,
               Field{"scaling", &Geometric::scaling, {}, "what is done to long contexts"}}};
template <>
inline constexpr Schema of<Geometric, 1>{"geometric", of<Geometric>.doc,
                                         std::tuple{base_field, first_field, spacing_field}};

template <>
inline Geometric unread<Geometric, 1>() {
  return {0, 0, Spacing{}};
}

inline constexpr std::string_view list_doc = "used to the bit; as many as the width asks for";
template <>
inline constexpr Schema of<Listed>{
    "listed", "the caller's own w_k",
    std::tuple{unit_field<Listed>, Field{"frequencies", &Listed::frequencies, finite, list_doc}}};
template <>
inline constexpr Schema of<Listed, 1>{
    "listed", of<Listed>.doc,
    std::tuple{Field{"frequencies", &Listed::frequencies, not_negative, list_doc, "listed frequencies"}}};

template <>
inline constexpr Schema of<LinearLadder>{
    "linear", "n values from `from` to `to`, both included",
    std::tuple{unit_field<LinearLadder>, Field{"from", &LinearLadder::from, finite, "w_0"},
               Field{"to", &LinearLadder::to, finite, "w_(n - 1)"}}};
template <>
inline constexpr Schema of<RunawayLadder>{
    "runaway", "w_k = -r e^k, r = ln base / (D - shift): old Paddle checkpoints",
    std::tuple{unit_field<RunawayLadder>,
               Field{"base", &RunawayLadder::base, positive, "longest over shortest timescale meant"},
               Field{"spacing", &RunawayLadder::spacing, {}, "D - shift"}}};

}  // namespace posenc::schema
