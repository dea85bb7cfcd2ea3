// SPDX-License-Identifier: Apache-2.0
// Proof of f64 against MPFR: every entry of a table, and of rows at listed positions, is the real number rounded once.
#include <gtest/gtest.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <tuple>

#include "tests/encodings/judged.h"

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
  const Rows made(Sinusoid{Geometric{base, 1, Spacing::over_width}, Layout::interleaved, OddWidth::refused}, dim);
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

// ---- every position below 2^20 ------------------------------------------------------------------

// The oracle's double-doubles tell nearly all; MPFR the others.
class ProvenF64Ladder {
 public:
  explicit ProvenF64Ladder(std::int64_t dim)
      : dim_(dim),
        rows_(Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, OddWidth::refused}, dim) {
    for (std::int64_t k = 0; k < dim / 2; ++k) {
      oracle::Number w(240);
      set(w, k);
      waves_.emplace_back(w, 10);
    }
  }

  void expect_exact(Asked asked, std::int64_t apart) const {
    Tally even, odd;
    std::thread other([&] { odd = check(asked, 1, apart); });
    even = check(asked, 0, apart);
    other.join();
    EXPECT_EQ(even.wrong + odd.wrong, 0);
    std::printf("%lld f64 outputs checked, %lld misrounded; %lld of them by MPFR alone\n",
                static_cast<long long>(even.checked + odd.checked), static_cast<long long>(even.wrong + odd.wrong),
                static_cast<long long>(even.close + odd.close));
  }

 private:
  static constexpr std::int64_t positions = 1 << 20, block = 1024;
  struct Tally {
    std::int64_t checked = 0, wrong = 0, close = 0;
  };

  void set(oracle::Number& w, std::int64_t k) const {
    oracle::set_frequency(w, 10000, 2 * static_cast<unsigned long>(k), static_cast<unsigned long>(dim_));
  }

  // Of each `apart`-th block, every second one.
  Tally check(Asked asked, std::int64_t first, std::int64_t apart) const {
    std::vector<double> table(static_cast<std::size_t>(block * dim_));
    std::vector<std::int64_t> list(block);
    Tally tally;
    for (std::int64_t at = first * apart; at < positions / block; at += 2 * apart) {
      const std::int64_t start = at * block;
      std::iota(list.begin(), list.end(), start);
      rows_.write(
          asked == Asked::as_range ? Positions::range(start, block) : Positions::list(view(list.data(), {block})),
          view(table.data(), {block, dim_}));
      for (std::int64_t k = 0; k < dim_ / 2; ++k) {
        const oracle::Waves& wave = waves_[static_cast<std::size_t>(k)];
        for (std::int64_t p = std::max<std::int64_t>(start, 1); p < start + block; ++p) {
          const double* const entry = table.data() + (p - start) * dim_ + k;
          judge(wave.sine(static_cast<std::uint64_t>(p)), oracle::Wave::sine, k, p, entry[0], tally);
          judge(wave.cosine(static_cast<std::uint64_t>(p)), oracle::Wave::cosine, k, p, entry[dim_ / 2], tally);
        }
      }
    }
    return tally;
  }

  void judge(oracle::Sum y, oracle::Wave of, std::int64_t k, std::int64_t p, double got, Tally& tally) const {
    const oracle::Verdict verdict = test::judged(y, got);
    ++tally.checked;
    if (verdict == oracle::Verdict::undecided) {
      oracle::Number w(400), x(400);
      set(w, k);
      mpfr_mul_si(x.get(), w.get(), p, MPFR_RNDN);
      ++tally.close;
      tally.wrong += got == oracle::rounded_wave(of, x, oracle::f64) ? 0 : 1;
    } else {
      tally.wrong += verdict == oracle::Verdict::wrong ? 1 : 0;
    }
  }

  std::int64_t dim_;
  Rows rows_;
  std::vector<oracle::Waves> waves_;
};

TEST(F64Blocks, OfEverySixtyFourthAreRoundedOnce) {
  const ProvenF64Ladder ladder(64);
  ladder.expect_exact(Asked::as_range, 64);
  ladder.expect_exact(Asked::as_list, 64);
}
// Those of width 128 below position 2^20 that are closest to half-way between two doubles: 2^-25 to 2^-28 of the
// distance.
TEST(F64HardCases, AreRoundedOnce) {
  using oracle::Wave;
  const Rows rows(Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, OddWidth::refused}, 128);
  for (const auto& [k, p, of] : {std::tuple{18, 773546, Wave::sine},
                                 {24, 54289, Wave::cosine},
                                 {25, 453549, Wave::sine},
                                 {27, 1002072, Wave::sine},
                                 {40, 542890, Wave::cosine},
                                 {44, 277058, Wave::cosine}}) {
    oracle::Number w(400), x(400), y(400), off(400);
    oracle::set_frequency(w, 10000, 2 * static_cast<unsigned long>(k), 128);
    mpfr_mul_si(x.get(), w.get(), p, MPFR_RNDN);
    const double expected = oracle::rounded_wave(of, x, oracle::f64);
    (of == Wave::sine ? mpfr_sin : mpfr_cos)(y.get(), x.get(), MPFR_RNDN);
    mpfr_sub_d(off.get(), y.get(), expected, MPFR_RNDN);
    const double from_middle =
        0.5 - std::abs(mpfr_get_d(off.get(), MPFR_RNDN)) / std::ldexp(1, std::ilogb(expected) - 52);
    EXPECT_LT(std::abs(from_middle), 0x1p-25);
    std::vector<double> row(128), list(128);
    rows.write(Positions::range(p, 1), view(row.data(), {1, 128}));
    const std::vector<std::int64_t> position = {p};
    rows.write(Positions::list(view(position.data(), {1})), view(list.data(), {1, 128}));
    const auto column = static_cast<std::size_t>(of == Wave::sine ? k : 64 + k);
    EXPECT_EQ(row[column], expected) << k << " " << p;
    EXPECT_EQ(list[column], expected) << k << " " << p;
  }
}
TEST(ExhaustiveF64, EveryPositionBelow1048576IsRoundedOnce) {
  for (const std::int64_t dim : {128, 512}) {
    const ProvenF64Ladder ladder(dim);
    ladder.expect_exact(Asked::as_range, 1);
    ladder.expect_exact(Asked::as_list, 8);
  }
}

}  // namespace
}  // namespace posenc
