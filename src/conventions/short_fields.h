// SPDX-License-Identifier: Apache-2.0
// The fields of the short forms: what version 1 of the JSON states.
#pragma once

#include "src/conventions/family_fields.h"

namespace posenc::schema {

template <>
inline constexpr Words words<AxisOrder>{"no order", Word{AxisOrder::column_first, "column_first", "[x part | y part]"},
                                        Word{AxisOrder::row_first, "row_first", "[y part | x part]"}};

template <class S>
inline constexpr Field ladder_field{"ladder", &S::ladder, {}, "the frequencies", ""};
template <class S>
inline constexpr Field layout_field{"layout", &S::layout, {}, "where sines and cosines stand"};

template <>
inline constexpr Schema of<Sinusoid, 1>{
    "sinusoid", "one axis of positions",
    std::tuple{ladder_field<Sinusoid>, layout_field<Sinusoid>,
               Field{"odd_width", &Sinusoid::odd_width, {}, "what an odd width d = 2m + 1 gives", "odd width"}}};
template <>
inline constexpr Schema of<Grid, 1>{
    "grid", "two axes of positions: half of the width each",
    std::tuple{ladder_field<Grid>, layout_field<Grid>,
               Field{"axis_order", &Grid::axis_order, {}, "which coordinate comes first", "axis order"}}};
template <>
std::optional<Broken> whole<Timestep, 1>(const Timestep& step);
template <>
inline constexpr Schema of<Timestep, 1>{
    "timestep", "steps of a diffusion process",
    std::tuple{Field{"max_period", &Timestep::max_period, positive, "longest over shortest timescale"},
               Field{"shift", &Timestep::shift, a_shift, "e_k = k / (n - shift)"},
               Field{"scale", &Timestep::scale, positive, "of every angle"}, layout_field<Timestep>}};
template <>
inline constexpr Schema of<PlainRotary, 1>{
    "rotary", "pairs of columns that are turned",
    std::tuple{ladder_field<PlainRotary>, Field{"pairing", &PlainRotary::pairing, {}, "which columns a pair reads"}}};
template <>
inline constexpr Schema of<Bias, 1>{"bias", "scores that fall with the distance", std::tuple{octaves_field<Bias>}};

}  // namespace posenc::schema
