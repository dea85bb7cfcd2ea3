// SPDX-License-Identifier: Apache-2.0
// Attention of 8 heads of 64 columns over sequences of 512 to 8192 tokens, and one decoding step.
#include <posenc/attention.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t heads = 8, width = 64;

// Numbers in [-1, 1), so that scores are of either sign.
std::shared_ptr<const Buffer> numbers(std::int64_t count, std::uint32_t seed) {
  const auto made = buffer(count * 4);
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made->as<float>()[i] = static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-31f;
  }
  return made;
}

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
  return rows;
}

}  // namespace posenc::bench
