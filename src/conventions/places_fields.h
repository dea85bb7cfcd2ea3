// SPDX-License-Identifier: Apache-2.0
// The fields of PlaceNumbering, and their words.
#pragma once

#include <posenc/places.h>

#include "src/conventions/rules.h"

namespace posenc::schema {

template <>
inline constexpr Words words<Divisor>{"no divisor",
                                      Word{Divisor::one, "one", "nothing"},
                                      Word{Divisor::count, "count", "the places of the axis"},
                                      Word{Divisor::gaps, "gaps", "one less than they are"},
                                      Word{Divisor::last, "last", "the number of the last place"},
                                      Word{Divisor::longest, "longest", "the places of the longest axis"},
                                      Word{Divisor::shortest, "shortest", "the places of the shortest axis"}};
template <>
inline constexpr Words words<FirstPlace>{"no first place", Word{FirstPlace::minus_half, "minus_half", "-ceil(n / 2)"}};
template <>
inline constexpr Words words<WholePlaces>{"no rounding", Word{WholePlaces::none, "none", "none"},
                                          Word{WholePlaces::floor, "floor", "down to a whole number"}};
template <>
inline constexpr Schema of<PlaceNumbering>{
    "places", "((i + first) / (divisor + eps)) gain + shift",
    std::tuple{Field{"first", &PlaceNumbering::first, finite, "the number of the first place"},
               Field{"divisor", &PlaceNumbering::divisor, {}, "what a number is divided by"},
               Field{"eps", &PlaceNumbering::eps, finite, "added to the divisor"},
               Field{"gain", &PlaceNumbering::gain, finite, "of the quotient"},
               Field{"shift", &PlaceNumbering::shift, finite, "added at last"},
               Field{"rounding", &PlaceNumbering::rounding, {}, "of a coordinate"}}};

}  // namespace posenc::schema
