// SPDX-License-Identifier: Apache-2.0
// Positions: the indices whose signal is computed, always passed explicitly.
//
// Unit: tokens (or whatever the ladder's frequencies count in). Thread safety: plain values.
#pragma once

#include <posenc/core.h>

#include <concepts>

namespace posenc {

/// The positions of a sequence, or of every sequence of a batch: a range, a single one, or a list that the caller owns.
///
/// Integers: all of int64. Reals: finite doubles of size up to 2^53, fractional, negative and subnormal ones included;
/// -0 is 0. Shape: [L], or [B, L] for lists of rank 2 (a stride of 0 repeats one list for the whole batch).
class Positions {
 public:
  /// start, start + step, ..., `count` of them. Integer start and step: exact. Otherwise real: position i is
  /// RN(start + RN(i step)). A part of a real range is a range again where start + i step is exact; else pass a list.
  template <class Start, class Step = std::int64_t>
  static constexpr Positions range(Start start, std::int64_t count, Step step = 1) {
    static_assert(std::is_arithmetic_v<Start> && std::is_arithmetic_v<Step>);
    static_assert(!(std::unsigned_integral<Start> && sizeof(Start) == 8), "positions are int64");
    static_assert(!(std::unsigned_integral<Step> && sizeof(Step) == 8), "positions are int64");
    Positions positions;  // field by field, for GCC's sake as in core.h
    positions.count_ = count;
    if constexpr (std::floating_point<Start> || std::floating_point<Step>) {
      positions.kind_ = Kind::reals;
      positions.real_start_ = static_cast<double>(start);
      positions.real_step_ = static_cast<double>(step);
    } else {
      positions.kind_ = Kind::integers;
      positions.start_ = static_cast<std::int64_t>(start);
      positions.step_ = static_cast<std::int64_t>(step);
    }
    return positions;
  }
  /// One position: a decoding step.
  template <class T>
  static constexpr Positions at(T position) {
    return range(position, 1);
  }
  /// A view of i32, i64, f32 or f64, shape [L] or [B, L], any strides. The caller keeps it alive.
  static constexpr Positions list(const ConstView& positions) {
    const bool has_axes = positions.rank > 0 && positions.rank <= max_rank;  // checked where they are used
    return {.kind_ = Kind::list, .count_ = has_axes ? positions.size(-1) : 0, .list_ = positions};
  }

  enum class Kind : std::uint8_t { integers = 1, reals, list };

  // Read by the library; a value is made by the functions above.
  Kind kind_;
  std::int64_t count_ = 0;
  std::int64_t start_ = 0, step_ = 1;
  double real_start_ = 0, real_step_ = 1;
  ConstView list_;
};

/// The rules above: no overflow, no NaN or infinity, no real beyond 2^53, a list of an allowed type and shape.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_positions(std::string_view operation,
                                                                   const Positions& positions);

}  // namespace posenc
