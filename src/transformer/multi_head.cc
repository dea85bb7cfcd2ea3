// SPDX-License-Identifier: Apache-2.0
// Attention of several heads: queries, keys and values projected, turned, attended to, projected back.
#include <posenc/transformer/multi_head.h>

#include "src/transformer/into.h"
#include "src/transformer/matrices.h"
#include "src/transformer/rules.h"

namespace posenc {
namespace {

// Rows [B, n, H h], contiguous but for the step between sequences, as heads [B, H, n, h].
View heads_of(float* rows, std::int64_t batch, std::int64_t tokens, std::int64_t heads, std::int64_t width,
              std::int64_t sequence) {
  const std::int64_t row = heads * width;
  return {rows, DType::f32, 4, {batch, heads, tokens, width}, {sequence, width, row, 1}};
}

void turn(const RotaryRows* rotary, RotatedSide side, std::int64_t first, const View& heads, const Executor& executor) {
  if (rotary == nullptr || heads.count() == 0) return;
  const Rotated one[] = {{heads, side, TokenAxis::before_columns}};
  // Attention is bounded, not exact (core.h): so are its angles.
  static_cast<void>(rotary->rotate_checked(Positions::range(first, heads.size(2)), one, Direction::forward, executor));
}

// The queries of `in`, [B, H, L, h], in memory of their own.
struct Queries {
  Floats memory;
  View heads;

  Queries(const MultiHead& weights, const ConstView& in, const AttentionOptions& options, const RotaryRows* rotary)
      : memory(static_cast<std::size_t>(in.size(0) * in.size(1) * rows_of(weights.query.weight))) {
    const std::int64_t batch = in.size(0), tokens = in.size(1), columns = rows_of(weights.query.weight);
    linear_into(Into::place, weights.query, in, view(memory.data(), {batch, tokens, columns}), options.executor);
    heads = heads_of(memory.data(), batch, tokens, weights.heads, head_width(weights), tokens * columns);
    turn(rotary, RotatedSide::query, options.first, heads, options.executor);
  }
};

void state_call(Match& m, const MultiHead& weights, const ConstView& in, const KeyValues& cache,
                const AttentionOptions& options, const RotaryRows* rotary) {
  m.rows("in", in, "[B, L, d]");
  m.part("", weights, m["d"], columns_of(weights.key.weight));
  m.bind("G", weights.key_heads);
  m.bind("h", head_width(weights));
  m.rows("cache", cache.keys(), "[B, G, S, h]");
  state_rotary(m, rotary, m["h"]);
  m.bind("H", weights.heads);
  state_options(m, options);
}

}  // namespace

// ---- the cache ----------------------------------------------------------------------------------

KeyValues::KeyValues(const MultiHead& weights, std::int64_t batch, std::int64_t capacity, Checked)
    : batch_(batch),
      heads_(weights.key_heads),
      width_(head_width(weights)),
      capacity_(capacity),
      keys_(static_cast<std::size_t>(batch * capacity * heads_ * width_)),
      values_(keys_.size()) {}

std::optional<Problem> KeyValues::check(const MultiHead& weights, std::int64_t batch, std::int64_t capacity) {
  Match m("key_values");
  m.part("", weights, columns_of(weights.query.weight), columns_of(weights.key.weight));
  if (!m.ok()) return m.problem();
  constexpr std::int64_t most = std::int64_t{1} << 40;  // elements; far beyond memory, and products of them fit
  const std::int64_t row = std::max<std::int64_t>(1, weights.key_heads * head_width(weights));
  m.must(batch >= 0 && capacity >= 0 && batch <= most && capacity <= most &&
             (batch == 0 || capacity <= most / row / batch),
         {"batch and capacity must not be negative, nor beyond memory"}, {batch, " and ", capacity});
  return m.problem();
}

ConstView KeyValues::keys() const {
  return heads_of(const_cast<float*>(keys_.data()), batch_, length_, heads_, width_, capacity_ * heads_ * width_);
}

ConstView KeyValues::values() const {
  return heads_of(const_cast<float*>(values_.data()), batch_, length_, heads_, width_, capacity_ * heads_ * width_);
}

bool KeyValues::fits(const MultiHead& weights) const {
  return weights.key_heads == heads_ && head_width(weights) == width_;
}

std::optional<Problem> KeyValues::check_append(const MultiHead& weights, const ConstView& source,
                                               const RotaryRows* rotary) const {
  Match m("key_values");
  m.rows("source", source, "[B, L, d]");
  m.part("", weights, columns_of(weights.query.weight), m["d"]);
  m.must(m["B"] == batch_, {"source must have as many sequences as the cache, ", batch_}, {m["B"]});
  m.must(fits(weights), {"weights must have the heads of the cache, [", heads_, ", ", width_, "]"},
         {"[", weights.key_heads, ", ", head_width(weights), "]"});
  const std::int64_t room = capacity_ - length_;
  m.must(m["L"] <= room, {"there must be room for the tokens, ", room, " of ", capacity_}, {m["L"]});
  state_rotary(m, rotary, width_);
  return m.problem();
}

void KeyValues::append_checked(const MultiHead& weights, const ConstView& source, const RotaryRows* rotary,
                               const Executor& executor) {
  const std::int64_t tokens = source.size(1), row = heads_ * width_, sequence = capacity_ * row;
  const auto project = [&](const Linear& projection, std::vector<float>& to) {
    float* first = to.data() + length_ * row;
    const View rows = {first, DType::f32, 3, {batch_, tokens, row}, {sequence, row, 1}};
    linear_into(Into::place, projection, source, rows, executor);
    return heads_of(first, batch_, tokens, heads_, width_, sequence);
  };
  const View keys = project(weights.key, keys_);
  project(weights.value, values_);
  turn(rotary, RotatedSide::key, length_, keys, executor);
  length_ += tokens;
}

std::optional<Problem> KeyValues::check_reorder(std::span<const std::int64_t> from) const {
  Match m("key_values");
  m.below("from", from, batch_);
  return m.problem();
}

void KeyValues::reorder_checked(std::span<const std::int64_t> from) {
  std::int64_t kept = 0;
  while (kept < std::ssize(from) && from[static_cast<std::size_t>(kept)] == kept) ++kept;
  if (kept == batch_ && kept == std::ssize(from)) return;
  const std::int64_t sequence = capacity_ * heads_ * width_, held = length_ * heads_ * width_;
  for (std::vector<float>* of : {&keys_, &values_}) {
    spare_.resize(from.size() * static_cast<std::size_t>(sequence));
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::copy_n(of->data() + from[i] * sequence, held, spare_.data() + static_cast<std::int64_t>(i) * sequence);
    }
    std::swap(*of, spare_);
  }
  batch_ = static_cast<std::int64_t>(from.size());
}

