// SPDX-License-Identifier: Apache-2.0
// Proof of f64 against MPFR: every entry of a table, and of rows at listed positions, is the real number rounded once.
#include <gtest/gtest.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "src/base/scratch.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

// Sines and cosines of p w for p < 2^18 by the addition theorem on 240 bits, rounded once: off by less than 2^-230
// before, so that no entry is undecided but by chance of 2^-170.
class LongWaves {
 public:
  explicit LongWaves(const oracle::Number& w) {
    oracle::Number x(300);
    for (unsigned long i = 0; i < size; ++i) {
      for (const bool coarse : {false, true}) {
        mpfr_mul_ui(x.get(), w.get(), coarse ? i * size : i, MPFR_RNDN);
        Entry& entry = (coarse ? coarse_ : fine_)[i];
        entry.sine = std::make_unique<oracle::Number>(240), entry.cosine = std::make_unique<oracle::Number>(240);
        mpfr_sin_cos(entry.sine->get(), entry.cosine->get(), x.get(), MPFR_RNDN);
      }
    }
  }
  double wave(oracle::Wave of, std::uint64_t p) {
    const Entry &a = coarse_[p / size], &b = fine_[p % size];
    if (of == oracle::Wave::sine) {
      mpfr_fmma(sum_.get(), a.sine->get(), b.cosine->get(), a.cosine->get(), b.sine->get(), MPFR_RNDN);
    } else {
      mpfr_fmms(sum_.get(), a.cosine->get(), b.cosine->get(), a.sine->get(), b.sine->get(), MPFR_RNDN);
    }
    return mpfr_get_d(sum_.get(), MPFR_RNDN);  // of size 2^-170 or more, as no entry is 0
  }

 private:
  static constexpr std::uint64_t size = 512;
  struct Entry {
    std::unique_ptr<oracle::Number> sine, cosine;
  };
  Entry fine_[size], coarse_[size];
  oracle::Number sum_{240};
};

enum class Asked { as_range, as_list };

// `rows` rows from each of some starts, over every ladder.
void expect_exact(std::int64_t dim, double base, std::int64_t rows, int parts, Asked asked) {
  const SinusoidRows made(Sinusoid{Geometric{base, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused},
                          dim);
  std::mt19937_64 random(static_cast<std::uint64_t>(dim));
  std::vector<std::int64_t> positions;
  std::vector<double> table;
  for (int part = 0; part < parts; ++part) {
    const auto start =
        part == 0 ? 1 : 1 + static_cast<std::int64_t>(random() % (262144 - static_cast<std::uint64_t>(rows)));
    std::vector<std::int64_t> own;
    for (std::int64_t i = 0; i < rows; ++i) own.push_back(start + i);
    if (asked == Asked::as_list) std::shuffle(own.begin(), own.end(), random);
    std::vector<double> out(static_cast<std::size_t>(rows * dim));
    const View to = view(out.data(), {rows, dim});
    made.write(asked == Asked::as_list ? Positions::list(view(own.data(), {rows})) : Positions::range(start, rows), to);
    positions.insert(positions.end(), own.begin(), own.end());
    table.insert(table.end(), out.begin(), out.end());
  }
  std::int64_t wrong = 0;
  for (std::int64_t k = 0; k < dim / 2; ++k) {
    oracle::Number w(400);
    oracle::set_frequency(w, base, 2 * static_cast<unsigned long>(k), static_cast<unsigned long>(dim));
    LongWaves waves(w);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double* const pair = table.data() + static_cast<std::int64_t>(i) * dim + 2 * k;
      const auto p = static_cast<std::uint64_t>(positions[i]);
      const double expected[] = {waves.wave(oracle::Wave::sine, p), waves.wave(oracle::Wave::cosine, p)};
      wrong += std::memcmp(pair, expected, sizeof expected) != 0;
    }
  }
  EXPECT_EQ(wrong, 0);
  std::printf("%lld f64 outputs checked, %lld pairs misrounded\n", static_cast<long long>(table.size()),
              static_cast<long long>(wrong));
}

TEST(F64Tables, OfAHundredThousandEntriesAreRoundedOnce) {
  expect_exact(16, 10000, 700, 5, Asked::as_range);
  expect_exact(34, 500000, 300, 5, Asked::as_range);
}
TEST(F64Lists, OfAHundredThousandEntriesAreRoundedOnce) {
  expect_exact(16, 10000, 700, 5, Asked::as_list);
  expect_exact(34, 500000, 300, 5, Asked::as_list);
}
TEST(ExhaustiveF64, TwentyMillionEntriesAreRoundedOnce) {
  expect_exact(128, 10000, 4096, 20, Asked::as_range);
  expect_exact(128, 10000, 4096, 20, Asked::as_list);
}

}  // namespace
}  // namespace posenc
