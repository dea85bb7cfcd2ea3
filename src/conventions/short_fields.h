// SPDX-License-Identifier: Apache-2.0
// The fields of the short forms: what version 1 of the JSON states.
#pragma once

#include "src/conventions/family_fields.h"

namespace posenc::schema {

template <>
struct Words<AxisOrder> {
  static constexpr std::string_view none = "no order";
  static constexpr std::array all = {Word{AxisOrder::column_first, "column_first", "[x part | y part]"},
                                     Word{AxisOrder::row_first, "row_first", "[y part | x part]"}};
};

template <class S>
inline constexpr Field ladder_field{"ladder", &S::ladder, {}, "the frequencies", ""};
template <class S>
inline constexpr Field layout_field{"layout", &S::layout, {}, "where sines and cosines stand"};

template <>
struct Schema<Sinusoid, 1> {
  static constexpr std::string_view name = "sinusoid", doc = "one axis of positions";
  static constexpr std::tuple fields = {
      ladder_field<Sinusoid>, layout_field<Sinusoid>,
      Field{"odd_width", &Sinusoid::odd_width, {}, "what an odd width d = 2m + 1 gives", "odd width"}};
};
template <>
struct Schema<Grid, 1> {
  static constexpr std::string_view name = "grid", doc = "two axes of positions: half of the width each";
  static constexpr std::tuple fields = {
      ladder_field<Grid>, layout_field<Grid>,
      Field{"axis_order", &Grid::axis_order, {}, "which coordinate comes first", "axis order"}};
};
template <>
struct Schema<Timestep, 1> {
  static constexpr std::string_view name = "timestep", doc = "steps of a diffusion process";
  static constexpr std::tuple fields = {
      Field{"max_period", &Timestep::max_period, positive, "longest over shortest timescale"},
      Field{"shift", &Timestep::shift, a_shift, "e_k = k / (n - shift)"},
      Field{"scale", &Timestep::scale, positive, "of every angle"}, layout_field<Timestep>};
  static std::optional<Broken> whole(const Timestep& step);
};
template <>
struct Schema<PlainRotary, 1> {
  static constexpr std::string_view name = "rotary", doc = "pairs of columns that are turned";
  static constexpr std::tuple fields = {ladder_field<PlainRotary>,
                                        Field{"pairing", &PlainRotary::pairing, {}, "which columns a pair reads"}};
};
template <>
struct Schema<Bias, 1> {
  static constexpr std::string_view name = "bias", doc = "scores that fall with the distance";
  static constexpr std::tuple fields = {octaves_field<Bias>};
};

}  // namespace posenc::schema
