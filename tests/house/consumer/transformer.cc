// SPDX-License-Identifier: Apache-2.0
// Somebody's program with posenc's attention: one key alone gets all the weight, whatever it says.
#include <posenc/transformer/attention.h>

int main() {
  const float query[] = {1, 2}, key[] = {-3, 4}, value[] = {5, 6};
  float out[] = {0, 0};
  posenc::attention(posenc::view(query, {1, 1, 1, 2}), posenc::view(key, {1, 1, 1, 2}),
                    posenc::view(value, {1, 1, 1, 2}), posenc::view(out, {1, 1, 1, 2}),
                    {.score = posenc::Score::scaled_dot, .sight = posenc::Sight::all});
  return out[0] == 5 && out[1] == 6 ? 0 : 1;
}
