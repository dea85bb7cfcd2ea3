// SPDX-License-Identifier: Apache-2.0
// Columns of a position table moved from one layout to another, and proof that a table is what it is said to be.
//
// Thread safety: plain values; all functions are safe to call from any thread, on distinct outputs.
#pragma once

#include <posenc/context.h>

namespace posenc {

/// Which column of a table of `from` is each column of a table of `to`: column c of the new row is column order[c] of
/// the old one.
///
/// Formula: both columns are the same real number at every position: the same wave, constant or coordinate of one
/// frequency. interleaved to sine_first, d = 6: [0 2 4 | 1 3 5]. `dim` is the width d of the rows. Units: columns.
/// Errors: a convention is no waves, depends on a context that is not stated or refuses the width; the rows are not
/// as wide, not of the same coordinates, ladders, phases, scale or absent rows; a column of `to` is none of `from`.
inline std::vector<std::int64_t> table_order(const Convention& from, const Convention& to, std::int64_t dim,
                                             const Options& options = {});
/// The problem that table_order would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_table_order(const Convention& from, const Convention& to,
                                                                     std::int64_t dim, const Options& options = {});

/// out[.., c] = in[.., order[c]]: elements move as they are. in, out [.., d], of one type and shape, any strides; they
/// share no element. Errors: another number of columns, an order that has not each of them once, types and shapes.
inline void reorder_columns(std::span<const std::int64_t> order, const ConstView& in, const View& out);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_reorder_columns(std::span<const std::int64_t> order,
                                                                         const ConstView& in, const View& out);

/// How near the rows of a stored table are to those of a convention.
struct TableProof {
  std::int64_t entries = 0;
  std::int64_t equal = 0;  ///< to the bit of the exact row in the table's type
  double furthest = 0;     ///< the largest difference
  /// The first entry that is further off than a table of this convention can be, as row and column.
  std::optional<std::array<std::int64_t, 2>> outside;
};

/// Compares a table with the exact rows of a convention at positions first, first + 1, ... An entry at angle a is
/// outside where it differs by more than |scale| (|a| 2^-20 + 2^-23 + 2 u), u = 2^-24, 2^-11, 2^-8 for f32 and f64,
/// f16, bf16: a ladder whose exponential was formed in f32 errs by up to 2^-20.5 of each frequency, the angle's and the
/// sine's roundings by 2^-24 each, storage by u. Tables whose angles were formed in bf16 or f16 are outside. Raw
/// coordinates and angles are allowed 2^-20 + 2 u of their size. Shape: table [L, d], any strides. Errors: the
/// convention is not for ConventionUse::rows, or refuses the width; the table is not real, or no [L, d]; the last
/// position is beyond int64.
inline TableProof prove_table(const Convention& convention, std::int64_t first, const ConstView& table,
                              const Options& options = {});
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_prove_table(const Convention& convention, std::int64_t first,
                                                                     const ConstView& table,
                                                                     const Options& options = {});

namespace detail {
POSENC_EXPORT std::vector<std::int64_t> table_order(const Convention& from, const Convention& to, std::int64_t dim,
                                                    const Context& context);
POSENC_EXPORT void reorder_columns(std::span<const std::int64_t> order, const ConstView& in, const View& out);
/// The problem that core.h excepts, or nothing.
POSENC_EXPORT std::optional<Problem> prove_table(const Convention& convention, std::int64_t first,
                                                 const ConstView& table, const Context& context, TableProof& proof);
}  // namespace detail

inline std::vector<std::int64_t> table_order(const Convention& from, const Convention& to, std::int64_t dim,
                                             const Options& options) {
  require(check_table_order(from, to, dim, options));
  return detail::table_order(from, to, dim, options.context);
}
inline void reorder_columns(std::span<const std::int64_t> order, const ConstView& in, const View& out) {
  require(check_reorder_columns(order, in, out));
  detail::reorder_columns(order, in, out);
}
inline TableProof prove_table(const Convention& convention, std::int64_t first, const ConstView& table,
                              const Options& options) {
  require(check_prove_table(convention, first, table, options));
  TableProof proof;
  require(detail::prove_table(convention, first, table, options.context, proof));
  return proof;
}

}  // namespace posenc
