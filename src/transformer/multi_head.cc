// SPDX-License-Identifier: Apache-2.0
// Attention of several heads: queries, keys and values projected, turned, attended to, projected back.
#include <posenc/multi_head.h>

#include "src/transformer/into.h"
#include "src/transformer/matrices.h"
#include "src/transformer/rows.h"

namespace posenc {
namespace {

std::int64_t head_width(const MultiHead& weights) { return rows_of(weights.query.weight) / weights.heads; }

// Rows [B, n, H h], contiguous but for the step between sequences, as heads [B, H, n, h].
View heads_of(float* rows, std::int64_t batch, std::int64_t tokens, std::int64_t heads, std::int64_t width,
              std::int64_t sequence) {
  const std::int64_t row = heads * width;
  return {rows, DType::f32, 4, {batch, heads, tokens, width}, {sequence, width, row, 1}};
}

void turn(const RotaryRows* rotary, std::int64_t first, const View& heads, const Executor& executor) {
  if (rotary == nullptr || heads.count() == 0) return;
  const Rotated one[] = {heads};
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
    turn(rotary, options.first, heads, options.executor);
  }
};

Problem problem(std::string_view operation, std::string rule, std::string value) {
  return {std::string(operation), std::move(rule), std::move(value)};
}

// Rules of rows that are projected: [B, n, d].
std::optional<Problem> check_tokens(std::string_view operation, std::string_view name, const ConstView& rows) {
  if (auto problem = check_rows(operation, name, rows)) return problem;
  if (rows.rank == 3) return std::nullopt;
  return problem(operation, std::string(name) + " must have shape [B, L, d]", shape_text(rows));
}

std::optional<Problem> check_rotary_width(std::string_view operation, const RotaryRows* rotary, std::int64_t width) {
  if (rotary == nullptr || rotary->width() <= width) return std::nullopt;
  return problem(operation, "rotary must turn at most the columns of a head, " + std::to_string(width),
                 std::to_string(rotary->width()));
}

// Queries of the shape that `in` gives: only rules look at them, so they stand where `in` does.
ConstView shape_of_queries(const MultiHead& weights, const ConstView& in) {
  const std::int64_t width = head_width(weights), row = weights.heads * width;
  return {in.data, DType::f32, 4, {in.size(0), weights.heads, in.size(1), width}, {in.size(1) * row, width, row, 1}};
}

std::optional<Problem> check_call(std::string_view operation, const MultiHead& weights, const ConstView& in,
                                  const KeyValues& cache, const RotaryRows* rotary) {
  if (auto problem = check_tokens(operation, "in", in)) return problem;
  if (auto problem = check_weights(operation, "", weights, in.size(-1), columns_of(weights.key.weight))) return problem;
  const ConstView keys = cache.keys();
  if (cache.batch() != in.size(0) || !cache.fits(weights)) {
    return problem(operation,
                   "cache must have [B, heads, columns of a head] " +
                       to_text(std::array{in.size(0), weights.key_heads, head_width(weights)}),
                   to_text(std::array{keys.size(0), keys.size(1), keys.size(3)}));
  }
  return check_rotary_width(operation, rotary, head_width(weights));
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
  constexpr std::string_view operation = "key_values";
  const std::int64_t width = columns_of(weights.query.weight), source = columns_of(weights.key.weight);
  if (auto problem = check_weights(operation, "", weights, width, source)) return problem;
  constexpr std::int64_t most = std::int64_t{1} << 40;  // elements; far beyond memory, and products of them fit
  const std::int64_t row = std::max<std::int64_t>(1, weights.key_heads * head_width(weights));
  if (batch < 0 || capacity < 0 || batch > most || capacity > most || (batch > 0 && capacity > most / row / batch)) {
    return problem(operation, "batch and capacity must not be negative, nor beyond memory",
                   std::to_string(batch) + " and " + std::to_string(capacity));
  }
  return std::nullopt;
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
  constexpr std::string_view operation = "key_values";
  if (auto problem = check_tokens(operation, "source", source)) return problem;
  const std::int64_t width = columns_of(weights.query.weight);
  if (auto problem = check_weights(operation, "", weights, width, source.size(-1))) return problem;
  if (source.size(0) != batch_) {
    return problem(operation, "source must have as many sequences as the cache, " + std::to_string(batch_),
                   std::to_string(source.size(0)));
  }
  if (!fits(weights)) {
    return problem(operation, "weights must have the heads of the cache, " + to_text(std::array{heads_, width_}),
                   to_text(std::array{weights.key_heads, head_width(weights)}));
  }
  if (source.size(1) > capacity_ - length_) {
    return problem(operation,
                   "there must be room for the tokens, " + std::to_string(capacity_ - length_) + " of " +
                       std::to_string(capacity_),
                   std::to_string(source.size(1)));
  }
  return check_rotary_width(operation, rotary, width_);
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
  turn(rotary, length_, keys, executor);
  length_ += tokens;
}

std::optional<Problem> KeyValues::check_reorder(std::span<const std::int64_t> from) const {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0 && from[i] < batch_) continue;
    Problem found =
        problem("key_values", "from must be in [0, " + std::to_string(batch_) + ")", std::to_string(from[i]));
    found.index = {static_cast<std::int64_t>(i)};
    return found;
  }
  return std::nullopt;
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
  const std::int64_t heads = weights.heads, key_heads = weights.key_heads;
  if (heads < 1 || key_heads < 1 || heads % key_heads != 0) {
    return problem(operation, part_of(name, "heads") + " must be a multiple of key_heads, both at least 1",
                   std::to_string(heads) + " and " + std::to_string(key_heads));
  }
  const std::int64_t queries = rows_of(weights.query.weight);
  if (queries % heads != 0) {
    return problem(operation, part_of(name, "query") + " must have rows for " + std::to_string(heads) + " heads alike",
                   std::to_string(queries));
  }
  const std::int64_t keys = queries / heads * key_heads;
  if (auto found = check_weights(operation, part_of(name, "query"), weights.query, queries, width)) return found;
  if (auto found = check_weights(operation, part_of(name, "key"), weights.key, keys, source)) return found;
  if (auto found = check_weights(operation, part_of(name, "value"), weights.value, keys, source)) return found;
  return check_weights(operation, part_of(name, "out"), weights.out, width, queries);
}

std::optional<Problem> check_multi_head(const MultiHead& weights, const ConstView& in, const KeyValues& cache,
                                        const View& out, const AttentionOptions& options, const RotaryRows* rotary) {
  if (auto problem = check_call("multi_head", weights, in, cache, rotary)) return problem;
  if (auto problem = check_rows_out("multi_head", in, out, in.size(-1))) return problem;
  const ConstView queries = shape_of_queries(weights, in);
  const View attended = {out.data, DType::f32, 4, queries.shape, queries.strides};
  return check_attention(queries, cache.keys(), cache.values(), attended, options);
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
  if (auto problem = check_call("multi_head_weights", weights, in, cache, rotary)) return problem;
  return check_attention_weights(shape_of_queries(weights, in), cache.keys(), out, options);
}

void detail::multi_head_weights(const MultiHead& weights, const ConstView& in, const KeyValues& cache, const View& out,
                                const AttentionOptions& options, const RotaryRows* rotary) {
  if (out.count() == 0) return;
  const Queries queries(weights, in, options, rotary);
  detail::attention_weights(queries.heads, cache.keys(), out, options);
}

}  // namespace posenc
