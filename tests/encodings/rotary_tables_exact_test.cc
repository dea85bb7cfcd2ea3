// SPDX-License-Identifier: Apache-2.0
// Proof against MPFR of tables of rotations: every scaling of long contexts, bases and heads that models have, every
// position below 2^17.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary_cache.h>

#include <thread>

#include "src/base/scratch.h"
#include "tests/encodings/judged.h"
#include "tests/encodings/true_values.h"

namespace posenc {
namespace {

using test::Count;

constexpr std::int64_t all_rotary_positions = 1 << 17, rotary_block = 1024;

// The divisors of Phi-3 for 48 pairs, as many as a head has: of pair k those of 48 k / n.
std::vector<double> stretched(const std::vector<double>& factors, std::size_t pairs) {
  std::vector<double> own;
  for (std::size_t k = 0; k < pairs; ++k) own.push_back(factors[factors.size() * k / pairs]);
  return own;
}

Rotary rotary_table(std::string_view name, double base, std::int64_t head) {
  Rotary rotary = std::get<Rotary>(preset(name).convention);
  rotary.stored = StoredAs::sine_cosine;
  auto& ladder = std::get<Geometric>(rotary.ladders.front());
  ladder.base = base;
  if (auto* by = std::get_if<LongRopeScaling>(&ladder.scaling)) {
    by->short_factors = stretched(by->short_factors, static_cast<std::size_t>(head / 2));
    by->long_factors = stretched(by->long_factors, static_cast<std::size_t>(head / 2));
  }
  return rotary;
}

// One table: cosines and sines of every position below 2^17, or of each `apart`-th block of them.
class ProvenRotaryTable {
 public:
  ProvenRotaryTable(const Rotary& rotary, std::int64_t head, std::int64_t apart)
      : pairs_(head / 2), apart_(apart), cache_(rotary, head, {.context = long_context}) {
    const auto to_number = [](const test::Value& x, oracle::Number& to) { mpfr_set(to.get(), x.get(), MPFR_RNDN); };
    oracle::Number w(300), magnitude(300);
    to_number(std::visit(test::TrueMagnitude(), rotary.magnitude), magnitude);
    magnitude_ = oracle::to_sum(magnitude);
    for (std::int64_t k = 0; k < pairs_; ++k) {
      to_number(test::frequency_of(rotary.ladders.front(), head, pairs_, k, 0, long_context.length), w);
      waves_.emplace_back(w, 9);
    }
  }

  // Of every second of the blocks, in f32, bf16 and f16.
  Count check(std::int64_t first) const {
    const std::int64_t width = 2 * pairs_;
    const auto size = static_cast<std::size_t>(rotary_block * width);
    const Scratch<float> f32(size);
    const Scratch<bfloat16> bf16(size);
    const Scratch<half> f16(size);
    Count count;
    for (std::int64_t at = first * apart_; at < blocks; at += 2 * apart_) {
      const std::int64_t start = at * rotary_block;
      const auto write = [&](auto* to) {
        cache_.write("sin_cos", Positions::range(start, rotary_block), view(to, {rotary_block, width}));
      };
      write(f32.data()), write(bf16.data()), write(f16.data());
      for (std::int64_t k = 0; k < pairs_; ++k) {
        // Position 0 is exact and stands for itself.
        for (std::int64_t p = std::max<std::int64_t>(start, 1); p < start + rotary_block; ++p) {
          const auto column = [&](std::int64_t c, oracle::Sum y) {
            const std::int64_t entry = (p - start) * width + c;
            y = magnitude_ * y;
            count.add(y, f32.data()[entry]), count.add(y, bf16.data()[entry]), count.add(y, f16.data()[entry]);
          };
          const oracle::Waves& wave = waves_[static_cast<std::size_t>(k)];
          column(k, wave.sine(static_cast<std::uint64_t>(p)));
          column(pairs_ + k, wave.cosine(static_cast<std::uint64_t>(p)));
        }
      }
    }
    return count;
  }

  Count expect_exact() const {
    Count even, odd;
    std::thread other([&] { odd = check(1); });
    even = check(0);
    other.join();
    even += odd;
    EXPECT_EQ(even.checked, 3 * ((blocks + apart_ - 1) / apart_ * rotary_block - 1) * 2 * pairs_);
    EXPECT_EQ(even.wrong, 0);
    EXPECT_EQ(even.undecided, 0);
    return even;
  }

 private:
  static constexpr std::int64_t blocks = all_rotary_positions / rotary_block;
  // Of the tables that depend on the length of a sequence, the longest.
  static inline const Context long_context = {.length = all_rotary_positions, .centre = {}, .learned = {}};
  std::int64_t pairs_, apart_;
  RotaryCache cache_;
  std::vector<oracle::Waves> waves_;
  oracle::Sum magnitude_;
};

void expect_rotary_tables_exact(std::initializer_list<double> bases, std::initializer_list<std::int64_t> heads,
                                std::int64_t apart) {
  Count count;
  int tables = 0;
  for (const char* name :
       {"rope-half", "rope-linear", "rope-dynamic", "rope-ntk", "rope-yarn", "rope-longrope", "rope-llama3"}) {
    for (const double base : bases) {
      for (const std::int64_t head : heads) {
        SCOPED_TRACE(std::string(name) + ", base " + std::to_string(base) + ", head " + std::to_string(head));
        count += ProvenRotaryTable(rotary_table(name, base, head), head, apart).expect_exact();
        ++tables;
      }
    }
  }
  testing::Test::RecordProperty("checked", std::to_string(count.checked));
  std::printf("%lld entries of %d tables of rotations checked, %lld misrounded\n",
              static_cast<long long>(count.checked), tables, static_cast<long long>(count.wrong));
}

TEST(RotaryTables, OfEverySixteenthBlockAreRoundedOnce) { expect_rotary_tables_exact({1e6}, {64}, 16); }
TEST(ExhaustiveRotaryTables, AreRoundedOnceAtEveryPositionBelow131072) {
  expect_rotary_tables_exact({1e4, 1e5, 5e5, 1e6, 1e7}, {64, 80, 96, 128, 256}, 1);
}

}  // namespace
}  // namespace posenc
