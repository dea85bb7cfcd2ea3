// SPDX-License-Identifier: Apache-2.0
// Rotations and biases of conventions that have no short form, through the public calls, against MPFR; and those that
// are refused.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>

#include "tests/encodings/element_types.h"
#include "tests/encodings/forms.h"
#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"
#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using oracle::Value;
using test::adjacent_rotary;
using test::half_rotary;
using test::said;

float rn(const Value& x) { return static_cast<float>(oracle::rounded(x, oracle::f32)); }
// w_k over r columns.
Value frequency(std::size_t k, int r) {
  return pow(Value(10000), Value(-2) * Value(static_cast<double>(k)) / Value(r));
}

template <class T>
std::vector<float> rotated(const Convention& convention, const std::vector<float>& row, double p,
                           Direction direction = Direction::forward) {
  std::vector<T> x(row.begin(), row.end());
  const View both = view(x.data(), {1, std::ssize(x)});
  rotary(convention, Positions::at(p), both, both, direction);
  return {x.begin(), x.end()};
}

const std::vector<float> head_row = {0.5f, 1.25f, -0.75f, 3.5f, -2, 7, 0.125f, -1};
constexpr double turned_positions[] = {0, 1, -3, 4095, 2.5};

// DeepSeek: the last columns, read in adjacent pairs, written in halves, times YaRN's magnitude
template <class T>
void expect_a_part_written_elsewhere() {
  Rotary rotary = adjacent_rotary;
  rotary.part = 4, rotary.where = HeadEnd::last, rotary.written = Written::split_half;
  rotary.magnitude = YarnMagnitude{40, 0.707, 1};
  const Value ln = log(Value(40)) / Value(10), m = (Value(1) + Value(0.707) * ln) / (Value(1) + ln);
  for (const double p : turned_positions) {
    std::vector<float> expected = head_row;
    for (std::size_t k = 0; k < 2; ++k) {
      const Value angle = Value(p) * frequency(k, 4);
      const float c = rn(m * cos(angle)), s = rn(m * sin(angle)), u = head_row[4 + 2 * k], v = head_row[5 + 2 * k];
      expected[4 + k] = static_cast<float>(T(u * c - v * s));
      expected[6 + k] = static_cast<float>(T(u * s + v * c));
    }
    EXPECT_EQ(rotated<T>(rotary, head_row, p), expected) << p;
  }
}
TEST(FormsOfRotary, F32APartThatIsWrittenElsewhere) { expect_a_part_written_elsewhere<float>(); }
TEST(FormsOfRotary, F16APartThatIsWrittenElsewhere) { expect_a_part_written_elsewhere<half>(); }
TEST(FormsOfRotary, Bf16APartThatIsWrittenElsewhere) { expect_a_part_written_elsewhere<bfloat16>(); }

// V-JEPA 2: column c takes the angle of frequency c mod n
TEST(FormsOfRotary, TwoAnglesAPair) {
  Rotary rotary = adjacent_rotary;
  rotary.angles = AnglesBy::column;
  for (const double p : turned_positions) {
    const auto cosine = [&](std::size_t c) { return rn(cos(Value(p) * frequency(c % 4, 8))); };
    const auto sine = [&](std::size_t c) { return rn(sin(Value(p) * frequency(c % 4, 8))); };
    std::vector<float> expected(8), back(8);
    for (std::size_t c = 0; c < 8; c += 2) {
      const float u = head_row[c], v = head_row[c + 1];
      expected[c] = u * cosine(c) - v * sine(c), expected[c + 1] = u * sine(c + 1) + v * cosine(c + 1);
      back[c] = u * cosine(c) + v * sine(c + 1), back[c + 1] = -u * sine(c) + v * cosine(c + 1);
    }
    EXPECT_EQ(rotated<float>(rotary, head_row, p), expected) << p;
    EXPECT_EQ(rotated<float>(rotary, head_row, p, Direction::inverse), back) << p;
  }
}

