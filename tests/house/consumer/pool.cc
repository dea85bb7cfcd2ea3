// SPDX-License-Identifier: Apache-2.0
// Somebody's program with posenc's threads: position 99 is the last row, whoever wrote it.
#include <posenc/pool/pool.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

int main() {
  float rows[100][2] = {}, last[2] = {};
  const posenc::Convention& convention = posenc::preset("transformer").convention;
  const posenc::Pool pool(2);
  posenc::sinusoid(convention, posenc::Positions::range(0, 100), posenc::view(rows[0], {100, 2}),
                   {.executor = pool.executor()});
  posenc::sinusoid(convention, posenc::Positions::at(99), posenc::view(last, {1, 2}));
  return rows[99][0] == last[0] && rows[99][1] == last[1] ? 0 : 1;
}
