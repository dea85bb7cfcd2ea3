// SPDX-License-Identifier: Apache-2.0
// A decoding step of 32 heads of 128 takes at most 1.5 times what the library takes: the quicker of many rounds of
// each, in turn.
#include <algorithm>
#include <chrono>

#include "tests/vendored/kinds.h"

namespace {

constexpr double most = 1.5;
constexpr int rounds = 200, steps = 400;

template <class Step>
double microseconds(const Step& step) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step(1000 + i);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / steps;
}

template <class T, class V>
void compare(const char* name) {
  const posenc::RotaryRows ours(posenc::preset(name).convention, 128);
  const vendored::RotaryRows theirs(vendored::preset(name).convention, 128);
  std::vector<T> x(32 * 128);
  std::vector<V> y(32 * 128);
  const posenc::Rotated our_heads[] = {{posenc::view(x.data(), {1, 32, 128}), posenc::TokenAxis::before_heads}};
  const vendored::Rotated their_heads[] = {{vendored::view(y.data(), {1, 32, 128}), vendored::TokenAxis::before_heads}};
  double library = 1e9, file = 1e9;
  for (int i = 0; i < rounds; ++i) {
    library = std::min(library, microseconds([&](int p) { ours.rotate(posenc::Positions::at(p), our_heads); }));
    file = std::min(file, microseconds([&](int p) { theirs.rotate(vendored::Positions::at(p), their_heads); }));
  }
  std::printf("%-10s %-4s library %.3f us, file %.3f us: %.2f times\n", name,
              std::string(to_string(posenc::dtype_of<T>)).c_str(), library, file, file / library);
  expect(file <= most * library, std::string(name) + ": a step takes at most 1.5 times the library's");
}

}  // namespace

int main() {
  for (const char* name : {"llama-3.1", "rope-pair", "gpt-oss"}) {
    compare<float, float>(name);
    compare<posenc::bfloat16, vendored::bfloat16>(name);
    compare<posenc::half, vendored::half>(name);
  }
  return differences == 0 ? 0 : 1;
}
