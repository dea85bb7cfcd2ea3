// SPDX-License-Identifier: Apache-2.0
// What encoder and decoder share: sub-layers with their norm and residual, over rows that change in place.
#pragma once

#include <posenc/transformer/decoder.h>

#include "src/base/match.h"
#include "src/base/scratch.h"
#include "src/transformer/into.h"

namespace posenc {

/// Rows [B, L, d] on their way through a stack, and memory of the same shape for what a sub-layer reads.
class Stack {
 public:
  Stack(const LayerStyle& style, const View& rows, const Executor& executor);

  /// What attention of a sub-layer reads: the rows, or their norm under `before`.
  ConstView read(const Norm& norm) const;
  /// rows += the attention of what was read; then their norm under `after`.
  void attend(const MultiHead& weights, const Norm& norm, const ConstView& in, const KeyValues& cache,
              const AttentionOptions& options) const;
  /// The same for cross attention. Contiguous rows may be k sequences of each one of the memory, one after another.
  void attend_memory(const MultiHead& weights, const Norm& norm, const ConstView& in, const KeyValues& memory,
                     const ConstView& lengths) const;
  void feed_forward(const FeedForward& weights, const Norm& norm) const;
  void finish(const std::optional<Norm>& norm) const;

  AttentionOptions options(Sight sight, const std::optional<ConstView>& lengths, std::int64_t first) const;
  AttentionOptions memory_options(const ConstView& lengths) const;
  const RotaryRows* rotary() const { return style_.rotary ? &*style_.rotary : nullptr; }

 private:
  void normalize_after(const Norm& norm) const;

  const LayerStyle& style_;
  View rows_;
  Executor executor_;
  Scratch<float> memory_;
  View read_;  // in that memory
};

/// to = from, of one shape; they may be one view.
void copy_rows(const ConstView& from, const View& to);

/// The style's own fields, and those that must fit the heads of self attention of each layer.
void state_style(Match& m, const LayerStyle& style);
void state_style_of(Match& m, const LayerStyle& style, const MultiHead& attention);

/// The weights of a whole stack; `name` is how messages call it.
std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Encoder& encoder,
                                     std::int64_t width);
std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Decoder& decoder,
                                     std::int64_t width, std::int64_t source);

}  // namespace posenc
