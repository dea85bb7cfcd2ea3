// SPDX-License-Identifier: Apache-2.0
// Seeded rows against MPFR, Random123 and their distribution.
#include <posenc/embedding.h>

#include "src/engine/random/random.h"
#include "src/numerics/elementary.h"
#include "tests/encodings/surroundings.h"
#include "tests/input/plain.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using plain::error_of;
using plain::Tensor;

// ---- values -------------------------------------------------------------------------------------

std::vector<float> seeded(std::int64_t count, std::int64_t width, std::uint64_t seed, std::uint64_t stream,
                          RowInit init = RowInit::normal) {
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  seeded_rows(view(rows.data(), {count, width}), seed, stream, init);
  return rows;
}

struct Draw {
  std::uint32_t a, b;
};

// The two words of element e, by Random123.
Draw draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t e) {
  const auto counter = [](std::uint64_t index, std::uint32_t third) {
    return plain::Generator::ctr_type{
        {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), third, 0}};
  };
  const auto derived = plain::Generator()(counter(stream, 0x706F7365), plain::key_of(seed));
  const auto words = plain::Generator()(counter(e / 2, 0), {{derived[0], derived[1]}});
  return e % 2 == 0 ? Draw{words[0], words[1]} : Draw{words[2], words[3]};
}

// sqrt(-2 ln u1) cos(2 pi u2) by MPFR to 200 bits, then rounded once. An exact value of 0 is +0.
class Normal {
 public:
  float operator()(Draw of) {
    mpfr_set_ui_2exp(size_.get(), of.a, -32, MPFR_RNDN);
    mpfr_set_ui_2exp(angle_.get(), 1, -32, MPFR_RNDN);
    mpfr_add(size_.get(), size_.get(), angle_.get(), MPFR_RNDN);
    mpfr_log(size_.get(), size_.get(), MPFR_RNDN);
    mpfr_mul_si(size_.get(), size_.get(), -2, MPFR_RNDN);
    mpfr_sqrt(size_.get(), size_.get(), MPFR_RNDN);
    mpfr_const_pi(angle_.get(), MPFR_RNDN);
    mpfr_mul_ui(angle_.get(), angle_.get(), of.b, MPFR_RNDN);
    mpfr_div_2ui(angle_.get(), angle_.get(), 31, MPFR_RNDN);
    mpfr_cos(angle_.get(), angle_.get(), MPFR_RNDN);
    if (of.b % 0x80000000u == 0x40000000u) mpfr_set_zero(angle_.get(), 1);
    mpfr_mul(size_.get(), size_.get(), angle_.get(), MPFR_RNDN);
    return mpfr_zero_p(size_.get()) ? 0.0f : static_cast<float>(oracle::rounded(size_, oracle::f32));
  }

 private:
  oracle::Number size_{200}, angle_{200};
};

TEST(SeededRows, AreCorrectlyRounded) {
  Normal normal;
  std::int64_t checked = 0, misrounded = 0;
  struct Key {
    std::uint64_t seed, stream;
  };
  for (const Key& key : {Key{0, 0}, {1, 0}, {0, 1}, {0x123456789ABCDEF, std::uint64_t{1} << 63}, {~0ull, ~0ull}}) {
    const std::vector<float> rows = seeded(101, 199, key.seed, key.stream);
    for (std::size_t e = 0; e < rows.size(); ++e, ++checked) {
      const float expected = normal(draw(key.seed, key.stream, e));
      misrounded += std::bit_cast<std::uint32_t>(expected) == std::bit_cast<std::uint32_t>(rows[e]) ? 0 : 1;
    }
  }
  EXPECT_EQ(misrounded, 0);
  EXPECT_GE(checked, 100000);
}

TEST(SeededRows, AreCorrectlyRoundedAtTheEndsOfBothDraws) {
  Normal normal;
  const std::uint32_t sizes[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xB504F333, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF};
  const std::uint32_t angles[] = {0,          1,          0x3FFFFFFF, 0x40000000, 0x40000001, 0x7FFFFFFF, 0x80000000,
                                  0x80000001, 0xBFFFFFFF, 0xC0000000, 0xC0000001, 0xFFFFFFFF, 0x20000000, 0x15555555};
  for (const std::uint32_t a : sizes) {
    for (const std::uint32_t b : angles) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(*numerics::gaussian_rounded(a, b)),
                std::bit_cast<std::uint32_t>(normal({a, b})))
          << a << ' ' << b;
    }
  }
}

