// SPDX-License-Identifier: Apache-2.0
// Simple numbers: what people write, found in an interval around it; nothing where chance would do as well.
#include "src/referee/simple_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace posenc::referee {
namespace {

Interval around(double value, double relative) { return {value * (1 - relative), value * (1 + relative)}; }

std::string text_of(const std::optional<SimpleNumber>& number) { return number ? number->text : "none"; }
std::string text_of(const Interval& interval) { return text_of(simple_number(interval)); }

TEST(SimpleNumber, BasesOfLadders) {
  EXPECT_EQ(text_of(around(10000, 1e-5)), "10000");
  EXPECT_EQ(text_of(around(500000 * (1 + 1e-7), 1e-6)), "500000");
  EXPECT_EQ(text_of(around(12345.5, 1e-8)), "12345.5");
  EXPECT_EQ(text_of(around(1e6 / 7, 1e-9)), "142857.143");  // no fraction has so large a numerator
}

TEST(SimpleNumber, ScalesOfWidths) {
  const std::int64_t sizes[] = {512, 64};
  EXPECT_EQ(text_of(simple_root(around(std::sqrt(512.0), 1e-6), sizes)), "sqrt 512");
  EXPECT_EQ(text_of(simple_root(around(1 / std::sqrt(512.0), 1e-6), sizes)), "1 / sqrt 512");
  EXPECT_EQ(text_of(simple_root(around(8, 1e-6), sizes)), "sqrt 64");
  EXPECT_EQ(text_of(simple_root(around(std::sqrt(500.0), 1e-6), sizes)), "none");  // of no size that was asked for
}

TEST(SimpleNumber, FractionsPowersAndPi) {
  EXPECT_EQ(text_of(around(1 / 3.0, 1e-6)), "1 / 3");
  EXPECT_EQ(text_of(around(2 * std::numbers::pi, 1e-6)), "2 pi");
  EXPECT_EQ(text_of(around(std::exp2(-30), 1e-6)), "2^-30");
  EXPECT_EQ(text_of(around(-10000, 1e-9)), "none");  // reversed
  EXPECT_EQ(text_of({-10000.01, -9999.99}), "-10000");
}

TEST(SimpleNumber, TheShortestDecimalIsTheOnlyOneOfItsLength) {
  EXPECT_EQ(text_of(around(10000, 0.02)), "10000");
  EXPECT_EQ(text_of(around(0.3217, 0.01)), "0.32");
  EXPECT_EQ(text_of(around(1.5, 0.7)), "none");                // 1 or 2
  EXPECT_EQ(text_of(around(12345.678912345, 1e-13)), "none");  // of more than 9 digits
  EXPECT_EQ(text_of({0, 1}), "none");
  EXPECT_EQ(text_of({-1, 1}), "none");
}

TEST(SimpleNumber, WhatChanceMayHavePutThere) {
  EXPECT_EQ(shortest_decimal({46.874, 46.8759}), 46.875);
  EXPECT_EQ(shortest_decimal({-0.31, -0.26}), -0.3);
  EXPECT_EQ(shortest_decimal({-1, 1}), 0);
  EXPECT_EQ(digits_of("0.00125"), 3);
  EXPECT_EQ(digits_of("500000"), 1);
  EXPECT_EQ(digits_of("pi"), 0);
  EXPECT_NEAR(chance_of_digits({499999, 500001}, "500000"), 4e-5, 1e-9);
  EXPECT_EQ(chance_of_digits({1, 2}, "1.5"), 1);
  EXPECT_EQ(chance_of_digits({1, 1.0001}, ""), 1) << "no number was found";
}

TEST(SimpleNumber, TheOracleTriesEveryDecimalOfThreeDigits) {
  for (int digits = 100; digits < 1000; ++digits) {
    const double value = digits / 100.0;
    const auto number = simple_number(around(value, 1e-6));
    ASSERT_TRUE(number.has_value()) << value;
    EXPECT_EQ(number->value, value);
  }
}

}  // namespace
}  // namespace posenc::referee
