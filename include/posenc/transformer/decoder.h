// SPDX-License-Identifier: Apache-2.0
// The decoder of a Transformer: causal self attention, attention to the encoder's rows, feed-forward.
#pragma once

#include <posenc/transformer/encoder.h>

namespace posenc {

struct DecoderLayer {
  MultiHead self_attention;
  Norm self_norm;
  MultiHead cross_attention;
  Norm cross_norm;
  FeedForward feed_forward;
  Norm feed_forward_norm;
};

/// Values that somebody else keeps alive. The style's rotary and slopes are those of self attention.
struct Decoder {
  std::vector<DecoderLayer> layers;
  LayerStyle style;
  std::optional<Norm> final_norm = {};
};

/// What decoding has seen: keys and values of the memory, made once, and of the tokens so far. It holds k sequences of
/// each of the memory's B, one after another; k is 1 until beams are asked for.
class DecoderCache {
 public:
  /// memory [B, S, d of the encoder] with `lengths` as in encode; room for `capacity` tokens of each sequence.
  /// Errors: weights that do not go together, shapes, lengths outside [0, S].
  DecoderCache(const Decoder& decoder, const ConstView& memory, const std::optional<ConstView>& lengths,
               std::int64_t capacity, const Executor& executor = serial)
      : DecoderCache((require(check(decoder, memory, lengths, capacity)), decoder), memory, lengths, capacity, executor,
                     Checked{}) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Decoder& decoder, const ConstView& memory,
                                                                  const std::optional<ConstView>& lengths,
                                                                  std::int64_t capacity);

  std::int64_t sequences() const { return sequences_; }  ///< B k
  std::int64_t length() const { return length_; }        ///< tokens decoded so far
  std::int64_t capacity() const { return capacity_; }

  /// There are from.size() sequences now, a multiple of B; number i goes on as what number from[i] was, of the same
  /// sequence of the memory. Errors: any other number; an entry of another sequence.
  void reorder(std::span<const std::int64_t> from) {
    require(check_reorder(from));
    reorder_checked(from);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_reorder(std::span<const std::int64_t> from) const;
  POSENC_EXPORT void reorder_checked(std::span<const std::int64_t> from);

  struct Layer {
    KeyValues self, memory;
  };
  std::vector<Layer>& layers() { return layers_; }  ///< the library's own
  const std::vector<Layer>& layers() const { return layers_; }
  /// [B], i64: how much of the memory each sequence sees.
  ConstView lengths() const { return view(lengths_.data(), {static_cast<std::int64_t>(lengths_.size())}); }
  void grow(std::int64_t tokens) { length_ += tokens; }  ///< the library's own

 private:
  struct Checked {};
  POSENC_EXPORT DecoderCache(const Decoder& decoder, const ConstView& memory, const std::optional<ConstView>& lengths,
                             std::int64_t capacity, const Executor& executor, Checked);

  std::int64_t sequences_, capacity_, length_ = 0;
  std::vector<std::int64_t> lengths_;
  std::vector<Layer> layers_;
};

/// The rows of n more tokens of each sequence; the cache grows by n. One call with all tokens and a call a token give
/// the same rows within the bounds of linear and attention.
///
/// Shapes: in and out [sequences of the cache, n, d]; `in` may be `out`. Types: f32, columns next to each other, other
/// strides as they come. Errors: a cache of another decoder, shapes, no room in the cache.
/// Source: Vaswani et al. 2017, section 3.1. Thread safety: yes, on distinct caches and outputs.
inline void decode(const Decoder& decoder, const ConstView& in, DecoderCache& cache, const View& out,
                   const Executor& executor = serial);
/// The problem that decode would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_decode(const Decoder& decoder, const ConstView& in,
                                                                const DecoderCache& cache, const View& out);

/// The weights of attention to the memory in one layer, for pictures: out [B, H, n, S], for n tokens from the first on.
inline void memory_weights(const Decoder& decoder, const ConstView& in, const ConstView& memory,
                           const std::optional<ConstView>& lengths, std::int64_t layer, const View& out,
                           const Executor& executor = serial);
/// The problem that memory_weights would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_memory_weights(const Decoder& decoder, const ConstView& in,
                                                                        const ConstView& memory,
                                                                        const std::optional<ConstView>& lengths,
                                                                        std::int64_t layer, const View& out);

/// The values alone, for rows of `width` columns and a memory of `source` columns.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_decoder(const Decoder& decoder, std::int64_t width,
                                                                 std::int64_t source);

namespace detail {
POSENC_EXPORT void decode(const Decoder& decoder, const ConstView& in, DecoderCache& cache, const View& out,
                          const Executor& executor);
POSENC_EXPORT void memory_weights(const Decoder& decoder, const ConstView& in, const ConstView& memory,
                                  const std::optional<ConstView>& lengths, std::int64_t layer, const View& out,
                                  const Executor& executor);
}  // namespace detail

inline void decode(const Decoder& decoder, const ConstView& in, DecoderCache& cache, const View& out,
                   const Executor& executor) {
  require(check_decode(decoder, in, cache, out));
  detail::decode(decoder, in, cache, out, executor);
}

inline void memory_weights(const Decoder& decoder, const ConstView& in, const ConstView& memory,
                           const std::optional<ConstView>& lengths, std::int64_t layer, const View& out,
                           const Executor& executor) {
  require(check_memory_weights(decoder, in, memory, lengths, layer, out));
  detail::memory_weights(decoder, in, memory, lengths, layer, out, executor);
}

}  // namespace posenc
