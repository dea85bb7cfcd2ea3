// SPDX-License-Identifier: Apache-2.0
// Somebody's program that uses posenc::spec: a convention survives its document.
#include <posenc/spec/spec.h>

int main() {
  const posenc::Convention& llama = posenc::preset("llama-3.1").convention;
  return posenc::io::convention_from_json(posenc::to_json(llama)) == llama ? 0 : 1;
}
