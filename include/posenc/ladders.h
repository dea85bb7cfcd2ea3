// SPDX-License-Identifier: Apache-2.0
// Ladders: the angular frequencies w_k, k = 0 .. n - 1, of a position table (what other code calls inverse
// frequencies). A width is refused where one of a geometric or runaway ladder is beyond 2^1024, the range of double.
//
// No field has a default; a constructor that takes fewer fields says what it states of the others. Thread safety: plain
// values.
#pragma once

#include <posenc/core.h>

#include <variant>

namespace posenc {

/// A field that was not stated. Every check refuses it.
using Unstated = std::monostate;
/// That there is none: no scaling, no phases, no decay.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

/// What a frequency is counted in per position: 1, pi / 2, pi or 2 pi radians.
enum class AngleUnit : std::uint8_t { radians = 1, quarter_turns, half_turns, turns };

/// w_k = first base^(-e_k), or first base^(+e_k) (NeRF, GLIGEN, LTX).
enum class LadderSlope : std::uint8_t { falling = 1, rising };

/// What the exponent e_k = k / max(D - shift, least) of a geometric ladder divides by; d is the width, n the number of
/// frequencies.
struct Spacing {
  /// D: d / 2, a real (3.5 for d = 7); n; 1; d / 2 with k counting columns, so that sine and cosine differ; half of the
  /// stated width.
  enum class Over : std::uint8_t { width = 1, pairs, one, columns, stated };
  Over over;
  std::int64_t width;  ///< of a head or an axis, under `stated`; else 0
  double shift;        ///< a multiple of 2^-16: 0 the paper's; 1 includes the end point; downscale_freq_shift
  std::int64_t least;  ///< 1: one frequency works; 0: D - shift <= 0 is an error
  friend bool operator==(const Spacing&, const Spacing&) = default;

  static const Spacing over_width;        ///< e_k = 2k / d: the paper's; the longest timescale is never reached
  static const Spacing over_gaps;         ///< e_k = k / (n - 1): the end point is included; n = 1 is an error
  static const Spacing over_gaps_or_one;  ///< e_k = k / max(n - 1, 1): the same, and n = 1 gives w_0 = first
};
inline constexpr Spacing Spacing::over_width = {Over::width, 0, 0, 0};
inline constexpr Spacing Spacing::over_gaps = {Over::pairs, 0, 1, 0};
inline constexpr Spacing Spacing::over_gaps_or_one = {Over::pairs, 0, 1, 1};

// ---- scaling: what is done to long contexts. r: the rotated width; w'_k is the scaled frequency --------------------

/// w_k / factor.
struct LinearScaling {
  double factor;
  friend bool operator==(const LinearScaling&, const LinearScaling&) = default;
};
/// `factor` base in place of base (diffusers' ntk_factor).
struct BaseScaling {
  double factor;
  friend bool operator==(const BaseScaling&, const BaseScaling&) = default;
};
/// base factor^(r / (r - 2)) in place of base.
struct NtkScaling {
  double factor;
  friend bool operator==(const NtkScaling&, const NtkScaling&) = default;
};
/// base (factor L' / length - (factor - 1))^(r / (r - 2)), L' = max(the call's length, length).
struct DynamicNtkScaling {
  double factor;
  std::int64_t length;
  friend bool operator==(const DynamicNtkScaling&, const DynamicNtkScaling&) = default;
};
/// Whether YaRN's low and high are rounded outward to whole pairs.
enum class Truncate : std::uint8_t { whole = 1, none };
/// w_k / factor ramp_k + w_k (1 - ramp_k), ramp_k = clip((k - low) / (high - low), 0, 1); low, high = r ln(length / (2
/// pi t)) / (2 ln base) for t = fast, slow, clamped to 0 and r - 1; where they are equal, high is 0.001 more.
struct YarnScaling {
  double factor;
  std::int64_t length;
  double fast, slow;
  Truncate truncate;
  friend bool operator==(const YarnScaling&, const YarnScaling&) = default;
};
/// w_k / short_factors_k, or / long_factors_k where the call's length exceeds `length`.
struct LongRopeScaling {
  std::vector<double> short_factors, long_factors;
  std::int64_t length;
  friend bool operator==(const LongRopeScaling&, const LongRopeScaling&) = default;
};
/// u = length w_k / (2 pi) turns. u > high: w_k; u < low: w_k / factor; else (1 - t) w_k / factor + t w_k, t = (u -
/// low) / (high - low).
struct Llama3Scaling {
  double factor, low, high;
  std::int64_t length;
  friend bool operator==(const Llama3Scaling&, const Llama3Scaling&) = default;
};
/// w_k / factor for k < floor(part r / 2); further pairs turn by 0.
struct ProportionalScaling {
  double factor, part;
  friend bool operator==(const ProportionalScaling&, const ProportionalScaling&) = default;
};
/// w_k h_k for the last c = min(pairs, n) of n pairs, w_k for those before: h is the falling half of a Hann window, 1
/// at the first of them and 0 at the last, h_k = (1 + cos(pi j / (c - 1))) / 2, j = k - (n - c). c = 1 changes nothing.
struct ClippedScaling {
  std::int64_t pairs;
  friend bool operator==(const ClippedScaling&, const ClippedScaling&) = default;
};
using Scaling = std::variant<Unstated, Nothing, LinearScaling, BaseScaling, NtkScaling, DynamicNtkScaling, YarnScaling,
                             LongRopeScaling, Llama3Scaling, ProportionalScaling, ClippedScaling>;

// ---- ladders -------------------------------------------------------------------------------------------------

/// w_k = first * base^(-e_k), or base^(+e_k) where it rises.
struct Geometric {
  constexpr Geometric() = default;
  /// Falling, unscaled, in radians per position.
  constexpr Geometric(double longest, double w_0, Spacing exponents)
      : base(longest),
        first(w_0),
        spacing(exponents),
        slope(LadderSlope::falling),
        scaling(Nothing{}),
        unit(AngleUnit::radians) {}

  double base;   ///< longest over shortest timescale; finite and > 0
  double first;  ///< w_0; finite and > 0. tensor2tensor's min_timescale m is first = m, base = max / m
  Spacing spacing;
  LadderSlope slope;
  Scaling scaling;
  AngleUnit unit;
  friend bool operator==(const Geometric&, const Geometric&) = default;
};

/// The caller's own frequencies, used to the bit; finite. Negative ones are not read by every operation.
struct Listed {
  /// In radians per position.
  Listed(std::vector<double> list = {}) : frequencies(std::move(list)), unit(AngleUnit::radians) {}

  std::vector<double> frequencies;
  AngleUnit unit;
  friend bool operator==(const Listed&, const Listed&) = default;
};

/// n values from `from` to `to`, both included (Perceiver, EVA: 1 to resolution / 2, in half turns).
struct LinearLadder {
  double from, to;
  AngleUnit unit;
  friend bool operator==(const LinearLadder&, const LinearLadder&) = default;
};

/// w_k = -r e^k with r = ln base / (D - shift): the misplaced parenthesis of old Paddle checkpoints.
struct RunawayLadder {
  double base;
  Spacing spacing;
  AngleUnit unit;
  friend bool operator==(const RunawayLadder&, const RunawayLadder&) = default;
};

using Ladder = std::variant<Geometric, Listed, LinearLadder, RunawayLadder>;

/// "over_width", "over_gaps" or "over_gaps_or_one"; "no spacing" where none is stated; "a spacing" for any other.
POSENC_EXPORT std::string_view to_string(const Spacing& spacing);

}  // namespace posenc
