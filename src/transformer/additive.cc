// SPDX-License-Identifier: Apache-2.0
// Additive attention in tiles: keys projected once, the scores of a block of queries and a block of keys, one step of
// the softmax, and the values that they weight added to what is there.
#include <posenc/transformer/additive.h>

#include "src/base/blocks.h"
#include "src/transformer/kernels/activations.h"
#include "src/transformer/kernels/tanh.h"
#include "src/transformer/matrices.h"
#include "src/transformer/rules.h"

#include <limits>

namespace posenc {
namespace {

// Queries and keys of a tile: 64 KiB of scores, and as much of keys where a is 32.
constexpr std::int64_t additive_tile_queries = 32, additive_tile_keys = 512;
// Scores that additive_weights holds at a time, as far as one row allows.
constexpr std::int64_t additive_scores_at_once = 1 << 14;
// Hyperbolic tangents of a job: about 20 us.
constexpr std::int64_t least_tangents = 1 << 15;

// What the scores of all sequences are made from.
struct Scores {
  const Additive& weights;
  const ConstView &queries, &keys;
  const AdditiveOptions& options;
  std::int64_t width = weights.direction.size(0), stride = whole_vectors(keys.size(1));
  Floats bias = floats(width);                                   // of queries and keys
  Floats projected = floats(keys.size(0) * width * stride + 1);  // keys: [B, a, S], S in whole vectors

  std::int64_t length(std::int64_t b) const { return length_of(options.lengths, b, keys.size(1)); }
  std::int64_t seen(std::int64_t b, std::int64_t i) const { return seen_of(options, length(b), i); }
  const float* keys_of(std::int64_t b) const { return projected.data() + b * width * stride; }
};

void add_biases(const Additive& weights, std::int64_t width, float* sum) {
  std::fill_n(sum, width, 0.0f);
  for (const float* bias : {bias_of(weights.query), bias_of(weights.key)}) {
    for (std::int64_t c = 0; bias != nullptr && c < width; ++c) sum[c] += bias[c];
  }
}

void project_keys(const Scores& scores) {
  const std::int64_t parts = blocks(scores.keys.size(1), additive_tile_keys);
  for_blocks(scores.options.executor, scores.keys.size(0) * parts, 1, [&](std::int64_t i, std::int64_t) {
    const std::int64_t b = i / parts, first = i % parts * additive_tile_keys;
    const std::int64_t count = std::min(additive_tile_keys, scores.length(b) - first);
    if (count <= 0) return;
    const Matrices keys(scores.keys, count);
    float* to = scores.projected.data() + b * scores.width * scores.stride + first;
    kernels::product(matrix(scores.weights.key.weight), keys.at(b, first, count), kernels::Right::transposed, 1, 0, to,
                     scores.stride);
    for (std::int64_t c = 0; c < scores.width; ++c) {
      std::fill(to + c * scores.stride + count, to + c * scores.stride + whole_vectors(count), 0.0f);
    }
  });
}

Scores make_ready(const Additive& weights, const ConstView& queries, const ConstView& keys,
                  const AdditiveOptions& options) {
  Scores scores = {weights, queries, keys, options};
  add_biases(weights, scores.width, scores.bias.data());
  project_keys(scores);
  return scores;
}

// Queries [first, first + rows) of a sequence, and the running softmax of each.
struct AdditiveBlock {
  const Scores& of;
  std::int64_t b, first, rows;
  Floats projected;
  float maximum[additive_tile_queries], sum[additive_tile_queries], factor[additive_tile_queries];

  AdditiveBlock(const Scores& scores, const Matrices& queries, std::int64_t sequence, std::int64_t begin,
                std::int64_t count)
      : of(scores), b(sequence), first(begin), rows(count), projected(floats(count * scores.width)) {
    kernels::product(queries.at(b, first, rows), matrix(of.weights.query.weight), kernels::Right::transposed, 1, 0,
                     projected.data(), of.width);
    kernels::finish_rows(kernels::Curve::none, of.bias.data(), rows, of.width, projected.data(), of.width);
    std::fill_n(maximum, rows, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, rows, 0.0f);
  }

  // Keys that any of the queries sees: the last one sees most.
  std::int64_t seen() const { return std::max<std::int64_t>(0, of.seen(b, first + rows - 1)); }

