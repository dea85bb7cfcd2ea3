// SPDX-License-Identifier: Apache-2.0
// One token of the input stage against the formula: every type, whole vectors and what is left of them, on every
// target.
#include "src/engine/stage/stage.h"

#include <cstring>
#include <random>
#include <vector>

#include "tests/engine/every_target.h"
#include "tests/engine/random_values.h"

namespace posenc::engine {
namespace {

template <class T>
T expected_of_token(T row, T signal, Computing<T> scale) {
  using C = Computing<T>;
  const T scaled = T(static_cast<C>(row) * scale);
  return T(static_cast<C>(scaled) + static_cast<C>(signal));
}

template <class T>
void expect_the_formula() {
  constexpr std::size_t offset = 1, behind = 70;  // of outputs, in elements
  std::mt19937 random(5);
  for (const std::size_t width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 64, 97, 320, 512, 515, 2100}) {
    const std::vector<T> row = test::random_values<T>(random, width), signal = test::random_values<T>(random, width);
    std::vector<T> out(offset + width + behind, T(7.0f));
    const Computing<T> scale(22.625);
    write_token({dtype_of<T>, row.data(), signal.data(), out.data() + offset, static_cast<std::int64_t>(width), scale});
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool written = i >= offset && i - offset < width;
      const T want = written ? expected_of_token(row[i - offset], signal[i - offset], scale) : T(7.0f);
      ASSERT_EQ(std::memcmp(&out[i], &want, sizeof(T)), 0) << "element " << i << " of width " << width;
    }
  }
}

TEST(Token, OfF32IsTheFormulaOnEveryTarget) { on_every_target(expect_the_formula<float>); }
TEST(Token, OfF64IsTheFormulaOnEveryTarget) { on_every_target(expect_the_formula<double>); }
TEST(Token, OfF16IsTheFormulaOnEveryTarget) { on_every_target(expect_the_formula<half>); }
TEST(Token, OfBf16IsTheFormulaOnEveryTarget) { on_every_target(expect_the_formula<bfloat16>); }

}  // namespace
}  // namespace posenc::engine
