// SPDX-License-Identifier: Apache-2.0
// Layer normalisation against plain loops in long double.
#include <posenc/transformer/norm.h>

#include "tests/engine/every_target.h"
#include "tests/input/plain.h"
#include "tests/transformer/plain_model.h"

namespace posenc {
namespace {

std::vector<double> expected(const Norm& norm, const float* row, std::int64_t width) {
  long double mean = 0, variance = 0;
  for (std::int64_t c = 0; c < width; ++c) mean += static_cast<long double>(row[c]) / static_cast<long double>(width);
  for (std::int64_t c = 0; c < width; ++c) {
    const long double away = static_cast<long double>(row[c]) - mean;
    variance += away * away / static_cast<long double>(width);
  }
  std::vector<double> out;
  for (std::int64_t c = 0; c < width; ++c) {
    const long double x = (static_cast<long double>(row[c]) - mean) /
                          std::sqrt(variance + static_cast<long double>(norm.epsilon)) *
                          static_cast<long double>(plain::at(norm.weight, {c}));
    out.push_back(static_cast<double>(x + (norm.bias ? static_cast<long double>(plain::at(*norm.bias, {c})) : 0)));
  }
  return out;
}

void expect_rows(const Norm& norm, const View& in) {
  const std::int64_t width = in.size(1);
  std::vector<float> out(static_cast<std::size_t>(in.count()));
  normalize(norm, in, view(out.data(), {in.size(0), width}));
  for (std::int64_t r = 0; r < in.size(0); ++r) {
    const std::vector<double> wanted = expected(norm, static_cast<float*>(in.data) + r * width, width);
    for (std::int64_t c = 0; c < width; ++c) {
      const double value = wanted[static_cast<std::size_t>(c)];
      const double bound =
          0x1p-24 * std::abs(value) +
          0x1p-40 * (std::abs(plain::at(norm.weight, {c})) * std::sqrt(static_cast<double>(width)) + 1);
      ASSERT_NEAR(out[static_cast<std::size_t>(r * width + c)], value, bound) << "width " << width << " column " << c;
    }
  }
}

TEST(Norm, IsRoundedOnceOnEveryTarget) {
  engine::on_every_target([] {
    for (std::int64_t width = 1; width < 70; ++width) {
      plain::Tensors tensors;
      Norm norm = plain::norm(tensors, width);
      expect_rows(norm, tensors.make({3, width}, 4));
      norm.bias = std::nullopt;
      expect_rows(norm, tensors.make({2, width}, 0x1p-10));
    }
  });
}

TEST(Norm, LosesNothingToALargeMeanOrAnOutlier) {
  plain::Tensors tensors;
  const Norm norm = plain::norm(tensors, 384);
  expect_rows(norm, tensors.make({2, 384}, 0x1p-3, 1000));
  const View outlier = tensors.make({1, 384}, 1);
  static_cast<float*>(outlier.data)[0] = 1e6f;
  expect_rows(norm, outlier);
}

TEST(Norm, GivesTheBiasForARowOfOneNumber) {
  plain::Tensors tensors;
  const Norm norm = {tensors.make({5}, 1), tensors.make({5}, 1), 1e-12};
  std::vector<float> row(5, 1234.5f);
  normalize(norm, view(row.data(), {5}), view(row.data(), {5}));
  for (std::int64_t c = 0; c < 5; ++c) EXPECT_EQ(row[static_cast<std::size_t>(c)], plain::at(*norm.bias, {c}));
}

TEST(Norm, WorksInPlaceAndWithGaps) {
  plain::Tensors tensors;
  const Norm norm = plain::norm(tensors, 6);
  plain::Tensor<float> rows({3, 4, 6}, {1, 0, 2});
  std::vector<std::vector<double>> wanted;
  for (std::int64_t a = 0; a < 3; ++a) {
    for (std::int64_t b = 0; b < 4; ++b) {
      for (std::int64_t c = 0; c < 6; ++c) rows.at({a, b, c}) = static_cast<float>(a * b + c * c) * 0.25f;
      wanted.push_back(expected(norm, &rows.at({a, b, 0}), 6));
    }
  }
  normalize(norm, rows.view, rows.view);
  for (std::int64_t a = 0; a < 3; ++a) {
    for (std::int64_t b = 0; b < 4; ++b) {
      for (std::int64_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(rows({a, b, c}), wanted[static_cast<std::size_t>(4 * a + b)][static_cast<std::size_t>(c)], 0x1p-20);
      }
    }
  }
}

TEST(Norm, NamesWhatIsWrong) {
  plain::Tensors tensors;
  const View row = tensors.make({2, 4}, 1);
  const ConstView four = tensors.make({4}, 1), five = tensors.make({5}, 1);
  const auto error = [&](const Norm& norm) { return plain::error_of([&] { normalize(norm, row, row); }); };
  EXPECT_EQ(error({five, {}, 1e-5}), "[normalize] weight must have shape [4], got [5]");
  EXPECT_EQ(error({four, five, 1e-5}), "[normalize] bias must have shape [4], got [5]");
  EXPECT_EQ(error({four, {}, 0}), "[normalize] epsilon must be finite and above 0, got 0");
  EXPECT_EQ(error({four, {}, std::nan("")}), "[normalize] epsilon must be finite and above 0, got nan");
  EXPECT_EQ(plain::error_of([&] { normalize({four, {}, 1}, row, tensors.make({4, 2}, 1)); }),
            "[normalize] out must have shape [2, 4], got [4, 2]");
  EXPECT_FALSE(check_normalize({four, {}, 1}, row, row));
}

}  // namespace
}  // namespace posenc
