// SPDX-License-Identifier: Apache-2.0
// Llama 3.1 in an engine with a KV cache: a prompt in one call, then a token a step. Keys turn where they lie.
//
//     g++ -std=c++20 -O2 llama_cache.cc $(pkg-config --cflags --libs posenc)
#include <posenc/preset.h>
#include <posenc/rotary.h>

#include <cstdio>
#include <vector>

using posenc::bfloat16, posenc::Positions, posenc::Rotated, posenc::TokenAxis, posenc::View;

constexpr std::int64_t heads = 32, kv_heads = 8, head = 128, longest = 64, prompt = 17;

// In place of the products of a layer: what they give for tokens past, past + 1, ...
void project(const View& rows, std::int64_t past) {
  auto* const element = static_cast<bfloat16*>(rows.data);
  const std::int64_t row = rows.size(1) * head;
  for (std::int64_t i = 0; i < rows.count(); ++i) {
    element[i] = bfloat16(static_cast<float>((past * row + i) * 31 % 17 - 8) / 8);
  }
}

int main() {
  // Made once: layers and threads share it. It holds no table, so no position is too far.
  const posenc::RotaryRows rotation(posenc::preset("llama-3.1").convention, head);

  std::vector<bfloat16> key_memory(longest * kv_heads * head), query_memory(longest * heads * head);
  const View cache = posenc::view(key_memory.data(), {longest, kv_heads, head});
  const View queries = posenc::view(query_memory.data(), {longest, heads, head});

  const auto step = [&](std::int64_t past, std::int64_t count) {
    const View q = queries.slice(0, 0, count), k = cache.slice(0, past, count);
    project(q, past);
    project(k, past);
    const Rotated both[] = {{q, TokenAxis::before_heads}, {k, TokenAxis::before_heads}};
    rotation.rotate(Positions::range(past, count), both);
  };
  step(0, prompt);
  for (std::int64_t past = prompt; past < longest; ++past) step(past, 1);

  // All tokens at once give the same bits.
  std::vector<bfloat16> whole_memory(key_memory.size());
  const View whole = posenc::view(whole_memory.data(), {longest, kv_heads, head});
  project(whole, 0);
  const Rotated keys[] = {{whole, TokenAxis::before_heads}};
  rotation.rotate(Positions::range(0, longest), keys);
  const bool equal = whole_memory == key_memory;
  std::printf("%d keys by steps and at once: %s\n", static_cast<int>(longest), equal ? "equal bits" : "not equal");
  return equal ? 0 : 1;
}
