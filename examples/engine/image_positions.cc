// SPDX-License-Identifier: Apache-2.0
// M-RoPE (Qwen2-VL) with positions given: four words, an image of 2 x 3 cells, two words. A token has a time, a row and
// a column; words have the same number on all three, and go on behind the largest that the image has.
//
//     g++ -std=c++20 -O2 image_positions.cc $(pkg-config --cflags --libs posenc)
#include <posenc/preset.h>
#include <posenc/rotary.h>

#include <cstdio>
#include <cstring>
#include <vector>

using posenc::Positions, posenc::Rotated, posenc::TokenAxis;

constexpr std::int64_t heads = 12, kv_heads = 2, head = 128, tokens = 12;

int main() {
  const std::int32_t times[tokens] = {0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 7, 8};
  const std::int32_t rows[tokens] = {0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 7, 8};
  const std::int32_t columns[tokens] = {0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8};

  const posenc::RotaryRows rotation(posenc::preset("mrope-chunk").convention, head);  // axes(): t, y, x
  const Positions coordinates[] = {Positions::list(posenc::view(times, {tokens})),
                                   Positions::list(posenc::view(rows, {tokens})),
                                   Positions::list(posenc::view(columns, {tokens}))};

  std::vector<float> q(tokens * heads * head, 1), k(tokens * kv_heads * head, 1);
  const Rotated both[] = {{posenc::view(q.data(), {tokens, heads, head}), TokenAxis::before_heads},
                          {posenc::view(k.data(), {tokens, kv_heads, head}), TokenAxis::before_heads}};
  rotation.rotate(coordinates, both);

  // A word turns as under a rotation of one axis.
  const posenc::RotaryRows plain(posenc::preset("qwen2").convention, head);
  std::vector<float> word(head, 1);
  const Rotated one[] = {{posenc::view(word.data(), {1, head})}};
  plain.rotate(Positions::at(8), one);
  const bool equal = std::memcmp(word.data(), k.data() + 11 * kv_heads * head, head * sizeof(float)) == 0;
  std::printf("the last word, of three axes and of one: %s\n", equal ? "equal bits" : "not equal");
  return equal ? 0 : 1;
}
