// SPDX-License-Identifier: Apache-2.0
// The words of the enumerations of waves, rotations and slopes.
#pragma once

#include <posenc/convention.h>

#include "src/conventions/fields.h"

namespace posenc::schema {

template <>
inline constexpr Words words<Rungs>{
    "no rungs", Word{Rungs::own, "own", "every axis has its own run of columns, and a ladder over that run's width"},
    Word{Rungs::dealt, "dealt", "one ladder over the row, its pairs handed out by `deal`"},
    Word{Rungs::summed, "summed", "every pair uses every axis: the angle is the sum of x_a w_a,k"}};
template <>
inline constexpr Words words<PairOrder>{"no order",
                                        Word{PairOrder::axis_major, "axis_major", "all pairs of an axis side by side"},
                                        Word{PairOrder::rung_major, "rung_major", "all axes of a rung side by side"}};
template <>
inline constexpr Words words<Layout>{"no layout", Word{Layout::interleaved, "interleaved", "[s0 c0 s1 c1 ..]"},
                                     Word{Layout::sine_first, "sine_first", "[s0 s1 .. | c0 c1 ..]"},
                                     Word{Layout::cosine_first, "cosine_first", "[c0 c1 .. | s0 s1 ..]"}};
template <>
inline constexpr Words words<Scope>{"no scope", Word{Scope::row, "row", "the whole row"},
                                    Word{Scope::run, "run", "one axis's run"},
                                    Word{Scope::period, "period", "one frequency of every axis"}};
template <>
inline constexpr Words words<WaveParts>{"no parts", Word{WaveParts::both, "both", "sines and cosines"},
                                        Word{WaveParts::sine, "sine", "sines alone"},
                                        Word{WaveParts::cosine, "cosine", "cosines alone"}};
template <>
inline constexpr Words words<OddWidth>{
    "no rule",
    Word{OddWidth::refused, "refused", "an error"},
    Word{OddWidth::zero_column, "zero_column", "m pairs and a last column of zeros"},
    Word{OddWidth::short_row, "short_row", "m pairs: one column less"},
    Word{OddWidth::lone_sine, "lone_sine", "m + 1 sines, m cosines"},
    Word{OddWidth::repeated_cosine, "repeated_cosine", "m pairs and a last column cos(p w_0)", 2},
    Word{OddWidth::zero_row, "zero_row", "m pairs: one column less, and a row of zeros more", 2}};
template <>
inline constexpr Words words<RestColumns>{
    "no rule", Word{RestColumns::refused, "refused", "an error"},
    Word{RestColumns::zero_columns, "zero_columns", "zeros"},
    Word{RestColumns::truncated, "truncated", "runs are too wide, and cut at the end of the row"}};
template <>
inline constexpr Words words<Lead>{"no lead", Word{Lead::nothing, "nothing", "the waves begin the row"},
                                   Word{Lead::coordinates, "coordinates", "the raw coordinates"},
                                   Word{Lead::zeros, "zeros", "a zero for each coordinate"}};
template <>
inline constexpr Words words<WidthScale>{"no scale", Word{WidthScale::sqrt_2_over_d, "sqrt_2_over_d", "sqrt(2 / d)"},
                                         Word{WidthScale::one_over_sqrt_d, "one_over_sqrt_d", "1 / sqrt(d)"}};
template <>
inline constexpr Words words<Normalise>{"no normalisation", Word{Normalise::none, "none", "nothing"},
                                        Word{Normalise::tenth_of_deviation, "tenth_of_deviation",
                                             "minus the mean and over 10 standard deviations of the whole table"}};
template <>
inline constexpr Words words<Absent>{"no row", Word{Absent::nothing, "nothing", "no position is absent"},
                                     Word{Absent::zero_row, "zero_row", "zeros"}};

// ---- rotary --------------------------------------------------------------------------------------------------

template <>
inline constexpr Words words<Pairing>{
    "no pairing", Word{Pairing::adjacent, "adjacent", "columns 2k and 2k + 1"},
    Word{Pairing::split_half, "split_half", "columns k and k + r / 2, r columns rotated"}};
template <>
inline constexpr Words words<PairingScope>{"no scope", Word{PairingScope::row, "row", "all rotated columns"},
                                           Word{PairingScope::run, "run", "one axis's run"}};
template <>
inline constexpr Words words<Written>{"no place", Word{Written::in_place, "in_place", "where they were read"},
                                      Word{Written::split_half, "split_half", "columns k and k + r / 2"}};
template <>
inline constexpr Words words<AnglesBy>{
    "no angles", Word{AnglesBy::pair, "by_pair", "one angle for both columns of a pair"},
    Word{AnglesBy::column, "by_column", "column c takes angle c mod n, so a pair's columns differ"}};
template <>
inline constexpr Words words<TurnTo>{"no turn", Word{TurnTo::forward, "forward", "(u cos - v sin, u sin + v cos)"},
                                     Word{TurnTo::backward, "backward", "(u cos + v sin, v cos - u sin)"}};
template <>
inline constexpr Words words<OddRotated>{"no rule", Word{OddRotated::refused, "refused", "an error"},
                                         Word{OddRotated::down, "down", "one column less turns"},
                                         Word{OddRotated::up, "up", "one angle more"}};
template <>
inline constexpr Words words<HeadEnd>{"no end", Word{HeadEnd::first, "first", "the first columns"},
                                      Word{HeadEnd::last, "last", "the last columns"}};
template <>
inline constexpr Words words<StoredAs>{"no form",
                                       Word{StoredAs::none, "none", "not at all"},
                                       Word{StoredAs::halves_twice, "halves_twice", "[a | a]"},
                                       Word{StoredAs::pairs_twice, "pairs_twice", "each number twice"},
                                       Word{StoredAs::sine_cosine, "sine_cosine", "[sin | cos]"},
                                       Word{StoredAs::complex, "complex", "complex numbers"},
                                       Word{StoredAs::angles_twice, "angles_twice", "angles, [a | a]"}};

// ---- slopes --------------------------------------------------------------------------------------------------

template <>
inline constexpr Words words<BiasValue>{
    "no value", Word{BiasValue::minus_distance, "minus_distance", "-s |q - k|"}, Word{BiasValue::key, "key", "s k"},
    Word{BiasValue::key_from_last, "key_from_last", "s (k - the last key of the list)"},
    Word{BiasValue::causal, "causal", "s (k - q)"}};
template <>
inline constexpr Words words<KeysCounted>{"no keys", Word{KeysCounted::all, "all", "every key"},
                                          Word{KeysCounted::present, "present", "keys that are present"}};
template <>
inline constexpr Words words<SlopeRounding>{"no rounding", Word{SlopeRounding::none, "none", "none"},
                                            Word{SlopeRounding::bf16, "bf16", "to bf16"}};
template <>
inline constexpr Words words<HeadScale>{
    "no scale", Word{HeadScale::one_over_sqrt_head, "one_over_sqrt_head", "1 / sqrt(head width)"},
    Word{HeadScale::sqrt_head, "sqrt_head", "sqrt(head width)"}};
template <>
inline constexpr Words words<HeadsBeyond>{
    "no heads", Word{HeadsBeyond::odd_steps, "odd_steps", "every second slope of twice as many heads"},
    Word{HeadsBeyond::none, "none", "an error"}};

// ---- learned -------------------------------------------------------------------------------------------------

template <>
inline constexpr Words words<PastEnd>{
    "no rule", Word{PastEnd::error, "error", "an error"}, Word{PastEnd::clamp, "clamp", "the last row"},
    Word{PastEnd::zeros, "zeros", "zeros in place of a row"}, Word{PastEnd::wrap, "wrap", "counted from row 0 again"}};
template <>
inline constexpr Words words<Combine>{"no rule", Word{Combine::sum, "sum", "rows of every axis's table are added"},
                                      Word{Combine::concatenate, "concatenate", "they stand side by side"}};
template <>
inline constexpr Words words<ResizeFilter>{"no filter", Word{ResizeFilter::nearest, "nearest", "the cell of a place"},
                                           Word{ResizeFilter::bilinear, "bilinear", "the two cells around a place"},
                                           Word{ResizeFilter::area, "area", "the mean of the cells that it covers"}};
template <>
inline constexpr Words words<Antialias>{
    "no rule", Word{Antialias::none, "none", "a table that shrinks skips cells"},
    Word{Antialias::stretched, "stretched", "its filter is stretched, and divided by the sum of its weights"}};
template <>
inline constexpr Words words<AlignCorners>{
    "no rule", Word{AlignCorners::halves, "halves", "place i at (i + 1/2) n / (m + offset) - 1/2 of n cells"},
    Word{AlignCorners::ends, "ends", "place i at i (n - 1) / (m - 1)"}};
template <>
inline constexpr Words words<TableEnd>{"no end", Word{TableEnd::first, "first", "the first rows"},
                                       Word{TableEnd::last, "last", "the last rows"}};
template <>
inline constexpr Words words<PastEdge>{"no rule", Word{PastEdge::clamp, "clamp", "the last cell"},
                                       Word{PastEdge::zeros, "zeros", "a row of zeros"}};
template <>
inline constexpr Words words<ResizeArithmetic>{
    "no type", Word{ResizeArithmetic::f32, "f32", "in the order of PyTorch's vector code"},
    Word{ResizeArithmetic::f64, "f64", "as they stand"}};
template <>
inline constexpr Words words<AbsentRow>{"no row", Word{AbsentRow::nothing, "nothing", "no position is absent"},
                                        Word{AbsentRow::zero_row, "zero_row", "zeros"},
                                        Word{AbsentRow::padding_row, "padding_row", "that of the padding id"}};

}  // namespace posenc::schema