// ---- attention ----------------------------------------------------------------------------------

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const MultiHead& weights,
                                     std::int64_t width, std::int64_t source) {
  Match m(operation, name);
  const std::int64_t heads = weights.heads, key_heads = weights.key_heads;
  m.must(heads >= 1 && key_heads >= 1 && heads % key_heads == 0,
         {"heads must be a multiple of key_heads, both at least 1"}, {heads, " and ", key_heads});
  if (!m.ok()) return m.problem();
  const std::int64_t queries = rows_of(weights.query.weight), keys = queries / heads * key_heads;
  m.must(queries % heads == 0, {"query must have rows for ", heads, " heads alike"}, {queries});
  m.part("query", weights.query, queries, width);
  m.part("key", weights.key, keys, source);
  m.part("value", weights.value, keys, source);
  m.part("out", weights.out, width, queries);
  return m.problem();
}

std::optional<Problem> check_multi_head(const MultiHead& weights, const ConstView& in, const KeyValues& cache,
                                        const View& out, const AttentionOptions& options, const RotaryRows* rotary) {
  Match m("multi_head");
  state_call(m, weights, in, cache, options, rotary);
  m.rows("out", out, "[B, L, d]");
  return m.problem();
}

void multi_head_into(Into into, const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                     const AttentionOptions& options, const RotaryRows* rotary) {
  if (in.size(0) == 0 || in.size(1) == 0) return;
  const Queries queries(weights, in, options, rotary);
  const std::int64_t row = rows_of(weights.query.weight);
  const Floats memory = floats(in.size(0) * in.size(1) * row);
  const View heads =
      heads_of(memory.data(), in.size(0), in.size(1), weights.heads, head_width(weights), in.size(1) * row);
  detail::attention(queries.heads, cache.keys(), cache.values(), heads, options);
  const ConstView attended = view(memory.data(), {in.size(0), in.size(1), row});
  linear_into(into, weights.out, attended, out, options.executor);
}

void detail::multi_head(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                        const AttentionOptions& options, const RotaryRows* rotary) {
  multi_head_into(Into::place, weights, in, cache, out, options, rotary);
}

std::optional<Problem> check_multi_head_weights(const MultiHead& weights, const ConstView& in, const KeyValues& cache,
                                                const View& out, const AttentionOptions& options,
                                                const RotaryRows* rotary) {
  Match m("multi_head_weights");
  state_call(m, weights, in, cache, options, rotary);
  m.rows("out", out, "[B, H, L, S]");
  return m.problem();
}

void detail::multi_head_weights(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                                const AttentionOptions& options, const RotaryRows* rotary) {
  if (out.count() == 0) return;
  const Queries queries(weights, in, options, rotary);
  detail::attention_weights(queries.heads, cache.keys(), out, options);
}

}  // namespace posenc