// NanoChat turns backward; an odd part has an angle more
TEST(FormsOfRotary, BackwardOverAnOddPart) {
  Rotary rotary = half_rotary;
  rotary.part = 5, rotary.odd_width = OddRotated::up, rotary.turn = TurnTo::backward;
  for (const double p : turned_positions) {
    std::vector<float> forward = head_row, back = head_row;
    for (std::size_t k = 0; k < 3; ++k) {
      const Value angle = Value(p) * frequency(k, 5);
      const float c = rn(cos(angle)), s = rn(sin(angle)), u = head_row[k], v = head_row[k + 3];
      back[k] = u * c + v * s, back[k + 3] = -u * s + v * c;
      forward[k] = u * c - v * s, forward[k + 3] = u * s + v * c;
    }
    const RotaryRows rows(rotary, 8);
    std::vector<float> x = head_row, y = head_row;
    rows.rotate(Positions::at(p), view(x.data(), {1, 8}), view(x.data(), {1, 8}));
    rows.rotate(Positions::at(p), view(y.data(), {1, 8}), view(y.data(), {1, 8}), Direction::inverse);
    EXPECT_EQ(x, back) << p;
    EXPECT_EQ(y, forward) << p;
  }
}

TEST(FormsOfRotary, BackAndForthIsWhereItBegan) {
  Rotary rotary = adjacent_rotary;
  rotary.written = Written::split_half, rotary.part = ColumnShare{0.75};
  const std::vector<float> there = rotated<float>(rotary, head_row, 17),
                           again = rotated<float>(rotary, there, 17, Direction::inverse);
  for (std::size_t c = 0; c < 8; ++c) EXPECT_NEAR(again[c], head_row[c], 1e-5) << c;
  EXPECT_EQ(there[7], head_row[7]);
}

// Positions of each sequence; tensors of other types and strides, in place and not.
TEST(FormsOfRotary, EveryLineOfEveryTensor) {
  Rotary rotary = adjacent_rotary;
  rotary.part = 6, rotary.where = HeadEnd::last, rotary.magnitude = 0.75, rotary.written = Written::split_half;
  const std::vector<std::int64_t> p = {5, -1, 7, 0, 2, 3};  // [2 sequences, 3]
  std::vector<float> a(2 * 3 * 2 * 8), out(a.size());       // [2, 3, 2 heads, 8]
  std::vector<bfloat16> b(2 * 3 * 8);                       // [2, 3, 8]
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 29) - 14;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = bfloat16(static_cast<float>(i % 23) - 11);
  const std::vector<bfloat16> before = b;
  const Rotated tensors[] = {{view(a.data(), {2, 3, 2, 8}), view(out.data(), {2, 3, 2, 8}), TokenAxis::before_heads},
                             {view(b.data(), {2, 3, 8}), TokenAxis::before_columns}};
  for (const Executor& executor : {Executor(serial), Executor(test::reversed)}) {
    b = before;
    RotaryRows(rotary, 8).rotate(Positions::list(view(p.data(), {2, 3})), tensors, Direction::forward, executor);
    for (std::size_t row = 0; row < 6; ++row) {
      const auto at = static_cast<double>(p[row]);
      for (std::size_t i = 2 * row; i < 2 * row + 2; ++i) {
        const auto begin = static_cast<std::ptrdiff_t>(8 * i);
        const std::vector<float> in(a.begin() + begin, a.begin() + begin + 8);
        EXPECT_EQ(std::vector<float>(out.begin() + begin, out.begin() + begin + 8), rotated<float>(rotary, in, at))
            << i;
      }
      const auto begin = static_cast<std::ptrdiff_t>(8 * row);
      const std::vector<float> in(before.begin() + begin, before.begin() + begin + 8);
      EXPECT_EQ(std::vector<float>(b.begin() + begin, b.begin() + begin + 8), rotated<bfloat16>(rotary, in, at)) << row;
    }
  }
}

TEST(FormsOfRotary, AreTheSameInEverySurrounding) {
  Rotary rotary = adjacent_rotary;
  rotary.part = 6, rotary.where = HeadEnd::last, rotary.magnitude = 0.3;
  const std::vector<float> expected = rotated<bfloat16>(rotary, head_row, 4095);
  for (const int mode : test::rounding_modes) {
    std::vector<float> values;
    EXPECT_TRUE(test::survives(mode, [&] { values = rotated<bfloat16>(rotary, head_row, 4095); })) << mode;
    EXPECT_EQ(values, expected) << mode;
  }
}

