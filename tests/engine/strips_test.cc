// SPDX-License-Identifier: Apache-2.0
// Strips against single exact values: every instruction set, type, spacing of rows, tail and kind of store.
#include "src/engine/strips.h"

#include <cstring>
#include <random>

#include "src/numerics/certain.h"
#include "tests/engine/every_target.h"

namespace posenc::engine {
namespace {

struct Case {
  Rungs rungs;
  Columns columns;
};

// Interleaved, as in the paper.
Case paper(std::size_t width, double base = 10000) {
  Case made{geometric_rungs(1, base, 1, width / 2, width / 2), {}};
  for (std::size_t k = 0; k < width / 2; ++k) {
    made.columns.push_back(made.rungs, k, sine_phase);
    made.columns.push_back(made.rungs, k, cosine_phase);
  }
  return made;
}

template <class T>
T single(const Case& of, std::int64_t p, std::size_t column) {
  const std::size_t k = of.columns.rung[column];
  const auto pair = numerics::exact_sine_cosine<T>(of.rungs.frequencies[k], of.rungs.turns[k], numerics::dyadic(p));
  return of.columns.quarter[column] == sine_phase ? pair.sine : pair.cosine;
}

template <class T>
void expect_single_values(const Case& of, const Strip& strip, Stores stores, std::size_t offset) {
  const auto stride = static_cast<std::int64_t>(strip.columns) + 5;
  const auto size = static_cast<std::size_t>(strip.rows * stride) + offset + 64;
  std::vector<T> out(size, T(9.0f));
  write_strip(of.rungs, of.columns, strip, out.data() + offset, stride, stores);
  std::size_t untouched = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(offset);
    const std::int64_t row = at / stride, column = at % stride;
    if (at < 0 || row >= strip.rows || column >= static_cast<std::int64_t>(strip.columns)) {
      untouched += out[i] == T(9.0f);
      continue;
    }
    const std::int64_t p = strip.start + row * strip.step;
    const T expected = single<T>(of, p, strip.first + static_cast<std::size_t>(column));
    ASSERT_EQ(std::memcmp(&out[i], &expected, sizeof(T)), 0) << "position " << p << " column " << column;
  }
  EXPECT_EQ(untouched, size - static_cast<std::size_t>(strip.rows) * strip.columns) << "nothing else is written";
}

template <class T>
void expect_single_values_of_many() {
  const Case of = paper(150);
  std::mt19937_64 random(5);
  const std::int64_t starts[] = {0, 1, -40, -1000000, 4294967290, INT64_MIN, std::int64_t{1} << 62};
  const std::int64_t steps[] = {1, -1, 3, 1000003, 0, -4294967301};
  const std::int64_t rows[] = {24, 33, 34, 35, 170, 171, 187, 289, 290, 300};
  for (int i = 0; i < 60; ++i) {
    const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
    Strip strip{pick(starts), pick(steps), 0, pick(rows), random() % 80, 1 + random() % tile_columns};
    if (!strip_pays(strip.start, strip.step, strip.rows)) continue;
    expect_single_values<T>(of, strip, i % 2 ? Stores::cached : Stores::streamed, random() % 64);
  }
}

TEST(Strips, OfF32AreTheSingleValuesOnEveryTarget) { on_every_target(expect_single_values_of_many<float>); }
TEST(Strips, OfF16AreTheSingleValuesOnEveryTarget) { on_every_target(expect_single_values_of_many<half>); }
TEST(Strips, OfBf16AreTheSingleValuesOnEveryTarget) { on_every_target(expect_single_values_of_many<bfloat16>); }

TEST(Strips, PayOnlyWhereEveryCentreIsAnInt64) {
  EXPECT_TRUE(strip_pays(0, 1, 24));
  EXPECT_FALSE(strip_pays(0, 1, 23));
  EXPECT_TRUE(strip_pays(INT64_MIN, 1, 1000));
  EXPECT_FALSE(strip_pays(INT64_MIN, -1, 1000));
  EXPECT_TRUE(strip_pays(INT64_MAX, -1, 1000));
  EXPECT_FALSE(strip_pays(INT64_MAX - 1144, 1, 1000));
  EXPECT_TRUE(strip_pays(INT64_MAX - 1145, 1, 1000));
  EXPECT_TRUE(strip_pays(0, std::int64_t{1} << 54, 100));
  EXPECT_FALSE(strip_pays(0, std::int64_t{1} << 56, 100));
  EXPECT_FALSE(strip_pays(-1, INT64_MIN, 24));
}

}  // namespace
}  // namespace posenc::engine
