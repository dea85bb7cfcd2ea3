// SPDX-License-Identifier: Apache-2.0
// Layers that place their result or add it to what is there: a residual costs no pass of its own.
#pragma once

#include <posenc/transformer/feed_forward.h>
#include <posenc/transformer/multi_head.h>

namespace posenc {

enum class Into : std::uint8_t { place = 1, sum };

/// As the public functions of these names, for arguments that were checked. For `sum`, `out` overlaps no input.
void linear_into(Into into, const Linear& weights, const ConstView& in, const View& out, const Executor& executor);
void feed_forward_into(Into into, const FeedForward& weights, Activation activation, const ConstView& in,
                       const View& out, const Executor& executor);
void multi_head_into(Into into, const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                     const AttentionOptions& options, const RotaryRows* rotary);

}  // namespace posenc
