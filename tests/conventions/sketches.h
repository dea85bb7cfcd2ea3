// SPDX-License-Identifier: Apache-2.0
// Families that are to come, sketched, with their field tables.
#pragma once

#include "src/conventions/family_fields.h"

namespace posenc {

// ---- learned: which row of a stored table a position takes --------------------------------------------------

enum class PastEnd : std::uint8_t { error = 1, clamp, zeros, wrap };
enum class Combine : std::uint8_t { sum = 1, concatenate };
struct Index {
  std::int64_t columns;
};
struct Learned {
  std::variant<Unstated, None, std::int64_t> rows;
  std::int64_t offset;
  PastEnd past_end;
  std::vector<std::string> axes;
  std::variant<Unstated, Combine, Index> combine;
  OutputScale scale;
};

// ---- buckets: an integer class for a pair of positions ---------------------------------------------------------

enum class Sign : std::uint8_t { key_minus_query = 1, query_minus_key };
struct LogBuckets {
  std::int64_t count, reach;
  Sign sign;
};
struct ClipBuckets {
  std::int64_t left, right;
  Sign sign;
};
struct Buckets {
  std::variant<Unstated, LogBuckets, ClipBuckets> classes;
  double scale;
};

// ---- coordinates under a logarithm, and a factor of a query ------------------------------------------------------

struct LogCoordinates {
  double gain;
  std::vector<double> window;
};
struct LogSteps {
  double gain;
  std::int64_t every, origin;
};
struct LogRatio {
  std::int64_t every, origin;
};
struct QueryScale {
  std::variant<Unstated, LogSteps, LogRatio> steps;
};

namespace schema {

inline constexpr Count at_least_0 = {[](const std::int64_t& n) { return n >= 0; }, ">= 0", R"("minimum": 0)"};

template <>
inline constexpr Words words<PastEnd>{"no rule", Word<PastEnd>{PastEnd::error, "error", "refused"},
                                      Word<PastEnd>{PastEnd::clamp, "clamp", "the last row"},
                                      Word<PastEnd>{PastEnd::zeros, "zeros", "zeros"},
                                      Word<PastEnd>{PastEnd::wrap, "wrap", "from the first row on"}};
template <>
inline constexpr Words words<Combine>{"no rule", Word<Combine>{Combine::sum, "sum", "of the rows of every axis"},
                                      Word<Combine>{Combine::concatenate, "concatenate", "side by side"}};
template <>
inline constexpr Words words<Sign>{"no sign", Word<Sign>{Sign::key_minus_query, "key_minus_query", "T5, Shaw"},
                                   Word<Sign>{Sign::query_minus_key, "query_minus_key", "DeBERTa"}};
template <>
inline constexpr Schema of<Index>{
    "index", "row y columns + x of one table",
    std::tuple{Field<Index, std::int64_t>{"columns", &Index::columns, at_least_1, "of cells"}}};
template <>
inline constexpr Schema of<Learned>{
    "learned", "rows of a stored table",
    std::tuple{
        Field<Learned, std::variant<Unstated, None, std::int64_t>>{"rows", &Learned::rows, at_least_1, "of the table"},
        Field<Learned, std::int64_t>{"offset", &Learned::offset, at_least_0, "row = position + offset"},
        Field<Learned, PastEnd>{"past_end", &Learned::past_end, {}, "beyond the last row"},
        Field<Learned, std::vector<std::string>>{"axes", &Learned::axes, axis_name, "tables", "axes", "axis"},
        Field<Learned, std::variant<Unstated, Combine, Index>>{"combine", &Learned::combine, {}, "several axes"},
        Field<Learned, OutputScale>{"scale", &Learned::scale, not_zero, "of every row"}}};
template <>
inline std::optional<Broken> whole<LogBuckets, 2>(const LogBuckets& log) {
  if (log.reach > log.count) return std::nullopt;
  return Broken{"reach", "greater than count, " + std::to_string(log.count), std::to_string(log.reach)};
}
template <>
inline constexpr Schema of<LogBuckets>{
    "log", "T5",
    std::tuple{Field<LogBuckets, std::int64_t>{"count", &LogBuckets::count, at_least_1, "classes"},
               Field<LogBuckets, std::int64_t>{"reach", &LogBuckets::reach, at_least_1, "positions"},
               Field<LogBuckets, Sign>{"sign", &LogBuckets::sign, {}, "of a distance"}}};
template <>
inline constexpr Schema of<ClipBuckets>{
    "clip", "Shaw",
    std::tuple{Field<ClipBuckets, std::int64_t>{"left", &ClipBuckets::left, at_least_0, "positions"},
               Field<ClipBuckets, std::int64_t>{"right", &ClipBuckets::right, at_least_0, "positions"},
               Field<ClipBuckets, Sign>{"sign", &ClipBuckets::sign, {}, "of a distance"}}};
template <>
inline constexpr Schema of<Buckets>{
    "buckets", "an integer for a pair of positions",
    std::tuple{
        Field<Buckets, std::variant<Unstated, LogBuckets, ClipBuckets>>{"classes", &Buckets::classes, {}, "the class"},
        Field<Buckets, double>{"scale", &Buckets::scale, not_zero, "of the bias"}}};
template <>
inline constexpr Schema of<LogCoordinates>{
    "log_coordinates", "Swin V2",
    std::tuple{
        Field<LogCoordinates, double>{"gain", &LogCoordinates::gain, positive, "8"},
        Field<LogCoordinates, std::vector<double>>{"window", &LogCoordinates::window, positive, "of each axis"}}};
template <>
inline constexpr Schema of<LogSteps>{
    "log_steps", "1 + gain ln(1 + floor((p + origin) / every))",
    std::tuple{Field<LogSteps, double>{"gain", &LogSteps::gain, positive, "Llama 4: 0.1"},
               Field<LogSteps, std::int64_t>{"every", &LogSteps::every, at_least_1, "positions"},
               Field<LogSteps, std::int64_t>{"origin", &LogSteps::origin, at_least_0, "positions"}}};
template <>
inline constexpr Schema of<LogRatio>{
    "log_ratio", "max(1, ln(p + origin) / ln every)",
    std::tuple{Field<LogRatio, std::int64_t>{"every", &LogRatio::every, at_least_1, "positions"},
               Field<LogRatio, std::int64_t>{"origin", &LogRatio::origin, at_least_0, "positions"}}};
template <>
inline constexpr Schema of<QueryScale>{"query_scale", "a factor of a query by its position",
                                       std::tuple{Field<QueryScale, std::variant<Unstated, LogSteps, LogRatio>>{
                                           "steps", &QueryScale::steps, {}, "the factor"}}};

}  // namespace schema

inline const Learned opt = {std::int64_t{2050}, 2, PastEnd::error, {"position"}, Combine::sum, 1.0};
inline const Buckets t5 = {LogBuckets{32, 128, Sign::key_minus_query}, 1};
inline const QueryScale llama4 = {LogSteps{0.1, 8192, 1}};

}  // namespace posenc
