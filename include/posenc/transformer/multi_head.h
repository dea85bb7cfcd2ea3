// SPDX-License-Identifier: Apache-2.0
// Attention of several heads between its projections: what PyTorch calls nn.MultiheadAttention.
#pragma once

#include <posenc/rotary.h>
#include <posenc/transformer/attention.h>
#include <posenc/transformer/linear.h>

namespace posenc {

/// Weights that somebody else keeps alive. d is the width of rows, H the number of heads of h columns each, G the
/// number of heads of keys and values. PyTorch's in_proj_weight [3d, d] is three parts of one tensor.
struct MultiHead {
  Linear query;            ///< [H h, d]
  Linear key;              ///< [G h, d of the source]
  Linear value;            ///< [G h, d of the source]
  Linear out;              ///< [d, H h]
  std::int64_t heads;      ///< H
  std::int64_t key_heads;  ///< G; H is a multiple of it
};

/// Keys and values of a source, projected once and kept: the cache of decoding, and what cross attention reads. Tokens
/// are appended; what is there does not change.
class KeyValues {
 public:
  /// Room for `capacity` tokens of `batch` sequences. Memory: 2 batch capacity G h floats.
  KeyValues(const MultiHead& weights, std::int64_t batch, std::int64_t capacity)
      : KeyValues((require(check(weights, batch, capacity)), weights), batch, capacity, Checked{}) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const MultiHead& weights, std::int64_t batch,
                                                                  std::int64_t capacity);

  std::int64_t batch() const { return batch_; }
  std::int64_t length() const { return length_; }  ///< tokens held
  std::int64_t capacity() const { return capacity_; }
  POSENC_EXPORT ConstView keys() const;    ///< [B, G, length, h]
  POSENC_EXPORT ConstView values() const;  ///< [B, G, length, h]

  /// Projects `source` [B, n, d of the source] and appends it. Keys are turned to positions length(), length() + 1, ...
  /// when `rotary` is given. Errors: shapes; heads that are not those of the cache; no room for n more tokens.
  void append(const MultiHead& weights, const ConstView& source, const RotaryRows* rotary = nullptr,
              const Executor& executor = serial) {
    require(check_append(weights, source, rotary));
    append_checked(weights, source, rotary, executor);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_append(const MultiHead& weights, const ConstView& source,
                                                                  const RotaryRows* rotary = nullptr) const;
  /// For callers that have called the check.
  POSENC_EXPORT void append_checked(const MultiHead& weights, const ConstView& source, const RotaryRows* rotary,
                                    const Executor& executor);

  /// There are from.size() sequences now; number i goes on as what number from[i] was: beams that go on from others.
  /// Memory: half as much again from the first call on. Errors: an entry outside [0, batch).
  void reorder(std::span<const std::int64_t> from) {
    require(check_reorder(from));
    reorder_checked(from);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_reorder(std::span<const std::int64_t> from) const;
  POSENC_EXPORT void reorder_checked(std::span<const std::int64_t> from);

  /// Whether these weights, which were checked, have the heads of the cache.
  POSENC_EXPORT bool fits(const MultiHead& weights) const;

  void clear() { length_ = 0; }  ///< forgets all tokens

 private:
  struct Checked {};
  POSENC_EXPORT KeyValues(const MultiHead& weights, std::int64_t batch, std::int64_t capacity, Checked);

  std::int64_t batch_, heads_, width_, capacity_, length_ = 0;
  std::vector<float> keys_, values_;  // [B, capacity, G h]
  std::vector<float> spare_;          // where reorder puts the next of them
};

/// out = out-projection of attention(query-projection of `in`, what the cache holds). Queries are turned to positions
/// options.first, options.first + 1, ... when `rotary` is given.
///
/// Shapes: in and out [B, L, d]. Types: f32, columns next to each other, other strides as they come.
/// Accuracy: the bounds of linear and attention, one after the other. Errors: as attention's; a cache of other heads.
/// Source: Vaswani et al. 2017, section 3.2.2. Thread safety: yes, on distinct outputs.
inline void multi_head(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                       const AttentionOptions& options, const RotaryRows* rotary = nullptr);
/// The problem that multi_head would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_multi_head(const MultiHead& weights, const ConstView& in,
                                                                    const KeyValues& cache, const View& out,
                                                                    const AttentionOptions& options,
                                                                    const RotaryRows* rotary = nullptr);

/// The weights of that attention, out [B, H, L, length of the cache], for pictures.
inline void multi_head_weights(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                               const AttentionOptions& options, const RotaryRows* rotary = nullptr);
/// The problem that multi_head_weights would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_multi_head_weights(const MultiHead& weights,
                                                                            const ConstView& in, const KeyValues& cache,
                                                                            const View& out,
                                                                            const AttentionOptions& options,
                                                                            const RotaryRows* rotary = nullptr);

/// The projections alone: shapes that go together; `name` is how messages call them, `width` that of rows, `source`
/// that of the rows of keys and values.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_weights(std::string_view operation, std::string_view name,
                                                                 const MultiHead& weights, std::int64_t width,
                                                                 std::int64_t source);

namespace detail {
POSENC_EXPORT void multi_head(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                              const AttentionOptions& options, const RotaryRows* rotary);
POSENC_EXPORT void multi_head_weights(const MultiHead& weights, const ConstView& in, const KeyValues& cache,
                                      const View& out, const AttentionOptions& options, const RotaryRows* rotary);
}  // namespace detail

inline void multi_head(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                       const AttentionOptions& options, const RotaryRows* rotary) {
  require(check_multi_head(weights, in, cache, out, options, rotary));
  detail::multi_head(weights, in, cache, out, options, rotary);
}

inline void multi_head_weights(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                               const AttentionOptions& options, const RotaryRows* rotary) {
  require(check_multi_head_weights(weights, in, cache, out, options, rotary));
  detail::multi_head_weights(weights, in, cache, out, options, rotary);
}

}  // namespace posenc
