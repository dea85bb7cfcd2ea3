// SPDX-License-Identifier: Apache-2.0
// Cached keys moved: from the positions and the regime in which they were rotated to others.
#pragma once

#include <posenc/rotary.h>

namespace posenc {

/// Where rotated keys stand: a list of coordinates for each axis of the convention, as RotaryRows takes them, and the
/// context of the rotation.
struct Standing {
  std::span<const Positions> coordinates;
  Context context = {};
};

/// Turns keys that `from` rotated into those that `to` would have made: a cache whose first tokens were dropped
/// (context shift, streaming), or whose ladder another length has changed (dynamic NTK, LongRoPE: regime in context.h).
///
/// Formula: pair k is turned by the difference of its two angles, formed as one real number and never rounded before
/// its cosine and sine, and multiplied by the quotient of the magnitudes and, under a decay, of the keys' factors. The
/// columns are those where a rotation writes.
/// Shapes, types: as RotaryRows::rotate; `in` may be `out` itself.
/// Accuracy: not bit-equal to one rotation, which rounds once less. Let r = sqrt(x^2 + y^2) of a pair of the result,
/// and u = 2^-24. A rotation in f32 errs by at most 3 u r in each entry, to the first order in u: u of a rounded
/// cosine, u of a product, u of a sum. So two rotations and one differ by at most 9 u r; keys stored in bf16 or f16 are
/// rounded three times in all and differ by at most 9 u r + 3 v r, v = 2^-8 or 2^-11. Errors: the convention turns a
/// pair by two angles, or is refused by RotaryRows; lists, shapes, types; queries. Cost: a call makes the ladders of
/// both rotations, which takes as long as some thousand keys: pass the keys of all heads and layers as one tensor.
/// Thread safety: yes, on distinct outputs.
inline void rerotate(const Convention& convention, const Standing& from, const Standing& to, const Rotated& keys,
                     const Options& options = {});
inline void rerotate(const Convention& convention, const Standing& from, const Standing& to, const ConstView& in,
                     const View& out, const Options& options = {});

/// The problem that rerotate would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_rerotate(const Convention& convention, const Standing& from,
                                                                  const Standing& to, const Rotated& keys,
                                                                  const Options& options = {});
[[nodiscard]] inline std::optional<Problem> check_rerotate(const Convention& convention, const Standing& from,
                                                           const Standing& to, const ConstView& in, const View& out,
                                                           const Options& options = {}) {
  return check_rerotate(convention, from, to, Rotated{in, out}, options);
}
/// For callers that have called the check. The problem that core.h excepts, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> rerotate_checked(const Convention& convention, const Standing& from,
                                                                    const Standing& to, const Rotated& keys,
                                                                    const Executor& executor);

inline void rerotate(const Convention& convention, const Standing& from, const Standing& to, const Rotated& keys,
                     const Options& options) {
  require(check_rerotate(convention, from, to, keys, options));
  require(rerotate_checked(convention, from, to, keys, options.executor));
}
inline void rerotate(const Convention& convention, const Standing& from, const Standing& to, const ConstView& in,
                     const View& out, const Options& options) {
  rerotate(convention, from, to, Rotated{in, out}, options);
}

}  // namespace posenc
