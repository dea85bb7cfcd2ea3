// SPDX-License-Identifier: Apache-2.0
// Whisper's position table in an engine that loads a checkpoint without it: into a tensor that the engine owns.
//
//     g++ -std=c++20 -O2 whisper_table.cc $(pkg-config --cflags --libs posenc)
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <cstdio>
#include <vector>

// As engines have them: an address, a type, sizes.
struct Tensor {
  void* data;
  std::int64_t rows, columns;
};

int main() {
  std::vector<posenc::half> memory(1500 * 384);
  const Tensor tensor = {memory.data(), 1500, 384};

  const posenc::Preset& whisper = posenc::preset("whisper");
  const posenc::View table = posenc::view(tensor.data, posenc::DType::f16, {tensor.rows, tensor.columns});
  posenc::sinusoid(whisper.convention, posenc::Positions::range(0, tensor.rows), table);

  // The sines stand in the left half, the cosines in the right one; pair 0 turns by a radian a position.
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return static_cast<float>(memory[static_cast<std::size_t>(row * tensor.columns + column)]);
  };
  std::printf("row 1499: %.4f %.4f .. %.4f\n", at(1499, 0), at(1499, 1), at(1499, 383));
  const bool right = posenc::half(std::sin(1499.0f)) == posenc::half(at(1499, 0)) &&
                     posenc::half(std::cos(1499.0f)) == posenc::half(at(1499, 192)) && at(0, 0) == 0 && at(0, 192) == 1;
  return right ? 0 : 1;
}
