// SPDX-License-Identifier: Apache-2.0
// The words and fields of buckets, log coordinates and query scales.
#pragma once

#include <posenc/convention.h>

#include "src/conventions/fields.h"
#include "src/conventions/rules.h"
#include "src/conventions/usual.h"

namespace posenc::schema {

// ---- buckets -------------------------------------------------------------------------------------------------

template <>
inline constexpr Words words<DistanceSign>{"no sign", Word{DistanceSign::key_minus_query, "key_minus_query", "k - q"},
                                           Word{DistanceSign::query_minus_key, "query_minus_key", "q - k"}};
template <>
inline constexpr Words words<DistanceSides>{
    "no sides", Word{DistanceSides::both, "both", "half of the classes for either sign of d"},
    Word{DistanceSides::one, "one", "all of them for d <= 0, and class 0 for d > 0"}};

template <class S>
inline constexpr Field count_field{"count", &S::count, some_classes, "classes", "count", {}, usual_counts};
template <class S>
inline constexpr Field sign_field{"sign", &S::sign, {}, "the distance d of a key at k from a query at q"};

template <>
std::optional<Broken> whole<LogBuckets, 2>(const LogBuckets& log);
template <>
inline constexpr Schema of<LogBuckets>{
    "log",
    "N = count, or floor(count / 2) on both sides, where d > 0 adds N; e = floor(N / 2). m = |d|: m for m < e, else "
    "e + floor((N - e) ln(m / e) / ln(reach / e)), at most N - 1",
    std::tuple{count_field<LogBuckets>,
               Field{"reach",
                     &LogBuckets::reach,
                     some_columns,
                     "positions, from which on the class is N - 1",
                     "reach",
                     {},
                     usual_reaches},
               Field{"sides", &LogBuckets::sides, {}, "of a query"}, sign_field<LogBuckets>}};
template <>
std::optional<Broken> whole<SignedLogBuckets, 2>(const SignedLogBuckets& log);
template <>
inline constexpr Schema of<SignedLogBuckets>{
    "log_signed",
    "e = floor(count / 2); d for |d| <= e, else with the sign of d e + ceil((e - 1) ln(|d| / e) / ln((reach - 1) / "
    "e)), "
    "without an end",
    std::tuple{count_field<SignedLogBuckets>,
               Field{"reach",
                     &SignedLogBuckets::reach,
                     some_columns,
                     "positions: reach - 1 has class 2e - 1",
                     "reach",
                     {},
                     usual_reaches},
               sign_field<SignedLogBuckets>}};
template <>
inline constexpr Schema of<ClipBuckets>{
    "clip", "min(max(d, -left), right) + left",
    std::tuple{Field{"left", &ClipBuckets::left, any_columns, "positions: the least d is -left"},
               Field{"right", &ClipBuckets::right, any_columns, "positions: the greatest d"}, sign_field<ClipBuckets>}};
template <>
inline constexpr Schema of<WindowBuckets>{
    "window", "of cells of a window, query less key: (dy + height - 1) (2 width - 1) + dx + width - 1",
    std::tuple{Field{"extra", &WindowBuckets::extra, zero_or_three,
                     "3: a class token stands before the cells, and has classes as query, as key, as both"}}};

template <>
inline constexpr Schema of<Buckets>{"buckets",
                                    "an integer class for a pair of positions, which is a row of a stored table",
                                    std::tuple{Field{"classes", &Buckets::classes, {}, "of a pair"},
                                               Field{"scale", &Buckets::scale, not_zero, "of what is looked up"}}};

// ---- log coordinates -----------------------------------------------------------------------------------------

template <>
inline constexpr Schema of<PlainLogarithm>{"plain", "sign(x) ln(1 + |x|) of x cells"};
template <>
std::optional<Broken> whole<NormalisedLogarithm, 2>(const NormalisedLogarithm& normalised);
template <>
inline constexpr Schema of<NormalisedLogarithm>{
    "normalised", "sign(u) log2(1 + |u|) / log2(gain), u = gain x / (side - 1) of x cells",
    std::tuple{Field{"gain", &NormalisedLogarithm::gain, above_one, "8 in Swin V2"},
               Field{"pretrained",
                     &NormalisedLogarithm::pretrained,
                     some_cells,
                     "height and width of the window that gives `side`; none: the window itself",
                     "pretrained",
                     {},
                     usual_windows}}};
template <>
inline constexpr Schema of<LogCoordinates>{
    "log_coordinates", "relative coordinates of cells under a logarithm",
    std::tuple{Field{"coordinates", &LogCoordinates::coordinates, {}, "of a pair of cells, along each axis"}}};

// ---- query scale ---------------------------------------------------------------------------------------------

inline constexpr std::string_view end_of_ones = "p + origin, beyond which the factor is not 1";

template <class S>
inline constexpr Field gain_field{"gain", &S::gain, finite, "0.1 in Llama 4 and Inkling", "gain", {}, usual_gains};
template <class S>
inline constexpr Field origin_field{"origin", &S::origin, finite,       "what is added to a position",
                                    "origin", {},         usual_origins};

template <>
inline constexpr Schema of<LogSteps>{
    "log_steps", "1 + gain ln(1 + floor((p + origin) / every))",
    std::tuple{gain_field<LogSteps>,
               Field{"every", &LogSteps::every, positive, "positions of a step", "every", {}, usual_steps},
               origin_field<LogSteps>}};
template <>
inline constexpr Schema of<LogRatio>{
    "log_ratio", "ln(p + origin) / ln(every), and 1 for p + origin <= every",
    std::tuple{Field{"every", &LogRatio::every, above_one, end_of_ones, "every", {}, usual_steps},
               origin_field<LogRatio>}};
template <>
inline constexpr Schema of<LogClamp>{
    "log_clamp", "1 + gain ln(max((p + origin) / every, 1))",
    std::tuple{gain_field<LogClamp>, Field{"every", &LogClamp::every, positive, end_of_ones, "every", {}, usual_steps},
               origin_field<LogClamp>}};
template <>
inline constexpr Schema of<QueryScale>{
    "query_scale", "a factor of a query by its position",
    std::tuple{Field{"factor", &QueryScale::factor, {}, "of the query at position p"}}};

}  // namespace posenc::schema
