// SPDX-License-Identifier: Apache-2.0
// The encoder: its layers, one after another, over rows that change in place.
#include <posenc/encoder.h>

#include "src/transformer/lengths.h"
#include "src/transformer/rows.h"
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

std::optional<Problem> check_call(std::string_view operation, const Encoder& encoder, const ConstView& in,
                                  const std::optional<ConstView>& lengths) {
  if (auto problem = check_sequences(operation, "in", in)) return problem;
  if (auto problem = check_stack(operation, "", encoder, in.size(-1))) return problem;
  return lengths ? check_lengths(operation, *lengths, in.size(0), in.size(1)) : std::nullopt;
}

}  // namespace

std::string_view to_string(NormPlace place) {
  switch (place) {
    case NormPlace::before: return "before";
    case NormPlace::after: return "after";
  }
  return "no place";
}

std::optional<Problem> check_stack(std::string_view operation, std::string_view name, const Encoder& encoder,
                                   std::int64_t width) {
  if (auto problem = check_style(operation, encoder.style)) return problem;
  for (std::size_t i = 0; i < encoder.layers.size(); ++i) {
    const EncoderLayer& layer = encoder.layers[i];
    const std::string of = part_of(name, "layer " + std::to_string(i));
    if (auto found = check_weights(operation, of + " attention", layer.attention, width, width)) return found;
    if (auto found = check_style_of(operation, of, encoder.style, layer.attention)) return found;
    if (auto found = check_weights(operation, of + " attention_norm", layer.attention_norm, width)) return found;
    if (auto found = check_weights(operation, of + " feed_forward", layer.feed_forward, width)) return found;
    if (auto found = check_weights(operation, of + " feed_forward_norm", layer.feed_forward_norm, width)) return found;
  }
  if (!encoder.final_norm) return std::nullopt;
  return check_weights(operation, part_of(name, "final_norm"), *encoder.final_norm, width);
}

std::optional<Problem> check_encoder(const Encoder& encoder, std::int64_t width) {
  return check_stack("encoder", "", encoder, width);
}

std::optional<Problem> check_encode(const Encoder& encoder, const ConstView& in,
                                    const std::optional<ConstView>& lengths, const View& out) {
  if (auto problem = check_call("encode", encoder, in, lengths)) return problem;
  return check_rows_out("encode", in, out, in.size(-1));
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
  constexpr std::string_view operation = "encoder_weights";
  if (auto problem = check_call(operation, encoder, in, lengths)) return problem;
  if (auto problem = check_layer(operation, layer, encoder.layers.size())) return problem;
  const std::int64_t heads = encoder.layers[static_cast<std::size_t>(layer)].attention.heads, length = in.size(1);
  return check_heads_out(operation, out, {in.size(0), heads, length, length});
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
