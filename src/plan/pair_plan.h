// SPDX-License-Identifier: Apache-2.0
// Which columns of a head turn together, and by which angles. No family or pairing is known here, and no kernel.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "src/plan/row_plan.h"

namespace posenc::plan {

/// (u, v) of the columns that are read becomes (u cos a - v sin a, u sin b + v cos b) in those that are written.
struct Pair {
  std::array<std::uint32_t, 2> read, written;  ///< columns of a head
  std::array<Angle, 2> angles;                 ///< a and b; a rotation has one angle twice
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// A query's pair k is multiplied by factors[k]^((x - centre) / period), x the sum of its coordinates; a key's by the
/// inverse.
struct Decay {
  std::vector<numerics::Rational> factors;
  numerics::Rational centre, period;
  friend bool operator==(const Decay&, const Decay&) = default;
};

enum class Turning : std::uint8_t { forward = 1, backward };

/// How a table of the cosines and sines of n pairs stands; [a | b]: a_0 .. a_n-1, then b_0 .. b_n-1.
enum class Stored : std::uint8_t {
  none = 1,
  halves_twice,  ///< [cos | cos] and [sin | sin]
  pairs_twice,   ///< cos_0 cos_0 cos_1 .. and sin_0 sin_0 sin_1 ..
  sine_cosine,   ///< [sin | cos]
  complex,       ///< cos_0 sin_0 cos_1 ..
  angles_twice,  ///< [angle | angle]
};

/// Columns that no pair writes are copied.
struct PairPlan {
  std::vector<Axis> axes;
  std::vector<Ladder> ladders;  ///< one an axis
  std::vector<Pair> pairs;
  std::int64_t width = 0;        ///< of the head
  numerics::Real magnitude = 1;  ///< of cosines and sines
  std::optional<Decay> decay;
  Turning turning = Turning::forward;  ///< backward: by -a and -b
  Stored stored = Stored::none;        ///< of no effect on the rotation
};

/// The same rotation, whatever its frequencies are called and however a table of it stands.
bool operator==(const PairPlan& a, const PairPlan& b);

/// Each pair is a rotation: both of its columns turn by one angle.
bool turns_by_one_angle(const PairPlan& plan);

/// The plan of pairs that turn by one angle of one axis each, or stand, as kernels take them: columns (2k, 2k + 1), or
/// (k, k + n), from column 0 on, read and written alike; no decay. Nothing where the plan is another.
enum class Pairs : std::uint8_t { adjacent = 1, split_half };
std::optional<Pairs> plain_pairs(const PairPlan& plan);

/// Columns of pairs that follow each other: pair i has columns first + i step and second + i step. The step is 1, or 2
/// where second is first + 1.
struct RunColumns {
  std::uint32_t first, second, step;
  friend bool operator==(const RunColumns&, const RunColumns&) = default;
};
/// Pairs `pair`, `pair` + 1, .. of a plan, `count` of them.
struct PairRun {
  std::uint32_t pair, count;
  RunColumns read, written;
  friend bool operator==(const PairRun&, const PairRun&) = default;
};

/// Where pairs stand, in the order of the plan and in as few runs as they make. No column is read or written twice.
struct Placement {
  struct Stretch {
    std::uint32_t first, end;
    friend bool operator==(const Stretch&, const Stretch&) = default;
  };
  std::vector<PairRun> runs;
  Stretch reach = {};         ///< the columns that are read or written, and those between
  std::vector<Stretch> kept;  ///< those within reach that no pair writes
  bool moves = false;         ///< a pair writes other columns than it reads
};
/// Of one pair or more.
Placement placement(std::span<const Pair> pairs);

/// The pairs of the transposed map: they read what the others write.
std::vector<Pair> transposed(std::vector<Pair> pairs);

}  // namespace posenc::plan
