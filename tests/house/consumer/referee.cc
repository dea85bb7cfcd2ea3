// SPDX-License-Identifier: Apache-2.0
// Somebody's program that uses posenc::referee: a table is what it was made as.
#include <posenc/referee/referee.h>
#include <posenc/sinusoid.h>

int main() {
  float rows[24][8] = {};
  const posenc::View table = posenc::view(rows[0], {24, 8});
  posenc::sinusoid(posenc::preset("transformer").convention, posenc::Positions::range(0, 24), table);
  return posenc::to_json(posenc::identify(table)).find("transformer") != std::string::npos ? 0 : 1;
}
