// SPDX-License-Identifier: Apache-2.0
// Attention of 8 heads of 64 columns over sequences of 512 to 8192 tokens, one decoding step, and what a tile is made
// of.
#include <posenc/transformer/attention.h>

#include "bench/buffer.h"
#include "bench/words.h"
#include "src/transformer/kernels/product.h"
#include "src/transformer/kernels/softmax.h"

#include <limits>

namespace posenc::bench {
namespace {

constexpr std::int64_t heads = 8, width = 64;

// The queries are the last of the tokens that the keys are.
Work attend(std::int64_t queries, std::int64_t keys, Sight sight) {
  const auto q = numbers(heads * queries * width, 1), k = numbers(heads * keys * width, 2),
             v = numbers(heads * keys * width, 3);
  const auto out = buffer(heads * queries * width * 4);
  const auto rows = [](const auto& of, std::int64_t tokens) {
    return view(of->template as<float>(), {1, heads, tokens, width});
  };
  const View of_q = rows(q, queries), of_k = rows(k, keys), of_v = rows(v, keys), to = rows(out, queries);
  return {.run =
              [=](const Executor& executor) {
                AttentionOptions options = {.score = Score::scaled_dot, .sight = sight, .first = keys - queries};
                options.executor = executor;
                attention(of_q, of_k, of_v, to, options);
              },
          .out = out->bytes(),
          .owns = {q, k, v, out}};
}

// Of one tile, 128 queries by 512 keys: its scores, their softmax, and the values that they weight.
enum class Part : std::uint8_t { scores = 1, softmax, values };

Work tile(Part part) {
  constexpr std::int64_t queries = 128, keys = 512;
  const auto q = numbers(queries * width, 1), k = numbers(keys * width, 2), scores = numbers(queries * keys, 3);
  const auto out = buffer(queries * width * 4);
  return {.run =
              [=](const Executor&) {
                using kernels::Right;
                const kernels::Matrix of_q = {q->as<float>(), queries, width, width};
                const kernels::Matrix of_k = {k->as<float>(), keys, width, width};
                const kernels::Matrix weights = {scores->as<float>(), queries, keys, keys};
                float maximum[queries], sum[queries] = {}, factor[queries];
                std::fill_n(maximum, queries, -std::numeric_limits<float>::infinity());
                switch (part) {
                  case Part::scores:
                    return kernels::product(of_q, of_k, Right::transposed, 0.125f, 0, scores->as<float>(), keys);
                  case Part::softmax:  // of its own weights from the second pass on, which takes as long
                    return kernels::softmax_step(
                        {scores->as<float>(), keys, queries, keys, keys, 0, nullptr, 0, 0, 0, 0}, maximum, sum, factor);
                  case Part::values:
                    return kernels::product(weights, of_k, Right::as_it_is, 1, 1, out->as<float>(), width);
                }
              },
          .out = part == Part::values ? out->bytes() : scores->bytes(),
          .owns = {q, k, scores, out}};
}

Row tile_row(const std::string& name, Part part) {
  return {"tile, " + name, "128 x 512 x 64", Ceiling::none, no_floor, no_floor, [=] { return tile(part); }, {1}};
}

Row row(const std::string& operation, std::int64_t tokens, Sight sight) {
  Row made = {operation, "8 x " + std::to_string(tokens) + " x 64",    Ceiling::none, no_floor,
              no_floor,  [=] { return attend(tokens, tokens, sight); }};
  made.memory = std::int64_t{2} << 20;  // at every length
  return made;
}

}  // namespace

std::vector<Row> attention_rows(const Scope& scope) {
  std::vector<Row> rows;
  for (const std::int64_t tokens : {512, 1024, 2048, 4096, 8192}) {
    if (scope.extent == Scope::Extent::quick && tokens > 2048) break;
    rows.push_back(row("attention", tokens, Sight::all));
    rows.push_back(row("attention, causal", tokens, Sight::past));
  }
  rows.push_back({"attention step", "8 x 2048 x 64", Ceiling::none, no_floor, no_floor,
                  [] { return attend(1, 2048, Sight::all); }});
  rows.push_back(tile_row("scores", Part::scores));
  rows.push_back(tile_row("softmax", Part::softmax));
  rows.push_back(tile_row("values", Part::values));
  return rows;
}

}  // namespace posenc::bench