TEST(FormsOfRotary, ThatAreRefused) {
  const auto refused = [](void (*change)(Rotary&), const Recipe& recipe = exact()) {
    Rotary rotary = half_rotary;
    change(rotary);
    return said(RotaryRows::check(rotary, 8, {.recipe = recipe}));
  };
  EXPECT_EQ(refused([](Rotary& r) { r.decay = PairDecay{0.4, 512}; }),
            "[convention] centre must be stated: the decay counts from it, got none");
  EXPECT_EQ(refused([](Rotary& r) { std::get<Geometric>(r.ladders[0]).scaling = DynamicNtkScaling{2, 4}; }),
            "[convention] length must be stated: the scaling depends on it, got none");
  EXPECT_EQ(refused([](Rotary& r) { r.sections = std::vector<std::int64_t>{8}; }),
            "[convention] sections must have 4 pairs for width 8, got 8");
  EXPECT_EQ(
      refused([](Rotary& r) { std::get<Geometric>(r.ladders[0]).scaling = LinearScaling{2}; }, recipe("f32-exp")),
      "[convention] the recipe must be exact for a scaled ladder, or f32-reciprocal, f32-reciprocal-unit-position, "
      "f32-reciprocal-unit-angle or 3 more, got f32-exp");
}

// ---- biases --------------------------------------------------------------------------------------

// 2^(-8 (h + 1) / 2) of two heads.
Value slope(std::size_t h) { return pow(Value(2), Value(-4) * Value(static_cast<double>(h + 1))); }

template <class T>
void expect_biases(BiasValue value, const std::vector<double>& queries, const std::vector<double>& keys,
                   Value (*of)(double q, double k, double last)) {
  const auto L = std::ssize(queries), S = std::ssize(keys);
  for (const double scale : {1.0, 0.1, -3.0}) {
    Slopes slopes = Bias{8};
    slopes.value = value, slopes.scale = scale;
    std::vector<T> out(static_cast<std::size_t>(2 * L * S));
    bias(slopes, Positions::list(view(queries.data(), {L})), Positions::list(view(keys.data(), {S})),
         view(out.data(), {2, L, S}));
    for (std::size_t h = 0, i = 0; h < 2; ++h) {
      for (const double q : queries) {
        for (const double k : keys) {
          const Value expected = Value(scale) * slope(h) * of(q, k, keys.back());
          EXPECT_EQ(numerics::widened(out[i++]), oracle::rounded(expected, numerics::format<T>))
              << "head " << h << " of q = " << q << ", k = " << k << ", scale " << scale;
        }
      }
    }
  }
}

template <class T>
class BiasesOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(BiasesOfEveryType, test::TableTypes);

TYPED_TEST(BiasesOfEveryType, MultiplyWhatTheirValueSays) {
  const std::vector<double> counted = {0, 1, 2, 3, 4}, other = {-3.5, 1e-300, 0.1, 12345.678, 3}, later = {3, 4, 5};
  for (const auto& [queries, keys] :
       {std::pair{counted, counted}, {later, counted}, {other, counted}, {counted, other}}) {
    expect_biases<TypeParam>(BiasValue::minus_distance, queries, keys, [](double q, double k, double) {
      const Value distance = q < k ? Value(k) - Value(q) : Value(q) - Value(k);
      return Value(0) - distance;
    });
    expect_biases<TypeParam>(BiasValue::key, queries, keys, [](double, double k, double) { return Value(k); });
    expect_biases<TypeParam>(BiasValue::key_from_last, queries, keys,
                             [](double, double k, double last) { return Value(k) - Value(last); });
    expect_biases<TypeParam>(BiasValue::causal, queries, keys,
                             [](double q, double k, double) { return Value(k) - Value(q); });
  }
}

TEST(FormsOfBias, OfSlopesInBf16) {
  Slopes slopes = Bias{8};
  slopes.slope_rounding = SlopeRounding::bf16;
  const std::vector<float> rounded = bias_slopes(slopes, 12);
  for (std::size_t h = 8; h < 12; ++h) {  // every second of 16
    const Value exact = pow(Value(2), Value(0) - Value(static_cast<double>(2 * (h - 8) + 1)) / Value(2));
    EXPECT_EQ(rounded[h], oracle::rounded(exact, oracle::bf16)) << h;
  }
}

