// SPDX-License-Identifier: Apache-2.0
// Somebody's program: the row of position 0 holds sin 0 and cos 0.
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

int main() {
  float row[4] = {};
  posenc::sinusoid(posenc::preset("transformer").convention, posenc::Positions::at(0), posenc::view(row, {1, 4}));
  return row[0] == 0 && row[1] == 1 && row[2] == 0 && row[3] == 1 ? 0 : 1;
}
