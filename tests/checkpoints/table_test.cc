// SPDX-License-Identifier: Apache-2.0
// The position table that tg2fa-translit stores, [5000, 64] in f32: how far from it each recipe and the exact numbers
// are, and which ladder it was made with, column by column.
//
// The package's source forms w_k = exp(-2k ln(10000) / 64) and p w_k in f32. So the question is which 32 numbers of f32
// its PyTorch took for w_k, and how well it computed their sines.
#include <gtest/gtest.h>
#include <posenc/preset.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/checkpoints/reference.h"

namespace posenc::checkpoints {
namespace {

constexpr std::int64_t kRows = 5000, kWidth = 64, kPairs = kWidth / 2;
using Table = std::vector<float>;

const Convention& interleaved() { return preset("pytorch").convention; }

class StoredTable : public testing::Test {
 protected:
  Table stored_ = [] {
    const io::Safetensors file(model_folder("tg2fa") + "/model.safetensors");
    const io::Array array = file.read("positional_encoding.pos_embedding");
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{kRows, kWidth}));
    const auto* data = reinterpret_cast<const float*>(array.data.data());
    return Table(data, data + kRows * kWidth);
  }();
};

Table made(const Convention& convention, const Recipe& recipe) {
  Table table(kRows * kWidth);
  sinusoid(convention, Positions::range(0, kRows), view(table.data(), {kRows, kWidth}), {.recipe = recipe});
  return table;
}

struct Distance {
  double all, start;  // largest, and largest in the first 200 rows
  double equal;       // share of equal bits
};

Distance distance(const Table& a, const Table& b) {
  const std::size_t start = 200 * kWidth;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    equal += std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i]) ? 1 : 0;
  }
  return {difference(a, b), difference(std::span(a).first(start), std::span(b).first(start)),
          static_cast<double>(equal) / static_cast<double>(a.size())};
}

/// f32 throughout but for sines, which are f64's rounded once: what is left is the ladder.
Recipe angles_in_f32(const std::string& name, LadderBy ladder) {
  return {name, Steps{ladder,
                      DType::f64,
                      DType::f32,
                      ScalingBy::none,
                      UnitAt::ladder,
                      DType::f32,
                      ScaleAt::angle,
                      Sums::rounded,
                      DType::f32,
                      DecayBy::none,
                      DType::f64,
                      {DType::f32}}};
}

float stepped(float value, int ulps) { return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) + ulps); }

/// How many ulps `value` is above `from`, both positive.
int ulps_above(float value, float from) {
  return std::bit_cast<std::int32_t>(value) - std::bit_cast<std::int32_t>(from);
}

std::vector<float> ladder(const Recipe& recipe) {
  std::vector<float> out;
  for (const double w : Rows(interleaved(), kWidth, {.recipe = recipe}).frequencies())
    out.push_back(static_cast<float>(w));
  return out;
}

struct Column {
  int ulps = 0;             // the f32 ladder that fits best, above the exact w_k rounded to f32
  std::int64_t equal = -1;  // of its 2 x 5000 numbers, those with equal bits
};

/// Tries the numbers of f32 around every exact w_k: the argument of exp is up to 9.2 and rounded, so ten ulps are
/// enough.
std::vector<Column> fitted(const Table& stored, const std::vector<float>& exact_ladder) {
  std::vector<Column> best(kPairs);
  for (int ulps = -10; ulps <= 10; ++ulps) {
    Listed listed;
    for (const float w : exact_ladder) listed.frequencies.push_back(double{stepped(w, ulps)});
    const Table table =
        made(Sinusoid{listed, Layout::interleaved, OddWidth::refused}, angles_in_f32("fitted", LadderBy::exp));
    for (std::size_t k = 0; k < best.size(); ++k) {
      std::int64_t equal = 0;
      for (std::size_t p = 0; p < kRows; ++p) {
        for (const std::size_t i : {p * kWidth + 2 * k, p * kWidth + 2 * k + 1}) equal += table[i] == stored[i] ? 1 : 0;
      }
      if (equal > best[k].equal) best[k] = {ulps, equal};
    }
  }
  return best;
}

TEST_F(StoredTable, IsNearEveryRecipeThatStoresF32AndNearestToThoseOfAnAngleInF32ByExp) {
  std::printf("tg2fa, stored table [5000, 64]: distance of\n  %-20s %10s %12s %12s\n", "recipe", "all rows",
              "rows 0-199", "equal bits");
  for (const Recipe& each : recipes()) {
    const Distance far = distance(made(interleaved(), each), stored_);
    std::printf("  %-20s %10.2e %12.2e %11.2f%%\n", each.name.c_str(), far.all, far.start, 100 * far.equal);
    const bool stores_f32 = !each.steps || each.steps->storage != std::vector<DType>{DType::f32, DType::f16};
    // MLX's sums of two logarithms in f32 leave w_k up to seven places off: 1.7e-3 of angle at row 5000.
    if (each.steps && each.steps->ladder == LadderBy::exp_blend) continue;
    const bool by_exp = each.steps && each.steps->frequency == DType::f32 &&
                        (each.steps->ladder == LadderBy::exp || each.steps->ladder == LadderBy::exp_quotient);
    EXPECT_LT(far.all, by_exp ? 5e-5 : 5e-4) << each.name;  // ulps of f32 in w_k are 2.4e-4 of angle at row 5000
    EXPECT_LT(far.start, by_exp ? 2e-6 : stores_f32 ? 2e-5 : 5e-4) << each.name;
  }
  const Distance wrong = distance(made(preset("whisper").convention, exact()), stored_);
  EXPECT_GT(wrong.start, 1);
}

TEST_F(StoredTable, HasTheLadderOfCorrectlyRoundedExponentialsButForOneColumn) {
  const std::vector<float> exact_ladder = ladder(exact()), quotient = ladder(recipe("f32-exp-quotient"));
  const std::vector<Column> columns = fitted(stored_, exact_ladder);
  std::printf("tg2fa, ladder column by column: ulps of f32 above the exact w_k\n  %2s %14s %7s %17s %11s\n", "k", "w_k",
              "stored", "f32-exp-quotient", "equal bits");
  std::vector<std::size_t> unlike;
  Listed found;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int ours = ulps_above(quotient[k], exact_ladder[k]);
    std::printf("  %2zu %14.8g %+7d %+17d %10.2f%%\n", k, double{exact_ladder[k]}, columns[k].ulps, ours,
                static_cast<double>(columns[k].equal) / (2 * kRows) * 100);
    if (columns[k].ulps != ours) unlike.push_back(k);
    found.frequencies.push_back(double{stepped(exact_ladder[k], columns[k].ulps)});
  }
  // exp(RN(RN(-2k ln 10000) / 64)), correctly rounded, but for a column where its exp gave the next number up.
  EXPECT_EQ(unlike, (std::vector<std::size_t>{11}));
  EXPECT_EQ(columns[11].ulps, ulps_above(quotient[11], exact_ladder[11]) + 1);
  const Distance far = distance(
      made(Sinusoid{found, Layout::interleaved, OddWidth::refused}, angles_in_f32("found", LadderBy::exp)), stored_);
  std::printf("  with these w_k, angles in f32 and sines rounded once: %.2e, equal bits %.2f%%\n", far.all,
              100 * far.equal);
  EXPECT_LT(far.all, 6e-8);  // an ulp below 1
}

}  // namespace
}  // namespace posenc::checkpoints
