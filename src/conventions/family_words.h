// SPDX-License-Identifier: Apache-2.0
// The words of the enumerations of waves, rotations and slopes.
#pragma once

#include <posenc/convention.h>

#include "src/conventions/fields.h"

namespace posenc::schema {

template <>
struct Words<Rungs> {
  static constexpr std::string_view none = "no rungs";
  static constexpr std::array all = {
      Word{Rungs::own, "own", "every axis has its own run of columns, and a ladder over that run's width"},
      Word{Rungs::dealt, "dealt", "one ladder over the row, its pairs handed out by `deal`"},
      Word{Rungs::summed, "summed", "every pair uses every axis: the angle is the sum of x_a w_a,k"}};
};
template <>
struct Words<PairOrder> {
  static constexpr std::string_view none = "no order";
  static constexpr std::array all = {Word{PairOrder::axis_major, "axis_major", "all pairs of an axis side by side"},
                                     Word{PairOrder::rung_major, "rung_major", "all axes of a rung side by side"}};
};
template <>
struct Words<Layout> {
  static constexpr std::string_view none = "no layout";
  static constexpr std::array all = {Word{Layout::interleaved, "interleaved", "[s0 c0 s1 c1 ..]"},
                                     Word{Layout::sine_first, "sine_first", "[s0 s1 .. | c0 c1 ..]"},
                                     Word{Layout::cosine_first, "cosine_first", "[c0 c1 .. | s0 s1 ..]"}};
};
template <>
struct Words<Scope> {
  static constexpr std::string_view none = "no scope";
  static constexpr std::array all = {Word{Scope::row, "row", "the whole row"},
                                     Word{Scope::run, "run", "one axis's run"},
                                     Word{Scope::period, "period", "one frequency of every axis"}};
};
template <>
struct Words<WaveParts> {
  static constexpr std::string_view none = "no parts";
  static constexpr std::array all = {Word{WaveParts::both, "both", "sines and cosines"},
                                     Word{WaveParts::sine, "sine", "sines alone"},
                                     Word{WaveParts::cosine, "cosine", "cosines alone"}};
};
template <>
struct Words<OddWidth> {
  static constexpr std::string_view none = "no rule";
  static constexpr std::array all = {
      Word{OddWidth::refused, "refused", "an error"},
      Word{OddWidth::zero_column, "zero_column", "m pairs and a last column of zeros"},
      Word{OddWidth::short_row, "short_row", "m pairs: one column less"},
      Word{OddWidth::lone_sine, "lone_sine", "m + 1 sines, m cosines"},
      Word{OddWidth::repeated_cosine, "repeated_cosine", "m pairs and a last column cos(p w_0)", 2},
      Word{OddWidth::zero_row, "zero_row", "m pairs: one column less, and a row of zeros more", 2}};
};
template <>
struct Words<RestColumns> {
  static constexpr std::string_view none = "no rule";
  static constexpr std::array all = {
      Word{RestColumns::refused, "refused", "an error"}, Word{RestColumns::zero_columns, "zero_columns", "zeros"},
      Word{RestColumns::truncated, "truncated", "runs are too wide, and cut at the end of the row"}};
};
template <>
struct Words<Lead> {
  static constexpr std::string_view none = "no lead";
  static constexpr std::array all = {Word{Lead::nothing, "nothing", "the waves begin the row"},
                                     Word{Lead::coordinates, "coordinates", "the raw coordinates"},
                                     Word{Lead::zeros, "zeros", "a zero for each coordinate"}};
};
template <>
struct Words<WidthScale> {
  static constexpr std::string_view none = "no scale";
  static constexpr std::array all = {Word{WidthScale::sqrt_2_over_d, "sqrt_2_over_d", "sqrt(2 / d)"},
                                     Word{WidthScale::one_over_sqrt_d, "one_over_sqrt_d", "1 / sqrt(d)"}};
};
template <>
struct Words<Normalise> {
  static constexpr std::string_view none = "no normalisation";
  static constexpr std::array all = {Word{Normalise::none, "none", "nothing"},
                                     Word{Normalise::tenth_of_deviation, "tenth_of_deviation",
                                          "minus the mean and over 10 standard deviations of the whole table"}};
};
template <>
struct Words<Absent> {
  static constexpr std::string_view none = "no row";
  static constexpr std::array all = {Word{Absent::nothing, "nothing", "no position is absent"},
                                     Word{Absent::zero_row, "zero_row", "zeros"}};
};

// ---- rotary --------------------------------------------------------------------------------------------------

template <>
struct Words<Pairing> {
  static constexpr std::string_view none = "no pairing";
  static constexpr std::array all = {
      Word{Pairing::adjacent, "adjacent", "columns 2k and 2k + 1"},
      Word{Pairing::split_half, "split_half", "columns k and k + r / 2, r columns rotated"}};
};
template <>
struct Words<PairingScope> {
  static constexpr std::string_view none = "no scope";
  static constexpr std::array all = {Word{PairingScope::row, "row", "all rotated columns"},
                                     Word{PairingScope::run, "run", "one axis's run"}};
};
template <>
struct Words<Written> {
  static constexpr std::string_view none = "no place";
  static constexpr std::array all = {Word{Written::in_place, "in_place", "where they were read"},
                                     Word{Written::split_half, "split_half", "columns k and k + r / 2"}};
};
template <>
struct Words<AnglesBy> {
  static constexpr std::string_view none = "no angles";
  static constexpr std::array all = {
      Word{AnglesBy::pair, "by_pair", "one angle for both columns of a pair"},
      Word{AnglesBy::column, "by_column", "column c takes angle c mod n, so a pair's columns differ"}};
};
template <>
struct Words<TurnTo> {
  static constexpr std::string_view none = "no turn";
  static constexpr std::array all = {Word{TurnTo::forward, "forward", "(u cos - v sin, u sin + v cos)"},
                                     Word{TurnTo::backward, "backward", "(u cos + v sin, v cos - u sin)"}};
};
template <>
struct Words<OddRotated> {
  static constexpr std::string_view none = "no rule";
  static constexpr std::array all = {Word{OddRotated::refused, "refused", "an error"},
                                     Word{OddRotated::down, "down", "one column less turns"},
                                     Word{OddRotated::up, "up", "one angle more"}};
};
template <>
struct Words<HeadEnd> {
  static constexpr std::string_view none = "no end";
  static constexpr std::array all = {Word{HeadEnd::first, "first", "the first columns"},
                                     Word{HeadEnd::last, "last", "the last columns"}};
};
template <>
struct Words<StoredAs> {
  static constexpr std::string_view none = "no form";
  static constexpr std::array all = {Word{StoredAs::none, "none", "not at all"},
                                     Word{StoredAs::halves_twice, "halves_twice", "[a | a]"},
                                     Word{StoredAs::pairs_twice, "pairs_twice", "each number twice"},
                                     Word{StoredAs::sine_cosine, "sine_cosine", "[sin | cos]"},
                                     Word{StoredAs::complex, "complex", "complex numbers"},
                                     Word{StoredAs::angles_twice, "angles_twice", "angles, [a | a]"}};
};

// ---- slopes --------------------------------------------------------------------------------------------------

template <>
struct Words<BiasValue> {
  static constexpr std::string_view none = "no value";
  static constexpr std::array all = {Word{BiasValue::minus_distance, "minus_distance", "-s |q - k|"},
                                     Word{BiasValue::key, "key", "s k"},
                                     Word{BiasValue::key_from_last, "key_from_last", "s (k - K + 1), K keys"},
                                     Word{BiasValue::causal, "causal", "s (k - q)"}};
};
template <>
struct Words<KeysCounted> {
  static constexpr std::string_view none = "no keys";
  static constexpr std::array all = {Word{KeysCounted::all, "all", "every key"},
                                     Word{KeysCounted::present, "present", "keys that are present"}};
};
template <>
struct Words<SlopeRounding> {
  static constexpr std::string_view none = "no rounding";
  static constexpr std::array all = {Word{SlopeRounding::none, "none", "none"},
                                     Word{SlopeRounding::bf16, "bf16", "to bf16"}};
};
template <>
struct Words<HeadScale> {
  static constexpr std::string_view none = "no scale";
  static constexpr std::array all = {Word{HeadScale::one_over_sqrt_head, "one_over_sqrt_head", "1 / sqrt(head width)"}};
};
template <>
struct Words<HeadsBeyond> {
  static constexpr std::string_view none = "no heads";
  static constexpr std::array all = {
      Word{HeadsBeyond::odd_steps, "odd_steps", "every second slope of twice as many heads"},
      Word{HeadsBeyond::none, "none", "an error"}};
};

}  // namespace posenc::schema
