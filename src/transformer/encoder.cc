// SPDX-License-Identifier: Apache-2.0
// The encoder: its layers, one after another, over rows that change in place.
#include <posenc/transformer/encoder.h>

#include "src/transformer/rules.h"
#include "src/transformer/stack.h"

namespace posenc {
namespace {

// Keys and values of one layer after another: the memory of the one before where the heads are alike.
class Cache {
 public:
  const KeyValues& of(const MultiHead& weights, const ConstView& rows, const RotaryRows* rotary,
                      const Executor& executor) {
    if (held_ && held_->fits(weights)) {
      held_->clear();
    } else {
      held_.emplace(weights, rows.size(0), rows.size(1));
    }
    held_->append_checked(weights, rows, rotary, executor);
    return *held_;
  }

 private:
  std::optional<KeyValues> held_;
};

// The rows after some layers, without the final norm.
void run(const Encoder& encoder, std::size_t layers, const Stack& stack, const std::optional<ConstView>& lengths,
         const Executor& executor) {
  Cache cache;
  for (std::size_t i = 0; i < layers; ++i) {
    const EncoderLayer& layer = encoder.layers[i];
    const ConstView read = stack.read(layer.attention_norm);
    const KeyValues& held = cache.of(layer.attention, read, stack.rotary(), executor);
    stack.attend(layer.attention, layer.attention_norm, read, held, stack.options(Sight::all, lengths, 0));
    stack.feed_forward(layer.feed_forward, layer.feed_forward_norm);
  }
}

void state_call(Match& m, const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths) {
  m.rows("in", in, "[B, L, d]");
  m.part("", encoder, m["d"]);
  state_lengths(m, lengths, m["L"]);
}

}  // namespace

std::string_view to_string(NormPlace place) {
  switch (place) {
    case NormPlace::before: return "before";
    case NormPlace::after: return "after";
  }
  return "no place";
}

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Encoder& encoder,
                                     std::int64_t width) {
  Match m(operation, name);
  state_style(m, encoder.style);
  m.each("layer", encoder.layers, [&](Match& of, const EncoderLayer& layer) {
    of.part("attention", layer.attention, width, width);
    state_style_of(of, encoder.style, layer.attention);
    of.part("attention_norm", layer.attention_norm, width);
    of.part("feed_forward", layer.feed_forward, width);
    of.part("feed_forward_norm", layer.feed_forward_norm, width);
  });
  m.part("final_norm", encoder.final_norm, width);
  return m.problem();
}

std::optional<Problem> check_encoder(const Encoder& encoder, std::int64_t width) {
  return check_weights("encoder", "", encoder, width);
}

std::optional<Problem> check_encode(const Encoder& encoder, const ConstView& in,
                                    const std::optional<ConstView>& lengths, const View& out) {
  Match m("encode");
  m.in_place("in");
  state_call(m, encoder, in, lengths);
  m.rows("out", out, "[B, L, d]");
  return m.problem();
}

void detail::encode(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                    const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  copy_rows(in, out);
  const Stack stack(encoder.style, out, executor);
  run(encoder, encoder.layers.size(), stack, lengths, executor);
  stack.finish(encoder.final_norm);
}

std::optional<Problem> check_encoder_weights(const Encoder& encoder, const ConstView& in,
                                             const std::optional<ConstView>& lengths, std::int64_t layer,
                                             const View& out) {
  Match m("encoder_weights");
  state_call(m, encoder, in, lengths);
  m.below("layer", layer, std::ssize(encoder.layers));
  if (m.ok()) m.bind("H", encoder.layers[static_cast<std::size_t>(layer)].attention.heads);
  m.rows("out", out, "[B, H, L, L]");
  return m.problem();
}

void detail::encoder_weights(const Encoder& encoder, const ConstView& in, const std::optional<ConstView>& lengths,
                             std::int64_t layer, const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  const Scratch<float> memory(static_cast<std::size_t>(in.count()));
  const View rows = view(memory.data(), {in.size(0), in.size(1), in.size(2)});
  copy_rows(in, rows);
  const Stack stack(encoder.style, rows, executor);
  run(encoder, static_cast<std::size_t>(layer), stack, lengths, executor);
  const EncoderLayer& last = encoder.layers[static_cast<std::size_t>(layer)];
  const ConstView read = stack.read(last.attention_norm);
  Cache cache;
  const KeyValues& held = cache.of(last.attention, read, stack.rotary(), executor);
  detail::multi_head_weights(last.attention, read, held, out, stack.options(Sight::all, lengths, 0), stack.rotary());
}

}  // namespace posenc
