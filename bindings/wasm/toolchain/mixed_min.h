// SPDX-License-Identifier: Apache-2.0
// std::min of an int64_t and a std::ptrdiff_t, which are one type on machines of 64 bits and two here. Read before
// src/referee/expected.cc, where one such call stands.
#pragma once

#include <algorithm>

namespace std {
constexpr long long min(long long a, long b) { return b < a ? b : a; }
}  // namespace std
