// SPDX-License-Identifier: Apache-2.0
// Elements from -4 to 4.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace posenc::engine::test {

template <class T>
std::vector<T> random_values(std::mt19937& random, std::size_t count) {
  std::vector<T> all(count);
  for (T& x : all) x = T(static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-29f);
  return all;
}

}  // namespace posenc::engine::test
