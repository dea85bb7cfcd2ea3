// SPDX-License-Identifier: Apache-2.0
// Random short lists in half precision and small matrices of classes are not identified: a fit with as many free
// parameters as they determine is no evidence.
#include <gtest/gtest.h>
#include <posenc/referee/identify.h>
#include <posenc/rotary_cache.h>

#include <algorithm>
#include <cmath>

#include "tests/referee/draws.h"

namespace posenc::few_numbers {
namespace {

using test::Draws;

double stored(double x, DType type) {
  const auto narrow = static_cast<float>(x);
  return static_cast<double>(type == DType::bf16 ? static_cast<float>(bfloat16(narrow))
                                                 : static_cast<float>(half(narrow)));
}

// Falls from 1: by a ramp, with a kink, with noise of a fifth, or by any quotients.
std::vector<double> drawn_list(Draws& draw, std::size_t count) {
  const double base = std::pow(10.0, 2 + 4 * draw.uniform()), bend = 1.5 + 7 * draw.uniform();
  const std::int64_t kind = draw.of({0, 1, 2, 3});
  const std::size_t kink = 1 + draw.below(static_cast<std::int64_t>(count) - 1);
  std::vector<double> list;
  for (std::size_t k = 0; k < count; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(count);
    double x = std::pow(base, -part);
    if (kind == 0) x /= 1 + (bend - 1) * part;
    if (kind == 1 && k >= kink) x /= bend;
    if (kind == 2) x *= 1 + 0.2 * draw.normal();
    if (kind == 3) x = k == 0 ? 1 : list.back() * (0.1 + 0.8 * draw.uniform());
    list.push_back(std::abs(x));
  }
  return list;
}

// A list that is geometric as far as its type tells is rightly called that.
bool is_geometric(const std::vector<float>& list, DType type) {
  const double off = type == DType::bf16 ? 0x1p-6 : 0x1p-9;
  const double first = static_cast<double>(list[0]), last = static_cast<double>(list.back());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(list.size() - 1);
    const double right = std::pow(first, 1 - part) * std::pow(last, part);
    if (std::abs(static_cast<double>(list[k]) / right - 1) > off) return false;
  }
  return true;
}

// Expects that no drawn list is identified, except geometric ones. Returns how many are reported as too few numbers.
int expect_no_list_named(int count) {
  Draws draw(7);
  int named = 0, told = 0;
  for (int i = 0; i < count; ++i) {
    const DType type = i % 2 == 0 ? DType::bf16 : DType::f16;
    std::vector<float> list;
    for (const double x : drawn_list(draw, static_cast<std::size_t>(draw.of({4, 5, 6, 8})))) {
      list.push_back(static_cast<float>(stored(x, type)));
    }
    const Identification found = identify(view(std::as_const(list).data(), {std::ssize(list)}));
    told += found.kind.find("cannot be told from so few") != found.kind.npos ? 1 : 0;
    if (found.candidates.empty() || is_geometric(list, type)) continue;
    ++named;
    ADD_FAILURE() << testing::PrintToString(list) << "\n" << to_string(found);
  }
  std::printf("%d of %d lists named, %d too few to tell\n", named, count, told);
  return told;
}
TEST(FewNumbers, SomeListsInHalfPrecision) { EXPECT_GT(expect_no_list_named(40), 2); }
TEST(FewNumbers, ExhaustiveListsInHalfPrecision) { EXPECT_GT(expect_no_list_named(1000), 20); }

std::vector<half> halves(const std::vector<double>& list) {
  std::vector<half> all;
  for (const double x : list) all.emplace_back(static_cast<float>(x));
  return all;
}

// The entries before the last are those of a plain ladder: one more entry does not tell a ramp and its factor.
TEST(FewNumbers, AKinkBeforeTheLastEntryIsNoScaling) {
  for (const std::vector<double>& list :
       {std::vector{1.0, 0.27832, 0.0775146, 0.0215759, 0.00600815, 0.00167274, 0.000465631, 2.82526e-05},
        {1.0, 0.179077, 0.0320435, 0.00574112, 0.00102806, 0.000184059, 3.29614e-05, 1.78814e-06}}) {
    const std::vector<half> all = halves(list);
    const Identification found = identify(view(all.data(), {std::ssize(all)}));
    EXPECT_TRUE(found.candidates.empty()) << to_string(found);
  }
}

// Entries that are divided, or lie on the ramp, tell the scaling.
TEST(FewNumbers, AScalingOfEnoughEntriesIsTold) {
  const Convention other = with_field(preset("rope-llama3").convention, "ladder.scaling.factor", 20);
  for (const std::int64_t head : {24, 32, 64}) {
    const std::vector<half> all = halves(RotaryCache(with_field(other, "stored", "sine_cosine"), head).frequencies());
    const Identification found = identify(view(all.data(), {std::ssize(all)}));
    ASSERT_FALSE(found.candidates.empty()) << head << "\n" << to_string(found);
    EXPECT_EQ(differences(found.candidates[0].convention, other).size(), 0) << to_string(found);
  }
}

// Classes of distances by thresholds that were drawn: no logarithm, and clipped at the ends alone.
std::vector<std::int64_t> drawn_classes(Draws& draw, std::int64_t size) {
  std::vector<std::int64_t> by_distance = {0};
  for (std::int64_t x = 1; x < 2 * size - 1; ++x) by_distance.push_back(by_distance.back() + draw.of({0, 1, 1, 2}));
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j < size; ++j) {
      all.push_back(by_distance[static_cast<std::size_t>(j - i + size - 1)]);
    }
  }
  return all;
}

// Classes that go on by one between two ends are clipped distances.
bool is_clipped(const std::vector<std::int64_t>& all, std::int64_t size) {
  std::vector<std::int64_t> diagonals;
  for (std::int64_t m = 0; m < 2 * size - 1; ++m) {
    const std::int64_t i = std::max<std::int64_t>(size - 1 - m, 0), j = std::max<std::int64_t>(m - size + 1, 0);
    diagonals.push_back(all[static_cast<std::size_t>(i * size + j)]);
  }
  const auto rises = [&](std::size_t m) { return diagonals[m] - diagonals[m - 1]; };
  std::size_t first = 1, last = diagonals.size() - 1;
  while (first < last && rises(first) == 0) ++first;
  while (last > first && rises(last) == 0) --last;
  for (std::size_t m = first; m <= last; ++m) {
    if (rises(m) != 1) return false;
  }
  return true;
}

void expect_no_classes_named(int count) {
  Draws draw(8);
  int named = 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t size = draw.of({4, 5, 6, 7, 8});
    const std::vector<std::int64_t> all = drawn_classes(draw, size);
    const Identification found = identify(view(all.data(), {size, size}));
    if (found.candidates.empty() || is_clipped(all, size)) continue;
    ++named;
    ADD_FAILURE() << testing::PrintToString(all) << "\n" << to_string(found);
  }
  std::printf("%d of %d matrices named\n", named, count);
}
TEST(FewNumbers, SomeSmallMatricesOfClasses) { expect_no_classes_named(40); }
TEST(FewNumbers, ExhaustiveSmallMatricesOfClasses) { expect_no_classes_named(1000); }

}  // namespace
}  // namespace posenc::few_numbers
