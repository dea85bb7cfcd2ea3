// SPDX-License-Identifier: Apache-2.0
// Buckets: an integer class for every pair of a query and a key, the row of a table that a model has learned.
#pragma once

#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>

namespace posenc {

/// Writes the class of every query and key by their distance: T5, DeBERTa, Shaw.
///
/// Formula: of LogBuckets, SignedLogBuckets or ClipBuckets (relative_families.h). A model adds table[out[i, j]] to a
/// score, times the convention's scale. Shapes: queries [L], keys [S], out [L, S]. Types: out is i32 or i64, any
/// strides. Accuracy: exact at every distance; the edges of classes are integer roots, not logarithms that were
/// rounded. Errors: the convention has no classes of distances; a position is no integer or beyond 2^52; shapes or
/// types break their rules. Source: Raffel et al. 2020; He et al. 2021; Shaw et al. 2018. Thread safety: yes, on
/// distinct outputs.
inline void buckets(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
                    const Options& options = {});
/// The problem that buckets would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_buckets(const Convention& convention, const Positions& queries,
                                                                 const Positions& keys, const View& out,
                                                                 const Options& options = {});

/// How many queries and keys a window has: its cells, and a class token where the convention has one. Of conventions
/// for ConventionUse::windows.
POSENC_EXPORT std::int64_t window_places(const Convention& convention, const GridSize& window);

/// Writes the class of every pair of cells of a window: Swin, BEiT.
///
/// Formula: of WindowBuckets; classes are 0 to (2 height - 1) (2 width - 1) + extra - 1. Shapes: out [N, N] for
/// queries and keys, N = window_places; a class token comes first. Types: out is i32 or i64, any strides.
/// Errors: the convention has no classes of a window; a side is below 1, or there are more than 2^30 classes; shape or
/// type break their rules. Source: Liu et al. 2021; timm's gen_relative_position_index. Thread safety: yes.
inline void window_buckets(const Convention& convention, const GridSize& window, const View& out,
                           const Options& options = {});
/// The problem that window_buckets would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_window_buckets(const Convention& convention,
                                                                        const GridSize& window, const View& out,
                                                                        const Options& options = {});

namespace detail {
/// Of what the checks admit.
POSENC_EXPORT void buckets(const Convention& convention, const Positions& queries, const Positions& keys,
                           const View& out, const Executor& executor);
POSENC_EXPORT void window_buckets(const Convention& convention, const GridSize& window, const View& out,
                                  const Executor& executor);
}  // namespace detail

inline void buckets(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
                    const Options& options) {
  require(check_buckets(convention, queries, keys, out, options));
  detail::buckets(convention, queries, keys, out, options.executor);
}

inline void window_buckets(const Convention& convention, const GridSize& window, const View& out,
                           const Options& options) {
  require(check_window_buckets(convention, window, out, options));
  detail::window_buckets(convention, window, out, options.executor);
}

}  // namespace posenc