// Of the first 3 x 2^29 elements of key (1, 2), those within 1.6 units of an f64's last place of a half-way point of
// f32. Without its rounding test the quick path gets one of them wrong.
TEST(SeededRows, AreCorrectlyRoundedNextToHalfWayPoints) {
  Normal normal;
  for (const std::uint64_t e : {211952387, 360644730, 481930825, 703928278, 707878292, 1044502123, 1114401258,
                                1183009261, 1222106969, 1317540736}) {
    const auto words = plain::Generator()({{static_cast<std::uint32_t>(e / 2), 0, 0, 0}}, {{1, 2}});
    const Draw of = e % 2 == 0 ? Draw{words[0], words[1]} : Draw{words[2], words[3]};
    float value = 0;
    ASSERT_TRUE(engine::normal_values({1, 2}, e, 1, &value));
    EXPECT_EQ(value, normal(of)) << e;
  }
}

// Made by mpmath with 300 bits from the words of tools/goldens/philox.py.
TEST(SeededRows, FirstValuesAreFrozen) {
  struct Frozen {
    std::uint64_t seed, stream;
    std::vector<std::uint32_t> bits;
  };
  const Frozen rows[] = {
      {0x0, 0x0, {0xC01FD3A5, 0xC0000D71, 0x3F33EBA6, 0x3F45F3E4, 0x3FA4CCDE, 0xBFA1D679, 0x3EB0633F, 0x3E8B82E4}},
      {0x2a, 0x7, {0xBF252141, 0x3D3A66F7, 0x3F23AA67, 0xBF527838, 0x3F413C33, 0xBE979CF7, 0x3F5E1E20, 0xBFA8E5F4}},
      {0xfedcba9876543210,
       0x8000000000000001,
       {0xBF340C7F, 0x3ECFBFB4, 0x3F6720BC, 0xBF74A2A4, 0xC002FD56, 0x3F9A862E, 0x3EBB1BF7, 0x40294D3C}}};
  for (const Frozen& row : rows) {
    const std::vector<float> values = seeded(1, 8, row.seed, row.stream);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(values[i]), row.bits[i]) << row.seed << ' ' << i;
    }
  }
}

TEST(SeededRows, ScaledIsTheNormalValueTimesOneOverSqrtD) {
  std::vector<std::int64_t> widths = {512, 768, 1000, 1024, 2047, 4096, 8192, 12288, 65537};
  for (std::int64_t d = 1; d <= 300; ++d) widths.push_back(d);
  oracle::Number inverse(24);
  for (const std::int64_t d : widths) {
    const std::vector<float> normal = seeded(2, d, 3, 4), scaled = seeded(2, d, 3, 4, RowInit::scaled);
    mpfr_set_si(inverse.get(), d, MPFR_RNDN);
    mpfr_rec_sqrt(inverse.get(), inverse.get(), MPFR_RNDN);
    const double factor = mpfr_get_d(inverse.get(), MPFR_RNDN);
    for (std::size_t i = 0; i < normal.size(); ++i) {
      ASSERT_TRUE(plain::same(plain::value(scaled[i]), plain::rounded<float>(plain::value(normal[i]) * factor))) << d;
    }
  }
}

// ---- their stream --------------------------------------------------------------------------------

TEST(SeededRows, DependOnTheNumberOfTheElementAlone) {
  const std::vector<float> line = seeded(1, 3000, 9, 2);
  for (const std::int64_t width : {1, 2, 3, 127, 128, 129, 255, 300, 1500}) {
    const std::vector<float> rows = seeded(3000 / width, width, 9, 2);
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), line.begin())) << width;
  }
}

TEST(SeededRows, AreTheSameUnderAnyExecutor) {
  for (const auto& [count, width] : {std::pair<std::int64_t, std::int64_t>{700, 129}, {2, 50001}}) {
    const std::vector<float> expected = seeded(count, width, 9, 2, RowInit::scaled);
    for (const Executor& executor : {test::reversed, test::two_threads}) {
      std::vector<float> rows(expected.size());
      seeded_rows(view(rows.data(), {count, width}), 9, 2, RowInit::scaled, executor);
      EXPECT_EQ(rows, expected);
    }
  }
}

