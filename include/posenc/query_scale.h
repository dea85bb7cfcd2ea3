// SPDX-License-Identifier: Apache-2.0
// Query scales: what a query is multiplied with before it meets keys, by its position (attention temperature).
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>

namespace posenc {

/// Writes the factor of every position.
///
/// Formula: LogSteps, 1 + gain ln(1 + floor((p + origin) / every)); LogRatio, ln(p + origin) / ln(every) and 1 up to
/// `every`; or LogClamp, 1 + gain ln(max((p + origin) / every, 1)) (relative_families.h). Shapes: positions and out
/// [L], or both [B, L]. Types: positions as they are everywhere; out is f32, f64, bf16 or f16, any strides. Accuracy:
/// the real number rounded once, to nearest, ties to even. Errors: the convention is no query scale; of LogSteps a
/// position is less than -origin, or 2^62 steps away; positions, shape or type break their rules. Time: a position of
/// LogRatio or LogClamp beyond `every` takes up to 0.1 ms. Source: transformers, llama4 and inkling2; Qwen-7B. Thread
/// safety: yes, on distinct outputs.
inline void query_scale(const Convention& convention, const Positions& positions, const View& out,
                        const Options& options = {});
/// The problem that query_scale would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_query_scale(const Convention& convention,
                                                                     const Positions& positions, const View& out,
                                                                     const Options& options = {});

namespace detail {
[[nodiscard]] POSENC_EXPORT std::optional<Problem> query_scale(const Convention& convention, const Positions& positions,
                                                               const View& out, const Executor& executor);
}

inline void query_scale(const Convention& convention, const Positions& positions, const View& out,
                        const Options& options) {
  require(check_query_scale(convention, positions, out, options));
  require(detail::query_scale(convention, positions, out, options.executor));
}

}  // namespace posenc
