// SPDX-License-Identifier: Apache-2.0
// What the numbers and names of a convention must be.
#pragma once

#include <bit>
#include <cmath>

#include "src/conventions/fields.h"

namespace posenc::schema {

using Real = Rule<double>;
using Count = Rule<std::int64_t>;
using Name = Rule<std::string>;

inline constexpr Real finite = {[](const double& x) { return std::isfinite(x); }, "finite"};
inline constexpr Real positive = {[](const double& x) { return x > 0 && std::isfinite(x); }, "finite and > 0",
                                  R"("exclusiveMinimum": 0)"};
inline constexpr Real not_negative = {[](const double& x) { return x >= 0 && std::isfinite(x); }, "finite and >= 0",
                                      R"("minimum": 0)"};
inline constexpr Real not_zero = {[](const double& x) { return x != 0 && std::isfinite(x); }, "finite and not 0",
                                  R"("not": {"const": 0})"};
inline constexpr Real a_share = {[](const double& x) { return x > 0 && x <= 1; }, "> 0 and at most 1",
                                 R"("exclusiveMinimum": 0, "maximum": 1)"};
/// A shift divides exactly: the denominator n - shift is a fraction of 2^16.
inline constexpr double shift_unit = 0x1p-16;
inline constexpr Real a_shift = {
    [](const double& x) { return x >= 0 && x <= 1 && std::trunc(x / shift_unit) == x / shift_unit; },
    "a multiple of 2^-16 from 0 to 1", R"("minimum": 0, "maximum": 1, "multipleOf": 0.0000152587890625)"};
inline constexpr Real some_octaves = {[](const double& x) { return x > 0 && x <= 1024; }, "> 0 and at most 1024",
                                      R"("exclusiveMinimum": 0, "maximum": 1024)"};

inline constexpr Real above_one = {[](const double& x) { return x > 1 && std::isfinite(x); }, "finite and > 1",
                                   R"("exclusiveMinimum": 1)"};

/// Counts of columns are those of a row or fewer, so that none of their products overflows.
inline constexpr std::int64_t most_columns = std::int64_t{1} << 30;
inline constexpr Count any_columns = {[](const std::int64_t& n) { return n >= 0 && n <= most_columns; }, "0 to 2^30",
                                      R"("minimum": 0, "maximum": 1073741824)"};
inline constexpr Count some_columns = {[](const std::int64_t& n) { return n >= 1 && n <= most_columns; }, "1 to 2^30",
                                       R"("minimum": 1, "maximum": 1073741824)"};
inline constexpr Count at_least_1 = {[](const std::int64_t& n) { return n >= 1; }, ">= 1", R"("minimum": 1)"};
inline constexpr Count zero_or_one = {[](const std::int64_t& n) { return n == 0 || n == 1; }, "0 or 1",
                                      R"("enum": [0, 1])"};

/// Classes have a bound each: as many as are made within some milliseconds.
inline constexpr Count some_classes = {[](const std::int64_t& n) { return n >= 2 && n <= 65536; }, "2 to 65536",
                                       R"("minimum": 2, "maximum": 65536)"};
inline constexpr Count some_cells = {[](const std::int64_t& n) { return n >= 2 && n <= most_columns; }, "2 to 2^30",
                                     R"("minimum": 2, "maximum": 1073741824)"};
inline constexpr Count zero_or_three = {[](const std::int64_t& n) { return n == 0 || n == 3; }, "0 or 3",
                                        R"("enum": [0, 3])"};

inline constexpr Name axis_name = {[](const std::string& name) {
                                     return !name.empty() && name.size() <= 32 &&
                                            name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                                                name.npos;
                                   },
                                   "1 to 32 of a-z, 0-9 and _", R"("pattern": "^[a-z0-9_]{1,32}$")"};

}  // namespace posenc::schema
