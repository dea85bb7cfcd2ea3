// SPDX-License-Identifier: Apache-2.0
// Attention in tiles: the scores of a block of queries and a block of keys, one step of the softmax, and the values
// that they weight added to what is there.
#include <posenc/transformer/attention.h>

#include "src/base/blocks.h"
#include "src/transformer/matrices.h"
#include "src/transformer/rules.h"

#include <limits>

namespace posenc {
namespace {

// Queries and keys of a tile: its scores, 256 KiB, stay in the second-level cache (docs/transformer.md).
constexpr std::int64_t tile_queries = 128, tile_keys = 512;
// Multiplications of a job: about 10 us, beside which handing it out is cheap.
constexpr std::int64_t least_multiplications = 1 << 20;
// Scores that attention_weights holds at a time, as far as one row allows.
constexpr std::int64_t scores_at_once = 1 << 16;

const float* row_at(const ConstView& view, std::int64_t b, std::int64_t h, std::int64_t i) {
  return static_cast<const float*>(view.data) + b * view.stride(0) + h * view.stride(1) + i * view.stride(2);
}

// What makes the scores of one head, as numbers.
struct Head {
  const AttentionOptions& options;
  std::int64_t b, h, group;
  std::int64_t length;  // keys before the padding
  float scale, slope;

  Head(const ConstView& queries, const ConstView& keys, const AttentionOptions& of, std::int64_t index)
      : options(of),
        b(index / queries.size(1)),
        h(index % queries.size(1)),
        group(h / (queries.size(1) / keys.size(1))),
        length(length_of(of.lengths, b, keys.size(2))),
        scale(scale_of(of.score, queries.size(3))),
        slope(of.slopes.empty() ? 0.0f : of.slopes[static_cast<std::size_t>(h)]) {}

  std::int64_t seen(std::int64_t i) const { return seen_of(options, length, i); }
};

// Queries [first, first + rows) of a head, and the running softmax of each.
struct Block {
  const Head& head;
  kernels::Matrix queries;
  std::int64_t first;
  float maximum[tile_queries], sum[tile_queries], factor[tile_queries];

  Block(const Head& of, const kernels::Matrix& rows, std::int64_t begin) : head(of), queries(rows), first(begin) {
    std::fill_n(maximum, rows.rows, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, rows.rows, 0.0f);
  }

  // Keys that any of the queries sees: the last one sees most.
  std::int64_t seen() const { return std::max<std::int64_t>(0, head.seen(first + queries.rows - 1)); }

  // Scores of keys that begin with `key` become weights. No more keys than the last query sees.
  void weigh(std::int64_t key, std::int64_t keys, float* scores, std::int64_t stride) {
    kernels::ScoreTile tile = {scores, stride, queries.rows, keys, head.seen(first) - key, 0, nullptr, 0, 0, 0, 0};
    if (head.options.sight == Sight::past) tile.more = 1;
    if (const auto& mask = head.options.mask) {
      tile.mask = row_at(*mask, head.b, head.h, first) + key * mask->stride(3);
      tile.mask_row = mask->stride(2);
      tile.mask_column = mask->stride(3);
    }
    tile.slope = head.slope;
    tile.distance = head.options.first + first - key;
    kernels::softmax_step(tile, maximum, sum, factor);
  }
};

// Queries of all heads in blocks of `block`, and as many blocks a job as make it worth handing out.
struct Plan {
  std::int64_t rows, block, parts, count, together;

  // `work` is that of one query.
  Plan(const ConstView& queries, std::int64_t most, std::int64_t work)
      : rows(queries.size(2)),
        block(std::clamp<std::int64_t>(rows, 1, most)),
        parts(blocks(rows, block)),
        count(rows == 0 ? 0 : queries.size(0) * queries.size(1) * parts),
        // Keys and values that a single query reads come from memory: it takes as long as five of a block.
        together(std::max<std::int64_t>(1, least_multiplications / std::max<std::int64_t>(1, (block + 4) * work))) {}

