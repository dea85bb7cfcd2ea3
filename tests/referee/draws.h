// SPDX-License-Identifier: Apache-2.0
// Seeded draws, the same on every machine for whole numbers.
#pragma once

#include <posenc/core.h>

#include <algorithm>
#include <random>
#include <vector>

namespace posenc::test {

class Draws {
 public:
  explicit Draws(unsigned seed) : bits_(seed) {}
  std::int64_t of(std::initializer_list<std::int64_t> list) { return *(list.begin() + bits_() % list.size()); }
  std::size_t below(std::int64_t n) { return bits_() % static_cast<std::size_t>(n); }
  double normal() { return normal_(bits_); }
  double uniform() { return uniform_(bits_); }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(static_cast<std::int64_t>(i))]);
  }

 private:
  std::mt19937 bits_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

/// Through a storage type that is drawn: f32, bf16 or f16.
inline void store(Draws& draw, std::vector<float>& entries) {
  const std::int64_t type = draw.of({0, 1, 2});
  for (float& x : entries) {
    if (type == 1) x = static_cast<float>(bfloat16(x));
    if (type == 2) x = static_cast<float>(half(x));
  }
}

}  // namespace posenc::test