TEST(FormsOfBias, OfPresentKeysAreZeroForAbsentOnes) {
  const Convention& bloom = preset("bloom-alibi").convention;
  const std::vector<std::int32_t> mask = {0, 1, 1, 0, 1};
  const std::vector<std::int64_t> keys = {77, 0, 1, -5, 2};  // those of absent keys are not read
  std::vector<float> out(2 * 3 * 5);
  bias(bloom, Positions::range(0, 3), Positions::list(view(keys.data(), {5})), view(out.data(), {2, 3, 5}),
       {.context = {.present = view(mask.data(), {5})}});
  for (std::size_t i = 0; i < 6; ++i) {
    const float slope = i < 3 ? 0x1p-4f : 0x1p-8f;
    EXPECT_EQ(std::vector(out.begin() + static_cast<std::ptrdiff_t>(5 * i),
                          out.begin() + static_cast<std::ptrdiff_t>(5 * i + 5)),
              (std::vector<float>{0, 0, slope, 0, 2 * slope}));
  }
}

TEST(FormsOfBias, OfAHeadsWidthAreMultipliedByItsRoot) {
  const auto of = [](HeadScale scale, std::int64_t head) {
    Slopes slopes = Bias{8};
    slopes.scale = scale;
    double out = 0;
    bias(slopes, Positions::at(0), Positions::at(3), view(&out, {1, 1, 1}), {.context = {.head = head}});
    return out;
  };
  EXPECT_EQ(of(HeadScale::one_over_sqrt_head, 64), -3 * 0x1p-8 / 8);
  EXPECT_EQ(of(HeadScale::sqrt_head, 64), -3 * 0x1p-8 * 8);
  EXPECT_EQ(of(HeadScale::one_over_sqrt_head, 80),
            oracle::rounded(Value(0) - Value(3 * 0x1p-8) / sqrt(Value(80)), numerics::format<double>));
}

TEST(FormsOfBias, AreRefusedWithoutWhatTheyDependOn) {
  std::vector<float> out(8);
  const std::vector<std::int64_t> mask = {1, 0, 1};
  const std::vector<float> reals = {1, 0};
  const Positions two = Positions::range(0, 2);
  const View two_heads = view(out.data(), {2, 2, 2});
  const Convention& bloom = preset("bloom-alibi").convention;
  EXPECT_EQ(said(check_bias(bloom, two, two, two_heads)),
            "[bias] over must be all: positions do not say which keys are absent, got present");
  EXPECT_EQ(said(check_bias(Bias{8}, two, two, two_heads, {.context = {.present = view(mask.data(), {2})}})),
            "[bias] present must not be stated: the bias is over all keys, got a mask");
  EXPECT_EQ(said(check_bias(bloom, two, two, two_heads, {.context = {.present = view(mask.data(), {3})}})),
            "[bias] present must have a number for each of 2 keys, got [3]");
  EXPECT_EQ(said(check_bias(bloom, two, two, two_heads, {.context = {.present = view(reals.data(), {2})}})),
            "[bias] present must be i32 or i64, got f32");
  EXPECT_EQ(said(check_bias(preset("falcon-alibi").convention, two, two, two_heads,
                            {.context = {.present = view(mask.data(), {2})}})),
            "[convention] the width of a head must be stated: the scale depends on it, got none");
}

TEST(FormsOfBias, ThatAreRefused) {
  Slopes slopes = Bias{8};
  slopes.scale = HeadScale::one_over_sqrt_head;
  std::vector<float> out(8);
  EXPECT_EQ(said(check_bias(slopes, Positions::range(0, 2), Positions::range(0, 2), view(out.data(), {2, 2, 2}))),
            "[convention] the width of a head must be stated: the scale depends on it, got none");
  slopes = Bias{8}, slopes.heads_beyond = HeadsBeyond::none;
  EXPECT_EQ(said(check_bias_slopes(slopes, 12)), "[convention] the number of heads must be a power of two, got 12");
  slopes.value = BiasValue::key;
  EXPECT_EQ(said(check_bias_slopes(slopes, 8)).substr(0, 77),
            "[bias] value must be minus_distance: slopes alone do not say what they multip");
}

}  // namespace
}  // namespace posenc
