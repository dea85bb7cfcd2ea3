// SPDX-License-Identifier: Apache-2.0
// Usual values of fields: the numbers that published models state; of bases and factors the most frequent first. Fits
// end there where the entries leave a choice, and check tries them where a number is wrong. The field tables name them.
#pragma once

namespace posenc::schema {

inline constexpr double usual_bases[] = {10000, 500000, 1e6, 1e7, 5e6, 8e6, 2e6, 1.5e5, 160000, 1.2e7, 100000};
inline constexpr double usual_factors[] = {8, 32, 4, 16, 2, 64, 40};
inline constexpr double usual_lengths[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144};
inline constexpr double usual_octaves[] = {4, 8, 16};
inline constexpr double usual_reaches[] = {32, 64, 128, 256, 512, 1024};
inline constexpr double usual_counts[] = {16, 32, 64, 128, 256, 512};
inline constexpr double usual_scales[] = {1};
inline constexpr double usual_steps[] = {8192, 16384, 2048, 128000};  // `every` of query factors
inline constexpr double usual_gains[] = {0.1};
inline constexpr double usual_pairs[] = {20, 16, 24, 32};
inline constexpr double usual_origins[] = {0, 1};
inline constexpr double usual_windows[] = {7, 8, 12, 16, 24};

}  // namespace posenc::schema
