// SPDX-License-Identifier: Apache-2.0
// Learned tables: which stored row a position takes.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>

namespace posenc {

/// What stands for a row where there is none: zeros, under PastEnd::zeros.
inline constexpr std::int64_t no_row = -1;

/// Writes the row of a stored table that every position takes; of several axes that of every axis's table.
///
/// Formula: row = position + offset of each axis; of one table for two axes (IndexRows) first columns + second +
/// offset. Rows from the convention's `rows` on are an error, the last row, no_row, or counted from row 0 again, as
/// past_end says. Absent positions come numbered: positions_of_mask and positions_of_ids (numbering.h). Shapes:
/// positions [L] or [B, L], of several axes one such list each; out the same, and a last axis of T for T > 1 tables.
/// Types: out is i32 or i64, any strides. Errors: the convention has no stored rows; a position is no integer; a row is
/// less than 0 (but under PastEnd::wrap) or past the end; rows are not stated and past_end is none of errors; shapes or
/// types break their rules. Thread safety: yes, on distinct outputs.
inline void learned_rows(const Convention& convention, std::span<const Positions> axes, const View& out,
                         const Options& options = {});
inline void learned_rows(const Convention& convention, const Positions& positions, const View& out,
                         const Options& options = {}) {
  learned_rows(convention, std::span(&positions, 1), out, options);
}
/// The problem that learned_rows would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_learned_rows(const Convention& convention,
                                                                      std::span<const Positions> axes, const View& out,
                                                                      const Options& options = {});
[[nodiscard]] inline std::optional<Problem> check_learned_rows(const Convention& convention, const Positions& positions,
                                                               const View& out, const Options& options = {}) {
  return check_learned_rows(convention, std::span(&positions, 1), out, options);
}

namespace detail {
/// Of what the check admits.
POSENC_EXPORT void learned_rows(const Convention& convention, std::span<const Positions> axes, const View& out,
                                const Executor& executor);
}  // namespace detail

inline void learned_rows(const Convention& convention, std::span<const Positions> axes, const View& out,
                         const Options& options) {
  require(check_learned_rows(convention, axes, out, options));
  detail::learned_rows(convention, axes, out, options.executor);
}

}  // namespace posenc