TEST(SeededRows, WritesThroughAnyStridesAndNowhereElse) {
  const std::vector<float> rows = seeded(5, 131, 1, 1);
  for (const std::int64_t gap : {1, 2, -1, -3}) {
    for (const std::vector<int>& order : {std::vector{0, 1}, {1, 0}}) {
      Tensor<float> out({5, 131}, order, gap);
      const std::vector<float> untouched = out.memory;
      seeded_rows(out.view, 1, 1, RowInit::normal);
      for (std::int64_t i = 0; i < 5 * 131; ++i) {
        ASSERT_EQ(out.at({i / 131, i % 131}), rows[static_cast<std::size_t>(i)]);
        out.at({i / 131, i % 131}) = untouched[0];
      }
      EXPECT_EQ(out.memory, untouched);
    }
  }
}

TEST(SeededRows, IgnoresAndKeepsTheCallersRounding) {
  const std::vector<float> expected = seeded(40, 100, 6, 0, RowInit::scaled);
  std::vector<float> rows;
  {
    const plain::RoundsUpAndFlushes caller;
    rows = seeded(40, 100, 6, 0, RowInit::scaled);
    EXPECT_TRUE(caller.intact());
  }
  EXPECT_EQ(rows, expected);
}

// Bounds are six deviations of each estimate from n independent normal values: 1 / n for the mean, 2 / n for the
// variance, 6 / n for the third and 24 / n for the fourth moment's excess, 1 / n for a correlation.
TEST(SeededRows, HaveTheMomentsOfTheNormalDistribution) {
  const std::vector<float> rows = seeded(1024, 512, 42, 0), other = seeded(1024, 512, 42, 1);
  const auto n = static_cast<double>(rows.size());
  double mean = 0, variance = 0, third = 0, fourth = 0, beyond = 0, neighbour = 0, stream = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double z = plain::value(rows[i]);
    mean += z / n;
    variance += z * z / n;
    third += z * z * z / n;
    fourth += z * z * z * z / n;
    beyond += std::abs(z) > 1.959963984540054 ? 1 / n : 0;  // 5 % of a normal distribution
    if (i > 0) neighbour += z * plain::value(rows[i - 1]) / n;
    stream += z * plain::value(other[i]) / n;
  }
  EXPECT_LT(std::abs(mean), 6 / std::sqrt(n));
  EXPECT_LT(std::abs(variance - 1), 6 * std::sqrt(2 / n));
  EXPECT_LT(std::abs(third - 3 * mean), 6 * std::sqrt(6 / n));
  EXPECT_LT(std::abs(fourth - 6 * variance + 3), 6 * std::sqrt(24 / n));
  EXPECT_LT(std::abs(beyond - 0.05), 6 * std::sqrt(0.05 * 0.95 / n));
  EXPECT_LT(std::abs(neighbour), 6 / std::sqrt(n));
  EXPECT_LT(std::abs(stream), 6 / std::sqrt(n));
}

TEST(SeededRows, DifferForEverySeedAndStream) {
  const std::vector<float> rows = seeded(1, 64, 5, 6);
  for (const auto& [seed, stream] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {6, 5}, {5, 7}, {4, 6}, {5 + (1ull << 32), 6}, {5, 6 + (1ull << 32)}}) {
    const std::vector<float> other = seeded(1, 64, seed, stream);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < 64; ++i) equal += rows[i] == other[i] ? 1 : 0;
    EXPECT_LT(equal, 2u) << seed << ' ' << stream;
  }
}

TEST(SeededRows, RefusesOtherOutputsThanF32Rows) {
  Tensor<double> wide({2, 2});
  Tensor<float> rows({2, 2});
  const std::vector<float> before = rows.memory;
  const auto text = [](const View& out, RowInit init = RowInit::normal) {
    return error_of([&] { seeded_rows(out, 0, 0, init); });
  };
  EXPECT_EQ(text(wide.view), "[seeded_rows] out must be f32, got f64");
  EXPECT_EQ(text(view(&rows.memory[0], {4})), "[seeded_rows] out must have shape [rows, d], got [4]");
  EXPECT_EQ(text(view(&rows.memory[0], {2}).repeated(2)),
            "[seeded_rows] out must have no stride 0, got 0 for axis 0 of shape [2, 2]");
  EXPECT_EQ(text(rows.view, RowInit{}), "[seeded_rows] init must be stated, got none");
  EXPECT_EQ(rows.memory, before);
  seeded_rows(view(&rows.memory[0], {0, 2}), 0, 0, RowInit::scaled);
  seeded_rows(view(&rows.memory[0], {2, 0}), 0, 0, RowInit::scaled);
  EXPECT_EQ(rows.memory, before);
}

}  // namespace
}  // namespace posenc