  std::int64_t head(std::int64_t index) const { return index / parts; }
  std::int64_t first(std::int64_t index) const { return index % parts * block; }
  std::int64_t queries(std::int64_t index) const { return std::min(block, rows - first(index)); }
};

float* out_row(const View& out, const Block& block, std::int64_t i) {
  return const_cast<float*>(row_at(out, block.head.b, block.head.h, block.first + i));
}

}  // namespace

void detail::attention(const ConstView& queries, const ConstView& keys, const ConstView& values, const View& out,
                       const AttentionOptions& options) {
  const std::int64_t width = values.size(3), most = std::min(keys.size(2), tile_keys), stride = whole_vectors(most);
  const Plan plan(queries, tile_queries, keys.size(2) * (queries.size(3) + width));
  for_blocks(options.executor, plan.count, plan.together, [&](std::int64_t begin, std::int64_t end) {
    const Matrices of_queries(queries, plan.block), of_keys(keys, most), of_values(values, most);
    const Floats scores = floats(plan.block * stride), sums = floats(plan.block * width);
    for (std::int64_t index = begin; index < end; ++index) {
      const Head head(queries, keys, options, plan.head(index));
      const std::int64_t first = plan.first(index), rows = plan.queries(index);
      Block block(head, of_queries.at(head.b, head.h, first, rows), first);
      for (std::int64_t key = 0; key < block.seen(); key += tile_keys) {
        const std::int64_t count = std::min(tile_keys, block.seen() - key);
        kernels::product(block.queries, of_keys.at(head.b, head.group, key, count), kernels::Right::transposed,
                         head.scale, 0, scores.data(), stride);
        block.weigh(key, count, scores.data(), stride);
        if (key > 0) kernels::multiply_rows(block.factor, rows, width, sums.data());
        kernels::product({scores.data(), rows, count, stride}, of_values.at(head.b, head.group, key, count),
                         kernels::Right::as_it_is, 1, key > 0 ? 1 : 0, sums.data(), width);
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        kernels::divide_row(sums.data() + i * width, block.sum[i], width, out_row(out, block, i));
      }
    }
  });
}

void detail::attention_weights(const ConstView& queries, const ConstView& keys, const View& out,
                               const AttentionOptions& options) {
  const std::int64_t columns = keys.size(2), stride = whole_vectors(columns);
  const std::int64_t at_once = std::clamp<std::int64_t>(scores_at_once / stride, 1, tile_queries);
  const Plan plan(queries, at_once, columns * queries.size(3));
  for_blocks(options.executor, plan.count, plan.together, [&](std::int64_t begin, std::int64_t end) {
    const Matrices of_queries(queries, plan.block), of_keys(keys, std::min(columns, tile_keys));
    const Floats scores = floats(plan.block * stride);
    for (std::int64_t index = begin; index < end; ++index) {
      const Head head(queries, keys, options, plan.head(index));
      const std::int64_t first = plan.first(index), rows = plan.queries(index);
      Block block(head, of_queries.at(head.b, head.h, first, rows), first);
      for (std::int64_t key = 0; key < block.seen(); key += tile_keys) {
        kernels::product(block.queries, of_keys.at(head.b, head.group, key, std::min(tile_keys, block.seen() - key)),
                         kernels::Right::transposed, head.scale, 0, scores.data() + key, stride);
      }
      block.weigh(0, block.seen(), scores.data(), stride);
      for (std::int64_t i = 0; i < rows; ++i) {
        float* to = out_row(out, block, i);
        kernels::divide_row(scores.data() + i * stride, block.sum[i], block.seen(), to);
        std::fill(to + block.seen(), to + columns, 0.0f);
      }
    }
  });
}

// ---- rules --------------------------------------------------------------------------------------

namespace {

void state_queries_and_keys(Match& m, const ConstView& queries, const ConstView& keys) {
  m.rows("queries", queries, "[B, H, L, d]");
  m.rows("keys", keys, "[B, G, S, d]");
  const std::int64_t heads = m["H"], groups = m["G"];
  m.must(groups == 0 ? heads == 0 : heads % groups == 0, {"heads of queries must be a multiple of those of keys"},
         {heads, " and ", groups});
}

}  // namespace

void state_options(Match& m, const AttentionOptions& options) {
  state_score(m, options.score);
  state_sight(m, options);
  m.rows("mask", options.mask, "[B, H, L, S]", Columns::adjacent_or_repeated);
  if (options.slopes.empty()) return;
  const std::int64_t slopes = std::ssize(options.slopes), heads = m["H"];
  m.must(slopes == heads, {"slopes must be as many as heads, ", heads}, {slopes});
  m.finite("slopes", options.slopes);
}

std::optional<Problem> check_attention(const ConstView& queries, const ConstView& keys, const ConstView& values,
                                       const View& out, const AttentionOptions& options) {
  Match m("attention");
  state_queries_and_keys(m, queries, keys);
  m.rows("values", values, "[B, G, S, e]");
  state_options(m, options);
  m.rows("out", out, "[B, H, L, e]");
  return m.problem();
}

std::optional<Problem> check_attention_weights(const ConstView& queries, const ConstView& keys, const View& out,
                                               const AttentionOptions& options) {
  Match m("attention_weights");
  state_queries_and_keys(m, queries, keys);
  state_options(m, options);
  m.rows("out", out, "[B, H, L, S]");
  return m.problem();
}

}  // namespace posenc
