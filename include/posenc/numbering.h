// SPDX-License-Identifier: Apache-2.0
// Numbering: from the places of a batch to the positions of its tokens, where some places are padding or several
// sequences share one row. Thread safety: yes, on distinct outputs.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Present places count up from `first`; an absent one gets the number `absent`.
///
/// | | first | absent |
/// | fairseq, RoBERTa: padding_id + 1 on, pads at padding_id | padding_id + 1 | padding_id |
/// | OPT: 0 on, pads at -1, and its table's rows 2 later | 0 | -1 |
/// | generation in transformers: 0 on, pads at 1 | 0 | 1 |
struct Numbering {
  std::int64_t first, absent;
  friend bool operator==(const Numbering&, const Numbering&) = default;
};

/// Writes the position of every place of a mask: present places are those that are not 0, counted along the last axis
/// from the left, wherever the absent ones stand.
///
/// Formula: out[b, t] = first + before[b] + (number of present places of b left of t), or absent. `before` is the
/// number of present places that were passed in earlier calls: then the pieces of a sequence, down to one token, get
/// the positions of the whole. Shapes: mask, out [L] or [B, L], `mask` may be `out`; before [], one number for all, or
/// [B]. Types: mask and before i32 or i64; out i64. Errors: types or shapes break these rules; a position is beyond
/// int64; a number of `before` is negative.
inline void positions_of_mask(const ConstView& mask, const Numbering& numbering, const View& out);
inline void positions_of_mask(const ConstView& mask, const Numbering& numbering, const ConstView& before,
                              const View& out);
/// The same of token ids, i32 or i64: a place is absent where its id is the padding id.
inline void positions_of_ids(const ConstView& ids, std::int64_t padding_id, const Numbering& numbering,
                             const View& out);
inline void positions_of_ids(const ConstView& ids, std::int64_t padding_id, const Numbering& numbering,
                             const ConstView& before, const View& out);

/// Writes the positions of sequences packed one behind the other: sequence i has the places ends[i] to ends[i + 1] - 1,
/// and counts from `first`. Shapes: ends [N + 1], which begins with 0 and does not fall (cu_seqlens); out [ends[N]].
/// Types: ends i32 or i64; out i64. Errors: types, shapes or ends break these rules; a position is beyond int64.
inline void positions_of_ends(const ConstView& ends, std::int64_t first, const View& out,
                              const Executor& executor = serial);

/// No present place came before.
inline constexpr std::int64_t none_before = 0;

/// The problem that the function of that name would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_positions_of_mask(const ConstView& mask,
                                                                           const Numbering& numbering,
                                                                           const ConstView& before, const View& out);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_positions_of_ids(const ConstView& ids,
                                                                          const Numbering& numbering,
                                                                          const ConstView& before, const View& out);
[[nodiscard]] inline std::optional<Problem> check_positions_of_mask(const ConstView& mask, const Numbering& numbering,
                                                                    const View& out) {
  return check_positions_of_mask(mask, numbering, view(&none_before, {}), out);
}
[[nodiscard]] inline std::optional<Problem> check_positions_of_ids(const ConstView& ids, const Numbering& numbering,
                                                                   const View& out) {
  return check_positions_of_ids(ids, numbering, view(&none_before, {}), out);
}
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_positions_of_ends(const ConstView& ends, std::int64_t first,
                                                                           const View& out);

namespace detail {
/// Of what the checks admit; present where the number is not `absent_id`.
POSENC_EXPORT void number_places(const ConstView& ids, std::int64_t absent_id, const Numbering& numbering,
                                 const ConstView& before, const View& out);
POSENC_EXPORT void number_packed(const ConstView& ends, std::int64_t first, const View& out, const Executor& executor);
}  // namespace detail

inline void positions_of_mask(const ConstView& mask, const Numbering& numbering, const ConstView& before,
                              const View& out) {
  require(check_positions_of_mask(mask, numbering, before, out));
  detail::number_places(mask, 0, numbering, before, out);
}
inline void positions_of_mask(const ConstView& mask, const Numbering& numbering, const View& out) {
  positions_of_mask(mask, numbering, view(&none_before, {}), out);
}
inline void positions_of_ids(const ConstView& ids, std::int64_t padding_id, const Numbering& numbering,
                             const ConstView& before, const View& out) {
  require(check_positions_of_ids(ids, numbering, before, out));
  detail::number_places(ids, padding_id, numbering, before, out);
}
inline void positions_of_ids(const ConstView& ids, std::int64_t padding_id, const Numbering& numbering,
                             const View& out) {
  positions_of_ids(ids, padding_id, numbering, view(&none_before, {}), out);
}
inline void positions_of_ends(const ConstView& ends, std::int64_t first, const View& out, const Executor& executor) {
  require(check_positions_of_ends(ends, first, out));
  detail::number_packed(ends, first, out, executor);
}

}  // namespace posenc
