// SPDX-License-Identifier: Apache-2.0
// The decoder: its layers over the rows of new tokens, with keys and values kept.
#include <posenc/transformer/decoder.h>

#include "src/transformer/rules.h"
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

void state_memory(Match& m, const ConstView& memory, const std::optional<ConstView>& lengths) {
  m.rows("memory", memory, "[B, S, s]");
  state_lengths(m, lengths, m["S"]);
}

std::vector<std::int64_t> lengths_of(const ConstView& memory, const std::optional<ConstView>& lengths) {
  std::vector<std::int64_t> all;
  for (std::int64_t b = 0; b < memory.size(0); ++b) all.push_back(length_of(lengths, b, memory.size(1)));
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
  Match m("decoder_cache");
  state_memory(m, memory, lengths);
  m.part("", decoder, decoder.layers.empty() ? 1 : columns_of(decoder.layers[0].self_attention.query.weight), m["s"]);
  m.must(capacity >= 0, {"capacity must not be negative"}, {capacity});
  for (const DecoderLayer& layer : decoder.layers) {
    m.also([&] { return KeyValues::check(layer.self_attention, m["B"], capacity); });
    m.also([&] { return KeyValues::check(layer.cross_attention, m["B"], m["S"]); });
  }
  return m.problem();
}

std::optional<Problem> DecoderCache::check_reorder(std::span<const std::int64_t> from) const {
  Match m("decoder_cache");
  const std::int64_t batch = std::ssize(lengths_), count = std::ssize(from);
  m.must(batch == 0 ? count == 0 : count % batch == 0, {"from must have a multiple of ", batch, " entries"}, {count});
  for (std::int64_t i = 0; m.ok() && i < count; ++i) {
    const std::int64_t before = sequences_ / batch, now = count / batch, first = i / now * before;
    const std::int64_t entry = from[static_cast<std::size_t>(i)];
    m.must(entry >= first && entry < first + before,
           {"from must stay within a sequence of the memory, in [", first, ", ", first + before, ")"}, {entry}, {i});
  }
  return m.problem();
}

void DecoderCache::reorder_checked(std::span<const std::int64_t> from) {
  for (Layer& layer : layers_) layer.self.reorder_checked(from);
  sequences_ = static_cast<std::int64_t>(from.size());
}

// ---- rules --------------------------------------------------------------------------------------

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Decoder& decoder,
                                     std::int64_t width, std::int64_t source) {
  Match m(operation, name);
  state_style(m, decoder.style);
  m.each("layer", decoder.layers, [&](Match& of, const DecoderLayer& layer) {
    of.part("self_attention", layer.self_attention, width, width);
    state_style_of(of, decoder.style, layer.self_attention);
    of.part("self_norm", layer.self_norm, width);
    of.part("cross_attention", layer.cross_attention, width, source);
    of.part("cross_norm", layer.cross_norm, width);
    of.part("feed_forward", layer.feed_forward, width);
    of.part("feed_forward_norm", layer.feed_forward_norm, width);
  });
  m.part("final_norm", decoder.final_norm, width);
  return m.problem();
}

std::optional<Problem> check_decoder(const Decoder& decoder, std::int64_t width, std::int64_t source) {
  return check_weights("decoder", "", decoder, width, source);
}

std::optional<Problem> check_decode(const Decoder& decoder, const ConstView& in, const DecoderCache& cache,
                                    const View& out) {
  Match m("decode");
  m.in_place("in");
  m.rows("in", in, "[B, L, d]");
  m.part("", decoder, m["d"], decoder.layers.empty() ? 1 : columns_of(decoder.layers[0].cross_attention.key.weight));
  m.rows("out", out, "[B, L, d]");
  m.must(m["B"] == cache.sequences(), {"in must have as many sequences as the cache, ", cache.sequences()}, {m["B"]});
  const auto fits = [](const DecoderCache::Layer& held, const DecoderLayer& layer) {
    return held.self.fits(layer.self_attention) && held.memory.fits(layer.cross_attention);
  };
  m.must(std::ranges::equal(cache.layers(), decoder.layers, fits), {"cache must be of this decoder"},
         {"one of other layers or heads"});
  const std::int64_t room = cache.capacity() - cache.length();
  m.must(m["L"] <= room, {"there must be room in the cache for the tokens, ", room, " of ", cache.capacity()},
         {m["L"]});
  return m.problem();
}

std::optional<Problem> check_memory_weights(const Decoder& decoder, const ConstView& in, const ConstView& memory,
                                            const std::optional<ConstView>& lengths, std::int64_t layer,
                                            const View& out) {
  Match m("memory_weights");
  m.rows("in", in, "[B, L, d]");
  state_memory(m, memory, lengths);
  m.part("", decoder, m["d"], m["s"]);
  m.below("layer", layer, std::ssize(decoder.layers));
  if (m.ok()) m.bind("H", decoder.layers[static_cast<std::size_t>(layer)].cross_attention.heads);
  m.rows("out", out, "[B, H, L, S]");
  return m.problem();
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
