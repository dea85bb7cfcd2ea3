// SPDX-License-Identifier: Apache-2.0
// The decoder: its layers over the rows of new tokens, with keys and values kept.
#include <posenc/decoder.h>

#include "src/transformer/lengths.h"
#include "src/transformer/rows.h"
#include "src/transformer/stack.h"

#include <algorithm>

namespace posenc {
namespace {

bool contiguous(const View& rows) {
  return (rows.size(1) <= 1 || rows.stride(1) == rows.size(2)) &&
         (rows.size(0) <= 1 || rows.stride(0) == rows.size(1) * rows.size(2));
}

// Self attention of a layer; the cache grows.
void attend_self(const DecoderLayer& layer, const Stack& stack, KeyValues& cache, const Executor& executor) {
  const std::int64_t first = cache.length();
  const ConstView read = stack.read(layer.self_norm);
  cache.append_checked(layer.self_attention, read, stack.rotary(), executor);
  stack.attend(layer.self_attention, layer.self_norm, read, cache, stack.options(Sight::past, std::nullopt, first));
}

void run(const Decoder& decoder, std::size_t layers, const Stack& stack, DecoderCache& cache,
         const Executor& executor) {
  for (std::size_t i = 0; i < layers; ++i) {
    const DecoderLayer& layer = decoder.layers[i];
    attend_self(layer, stack, cache.layers()[i].self, executor);
    const ConstView read = stack.read(layer.cross_norm);
    stack.attend_memory(layer.cross_attention, layer.cross_norm, read, cache.layers()[i].memory, cache.lengths());
    stack.feed_forward(layer.feed_forward, layer.feed_forward_norm);
  }
}

std::optional<Problem> check_memory(std::string_view operation, const Decoder& decoder, const ConstView& memory,
                                    const std::optional<ConstView>& lengths) {
  if (auto problem = check_sequences(operation, "memory", memory)) return problem;
  if (lengths) {
    if (auto problem = check_lengths(operation, *lengths, memory.size(0), memory.size(1))) return problem;
  }
  const std::int64_t width = decoder.layers.empty() ? 1 : columns_of(decoder.layers[0].self_attention.query.weight);
  return check_stack(operation, "", decoder, width, memory.size(-1));
}

std::vector<std::int64_t> lengths_of(const ConstView& memory, const std::optional<ConstView>& lengths) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(memory.size(0)), memory.size(1));
  for (std::size_t b = 0; b < all.size() && lengths; ++b) {
    all[b] = id_at(*lengths, static_cast<std::int64_t>(b) * lengths->stride(0));
  }
  return all;
}

}  // namespace

// ---- the cache ----------------------------------------------------------------------------------

DecoderCache::DecoderCache(const Decoder& decoder, const ConstView& memory, const std::optional<ConstView>& lengths,
                           std::int64_t capacity, const Executor& executor, Checked)
    : sequences_(memory.size(0)), capacity_(capacity), lengths_(lengths_of(memory, lengths)) {
  layers_.reserve(decoder.layers.size());
  for (const DecoderLayer& layer : decoder.layers) {
    layers_.push_back({KeyValues(layer.self_attention, memory.size(0), capacity),
                       KeyValues(layer.cross_attention, memory.size(0), memory.size(1))});
    layers_.back().memory.append_checked(layer.cross_attention, memory, nullptr, executor);
  }
}

std::optional<Problem> DecoderCache::check(const Decoder& decoder, const ConstView& memory,
                                           const std::optional<ConstView>& lengths, std::int64_t capacity) {
  if (auto problem = check_memory("decoder_cache", decoder, memory, lengths)) return problem;
  if (capacity < 0) return Problem{"decoder_cache", "capacity must not be negative", std::to_string(capacity)};
  for (const DecoderLayer& layer : decoder.layers) {
    if (auto problem = KeyValues::check(layer.self_attention, memory.size(0), capacity)) return problem;
    if (auto problem = KeyValues::check(layer.cross_attention, memory.size(0), memory.size(1))) return problem;
  }
  return std::nullopt;
}

std::optional<Problem> DecoderCache::check_reorder(std::span<const std::int64_t> from) const {
  const auto batch = static_cast<std::int64_t>(lengths_.size()), count = static_cast<std::int64_t>(from.size());
  if (batch == 0 ? count != 0 : count % batch != 0) {
    return Problem{"decoder_cache", "from must have a multiple of " + std::to_string(batch) + " entries",
                   std::to_string(count)};
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t before = sequences_ / batch, now = count / batch, first = i / now * before;
    const std::int64_t entry = from[static_cast<std::size_t>(i)];
    if (entry >= first && entry < first + before) continue;
    return Problem{"decoder_cache",
                   "from must stay within a sequence of the memory, in [" + std::to_string(first) + ", " +
                       std::to_string(first + before) + ")",
                   std::to_string(entry),
                   {i}};
  }
  return std::nullopt;
}

void DecoderCache::reorder_checked(std::span<const std::int64_t> from) {
  for (Layer& layer : layers_) layer.self.reorder_checked(from);
  sequences_ = static_cast<std::int64_t>(from.size());
}

// ---- rules --------------------------------------------------------------------------------------

