// SPDX-License-Identifier: Apache-2.0
// Columns of heads reordered, so that a model whose checkpoint has one pairing is turned by a rotation of another one:
// the rows of query and key projections, of their biases and of their norms.
//
// Thread safety: plain values; all functions are safe to call from any thread, on distinct outputs.
#pragma once

#include <posenc/context.h>

namespace posenc {

/// Column c of a new head is column read[c] of the old one before it is rotated, and column written[c] of it after.
/// The two differ where a rotation writes a pair elsewhere than it reads it (DeepSeek).
struct HeadOrder {
  std::vector<std::int64_t> read, written;
  friend bool operator==(const HeadOrder&, const HeadOrder&) = default;
};

/// The order of the columns of a head in which `to` turns what `from` turned in the old one.
///
/// Formula: if pair k of `from` and pair j of `to` turn by the same angles, read[to.pairs[j].read[i]] =
/// from.pairs[k].read[i] and written[to.pairs[j].written[i]] = from.pairs[k].written[i], i = 0, 1. Columns that no pair
/// has keep their order. With x' = x[read]: to(x') = from(x)[written], bit for bit under the exact recipe, and so
/// products of queries and keys are sums of the same numbers in another order.
/// adjacent to split_half, d = 6: read = written = [0 2 4 | 1 3 5]. A plan that turns backward turns its pairs forward
/// with their columns exchanged. Units: columns. Errors: a convention is no rotary, depends on a context that is not
/// stated or refuses the width; the two have pairs that turn by other angles, other axes, magnitudes or decays, or
/// write columns that they do not read.
inline HeadOrder head_order(const Convention& from, const Convention& to, std::int64_t head,
                            const Options& options = {});
/// The problem that head_order would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_head_order(const Convention& from, const Convention& to,
                                                                    std::int64_t head, const Options& options = {});
/// The way back.
POSENC_EXPORT HeadOrder inverse(const HeadOrder& order);

// ---- rows -------------------------------------------------------------------------------------------------------

/// What a head of a projection holds. Values are not rotated, so their rows stay.
enum class Holds : std::uint8_t { query = 1, key, value };
/// Heads that follow each other.
struct HeadRun {
  Holds holds;
  std::int64_t heads;
  friend bool operator==(const HeadRun&, const HeadRun&) = default;
};
/// The rows of a projection, a head after another, `groups` times the same runs. With H query heads and G key heads:
/// separate ones are {1, {query H}} and {1, {key G}}, and a norm that heads share is {1, {query 1}}; GPT-NeoX and Bloom
/// [H, 3, d] are {H, {query 1, key 1, value 1}}, Falcon [G, H / G + 2, d] is {G, {query H / G, key 1, value 1}},
/// Phi-3 and Qwen 1 [q | k | v] are {1, {query H, key G, value G}}, CodeGen is {4, {query H / 4, value H / 4, key H /
/// 4}}.
struct Projection {
  std::int64_t groups;
  std::vector<HeadRun> runs;
  friend bool operator==(const Projection&, const Projection&) = default;
};
/// Groups and heads are 1 or more, 2^24 heads in all at most, and it is stated what they hold.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_projection(const Projection& projection);
/// Of a projection that has been checked: its heads, and what head number i of them holds.
POSENC_EXPORT std::int64_t head_count(const Projection& projection);
POSENC_EXPORT Holds head_at(const Projection& projection, std::int64_t i);

/// The rows of one head in the order `read`. `in` and `out` are as many bytes, a row after another, and share none;
/// rows move whole, so any type of element will do: weights [d, n], biases and norms [d]. Errors: sizes that are not
/// those of d rows, or overlap.
inline void reorder_head(const HeadOrder& order, std::span<const std::byte> in, std::span<std::byte> out);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_reorder_head(const HeadOrder& order,
                                                                      std::span<const std::byte> in,
                                                                      std::span<std::byte> out);
/// The same of every head of queries and keys of a projection; heads of values are copied.
inline void reorder_rows(const HeadOrder& order, const Projection& projection, std::span<const std::byte> in,
                         std::span<std::byte> out);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_reorder_rows(const HeadOrder& order,
                                                                      const Projection& projection,
                                                                      std::span<const std::byte> in,
                                                                      std::span<std::byte> out);

// ---- proof ------------------------------------------------------------------------------------------------------

/// What was found when the rows of random numbers were reordered and both rotations made.
struct HeadProof {
  std::int64_t heads = 0;              ///< of queries and keys
  std::int64_t columns = 0;            ///< of a head
  std::int64_t positions = 0;          ///< of each head
  std::optional<std::int64_t> parted;  ///< the first column, counted over all, where the two rotations part
  double difference = 0;               ///< the largest of two scores, f32 sums over the columns in their order
  double bound = 0;                    ///< of that difference: 2 d u / (1 - d u) x the sum of |q k|, u = 2^-24
  /// Equal to the bit, and every score within its own bound.
  bool holds = false;
};

/// Proves a head's order on the rows of the projections: f32 numbers made from `seed` are their rows, a token a column;
/// queries and keys turned by `from`, then reordered by `written`, are compared with those that reorder_rows gives,
/// turned by `to`, at positions 1 to 2^20 (1 to 509 from the centre of a decay); then their scores. Errors: as
/// check_head_order, check_projection; the order has other columns than the head; there is no query or key. Work: grows
/// with heads x columns alone.
inline HeadProof prove_head_order(const Convention& from, const Convention& to, const HeadOrder& order,
                                  std::span<const Projection> projections, std::uint64_t seed = 0,
                                  const Options& options = {});
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_prove_head_order(const Convention& from, const Convention& to,
                                                                          const HeadOrder& order,
                                                                          std::span<const Projection> projections,
                                                                          const Options& options = {});

namespace detail {
POSENC_EXPORT HeadOrder head_order(const Convention& from, const Convention& to, std::int64_t head,
                                   const Context& context);
POSENC_EXPORT void reorder_head(const HeadOrder& order, std::span<const std::byte> in, std::span<std::byte> out);
POSENC_EXPORT void reorder_rows(const HeadOrder& order, const Projection& projection, std::span<const std::byte> in,
                                std::span<std::byte> out);
/// The problem that core.h excepts, or nothing.
POSENC_EXPORT std::optional<Problem> prove_head_order(const Convention& from, const Convention& to,
                                                      const HeadOrder& order, std::span<const Projection> projections,
                                                      const Context& context, std::uint64_t seed, HeadProof& proof);
}  // namespace detail

inline HeadOrder head_order(const Convention& from, const Convention& to, std::int64_t head, const Options& options) {
  require(check_head_order(from, to, head, options));
  return detail::head_order(from, to, head, options.context);
}
inline void reorder_head(const HeadOrder& order, std::span<const std::byte> in, std::span<std::byte> out) {
  require(check_reorder_head(order, in, out));
  detail::reorder_head(order, in, out);
}
inline void reorder_rows(const HeadOrder& order, const Projection& projection, std::span<const std::byte> in,
                         std::span<std::byte> out) {
  require(check_reorder_rows(order, projection, in, out));
  detail::reorder_rows(order, projection, in, out);
}
inline HeadProof prove_head_order(const Convention& from, const Convention& to, const HeadOrder& order,
                                  std::span<const Projection> projections, std::uint64_t seed, const Options& options) {
  require(check_prove_head_order(from, to, order, projections, options));
  HeadProof proof;
  require(detail::prove_head_order(from, to, order, projections, options.context, seed, proof));
  return proof;
}

}  // namespace posenc
