// SPDX-License-Identifier: Apache-2.0
// Token embeddings: rows looked up by id, and rows made from a seed.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// A view of rows [vocabulary, d] that the caller owns, read by token id. Plain value; const use is thread safe.
struct Embedding {
  ConstView rows;
  std::optional<std::int64_t> padding_id = {};  ///< the id whose row reads as zeros

  /// out[i..., :] = rows[ids[i...], :]. Shapes: ids any rank below max_rank, out = ids.shape + [d]; ids i32 or i64; out
  /// has the type of rows. Errors: an id outside [0, vocabulary), with its index; shapes and types that break their
  /// rules.
  void lookup(const ConstView& ids, const View& out) const {
    require(check_lookup(ids, out));
    lookup_checked(ids, out);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_lookup(const ConstView& ids, const View& out) const;
  POSENC_EXPORT void lookup_checked(const ConstView& ids, const View& out) const;
};

/// The distribution of seeded rows: `normal` is N(0, 1), PyTorch's; `scaled` is N(0, 1/d).
enum class RowInit : std::uint8_t { normal = 1, scaled };

/// Fills `out` [rows, d], f32, with pseudo-random normal values: the same bits on every machine.
///
/// Formula: z = RN_f32(sqrt(-2 ln u1) cos(2 pi u2)), u1 = (a + 1) / 2^32, u2 = b / 2^32. Element e = row * d + column
/// takes (a, b) = words (2h, 2h + 1), h = e mod 2, of Philox4x32-10 with counter (e / 2 low, e / 2 high, 0, 0). Its key
/// is the first two words of Philox4x32-10 with key = seed and counter (stream low, stream high, 0x706F7365, 0).
/// `scaled`: RN_f32(z s), s = RN_f32(1 / sqrt d). Accuracy: correctly rounded as written. It is PyTorch's distribution,
/// not its stream. Errors: out is no f32 view of rank 2. Source: Box and Muller 1958; Salmon et al. 2011 (Philox).
inline void seeded_rows(const View& out, std::uint64_t seed, std::uint64_t stream, RowInit init,
                        const Executor& executor = serial);

[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_seeded_rows(const View& out, RowInit init);

namespace detail {
[[nodiscard]] POSENC_EXPORT std::optional<Problem> seeded_rows(const View& out, std::uint64_t seed,
                                                               std::uint64_t stream, RowInit init,
                                                               const Executor& executor);
}

inline void seeded_rows(const View& out, std::uint64_t seed, std::uint64_t stream, RowInit init,
                        const Executor& executor) {
  require(check_seeded_rows(out, init));
  require(detail::seeded_rows(out, seed, stream, init, executor));
}

}  // namespace posenc