  // Weights of `count` keys that begin with `key`, before the division by their sum. No more than are seen.
  void weigh(std::int64_t key, std::int64_t count, float* scores, std::int64_t stride) {
    kernels::tanh_scores({projected.data(), rows, of.width, static_cast<const float*>(of.weights.direction.data),
                          of.keys_of(b) + key, of.stride, count, scores, stride});
    kernels::ScoreTile tile = {scores, stride, rows, count, of.seen(b, first) - key, 0, nullptr, 0, 0, 0, 0};
    if (of.options.sight == Sight::past) tile.more = 1;
    if (const auto& mask = of.options.mask) {
      tile.mask =
          static_cast<const float*>(mask->data) + b * mask->stride(0) + first * mask->stride(1) + key * mask->stride(2);
      tile.mask_row = mask->stride(1);
      tile.mask_column = mask->stride(2);
    }
    kernels::softmax_step(tile, maximum, sum, factor);
  }
};

// Calls work(block) for blocks of at most `most` queries.
template <class Work>
void for_queries(const Scores& scores, std::int64_t most, const Work& work) {
  const std::int64_t all = scores.queries.size(1), size = std::clamp<std::int64_t>(all, 1, most);
  if (all == 0) return;
  const std::int64_t parts = blocks(all, size);
  const std::int64_t tangents = std::max<std::int64_t>(1, size * scores.keys.size(1) * scores.width);
  const std::int64_t together = std::max<std::int64_t>(1, least_tangents / tangents);
  for_blocks(scores.options.executor, scores.queries.size(0) * parts, together,
             [&](std::int64_t begin, std::int64_t end) {
               const Matrices queries(scores.queries, size);
               for (std::int64_t i = begin; i < end; ++i) {
                 const std::int64_t first = i % parts * size;
                 AdditiveBlock block(scores, queries, i / parts, first, std::min(size, all - first));
                 work(block);
               }
             });
}

float* out_row(const View& out, const AdditiveBlock& block, std::int64_t i) {
  return static_cast<float*>(out.data) + block.b * out.stride(0) + (block.first + i) * out.stride(1);
}

}  // namespace

void detail::additive_attention(const Additive& weights, const ConstView& queries, const ConstView& keys,
                                const ConstView& values, const View& out, const AdditiveOptions& options) {
  const DefaultEnvironment environment;
  const Scores ready = make_ready(weights, queries, keys, options);
  const std::int64_t width = values.size(2), most = std::min(keys.size(1), additive_tile_keys),
                     stride = whole_vectors(most);
  for_queries(ready, additive_tile_queries, [&](AdditiveBlock& block) {
    const Matrices of_values(values, most);
    const Floats scores = floats(block.rows * stride), sums = floats(block.rows * width);
    for (std::int64_t key = 0; key < block.seen(); key += additive_tile_keys) {
      const std::int64_t count = std::min(additive_tile_keys, block.seen() - key);
      block.weigh(key, count, scores.data(), stride);
      if (key > 0) kernels::multiply_rows(block.factor, block.rows, width, sums.data());
      kernels::product({scores.data(), block.rows, count, stride}, of_values.at(block.b, key, count),
                       kernels::Right::as_it_is, 1, key > 0 ? 1 : 0, sums.data(), width);
    }
    for (std::int64_t i = 0; i < block.rows; ++i) {
      kernels::divide_row(sums.data() + i * width, block.sum[i], width, out_row(out, block, i));
    }
  });
}

void detail::additive_weights(const Additive& weights, const ConstView& queries, const ConstView& keys, const View& out,
                              const AdditiveOptions& options) {
  const DefaultEnvironment environment;
  const Scores ready = make_ready(weights, queries, keys, options);
  const std::int64_t stride = ready.stride;
  for_queries(ready, std::clamp<std::int64_t>(additive_scores_at_once / stride, 1, additive_tile_queries),
              [&](AdditiveBlock& block) {
                const Floats scores = floats(block.rows * stride);
                block.weigh(0, block.seen(), scores.data(), stride);
                for (std::int64_t i = 0; i < block.rows; ++i) {
                  float* to = out_row(out, block, i);
                  kernels::divide_row(scores.data() + i * stride, block.sum[i], block.seen(), to);
                  std::fill(to + block.seen(), to + keys.size(1), 0.0f);
                }
              });
}

// ---- rules --------------------------------------------------------------------------------------

namespace {

void state_scores(Match& m, const Additive& weights, const ConstView& queries, const ConstView& keys,
                  const AdditiveOptions& options) {
  m.rows("queries", queries, "[B, L, d]");
  m.rows("keys", keys, "[B, S, e]");
  m.part("", weights, m["d"], m["e"]);
  state_sight(m, options);
  m.rows("mask", options.mask, "[B, L, S]", Columns::adjacent_or_repeated);
}

}  // namespace

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Additive& weights,
                                     std::int64_t queries, std::int64_t keys) {
  Match m(operation, name);
  m.bind("a", rows_of(weights.query.weight));
  m.part("query", weights.query, m["a"], queries);
  m.part("key", weights.key, m["a"], keys);
  m.rows("direction", weights.direction, "[a]");
  return m.problem();
}

std::optional<Problem> check_additive_attention(const Additive& weights, const ConstView& queries,
                                                const ConstView& keys, const ConstView& values, const View& out,
                                                const AdditiveOptions& options) {
  Match m("additive_attention");
  state_scores(m, weights, queries, keys, options);
  m.rows("values", values, "[B, S, w]");
  m.rows("out", out, "[B, L, w]");
  return m.problem();
}

std::optional<Problem> check_additive_weights(const Additive& weights, const ConstView& queries, const ConstView& keys,
                                              const View& out, const AdditiveOptions& options) {
  Match m("additive_weights");
  state_scores(m, weights, queries, keys, options);
  m.rows("out", out, "[B, L, S]");
  return m.problem();
}

}  // namespace posenc
