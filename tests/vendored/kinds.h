// SPDX-License-Identifier: Apache-2.0
// The library and the vendored file in one program, and positions of every kind for both.
#pragma once

#include <posenc/preset.h>
#include <posenc/rerotate.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#define posenc vendored
#include "posenc_rope.h"
#undef posenc

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

inline int differences = 0;

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  if (++differences <= 20) std::fprintf(stderr, "not so: %s\n", what.c_str());
}

inline constexpr std::int64_t length = 6;
inline constexpr std::int64_t far[length] = {INT64_MAX, INT64_MIN, (std::int64_t{1} << 53) + 1, -987654321, 131071, 0};
inline constexpr double real[length] = {0.5, -0.0, 1.0 / 3, -1e-9, 9007199254740991.0, 2.5e-300};
inline constexpr std::int32_t column[length] = {7, 0, -3, 2147483647, 12, 12};

struct Named {
  const char* name;
  posenc::Positions ours;
  vendored::Positions theirs;
};
inline std::vector<Named> kinds() {
  std::vector<Named> all = {
      {"range", posenc::Positions::range(0, length), vendored::Positions::range(0, length)},
      {"odd range", posenc::Positions::range(-7, length, 13), vendored::Positions::range(-7, length, 13)},
      {"reals", posenc::Positions::range(0.25, length, 0.1), vendored::Positions::range(0.25, length, 0.1)}};
  all.push_back({"far list", posenc::Positions::list(posenc::view(far, {length})),
                 vendored::Positions::list(vendored::view(far, {length}))});
  all.push_back({"real list", posenc::Positions::list(posenc::view(real, {length})),
                 vendored::Positions::list(vendored::view(real, {length}))});
  return all;
}