std::optional<Problem> check_stack(std::string_view operation, std::string_view name, const Decoder& decoder,
                                   std::int64_t width, std::int64_t source) {
  if (auto problem = check_style(operation, decoder.style)) return problem;
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) {
    const DecoderLayer& layer = decoder.layers[i];
    const std::string of = part_of(name, "layer " + std::to_string(i));
    if (auto found = check_weights(operation, of + " self_attention", layer.self_attention, width, width)) return found;
    if (auto found = check_style_of(operation, of, decoder.style, layer.self_attention)) return found;
    if (auto found = check_weights(operation, of + " self_norm", layer.self_norm, width)) return found;
    if (auto found = check_weights(operation, of + " cross_attention", layer.cross_attention, width, source)) {
      return found;
    }
    if (auto found = check_weights(operation, of + " cross_norm", layer.cross_norm, width)) return found;
    if (auto found = check_weights(operation, of + " feed_forward", layer.feed_forward, width)) return found;
    if (auto found = check_weights(operation, of + " feed_forward_norm", layer.feed_forward_norm, width)) return found;
  }
  if (!decoder.final_norm) return std::nullopt;
  return check_weights(operation, part_of(name, "final_norm"), *decoder.final_norm, width);
}

std::optional<Problem> check_decoder(const Decoder& decoder, std::int64_t width, std::int64_t source) {
  return check_stack("decoder", "", decoder, width, source);
}

std::optional<Problem> check_decode(const Decoder& decoder, const ConstView& in, const DecoderCache& cache,
                                    const View& out) {
  constexpr std::string_view operation = "decode";
  if (auto problem = check_sequences(operation, "in", in)) return problem;
  const std::int64_t source = decoder.layers.empty() ? 1 : columns_of(decoder.layers[0].cross_attention.key.weight);
  if (auto problem = check_stack(operation, "", decoder, in.size(-1), source)) return problem;
  if (auto problem = check_rows_out(operation, in, out, in.size(-1))) return problem;
  if (in.size(0) != cache.sequences()) {
    return Problem{"decode", "in must have as many sequences as the cache, " + std::to_string(cache.sequences()),
                   std::to_string(in.size(0))};
  }
  bool fits = cache.layers().size() == decoder.layers.size();
  for (std::size_t i = 0; fits && i < decoder.layers.size(); ++i) {
    fits = cache.layers()[i].self.fits(decoder.layers[i].self_attention) &&
           cache.layers()[i].memory.fits(decoder.layers[i].cross_attention);
  }
  if (!fits) return Problem{"decode", "cache must be of this decoder", "one of other layers or heads"};
  if (in.size(1) > cache.capacity() - cache.length()) {
    return Problem{"decode",
                   "there must be room in the cache for the tokens, " +
                       std::to_string(cache.capacity() - cache.length()) + " of " + std::to_string(cache.capacity()),
                   std::to_string(in.size(1))};
  }
  return std::nullopt;
}

std::optional<Problem> check_memory_weights(const Decoder& decoder, const ConstView& in, const ConstView& memory,
                                            const std::optional<ConstView>& lengths, std::int64_t layer,
                                            const View& out) {
  constexpr std::string_view operation = "memory_weights";
  if (auto problem = check_sequences(operation, "in", in)) return problem;
  if (auto problem = check_memory(operation, decoder, memory, lengths)) return problem;
  if (auto problem = check_stack(operation, "", decoder, in.size(-1), memory.size(-1))) return problem;
  if (auto problem = check_layer(operation, layer, decoder.layers.size())) return problem;
  if (in.size(0) != memory.size(0)) {
    return Problem{std::string(operation),
                   "in must have as many sequences as memory, " + std::to_string(memory.size(0)),
                   std::to_string(in.size(0))};
  }
  const std::int64_t heads = decoder.layers[static_cast<std::size_t>(layer)].cross_attention.heads;
  return check_heads_out(operation, out, {in.size(0), heads, in.size(1), memory.size(1)});
}

// ---- rows ---------------------------------------------------------------------------------------

// The rows change in place; those of an output with gaps do so apart, because beams are seen as rows of one sequence.
void detail::decode(const Decoder& decoder, const ConstView& in, DecoderCache& cache, const View& out,
                    const Executor& executor) {
  cache.grow(in.size(1));
  if (out.count() == 0) return;
  const bool whole = contiguous(out);
  const Scratch<float> memory(whole ? 0 : static_cast<std::size_t>(in.count()));
  const View rows = whole ? out : view(memory.data(), {in.size(0), in.size(1), in.size(2)});
  copy_rows(in, rows);
  const Stack stack(decoder.style, rows, executor);
  run(decoder, decoder.layers.size(), stack, cache, executor);
  stack.finish(decoder.final_norm);
  copy_rows(rows, out);
}

void detail::memory_weights(const Decoder& decoder, const ConstView& in, const ConstView& memory,
                            const std::optional<ConstView>& lengths, std::int64_t layer, const View& out,
                            const Executor& executor) {
  if (out.count() == 0) return;
  const Scratch<float> held(static_cast<std::size_t>(in.count()));
  const View rows = view(held.data(), {in.size(0), in.size(1), in.size(2)});
  copy_rows(in, rows);
  DecoderCache cache(decoder, memory, lengths, in.size(1), executor);
  const Stack stack(decoder.style, rows, executor);
  run(decoder, static_cast<std::size_t>(layer), stack, cache, executor);
  const auto at = static_cast<std::size_t>(layer);
  const DecoderLayer& last = decoder.layers[at];
  attend_self(last, stack, cache.layers()[at].self, executor);
  detail::multi_head_weights(last.cross_attention, stack.read(last.cross_norm), cache.layers()[at].memory, out,
                             stack.memory_options(cache.lengths()), nullptr);
}

}  // namespace posenc
