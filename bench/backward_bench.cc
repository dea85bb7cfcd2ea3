// SPDX-License-Identifier: Apache-2.0
// The gradient of embedding rows: 16384 tokens, their plan made in every call, as a training step makes it.
#include <posenc/backward.h>
#include <posenc/preset.h>

#include "bench/buffer.h"
#include "bench/ids.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t tokens = 16384, width = 512;

enum class Gradient : std::uint8_t { dense = 1, touched };

Work gradient(Gradient kind, Ids of_ids) {
  const auto embedding = buffer(vocabulary * width * 4), in = buffer(tokens * width * 4);
  const auto ids = std::make_shared<const std::vector<std::int32_t>>(make_ids(of_ids, tokens));
  const InputStage stage(view(embedding->as<const float>(), {vocabulary, width}), preset("transformer").convention,
                         {.scale = Scale::none});
  const ConstView of_tokens = view(ids->data(), {tokens}), from = view(in->as<const float>(), {tokens, width});
  const std::int64_t rows = kind == Gradient::dense ? vocabulary : std::ssize(Backward(stage, of_tokens).touched());
  const auto out = buffer(rows * width * 4);
  const View to = view(out->as<float>(), {rows, width});
  return {.run =
              [=](const Executor& executor) {
                const Backward plan(stage, of_tokens);
                EncodeOptions options;
                options.executor = executor;
                kind == Gradient::dense ? plan.write(from, to, options) : plan.write_touched(from, to, options);
              },
          .out = out->bytes(),
          .in = in->bytes(),
          .owns = {embedding, in, ids, out}};
}

Row gradient_row(const std::string& operation, Gradient kind, Ids ids, Floor floor) {
  return {operation, "16384 x 512", Ceiling::read_then_stream, floor, floor, [=] { return gradient(kind, ids); }};
}

}  // namespace

std::vector<Row> backward_rows(const Scope&) {
  return {
      gradient_row("backward dense, uniform ids", Gradient::dense, Ids::uniform, share(0.6)),
      gradient_row("backward dense, Zipf ids", Gradient::dense, Ids::zipf, share(0.6)),
      gradient_row("backward touched, uniform ids", Gradient::touched, Ids::uniform, no_floor),
      gradient_row("backward touched, Zipf ids", Gradient::touched, Ids::zipf, no_floor),
  };
}

}  // namespace posenc::bench
