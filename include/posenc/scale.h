// SPDX-License-Identifier: Apache-2.0
// The factor that an input stage multiplies embedding rows with. Thread safety: a plain value.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// none (1), sqrt d, or a number. The factor is rounded to f32 (f64 for f64 output), or to `rounding` first where a
/// model does so (Gemma: bf16).
struct Scale {
  enum class Kind : std::uint8_t { none = 1, sqrt_dim, number };
  Kind kind;
  double number = 1;
  std::optional<DType> rounding = {};

  static const Scale none;
  static const Scale sqrt_dim;
  static constexpr Scale of(double factor) { return {Kind::number, factor, {}}; }
  /// The same factor, rounded to `type` before it is used.
  constexpr Scale rounded_to(DType type) const { return {kind, number, type}; }
  friend bool operator==(const Scale&, const Scale&) = default;
};
inline constexpr Scale Scale::none = {Kind::none, 1, {}};
inline constexpr Scale Scale::sqrt_dim = {Kind::sqrt_dim, 1, {}};

}  // namespace posenc
