// SPDX-License-Identifier: Apache-2.0
// Dropout whose mask is a pure function of seed, call, batch row, token and column: no state, no storage.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Where in a seeded stream of masks a call stands.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint32_t call = 0;   ///< one number a call, so that two calls differ
  std::uint32_t first = 0;  ///< index of the first token along the sequence axis
};

/// out = RN(in x keep), keep = 0 for dropped elements and RN(65536 / (65536 - k)) for the others, k = round(65536 p).
///
/// Element (b, t, c) is dropped when its 16 random bits are below k. They are half c mod 8 (low half of word 0 first)
/// of Philox4x32-10 with key = seed and counter = (c / 8, first + t, b, call). Shapes: [B, L, d] or [L, d]; `in` may be
/// `out`. Types: f32, f64, bf16, f16; keep is rounded to f32 (f64 for f64), the product of bf16 and f16 is formed in
/// f32. p = 0 copies. Errors: p outside [0, 1), or 0 < p < 1 whose k is 0 or 65536; indices beyond 32 bits; shapes and
/// types. Source: Srivastava et al. 2014; Salmon et al. 2011 (Philox). Thread safety: yes, on distinct outputs.
inline void dropout(const ConstView& in, const View& out, double p, const DropoutKey& key);

[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_dropout(const ConstView& in, const View& out, double p,
                                                                 const DropoutKey& key);
/// The rule of p alone.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_dropout_probability(std::string_view operation, double p);

namespace detail {
POSENC_EXPORT void dropout(const ConstView& in, const View& out, double p, const DropoutKey& key);
}

inline void dropout(const ConstView& in, const View& out, double p, const DropoutKey& key) {
  require(check_dropout(in, out, p, key));
  detail::dropout(in, out, p, key);
}

}  // namespace posenc
