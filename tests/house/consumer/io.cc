// SPDX-License-Identifier: Apache-2.0
// Somebody's program that uses posenc::io: an array survives its file.
#include <posenc/io/npy.h>

int main() {
  const float row[] = {1, 2, 3};
  const posenc::io::Array read = posenc::io::parse_npy(posenc::io::npy_bytes(posenc::view(row, {3})));
  return read.view().size(0) == 3 && read.view().dtype == posenc::DType::f32 ? 0 : 1;
}
