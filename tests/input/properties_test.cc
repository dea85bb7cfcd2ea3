// SPDX-License-Identifier: Apache-2.0
// What the position signal is known for, on its rounded values, against bounds derived in docs/properties.md.
//
// u is the largest rounding error of a number of size up to 1: half a unit in the last place of [1/2, 1].
#include <posenc/input_stage.h>
#include <posenc/sinusoid.h>

#include <cstdio>
#include <numbers>
#include <set>

#include "tests/input/paper.h"
#include "tests/input/plain.h"

namespace posenc {
namespace {

using plain::paper;
using plain::Tensor;
using std::numbers::pi;
using std::numbers::sqrt2;

template <class T>
const double u = std::ldexp(1.0, -1 - plain::format<T>.first);

template <class T>
Tensor<T> rows_at(const Positions& positions, std::int64_t width) {
  Tensor<T> rows({positions.count_, width});
  sinusoid(paper(), positions, rows.view);
  return rows;
}

// The largest of many measurements, held against its bound and printed for docs/properties.md.
class Largest {
 public:
  Largest(std::string_view what, double bound) : what_(what), bound_(bound) {}
  Largest(const Largest&) = delete;
  Largest& operator=(const Largest&) = delete;
  ~Largest() {
    std::printf("  %-44s largest %.4g, bound %.4g\n", what_.c_str(), largest_, bound_);
    EXPECT_GT(count_, 0);
    EXPECT_LE(largest_, bound_);
  }
  void add(double value) {
    largest_ = std::max(largest_, std::abs(value));
    ++count_;
  }

