// SPDX-License-Identifier: Apache-2.0
// What a Transformer of 512 columns is made of: linear maps, norms, feed-forward networks, a layer of each stack, and
// steps of a decoder that keeps its keys and values.
#include <posenc/transformer/decoder.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t tokens = 512, width = 512, inner = 2048, heads = 8, steps = 128;
constexpr LayerStyle style = {NormPlace::before, Activation::gelu, Score::scaled_dot};

// Random weights and rows, and the memory of all of them.
class Tensors {
 public:
  View make(std::vector<std::int64_t> shape, float scale) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    const auto made = numbers(count, seed_++, scale);
    owns_.push_back(made);
    return detail::row_major<void*>(made->as<float>(), DType::f32, shape);
  }
  View rows(std::int64_t count, std::int64_t columns) { return make({1, count, columns}, 1); }

  // A sum of so many products is about as large as what is summed.
  Linear linear(std::int64_t outputs, std::int64_t inputs) {
    return {make({outputs, inputs}, 0x1p-4f), make({outputs}, 0.25f)};
  }
  Norm norm() { return {make({width}, 1), make({width}, 0.25f), 1e-5}; }
  FeedForward feed_forward() { return {linear(inner, width), linear(width, inner)}; }
  MultiHead multi_head() {
    return {linear(width, width), linear(width, width), linear(width, width), linear(width, width), heads, heads};
  }
  Decoder decoder() { return {{{multi_head(), norm(), multi_head(), norm(), feed_forward(), norm()}}, style}; }

  template <class Run>
  Work work(const View& out, Run run) const {
    const auto size = static_cast<std::size_t>(out.size(0) * out.size(1) * out.size(2)) * 4;
    return {.run = std::move(run), .out = {static_cast<std::byte*>(out.data), size}, .owns = owns_};
  }

 private:
  std::uint32_t seed_ = 1;
  std::vector<std::shared_ptr<const void>> owns_;
};

Work linear_map() {
  Tensors tensors;
  const Linear weights = tensors.linear(inner, width);
  const View in = tensors.rows(tokens, width), out = tensors.rows(tokens, inner);
  return tensors.work(out, [=](const Executor& executor) { linear(weights, in, out, executor); });
}

Work norm(std::int64_t count) {
  Tensors tensors;
  const Norm weights = tensors.norm();
  const View in = tensors.rows(count, width), out = tensors.rows(count, width);
  Work work = tensors.work(out, [=](const Executor& executor) { normalize(weights, in, out, executor); });
  work.in = {static_cast<const std::byte*>(in.data), work.out.size()};
  return work;
}

Work network() {
  Tensors tensors;
  const FeedForward weights = tensors.feed_forward();
  const View in = tensors.rows(tokens, width), out = tensors.rows(tokens, width);
  return tensors.work(out,
                      [=](const Executor& executor) { feed_forward(weights, Activation::gelu, in, out, executor); });
}

Work encoder_layer() {
  Tensors tensors;
  const Encoder encoder = {{{tensors.multi_head(), tensors.norm(), tensors.feed_forward(), tensors.norm()}}, style};
  const View in = tensors.rows(tokens, width), out = tensors.rows(tokens, width);
  return tensors.work(out, [=](const Executor& executor) { encode(encoder, in, std::nullopt, out, executor); });
}

// All tokens at once, beside as many of an encoder's.
Work decoder_layer() {
  Tensors tensors;
  const Decoder decoder = tensors.decoder();
  const View memory = tensors.rows(tokens, width), in = tensors.rows(tokens, width), out = tensors.rows(tokens, width);
  return tensors.work(out, [=](const Executor& executor) {
    DecoderCache cache(decoder, memory, std::nullopt, tokens, executor);
    decode(decoder, in, cache, out, executor);
  });
}

// One token after the other.
Work decoding() {
  Tensors tensors;
  const Decoder decoder = tensors.decoder();
  const View memory = tensors.rows(tokens, width), in = tensors.rows(steps, width), out = tensors.rows(steps, width);
  const auto token = [](const View& rows, std::int64_t t) {
    return view(static_cast<float*>(rows.data) + t * width, {1, 1, width});
  };
  return tensors.work(out, [=](const Executor& executor) {
    DecoderCache cache(decoder, memory, std::nullopt, steps, executor);
    for (std::int64_t t = 0; t < steps; ++t) decode(decoder, token(in, t), cache, token(out, t), executor);
  });
}

Row row(std::string operation, std::string size, std::function<Work()> make) {
  return {std::move(operation), std::move(size), Ceiling::none, no_floor, no_floor, std::move(make)};
}

}  // namespace

std::vector<Row> layers_rows(const Scope&) {
  return {row("linear", "512 x 512 x 2048", linear_map),
          {"norm", "512 x 512", Ceiling::copy, no_floor, no_floor, [] { return norm(tokens); }},
          {"norm", "32768 x 512", Ceiling::copy, no_floor, no_floor, [] { return norm(32768); }},
          row("feed-forward", "512 x 512 x 2048", network),
          row("encoder layer", "512 x 512", encoder_layer),
          row("decoder layer", "512 x 512", decoder_layer),
          row("decoding with cache", "128 of 512 x 512", decoding)};
}

}  // namespace posenc::bench
