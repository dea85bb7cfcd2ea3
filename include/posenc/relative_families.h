// SPDX-License-Identifier: Apache-2.0
// Families that attention reads besides rotations and slopes: classes and coordinates of pairs of positions, and
// factors of queries. Thread safety: plain values.
#pragma once

#include <posenc/families.h>

namespace posenc {

// ---- buckets: an integer class for a pair of positions, a row of a stored table -------------------------------

/// The distance d that a class is of: k - q, or q - k, for a query at q and a key at k.
enum class DistanceSign : std::uint8_t { key_minus_query = 1, query_minus_key };
/// Half of the classes for either sign of d, or all of them for d <= 0 and class 0 for d > 0.
enum class DistanceSides : std::uint8_t { both = 1, one };

/// T5. N = count, or floor(count / 2) on both sides, where d > 0 adds N; e = floor(N / 2). Of m = |d|: m for m < e,
/// else e + floor((N - e) ln(m / e) / ln(reach / e)), at most N - 1.
struct LogBuckets {
  std::int64_t count;  ///< 2 to 65536, on both sides 4 or more
  std::int64_t reach;  ///< > e: from there on N - 1
  DistanceSides sides;
  DistanceSign sign;
  friend bool operator==(const LogBuckets&, const LogBuckets&) = default;
};
/// DeBERTa. e = floor(count / 2). d for |d| <= e, else with its sign e + ceil((e - 1) ln(|d| / e) / ln((reach - 1) /
/// e)), without an end: who looks classes up clips them.
struct SignedLogBuckets {
  std::int64_t count;  ///< 4 to 65536
  std::int64_t reach;  ///< > e + 1
  DistanceSign sign;
  friend bool operator==(const SignedLogBuckets&, const SignedLogBuckets&) = default;
};
/// Shaw. min(max(d, -left), right) + left.
struct ClipBuckets {
  std::int64_t left, right;
  DistanceSign sign;
  friend bool operator==(const ClipBuckets&, const ClipBuckets&) = default;
};
/// Swin. Of two cells of a window [height, width], dy and dx those of the query less those of the key: (dy + height -
/// 1) (2 width - 1) + dx + width - 1. With `extra` 3 a class token stands before the cells, and three classes behind
/// theirs: of a token as query, as key, as both.
struct WindowBuckets {
  std::int64_t extra;  ///< 0 or 3
  friend bool operator==(const WindowBuckets&, const WindowBuckets&) = default;
};
using BucketClasses = std::variant<Unstated, LogBuckets, SignedLogBuckets, ClipBuckets, WindowBuckets>;

/// Classes of pairs; `scale` multiplies what is looked up for them.
struct Buckets {
  BucketClasses classes;
  BiasScale scale;
  friend bool operator==(const Buckets&, const Buckets&) = default;
};

// ---- log coordinates: relative coordinates under a logarithm, the input of a small network ----------------------

/// sign(x) ln(1 + |x|) of x cells (Swin-CR).
struct PlainLogarithm {
  friend bool operator==(const PlainLogarithm&, const PlainLogarithm&) = default;
};
/// sign(u) log2(1 + |u|) / log2(gain), u = gain x / (side - 1) of x cells (Swin V2). The side is that of the window
/// along the axis, or the one that the model was trained with.
struct NormalisedLogarithm {
  double gain;                                                            ///< > 1; 8 in Swin V2
  std::variant<Unstated, Nothing, std::vector<std::int64_t>> pretrained;  ///< height and width, 2 or more; or none
  friend bool operator==(const NormalisedLogarithm&, const NormalisedLogarithm&) = default;
};

/// Coordinates of pairs of cells of a window.
struct LogCoordinates {
  std::variant<Unstated, PlainLogarithm, NormalisedLogarithm> coordinates;
  friend bool operator==(const LogCoordinates&, const LogCoordinates&) = default;
};

// ---- query scale: a factor of a query by its position ------------------------------------------------------------

/// 1 + gain ln(1 + floor((p + origin) / every)) (Llama 4).
struct LogSteps {
  double gain, every, origin;
  friend bool operator==(const LogSteps&, const LogSteps&) = default;
};
/// ln(p + origin) / ln(every), and 1 for p + origin <= every (Qwen 1).
struct LogRatio {
  double every;  ///< > 1
  double origin;
  friend bool operator==(const LogRatio&, const LogRatio&) = default;
};
/// 1 + gain ln(max((p + origin) / every, 1)) (Inkling).
struct LogClamp {
  double gain, every, origin;
  friend bool operator==(const LogClamp&, const LogClamp&) = default;
};

/// What a query at position p is multiplied with.
struct QueryScale {
  std::variant<Unstated, LogSteps, LogRatio, LogClamp> factor;
  friend bool operator==(const QueryScale&, const QueryScale&) = default;
};

}  // namespace posenc