 private:
  std::string what_;
  double bound_, largest_ = 0;
  int count_ = 0;
};

template <class Test>
void for_each_type_narrower_than_f64(const Test& test) {
  test(float{});
  test(half{});
  test(bfloat16{});
}

constexpr std::int64_t starts[] = {0, 4990, 1000000000, -7, std::int64_t{1} << 62};

// ---- rotation -----------------------------------------------------------------------------------

// Row k of the table is T(k): its block for pair j is [cos sin; -sin cos] of k w_j.
TEST(Properties, RotationByRowKTakesEveryRowKPositionsOn) {
  for_each_type_narrower_than_f64([]<class T>(T) {
    Largest difference("PE(t + k) - T(k) PE(t), " + std::string(to_string(dtype_of<T>)),
                       (1 + 2 * sqrt2) * u<T> + 2 * u<T> * u<T> + 0x1p-53);
    for (const std::int64_t width : {64, 512}) {
      for (const std::int64_t k : {1, 63, 4096, 1000003, -5}) {
        Tensor<T> turn = rows_at<T>(Positions::at(k), width);
        for (const std::int64_t start : starts) {
          Tensor<T> here = rows_at<T>(Positions::range(start, 40), width);
          Tensor<T> there = rows_at<T>(Positions::range(start + k, 40), width);
          for (std::int64_t i = 0; i < 20 * width; ++i) {
            const std::int64_t t = i * 2 / width, c = i * 2 % width;
            const double s = here({t, c}), co = here({t, c + 1}), S = turn({0, c}), C = turn({0, c + 1});
            difference.add(there({t, c}) - (s * C + co * S));
            difference.add(there({t, c + 1}) - (co * C - s * S));
          }
        }
      }
    }
  });
}

TEST(Properties, ProductOfTwoRowsDependsOnTheirDistanceAlone) {
  constexpr std::int64_t width = 64, n = width / 2;
  Largest difference("PE(t) . PE(t + k) - sum of cos(k w)",
                     n * (2 * sqrt2 * u<float> + 2 * u<float> * u<float>)+0x1p-44);
  const std::vector<double> w = Rows(paper(), width).frequencies();
  for (const std::int64_t k : {0, 1, 10, 100, 1000}) {
    double sum = 0;
    for (const double frequency : w) sum += std::cos(static_cast<double>(k) * frequency);
    for (const std::int64_t start : starts) {
      Tensor<float> a = rows_at<float>(Positions::range(start, 40), width);
      Tensor<float> b = rows_at<float>(Positions::range(start + k, 40), width);
      for (std::int64_t t = 0; t < 40; ++t) {
        double product = 0;
        for (std::int64_t c = 0; c < width; ++c) product += a({t, c}) * b({t, c});
        difference.add(product - sum);
      }
    }
  }
}

// ---- size ---------------------------------------------------------------------------------------

TEST(Properties, EveryPairHasNormOneAndEveryRowTheRootOfTheirNumber) {
  for_each_type_narrower_than_f64([]<class T>(T) {
    const std::string type(to_string(dtype_of<T>));
    constexpr std::int64_t width = 512;
    const double root = std::sqrt(width / 2), squares = 2 * sqrt2 * u<T> + 2 * u<T> * u<T>;
    Largest pair("s^2 + c^2 - 1, " + type, squares);
    Largest row("|row| - 16, d = 512, " + type, root * (sqrt2 * u<T> + 5 * u<T> * u<T>)+0x1p-44);
    for (const std::int64_t start : starts) {
      Tensor<T> rows = rows_at<T>(Positions::range(start, 100), width);
      for (std::int64_t t = 0; t < 100; ++t) {
        double sum = 0;
        for (std::int64_t c = 0; c < width; c += 2) {
          const double s = rows({t, c}), co = rows({t, c + 1});
          pair.add(s * s + co * co - 1);
          sum += s * s + co * co;
        }
        row.add(std::sqrt(sum) - root);
      }
    }
  });
}

TEST(Properties, ValuesAreBoundedAtEveryPosition) {
  std::mt19937_64 bits(4);
  Tensor<std::int64_t> positions({2000});
  for (std::int64_t& p : positions.memory) p = static_cast<std::int64_t>(bits());
  plain::for_each_real([&]<class T>(T) {
    Largest value("value at any int64 position, " + std::string(to_string(dtype_of<T>)), 1);
    Tensor<T> rows = rows_at<T>(Positions::list(positions.view), 16);
    for (const T& x : rows.memory) value.add(plain::value(x));
  });
}

// ---- speed --------------------------------------------------------------------------------------

TEST(Properties, EveryStepMovesAPairByTheSameChord) {
  constexpr std::int64_t width = 64;
  Largest difference("|step of a pair| - 2 sin(w / 2)", 2 * sqrt2 * u<float> + 0x1p-50);
  const std::vector<double> w = Rows(paper(), width).frequencies();
  for (const std::int64_t start : starts) {
    Tensor<float> rows = rows_at<float>(Positions::range(start, 200), width);
    for (std::int64_t t = 0; t + 1 < 200; ++t) {
      for (std::int64_t c = 0; c < width; c += 2) {
        const double chord = std::hypot(rows({t + 1, c}) - rows({t, c}), rows({t + 1, c + 1}) - rows({t, c + 1}));
        difference.add(chord - 2 * std::sin(w[static_cast<std::size_t>(c / 2)] / 2));
      }
    }
  }
}

// Over more than one period of the slowest pair, 2 pi 10000^(62 / 64) = 47117 positions.
TEST(Properties, LowColumnsChangeFastAndHighOnesSlowly) {
  constexpr std::int64_t width = 64, length = 65536;
  Tensor<float> rows = rows_at<float>(Positions::range(0, length), width);
  std::vector<double> mean(width);
  for (std::int64_t t = 0; t + 1 < length; ++t) {
    for (std::int64_t c = 0; c < width; ++c) {
      mean[static_cast<std::size_t>(c)] += std::abs(rows({t + 1, c}) - rows({t, c})) / (length - 1);
    }
  }
  for (std::size_t c = 2; c < width; ++c) EXPECT_LT(mean[c], mean[c - 2]) << c;
  std::printf("  mean |PE(t + 1) - PE(t)|: sine 0 %.4g, sine 15 %.4g, sine 31 %.4g\n", mean[0], mean[30], mean[62]);
}

TEST(Properties, ValuesAreContinuous) {
  constexpr std::int64_t width = 64;
  const std::vector<double> w = Rows(paper(), width).frequencies();
  for (const double step : {0.5, 0x1p-10}) {
    Largest excess("|PE(p + h) - PE(p)| - w h", 2 * u<float>);
    Tensor<float> a = rows_at<float>(Positions::range(1000.25, 500, 3.0), width);
    Tensor<float> b = rows_at<float>(Positions::range(1000.25 + step, 500, 3.0), width);
    for (std::int64_t i = 0; i < 500 * width; ++i) {
      const std::int64_t t = i / width, c = i % width;
      excess.add(std::max(0.0, std::abs(b({t, c}) - a({t, c})) - w[static_cast<std::size_t>(c / 2)] * step));
    }
  }
}

// ---- periods ------------------------------------------------------------------------------------

TEST(Properties, PairKReturnsAfterTwoPiOverItsFrequency) {
  constexpr std::int64_t width = 512;
  constexpr double farthest = 3000.25;
  Largest whole("PE(p + 2 pi / w) - PE(p)", 2 * u<float> + (8 * pi + farthest) * 0x1p-53);
  Largest half_way("PE(p + pi / w) + PE(p)", 2 * u<float> + (8 * pi + farthest) * 0x1p-53);
  const std::vector<double> w = Rows(paper(), width).frequencies();
  for (std::size_t k = 0; k < w.size(); k += 5) {
    const double period = 2 * pi / w[k];
    for (const double p : {0.0, 17.5, farthest}) {
      const double positions[] = {p, p + period, p + period / 2};
      Tensor<float> rows = rows_at<float>(Positions::list(view(positions, {3})), width);
      for (const std::int64_t c : {static_cast<std::int64_t>(2 * k), static_cast<std::int64_t>(2 * k + 1)}) {
        whole.add(rows({1, c}) - rows({0, c}));
        half_way.add(rows({2, c}) + rows({0, c}));
      }
    }
  }
  std::printf("  periods at d = 512: %.9g to %.9g positions\n", 2 * pi / w.front(), 2 * pi / w.back());
}

// ---- uniqueness ---------------------------------------------------------------------------------

// FNV-1a over the bytes. Distinct hashes prove distinct rows.
template <class T>
std::size_t distinct_rows(std::int64_t count, std::int64_t width) {
  constexpr std::int64_t chunk = 1 << 14;
  std::vector<std::uint64_t> hashes;
  Tensor<T> rows({chunk, width});
  const Rows table(paper(), width);
  const auto row_bytes = static_cast<std::size_t>(width) * sizeof(T);
  for (std::int64_t start = 0; start < count; start += chunk) {
    table.write(Positions::range(start, chunk), rows.view);
    const auto* byte = reinterpret_cast<const unsigned char*>(rows.memory.data());
    for (std::int64_t t = 0; t < chunk; ++t) {
      std::uint64_t hash = 0xCBF29CE484222325u;
      for (std::size_t i = 0; i < row_bytes; ++i) hash = (hash ^ *byte++) * 0x100000001B3u;
      hashes.push_back(hash);
    }
  }
  std::sort(hashes.begin(), hashes.end());
  return static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

TEST(Properties, RowsAreUnique) { EXPECT_EQ(distinct_rows<float>(1 << 16, 64), 1u << 16); }

TEST(Properties, RowsAreUniqueBelowTwoToTheTwentyExhaustive) { EXPECT_EQ(distinct_rows<float>(1 << 20, 64), 1u << 20); }

TEST(Properties, PairZeroAloneTellsAllPositionsBelowTwoToTheTwentyApart) {
  EXPECT_EQ(distinct_rows<float>(1 << 20, 2), 1u << 20);
  // Why: no difference of two positions comes that near a multiple of 2 pi.
  double nearest = pi;
  for (std::int64_t n = 1; n < 1 << 20; ++n) {
    nearest = std::min(nearest, std::abs(std::remainder(static_cast<double>(n), 2 * pi)));
  }
  std::printf("  nearest multiple of 2 pi: %.4g\n", nearest);
  EXPECT_GT(2 * std::sin(nearest / 2), 2 * sqrt2 * u<float> + 1e-9);
}

// Correct rounding makes these counts facts of the types, not of a machine.
TEST(Properties, PairZeroOfANarrowTypeRepeatsWhileWholeRowsDoNot) {
  EXPECT_EQ(distinct_rows<half>(1 << 16, 2), 25703u);
  EXPECT_EQ(distinct_rows<bfloat16>(1 << 16, 2), 5752u);
  EXPECT_EQ(distinct_rows<half>(1 << 16, 64), 65536u);
  EXPECT_EQ(distinct_rows<bfloat16>(1 << 16, 64), 65536u);
}

// ---- order, and nothing to train ----------------------------------------------------------------

using RowSet = std::multiset<std::vector<float>>;

struct Sentences {
  static constexpr std::int64_t width = 16;
  Tensor<float> vocabulary{{3, width}}, nothing{{3, width}};
  const std::int32_t forwards[3] = {0, 1, 2}, backwards[3] = {2, 1, 0};  // 我爱你, 你爱我

  Sentences() {
    seeded_rows(vocabulary.view, 1, 0, RowInit::normal);
    std::fill(nothing.memory.begin(), nothing.memory.end(), 0.0f);
  }
  template <class Signal>
  RowSet rows(const Signal& signal, const std::int32_t* ids) {
    Tensor<float> out({3, width});
    InputStage(vocabulary.view, signal, {.scale = Scale::sqrt_dim})
        .encode(view(ids, {3}), Positions::range(0, 3), out.view);
    RowSet found;
    for (std::int64_t t = 0; t < 3; ++t) found.emplace(&out.at({t, 0}), &out.at({t, 0}) + width);
    return found;
  }
};

TEST(Properties, OnlyPositionsTellASentenceFromItsReverse) {
  Sentences sentences;
  const ConstView no_signal = sentences.nothing.view;
  EXPECT_EQ(sentences.rows(no_signal, sentences.forwards), sentences.rows(no_signal, sentences.backwards));

  const RowSet forwards = sentences.rows(paper(), sentences.forwards);
  const RowSet backwards = sentences.rows(paper(), sentences.backwards);
  std::size_t common = 0;
  for (const std::vector<float>& row : forwards) common += backwards.count(row);
  EXPECT_EQ(common, 1u);  // the middle word stands where it stood
}

TEST(Properties, SignalHasNothingToTrain) {
  Tensor<double> expected = rows_at<double>(Positions::range(3, 5), 12);
  const std::int32_t ids[] = {1, 1, 1, 1, 1};  // the padding row: what is left is the signal
  for (const std::uint64_t seed : {0, 1, 77}) {
    Tensor<double> vocabulary({2, 12}), out({5, 12});
    plain::fill(vocabulary.memory, static_cast<unsigned>(seed));
    const StageOptions options{
        .scale = Scale::of(0.5 + static_cast<double>(seed)), .dropout = 0.5, .seed = seed, .padding_id = 1};
    InputStage(vocabulary.view, paper(), options)
        .encode(view(ids, {5}), Positions::range(3, 5), out.view, {.call = static_cast<std::uint32_t>(seed)});
    EXPECT_EQ(out.memory, expected.memory);
  }
}

}  // namespace
}  // namespace posenc
